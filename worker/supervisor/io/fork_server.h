// How a supervisor begins without exec, which takes the machine several times as long as a fork:
// one cox-supervisor waits beside the worker and forks the supervisor of each attempt it is sent.
// It keeps nothing and ends with its worker; the supervisors it has made live on.
#pragma once

#include <optional>
#include <string>

#include "common/base/time.h"
#include "worker/supervisor/io/files/descriptor.h"

namespace cox {

// What a supervisor begins with.
struct Beginning {
  std::string folder;
  Descriptor lock;    // of the folder
  Descriptor worker;  // the connection to its worker
};

// The worker's side. False: nobody is there to take it, or it does not keep up.
bool send_beginning(int server, const std::string& folder, int lock, int worker);

// Waits until the server has begun to serve. False: it has ended, or was not there in time.
bool is_server_ready(int server, Milliseconds patience);

// The server's side. Returns in each child, with what it is to supervise; in the server itself when
// the worker has gone, with nothing.
std::optional<Beginning> serve_forks(Descriptor worker);

}  // namespace cox
