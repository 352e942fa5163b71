// Runs a Supervision (the logic of a supervisor) in a test: the test feeds it events, sets its
// clock, and takes its actions.
#pragma once

#include <gtest/gtest.h>

#include "tests/worker/launches.h"
#include "worker/supervisor/supervision.h"

namespace cox {

using namespace supervisor;

// A Supervision and its clock. take<T>() takes its next action, which must be a T. If an action is
// not taken, the test fails when the story ends.
class SupervisionStory {
 public:
  explicit SupervisionStory(LaunchSpec launch) : supervision(launch, now()) {}
  ~SupervisionStory() { EXPECT_TRUE(actions.empty()) << actions.size() << " unexpected actions"; }

  Now now() const { return Now{boot_from_ms(ms), wall_from_ms(1'000'000 + ms)}; }
  SupervisionStory& on(const Event& event) {
    for (Action& action : supervision.on(event, now())) actions.push_back(std::move(action));
    return *this;
  }
  SupervisionStory& wait_until(std::int64_t at_ms) {
    ms = at_ms;
    return on(Tick{});
  }
  template <class T>
  T take() {
    if (actions.empty() || !std::holds_alternative<T>(actions.front())) {
      ADD_FAILURE() << "unexpected next action; actions left: " << actions.size();
      return T{};
    }
    T taken = std::get<T>(actions.front());
    actions.erase(actions.begin());
    return taken;
  }
  void skip() { actions.clear(); }
  const AttemptStatus& status() const { return supervision.status(); }

  // Lets the attempt become ready, sends it the Go, and reports that every rank has started.
  SupervisionStory& run_ranks() {
    on(Begun{}).on(Prepared{29'500}).on(GoOrdered{});
    for (const RankStatus& rank : std::vector<RankStatus>(status().ranks)) {
      on(RankStarted{rank.rank});
    }
    skip();
    return *this;
  }

  std::int64_t ms = 1'000;
  Supervision supervision;
  std::vector<Action> actions;
};

inline StopOrder preempt(std::int64_t grace_ms) {
  return StopOrder{StopWhy::Preempt, true, grace_ms, 1'000, ""};
}

inline StopOrder cancel() {
  return StopOrder{StopWhy::Cancel, false, 0, 1'000, ""};
}

}  // namespace cox
