#include "client/io/step/allocate.h"

#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "client/io/ask.h"
#include "client/io/run.h"
#include "client/io/screen_output.h"
#include "client/show/wait_progress.h"
#include "client/slurm/text/refused_words.h"
#include "client/text/moments.h"
#include "common/base/text.h"
#include "common/io/clock.h"
#include "common/messages/leader_follower.h"

namespace cox {
namespace {

// How long to wait for a reply, in addition to the wait that a WaitJob asks of the controller.
constexpr Milliseconds answer_wait{10'000};
constexpr Milliseconds send_again{3'000};
// First wait; a job that starts within it is not reported as queued.
constexpr Milliseconds first_look{500};
constexpr Milliseconds look{2'000};

bool is_given(const JobDetail& detail) {
  return detail.view.job.state == JobState::Running && !detail.attempts.empty();
}

}  // namespace

void Allocator::say(const std::string& text) const {
  if (!quiet_) complain(text);
}

// Prints an error, also with --quiet.
void Allocator::complain(const std::string& text) const {
  std::fprintf(stderr, "%s: %s\n", program_.c_str(), printable(text).c_str());
}

void Allocator::pause(Milliseconds time) {
  const Boot end = read_clock().boot + time;
  for (Boot now = read_clock().boot; now < end && !is_interrupted(); now = read_clock().boot) {
    poller_.wait(end - now);
    controller_.receive();  // unread, a late reply would end each wait at once
  }
}

bool Allocator::is_interrupted() {
  signalfd_siginfo info;
  while (::read(signals_, &info, sizeof info) == sizeof info)
    for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT})
      interrupted_ = interrupted_ || info.ssi_signo == static_cast<std::uint32_t>(number);
  return interrupted_;
}

// Sends the request, repeats it until there is a reply, and returns the reply; nothing after
// `timeout`. All requests of an Allocator are idempotent. If `stop_early`, an interrupt ends the
// wait.
std::optional<Answer> Allocator::exchange(const Question& question, Milliseconds timeout,
                                          bool stop_early) {
  const Request request{++number_, question};
  const Boot end = read_clock().boot + timeout;
  Boot sent{};
  for (Boot now = read_clock().boot; now < end; now = read_clock().boot) {
    if (sent == Boot{} || now >= sent + send_again) {
      controller_.send({request});
      sent = now;
    }
    poller_.wait(std::min({end - now, send_again, Milliseconds{500}}));
    if (auto answer = reply_in(controller_.receive(), request.number)) return answer;
    if (is_interrupted() && stop_early) return std::nullopt;
  }
  return std::nullopt;
}

std::optional<JobDetail> Allocator::wait_for_change(JobId id, std::int64_t known_change_count,
                                                    Milliseconds wait) {
  const WaitJob question{id, known_change_count, wait.count()};
  auto answer = exchange(question, wait + answer_wait, true);
  auto* detail = answer ? std::get_if<JobDetail>(&*answer) : nullptr;
  // Refused: the controller cannot answer now, so pause before the next request.
  if (answer && detail == nullptr) poller_.wait(retry_.failed());
  if (detail != nullptr) retry_.succeeded();
  return detail == nullptr ? std::nullopt : std::optional(std::move(*detail));
}

bool Allocator::give_back(JobId id, std::int32_t exit_code, std::int32_t exit_signal) {
  const EndAllocation end{id, exit_code, exit_signal};
  const std::string job = std::to_string(id.value);
  const std::string by_hand = "; `scancel " + job + "` releases it";
  for (bool waits = false;;) {
    const auto answer = exchange(end, answer_wait, waits);
    const auto* refused = answer ? std::get_if<Refused>(&*answer) : nullptr;
    if (answer && refused == nullptr) return true;
    const std::string why = refused ? refused->why.fact : "the controller does not answer";
    if (refused != nullptr && !refused->retry) {
      complain("error: " + why + by_hand);
      return false;
    }
    if (!std::exchange(waits, true)) {
      is_interrupted();  // drops earlier signals: they were meant for the tasks
      interrupted_ = false;
      complain(why + "; still waiting to release the allocation of job " + job +
               "; Ctrl-C ends the wait");
    }
    pause(retry_.failed());
    if (!interrupted_) continue;
    complain("error: interrupted, the allocation of job " + job + " still exists" + by_hand);
    return false;
  }
}

Result<std::string> Allocator::cluster_name() {
  const auto answer = exchange(ShowCluster{}, answer_wait, true);
  const auto* view = answer ? std::get_if<ClusterView>(&*answer) : nullptr;
  if (view != nullptr) return view->name;
  return Refusal{"the controller does not answer", "check that it runs; 'cox doctor' shows more"};
}

AddressOfNode Allocator::addresses() {
  AddressOfNode all;
  const auto answer = exchange(ListNodes{}, answer_wait, true);
  const auto* list = answer ? std::get_if<NodeList>(&*answer) : nullptr;
  if (list != nullptr)
    for (const NodeView& view : list->nodes) all[view.node.name] = view.node.address;
  return all;
}

Refusal Allocator::revoked(JobId id, std::string why) {
  exchange(ActOnJobs{JobVerb::Cancel, {id}}, answer_wait, false);
  const std::string number = std::to_string(id.value);
  const bool as_srun = interrupted_ && program_ == "srun";  // Slurm's srun has other texts
  say("Job allocation " + number + " has been revoked" + (as_srun ? "" : "."));
  if (as_srun) say("Force Terminated JobId=" + number);
  return {std::move(why), ""};
}

Result<JobDetail> Allocator::wait_for(const AllocationPlan& plan, JobId id) {
  const std::string job = "job " + std::to_string(id.value);
  const Boot began = read_clock().boot;
  const std::int64_t patience = plan.asked.immediate_s;
  std::int64_t known = -1;
  bool queued = false;
  for (;;) {
    const auto detail = wait_for_change(id, known, queued ? look : first_look);
    if (interrupted_) return revoked(id, "Interrupted while it waited");
    if (detail) known = detail->change_count;
    if (detail && is_given(*detail)) {
      if (queued) say(job + " has been allocated resources");
      return *detail;
    }
    if (detail && has_ended(*detail))
      return Refusal{"Job allocation " + std::to_string(id.value) +
                         " has been revoked: " + *detail->view.job.why,
                     ""};
    const Milliseconds waited = read_clock().boot - began;
    const Milliseconds most = std::max(Milliseconds{patience * 1000}, first_look);
    if (patience >= 0 && waited >= most)
      return revoked(id,
                     "Unable to allocate resources: Immediate execution impossible, "
                     "insufficient priority");
    if (!queued && waited >= first_look) {
      if (program_ == "salloc") say("Pending job allocation " + std::to_string(id.value));
      say(job + " queued and waiting for resources");
      queued = true;
    }
  }
}

Result<JobDetail> Allocator::acquire(const AllocationPlan& plan) {
  quiet_ = plan.quiet;
  const auto answer = exchange(plan.request, answer_wait, false);
  const std::string failed =
      program_ == "srun" ? "Unable to allocate resources" : "Job submit/allocate failed";
  const auto* unsettled = answer ? std::get_if<Refused>(&*answer) : nullptr;
  if (!answer || (unsettled != nullptr && has_unknown_outcome(*unsettled)))
    return Refusal{failed +
                       ": the controller does not answer; whether the job was or will be "
                       "accepted is unknown",
                   "'squeue --me' shows it; 'scancel' releases it"};
  if (const auto* refused = std::get_if<Refused>(&*answer)) {
    const std::string first = slurm_prelude(refused->why);
    if (!first.empty()) say("error: " + first);
    return refused_job(failed, refused->why);
  }
  const auto* submitted = std::get_if<Submitted>(&*answer);
  if (submitted == nullptr) return Refusal{"the controller sent an unexpected reply", ""};
  for (const std::string_view line : split(submitted->note, '\n'))
    if (!line.empty()) complain(localised_text(std::string(line), screen_now(STDERR_FILENO)));
  return wait_for(plan, submitted->id);
}

}  // namespace cox
