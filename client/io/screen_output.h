// Writes what a command shows to standard output and standard error, and finds out about the
// terminal there.
#pragma once

#include "client/text/screen.h"

namespace cox {

Screen screen_now(int fd);  // for what is written to this descriptor

// Returns the exit code: exit_refused instead of exit_ok if the text could not be written.
int print(const Shown& shown);

}  // namespace cox
