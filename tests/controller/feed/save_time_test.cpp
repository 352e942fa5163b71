// Tests when a job is asked to save because its time will end (by its time limit, its deadline or a
// reservation), and how much time it then has.
#include "controller/feed/save_time.h"

#include <gtest/gtest.h>

#include "controller/feed/engine_input.h"
#include "tests/controller/bench.h"

namespace cox {
namespace {

constexpr Milliseconds grace{60'000};  // of QOS standard

class SaveTime : public testing::Test, public Bench {
 protected:
  void SetUp() override { node("n1", 2); }
  void pass_s(std::int64_t seconds) { pass_with_beats(Milliseconds{seconds * 1'000}, {"n1"}); }
  std::int64_t planned_s(JobId id) {
    return (*running_job(controller->cluster(), job(id), now).ends_by - now.boot).count() / 1'000;
  }
};

TEST_F(SaveTime, AJobRunsUntilItsTimeLimitAndThenHasItsGraceToSave) {
  const JobId id = submit({.time_limit_s = 60, .checkpoint_signal = 10});
  EXPECT_EQ(pending_job(controller->cluster(), job(id)).time_limit, Milliseconds{120'000});
  ready(id);
  EXPECT_EQ(planned_s(id), 120);
  take<Stop>();
  pass_s(59);
  EXPECT_EQ(state(id), "RUNNING");
  pass_s(2);
  ASSERT_EQ(state(id), "SIGNALING");
  EXPECT_LE(planned_s(id), 60 + config.kill_wait.count() / 1'000);
  const StopOrder order = take<Stop>().front().second.order;
  EXPECT_EQ(order.why, StopWhy::TimeLimit);
  EXPECT_TRUE(order.ask_checkpoint);
  EXPECT_EQ(order.grace_ms, grace.count());
  pass_s(58);
  EXPECT_EQ(state(id), "SIGNALING");
  pass_s(3);
  EXPECT_EQ(state(id), "COMPLETING") << "the grace is over";
  finish(id, exit_code_saved, true, 40);
  EXPECT_EQ(state(id), "TIMEOUT");
  EXPECT_EQ(job(id).newest_checkpoint()->step, 40);
}

TEST_F(SaveTime, ASignalBeforeTheLimitGivesNoGraceAfterIt) {
  const JobId id = submit({.time_limit_s = 120, .checkpoint_signal = 12, .with = [](JobSpec& s) {
                             s.signal.number = 10;
                             s.signal.seconds_before = 90;
                           }});
  ready(id);
  EXPECT_EQ(planned_s(id), 120);
  take<Stop>();
  pass_s(29);
  EXPECT_EQ(state(id), "RUNNING");
  pass_s(2);
  ASSERT_EQ(state(id), "SIGNALING");
  EXPECT_LE(take<Stop>().front().second.order.grace_ms, 90'000);
  pass_s(91);
  EXPECT_EQ(state(id), "COMPLETING") << "SIGTERM comes at the limit, as under Slurm";
}

TEST_F(SaveTime, EachAttemptOfAJobThatIsRequeuedAtItsLimitRunsUpToTheLimit) {
  const JobId id = submit({.time_limit_s = 60, .checkpoint_signal = 10, .with = [](JobSpec& s) {
                             s.requeue_on_timeout = true;
                           }});
  for (int attempt = 1; attempt <= 3; ++attempt) {
    ready(id);
    pass_s(58);
    ASSERT_EQ(state(id), "RUNNING") << attempt;
    pass_s(4);
    ASSERT_EQ(state(id), "SIGNALING") << attempt;
    finish(id, exit_code_saved, true, attempt);
  }
  EXPECT_EQ(job(id).attempts.size(), 4u);
}

TEST_F(SaveTime, ASignalAtTheStartIsRefusedToAJobThatIsRequeuedAtItsLimit) {
  SubmitJob submit;
  submit.spec.command = {"train"};
  submit.spec.work_dir = "/home/u";
  submit.spec.nodes = submit.spec.tasks = 1;
  submit.spec.time_limit_s = 60;
  submit.spec.signal = {10, 60, false};
  submit.spec.requeue_on_timeout = true;
  submit.request_id = "at once";
  const std::string fact = refusal_of(ask(submit));
  EXPECT_NE(fact.find("its --signal comes 60 s before a time limit of 60 s"), fact.npos) << fact;
  submit.spec.signal.seconds_before = 59;
  EXPECT_EQ(refusal_of(ask(submit)), "");
}

TEST_F(SaveTime, ARequeueAtTheLimitThatIsForbiddenIsRefused) {
  SubmitJob submit;
  submit.spec.command = {"train"};
  submit.spec.work_dir = "/home/u";
  submit.spec.nodes = submit.spec.tasks = 1;
  submit.spec.requeue_on_timeout = true;
  submit.spec.requeue = false;
  submit.request_id = "both";
  EXPECT_EQ(refusal_of(ask(submit)),
            "--no-requeue forbids the requeue that --requeue-on-timeout asks for");
  submit.spec.requeue = true;
  EXPECT_EQ(refusal_of(ask(submit)), "");
}

TEST_F(SaveTime, AnEndByTheSignalIsNotReportedAsTheTimeLimit) {
  const auto ended_why = [&](const Ask& wanted) {
    const JobId id = submit(wanted);
    ready(id);
    pass_s(32);
    EXPECT_EQ(state(id), "SIGNALING");
    finish(id, 1);
    return state(id) + ": " + *job(id).job.why;
  };
  const auto signal = [](JobSpec& s) { s.signal = {10, 90, false}; };
  EXPECT_EQ(ended_why({.time_limit_s = 120, .with = signal}),
            "TIMEOUT: signalled 90 s before its time limit of 00:02:00");
  EXPECT_EQ(ended_why({.with =
                           [&](JobSpec& s) {
                             signal(s);
                             s.deadline = now.wall + Milliseconds{120'000};
                           }}),
            "DEADLINE: signalled 90 s before its deadline");
  EXPECT_EQ(ended_why({.time_limit_s = 30, .checkpoint_signal = 10}),
            "TIMEOUT: time limit of 00:00:30 reached");
}

TEST_F(SaveTime, ARankThatDiesOfTheJobsSignalIsReportedAsHavingNoHandler) {
  const auto ended_why = [&](std::int32_t by_signal) {
    const JobId id = submit({.time_limit_s = 120, .with = [](JobSpec& s) {
                               s.signal = {10, 90, false};
                             }});
    ready(id);
    pass_s(32);
    EXPECT_EQ(state(id), "SIGNALING");
    AttemptStatus s = status_of(id, NodePhase::Gone);
    s.ranks = {{0, RankPhase::Exited, 0, by_signal, {}, now.wall, {}}};
    status("n1", s);
    return state(id) + ": " + *job(id).job.why;
  };
  const std::string signalled = "TIMEOUT: signalled 90 s before its time limit of 00:02:00";
  EXPECT_EQ(ended_why(10),
            signalled + "; rank 0 was ended by signal 10, for which it has no handler");
  EXPECT_EQ(ended_why(11), signalled);
}

TEST_F(SaveTime, AJobIsAskedToSaveInTimeForItsGraceToEndAtItsDeadline) {
  const JobId id = submit({.checkpoint_signal = 10, .with = [&](JobSpec& s) {
                             s.deadline = now.wall + Milliseconds{200'000};
                           }});
  ready(id);
  pass_s(139);
  EXPECT_EQ(state(id), "RUNNING");
  pass_s(2);
  ASSERT_EQ(state(id), "SIGNALING");
  EXPECT_EQ(attempt(id).stop.why, StopWhy::Deadline);
  EXPECT_LE(attempt(id).stop.grace_ms, grace.count());
  pass_s(61);
  EXPECT_EQ(state(id), "COMPLETING");
}

TEST_F(SaveTime, ARequeueAsksOnlyAJobWithACheckpointSignalToSave) {
  const auto requeued = [&](const Ask& wanted) {
    const JobId id = submit(wanted);
    ready(id);
    take<Stop>();
    ask(ActOnJobs{JobVerb::Requeue, {id}});
    const StopOrder order = take<Stop>().front().second.order;
    EXPECT_EQ(order.why, StopWhy::Requeue);
    finish(id, 1);
    EXPECT_EQ(job(id).attempts.size(), 2u) << "it starts again";
    ask(ActOnJobs{JobVerb::Cancel, {id}});
    if (is_live(job(id).job.state)) finish(id, 143);
    return order;
  };
  EXPECT_FALSE(requeued({.with = [](JobSpec& s) { s.signal.number = 10; }}).ask_checkpoint)
      << "the job may have asked for the requeue in the handler of its signal";
  EXPECT_FALSE(requeued({}).ask_checkpoint);
  EXPECT_EQ(requeued({}).kill_wait_ms, config.kill_wait.count());
  EXPECT_TRUE(requeued({.checkpoint_signal = 10}).ask_checkpoint);
}

TEST_F(SaveTime, ARequeueDuringTheGraceKeepsTheGrace) {
  const JobId id = submit({.time_limit_s = 60, .checkpoint_signal = 10});
  ready(id);
  pass_s(62);
  ASSERT_EQ(state(id), "SIGNALING");
  take<Stop>();
  ask(ActOnJobs{JobVerb::Requeue, {id}});
  EXPECT_EQ(state(id), "SIGNALING");
  EXPECT_TRUE(take<Stop>().front().second.order.ask_checkpoint);
  finish(id, exit_code_saved, true, 40);
  EXPECT_EQ(state(id), "CONFIGURING");
}

TEST_F(SaveTime, AJobThatIsPreemptedMayRequeueItselfInTheHandlerOfItsSignal) {
  const JobId id = submit({.with = [](JobSpec& s) { s.signal.number = 10; }});
  ready(id);
  ask(ActOnJobs{JobVerb::Preempt, {id}});
  ASSERT_EQ(state(id), "SIGNALING");
  take<Stop>();
  const Reply reply = ask(ActOnJobs{JobVerb::Requeue, {id}});
  EXPECT_FALSE(std::get<Acted>(reply.body).outcomes.front().refused.has_value());
  const StopOrder order = take<Stop>().front().second.order;
  EXPECT_FALSE(order.ask_checkpoint);
  EXPECT_EQ(order.why, StopWhy::Preempt) << "the first request to stop decides";
  finish(id, 1);
  EXPECT_EQ(state(id), "CONFIGURING");
}

TEST_F(SaveTime, TheTimeToSaveOfABackfilledJobIsLearntFromItsSaves) {
  const JobId id = submit({.checkpoint_signal = 10});
  const auto lead = [&] { return filler_lead(controller->cluster(), job(id)); };
  const Milliseconds whole = grace + config.kill_wait;
  const auto save_in = [&](std::int64_t seconds, std::int64_t step) {
    ready(id);
    ask(ActOnJobs{JobVerb::Preempt, {id}});
    pass_s(seconds);
    finish(id, exit_code_saved, true, step);
  };
  EXPECT_EQ(lead(), whole) << "nothing is known yet";
  save_in(2, 1);
  EXPECT_EQ(lead(), Milliseconds{2'000 + 5'000 + 500});
  save_in(8, 2);
  EXPECT_EQ(lead(), Milliseconds{8'000 + 5'000 + 2'000}) << "the slowest of a few";
  restart();
  node("n1", 2);
  EXPECT_EQ(lead(), Milliseconds{15'000}) << "a new controller derives it from the stored attempts";
  save_in(55, 3);
  EXPECT_EQ(lead(), whole) << "never more than the grace";
  for (std::int64_t step = 4; step < 20; ++step) save_in(2, step);
  EXPECT_EQ(lead(), Milliseconds{7'500}) << "old saves count no more";
}

}  // namespace
}  // namespace cox
