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

// Returns the local path of the program: as given, or found in PATH. Empty: not found.
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

// Returns the path of the copy. As in Slurm, a relative path counts as no path. A copy without a
// name gets a random one, because several steps may use the same folder.
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
    return Refusal{"--bcast copies one program, but --multi-prog names several",
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
