#include "client/io/step/srun_bcast.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "client/io/private/files.h"
#include "client/options/host_file.h"
#include "common/base/text.h"
#include "common/io/clock.h"

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

Result<OpenSource> OpenSource::open(const std::string& path) {
  const auto failed = [&](const std::string& why) {
    return Refusal{"Can't open `" + printable(path) + "`: " + why,
                   "name a regular file that you can read"};
  };
  // Without O_CLOEXEC, because the sruns of a heterogeneous job's components, which are programs of
  // their own, inherit the file. With O_NONBLOCK, so that open() does not wait at a FIFO, which is
  // then refused.
  OpenSource source(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY));
  struct stat about {};
  if (source.file_ < 0 || ::fstat(source.file_, &about) != 0) return failed(std::strerror(errno));
  if (!S_ISREG(about.st_mode)) return failed("it is not a regular file");
  source.facts_ = {about.st_mode, about.st_mtim.tv_sec, about.st_size,
                   "/dev/fd/" + std::to_string(source.file_)};
  return source;
}

OpenSource::OpenSource(OpenSource&& other) noexcept
    : file_(std::exchange(other.file_, -1)), facts_(std::move(other.facts_)) {}

OpenSource::~OpenSource() {
  if (file_ >= 0) ::close(file_);
}

Failure copy_program(StepPlan& plan, const SubmitSurroundings& around, const RunStep& run_step) {
  if (plan.asked.step.multi_prog)
    return Refusal{"--bcast copies one program, but --multi-prog names several",
                   "copy them with sbcast"};
  BroadcastOptions asked;
  asked.program = "srun";
  asked.force = asked.preserve = true;
  asked.job = plan.asked.step.job;
  asked.source = find_program(plan.words.front(), plan, around.environment);
  if (asked.source.empty())
    return Refusal{"Can not execute " + printable(plan.words.front()),
                   "name a program that exists on this host, or leave --bcast out"};
  asked.destination = copy_path(plan);
  const auto file = OpenSource::open(asked.source);
  if (!file) return file.refusal();
  const auto nodes = nodes_of_job(asked.job);
  if (!nodes) return nodes.refusal();
  const auto steps = parse_steps(broadcast_words(asked, file->facts(), *nodes));
  if (!steps) return steps.refusal();
  SubmitSurroundings all_nodes = around;
  forget_places_of_steps(all_nodes.environment);
  auto copy = plan_step(steps->front().command, all_nodes, read_named_file);
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
