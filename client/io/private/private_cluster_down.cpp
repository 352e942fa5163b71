// `cox down`: ends all processes of the cluster, including jobs; its state is kept. A worker leaves
// its supervisors running when it ends, so that ranks survive an upgrade. Therefore the supervisors
// are ended here. At the next `cox up` the workers report them as lost, and their jobs are
// requeued, unless they must not be.
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <set>

#include "client/io/private/files.h"
#include "client/io/private/private_cluster.h"
#include "client/io/private/private_postgres.h"
#include "client/io/run.h"
#include "client/io/screen_output.h"
#include "client/show/json.h"
#include "common/base/limits.h"
#include "common/base/process_text.h"
#include "common/io/endpoint.h"
#include "common/job/supervisor_folder.h"

namespace cox {
namespace {

namespace fs = std::filesystem;

constexpr Milliseconds patience{10'000};
constexpr Milliseconds postgres_patience{60'000};
constexpr Milliseconds controller_patience{3'000};

struct Ended {
  std::size_t daemons = 0;
  std::size_t jobs_requeued = 0;
  std::size_t jobs_over = 0;        // jobs that will not run again
  std::vector<std::string> killed;  // daemons that needed SIGKILL
};

void take_all(std::vector<std::string>& to, const std::vector<std::string>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

// Returns the names of all nodes that the cluster has ever had, also of nodes whose workers were
// removed.
std::vector<std::string> all_nodes(const ClusterLayout& layout) {
  std::vector<std::string> all;
  std::error_code error;
  for (const auto& node : fs::directory_iterator(layout.dir + "/spool", error))
    all.push_back(node.path().filename().string());
  return all;
}

// Returns the running supervisors of all nodes.
std::vector<Daemon> all_supervisors(const ClusterLayout& layout) {
  std::vector<Daemon> all;
  for (const auto& node : all_nodes(layout))
    for (const auto& each : live_supervisors(layout, node)) all.push_back(each);
  return all;
}

// Returns the processes whose environment names this cluster. Ranks end with their supervisors, but
// their background processes may not.
std::vector<Daemon> marked_processes(const ClusterLayout& layout) {
  const std::string mark =
      std::string(supervisor_folder::variable_attempt) + "=" + layout.cluster_name + "/";
  std::vector<Daemon> marked;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator("/proc", error)) {
    const pid_t pid = std::atoi(entry.path().filename().c_str());
    if (pid <= 1 || pid == ::getpid()) continue;
    const auto environment = read_file((entry.path() / "environ").string());
    const bool ours = environment && has_entry_beginning(*environment, mark);
    const auto start_time = ours ? start_time_of(pid) : std::nullopt;
    if (start_time) marked.push_back({"process " + std::to_string(pid), pid, *start_time});
  }
  return marked;
}

void end_marked(const ClusterLayout& layout) {
  constexpr int rounds_max = 10;  // several, as a killed process may have forked
  for (int round = 0; round < rounds_max; ++round) {
    const auto marked = marked_processes(layout);
    if (marked.empty()) return;
    stop_daemons(marked, SIGKILL, patience);
  }
}

bool runs_again(const Job& job) {
  const bool is_cut_short = is_live(job.state) && job.state != JobState::Completing;
  return is_cut_short && (job.spec->requeue || job.state == JobState::Configuring);
}

// Returns the ids of jobs that have a supervisor and will not run again, because they were already
// ending or may not be requeued. Asks the controller while it still runs. If it does not answer,
// the result is empty, so all jobs are reported as requeued.
std::set<std::string> jobs_not_run_again(const ClusterLayout& layout) {
  std::set<std::string> over;
  ListJobs ask;
  for (const auto& each : all_supervisors(layout))
    if (ask.ids.size() < limits::request_ids_max)
      ask.ids.emplace_back(std::atoll(each.name.c_str()));  // the name is "<job>.<attempt>"
  if (ask.ids.empty()) return over;
  const auto session = open_session(layout.config_path());
  if (!session) return over;
  const auto answer = session->controller->ask(ask, controller_patience);
  const auto* list = answer ? std::get_if<JobList>(&*answer) : nullptr;
  if (list == nullptr) return over;
  for (const JobView& view : list->jobs)
    if (!runs_again(view.job)) over.insert(std::to_string(view.job.id.value));
  return over;
}

bool has_lock(const std::string& folder) {
  const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const bool free = fd >= 0 && ::flock(fd, LOCK_EX | LOCK_NB) == 0;
  if (fd >= 0) ::close(fd);
  return !free;
}

// Returns what of the cluster a controller or worker that is not in DIR/pids uses, or may use;
// empty: nothing.
std::string used_path(const ClusterLayout& layout) {
  if (somebody_listens(layout.local_endpoint())) return layout.run_dir;
  const std::string spool = layout.dir + "/spool";
  std::error_code error;
  for (const auto& node : fs::directory_iterator(spool, error))
    if (has_lock(node.path().string())) return node.path().string();
  return error && error != std::errc::no_such_file_or_directory ? spool : "";
}

Failure refuse_if_used(const ClusterLayout& layout) {
  const std::string path = used_path(layout);
  if (path.empty()) return {};
  return Refusal{"a process that is not in " + pids_path(layout) + " uses " + path,
                 "`pgrep -af " + layout.dir + "` lists such processes: end them, and repeat this"};
}

Ended stop_all(const ClusterLayout& layout, const std::vector<Daemon>& daemons) {
  Ended ended;
  const auto over = jobs_not_run_again(layout);
  ended.daemons = daemons.size();
  ended.killed = stop_daemons(daemons, SIGTERM, patience);
  std::set<std::string> jobs;
  for (const auto& each : all_supervisors(layout))
    jobs.insert(each.name.substr(0, each.name.find('.')));
  ended.jobs_over = static_cast<std::size_t>(
      std::ranges::count_if(jobs, [&](const auto& job) { return over.contains(job); }));
  ended.jobs_requeued = jobs.size() - ended.jobs_over;
  for (const auto& node : all_nodes(layout)) end_supervisors(layout, node, patience);
  end_marked(layout);
  if (const auto postgres = running_postgres(layout)) {
    ++ended.daemons;
    // SIGINT requests PostgreSQL's fast shutdown.
    take_all(ended.killed, stop_daemons({*postgres}, SIGINT, postgres_patience));
  }
  return ended;
}

// Removes the files that `cox up` made, and the cluster's folder if no other file is in it. Removes
// nothing while a process of the cluster may run.
Failure purge(const ClusterLayout& layout) {
  if (auto why = refuse_if_used(layout)) return why;
  std::vector<std::string> paths = {layout.postgres_home, layout.run_dir};
  for (const auto name : names_in_cluster_dir)
    paths.push_back(layout.dir + "/" + std::string(name));
  for (const auto& path : paths) {
    std::error_code error;
    if (!path.empty()) fs::remove_all(path, error);
    if (error) return Refusal{"cannot remove " + path + ": " + error.message(), ""};
  }
  if (::rmdir(layout.dir.c_str()) == 0 || errno == ENOTEMPTY) return {};
  return Refusal{"cannot remove " + layout.dir + ": " + std::strerror(errno), ""};
}

std::string ended_text(const ClusterLayout& layout, const Ended& ended, bool purged) {
  std::string out = ended.daemons == 0 ? "Nothing ran in " + layout.dir + ".\n"
                                       : "The cluster in " + layout.dir + " is down.\n";
  for (const auto& name : ended.killed) out += name + " did not end in time and was killed.\n";
  const auto count = [](std::size_t n, const std::string& one, const std::string& many) {
    return std::to_string(n) + (n == 1 ? one : many);
  };
  if (purged && fs::exists(layout.dir))
    return out + "Its files are removed. Other files in the folder are kept.\n";
  if (purged) return out + "Its folder is removed.\n";
  const std::string up = quoted_command("cox up", layout.dir);
  if (ended.jobs_requeued > 0)
    out += count(ended.jobs_requeued, " running job", " running jobs") +
           " will be requeued by the next " + up + ".\n";
  if (ended.jobs_over > 0)
    out += count(ended.jobs_over, " job was", " jobs were") +
           " already ending, or had been submitted with --no-requeue.\n";
  return out + "Its state is kept; " + up + " continues from there.\n";
}

}  // namespace

int run_down(const Command& command, const DownOptions& options) {
  const auto dir = private_cluster_dir(options.dir);
  if (!dir) return print_refusal(command, dir.refusal(), options, exit_refused);
  const auto layout = kept_layout(*dir);
  if (!layout)
    return print_refusal(
        command, {"there is no private cluster in " + *dir, "choose another folder with --dir"},
        options, exit_refused);
  if (!*layout) return print_refusal(command, layout->refusal(), options, exit_refused);
  const auto lock = FolderLock::take(*dir);
  if (!lock) return print_refusal(command, lock.refusal(), options, exit_refused);
  const auto daemons = read_daemons(pids_path(**layout));
  if (!daemons) return print_refusal(command, daemons.refusal(), options, exit_refused);
  if (daemons->empty())
    if (auto why = refuse_if_used(**layout))
      return print_refusal(command, *why, options, exit_refused);
  const Ended ended = stop_all(**layout, *daemons);
  if (options.purge)
    if (auto why = purge(**layout)) return print_refusal(command, *why, options, exit_refused);
  if (!options.json) return print({ended_text(**layout, ended, options.purge), "", exit_ok});
  if (options.purge) return print({json_text(std::vector<DaemonLine>{}, nullptr, {}), "", exit_ok});
  const auto left = expected_daemons(**layout);
  if (!left) return print_refusal(command, left.refusal(), options, exit_refused);
  return print({json_text(lines_of(*left), nullptr, {}), "", exit_ok});
}

}  // namespace cox
