// The output files of an attempt on this node, and the user they belong to. The worker takes both
// from the controller's launch order or job record, never from a client's request. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "common/job/attempt.h"
#include "common/job/job.h"
#include "common/job/output_path.h"
#include "common/messages/client_messages.h"

namespace cox {

struct AttemptOutput {
  JobSpec spec;       // has the user, and the patterns of the files' names
  OutputPlace place;  // values for the patterns, for the node's first rank
  std::int32_t ranks = 0;
};

// Returns the output files of an attempt that was launched on this node.
AttemptOutput output_of(const LaunchSpec& launch);
// Returns the output files of an attempt on `node` from the controller's record of the job. None:
// the attempt does not use the node.
std::optional<AttemptOutput> output_of(const JobDetail& job, AttemptNumber attempt,
                                       const std::string& node);

// Returns the path of a rank's output file. None: the rank is not on this node.
std::optional<std::string> output_path(const AttemptOutput& output, std::int32_t rank,
                                       bool error_stream);

}  // namespace cox
