// One loop around a StepSession, for srun and sattach. It asks the controller, lets the step's
// nodes in, reads input, writes output and hands signals on; what to do about each is the
// session's.
#pragma once

#include <memory>

#include "client/io/run.h"
#include "client/io/step/step_door.h"
#include "client/step/step_session.h"

namespace cox {

// A descriptor of those signals that are handed on to tasks, or mean something to srun. To be
// called before any thread is made: all of them inherit that these are blocked.
int open_step_signals();

// The way to the controller, and who waits on it.
struct StepLine {
  ClientConfig config;
  std::unique_ptr<Poller> poller;
  std::unique_ptr<Connection> controller;
  std::int64_t requests = 0;  // sent so far; never reset, so no late answer matches another step
};
Result<StepLine> open_step_line(int signals);

// Until the step is over. Returns the exit code.
int run_session(const StepSession::Settings& settings, StepLine& line, StepDoor& door, int signals);

}  // namespace cox
