#include "worker/stepd/io/stepd.h"

#include <poll.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "common/base/limits.h"
#include "common/io/clock.h"
#include "worker/supervisor/io/cpu_claim.h"
#include "worker/supervisor/io/step_daemon.h"

namespace cox {

namespace {

constexpr Milliseconds longest_wait{60'000};

AttemptCpus resolve_cpus(const std::string& text) {
  AttemptCpus settled;
  const auto ids = parse_map(text);
  for (const CpuPlace& place : usable_cpus()) {
    settled.usable.push_back(place.cpu);
    settled.one_ldom = settled.one_ldom && place.ldom == 0;
    if (ids && std::ranges::find(*ids, IdSet{place.cpu}) != ids->end())
      settled.cpus.push_back(place);
  }
  std::ranges::sort(settled.usable);
  if (settled.cpus.empty()) settled.why = text;
  return settled;
}

}  // namespace

Stepd::Stepd(Descriptor supervisor, std::string folder, const std::string& cpus)
    : supervisor_(std::move(supervisor), limits::frame_bytes_max),
      poller_(Poller::create()),
      pmix_(folder + "/" + StepDaemon::mpi_folder),
      around_{{},    {},     std::move(folder), make_link_context(), *poller_, watches_,
              pmix_, steps_, resolve_cpus(cpus)} {
  poller_->add_fd(watches_.fd(), POLLIN);
  poller_->add_fd(pmix_.fd(), POLLIN);
}

void Stepd::run() {
  while (true) {
    const short events = supervisor_.wants_write() ? POLLIN | POLLOUT : POLLIN;
    poller_->add_fd(supervisor_.fd(), events);
    poller_->wait(time_to_wait());
    // The clock is read before the messages. So the messages include every StepsSuspended about a
    // suspension that ended before `now`.
    around_.now = read_clock();
    if (!read_supervisor()) return;
    turn();
  }
}

Milliseconds Stepd::time_to_wait() const {
  const Boot now = read_clock().boot;
  Milliseconds wait = longest_wait;
  for (const auto& [number, step] : steps_)
    if (const auto at = step->wakeup()) wait = std::min(wait, std::max(*at - now, Milliseconds{0}));
  return wait;
}

void Stepd::turn() {
  for (const auto& [number, step] : steps_) step->receive();
  for (const Watches::Watch& watch : watches_.ready())
    if (const auto step = steps_.find(watch.step); step != steps_.end())
      step->second->on_ready(watch.local, watch.kind);
  for (const PmixHost::QueuedEvent& queued : pmix_.take())
    if (const auto step = steps_.find(queued.step); step != steps_.end())
      step->second->carry_out({queued.word});
  for (const auto& [number, step] : steps_) {
    step->feed(stepd::Tick{});
    step->end_late_epilogs();
    step->give_input_credit(false);
  }
  report();
}

bool Stepd::read_supervisor() {
  std::vector<Message> messages;
  const bool lives = supervisor_.read(messages) && supervisor_.flush();
  // Handles StepsSuspended (how long the job was suspended) first, also before messages that
  // arrived earlier: it moves time limits that other messages depend on.
  for (const Message& message : messages)
    if (const auto* stood = std::get_if<StepsSuspended>(&message))
      for (const auto& [number, step] : steps_)
        step->feed(stepd::SuspendedFor{Milliseconds{stood->suspended_ms}});
  for (const Message& message : messages) receive(message);
  return lives;
}

void Stepd::receive(const Message& message) {
  if (const auto* prepare = std::get_if<Prepare>(&message)) {
    around_.job = prepare->launch;
  } else if (const auto* go = std::get_if<Go>(&message)) {
    around_.go = go->order;
    has_launch_ = true;
  } else if (const auto* launch = std::get_if<LaunchStep>(&message)) {
    if (!has_launch_ || steps_.contains(launch->launch.number)) return;
    // The job's time limit may have been changed after the job started.
    around_.job.spec.time_limit_s = launch->launch.job_time_limit_s;
    auto step = std::make_unique<LiveStep>(launch->launch, around_);
    LiveStep& kept = *steps_.emplace(step->number(), std::move(step)).first->second;
    kept.feed(stepd::Ordered{});
  } else if (const auto* stop = std::get_if<StopStep>(&message)) {
    if (const auto step = steps_.find(stop->number); step != steps_.end())
      step->second->feed(stepd::StopOrdered{});
  } else if (const auto* order = std::get_if<SignalAttempt>(&message)) {
    const auto reach = order->to_children ? LiveStep::Reach::Group : LiveStep::Reach::Task;
    for (const auto& [number, step] : steps_)
      if (order->step < 0 || order->step == number) step->signal(order->signal, -1, reach);
  }
}

void Stepd::report() {
  for (const auto& [number, step] : steps_) {
    if (auto status = step->take_report()) supervisor_.send(*status);
    // The second report of the end: the supervisor may now kill this daemon without losing output.
    if (step->is_forgotten()) supervisor_.send(step->status());
  }
  std::erase_if(steps_, [](const auto& one) { return one.second->is_forgotten(); });
}

}  // namespace cox
