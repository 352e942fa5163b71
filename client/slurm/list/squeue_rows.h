// Which rows squeue shows. Pure.
#pragma once

#include <vector>

#include "client/slurm/list/squeue_request.h"
#include "common/messages/messages.h"

namespace cox {

struct StepRow : StepView {
  std::uint32_t uid = 0;  // of its job
};

// At least what the rows need.
ListJobs question_of_jobs(const SqueueRequest& request);

// Those asked for: arrays task by task or put together, partitions apart.
std::vector<JobView> rows_of(const SqueueRequest& request, std::vector<JobView> jobs);

// The steps that run and are asked for, and the scripts of batch jobs, which Slurm calls steps.
std::vector<StepRow> step_rows(const SqueueRequest& request, const std::vector<StepView>& steps,
                               const std::vector<JobView>& jobs);

}  // namespace cox
