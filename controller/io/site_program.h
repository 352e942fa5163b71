// Starts the programs that an administrator names under [controller] in coxswain.toml, such as
// mail_program, notify_program and fence_program. Each runs without a shell, in a session of its
// own, with a PATH of the system's folders. Used by the runners of this folder.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace cox {

// Starts the program `arguments[0]` with all of `arguments`. `input`, `output` and `errors` are
// descriptors for its standard input, output and error; -1 means /dev/null. Without `errors`, its
// standard error goes to `output`. Returns the process id, which is also the process group; -1,
// with errno, if the program cannot be started.
pid_t start_site_program(const std::vector<std::string>& arguments,
                         const std::vector<std::string>& environment, int input, int output,
                         std::optional<int> errors = {});

// Returns a descriptor of an unnamed file that holds the text, positioned at its beginning for a
// program to read; -1, with errno, if there is no space.
int unnamed_file_of(const std::string& text);

// Reads what the program has written to a pipe (O_NONBLOCK) so far. `written` keeps the first
// bytes_max bytes; the rest is read and dropped, so that the program never blocks.
void read_site_output(int pipe, std::string& written, std::size_t bytes_max);
// Returns how a process with this status of waitpid() ended: "exit code 3".
std::string site_end_text(int wait_status);

}  // namespace cox
