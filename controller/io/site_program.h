// Starts programs of the administrator's, which [controller] of coxswain.toml names, such as
// mail_program, notify_program and fence_program.
// Without a shell, in a session of their own, with a PATH of the system's folders.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace cox {

// `words`: the program and its arguments. `input`: its standard input; -1: nothing. `output`: where
// its standard output goes; -1: nowhere. `errors`: the same for its standard error; if absent,
// errors go to `output`. Returns the process id, which is also the process group; -1, with errno,
// if the program cannot be started.
pid_t start_site_program(const std::vector<std::string>& words,
                         const std::vector<std::string>& environment, int input, int output,
                         std::optional<int> errors = {});

// Returns an unnamed file with the text, positioned at its beginning for a program to read; -1,
// with errno, if there is no space.
int unnamed_file_of(const std::string& text);

// Reads what the program has written to a pipe (O_NONBLOCK) and keeps the first bytes_max bytes. A
// program that writes more is not held up, and holds nobody up.
void read_site_output(int pipe, std::string& written, std::size_t bytes_max);
// Returns how it ended: "exit code 3".
std::string site_end_text(int wait_status);

}  // namespace cox
