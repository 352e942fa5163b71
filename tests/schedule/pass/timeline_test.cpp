// Tests that the answers of a timeline (the free room at future times) do not depend on earlier
// questions to it.
#include "schedule/pass/timeline.h"

#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "schedule/place/matcher.h"
#include "tests/schedule/scenario.h"

namespace cox::schedule {
namespace {

using std::chrono::seconds;

// A timeline of four nodes that are full of jobs with different ends. never_asked() returns a new
// timeline with the same changes, which has never been asked.
class TestedTimeline {
 public:
  explicit TestedTimeline(std::uint64_t seed)
      : random_(seed),
        world_(world_from("node n1,n2,n3,n4 cpus=8\nwants 1 tasks=8\nwants 2 nodes=2 each=4\n"
                          "wants 3 tasks=3\nwants 4 nodes=4 each=2")),
        nodes_(world_.nodes),
        matcher_(nodes_),
        busy_(matcher_.idle()) {
    for (int i = 0; i < 8; ++i) {
      const Shared<GangParts> shares(GangParts{{{i % 4, 4, 4, 0, 0}}, {}, {}});
      busy_.take(*shares);
      running_.push_back({start_of_time + seconds{1 + below(50)}, shares, Held::Both});
    }
    began_with_ = running_;
    timeline_.emplace(begun());
  }

  void ask_and_claim() {
    const ResolvedRequest& need = a_need();
    const auto lasts = a_time();
    const auto fit = timeline_->earliest(need, start_of_time, lasts);
    Timeline anew = never_asked();
    const auto other = anew.earliest(need, start_of_time, lasts);
    ASSERT_EQ(fit.has_value(), other.has_value());
    if (!fit) return;
    ASSERT_EQ(to_ms(fit->at), to_ms(other->at));
    ASSERT_EQ(fit->shares, other->shares);
    const std::optional<Boot> end = lasts ? std::optional(fit->at + *lasts) : std::nullopt;
    const bool now = fit->at == start_of_time;
    if (now && below(2) == 0)
      return act([shares = fit->shares, end](Timeline& one) { one.start(shares, end); });
    if (below(2) == 0) act([fit = *fit, end](Timeline& one) { one.claim(fit, end); });
  }

  void stop_one() {
    if (running_.empty()) return;
    const Release stopped = running_.back();
    running_.pop_back();
    act([stopped](Timeline& one) {
      one.stop({stopped.shares, stopped.shares, stopped.at, {}}, start_of_time);
    });
  }

  std::int64_t below(std::int64_t most) {
    return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(most));
  }

 private:
  using Act = std::function<void(Timeline&)>;

  Timeline begun() const { return {nodes_, busy_, busy_, began_with_}; }
  Timeline never_asked() const {
    Timeline timeline = begun();
    for (const Act& act : acts_) act(timeline);
    return timeline;
  }
  void act(Act one) {
    one(*timeline_);
    acts_.push_back(std::move(one));
  }
  const ResolvedRequest& a_need() {
    const auto which = static_cast<std::size_t>(below(std::ssize(world_.pending)));
    return matcher_.need(*world_.pending[which].request, Availability::Required);
  }
  std::optional<Milliseconds> a_time() {
    const std::int64_t time = below(5);
    return time == 0 ? std::nullopt : std::optional<Milliseconds>(seconds{time * 7});
  }

  std::mt19937_64 random_;
  SchedulerInput world_;
  Nodes nodes_;
  Matcher matcher_;
  Room busy_;
  std::vector<Release> running_;
  std::vector<Release> began_with_;
  std::vector<Act> acts_;
  std::optional<Timeline> timeline_;
};

TEST(Timeline, the_earliest_start_does_not_depend_on_earlier_questions) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    TestedTimeline tested(seed);
    for (int step = 0; step < 40; ++step) {
      if (tested.below(8) == 0) {
        tested.stop_one();
      } else {
        tested.ask_and_claim();
      }
      ASSERT_FALSE(testing::Test::HasFailure()) << "seed " << seed << " step " << step;
    }
  }
}

}  // namespace
}  // namespace cox::schedule
