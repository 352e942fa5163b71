#include "worker/supervisor/io/containment.h"

#include <fcntl.h>
#include <linux/sched.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "common/base/content_hash.h"
#include "worker/supervisor/io/files/descriptor.h"
#include "worker/supervisor/io/files/files.h"
#include "worker/supervisor/io/process_identity.h"
#include "worker/supervisor/rank_environment.h"

namespace cox {

namespace {

namespace fs = std::filesystem;

// File in the supervisor's folder with the path of the cgroup.
constexpr const char* record_file = "cgroup";
constexpr const char* mounts[] = {"/sys/fs/cgroup", "/sys/fs/cgroup/unified"};
constexpr std::size_t small_file_bytes_max = 65536;
constexpr std::size_t hash_digits = 12;
// Without a cgroup the processes count as ended only if so many scans in a row find none: one scan
// may miss a process, whose environment is unreadable during an exec.
constexpr int scans_required = 2;

bool write_word(const std::string& path, const char* word, std::size_t bytes) {
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  return file.is_open() && ::write(file.get(), word, bytes) == static_cast<ssize_t>(bytes);
}

// Returns the number after a word in a cgroup file, as in "populated 1".
std::optional<std::int64_t> number_behind(const std::string& path, const std::string& word) {
  std::istringstream text(read_file(path, small_file_bytes_max).value_or(""));
  std::string found;
  std::int64_t number = 0;
  while (text >> found >> number) {
    if (found == word) return number;
  }
  return std::nullopt;
}

// Returns whether a cgroup has no process. If cgroup.events cannot be read, the cgroup counts as
// not empty, unless it does not exist: only an empty cgroup can have been removed.
bool is_empty(const std::string& cgroup) {
  const auto populated = number_behind(cgroup + "/cgroup.events", "populated");
  if (populated) return *populated == 0;
  return ::access(cgroup.c_str(), F_OK) != 0 && errno == ENOENT;
}

// Returns the name of an attempt's cgroup. The hash of the folder's path keeps apart the cgroups of
// two clusters on one machine.
std::string cgroup_name(const std::string& folder, AttemptKey key) {
  return "cox-" + std::to_string(key.job.value) + "." + std::to_string(key.attempt.value) + "-" +
         content_hash(folder).substr(0, hash_digits);
}

// Returns the cgroup that is recorded in a supervisor's folder; empty: none, or it is gone.
std::string recorded_cgroup(const std::string& folder) {
  const auto path = read_file(folder + "/" + record_file, small_file_bytes_max);
  const bool there =
      path && path->starts_with(mounts[0]) && ::access((*path + "/cgroup.kill").c_str(), W_OK) == 0;
  return there ? *path : "";
}

std::optional<std::string> own_cgroup() {
  std::istringstream lines(read_file("/proc/self/cgroup", small_file_bytes_max).value_or(""));
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("0::/")) return line.substr(3);
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> cgroup_base() {
  const auto own = own_cgroup();
  if (!own) return std::nullopt;
  for (const std::string mount : mounts) {
    if (::access((mount + "/cgroup.procs").c_str(), F_OK) != 0) continue;
    const std::string base = mount + (*own == "/" ? "" : *own);
    // A child can be moved into a new cgroup below `base` only if cgroup.procs of `base` is
    // writable.
    if (::access((base + "/cgroup.procs").c_str(), W_OK) != 0) return std::nullopt;
    return base;
  }
  return std::nullopt;
}

std::optional<std::vector<std::string>> attempt_cgroups() {
  std::vector<std::string> found;
  if (::access(mounts[0], F_OK) != 0 && errno == ENOENT) return found;
  std::error_code error;
  const auto options = fs::directory_options::skip_permission_denied;
  for (fs::recursive_directory_iterator entry(mounts[0], options, error), end;
       !error && entry != end; entry.increment(error)) {
    std::error_code vanished;
    const std::string path = entry->path().string();
    if (entry->path().filename().string().starts_with("cox-") && entry->is_directory(vanished) &&
        ::access((path + "/cgroup.kill").c_str(), W_OK) == 0)
      found.push_back(path);
  }
  if (error) return std::nullopt;
  return found;
}

std::optional<AttemptKey> attempt_of_cgroup(const std::string& path, const std::string& spool_dir) {
  const std::string name = fs::path(path).filename().string();
  long long job = 0;
  int attempt = 0;
  if (std::sscanf(name.c_str(), "cox-%lld.%d-", &job, &attempt) != 2) return std::nullopt;
  const AttemptKey key{JobId(job), AttemptNumber(attempt)};
  const std::string folder = spool_dir + "/" + std::to_string(job) + "." + std::to_string(attempt);
  return cgroup_name(folder, key) == name ? std::optional(key) : std::nullopt;
}

bool kill_cgroup(const std::string& path) {
  if (is_empty(path)) return true;
  write_word(path + "/cgroup.kill", "1", 1);
  return is_empty(path);
}

Result<Containment> Containment::make(const std::string& folder, AttemptKey key) {
  Containment containment;
  containment.mark_ = attempt_mark(folder);
  const auto base = cgroup_base();
  if (!base) return containment;
  const std::string path = *base + "/" + cgroup_name(folder, key);
  // The file is replaced atomically: a part of the path might be the path of another cgroup.
  if (Failure failure = replace_file(folder + "/" + record_file, path, 0600, Outlives::Processes))
    return *failure;
  const bool made = ::mkdir(path.c_str(), 0755) == 0 || errno == EEXIST;
  if (made && ::access((path + "/cgroup.kill").c_str(), W_OK) == 0) {
    containment.cgroup_ = path;
  } else if (made) {
    ::rmdir(path.c_str());
  }
  return containment;
}

Containment Containment::find(const std::string& folder, const std::string& files) {
  Containment containment;
  containment.mark_ = attempt_mark(folder);
  containment.cgroup_ = recorded_cgroup(files);
  containment.lost_ = lost_supervisor(folder, files);
  return containment;
}

void Containment::remove_cgroup(const std::string& folder) {
  const std::string cgroup = recorded_cgroup(folder);
  if (!cgroup.empty()) ::rmdir(cgroup.c_str());
}

// Blocks all signals in the child. Until become_plain_child() the child ignores the signals that
// its parent ignores, such as SIGTERM; a blocked signal stays pending instead of being lost.
Containment::Forked Containment::fork_inside() const {
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  const Forked forked = fork_blocked();
  const int error = errno;
  if (forked.pid != 0) ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = error;
  return forked;
}

Containment::Forked Containment::fork_blocked() const {
  if (!cgroup_.empty()) {
    const Descriptor folder(::open(cgroup_.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    clone_args wanted{};
    wanted.flags = CLONE_INTO_CGROUP;
    wanted.exit_signal = SIGCHLD;
    wanted.cgroup = static_cast<std::uint64_t>(folder.get());
    const long pid = folder.is_open() ? ::syscall(SYS_clone3, &wanted, sizeof wanted) : -1;
    if (pid >= 0) return {static_cast<pid_t>(pid), true};
    // clone3 failed: the kernel is older, or a seccomp filter refuses it.
  }
  return {::fork(), cgroup_.empty()};
}

bool Containment::enter() const {
  return cgroup_.empty() || write_word(cgroup_ + "/cgroup.procs", "0", 1);
}

bool Containment::kill_all(const std::vector<pid_t>& spared) {
  if (!cgroup_.empty()) return kill_cgroup(cgroup_);
  const auto left = living(spared);
  if (left) {
    for (const pid_t pid : left->found) ::kill(pid, SIGKILL);
    unexplained_ = left->unexplained;
  }
  const bool is_none_left = left && left->found.empty() && left->unexplained.empty();
  empty_in_a_row_ = is_none_left ? empty_in_a_row_ + 1 : 0;
  return empty_in_a_row_ >= scans_required;
}

// With a cgroup, cgroup.kill reaches every process, so the survivors are held by the kernel.
// Without one, checks whether each survivor waits in the kernel.
KillFailure Containment::kill_failure(const std::vector<pid_t>& spared) const {
  if (!cgroup_.empty()) return KillFailure::Held;
  const auto left = living(spared);
  const bool all_held =
      left && left->unexplained.empty() && std::ranges::all_of(left->found, [](pid_t pid) {
        const auto line = read_process(pid);
        return !line || line->stat.waits_in_kernel();
      });
  return all_held ? KillFailure::Held : KillFailure::Runs;
}

std::optional<Leftovers> Containment::living(const std::vector<pid_t>& spared) const {
  if (lost_) return leftovers_of(*lost_);
  auto marked = living_marked(mark_);
  const auto below = living_descendants(::getpid(), spared);
  if (!marked || !below) return std::nullopt;
  Leftovers left{*std::move(marked), {}};
  left.found.insert(left.found.end(), below->begin(), below->end());
  std::erase_if(left.found,
                [&](pid_t pid) { return std::ranges::find(spared, pid) != spared.end(); });
  return left;
}

bool Containment::freeze_all(const std::vector<pid_t>& spared) {
  if (!cgroup_.empty() && write_word(cgroup_ + "/cgroup.freeze", "1", 1))
    return number_behind(cgroup_ + "/cgroup.events", "frozen") == 1;
  const auto left = living(spared);
  bool all_stopped = left.has_value();
  for (const pid_t pid : left.value_or(Leftovers{}).found) {
    const auto line = read_process(pid);
    if (!line || line->stat.state == 'T') continue;
    ::kill(pid, SIGSTOP);
    if (line->stat.is_stopped()) continue;  // a debugger has stopped it and may resume it
    // This state counts as stopped: after vfork() a process waits in the kernel for its child,
    // which may have been stopped before its exec.
    all_stopped = all_stopped && line->stat.waits_in_kernel();
  }
  // A process that ran during the scan may have forked since, so two scans in a row must find no
  // running process.
  stopped_in_a_row_ = all_stopped ? stopped_in_a_row_ + 1 : 0;
  return stopped_in_a_row_ >= scans_required;
}

bool Containment::thaw_all(const std::vector<pid_t>& spared) {
  stopped_in_a_row_ = 0;
  if (!cgroup_.empty()) write_word(cgroup_ + "/cgroup.freeze", "0", 1);
  // Sends SIGCONT also if there is a cgroup: if it could not be frozen, processes were stopped one
  // by one.
  const auto left = living(spared);
  for (const pid_t pid : left.value_or(Leftovers{}).found) ::kill(pid, SIGCONT);
  return left.has_value();
}

std::optional<std::int64_t> Containment::oom_kills() const {
  if (cgroup_.empty()) return 0;
  return number_behind(cgroup_ + "/memory.events", "oom_kill");
}

void Containment::remove() {
  if (!cgroup_.empty()) ::rmdir(cgroup_.c_str());
}

}  // namespace cox
