// Checks the values of a snapshot, which may have been written by hand. For snapshot_text.cpp.
#pragma once

#include <string>

#include "schedule/top/snapshot.h"

namespace cox::schedule {

// Thrown while a snapshot is read; input_from() catches it.
struct Wrong {
  std::string fact;
};

// Throw Wrong if a value is not valid.
void check_request(const Request& request);
void check(const Input& input);

}  // namespace cox::schedule
