#include "schedule/queue/lifetimes.h"

#include <gtest/gtest.h>

namespace cox::schedule {
namespace {

using std::chrono::hours;
using std::chrono::seconds;

constexpr Milliseconds fresh{0};

// Records that ten jobs with `units` units of resources ended, each after it ran for `service`.
void ended(Lifetimes& lifetimes, std::int64_t first_id, std::int64_t units, Milliseconds service) {
  for (std::int64_t id = first_id; id < first_id + 10; ++id)
    lifetimes.learn_ended(JobId{id}, units, service);
}

}  // namespace

TEST(Lifetimes, without_history_a_job_that_ran_longer_is_further_from_its_end) {
  const Lifetimes lifetimes;
  const double new_one = lifetimes.cost_of_end(JobId{1}, 1, fresh);
  const double old_one = lifetimes.cost_of_end(JobId{1}, 1, hours{5});
  EXPECT_LT(new_one, old_one);
  EXPECT_LT(old_one, lifetimes.cost_of_end(JobId{1}, 1, hours{50}));
  EXPECT_DOUBLE_EQ(lifetimes.cost_of_end(JobId{1}, 8, hours{5}), 8 * old_one);
}

TEST(Lifetimes, a_job_is_expected_to_last_like_the_jobs_just_before_it) {
  Lifetimes lifetimes;
  ended(lifetimes, 1, 4, seconds{60});
  ended(lifetimes, 101, 4, hours{100});
  const double after_short = lifetimes.cost_of_end(JobId{20}, 4, fresh);
  const double after_long = lifetimes.cost_of_end(JobId{120}, 4, fresh);
  EXPECT_LT(after_short * 5, after_long);
  // None of the short jobs ran for two minutes, so a job that did is expected to last much longer.
  EXPECT_GT(lifetimes.cost_of_end(JobId{20}, 4, seconds{120}), after_short * 2);
  // Jobs of other sizes count less for the estimate than jobs of the same size.
  EXPECT_LT(after_short * 8 / 4, lifetimes.cost_of_end(JobId{20}, 8, fresh));
}

TEST(Lifetimes, a_job_near_the_run_time_of_others_is_expected_to_end_soon) {
  Lifetimes lifetimes;
  ended(lifetimes, 1, 1, hours{10});
  EXPECT_LT(lifetimes.cost_of_end(JobId{20}, 1, hours{9}) * 2,
            lifetimes.cost_of_end(JobId{20}, 1, hours{1}));
}

TEST(Lifetimes, running_jobs_show_that_jobs_reach_their_age_until_they_end) {
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
  Lifetimes after_the_end;
  ended(after_the_end, 1, 1, seconds{60});
  after_the_end.learn_ended(JobId{12}, 1, seconds{60});
  EXPECT_EQ(cost(), after_the_end.cost_of_end(JobId{20}, 1, fresh));
}

TEST(Lifetimes, a_job_whose_remaining_run_time_is_known_needs_no_estimate) {
  Lifetimes lifetimes;
  ended(lifetimes, 1, 4, hours{100});
  EXPECT_EQ(lifetimes.cost_of_end(JobId{20}, 4, hours{1}, seconds{90}), 4 * 90.0);
  EXPECT_EQ(lifetimes.cost_of_end(JobId{20}, 4, fresh, Milliseconds{1}), 4 * 1.0);
}

TEST(Lifetimes, a_running_job_with_a_known_end_counts_like_one_that_ended_then) {
  Lifetimes lifetimes;
  ended(lifetimes, 1, 1, seconds{60});
  const auto cost = [](const Lifetimes& of) { return of.cost_of_end(JobId{20}, 1, hours{9}); };
  const double after_short = cost(lifetimes);
  lifetimes.note_living(JobId{15}, 1, hours{1}, hours{9});
  Lifetimes after_the_end;
  ended(after_the_end, 1, 1, seconds{60});
  after_the_end.learn_ended(JobId{15}, 1, hours{10});
  EXPECT_EQ(cost(lifetimes), cost(after_the_end));
  EXPECT_LT(cost(lifetimes), after_short);
  EXPECT_EQ(lifetimes.ended().size(), 10u) << "it is not history yet";
  lifetimes.forget_living();
  EXPECT_EQ(cost(lifetimes), after_short);
}

TEST(Lifetimes, the_weights_say_how_much_the_jobs_just_before_count) {
  Lifetimes lifetimes;
  ended(lifetimes, 1, 1, hours{100});
  ended(lifetimes, 101, 1, seconds{60});
  const auto cost_with = [&](const LifetimeWeights& weights) {
    lifetimes.set_weights(weights);
    return lifetimes.cost_of_end(JobId{200}, 1, fresh);
  };
  const double usual = cost_with({});
  EXPECT_GT(cost_with({.near_jobs = 30}), usual) << "the long jobs before the ten count more";
  EXPECT_GT(cost_with({.all_jobs = 10}), usual);
  EXPECT_EQ(cost_with({}), usual);
}

}  // namespace cox::schedule
