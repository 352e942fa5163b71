// `cox simulate`: becomes cox-simulate, which reads the command line itself.
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

}  // namespace cox
