// Selects the rows that squeue shows. Pure.
#pragma once

#include <vector>

#include "client/slurm/list/squeue_request.h"
#include "common/messages/messages.h"

namespace cox {

struct StepRow : StepView {
  std::uint32_t uid = 0;  // of its job
};

// Returns a request for the jobs. The reply may have more jobs than those to show; rows_of()
// selects.
ListJobs question_of_jobs(const SqueueRequest& request);

// Returns the rows to show. Depending on the options, an array has one row or one for each task,
// and a pending job one row or one for each of its partitions.
std::vector<JobView> rows_of(const SqueueRequest& request, std::vector<JobView> jobs);

// Returns the running steps to show. As in Slurm, a running batch script is a step, too.
std::vector<StepRow> step_rows(const SqueueRequest& request, const std::vector<StepView>& steps,
                               const std::vector<JobView>& jobs);

}  // namespace cox
