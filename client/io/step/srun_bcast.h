// srun --bcast: copies the program to every node of the job before the step begins. A separate step
// copies it, as for sbcast (client/slurm/sbcast.h). The tasks run the copy.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "client/slurm/sbcast.h"
#include "client/step/step_plan.h"
#include "common/base/result.h"

namespace cox {

// A regular file to copy. It stays open until this object is destroyed. srun reads it by its
// descriptor, because --input would take its name for a pattern ("a%tb") or for a word ("none").
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

// Returns the number of nodes of a running job.
Result<std::int64_t> nodes_of_job(const std::string& job);

// Runs a step to its end and returns its exit code.
using RunStep = std::function<Result<int>(StepPlan)>;

// Copies the program, and makes the plan's command name the copy. REQUIRES: the plan has --bcast.
Failure copy_program(StepPlan& plan, const SubmitSurroundings& around, const RunStep& run_step);

}  // namespace cox
