// Clients that wait for something to happen, as the controller answers them.
#include <algorithm>

#include "controller/controller.h"
#include "controller/react.h"
#include "controller/steps.h"

namespace cox {
namespace {

constexpr std::size_t waiters_max = 10'000;

}  // namespace

void Controller::take_waiters(std::vector<Waiter> waiters) {
  for (auto& w : waiters) {
    if (waiters_.size() < waiters_max) {
      waiters_.push_back(std::move(w));
      continue;
    }
    const Refusal why{std::to_string(waiters_max) + " clients wait for jobs already, the limit",
                      "try again later"};
    outgoing_.push_back({w.peer, Reply{w.number, Refused{why, true}}});
  }
}

void Controller::answer_waiters(Now now) {
  std::vector<WantedRead> reads;
  std::erase_if(waiters_, [&](const Waiter& w) {
    const JobEntry* e = cluster_.job(w.job);
    const Step* step = e != nullptr && w.step >= 0 ? e->step(w.step) : nullptr;
    if (step != nullptr) {
      if (step->state == w.known && now.boot < w.until) return false;
      outgoing_.push_back({w.peer, Reply{w.number, step_shown(*e, *step, now)}});
      return true;
    }
    if (w.step >= 0) {
      const Refusal gone{"Job/step already completing or completed", ""};
      outgoing_.push_back({w.peer, Reply{w.number, Refused{gone}}});
      return true;
    }
    if (e != nullptr && e->change_count == w.known_change_count && now.boot < w.until) return false;
    if (e != nullptr) {
      outgoing_.push_back(
          {w.peer, Reply{w.number, w.whole_array ? detail_of_array(cluster_, *e, now, false)
                                                 : detail_of(cluster_, *e, now)}});
    } else {
      reads.push_back({WantedRead::What::Job, w.peer, w.number, w.job, 0});
    }
    return true;
  });
  ask_reads(std::move(reads));
}

}  // namespace cox
