// Writes the output of a command to stdout and stderr, and finds out the properties of the
// terminal.
#pragma once

#include "client/text/screen.h"

namespace cox {

// Returns the width, colour and other properties of output to this descriptor.
Screen screen_now(int fd);

// Writes the texts. Returns the exit code in `shown`, but exit_refused instead of exit_ok if the
// text for stdout could not be written. Then it also prints the error to stderr, unless the reader
// of a pipe has closed it, as in `cox queue | head`.
int print(const Shown& shown);

}  // namespace cox
