// Clients that wait for something to happen, as the controller answers them.
#include <algorithm>

#include "controller/answer/answer.h"
#include "controller/answer/answer_array.h"
#include "controller/attempt/steps.h"
#include "controller/turn/controller.h"

namespace cox {
namespace {

constexpr std::size_t waiters_max = 10'000;
constexpr std::size_t followers_max = 1'000;

}  // namespace

void Controller::add_waiters(std::vector<Waiter> waiters) {
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

void Controller::take_followers(std::vector<EventFollower> followers) {
  for (EventFollower& one : followers) {
    if (followers_.size() < followers_max) {
      followers_.push_back(std::move(one));
      continue;
    }
    const Refusal why{
        std::to_string(followers_max) + " clients follow the events of jobs already, the limit",
        "try again later"};
    outgoing_.push_back({one.peer, Reply{one.number, Refused{why, true}}});
  }
}

void Controller::answer_followers(Now now) {
  std::erase_if(followers_, [&](EventFollower& one) {
    EventPage page = stream_.page(one.ask, cluster_.term());
    if (one.ask.after < 0) one.ask.after = page.last;  // from now on
    if (one.ask.term == Term{}) one.ask.term = page.term;
    if (page.events.empty() && !page.missed && now.boot < one.until) {
      one.ask.after = page.last;
      return false;
    }
    outgoing_.push_back({one.peer, Reply{one.number, std::move(page)}});
    return true;
  });
}

void Controller::answer_waiters(Now now) {
  std::vector<WantedRead> reads;
  std::erase_if(waiters_, [&](const Waiter& w) {
    const JobEntry* e = cluster_.job(w.job);
    const Step* step = e != nullptr && w.step >= 0 ? e->step(w.step) : nullptr;
    if (step != nullptr) {
      if (step->state == w.known && now.boot < w.until) return false;
      outgoing_.push_back({w.peer, Reply{w.number, step_shown(cluster_, *e, *step, now)}});
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
      reads.push_back({w.peer, w.number, JobWanted{{w.job}}});
    }
    return true;
  });
  ask_reads(std::move(reads));
}

}  // namespace cox
