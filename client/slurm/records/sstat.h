// sstat: what the processes of running steps take now, as the workers of their nodes have told it.
// Who is asked is in client/io/private/sample.cpp. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "client/slurm/records/record_options.h"
#include "client/text/screen.h"
#include "common/messages/messages.h"

namespace cox {

// A step, or what the job itself runs, on all of its nodes.
struct SampledStep {
  struct Node {
    std::string name;
    std::vector<ProcessSample> processes;  // of this step alone
  };
  std::string id;  // "17.0", "17_4.batch"
  std::vector<Node> nodes;
};

// Of a job's steps those that are asked for, by their numbers; -1: its batch script. A refusal:
// there are none.
Result<std::vector<std::int32_t>> steps_to_sample(const RecordWanted& wanted, const Job& job,
                                                  const std::vector<StepView>& steps,
                                                  bool all_steps);

// What it tells without asking anybody.
std::optional<Shown> show_sample_help(const RecordOptions& options);
Shown show_samples(const std::vector<SampledStep>& steps, const RecordOptions& options);
std::string samples_json(const std::vector<SampledStep>& steps, Wall now);

}  // namespace cox
