#include "worker/io/strays.h"

#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "common/base/process_text.h"
#include "common/base/text.h"
#include "common/io/clock.h"
#include "common/io/log.h"
#include "common/job/supervisor_folder.h"
#include "worker/supervisor/io/containment.h"
#include "worker/supervisor/io/files/files.h"

namespace cox {
namespace {

namespace fs = std::filesystem;

// One scan may miss a process, whose environment is unreadable during an exec.
constexpr int scans_required = 2;
constexpr int look_again_ms = 10;
constexpr Milliseconds strays_patience{30'000};
constexpr std::string_view removed_suffix = " (deleted)";  // of the kernel, in /proc/PID/fd

// Returns the attempt of a path as <folder>/<job>.<attempt>/<file>; none: it is another path.
std::optional<AttemptKey> attempt_of(std::string_view path, std::string_view folder,
                                     std::string_view file) {
  const std::string end = "/" + std::string(file);
  if (!path.starts_with(std::string(folder) + "/") || !path.ends_with(end)) return std::nullopt;
  path.remove_suffix(end.size());
  path.remove_prefix(std::min(path.size(), folder.size() + 1));
  return parse_attempt_folder(path);
}

struct OpenFile {
  std::string descriptor;  // in /proc; it leads to the file also if that was removed
  std::string path;        // by the kernel, with " (deleted)" if it was removed
};

// Returns the files that the process has open. None: they could not be listed.
std::optional<std::vector<OpenFile>> open_files(pid_t pid) {
  const std::string folder = "/proc/" + std::to_string(pid) + "/fd";
  std::vector<OpenFile> files;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code closed;  // since it was listed
    files.push_back({entry->path().string(), fs::read_symlink(entry->path(), closed).string()});
  }
  const bool has_ended =
      error == std::errc::no_such_file_or_directory || error == std::errc::no_such_process;
  if (error && !has_ended) return std::nullopt;
  return files;
}

}  // namespace

std::optional<AttemptKey> parse_attempt_folder(std::string_view name) {
  long long job = 0;
  int attempt = 0;
  int end = 0;
  const std::string text(name);
  if (std::sscanf(text.c_str(), "%lld.%d%n", &job, &attempt, &end) != 2) return std::nullopt;
  if (static_cast<std::size_t>(end) != text.size()) return std::nullopt;
  return AttemptKey{JobId(job), AttemptNumber(attempt)};
}

std::string attempt_folder(const std::string& spool_dir, AttemptKey key) {
  return spool_dir + "/" + std::to_string(key.job.value) + "." + std::to_string(key.attempt.value);
}

Result<std::set<AttemptKey>> attempts_with_folders(const std::string& spool_dir) {
  std::set<AttemptKey> keys;
  std::error_code error;
  for (fs::directory_iterator entry(spool_dir, error), end; !error && entry != end;
       entry.increment(error))
    if (const auto key = parse_attempt_folder(entry->path().filename().string())) keys.insert(*key);
  if (error) return io_refusal(spool_dir, "list", error.value());
  return keys;
}

std::optional<AttemptKey> Strays::attempt_at(std::string_view path, std::string_view file) const {
  for (const std::string& folder : paths_)
    if (const auto key = attempt_of(path, folder, file)) return key;
  return std::nullopt;
}

// Supervisors share the environment of their fork server, so the lock that each holds shows which
// attempt it has. The path of a folder that was moved away is not below the spool folder any more.
bool Strays::is_stray_supervisor(pid_t pid, const std::set<AttemptKey>& known) {
  const auto files = open_files(pid);
  if (!files) unsure_ = true;
  bool has_lock = false;
  const std::string lock = std::string("/") + supervisor_folder::identity_file;
  for (const auto& [descriptor, path] : files.value_or(std::vector<OpenFile>{})) {
    const auto key = attempt_at(path, supervisor_folder::identity_file);
    if (key && known.contains(*key)) return false;
    has_lock = has_lock || path.ends_with(lock) || path.ends_with(lock + removed_suffix.data());
  }
  return has_lock;
}

bool Strays::is_stray_rank(const std::string& environment,
                           const std::set<AttemptKey>& known) const {
  const auto socket = entry_value(environment, supervisor_folder::variable_socket);
  const auto key =
      socket ? attempt_at(*socket, supervisor_folder::socket_file) : std::optional<AttemptKey>();
  return key && !known.contains(*key);
}

// Sends SIGKILL to all processes for which the test is true. Returns whether there were none.
bool Strays::kill_where(const ProcessTest& is_stray) {
  const auto found = living_where(is_stray);
  for (const pid_t pid : found.value_or(std::vector<pid_t>{})) {
    found_.insert("pid " + std::to_string(pid));
    ::kill(pid, SIGKILL);
  }
  return found && found->empty();
}

std::vector<std::string> Strays::stray_cgroups(const std::set<AttemptKey>& known) {
  std::vector<std::string> strays;
  const auto all = attempt_cgroups();
  if (!all) unsure_ = true;
  for (const std::string& cgroup : all.value_or(std::vector<std::string>{})) {
    for (const std::string& path : paths_) {
      const auto key = attempt_of_cgroup(cgroup, path);
      if (key && !known.contains(*key)) strays.push_back(cgroup);
    }
  }
  return strays;
}

bool Strays::kill_cgroups(const std::set<AttemptKey>& known) {
  bool all_empty = true;
  for (const std::string& cgroup : stray_cgroups(known)) {
    if (kill_cgroup(cgroup)) {
      ::rmdir(cgroup.c_str());
      continue;
    }
    found_.insert("cgroup " + cgroup);
    all_empty = false;
  }
  return all_empty;
}

// Ends the supervisors first: they would start ranks, or report these as ended by themselves.
bool Strays::end(const std::set<AttemptKey>& known) {
  unsure_ = false;
  bool is_clean = kill_where([&](pid_t pid, const std::string& environment) {
    const auto spool = entry_value(environment, supervisor_folder::variable_spool);
    return spool && std::ranges::find(paths_, *spool) != paths_.end() &&
           is_stray_supervisor(pid, known);
  });
  if (is_clean) {
    const bool all_empty = kill_cgroups(known);
    is_clean = kill_where(
        [&](pid_t, const std::string& environment) { return is_stray_rank(environment, known); });
    is_clean = is_clean && all_empty && !unsure_;
  }
  clean_in_a_row_ = is_clean ? clean_in_a_row_ + 1 : 0;
  return clean_in_a_row_ >= scans_required;
}

Failure Strays::end_all(const std::set<AttemptKey>& known) {
  const Boot last = read_clock().boot + strays_patience;
  bool is_over = end(known);
  while (!is_over && read_clock().boot < last) {
    ::poll(nullptr, 0, look_again_ms);
    is_over = end(known);
  }
  const std::string found = joined({found_.begin(), found_.end()}, ", ");
  if (!is_over)
    return Refusal{"processes of attempts without a folder in " + paths_.front() +
                       " run on, or /proc cannot be read; found: " + found,
                   "end them, or reboot the node: their jobs must not start elsewhere before"};
  if (!found.empty())
    log_warning("ended processes of attempts whose folders are gone from " + paths_.front() + ": " +
                found);
  return std::nullopt;
}

namespace {

bool is_own_process(pid_t pid) {
  struct stat status {};
  return ::stat(("/proc/" + std::to_string(pid)).c_str(), &status) == 0 &&
         status.st_uid == ::geteuid();
}

// Returns the attempt's lock that the supervisor holds. None: it has none, or this cannot be seen.
std::optional<struct stat> lock_held(pid_t pid, const std::string& spool_dir) {
  const std::string lock = std::string("/") + supervisor_folder::identity_file;
  for (const OpenFile& file : open_files(pid).value_or(std::vector<OpenFile>{})) {
    std::string_view path = file.path;
    if (path.ends_with(removed_suffix)) path.remove_suffix(removed_suffix.size());
    struct stat status {};
    // A lock that was removed from the spool folder is judged by Strays.
    if (!path.ends_with(lock) || path.starts_with(spool_dir + "/")) continue;
    if (::stat(file.descriptor.c_str(), &status) == 0) return status;
  }
  return std::nullopt;
}

// Returns whether the supervisor holds the lock of an attempt outside the spool folder. The files
// are compared and not their paths: a folder can be reached by several paths, or be deleted.
// False if that cannot be seen.
bool is_outside(pid_t pid, const std::string& spool_dir) {
  const auto held = lock_held(pid, spool_dir);
  const auto attempts = attempts_with_folders(spool_dir);
  if (!held || !attempts) return false;
  for (const AttemptKey& key : *attempts) {
    const std::string lock =
        attempt_folder(spool_dir, key) + "/" + supervisor_folder::identity_file;
    struct stat own {};
    if (::stat(lock.c_str(), &own) != 0) {
      if (errno == ENOENT) continue;
      return false;
    }
    if (own.st_dev == held->st_dev && own.st_ino == held->st_ino) return false;
  }
  return true;
}

// Sends SIGKILL to the supervisors of the same worker outside the spool folder, and adds the spool
// folders by which their ranks are marked. Returns whether there were none.
bool kill_outside(const std::string& worker, const std::string& spool_dir,
                  std::set<std::string>& spools) {
  const auto found = living_where([&](pid_t pid, const std::string& environment) {
    if (entry_value(environment, supervisor_folder::variable_worker) != worker) return false;
    const auto spool = entry_value(environment, supervisor_folder::variable_spool);
    if (!spool || !is_own_process(pid) || !is_outside(pid, spool_dir)) return false;
    spools.insert(std::string(*spool));
    return true;
  });
  for (const pid_t pid : found.value_or(std::vector<pid_t>{})) {
    log_warning("ends the supervisor pid=" + std::to_string(pid) +
                " of an attempt from another spool folder; the controller counts it as ended");
    ::kill(pid, SIGKILL);
  }
  return found && found->empty();
}

}  // namespace

Failure end_others(const std::string& worker, const std::string& spool_dir,
                   const std::set<AttemptKey>& known) {
  const Boot last = read_clock().boot + strays_patience;
  std::set<std::string> spools;
  while (!kill_outside(worker, spool_dir, spools)) {
    if (read_clock().boot >= last)
      return Refusal{"supervisors of this node from another spool folder outlive SIGKILL",
                     "reboot the node: their jobs must not start elsewhere before"};
    ::poll(nullptr, 0, look_again_ms);
  }
  for (const std::string& spool : spools)
    if (Failure failure = Strays(spool).end_all(known)) return failure;
  return std::nullopt;
}

}  // namespace cox
