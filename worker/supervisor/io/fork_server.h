// Starts supervisors by fork without exec, because an exec takes several times as long as a fork.
// One cox-supervisor, the fork server, runs beside the worker and forks the supervisor of each
// attempt. It keeps no state and ends with its worker; the supervisors live on.
#pragma once

#include <optional>
#include <string>

#include "common/base/time.h"
#include "worker/supervisor/io/files/descriptor.h"

namespace cox {

// The input of a new supervisor: its folder, the lock on it, and a connection to the worker.
struct Beginning {
  std::string folder;
  Descriptor lock;    // the folder's lock
  Descriptor worker;  // the new supervisor's connection to its worker
};

// Called by the worker: asks the fork server for a supervisor. False: the server has ended, or is
// overloaded.
bool send_beginning(int server, const std::string& folder, int lock, int worker);

// Called by the worker: waits until the fork server accepts orders. False: it has ended, or was not
// ready within `patience`.
bool is_server_ready(int server, Milliseconds patience);

// Called by the fork server: serves the worker until the worker ends, then returns none. In each
// forked child it returns the child's input.
std::optional<Beginning> serve_forks(Descriptor worker);

}  // namespace cox
