// Heterogeneous jobs as people write them: options for each component, apart by " : " on the
// command line of sbatch, salloc and srun, and by "#SBATCH hetjob" in a script. Pure; used by
// client/submit/submit, client/submit/script, client/step/allocation and
// client/io/step/srun_components.
#pragma once

#include <string>
#include <vector>

#include "client/options/given_options.h"
#include "client/options/submit_options.h"
#include "client/options/submit_surroundings.h"
#include "common/messages/messages.h"
#include "common/messages/sacct_messages.h"

namespace cox {

// Of each component, those of the command line. Of all of them the first one says how many words
// were read, and whether they end at "--".
Result<std::vector<GivenOptions>> read_components(const std::vector<std::string>& words,
                                                  const OptionTable& table);

// The sizes of those behind the first into its specification, which says all else. REQUIRES: all of
// them are settled (settle_options).
Failure add_components(const std::vector<SubmitOptions>& behind, const SubmitSurroundings& around,
                       JobSpec& spec, std::vector<std::string>& warnings);

// What is known of a job as rows of its components, where it has several; else the job.
std::vector<JobView> component_views(const JobView& view);
// Likewise of sacct: with the steps of each, and what it was given by what it asked for.
std::vector<JobRecord> component_records(std::vector<JobRecord> records);

}  // namespace cox
