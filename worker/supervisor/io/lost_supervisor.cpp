#include "worker/supervisor/io/lost_supervisor.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <set>

#include "common/base/limits.h"
#include "common/base/process_text.h"
#include "common/base/text.h"
#include "common/io/clock.h"
#include "common/job/supervisor_folder.h"
#include "common/messages/codec.h"
#include "worker/supervisor/io/files/files.h"
#include "worker/supervisor/rank_environment.h"

namespace cox {
namespace {

constexpr pid_t init_pid = 1;
constexpr std::size_t status_bytes_max = 65536;
constexpr std::size_t names_bytes_max = 200;  // of the processes in a note

// A worker that is not root runs the jobs of its own user alone.
std::optional<uid_t> user_of_job(const std::string& folder) {
  if (::geteuid() != 0) return ::geteuid();
  const auto bytes =
      read_file(folder + "/" + supervisor_folder::launch_file, limits::frame_bytes_max);
  const auto launch = bytes ? decode_launch(*bytes) : Refusal{};
  return launch ? std::optional<uid_t>(launch->spec.uid) : std::nullopt;
}

// A search for leftovers in one list of all processes.
class Search {
 public:
  Search(const LostSupervisor& lost, const std::vector<ProcessLine>& all) : lost_(lost), all_(all) {
    for (const ProcessLine& process : all_) stats_[process.pid] = process.stat;
  }
  // Finds what is certain, and collects the processes that are not. False: no descriptors left.
  bool look_at_each();
  Leftovers result();

 private:
  bool is_in_session(const ProcessLine& process) const;
  bool is_of_job_user(pid_t pid) const;
  // Adds processes of `from` whose parent is in `family` to it, until there is none.
  static void grow(std::set<pid_t>& family, const std::vector<ProcessLine>& from);
  // Returns the processes to which the kernel may have given an orphan of the attempt.
  std::set<pid_t> reapers() const;

  const LostSupervisor& lost_;
  const std::vector<ProcessLine>& all_;
  std::map<pid_t, ProcessStat> stats_;
  std::set<pid_t> found_;
  std::vector<ProcessLine> unknown_;  // younger than the supervisor, without a known environment
};

// The kernel does not use the number of a session again while a process is in it. Later it may be
// that of another session, also of another user.
bool Search::is_in_session(const ProcessLine& process) const {
  if (!lost_.identity || process.stat.session != lost_.identity->pid) return false;
  const auto leader = stats_.find(lost_.identity->pid);
  const bool is_its_own =
      leader == stats_.end() || leader->second.start_ticks == lost_.identity->start_ticks;
  return is_its_own && is_of_job_user(process.pid);
}

bool Search::look_at_each() {
  const std::int64_t begun = lost_.identity ? lost_.identity->start_ticks : 0;
  for (const ProcessLine& process : all_) {
    if (process.pid == ::getpid() || process.stat.start_ticks < begun) continue;
    const auto environment = environment_of(process.pid);
    if (!environment) return false;
    if (has_entry(environment->block, lost_.mark) || is_in_session(process)) {
      found_.insert(process.pid);
    } else if (environment->is_unknown || !is_whole_environment(environment->block)) {
      unknown_.push_back(process);
    }
  }
  return true;
}

// A process whose status cannot be read may be of any user, unless it has ended.
bool Search::is_of_job_user(pid_t pid) const {
  errno = 0;
  const auto status = read_file("/proc/" + std::to_string(pid) + "/status", status_bytes_max);
  if (!status) return errno != ENOENT && errno != ESRCH;
  return !lost_.uid || number_of_line(*status, "Uid:") == std::int64_t{*lost_.uid};
}

void Search::grow(std::set<pid_t>& family, const std::vector<ProcessLine>& from) {
  for (bool grew = true; grew;) {
    grew = false;
    for (const ProcessLine& process : from)
      if (family.contains(process.stat.parent)) grew = family.insert(process.pid).second || grew;
  }
}

std::set<pid_t> Search::reapers() const {
  std::set<pid_t> reapers = {init_pid};
  if (lost_.identity) reapers.insert(lost_.identity->above.begin(), lost_.identity->above.end());
  const auto own = processes_above(::getpid(), all_);
  reapers.insert(own.begin(), own.end());
  return reapers;
}

Leftovers Search::result() {
  grow(found_, all_);
  std::erase_if(unknown_, [&](const ProcessLine& process) { return !is_of_job_user(process.pid); });
  // Without the identity it is not known which processes are younger than the supervisor.
  std::set<pid_t> orphans = lost_.identity ? reapers() : std::set<pid_t>();
  std::erase_if(unknown_, [&](const ProcessLine& one) { return orphans.contains(one.pid); });
  grow(orphans, unknown_);
  Leftovers leftovers;
  for (const ProcessLine& process : all_) {
    if (!process.stat.is_living()) continue;
    const bool is_unknown =
        std::ranges::find(unknown_, process.pid, &ProcessLine::pid) != unknown_.end();
    if (found_.contains(process.pid)) {
      leftovers.found.push_back(process.pid);
    } else if (is_unknown && orphans.contains(process.pid)) {
      leftovers.unexplained.push_back(process.pid);
    }
  }
  return leftovers;
}

}  // namespace

LostSupervisor lost_supervisor(const std::string& folder, const std::string& files) {
  return {attempt_mark(folder), read_identity(files), user_of_job(files)};
}

std::optional<Leftovers> leftovers_of(const LostSupervisor& lost) {
  // Nothing survives the start of the machine.
  if (lost.identity && lost.identity->boot_id != boot_id()) return Leftovers{};
  const auto all = list_processes();
  if (!all) return std::nullopt;
  Search search(lost, *all);
  if (!search.look_at_each()) return std::nullopt;
  return search.result();
}

std::string unexplained_text(const std::vector<pid_t>& pids) {
  std::string list;
  for (const pid_t pid : pids) {
    if (list.size() > names_bytes_max) {
      list += ", ...";
      break;
    }
    const auto name =
        read_file("/proc/" + std::to_string(pid) + "/comm", status_bytes_max).value_or("?");
    list += (list.empty() ? "pid " : ", pid ") + std::to_string(pid) + " (" +
            printable(name.substr(0, name.find('\n'))) + ")";
  }
  return "its supervisor is lost, and these processes may be the job's, since they show no "
         "environment: " +
         list + "; end them if they are, or reboot the node";
}

}  // namespace cox
