// cox: one client program with many names. Finds the command by the name of the program, or by its
// first word, and runs it with client/io/run.
#include <fcntl.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "client/command.h"
#include "client/io/run.h"
#include "client/io/screen_output.h"
#include "client/show/show_words.h"
#include "client/slurm/names.h"
#include "common/io/log.h"

namespace {

using namespace cox;

int run_own(std::vector<std::string> words) {
  const auto& commands = own_commands();
  const auto given = words;
  Options leading;
  take_leading_options(words, leading);
  if (words.empty() || words[0] == "--help" || words[0] == "-h" || words[0] == "help")
    return print({overview_text(command_groups(), slurm_commands()), "",
                  given.empty() ? exit_usage : exit_ok});
  if (words[0] == "--version" || words[0] == "version")
    return print({version_text(commands.front()), "", exit_ok});
  const bool asks_for_help = words.size() > 1 && (words[1] == "--help" || words[1] == "-h");
  if (const std::string group = group_text(commands, words[0]); asks_for_help && !group.empty())
    return print({group, "", exit_ok});
  const auto found = find_command(commands, words);
  if (!found) return print({"", refusal_text(found.refusal()), exit_usage});
  // `cox --json queue` is the same as `cox queue --json`.
  std::vector<std::string> rest(given.begin(), given.end() - std::ssize(words));
  rest.insert(rest.end(), words.begin() + static_cast<std::ptrdiff_t>(found->words), words.end());
  return run_command(*found->command, rest);
}

int run_slurm(const Command& command, const std::vector<std::string>& words) {
  if (!words.empty() && (words[0] == "--version" || words[0] == "-V"))
    return print({version_text(command), "", exit_ok});
  return run_command(command, words);
}

// Opens /dev/null for each closed standard stream, so that no file opened later gets its number.
void fill_standard_streams() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(fd, F_GETFD) < 0) ::open("/dev/null", fd == STDIN_FILENO ? O_RDONLY : O_WRONLY);
}

}  // namespace

int main(int argc, char** argv) {
  fill_standard_streams();
  open_log("cox", "", {LogLevel::Warning, LogFormat::Text});
  std::string called = argc > 0 ? argv[0] : "cox";
  called = called.substr(called.find_last_of('/') + 1);
  const std::vector<std::string> words(argv + (argc > 0 ? 1 : 0), argv + argc);
  if (const auto shown = answer_as_daemon(called, words)) return print(*shown);
  for (const auto& command : slurm_commands())
    if (command.name == called) return run_slurm(command, words);
  return run_own(words);
}
