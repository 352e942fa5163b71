// The script and the environment that a submission brings beside its specification. Pure.
#pragma once

#include <cstdint>
#include <string>

#include "common/job/job.h"

namespace cox {

// Refers to both texts and hashes them once for all jobs of a submission.
struct Payload {
  Payload(const std::string& script_text, const std::string& environment_text, std::uint32_t uid);
  // For a job that exists already: has only the hashes of the stored texts, which are not checked
  // again.
  explicit Payload(const JobSpec& known);
  const std::string& script;
  const std::string& environment;
  std::string script_hash;
  std::string environment_hash;
};

}  // namespace cox
