#include "common/io/program_place.h"

#include <unistd.h>

#include <filesystem>

namespace cox {
namespace {

namespace fs = std::filesystem;

// Returns the folder of the executable of this process, with links resolved. Works even if an
// upgrade has replaced the file.
fs::path own_folder() {
  std::error_code error;
  return fs::read_symlink("/proc/self/exe", error).parent_path();
}

}  // namespace

Result<std::string> find_program(const std::string& name) {
  const fs::path own = own_folder();
  for (const char* place : {".", "../libexec/coxswain", "../sbin", "../bin"}) {
    const std::string path = (own / place / name).lexically_normal();
    if (::access(path.c_str(), X_OK) == 0) return path;
  }
  return Refusal{"there is no program " + name + " beside those in " + own.string(),
                 "build or install all of coxswain: on Debian, coxswain-controller and "
                 "coxswain-worker are packages of their own"};
}

std::optional<std::string> find_example() {
  const fs::path own = own_folder();
  for (const char* place : {"../share/coxswain", "../../../etc"}) {
    const std::string path = (own / place / "coxswain.toml").lexically_normal();
    if (::access(path.c_str(), R_OK) == 0) return path;
  }
  return std::nullopt;
}

Result<std::string> find_demo() {
  const fs::path own = own_folder();
  for (const char* place : {"../share/coxswain/demo", "../../../demo"}) {
    const std::string path = (own / place / "demo.py").lexically_normal();
    if (::access(path.c_str(), R_OK) == 0) return path;
  }
  return Refusal{"there is no demo beside the programs in " + own.string(),
                 "install all of coxswain: its demo is in share/coxswain/demo"};
}

}  // namespace cox
