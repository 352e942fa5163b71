// `cox simulate` and `cox replay`: execute cox-simulate, which parses its own command line.
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "client/io/run.h"
#include "common/io/program_place.h"

namespace cox {

int run_simulate(const Command& command, const std::vector<std::string>& words) {
  const auto program = find_program("cox-simulate");
  if (!program) return print_refusal(command, program.refusal(), {}, exit_refused);
  std::vector<char*> arguments{const_cast<char*>(program->c_str())};
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  ::execv(program->c_str(), arguments.data());
  const Refusal why{"cannot run " + *program + ": " + std::strerror(errno), ""};
  return print_refusal(command, why, {}, exit_refused);
}

int run_replay(const Command& command, const ReplayOptions& options) {
  std::vector<std::string> words{"replay", options.file};
  if (options.job > 0) {
    words.push_back("--job");
    words.push_back(std::to_string(options.job));
  }
  if (options.json) words.push_back("--json");
  return run_simulate(command, words);
}

}  // namespace cox
