// sstat: prints what the processes of running steps use now, as the workers on their nodes report.
// client/io/private/sample.cpp requests the reports. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "client/slurm/records/record_options.h"
#include "client/text/screen.h"
#include "common/messages/messages.h"

namespace cox {

// The processes of a step, or of a job's batch script or ranks, on all of its nodes.
struct SampledStep {
  struct Node {
    std::string name;
    std::vector<ProcessSample> processes;  // only those of this step
  };
  std::string id;  // "17.0", "17_4.batch"
  std::vector<Node> nodes;
};

// Returns the numbers of the running steps to show; -1 stands for the job's batch script or ranks.
// Refuses if none of the wanted steps runs.
Result<std::vector<std::int32_t>> steps_to_sample(const RecordSelector& wanted, const Job& job,
                                                  const std::vector<StepView>& steps,
                                                  bool all_steps);

// Returns output that needs no request: of --helpformat, of --usage, or an error in the options.
std::optional<Shown> show_sample_help(const SstatOptions& options);
Shown show_samples(const std::vector<SampledStep>& steps, const SstatOptions& options);
std::string samples_json(const std::vector<SampledStep>& steps, Wall now);

}  // namespace cox
