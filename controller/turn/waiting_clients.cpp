#include "controller/turn/waiting_clients.h"

#include <string>

#include "controller/answer/answer.h"
#include "controller/answer/answer_array.h"
#include "controller/attempt/steps.h"

namespace cox {
namespace {

constexpr std::size_t waiters_max = 10'000;
constexpr std::size_t followers_max = 1'000;

template <class One>
void take_up_to(std::size_t most, const std::string& clients, std::vector<One>& known,
                std::vector<One>&& more, Effects& effects) {
  for (One& one : more) {
    if (known.size() < most) {
      known.push_back(std::move(one));
      continue;
    }
    const Refusal why{std::to_string(most) + " clients already " + clients + ", which is the limit",
                      "try again later"};
    effects.reply(one.peer, one.number, Refused{why, true});
  }
}

}  // namespace

void WaitingClients::add(std::vector<Waiter> waiters, Effects& effects) {
  take_up_to(waiters_max, "wait for jobs", waiters_, std::move(waiters), effects);
}

void WaitingClients::add(std::vector<EventFollower> followers, Effects& effects) {
  take_up_to(followers_max, "follow the events of jobs", followers_, std::move(followers), effects);
}

void WaitingClients::answer_followers(Term term, Now now, Effects& effects) {
  std::erase_if(followers_, [&](EventFollower& one) {
    EventPage page = stream_.page(one.ask, term);
    if (one.ask.after < 0) one.ask.after = page.last;  // from now on
    if (one.ask.term == Term{}) one.ask.term = page.term;
    if (page.events.empty() && !page.missed && now.boot < one.until) {
      one.ask.after = page.last;
      return false;
    }
    effects.reply(one.peer, one.number, std::move(page));
    return true;
  });
}

std::vector<WantedRead> WaitingClients::answer_waiters(const Cluster& cluster, Now now,
                                                       Effects& effects) {
  std::vector<WantedRead> reads;
  std::erase_if(waiters_, [&](const Waiter& w) {
    const JobEntry* e = cluster.job(w.job);
    const Step* step = e != nullptr && w.step >= 0 ? e->step(w.step) : nullptr;
    if (step != nullptr) {
      if (step->state == w.known && now.boot < w.until) return false;
      effects.reply(w.peer, w.number, step_shown(cluster, *e, *step, now));
      return true;
    }
    if (w.step >= 0) {
      effects.reply(w.peer, w.number,
                    Refused{Refusal{"Job/step already completing or completed", ""}});
      return true;
    }
    if (e != nullptr && e->change_count == w.known_change_count && now.boot < w.until) return false;
    if (e != nullptr) {
      effects.reply(
          w.peer, w.number,
          w.whole_array ? detail_of_array(cluster, *e, now, false) : detail_of(cluster, *e, now));
    } else {
      reads.push_back({w.peer, w.number, JobWanted{{w.job}}});
    }
    return true;
  });
  return reads;
}

}  // namespace cox
