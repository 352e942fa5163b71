// srun --bcast: the program is copied to every node of the job before the step begins, by a step of
// its own as sbcast makes it (client/slurm/sbcast.h), and the tasks run the copy.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "client/slurm/sbcast.h"
#include "client/step_plan.h"
#include "common/result.h"

namespace cox {

// A regular file to copy. It is open until this object goes: srun reads it by its descriptor, since
// --input would take its name for a pattern ("a%tb"), or for a word ("none").
class OpenSource {
 public:
  static Result<OpenSource> open(const std::string& path);
  OpenSource(OpenSource&& other) noexcept;
  OpenSource& operator=(OpenSource&&) = delete;
  ~OpenSource();
  const BroadcastSource& facts() const { return facts_; }

 private:
  explicit OpenSource(int file) : file_(file) {}

  int file_ = -1;
  BroadcastSource facts_;
};

// How many nodes the job has, while it runs.
Result<std::int64_t> nodes_of_job(const std::string& job);

// Runs a step to its end; its exit code.
using RunStep = std::function<Result<int>(StepPlan)>;

// REQUIRES: the plan asks for --bcast. Then its command names the copy.
Failure copy_program(StepPlan& plan, const SubmitSurroundings& around, const RunStep& run_step);

}  // namespace cox
