// cox-manual FOLDER DAEMON...: writes the man pages and completions into FOLDER, laid out as below
// PREFIX/share. A daemon's page is made from the text of its --help. Runs when Coxswain is built.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include "client/manual/completion.h"
#include "client/manual/roff.h"

namespace {

namespace fs = std::filesystem;
using namespace cox;

bool write(const fs::path& path, const std::string& text) {
  fs::create_directories(path.parent_path());
  std::ofstream file(path, std::ios::trunc);
  file << text;
  file.close();
  if (!file) std::fprintf(stderr, "cox-manual: cannot write %s\n", path.c_str());
  return static_cast<bool>(file);
}

// Returns the text of the program's --help. Empty: the program failed.
std::string help_of(const std::string& program) {
  std::string text;
  FILE* pipe = ::popen(("'" + program + "' --help").c_str(), "r");
  if (pipe == nullptr) return text;
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) text += static_cast<char>(c);
  return ::pclose(pipe) == 0 ? text : "";
}

bool write_daemon_page(const fs::path& folder, const std::string& program) {
  const std::string help = help_of(program);
  if (help.empty()) std::fprintf(stderr, "cox-manual: %s --help fails\n", program.c_str());
  const auto manual = manual_of_help(fs::path(program).filename(), help);
  return !help.empty() && write(folder / "man/man8" / page_file(manual, 8), page_text(manual, 8));
}

}  // namespace

int main(int count, char** words) {
  if (count < 2) {
    std::fprintf(stderr, "usage: cox-manual FOLDER DAEMON...\n");
    return 2;
  }
  const fs::path folder = words[1];
  const auto commands = all_manuals();
  bool well = true;
  for (const auto& each : commands)
    well &= write(folder / "man/man1" / page_file(each, 1), page_text(each, 1));
  well &= write(folder / "man/man1/cox.1", overview_page(commands));
  well &= write(folder / "bash-completion/completions/cox", bash_completion(commands));
  well &= write(folder / "zsh/vendor-completions/_cox", zsh_completion(commands));
  well &= write(folder / "fish/vendor_completions.d/cox.fish", fish_completion(commands));
  for (int k = 2; k < count; ++k) well &= write_daemon_page(folder, words[k]);
  return well ? 0 : 1;
}
