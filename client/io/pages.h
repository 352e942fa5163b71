// Joins the pages of a long listing into one answer, and checks which cluster answers.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "client/io/ask.h"
#include "client/question.h"

namespace cox {

// Requests all pages of a listing (JobList, HistoryPage and so on) and returns them as one answer.
// Any other question is asked once. A question with more job ids or names than one request may have
// is asked in portions, one after the other. If a page is Refused, returns that Refused.
// If an action on jobs is refused or not answered after some portions were carried out, returns
// their outcomes, and that refusal for each of the other jobs.
Result<Answer> ask_all_pages(Asker& controller, const Question& question);

// Adds an outcome for each job of these portions: it was refused.
void add_refused(Acted& acted, std::span<const Question> portions, const Refusal& why);

// Divides a question with many job ids or names into questions of the allowed size.
std::vector<Question> portions_of(const Question& question);

// Refuses `asked`, the names in --clusters, SLURM_CLUSTERS or a condition cluster=NAME, if one is
// not this cluster's. Asks the controller for its name only if there are names.
std::optional<Shown> wrong_clusters(std::string_view program, const std::vector<std::string>& asked,
                                    Asker& controller);

}  // namespace cox
