// Joins the pages of a long listing into one answer.
#pragma once

#include "client/io/ask.h"

namespace cox {

// Requests all pages of a listing (JobList, HistoryPage and so on) and returns them as one answer.
// Any other question is asked once. If a page is Refused, returns that Refused.
Result<Answer> ask_all_pages(Asker& controller, Question question);

}  // namespace cox
