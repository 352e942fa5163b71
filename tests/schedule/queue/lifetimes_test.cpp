#include "schedule/queue/lifetimes.h"

#include <gtest/gtest.h>

namespace cox::schedule {
namespace {

using std::chrono::hours;
using std::chrono::seconds;

constexpr Milliseconds fresh{0};

// So many jobs of so many units, one after the other, that ended after so much service each.
void ended(Lifetimes& lifetimes, std::int64_t first_id, std::int64_t units, Milliseconds service) {
  for (std::int64_t id = first_id; id < first_id + 10; ++id)
    lifetimes.learn_ended(JobId{id}, units, service);
}

}  // namespace

TEST(Lifetimes, nothing_is_known_and_who_has_run_for_longer_is_further_from_its_end) {
  const Lifetimes lifetimes;
  const double new_one = lifetimes.cost_of_end(JobId{1}, 1, fresh);
  const double old_one = lifetimes.cost_of_end(JobId{1}, 1, hours{5});
  EXPECT_LT(new_one, old_one);
  EXPECT_LT(old_one, lifetimes.cost_of_end(JobId{1}, 1, hours{50}));
  EXPECT_DOUBLE_EQ(lifetimes.cost_of_end(JobId{1}, 8, hours{5}), 8 * old_one);
}

TEST(Lifetimes, a_job_is_taken_to_be_like_those_just_before_it) {
  Lifetimes lifetimes;
  ended(lifetimes, 1, 4, seconds{60});
  ended(lifetimes, 101, 4, hours{100});
  const double after_short = lifetimes.cost_of_end(JobId{20}, 4, fresh);
  const double after_long = lifetimes.cost_of_end(JobId{120}, 4, fresh);
  EXPECT_LT(after_short * 5, after_long);
  // Two minutes: the short ones never came so far.
  EXPECT_GT(lifetimes.cost_of_end(JobId{20}, 4, seconds{120}), after_short * 2);
  // Others tell something of a job of another size, too.
  EXPECT_LT(after_short * 8 / 4, lifetimes.cost_of_end(JobId{20}, 8, fresh));
}

TEST(Lifetimes, close_to_where_the_others_ended_a_job_is_nearly_there) {
  Lifetimes lifetimes;
  ended(lifetimes, 1, 1, hours{10});
  EXPECT_LT(lifetimes.cost_of_end(JobId{20}, 1, hours{9}) * 2,
            lifetimes.cost_of_end(JobId{20}, 1, hours{1}));
}

TEST(Lifetimes, who_lives_tells_that_jobs_come_so_far_until_it_has_ended) {
  Lifetimes lifetimes;
  ended(lifetimes, 1, 1, seconds{60});
  const auto cost = [&] { return lifetimes.cost_of_end(JobId{20}, 1, fresh); };
  const double before = cost();
  for (std::int64_t id = 12; id < 16; ++id) lifetimes.note_living(JobId{id}, 1, hours{1});
  EXPECT_GT(cost(), before);
  lifetimes.forget_living();
  EXPECT_EQ(cost(), before);
  lifetimes.note_living(JobId{12}, 1, seconds{50});
  lifetimes.learn_ended(JobId{12}, 1, seconds{60});
  lifetimes.forget_living();
  Lifetimes told_at_once;
  ended(told_at_once, 1, 1, seconds{60});
  told_at_once.learn_ended(JobId{12}, 1, seconds{60});
  EXPECT_EQ(cost(), told_at_once.cost_of_end(JobId{20}, 1, fresh));
}

}  // namespace cox::schedule
