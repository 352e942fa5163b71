// The output files of an attempt on this node, and the user they belong to. The worker takes both
// from what the controller ordered, never from a client that asks for a log. Pure.
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
  JobSpec spec;       // with the user and the patterns of the file names
  OutputPlace place;  // of the node's first rank
  std::int32_t ranks = 0;
};

// From what was launched here.
AttemptOutput output_of(const LaunchSpec& launch);
// From what the controller says of the job. None: the attempt has no part on the node.
std::optional<AttemptOutput> output_of(const JobDetail& job, AttemptNumber attempt,
                                       const std::string& node);

// None: the rank is not on this node.
std::optional<std::string> output_path(const AttemptOutput& output, std::int32_t rank,
                                       bool error_stream);

}  // namespace cox
