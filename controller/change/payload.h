// The script and the environment that a submission brings beside its specification. Pure.
#pragma once

#include <cstdint>
#include <string>

#include "common/job/job.h"

namespace cox {

// What a submission brings beside the specification; hashed once for all its jobs.
struct Payload {
  Payload(const std::string& script_text, const std::string& environment_text, std::uint32_t uid);
  // Of a job that is there: they are stored, and nothing of them is judged again.
  explicit Payload(const JobSpec& known);
  const std::string& script;
  const std::string& environment;
  std::string script_hash;
  std::string environment_hash;
};

}  // namespace cox
