// The event loop around a StepSession, for srun and sattach. It sends requests to the controller,
// accepts the step's nodes, reads input, writes output and passes on signals. The session decides
// what to do about each event.
#pragma once

#include <memory>

#include "client/io/run.h"
#include "client/io/step/step_listener.h"
#include "client/step/step_session.h"

namespace cox {

// Returns a signalfd of the signals that are forwarded to tasks or that srun handles. REQUIRES: no
// thread was started yet, since all threads must inherit that these are blocked.
int open_step_signals();

// The connection to the controller, and the poller that watches it.
struct StepConnection {
  ClientConfig config;
  std::unique_ptr<Poller> poller;
  std::unique_ptr<Connection> controller;
  // Number of requests sent; never reset, so a late reply matches no other step.
  std::int64_t requests = 0;
};
Result<StepConnection> open_step_connection(int signals);

// Runs the session until the step is over. Returns the exit code.
int run_session(const StepSession::Settings& settings, StepConnection& connection,
                StepListener& listener, int signals);

}  // namespace cox
