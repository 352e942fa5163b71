// The request of `scontrol reconfigure`. client_messages.h has all other messages of clients.
#pragma once

#include "common/base/fields.h"

namespace cox {

// Makes the leader check its settings file and restart with it. If the file has a mistake, the
// request is refused and the controller keeps its settings. The reply is Acted.
struct Reconfigure {
  static constexpr int tag = 139;
  static constexpr int since_version = 2;
  COX_FIELDS();
};

}  // namespace cox
