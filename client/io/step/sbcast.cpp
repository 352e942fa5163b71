// sbcast: finds out how many nodes the job has, then copies the file by a step
// (client/slurm/sbcast.h).
#include "client/slurm/sbcast.h"

#include <cstdlib>

#include "client/io/run.h"
#include "client/io/screen_output.h"
#include "client/io/step/srun_bcast.h"
#include "common/base/count_format.h"
#include "common/base/limits.h"
#include "common/base/text.h"
#include "common/job/job_ref.h"

namespace cox {
namespace {

constexpr int exit_no_source = 255;  // as Slurm's sbcast

}  // namespace

Result<std::int64_t> nodes_of_job(const std::string& job) {
  const auto ref = parse_job_ref(job);
  if (!ref) return ref.refusal();
  auto session = open_session("");
  if (!session) return session.refusal();
  const auto task = parse_count(ref->tasks, 0, limits::array_task_id_max);
  const auto answer = session->controller->ask(ShowJob{ref->id, task ? *task : -1});
  if (!answer) return answer.refusal();
  if (const auto* refused = std::get_if<Refused>(&*answer)) return refused->why;
  const auto* detail = std::get_if<JobDetail>(&*answer);
  if (detail == nullptr || detail->view.job.state != JobState::Running)
    return Refusal{"job " + printable(job) + " is not running",
                   "sbcast copies only to running jobs"};
  return std::ssize(detail->view.nodes);
}

int run_sbcast(const Command& command, const std::vector<std::string>& words) {
  auto read = parse_broadcast(words);
  if (!read) return print_refusal(command, read.refusal(), {}, exit_usage);
  if (const auto* shown = std::get_if<Shown>(&*read)) return print(*shown);
  auto* asked = std::get_if<BroadcastOptions>(&*read);
  if (asked->job.empty()) {
    const char* job = std::getenv("SLURM_JOB_ID");
    asked->job = job == nullptr ? "" : job;
  }
  if (asked->job.empty())
    return print_refusal(command,
                         {"there is no job: neither --jobid nor SLURM_JOB_ID is set",
                          "call it in a job's script, or give --jobid=JOB"},
                         {}, exit_refused);
  const auto file = OpenSource::open(asked->source);
  if (!file) {
    print_refusal(command, file.refusal(), {}, exit_no_source);
    return exit_no_source;  // print_refusal() returns 1 for every command of Slurm
  }
  const auto nodes = nodes_of_job(asked->job);
  if (!nodes) return print_refusal(command, nodes.refusal(), {}, exit_refused);
  return run_srun(command, broadcast_words(*asked, file->facts(), *nodes));
}

}  // namespace cox
