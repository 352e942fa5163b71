// Parses heterogeneous jobs: their components are separated by " : " on the command line of sbatch,
// salloc and srun, and by "#SBATCH hetjob" in a script. Pure; used by client/submit/submit,
// client/submit/script, client/step/allocation and client/io/step/srun_components.
#pragma once

#include <string>
#include <vector>

#include "client/options/given_options.h"
#include "client/options/submit_options.h"
#include "client/options/submit_surroundings.h"
#include "common/messages/messages.h"
#include "common/messages/sacct_messages.h"

namespace cox {

// Returns the options of each component on the command line. In the first entry, words_read and
// double_dash are about all components together.
Result<std::vector<GivenOptions>> read_components(const std::vector<std::string>& words,
                                                  const OptionTable& table);

// Adds the sizes of the components in `behind`, which come after the first, to `spec`, the
// specification of the first. All else comes from the first component. REQUIRES: resolve_options()
// was called for each of them.
Failure add_components(const std::vector<SubmitOptions>& behind, const SubmitSurroundings& around,
                       JobSpec& spec, std::vector<std::string>& warnings);

// Splits the view of a heterogeneous job into one view for each component. Returns the view itself
// for any other job.
std::vector<JobView> component_views(const JobView& view);
// Splits sacct's record of each heterogeneous job into one record for each component, with the
// steps of that component and the resources that it requested.
std::vector<JobRecord> component_records(std::vector<JobRecord> records);

}  // namespace cox
