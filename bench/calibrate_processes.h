// Calibrators of processes and messages: what this machine takes to start a program, to run a
// script, and to carry a message to and fro, with nothing of ours around it.
#pragma once

#include <string>

namespace cox::bench {

// A static no-op, started and awaited, one after the other.
void calibrate_spawn(const std::string& program, int count);
// `batch` of them started together, until all have been awaited.
void calibrate_spawn_together(const std::string& program, int batch, int repeats);
// A script file run with sh and two output files, two in parallel.
void calibrate_scripts(const std::string& folder, int count);
// One message each way between two threads over a Unix socket.
void calibrate_round_trips(const std::string& folder, int count);

}  // namespace cox::bench
