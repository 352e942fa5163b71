// A store that refuses a turn stores nothing of it. These tests belong to the suite that runs over
// both stores.
#include "common/base/limits.h"
#include "tests/store/store_suite.h"

namespace cox::test {
namespace {

TEST_P(StoreSuite, ATurnWithATransitionFromAnotherStateIsRejected) {
  Controller controller(*database);
  Job job = a_job(1);
  const JobAdded added{job, {}, {}};
  const JobChanged starts = change(job, JobState::Configuring);
  JobChanged astray = change(job, JobState::Running);
  astray.state_left = JobState::Pending;
  EXPECT_EQ(controller.commit_refused({added, starts, astray}).sqlstate, "CX002");
  controller.commit({added});
  EXPECT_EQ(controller.commit_refused({starts, astray}).sqlstate, "CX002");
  EXPECT_EQ(load(controller.store(), false).jobs, std::vector<Job>{a_job(1)});
}

// A turn of this size is sent to PostgreSQL as several statements, the first of them while the rows
// of the last are made.
TEST_P(StoreSuite, ALargeTurnIsStoredWholeOrNotAtAll) {
  Controller controller(*database);
  constexpr std::int64_t count = 1'000;
  std::vector<Change> changes;
  for (std::int64_t id = 1; id <= count; ++id) changes.push_back(JobAdded{a_job(id), {}, {}});
  std::vector<Change> contradictory = changes;
  contradictory.push_back(JobAdded{a_job(count), {}, {}});
  EXPECT_EQ(controller.commit_refused(contradictory).sqlstate, "23505");
  EXPECT_TRUE(load(controller.store(), false).jobs.empty());
  controller.commit(changes);
  const std::vector<Job> stored = load(controller.store(), false).jobs;
  ASSERT_EQ(stored.size(), static_cast<std::size_t>(count));
  for (std::int64_t id = 1; id <= count; ++id)
    ASSERT_EQ(stored[static_cast<std::size_t>(id - 1)], a_job(id));
}

TEST_P(StoreSuite, AChangeOfAnotherAttemptThanTheCurrentOneUndoesTheWholeTurn) {
  Controller controller(*database);
  Job job = a_job(1), other = a_job(2);
  controller.commit({JobAdded{job, {}, {}}, JobAdded{other, {}, {}}});
  const Job before = other;
  const JobChanged legal = change(other, JobState::Configuring);
  JobChanged stale = change(job, JobState::Configuring);
  stale.attempt_left = AttemptNumber{5};
  const auto refused = controller.commit_refused(
      {legal, stale, NodeChanged{a_node("n1")}, EventAdded{an_event(1, "state")}});
  EXPECT_EQ(refused.sqlstate, "CX002");
  const Snapshot reloaded = load(controller.store(), false);
  EXPECT_EQ(reloaded.jobs, (std::vector<Job>{a_job(1), before}));
  EXPECT_TRUE(reloaded.nodes.empty());
  EXPECT_EQ(reloaded.turn, controller.last);
  controller.store().read_history(1, JobId{1}, 0);
  EXPECT_TRUE(next<HistoryRead>(controller.store()).events.empty());
  controller.commit({legal});  // uses the number of the rejected turn
}

TEST_P(StoreSuite, ContradictoryRowsAreRejected) {
  Controller controller(*database);
  Job job = a_job(1);
  controller.commit({JobAdded{job, {}, {}}, AttemptAdded{an_attempt(1, 1)}});
  const auto sqlstate = [&](Change change) { return controller.commit_refused({change}).sqlstate; };

  EXPECT_EQ(sqlstate(JobAdded{a_job(1), {}, {}}), "23505") << "the same id twice";
  const auto same_id = controller.commit_refused({JobAdded{a_job(1), {}, {}}});
  EXPECT_EQ(same_id.message.find('\n'), std::string::npos) << same_id.message;
  Job same_request = a_job(2);
  same_request.request_id = job.request_id;
  EXPECT_EQ(sqlstate(JobAdded{same_request, {}, {}}), "23505") << "the same request twice";
  Job ended_early = a_job(3);
  ended_early.ended = at(1);
  EXPECT_EQ(sqlstate(JobAdded{ended_early, {}, {}}), "23514") << "ended, yet PENDING";
  Job illegal = job;
  const JobChanged jump = change(illegal, JobState::Completed);
  EXPECT_EQ(controller.commit_refused({jump, noted(illegal)}).sqlstate, "23514")
      << "PENDING to COMPLETED";
  EXPECT_EQ(sqlstate(AttemptAdded{an_attempt(1, 2)}), "23505") << "two live attempts";
  EXPECT_EQ(sqlstate(AttemptAdded{an_attempt(4, 1)}), "23503") << "of a missing job";
  EXPECT_EQ(sqlstate(AttemptChanged{an_attempt(1, 2)}), "CX002") << "no such attempt";
  Attempt untimed = an_attempt(1, 1);
  untimed.suspended_at.clear();
  EXPECT_EQ(sqlstate(AttemptChanged{untimed}), "23514") << "suspended without a time";
  EXPECT_EQ(sqlstate(CheckpointAdded{a_checkpoint(1, 2, 1)}), "23503") << "of a missing attempt";
  EXPECT_EQ(sqlstate(CheckpointChanged{a_checkpoint(1, 1, 1)}), "CX002") << "no such checkpoint";
  EXPECT_EQ(sqlstate(JobChanged{a_job(5), JobState::Pending, {}}), "CX002") << "no such job";
}

TEST_P(StoreSuite, EveryIllegalTransitionFromPendingIsRejected) {
  Controller controller(*database);
  std::int64_t id = 0;
  for (const JobState to : all_job_states) {
    if (to == JobState::Pending || next_state(JobState::Pending, Trigger::Start) == to ||
        next_state(JobState::Pending, Trigger::EndedCancelled) == to ||
        next_state(JobState::Pending, Trigger::EndedDeadline) == to)
      continue;
    Job job = a_job(++id);
    controller.commit({JobAdded{job, {}, {}}});
    job.attempt = AttemptNumber{1};
    JobChanged illegal = change(job, to);
    illegal.attempt_left = AttemptNumber{0};
    illegal.job.started = at(3);
    EXPECT_EQ(controller.commit_refused({illegal, noted(illegal.job)}).sqlstate, "23514")
        << name(to);
  }
}

}  // namespace
}  // namespace cox::test
