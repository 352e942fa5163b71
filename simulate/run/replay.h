// `cox replay`: the very decision that a snapshot was taken before, made again and explained. Pure.
#pragma once

#include <optional>
#include <string>

#include "common/base/ids.h"
#include "common/base/result.h"
#include "schedule/top/snapshot.h"

namespace cox::simulate {

struct Replayed {
  schedule::Input input;
  schedule::Plan plan;  // of `job`, everything is told
  std::optional<JobId> job;
};

// Refused when the text is no snapshot, or no such job waits in it.
Result<Replayed> replay(const std::string& text, std::optional<JobId> job);

std::string text_of(const Replayed& replayed);
std::string json_of(const Replayed& replayed);

}  // namespace cox::simulate
