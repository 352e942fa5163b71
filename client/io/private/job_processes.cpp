#include "client/io/private/job_processes.h"

#include <dirent.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <optional>
#include <sstream>

#include "client/io/private/files.h"
#include "common/base/process_text.h"
#include "common/base/text.h"
#include "common/job/supervisor_folder.h"

namespace cox {
namespace {

struct JobProcess {
  std::map<std::string, std::string> environment;
  pid_t parent = 0;

  std::string variable(const std::string& name) const {
    const auto found = environment.find(name);
    return found == environment.end() ? "" : found->second;
  }
  std::string attempt() const { return variable(supervisor_folder::variable_attempt); }
  std::string step() const {
    const std::string number = variable("SLURM_STEP_ID");
    return number.empty() ? "batch" : number;
  }
};

std::optional<JobProcess> read_job_process(const std::string& pid) {
  const auto text = read_file("/proc/" + pid + "/environ");
  if (!text || text->find(supervisor_folder::variable_attempt) == std::string::npos)
    return std::nullopt;
  JobProcess process;
  std::istringstream entries(*text);
  for (std::string entry; std::getline(entries, entry, '\0');) {
    const std::size_t equals = std::min(entry.find('='), entry.size());
    process.environment[entry.substr(0, equals)] = entry.substr(std::min(equals + 1, entry.size()));
  }
  const auto stat = read_file("/proc/" + pid + "/stat");
  const auto parsed = stat ? parse_process_stat(*stat) : std::nullopt;
  if (!parsed) return std::nullopt;
  process.parent = parsed->parent;
  return process;
}

std::map<pid_t, JobProcess> job_processes_of(const std::string& cluster) {
  std::map<pid_t, JobProcess> all;
  DIR* folder = ::opendir("/proc");
  if (folder == nullptr) return all;
  while (const dirent* entry = ::readdir(folder)) {
    const pid_t pid = std::atoi(entry->d_name);
    if (pid <= 0) continue;
    auto process = read_job_process(entry->d_name);
    if (process && process->attempt().starts_with(cluster + "/"))
      all.emplace(pid, std::move(*process));
  }
  ::closedir(folder);
  return all;
}

bool is_selected(const JobProcess& process, const std::string& job) {
  if (job.empty()) return true;
  const std::string id = process.variable("SLURM_JOB_ID");
  const std::string array = process.variable("SLURM_ARRAY_JOB_ID");
  const std::string task = array + "_" + process.variable("SLURM_ARRAY_TASK_ID");
  const std::string step = "." + process.step();
  return job == id || job == id + step || (!array.empty() && (job == task || job == task + step));
}

}  // namespace

// Only tasks have a local and a global id; processes that a task has started show "-".
Shown list_job_processes(const std::string& cluster, const std::string& job) {
  const auto all = job_processes_of(cluster);
  Shown shown;
  shown.out = "PID      JOBID    STEPID   LOCALID GLOBALID\n";
  bool any = false;
  for (const auto& [pid, process] : all) {
    if (!is_selected(process, job)) continue;
    any = true;
    const auto parent = all.find(process.parent);
    const bool is_task = parent == all.end() || parent->second.attempt() != process.attempt() ||
                         parent->second.step() != process.step();
    char line[160];
    std::snprintf(line, sizeof line, "%-8d %-8s %-8s %-7s %-8s\n", pid,
                  printable(process.variable("SLURM_JOB_ID")).c_str(),
                  printable(process.step()).c_str(),
                  is_task ? printable(process.variable("SLURM_LOCALID")).c_str() : "-",
                  is_task ? printable(process.variable("SLURM_PROCID")).c_str() : "-");
    shown.out += line;
  }
  if (any) return shown;
  shown.err = job.empty() ? "No job steps exist on this node.\n"
                          : "There are no steps for job " + printable(job) + " on this node.\n";
  shown.exit_code = exit_refused;
  return shown;
}

}  // namespace cox
