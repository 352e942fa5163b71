// The answer of a single configured controller, for `scontrol ping` and `cox doctor`.
#pragma once

#include <string>

namespace cox {

struct Ping {
  bool is_up = false;  // the controller has answered; it may be a standby
  // name of the cluster; empty for a standby, or while the database is away
  std::string cluster;
  std::string hindrance{};  // why this standby could not become the leader now; empty: it could
  std::string endpoint{};
  bool is_standby = false;
};

}  // namespace cox
