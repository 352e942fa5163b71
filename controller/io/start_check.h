// Checks whether a controller can start with its settings: `cox-controller --check-start`. Before
// `scontrol reconfigure` the running controller starts this check as a process of its own
// (start_trial.h), so that settings that no controller can use never end the only controller. Used
// by controller/main.cpp.
#pragma once

#include <string>

#include "common/base/ids.h"
#include "common/cluster/config.h"
#include "common/io/link.h"

namespace cox {

// The endpoints at which the controller that is to be replaced listens; empty: none. They are free
// once it has ended.
struct HeldEndpoints {
  std::string local;
  std::string tcp;
};

// Returns the options with which the controller listens. Reads its key file.
Result<Listener::Options> listener_options(const ControllerConfig& config);

// Opens all that a start opens, as long as it takes: keys, endpoints, groups, programs, database
// and checkpoint folder. Returns why a start would fail, or would leave out a setting; nothing if
// it would succeed. Writes nothing but the marker of the checkpoint folder. `led`: the term of the
// leader that is to be replaced. A database with a lower one is another database than the
// cluster's, or an older copy of it.
Failure check_start(const ControllerConfig& config, const HeldEndpoints& held, Term led);

}  // namespace cox
