// `cox demo`: executes the demo program, which starts a private cluster with this same cox.
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "client/io/run.h"
#include "common/io/program_place.h"

namespace cox {
namespace {

constexpr const char* python = "/usr/bin/python3";

}  // namespace

int run_demo(const Command& command, const DemoOptions& options) {
  const auto demo = find_demo();
  if (!demo) return print_refusal(command, demo.refusal(), options, exit_refused);
  const auto own = find_program("cox");
  if (!own) return print_refusal(command, own.refusal(), options, exit_refused);
  const std::string folder = std::filesystem::path(*own).parent_path().string();
  const char* path = std::getenv("PATH");
  ::setenv("PATH", (folder + ":" + (path != nullptr ? path : "/usr/bin:/bin")).c_str(), 1);
  ::execl(python, python, demo->c_str(), options.keep ? "--keep" : nullptr, nullptr);
  const Refusal why{std::string("cannot run ") + python + ": " + std::strerror(errno),
                    "sudo apt-get install python3 python3-numpy python3-torch postgresql"};
  return print_refusal(command, why, options, exit_refused);
}

}  // namespace cox
