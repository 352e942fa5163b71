#include "worker/supervisor/io/process_identity.h"

#include <dirent.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <sstream>

#include "common/base/limits.h"
#include "common/io/clock.h"
#include "common/job/supervisor_folder.h"
#include "worker/supervisor/io/files/files.h"

namespace cox {

namespace {

constexpr std::size_t stat_bytes_max = 16384;
constexpr std::size_t children_bytes_max = 8u << 20;
constexpr std::size_t environ_bytes_max = 2 * limits::environment_bytes_max;

// Returns whether a file of /proc could not be read because this process lacks descriptors or
// memory. False: the other process has ended, or belongs to another user.
bool is_shortage(int error) {
  return error == EMFILE || error == ENFILE || error == ENOMEM;
}

// Returns all pids. None: /proc could not be read.
std::optional<std::vector<pid_t>> all_pids() {
  DIR* folder = ::opendir("/proc");
  if (folder == nullptr) return std::nullopt;
  std::vector<pid_t> pids;
  errno = 0;
  while (const dirent* entry = ::readdir(folder)) {
    const int pid = std::atoi(entry->d_name);
    if (pid > 0) pids.push_back(pid);
  }
  const int error = errno;
  ::closedir(folder);
  if (error != 0) return std::nullopt;
  return pids;
}

std::optional<std::string> read_environment(pid_t pid) {
  return read_file("/proc/" + std::to_string(pid) + "/environ", environ_bytes_max);
}

}  // namespace

std::optional<ProcessLine> read_process(pid_t pid) {
  const auto text = read_file("/proc/" + std::to_string(pid) + "/stat", stat_bytes_max);
  if (!text) return std::nullopt;
  const auto stat = parse_process_stat(*text);
  if (!stat) return std::nullopt;
  return ProcessLine{pid, *stat};
}

std::optional<std::vector<ProcessLine>> list_processes() {
  const auto pids = all_pids();
  if (!pids) return std::nullopt;
  std::vector<ProcessLine> lines;
  for (const pid_t pid : *pids) {
    errno = 0;
    if (const auto line = read_process(pid)) {
      lines.push_back(*line);
    } else if (is_shortage(errno)) {
      return std::nullopt;
    }
  }
  return lines;
}

std::optional<Environment> environment_of(pid_t pid) {
  errno = 0;
  if (auto block = read_environment(pid)) return Environment{false, *std::move(block)};
  if (is_shortage(errno)) return std::nullopt;
  return Environment{errno != ENOENT && errno != ESRCH, ""};
}

std::vector<pid_t> processes_above(pid_t pid, const std::vector<ProcessLine>& all) {
  std::vector<pid_t> above;
  for (auto at = std::ranges::find(all, pid, &ProcessLine::pid); at != all.end();
       at = std::ranges::find(all, above.back(), &ProcessLine::pid)) {
    if (std::ranges::find(above, at->stat.parent) != above.end()) break;
    above.push_back(at->stat.parent);
  }
  return above;
}

bool write_identity(int file) {
  const auto line = read_process(::getpid());
  std::string text = boot_id() + "\n" + std::to_string(::getpid()) + "\n" +
                     std::to_string(line ? line->stat.start_ticks : 0) + "\n";
  const auto all = list_processes().value_or(std::vector<ProcessLine>{});
  for (const pid_t above : processes_above(::getpid(), all)) text += std::to_string(above) + " ";
  return ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

std::optional<Identity> read_identity(const std::string& folder) {
  const auto text = read_file(folder + "/" + supervisor_folder::identity_file, stat_bytes_max);
  std::istringstream lines(text.value_or(""));
  Identity identity;
  if (!(lines >> identity.boot_id >> identity.pid >> identity.start_ticks)) return std::nullopt;
  for (pid_t above = 0; lines >> above;) identity.above.push_back(above);
  return identity;
}

bool ended_without_fault(const std::string& folder) {
  if (::access((folder + "/" + supervisor_folder::ended_file).c_str(), F_OK) == 0) return true;
  const auto identity = read_identity(folder);
  return identity && identity->boot_id != boot_id();
}

std::optional<std::vector<pid_t>> living_descendants(pid_t root, const std::vector<pid_t>& spared) {
  const auto processes = list_processes();
  if (!processes) return std::nullopt;
  std::set<pid_t> family = {root};
  std::vector<pid_t> living;
  // A child may be listed before its parent, so the list is searched until no new descendant is
  // found.
  for (bool grew = true; grew;) {
    grew = false;
    for (const ProcessLine& process : *processes) {
      const bool is_spared = std::find(spared.begin(), spared.end(), process.pid) != spared.end();
      if (is_spared || !family.contains(process.stat.parent)) continue;
      if (!family.insert(process.pid).second) continue;
      grew = true;
      if (process.stat.is_living()) living.push_back(process.pid);
    }
  }
  return living;
}

std::optional<std::vector<pid_t>> living_where(const ProcessTest& is_wanted) {
  const auto pids = all_pids();
  if (!pids) return std::nullopt;
  std::vector<pid_t> wanted;
  for (const pid_t pid : *pids) {
    if (pid == ::getpid()) continue;
    const auto environment = environment_of(pid);
    if (!environment) return std::nullopt;
    if (!is_wanted(pid, environment->block)) continue;
    errno = 0;
    const auto line = read_process(pid);
    if (!line && is_shortage(errno)) return std::nullopt;
    if (line && line->stat.is_living()) wanted.push_back(pid);
  }
  return wanted;
}

std::optional<std::vector<pid_t>> living_marked(const std::string& entry,
                                                const std::string& other_entry) {
  return living_where([&](pid_t, const std::string& block) {
    return has_entry(block, entry) && (other_entry.empty() || has_entry(block, other_entry));
  });
}

bool may_have_marked_child(pid_t parent, const std::string& entry) {
  const std::string pid = std::to_string(parent);
  const auto list = read_file("/proc/" + pid + "/task/" + pid + "/children", children_bytes_max);
  if (!list) return true;
  std::istringstream children(*list);
  for (pid_t child = 0; children >> child;) {
    const auto block = read_environment(child);
    if (block && has_entry(*block, entry)) return true;
  }
  return false;
}

}  // namespace cox
