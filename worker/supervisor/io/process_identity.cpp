#include "worker/supervisor/io/process_identity.h"

#include <dirent.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <set>
#include <string_view>

#include "common/io/clock.h"
#include "common/limits.h"
#include "worker/supervisor/io/files.h"

namespace cox {

namespace {

constexpr std::size_t stat_bytes_max = 16384;
constexpr std::size_t environ_bytes_max = 2 * limits::environment_bytes_max;

std::optional<ProcessLine> read_process(pid_t pid) {
  const auto text = read_file("/proc/" + std::to_string(pid) + "/stat", stat_bytes_max);
  if (!text) return std::nullopt;
  // The name in parentheses may hold anything, so count from the last one.
  const std::size_t name_end = text->rfind(')');
  if (name_end == std::string::npos) return std::nullopt;
  ProcessLine line;
  line.pid = pid;
  long long start = 0;
  const int got = std::sscanf(text->c_str() + name_end + 1,
                              " %c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d "
                              "%*d %*d %lld",
                              &line.state, &line.parent, &start);
  if (got != 3) return std::nullopt;
  line.start_ticks = start;
  return line;
}

std::vector<pid_t> all_pids() {
  std::vector<pid_t> pids;
  DIR* folder = ::opendir("/proc");
  if (folder == nullptr) return pids;
  while (const dirent* entry = ::readdir(folder)) {
    const int pid = std::atoi(entry->d_name);
    if (pid > 0) pids.push_back(pid);
  }
  ::closedir(folder);
  return pids;
}

bool has_entry(std::string_view block, std::string_view entry) {
  for (std::size_t at = block.find(entry); at != std::string_view::npos;
       at = block.find(entry, at + 1)) {
    const std::size_t end = at + entry.size();
    const bool begins = at == 0 || block[at - 1] == '\0';
    if (begins && (end == block.size() || block[end] == '\0')) return true;
  }
  return false;
}

bool is_living(const ProcessLine& process) {
  return process.state != 'Z' && process.state != 'X';
}

}  // namespace

std::vector<ProcessLine> list_processes() {
  std::vector<ProcessLine> lines;
  for (const pid_t pid : all_pids()) {
    if (const auto line = read_process(pid)) lines.push_back(*line);
  }
  return lines;
}

std::string own_identity() {
  const auto line = read_process(::getpid());
  return boot_id() + "\n" + std::to_string(::getpid()) + "\n" +
         std::to_string(line ? line->start_ticks : 0) + "\n";
}

std::vector<pid_t> living_descendants(pid_t root, const std::vector<pid_t>& spared) {
  const std::vector<ProcessLine> processes = list_processes();
  std::set<pid_t> family = {root};
  std::vector<pid_t> living;
  // A child may be listed before its parent: go round until nobody new is found.
  for (bool grew = true; grew;) {
    grew = false;
    for (const ProcessLine& process : processes) {
      const bool is_spared = std::find(spared.begin(), spared.end(), process.pid) != spared.end();
      if (is_spared || !family.contains(process.parent)) continue;
      if (!family.insert(process.pid).second) continue;
      grew = true;
      if (is_living(process)) living.push_back(process.pid);
    }
  }
  return living;
}

std::vector<pid_t> living_marked(const std::string& entry) {
  std::vector<pid_t> marked;
  for (const pid_t pid : all_pids()) {
    const auto block = read_file("/proc/" + std::to_string(pid) + "/environ", environ_bytes_max);
    if (!block || pid == ::getpid() || !has_entry(*block, entry)) continue;
    const auto line = read_process(pid);
    if (line && is_living(*line)) marked.push_back(pid);
  }
  return marked;
}

}  // namespace cox
