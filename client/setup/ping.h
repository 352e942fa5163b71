// What one of the controllers that are named answers by itself, for `scontrol ping` and `cox
// doctor`.
#pragma once

#include <string>

namespace cox {

struct Ping {
  bool is_up = false;       // it has answered, though it may stand by
  std::string cluster;      // of who leads, as far as it has its database
  std::string hindrance{};  // why it could not lead; empty: it could
  std::string endpoint{};
  bool stands_by = false;
};

}  // namespace cox
