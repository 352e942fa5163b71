// Calibrators of processes and messages: measure how long this machine needs to start a program, to
// run a script, and to send a message there and back, without Coxswain. main.cpp calls them.
#pragma once

#include <string>

namespace cox::bench {

// Measures a static no-op program, started and awaited `count` times, one after the other.
void calibrate_spawn(const std::string& program, int count);
// Measures `batch` copies of the no-op program, started together, until all have ended.
void calibrate_spawn_together(const std::string& program, int batch, int repeats);
// Measures a script file that sh runs with two output files, two at a time.
void calibrate_scripts(const std::string& folder, int count);
// Measures a message there and back between two threads over a Unix socket.
void calibrate_round_trips(const std::string& folder, int count);

}  // namespace cox::bench
