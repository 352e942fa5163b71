// `cox down`: nothing of the cluster is left running, jobs included; its state stays. Workers leave
// their supervisors alive when they end (ranks survive an upgrade), so those are ended here. The
// next up's workers report them as lost, and their jobs are requeued.
#include <signal.h>
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
  std::size_t jobs_over = 0;        // were ending already, or may not run again
  std::vector<std::string> killed;  // did not end by themselves in time
};

void take_all(std::vector<std::string>& to, const std::vector<std::string>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

// Supervisors of every node there ever was: a worker may have been taken away since.
std::vector<Daemon> all_supervisors(const ClusterLayout& layout) {
  std::vector<Daemon> all;
  std::error_code error;
  for (const auto& node : fs::directory_iterator(layout.dir + "/spool", error))
    for (const auto& each : live_supervisors(layout, node.path().filename().string()))
      all.push_back(each);
  return all;
}

// Processes of jobs that carry the cluster's mark in their environment: ranks go with their
// supervisors, but what they started in the background may not.
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
  constexpr int rounds_max = 10;  // what is being killed may still fork
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

// Of the jobs with supervisors, as the controller knows them while it still runs. When it does not
// answer all are taken for running ones.
std::set<std::string> jobs_not_run_again(const ClusterLayout& layout) {
  std::set<std::string> over;
  ListJobs ask;
  for (const auto& each : all_supervisors(layout))
    if (ask.ids.size() < limits::request_ids_max)
      ask.ids.emplace_back(std::atoll(each.name.c_str()));  // of "<job>.<attempt>"
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

Ended stop_all(const ClusterLayout& layout) {
  Ended ended;
  const auto over = jobs_not_run_again(layout);
  const auto daemons = read_daemons(pids_path(layout));
  ended.daemons = daemons.size();
  ended.killed = stop_daemons(daemons, SIGTERM, patience);
  const auto supervisors = all_supervisors(layout);
  std::set<std::string> jobs;
  for (const auto& each : supervisors) jobs.insert(each.name.substr(0, each.name.find('.')));
  ended.jobs_over = static_cast<std::size_t>(
      std::ranges::count_if(jobs, [&](const auto& job) { return over.contains(job); }));
  ended.jobs_requeued = jobs.size() - ended.jobs_over;
  stop_daemons(supervisors, SIGKILL, patience);
  end_marked(layout);
  if (const auto postgres = running_postgres(layout)) {
    ++ended.daemons;
    // SIGINT is PostgreSQL's fast shutdown.
    take_all(ended.killed, stop_daemons({*postgres}, SIGINT, postgres_patience));
  }
  return ended;
}

// What `up` made, and the folder itself when nothing else lies in it.
Failure purge(const ClusterLayout& layout) {
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
    return out + "Its files are removed. The folder holds others, which stay.\n";
  if (purged) return out + "Its folder is removed.\n";
  if (ended.jobs_requeued > 0)
    out += count(ended.jobs_requeued, " running job", " running jobs") +
           " will be requeued at the next up.\n";
  if (ended.jobs_over > 0)
    out += count(ended.jobs_over, " job was", " jobs were") +
           " ending already, or had said --no-requeue.\n";
  return out + "Its state is kept: 'cox up' goes on from there.\n";
}

}  // namespace

int run_down(const Command& command, const Options& options) {
  const auto dir = private_cluster_dir(options.cluster);
  if (!dir) return print_refusal(command, dir.refusal(), options, exit_refused);
  const auto layout = kept_layout(*dir);
  if (!layout)
    return print_refusal(command,
                         {"there is no private cluster in " + *dir, "--dir tells another folder"},
                         options, exit_refused);
  if (!*layout) return print_refusal(command, layout->refusal(), options, exit_refused);
  const auto lock = FolderLock::take(*dir);
  if (!lock) return print_refusal(command, lock.refusal(), options, exit_refused);
  const Ended ended = stop_all(**layout);
  if (options.cluster.purge)
    if (auto why = purge(**layout)) return print_refusal(command, *why, options, exit_refused);
  if (!options.json)
    return print({ended_text(**layout, ended, options.cluster.purge), "", exit_ok});
  std::vector<ProcessLine> lines;
  if (!options.cluster.purge)
    for (const auto& each : expected_daemons(**layout)) lines.push_back({each.name, each.pid});
  return print({json_text(lines, nullptr), "", exit_ok});
}

}  // namespace cox
