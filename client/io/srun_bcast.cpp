#include "client/io/srun_bcast.h"

#include <sys/stat.h>
#include <unistd.h>

#include <utility>

#include "client/host_file.h"
#include "client/io/files.h"
#include "client/slurm/sbcast.h"
#include "common/io/clock.h"
#include "common/text.h"

namespace cox {
namespace {

bool can_run(const std::string& path) {
  struct stat file {};
  return ::stat(path.c_str(), &file) == 0 && S_ISREG(file.st_mode) &&
         ::access(path.c_str(), X_OK) == 0;
}

// Where the program is here: at its path, or in a folder of PATH. Empty: nowhere.
std::string find_program(const std::string& name, const StepPlan& plan,
                         const std::vector<std::string>& environment) {
  if (name.find('/') != std::string::npos) {
    const std::string path = name.starts_with('/') ? name : plan.work_dir + "/" + name;
    return can_run(path) ? path : "";
  }
  constexpr std::string_view variable = "PATH=";
  for (const std::string& each : environment) {
    if (!each.starts_with(variable)) continue;
    for (const std::string_view folder : split(std::string_view(each).substr(variable.size()), ':'))
      if (const std::string path = std::string(folder) + "/" + name;
          folder.starts_with('/') && can_run(path))
        return path;
  }
  return "";
}

// As Slurm has it, a path that is not absolute counts as none. The name of a copy that has none is
// new each time: several steps may have theirs in one folder.
std::string copy_path(const StepPlan& plan) {
  const std::string& asked = plan.asked.step.bcast_path;
  const bool is_folder = asked.ends_with('/');
  if (asked.starts_with('/') && !is_folder) return asked;
  const std::string folder = asked.starts_with('/') ? asked : plan.work_dir + "/";
  return folder + "slurm_bcast_" + std::to_string(plan.create.job.value) + "." + random_hex(4);
}

}  // namespace

Failure copy_program(StepPlan& plan, const SubmitSurroundings& around, const RunStep& run_step) {
  if (plan.asked.step.multi_prog)
    return Refusal{"--bcast copies one program, and --multi-prog names several",
                   "copy them with sbcast"};
  BroadcastOptions asked;
  asked.program = "srun";
  asked.force = asked.preserve = true;
  asked.job = plan.asked.step.job;
  asked.source = find_program(plan.words.front(), plan, around.environment);
  if (asked.source.empty()) return Refusal{"Can not execute " + printable(plan.words.front()), ""};
  asked.destination = copy_path(plan);
  struct stat file {};
  if (::stat(asked.source.c_str(), &file) != 0)
    return Refusal{"Can not execute " + printable(asked.source), ""};
  const auto nodes = nodes_of_job(asked.job);
  if (!nodes) return nodes.refusal();
  const auto steps = parse_steps(
      broadcast_words(asked, {file.st_mode, file.st_mtim.tv_sec, file.st_size}, *nodes));
  if (!steps) return steps.refusal();
  SubmitSurroundings all_nodes = around;
  forget_host_file(all_nodes.environment);
  auto copy = plan_step(steps->front().command, all_nodes, read_file);
  if (!copy) return copy.refusal();
  const auto code = run_step(std::move(*copy));
  if (!code) return code.refusal();
  if (*code != 0)
    return Refusal{"Failed to broadcast '" + printable(asked.source) + "'. Step launch aborted.",
                   ""};
  plan.words.front() = asked.destination;
  return std::nullopt;
}

}  // namespace cox
