// A part of the class Supervisor (supervisor.h) that runs the programs of the site: the prolog and
// the epilog of the node, and the task epilog of each rank. (A task prolog runs in the rank's own
// process, see task_programs.h.)
#include <signal.h>

#include <algorithm>

#include "common/base/log_line.h"
#include "common/base/one_line.h"
#include "common/io/clock.h"
#include "worker/supervisor/io/supervisor.h"

namespace cox {

using namespace supervisor;

namespace {

const char* name_of(NodeProgram which) {
  return which == NodeProgram::Prolog ? "prolog" : "epilog";
}

void drop_streams(RankPlace& place) {
  place.input = place.output = place.error = "/dev/null";
}

}  // namespace

void Supervisor::look_again_by(Boot at) {
  retry_at_ = retry_at_ ? std::min(*retry_at_, at) : at;
}

// ---- the node's ------------------------------------------------------------------------------

void Supervisor::execute(const RunNodeProgram& action) {
  GoOrder order = go_order_;
  if (order.started == Wall{}) order.started = read_clock().wall;
  program_kind_ = action.which;
  auto run = NodeProgramRun::start(
      path_of(action.which, launch_.site),
      node_program_environment(action.which, launch_, order, supervision_.status()),
      Milliseconds{launch_.site.timeout_ms});
  if (!run) return feed(NodeProgramEnded{node_program_error(action.which, run.refusal().fact, "")});
  program_ = std::move(*run);
  look_again_by(program_->looks_at());
}

void Supervisor::read_program() {
  if (program_) program_->read();
}

bool Supervisor::reap_program(pid_t pid, int wait_status) {
  if (program_ && program_->pid() == pid) {
    NodeProgramRun run = std::move(*program_);
    program_.reset();
    const std::string how = run.end(wait_status);
    say(std::string("its ") + name_of(program_kind_) +
        " has ended how=" + quoted_value(how.empty() ? "well" : how) +
        " output=" + quoted_value(one_line(run.output())));
    feed(NodeProgramEnded{how.empty() ? "" : node_program_error(program_kind_, how, run.output())});
    return true;
  }
  const auto epilog = std::ranges::find(epilogs_, pid, &RankEpilog::pid);
  if (epilog == epilogs_.end()) return false;
  const RankExited exited = epilog->exited;
  epilogs_.erase(epilog);
  ::kill(-pid, SIGKILL);  // kills processes that the epilog left behind
  feed(exited);
  return true;
}

// Kills programs that run longer than their time limit.
void Supervisor::watch_programs() {
  const Boot now = read_clock().boot;
  for (const RankEpilog& epilog : epilogs_) {
    if (now >= epilog.until)
      ::kill(-epilog.pid, SIGKILL);
    else
      look_again_by(epilog.until);
  }
  if (!program_) return;
  if (!program_->is_stuck(now)) return look_again_by(program_->looks_at());
  say(std::string("its ") + name_of(program_kind_) + " outlives SIGKILL and is given up");
  abandoned_.push_back(program_->pid());
  const std::string error = node_program_error(program_kind_, program_->why_late(), "");
  program_.reset();
  feed(NodeProgramEnded{error});
}

// ---- the ranks' ------------------------------------------------------------------------------

// Runs the task epilog of a rank that has exited, then reports the rank's exit. As in Slurm, a
// failed epilog changes nothing. While all processes of the attempt are being killed, no epilog is
// started.
void Supervisor::end_rank(RankExited exited) {
  const auto programs = task_epilogs(launch_.site, "");
  if (programs.empty() || is_sweeping_) return feed(exited);
  RankCommand command = command_of(exited.rank, go_order_);
  command.words = {programs.front().path};
  command.prologs.clear();
  command.soft_limits.clear();
  command.keeps_error = false;
  drop_streams(command.place);
  if (command.otherwise) drop_streams(*command.otherwise);
  auto process = start_rank(exited.rank, command, containment_);
  if (!process) return feed(exited);
  epilogs_.push_back({exited, process->pid, read_clock().boot + programs.front().limit});
}

}  // namespace cox
