// Tests srun's steps in the controller: srun's requests, the orders to the nodes, and the nodes'
// reports.
#include <gtest/gtest.h>

#include "common/base/limits.h"
#include "tests/controller/attempt/steps_story.h"

namespace cox {
namespace {

TEST_F(StepsStory, AStepIsPlacedAndLaunchedAndEndsWithTheWorstResultOfItsNodes) {
  const JobId id = batch_on_two();
  take<LaunchStep>();
  const Step step = created(srun(id, 4, "a"));
  EXPECT_EQ(step.key.number, 0);
  EXPECT_EQ(step.state, JobState::Running);
  const auto launches = take<LaunchStep>();
  ASSERT_EQ(launches.size(), 2u);
  EXPECT_EQ(launches[0].second.launch.ranks, (std::vector<std::int32_t>{0, 1}));
  EXPECT_EQ(launches[1].second.launch.ranks, (std::vector<std::int32_t>{2, 3}));
  EXPECT_EQ(launches[1].second.launch.nodelist, "n[1-2]");
  EXPECT_EQ(launches[1].second.launch.tasks_per_node, "2(x2)");
  EXPECT_EQ(launches[1].second.launch.streams.endpoint, "ipc:///tmp/a");
  reports(id, "n1", {at(0, StepPhase::Running)});
  reports(id, "n2", {at(0, StepPhase::Gone, 3)});
  EXPECT_EQ(step_state(id, 0), "RUNNING");
  reports(id, "n1", {at(0, StepPhase::Gone, 1)});
  EXPECT_EQ(step_state(id, 0), "FAILED");
  EXPECT_EQ(stored(id, 0).exit_code, 3);
  EXPECT_EQ(state(id), "RUNNING") << "the script decides how the job ends";
}

TEST_F(StepsStory, AStepIsLaunchedWithTheCurrentTimeLimitOfItsJob) {
  const JobId id = batch_on_two();
  std::get<Acted>(ask(UpdateJobs{{id}, {""}, {"TimeLimit"}, {"90"}}).body);
  created(srun(id, 1, "a"));
  const auto launches = take<LaunchStep>();
  ASSERT_EQ(launches.size(), 1u);
  EXPECT_EQ(launches[0].second.launch.job_time_limit_s, 90 * 60);
}

TEST_F(StepsStory, AStepThatWaitsForItsJobIsLaunchedAfterTheGo) {
  node("n1", 2);
  node("n2", 2);
  const JobId id =
      submit({.nodes = 2, .tasks = 2, .with = [](JobSpec& spec) { spec.form = JobForm::Batch; }});
  EXPECT_EQ(created(srun(id, 1, "a")).state, JobState::Pending) << "its job is CONFIGURING";
  sent.clear();
  ready(id);
  std::string order;
  for (const Outgoing& one : sent) {
    if (std::holds_alternative<Go>(one.message)) order += "go ";
    if (std::holds_alternative<LaunchStep>(one.message)) order += "step ";
  }
  EXPECT_EQ(order, "go go step ") << "a node accepts no step before its Go";
}

TEST_F(StepsStory, ARepeatedRequestReturnsTheSameStep) {
  const JobId id = batch_on_two();
  EXPECT_EQ(created(srun(id, 1, "a")).key.number, 0);
  EXPECT_EQ(created(srun(id, 1, "a")).key.number, 0);
  EXPECT_EQ(job(id).steps.size(), 1u);
}

TEST_F(StepsStory, AStepWaitsForRoomAndTheReplyComesWhenItStarts) {
  const JobId id = batch_on_two();
  EXPECT_EQ(created(srun(id, 4, "a")).state, JobState::Running);
  CreateStep second = srun(id, 2, "b");
  EXPECT_EQ(created(second).state, JobState::Pending);
  second.wait_ms = 30'000;
  const Request request{900, second};
  controller->receive({"client", {Caller::Kind::Client, "", "ada", 1000, 1000}, Message{request}},
                      now);
  settle();
  EXPECT_TRUE(take<Reply>().empty()) << "the reply waits for the step";
  reports(id, "n1", {at(0, StepPhase::Gone)});
  const auto replies = take<Reply>();
  ASSERT_EQ(replies.size(), 1u);
  EXPECT_EQ(std::get<StepShown>(replies[0].second.body).view.step.state, JobState::Running);
  EXPECT_EQ(step(id, 1).nodes.at(0).node, "n1");
}

TEST_F(StepsStory, AStepThatWasRequestedWhileItsJobWasSuspendedStartsAfterTheResume) {
  const JobId id = batch_on_two();
  take<LaunchStep>();
  ask(ActOnJobs{JobVerb::Suspend, {id}});
  EXPECT_EQ(created(srun(id, 1, "a")).state, JobState::Pending);
  for (const char* name : {"n1", "n2"}) {
    AttemptStatus still = status_of(id, NodePhase::Running);
    still.suspension = attempt(id).suspension;
    status(name, still);
  }
  ask(ActOnJobs{JobVerb::Resume, {id}});
  EXPECT_EQ(step_state(id, 0), "RUNNING");
  EXPECT_EQ(take<LaunchStep>().size(), 1u);
}

TEST_F(StepsStory, ANewControllerStartsAPendingStepOnlyWhenItsClientAsksAgain) {
  const JobId id = batch_on_two();
  created(srun(id, 4, "a"));
  created(srun(id, 2, "b"));
  restart();
  hellos(id);
  for (const char* name : {"n1", "n2"}) reports(id, name, {at(0, StepPhase::Gone)});
  EXPECT_EQ(step_state(id, 0), "COMPLETED");
  EXPECT_EQ(step_state(id, 1), "PENDING") << "the controller does not know the place of its output";
  EXPECT_EQ(created(srun(id, 2, "b")).state, JobState::Running) << "its srun asks again";
}

TEST_F(StepsStory, AStepThatCanNeverStartIsRefusedAtOnce) {
  const JobId id = batch_on_two();
  EXPECT_EQ(refusal_of(ask(srun(id, 5, "a"))), "More processors requested than permitted");
  EXPECT_EQ(refusal_of(ask(srun(JobId{99}, 1, "b"))), "Invalid job id specified");
  const JobId waiting = submit({.nodes = 2, .tasks = 4});
  EXPECT_EQ(refusal_of(ask(srun(waiting, 1, "c"))), "Job is pending execution");
  user = "eve";
  CreateStep foreign = srun(id, 1, "d");
  const Request request{901, foreign};
  controller->receive({"client", {Caller::Kind::Client, "", "eve", 2000, 2000}, Message{request}},
                      now);
  settle();
  EXPECT_EQ(refusal_of(take<Reply>().at(0).second), "Access/permission denied");
  EXPECT_TRUE(job(id).steps.empty());
}

TEST_F(StepsStory, ALaunchOfAStepThatANodeHasNotReceivedIsSentAgain) {
  const JobId id = batch_on_two();
  created(srun(id, 4, "a"));
  reports(id, "n1", {at(0, StepPhase::Running)});
  take<LaunchStep>();
  for (const char* name : {"n1", "n2"})
    beat(name, {{attempt(id).key, 1, NodePhase::Running, 10, 0}});
  const auto launches = take<LaunchStep>();
  ASSERT_EQ(launches.size(), 1u);
  EXPECT_EQ(launches[0].first, "worker-n2");
}

TEST_F(StepsStory, ANewControllerHasTheStepsAndLaunchesThemAgainWhenTheClientAsks) {
  const JobId id = batch_on_two();
  created(srun(id, 4, "a"));
  created(srun(id, 1, "b"));
  restart();
  EXPECT_EQ(step_state(id, 0), "RUNNING");
  EXPECT_EQ(step_state(id, 1), "PENDING");
  EXPECT_EQ(job(id).next_step(), 2);
  hellos(id);
  take<LaunchStep>();
  EXPECT_EQ(created(srun(id, 4, "a")).key.number, 0);
  EXPECT_EQ(take<LaunchStep>().size(), 2u);
}

TEST_F(StepsStory, AStepThatHasLostADaemonEndsOnAllItsNodes) {
  const JobId id = batch_on_two();
  created(srun(id, 4, "a"));
  StepStatus lost = at(0, StepPhase::Gone);
  lost.exit_signal = 9;
  lost.note = "the step daemon of this node was lost";
  reports(id, "n2", {lost});
  EXPECT_EQ(step_state(id, 0), "RUNNING");
  EXPECT_TRUE(take<StopStep>().empty()) << "a single task may die of a signal too";
  created(srun(id, 4, "b"));
  lost.number = 1;
  lost.daemon_lost = true;
  reports(id, "n1", {at(0, StepPhase::Gone)});
  reports(id, "n2", {lost});
  const auto stops = take<StopStep>();
  ASSERT_EQ(stops.size(), 1u);
  EXPECT_EQ(stops[0].first, "worker-n1");
  EXPECT_EQ(stops[0].second.number, 1);
  reports(id, "n1", {at(1, StepPhase::Gone)});
  EXPECT_EQ(stored(id, 1).why, "the step daemon of this node was lost");
  EXPECT_EQ(stored(id, 1).exit_signal, 9);
}

TEST_F(StepsStory, StepsEndWithTheirJobAndTheNextAttemptNumbersThemFromZero) {
  const JobId id = batch_on_two();
  created(srun(id, 4, "a"));
  created(srun(id, 1, "b"));
  ask(ActOnJobs{JobVerb::Requeue, {id}});
  const AttemptKey first = attempt(id).key;
  for (const char* name : {"n1", "n2"}) status(name, status_of(id, NodePhase::Gone));
  EXPECT_EQ(database->tables.steps.at({first, 0}).state, JobState::Cancelled);
  EXPECT_EQ(database->tables.steps.at({first, 1}).state, JobState::Cancelled);
  ready(id);
  for (const char* name : {"n1", "n2"}) status(name, status_of(id, NodePhase::Running));
  EXPECT_EQ(created(srun(id, 4, "c")).key.number, 0);
}

TEST_F(StepsStory, ACheckpointIsCommittedWhenAllNodesOfAStepHaveSavedIt) {
  const JobId id = batch_on_two();
  created(srun(id, 4, "a"));
  const auto saved = [&](const char* node, std::vector<SavedStep> steps) {
    StepStatus step_status = at(0, StepPhase::Running);
    step_status.saved = std::move(steps);
    reports(id, node, {step_status});
  };
  saved("n1", {{10, 100, 2}, {20, 100, 2}});
  EXPECT_TRUE(job(id).checkpoints.empty());
  saved("n2", {{10, 50, 2}});
  ASSERT_EQ(job(id).checkpoints.size(), 1u);
  EXPECT_EQ(job(id).checkpoints[0].step, 10);
  EXPECT_EQ(job(id).checkpoints[0].bytes, 150);
  EXPECT_EQ(job(id).checkpoints[0].files, 4);
}

// The job's script exits with 0, but its step saved when it was asked to. That shows that the job
// has more to do, so it is requeued.
TEST_F(StepsStory, AJobWhoseStepSavedWhenItWasPreemptedRunsAgain) {
  const JobId id = batch_on_two();
  created(srun(id, 4, "a"));
  now.wall += Milliseconds{5'000};
  ask(ActOnJobs{JobVerb::Preempt, {id}});
  EXPECT_EQ(state(id), "SIGNALING");
  StepStatus step_status = at(0, StepPhase::Gone);
  step_status.saved = {{10, 100, 2, true}};
  for (const char* name : {"n1", "n2"}) reports(id, name, {step_status});
  AttemptStatus script = status_of(id, NodePhase::Gone);
  script.ranks.emplace_back().phase = RankPhase::Exited;
  status("n1", script);
  status("n2", status_of(id, NodePhase::Gone));
  EXPECT_EQ(state(id), "CONFIGURING");
  ready(id);
  EXPECT_EQ(attempt(id).resume, (ResumeFrom{AttemptNumber{1}, 10}));
}

TEST_F(StepsStory, TheStateOfAStepFollowsFromItsTasksAndFromTheStop) {
  struct Row {
    const char* state;
    StepStatus end;
    bool stopped = false;  // by `scancel JOB.STEP`
  };
  const auto ends = [](std::int32_t code, std::int32_t signal, bool timed_out = false,
                       bool out_of_memory = false) {
    StepStatus step_status = at(0, StepPhase::Gone, code);
    step_status.exit_signal = signal;
    step_status.timed_out = timed_out;
    step_status.out_of_memory = out_of_memory;
    return step_status;
  };
  const JobId id = batch_on_two();
  std::int32_t number = 0;
  for (const Row& row : std::vector<Row>{{"COMPLETED", ends(0, 0)},
                                         {"FAILED", ends(1, 0)},
                                         {"FAILED", ends(0, 9)},
                                         {"TIMEOUT", ends(0, 0, true)},
                                         {"TIMEOUT", ends(0, 9, true, true)},
                                         {"OUT_OF_MEMORY", ends(0, 0, false, true)},
                                         {"CANCELLED", ends(0, 0), true},
                                         {"CANCELLED", ends(1, 0), true},
                                         {"CANCELLED", ends(0, 15), true},
                                         {"TIMEOUT", ends(0, 15, true), true}}) {
    created(srun(id, 1, "s" + std::to_string(number)));
    if (row.stopped) {
      SignalJobs stop;
      stop.ids = {id};
      stop.step = number;
      ask(stop);
    }
    StepStatus end = row.end;
    end.number = number;
    reports(id, "n1", {end});
    EXPECT_EQ(step_state(id, number), row.state) << "step " << number;
    ++number;
  }
}

TEST_F(StepsStory, AStepKilledWithItsJobHasTheStateOfTheJobUnlessItFailedItself) {
  node("n1", 4);
  const JobId id = submit(
      {.tasks = 4, .time_limit_s = 60, .with = [](JobSpec& spec) { spec.form = JobForm::Batch; }});
  ready(id);
  status("n1", status_of(id, NodePhase::Running));
  for (const char* name : {"a", "b", "c", "d"}) {
    CreateStep ask = srun(id, 1, name);
    ask.spec.overlap = true;
    EXPECT_EQ(created(ask).state, JobState::Running);
  }
  pass_with_beats(Milliseconds{61'000}, {"n1"});
  ASSERT_EQ(attempt(id).stop.why, StopWhy::TimeLimit);
  StepStatus killed = at(0, StepPhase::Gone), failed = at(1, StepPhase::Gone, 1);
  killed.exit_signal = 15;
  StepStatus well = at(2, StepPhase::Gone);
  well.asked_to_stop = false;
  reports(id, "n1", {killed, failed, well});
  finish(id, 0);
  const AttemptKey key{id, AttemptNumber{1}};
  const auto end = [&](std::int32_t number) {
    const Step& step = database->tables.steps.at({key, number});
    return std::string(name(step.state)) + " " + step.why;
  };
  EXPECT_EQ(end(0), "TIMEOUT ");
  EXPECT_EQ(end(1), "FAILED ");
  EXPECT_EQ(end(2), "COMPLETED ");
  EXPECT_EQ(end(3), "TIMEOUT with its job");
}

TEST_F(StepsStory, AStepWhoseDaemonsEndWithTheAttemptEndsAsItsJobDoes) {
  node("n1", 2);
  node("n2", 2);
  const JobId id = submit({.nodes = 2, .tasks = 4, .time_limit_s = 60, .with = [](JobSpec& spec) {
                             spec.form = JobForm::Batch;
                           }});
  ready(id);
  for (const char* name : {"n1", "n2"}) status(name, status_of(id, NodePhase::Running));
  created(srun(id, 4, "a"));
  pass_with_beats(Milliseconds{61'000}, {"n1", "n2"});
  ASSERT_EQ(attempt(id).stop.why, StopWhy::TimeLimit);
  StepStatus lost = at(0, StepPhase::Gone);
  lost.daemon_lost = true;
  lost.exit_signal = 9;
  reports(id, "n2", {lost});
  EXPECT_FALSE(step(id, 0).stopping) << "its end is the end of the attempt";
  reports(id, "n1", {lost});
  EXPECT_EQ(step_state(id, 0), "TIMEOUT");
}

TEST_F(StepsStory, AStepKeepsTheWorstCodeTheFirstSignalAndTheFirstNoteOfItsNodes) {
  const JobId id = batch_on_two();
  created(srun(id, 4, "a"));
  StepStatus first = at(0, StepPhase::Gone, 2), second = at(0, StepPhase::Gone, 1);
  first.exit_signal = 6;
  first.note = "its client is gone";
  first.out_of_memory = true;
  first.usage.user_cpu_ms = 30;
  second.exit_signal = 9;
  second.note = "a file cannot be opened";
  second.usage.user_cpu_ms = 12;
  now.wall += Milliseconds{5'000};
  reports(id, "n2", {first});
  reports(id, "n2", {first});  // sent twice
  reports(id, "n1", {second});
  const Step step = stored(id, 0);
  EXPECT_EQ(step.exit_code, 2);
  EXPECT_EQ(step.exit_signal, 6);
  EXPECT_EQ(step.why, "its client is gone");
  EXPECT_TRUE(step.out_of_memory);
  EXPECT_FALSE(step.timed_out);
  EXPECT_EQ(step.usage.user_cpu_ms, 42);
  EXPECT_EQ((step.ended - step.started).count(), 5'000);
}

TEST_F(StepsStory, AStepWithAnOptionBeyondItsRangeIsRefused) {
  const JobId id = batch_on_two();
  struct Row {
    std::function<void(StepSpec&, std::int64_t)> set;
    std::int64_t least;
    std::int64_t most;
  };
  using S = StepSpec;
  for (const Row& row : std::vector<Row>{
           {[](S&s, auto n) { s.nodes_min = n; }, 0, limits::nodes_per_job_max},
           {[](S&s, auto n) { s.nodes_max = n; }, 0, limits::nodes_per_job_max},
           {[](S&s, auto n) { s.tasks = n; }, 0, limits::tasks_per_job_max},
           {[](S&s, auto n) { s.tasks_per_node = n; }, 0, limits::tasks_per_job_max},
           {[](S&s, auto n) { s.cpus_per_task = n; }, 0, limits::cpus_per_task_max},
           {[](S&s, auto n) { s.memory_mb_per_node = n; }, 0, limits::memory_mb_per_node_max},
           {[](S&s, auto n) { s.memory_mb_per_cpu = n; }, 0, limits::memory_mb_per_node_max},
           {[](S&s, auto n) { s.gpus_per_node = n; }, -1, limits::gpus_per_node_max},
           {[](S&s, auto n) { s.gpus_per_task = n; }, -1, limits::gpus_per_node_max},
           {[](S&s, auto n) { s.gpus = n; }, -1, limits::gpus_per_job_max},
           {[](S&s, auto n) { s.plane = n; }, 0, limits::tasks_per_job_max},
           {[](S&s, auto n) { s.relative = n; }, -1, limits::nodes_per_job_max},
           {[](S&s, auto n) { s.time_limit_s = n; }, 0, limits::time_limit_s_max}}) {
    const auto refused = [&](std::int64_t n) {
      CreateStep ask = srun(id, 1, "x" + std::to_string(++requests));
      row.set(ask.spec, n);
      return refusal_of(this->ask(ask))
          .ends_with("; it may be " + std::to_string(row.least) + " to " +
                     std::to_string(row.most));
    };
    EXPECT_TRUE(refused(row.least - 1));
    EXPECT_FALSE(refused(row.least));
    EXPECT_FALSE(refused(row.most));
    EXPECT_TRUE(refused(row.most + 1));
  }
}

}  // namespace
}  // namespace cox
