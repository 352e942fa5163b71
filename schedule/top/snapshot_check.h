// Whether what a snapshot says can be planned with: it may have been written by hand. For
// snapshot_text.cpp.
#pragma once

#include <string>

#include "schedule/top/snapshot.h"

namespace cox::schedule {

// Thrown while a snapshot is read, and caught where that began.
struct Wrong {
  std::string fact;
};

// These throw Wrong.
void check_request(const Request& request);
void check(const Input& input);

}  // namespace cox::schedule
