#include "client/io/step/srun_programs.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "client/io/private/run_program.h"
#include "client/io/run.h"
#include "client/io/screen_output.h"
#include "common/base/text.h"

namespace cox {
namespace {

// Prints in Slurm's wording why the program cannot be run.
void print_denied(const std::string& path, int error) {
  print(Shown{"", "srun: Access denied for " + printable(path) + ": " + std::strerror(error) + "\n",
              exit_ok});
}

}  // namespace

void run_srun_program(const std::string& path, const std::vector<std::string>& command,
                      const std::vector<std::string>& environment, const std::string& context) {
  if (path.empty() || path == "none") return;
  if (::access(path.c_str(), X_OK) != 0) return print_denied(path, errno);
  std::vector<std::string> words{path};
  words.insert(words.end(), command.begin(), command.end());
  std::vector<std::string> variables = environment;
  variables.push_back("SLURM_SCRIPT_CONTEXT=" + context);
  const ProgramEnd end = run_program(path, std::move(words), std::move(variables));
  if (end.error != 0) print_denied(path, end.error);
}

}  // namespace cox
