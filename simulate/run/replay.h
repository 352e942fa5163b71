// `cox replay`: makes the decision of a snapshot again and explains it. Pure.
#pragma once

#include <optional>
#include <string>

#include "common/base/ids.h"
#include "common/base/result.h"
#include "schedule/top/snapshot.h"

namespace cox::simulate {

struct Replayed {
  schedule::Input input;
  schedule::Plan plan;  // the decision made again; `job` is explained in full
  std::optional<JobId> job;
};

// Refused if the text is no snapshot, or if no such job is pending in it.
Result<Replayed> replay(const std::string& text, std::optional<JobId> job);

std::string text_of(const Replayed& replayed);
std::string json_of(const Replayed& replayed);

}  // namespace cox::simulate
