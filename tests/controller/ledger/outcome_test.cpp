// Tests what an exit means after a request to stop, as a table. The rules are in ARCHITECTURE.md,
// "Nothing twice, nothing lost".
#include "controller/ledger/outcome.h"

#include <gtest/gtest.h>

namespace cox {
namespace {

struct Exit {
  int code = 0;
  int signal = 0;
  bool saved_after_stop = false;
  bool exited = true;
  std::optional<bool> asked_to_stop = false;
};

Attempt attempt_with(StopWhy why, const std::vector<Exit>& exits) {
  Attempt a;
  a.went = wall_from_ms(1);
  a.stop.why = why;
  a.stop.detail = "asked";
  a.nodes.push_back({});
  a.nodes[0].grant.ranks = static_cast<std::int32_t>(exits.size());
  for (std::size_t i = 0; i < exits.size(); ++i) {
    RankStatus r;
    r.rank = static_cast<std::int32_t>(i);
    r.phase = exits[i].exited ? RankPhase::Exited : RankPhase::Running;
    r.exit_code = exits[i].code;
    r.exit_signal = exits[i].signal;
    r.ended = wall_from_ms(100 + static_cast<std::int64_t>(i));
    r.asked_to_stop = exits[i].asked_to_stop;
    if (exits[i].saved_after_stop) r.saved.push_back({5, 1, 1, true});
    a.ranks.push_back(r);
  }
  return a;
}

Trigger end_of(StopWhy why, const std::vector<Exit>& exits, JobSpec spec = {},
               PreemptMode mode = PreemptMode::Checkpoint) {
  Job job;
  job.spec = spec;
  job.exit_code = 3;  // the code that was recorded when the first rank failed
  return outcome_of(job, attempt_with(why, exits), mode, {{}, {}}).trigger;
}

constexpr Exit zero{};
constexpr Exit one{1, 0};
constexpr Exit saved75{75, 0};
constexpr Exit saved_and_zero{0, 0, true};
constexpr Exit zero_when_asked{0, 0, false, true, true};
constexpr Exit zero_and_not_known{0, 0, false, true, std::nullopt};
constexpr Exit terminated{0, 15};
constexpr Exit killed{0, 9};
constexpr Exit never{0, 0, false, false};

TEST(Outcome, WithoutARequestToStopTheExitCodesDecide) {
  EXPECT_EQ(end_of(StopWhy::None, {zero, zero}), Trigger::EndedCompleted);
  EXPECT_EQ(end_of(StopWhy::JobEnded, {zero, zero}), Trigger::EndedCompleted);
  EXPECT_EQ(end_of(StopWhy::JobEnded, {zero, zero_and_not_known}), Trigger::EndedCompleted)
      << "a worker of the previous version, and nobody asked";
  EXPECT_EQ(end_of(StopWhy::JobEnded, {zero, one}), Trigger::EndedFailed);
  EXPECT_EQ(end_of(StopWhy::JobEnded, {killed}), Trigger::EndedFailed);
  EXPECT_EQ(end_of(StopWhy::RankFailed, {one, terminated}), Trigger::EndedFailed);
  EXPECT_EQ(end_of(StopWhy::OutOfMemory, {killed}), Trigger::EndedOutOfMemory);
}

// Exit code 75 means "saved", but for many programs it is EX_TEMPFAIL. Once a batch script that
// ended with it was requeued for ever.
TEST(Outcome, ExitCode75MeansSavedOnlyWithADeclarationAndACheckpointOfThisAttempt) {
  const Attempt a = attempt_with(StopWhy::JobEnded, {saved75, saved75});
  const Checkpoint own{a.key, 5, 1, 1, wall_from_ms(50), false, false};
  Checkpoint earlier = own;
  earlier.key.attempt = AttemptNumber{7};
  const auto end = [&](const JobSpec& spec, const std::vector<Checkpoint>& checkpoints) {
    Job job;
    job.spec = spec;
    return outcome_of(job, a, PreemptMode::Checkpoint, {checkpoints, {}});
  };
  JobSpec declares;
  declares.checkpoint_signal = 10;
  EXPECT_EQ(end(declares, {own}).trigger, Trigger::Requeued);
  EXPECT_EQ(end(declares, {}).trigger, Trigger::EndedFailed);
  EXPECT_EQ(end(declares, {}).exit_code, 75);
  EXPECT_EQ(end(declares, {}).why,
            "rank 0 exited with 75 (saved), but no checkpoint of this attempt is committed");
  EXPECT_EQ(end(declares, {earlier}).trigger, Trigger::EndedFailed);
  declares.requeue = false;
  EXPECT_EQ(end(declares, {own}).trigger, Trigger::EndedFailed) << "--no-requeue binds the job too";
  EXPECT_EQ(end(declares, {own}).exit_code, 75);
  EXPECT_EQ(end({}, {own}).trigger, Trigger::EndedFailed);
  EXPECT_EQ(end({}, {}).exit_code, 75);
  EXPECT_EQ(end({}, {}).why,
            "rank 0 exited with 75, which means \"saved\" only for a job that declares that it can "
            "save: --checkpoint-signal, --signal, --checkpoint-by=rank0 or --requeue-on-timeout "
            "(see docs/checkpointing.md)");
}

TEST(Outcome, ExitCode75IsNoFailureIfTheNodeCouldNotReadWhatWasSaved) {
  Attempt a = attempt_with(StopWhy::JobEnded, {saved75, saved75});
  a.ranks[1].save_unknown = true;
  Job job;
  JobSpec spec;
  spec.checkpoint_signal = 10;
  job.spec = spec;
  const Outcome again = outcome_of(job, a, PreemptMode::Checkpoint, {{}, {}});
  EXPECT_EQ(again.trigger, Trigger::Requeued);
  EXPECT_EQ(again.why,
            "rank 0 exited with 75 (saved), but its node could not read or write the files, so "
            "whether it has saved is not known");
  spec.requeue = false;
  job.spec = spec;
  EXPECT_EQ(outcome_of(job, a, PreemptMode::Checkpoint, {{}, {}}).trigger, Trigger::EndedFailed);
}

TEST(Outcome, EachOptionAboutSavingDeclaresThatTheJobCanSave) {
  EXPECT_FALSE(declares_saving({}));
  const auto with = [](auto set) {
    JobSpec spec;
    set(spec);
    return declares_saving(spec);
  };
  EXPECT_TRUE(with([](JobSpec& s) { s.checkpoint_signal = 10; }));
  EXPECT_TRUE(with([](JobSpec& s) { s.signal.number = 10; }));
  EXPECT_TRUE(with([](JobSpec& s) { s.requeue_on_timeout = true; }));
  EXPECT_TRUE(with([](JobSpec& s) { s.checkpoint_by = CheckpointBy::Rank0; }));
}

// Most scripts go on after srun and exit with 0, even if their tasks were stopped.
TEST(Outcome, AScriptThatExitsWithZeroIsRequeuedIfItsTasksWereStopped) {
  Job job;
  JobSpec spec;
  spec.form = JobForm::Batch;
  job.spec = spec;
  Attempt a = attempt_with(StopWhy::Preempt, {zero});
  a.stop_asked = wall_from_ms(40);
  Step step;
  step.key = {a.key, 0};
  step.ended = wall_from_ms(50);
  const auto end = [&] {
    return outcome_of(job, a, PreemptMode::Checkpoint, {{}, {step}}).trigger;
  };
  EXPECT_EQ(end(), Trigger::EndedCompleted);
  step.exit_code = 75;
  EXPECT_EQ(end(), Trigger::Requeued);
  step.ended = wall_from_ms(30);
  EXPECT_EQ(end(), Trigger::EndedCompleted) << "it failed before, and the script went on";
  step.exit_code = 0;
  step.nodes = {{"n1", 1, 1, 0, {}, StepPhase::Gone, {{20, 5, 1, true}}}};
  EXPECT_EQ(end(), Trigger::Requeued) << "a task saved to be run again";
}

// A restored database may lack rows of ranks.
TEST(Outcome, AJobIsNotCompletedIfTheExitOfARankIsMissing) {
  Attempt a = attempt_with(StopWhy::JobEnded, {zero, zero});
  const auto end = [&] { return outcome_of({}, a, PreemptMode::Checkpoint, {{}, {}}); };
  EXPECT_EQ(end().trigger, Trigger::EndedCompleted);
  a.ranks.pop_back();
  EXPECT_EQ(end().trigger, Trigger::Requeued);
  EXPECT_EQ(end().why, "how it ended is not known: the exits of 1 of 2 ranks were reported");
  a.ranks.clear();
  EXPECT_EQ(end().trigger, Trigger::Requeued);
}

// The usual idiom: a handler saves and calls exit(0). The work is not done then.
TEST(Outcome, ExitCode0AfterARequestToStopCompletesNoJob) {
  for (const StopWhy why : {StopWhy::Preempt, StopWhy::Drain, StopWhy::Migrate, StopWhy::LeaseEnded,
                            StopWhy::NodeLost}) {
    EXPECT_EQ(end_of(why, {zero, zero_when_asked}), Trigger::Requeued) << name(why);
    EXPECT_EQ(end_of(why, {zero, zero_and_not_known}), Trigger::Requeued) << name(why);
  }
  JobSpec once;
  once.requeue = false;
  EXPECT_EQ(end_of(StopWhy::Preempt, {zero_when_asked}, once), Trigger::EndedPreempted);
  EXPECT_EQ(end_of(StopWhy::NodeLost, {zero_when_asked}, once), Trigger::EndedNodeFail);
  EXPECT_EQ(end_of(StopWhy::Preempt, {zero_when_asked}, {}, PreemptMode::Cancel),
            Trigger::EndedPreempted);
  EXPECT_EQ(end_of(StopWhy::TimeLimit, {zero_when_asked}), Trigger::EndedTimeout);
  EXPECT_EQ(end_of(StopWhy::Deadline, {zero_when_asked}), Trigger::EndedDeadline);
  JobSpec again;
  again.requeue_on_timeout = true;
  EXPECT_EQ(end_of(StopWhy::TimeLimit, {zero_when_asked}, again), Trigger::Requeued);
}

TEST(Outcome, AStepThatTheEndOfItsScriptEndsDoesNotMatter) {
  Job job;
  JobSpec spec;
  spec.form = JobForm::Batch;
  job.spec = spec;
  Attempt a = attempt_with(StopWhy::JobEnded, {zero});
  a.nodes.push_back({});
  a.stop_asked = wall_from_ms(40);
  Step step;
  step.key = {a.key, 0};
  step.exit_signal = 15;
  step.ended = wall_from_ms(50);
  EXPECT_EQ(outcome_of(job, a, PreemptMode::Checkpoint, {{}, {step}}).trigger,
            Trigger::EndedCompleted);
  a.stop.why = StopWhy::Preempt;
  step.exit_signal = 0;
  EXPECT_EQ(outcome_of(job, a, PreemptMode::Checkpoint, {{}, {step}}).trigger,
            Trigger::EndedCompleted);
  step.asked_to_stop = true;
  EXPECT_EQ(outcome_of(job, a, PreemptMode::Checkpoint, {{}, {step}}).trigger, Trigger::Requeued)
      << "the other node has stopped it before the script's node got the request";
}

TEST(Outcome, AJobThatSaidThatItIsFinishedIsCompletedAfterARequestToStop) {
  Attempt a = attempt_with(StopWhy::Preempt, {zero_when_asked, zero_when_asked});
  const auto end = [&] { return outcome_of({}, a, PreemptMode::Checkpoint, {{}, {}}).trigger; };
  EXPECT_EQ(end(), Trigger::Requeued);
  a.finished = true;
  EXPECT_EQ(end(), Trigger::EndedCompleted);
  a.ranks[1].exit_code = 1;
  EXPECT_EQ(end(), Trigger::Requeued) << "saying so is not enough";
}

TEST(Outcome, AfterAPreemptionDrainOrMigrationAJobCompletesOrIsRequeued) {
  for (const StopWhy why : {StopWhy::Preempt, StopWhy::Drain, StopWhy::Migrate}) {
    EXPECT_EQ(end_of(why, {zero, zero}), Trigger::EndedCompleted) << name(why);
    EXPECT_EQ(end_of(why, {saved_and_zero, saved_and_zero}), Trigger::Requeued) << name(why);
    EXPECT_EQ(end_of(why, {saved75, saved75}), Trigger::Requeued) << name(why);
    EXPECT_EQ(end_of(why, {one, zero}), Trigger::Requeued) << name(why);
    EXPECT_EQ(end_of(why, {terminated, killed}), Trigger::Requeued) << name(why);
    EXPECT_EQ(end_of(why, {zero, never}), Trigger::Requeued) << name(why);
  }
}

TEST(Outcome, CancelAndTimeLimitHaveTheirOwnStates) {
  EXPECT_EQ(end_of(StopWhy::Cancel, {zero, zero}), Trigger::EndedCancelled);
  EXPECT_EQ(end_of(StopWhy::TimeLimit, {terminated}), Trigger::EndedTimeout);
  EXPECT_EQ(end_of(StopWhy::TimeLimit, {saved75}), Trigger::EndedTimeout);
  EXPECT_EQ(end_of(StopWhy::TimeLimit, {zero}), Trigger::EndedCompleted);
  JobSpec again;
  again.requeue_on_timeout = true;
  EXPECT_EQ(end_of(StopWhy::TimeLimit, {saved75}, again), Trigger::Requeued);
}

TEST(Outcome, AJobWithNoRequeueEndsInsteadOfBeingRequeued) {
  JobSpec once;
  once.requeue = false;
  EXPECT_EQ(end_of(StopWhy::Preempt, {terminated}, once), Trigger::EndedPreempted);
  EXPECT_EQ(end_of(StopWhy::NodeLost, {never}, once), Trigger::EndedNodeFail);
  EXPECT_EQ(end_of(StopWhy::Requeue, {terminated}, once), Trigger::Requeued)
      << "a user asked for the requeue";
}

TEST(Outcome, AQosThatCancelsEndsPreemptedJobsAndNoOthers) {
  const auto end = [](StopWhy why, Exit exit) {
    return end_of(why, {exit}, {}, PreemptMode::Cancel);
  };
  EXPECT_EQ(end(StopWhy::Preempt, terminated), Trigger::EndedPreempted);
  EXPECT_EQ(end(StopWhy::Preempt, saved75), Trigger::EndedPreempted);
  EXPECT_EQ(end(StopWhy::Preempt, zero), Trigger::EndedCompleted);
  EXPECT_EQ(end(StopWhy::Drain, terminated), Trigger::Requeued);
  EXPECT_EQ(end(StopWhy::Requeue, terminated), Trigger::Requeued);
}

TEST(Outcome, ALaunchThatWasUndoneIsTriedAgainUnlessTheJobIsCancelled) {
  Attempt a = attempt_with(StopWhy::LaunchUndone, {never});
  a.went = Wall{};
  JobSpec once;
  once.requeue = false;
  Job job;
  job.spec = once;
  EXPECT_EQ(outcome_of(job, a, PreemptMode::Checkpoint, {{}, {}}).trigger, Trigger::Requeued);
  a.stop.why = StopWhy::Cancel;
  EXPECT_EQ(outcome_of(job, a, PreemptMode::Checkpoint, {{}, {}}).trigger, Trigger::EndedCancelled);
}

TEST(Outcome, TheExitCodeOfAJobIsThatOfTheFirstRankThatFailed) {
  Attempt a = attempt_with(StopWhy::JobEnded, {zero, {7, 0}, {9, 0}});
  a.ranks[2].ended = wall_from_ms(50);  // rank 2 failed before rank 1
  const Outcome outcome = outcome_of({}, a, PreemptMode::Checkpoint, {{}, {}});
  EXPECT_EQ(outcome.exit_code, 9);
  EXPECT_EQ(outcome.why, "rank 2 exited with 9");
  Job job;
  job.exit_code = 3;
  a.stop.why = StopWhy::RankFailed;
  EXPECT_EQ(outcome_of(job, a, PreemptMode::Checkpoint, {{}, {}}).exit_code, 3)
      << "what was recorded when the gang was ended";
}

}  // namespace
}  // namespace cox
