// The steps of a job, told on the controller alone: srun asks, nodes are told and answer.
#include <gtest/gtest.h>

#include "common/base/limits.h"
#include "tests/controller/bench.h"

namespace cox {
namespace {

class StepsStory : public testing::Test, public Bench {
 protected:
  // A batch job on n1 and n2, two CPUs on each, that runs.
  JobId batch_on_two() {
    node("n1", 2);
    node("n2", 2);
    const JobId id = submit({.nodes = 2, .tasks = 4, .with = [](JobSpec& spec) {
                               spec.form = JobForm::Batch;
                               spec.tasks_per_node = 2;
                             }});
    ready(id);
    for (const char* name : {"n1", "n2"}) status(name, status_of(id, NodePhase::Running));
    return id;
  }
  CreateStep srun(JobId id, std::int64_t tasks, const std::string& request_id) {
    CreateStep ask;
    ask.request_id = request_id;
    ask.job = id;
    ask.spec.name = "train";
    ask.spec.tasks = tasks;
    ask.streams.endpoint = "ipc:///tmp/" + request_id;
    return ask;
  }
  Step created(const CreateStep& ask) {
    const Reply reply = this->ask(ask);
    const auto* shown = std::get_if<StepShown>(&reply.body);
    EXPECT_NE(shown, nullptr) << refusal_of(reply);
    return shown == nullptr ? Step{} : shown->view.step;
  }
  void says(JobId id, const std::string& node, std::vector<StepStatus> steps) {
    AttemptStatus s = status_of(id, NodePhase::Running);
    s.steps = std::move(steps);
    status(node, s);
  }
  static StepStatus at(std::int32_t number, StepPhase phase, std::int32_t exit_code = 0) {
    StepStatus step;
    step.number = number;
    step.phase = phase;
    step.exit_code = exit_code;
    return step;
  }
  // Of both nodes, to a controller that is new.
  void hellos(JobId id) {
    for (const char* name : {"n1", "n2"}) {
      WorkerHello hello;
      hello.node.name = name;
      hello.node.total.cpus = 2;
      hello.session = session[name] = "after the restart";
      hello.number = ++numbers[name];
      hello.attempts = {status_of(id, NodePhase::Running)};
      said(name, hello);
    }
  }
  Step step(JobId id, std::int32_t number) { return *job(id).step(number); }
  std::string step_state(JobId id, std::int32_t number) {
    return std::string(name(step(id, number).state));
  }
  Step stored(JobId id, std::int32_t number) {
    return database->tables.steps.at({attempt(id).key, number});
  }
};

TEST_F(StepsStory, AStepIsPlacedItsNodesAreToldAndItsEndIsTheirWorst) {
  const JobId id = batch_on_two();
  take<LaunchStep>();
  const Step step = created(srun(id, 4, "a"));
  EXPECT_EQ(step.key.number, 0);
  EXPECT_EQ(step.state, JobState::Running);
  const auto told = take<LaunchStep>();
  ASSERT_EQ(told.size(), 2u);
  EXPECT_EQ(told[0].second.launch.ranks, (std::vector<std::int32_t>{0, 1}));
  EXPECT_EQ(told[1].second.launch.ranks, (std::vector<std::int32_t>{2, 3}));
  EXPECT_EQ(told[1].second.launch.nodelist, "n[1-2]");
  EXPECT_EQ(told[1].second.launch.tasks_per_node, "2(x2)");
  EXPECT_EQ(told[1].second.launch.streams.endpoint, "ipc:///tmp/a");
  says(id, "n1", {at(0, StepPhase::Running)});
  says(id, "n2", {at(0, StepPhase::Gone, 3)});
  EXPECT_EQ(step_state(id, 0), "RUNNING");
  says(id, "n1", {at(0, StepPhase::Gone, 1)});
  EXPECT_EQ(step_state(id, 0), "FAILED");
  EXPECT_EQ(stored(id, 0).exit_code, 3);
  EXPECT_EQ(state(id), "RUNNING") << "what becomes of it is the script's affair";
}

TEST_F(StepsStory, AStepIsToldTheJobsTimeLimitAsItIsThen) {
  const JobId id = batch_on_two();
  std::get<Acted>(ask(UpdateJobs{{id}, {""}, {"TimeLimit"}, {"90"}}).body);
  created(srun(id, 1, "a"));
  const auto told = take<LaunchStep>();
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].second.launch.job_time_limit_s, 90 * 60);
}

TEST_F(StepsStory, OneThatWaitsForItsJobIsToldBehindTheGo) {
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
  EXPECT_EQ(order, "go go step ") << "before its go a node takes none";
}

TEST_F(StepsStory, AskingAgainIsTheSameStep) {
  const JobId id = batch_on_two();
  EXPECT_EQ(created(srun(id, 1, "a")).key.number, 0);
  EXPECT_EQ(created(srun(id, 1, "a")).key.number, 0);
  EXPECT_EQ(job(id).steps.size(), 1u);
}

TEST_F(StepsStory, AStepWaitsForRoomAndTheClientIsToldThen) {
  const JobId id = batch_on_two();
  EXPECT_EQ(created(srun(id, 4, "a")).state, JobState::Running);
  CreateStep second = srun(id, 2, "b");
  EXPECT_EQ(created(second).state, JobState::Pending);
  second.wait_ms = 30'000;
  const Request request{900, second};
  controller->receive({"client", {Caller::Kind::Client, "", "ada", 1000, 1000}, Message{request}},
                      now);
  settle();
  EXPECT_TRUE(take<Reply>().empty()) << "it waits with its step";
  says(id, "n1", {at(0, StepPhase::Gone)});
  const auto replies = take<Reply>();
  ASSERT_EQ(replies.size(), 1u);
  EXPECT_EQ(std::get<StepShown>(replies[0].second.body).view.step.state, JobState::Running);
  EXPECT_EQ(step(id, 1).nodes.at(0).node, "n1");
}

TEST_F(StepsStory, OneThatWasAskedForWhileItsJobStoodStillStartsAfterwards) {
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

TEST_F(StepsStory, AnotherControllerStartsNoneThatItCannotTellOf) {
  const JobId id = batch_on_two();
  created(srun(id, 4, "a"));
  created(srun(id, 2, "b"));
  restart();
  hellos(id);
  for (const char* name : {"n1", "n2"}) says(id, name, {at(0, StepPhase::Gone)});
  EXPECT_EQ(step_state(id, 0), "COMPLETED");
  EXPECT_EQ(step_state(id, 1), "PENDING") << "nobody knows where its output shall go";
  EXPECT_EQ(created(srun(id, 2, "b")).state, JobState::Running) << "its srun asks again";
}

TEST_F(StepsStory, WhatCanNeverBeIsRefusedAtOnce) {
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

TEST_F(StepsStory, WhatANodeHasNotHeardIsSaidAgain) {
  const JobId id = batch_on_two();
  created(srun(id, 4, "a"));
  says(id, "n1", {at(0, StepPhase::Running)});
  take<LaunchStep>();
  for (const char* name : {"n1", "n2"})
    beat(name, {{attempt(id).key, 1, NodePhase::Running, 10, 0}});
  const auto told = take<LaunchStep>();
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].first, "worker-n2");
}

TEST_F(StepsStory, AControllerThatIsNewKnowsTheStepsAndAsksTheClientForItsPlace) {
  const JobId id = batch_on_two();
  created(srun(id, 4, "a"));
  created(srun(id, 1, "b"));
  restart();
  EXPECT_EQ(step_state(id, 0), "RUNNING");
  EXPECT_EQ(step_state(id, 1), "PENDING");
  EXPECT_EQ(job(id).next_step, 2);
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
  says(id, "n2", {lost});
  EXPECT_EQ(step_state(id, 0), "RUNNING");
  EXPECT_TRUE(take<StopStep>().empty()) << "a task alone may die of a signal";
  created(srun(id, 4, "b"));
  lost.number = 1;
  lost.daemon_lost = true;
  says(id, "n1", {at(0, StepPhase::Gone)});
  says(id, "n2", {lost});
  const auto told = take<StopStep>();
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].first, "worker-n1");
  EXPECT_EQ(told[0].second.number, 1);
  says(id, "n1", {at(1, StepPhase::Gone)});
  EXPECT_EQ(stored(id, 1).why, "the step daemon of this node was lost");
  EXPECT_EQ(stored(id, 1).exit_signal, 9);
}

TEST_F(StepsStory, AStepIsCancelledAndSignalledAlone) {
  const JobId id = batch_on_two();
  created(srun(id, 2, "a"));
  created(srun(id, 4, "b"));
  SignalJobs act;
  act.ids = {id};
  act.step = 1;
  auto acted = std::get<Acted>(ask(act).body);
  EXPECT_EQ(acted.outcomes.at(0).done, "cancelled") << "it had not begun";
  EXPECT_EQ(step_state(id, 1), "CANCELLED");
  act.step = 0;
  acted = std::get<Acted>(ask(act).body);
  EXPECT_EQ(acted.outcomes.at(0).done, "being cancelled");
  EXPECT_EQ(take<StopStep>().size(), 1u);
  act.signal = 10;
  ask(act);
  EXPECT_EQ(take<SignalAttempt>().at(0).second.step, 0);
  StepStatus ended = at(0, StepPhase::Gone);
  ended.exit_signal = 15;
  says(id, "n1", {ended});
  EXPECT_EQ(step_state(id, 0), "CANCELLED");
  acted = std::get<Acted>(ask(act).body);
  EXPECT_EQ(acted.outcomes.at(0).refused->fact, "step 1.0 has ended");
}

TEST_F(StepsStory, ASignalForStepsIsToBeSentAgainWhileAJobThatJustStartedHasNone) {
  const JobId id = batch_on_two();
  SignalJobs act;
  act.ids = {id};
  act.signal = 10;
  const auto first = std::get<Acted>(ask(act).body);
  ASSERT_TRUE(first.outcomes.at(0).refused);
  EXPECT_EQ(first.outcomes[0].refused->fact, "Job is pending execution: job 1 has no step yet");
  act.to_batch = true;
  EXPECT_EQ(std::get<Acted>(ask(act).body).outcomes.at(0).done, "sent signal 10");
  act.to_batch = false;
  take<SignalAttempt>();
  created(srun(id, 2, "a"));
  EXPECT_EQ(std::get<Acted>(ask(act).body).outcomes.at(0).done, "sent signal 10");
  EXPECT_EQ(take<SignalAttempt>().size(), 2u);
}

TEST_F(StepsStory, ASignalForStepsIsTakenOfAJobThatHasStartedNoneFor5s) {
  const JobId id = batch_on_two();
  SignalJobs act;
  act.ids = {id};
  act.signal = 10;
  now.wall += Milliseconds{4'999};
  EXPECT_TRUE(std::get<Acted>(ask(act).body).outcomes.at(0).refused);
  now.wall -= Milliseconds{3'600'000};
  EXPECT_FALSE(std::get<Acted>(ask(act).body).outcomes.at(0).refused) << "the clock was set back";
  now.wall += Milliseconds{3'600'001};
  EXPECT_EQ(std::get<Acted>(ask(act).body).outcomes.at(0).done, "sent signal 10");
}

TEST_F(StepsStory, StepsEndWithTheirJobAndAreCountedAnewInTheNextAttempt) {
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

TEST_F(StepsStory, WhatAllItsNodesHaveSavedIsACheckpointOfTheJob) {
  const JobId id = batch_on_two();
  created(srun(id, 4, "a"));
  const auto saved = [&](const char* node, std::vector<SavedStep> steps) {
    StepStatus said = at(0, StepPhase::Running);
    said.saved = std::move(steps);
    says(id, node, {said});
  };
  saved("n1", {{10, 100, 2}, {20, 100, 2}});
  EXPECT_TRUE(job(id).checkpoints.empty());
  saved("n2", {{10, 50, 2}});
  ASSERT_EQ(job(id).checkpoints.size(), 1u);
  EXPECT_EQ(job(id).checkpoints[0].step, 10);
  EXPECT_EQ(job(id).checkpoints[0].bytes, 150);
  EXPECT_EQ(job(id).checkpoints[0].files, 4);
}

// Its script ends well, whatever its step was asked for: that it saved then says that it has more
// to do.
TEST_F(StepsStory, AJobWhoseStepSavedWhenItWasPreemptedRunsAgain) {
  const JobId id = batch_on_two();
  created(srun(id, 4, "a"));
  now.wall += Milliseconds{5'000};
  ask(ActOnJobs{JobVerb::Preempt, {id}});
  EXPECT_EQ(state(id), "SIGNALING");
  StepStatus said = at(0, StepPhase::Gone);
  said.saved = {{10, 100, 2, true}};
  for (const char* name : {"n1", "n2"}) says(id, name, {said});
  AttemptStatus script = status_of(id, NodePhase::Gone);
  script.ranks.emplace_back().phase = RankPhase::Exited;
  status("n1", script);
  status("n2", status_of(id, NodePhase::Gone));
  EXPECT_EQ(state(id), "CONFIGURING");
  ready(id);
  EXPECT_EQ(attempt(id).resume, (ResumeFrom{AttemptNumber{1}, 10}));
}

TEST_F(StepsStory, AStepEndsAsItsTasksDidAndWhyItWasStopped) {
  struct Row {
    const char* state;
    StepStatus end;
    bool stopped = false;  // by `scancel JOB.STEP`
  };
  const auto ends = [](std::int32_t code, std::int32_t signal, bool timed_out = false,
                       bool out_of_memory = false) {
    StepStatus said = at(0, StepPhase::Gone, code);
    said.exit_signal = signal;
    said.timed_out = timed_out;
    said.out_of_memory = out_of_memory;
    return said;
  };
  const JobId id = batch_on_two();
  std::int32_t number = 0;
  for (const Row& row : std::vector<Row>{{"COMPLETED", ends(0, 0)},
                                         {"FAILED", ends(1, 0)},
                                         {"FAILED", ends(0, 9)},
                                         {"TIMEOUT", ends(0, 0, true)},
                                         {"TIMEOUT", ends(0, 9, true, true)},
                                         {"OUT_OF_MEMORY", ends(0, 0, false, true)},
                                         {"COMPLETED", ends(0, 0), true},
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
    says(id, "n1", {end});
    EXPECT_EQ(step_state(id, number), row.state) << "step " << number;
    ++number;
  }
}

TEST_F(StepsStory, AStepKilledWithItsJobEndsAsItsJobDoesAndAFailureOfItsOwnIsOne) {
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
  says(id, "n1", {killed, failed, at(2, StepPhase::Gone)});
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

TEST_F(StepsStory, TheWorstCodeTheFirstSignalAndTheFirstNoteOfItsNodesAreKept) {
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
  says(id, "n2", {first});
  says(id, "n2", {first});  // said twice
  says(id, "n1", {second});
  const Step step = stored(id, 0);
  EXPECT_EQ(step.exit_code, 2);
  EXPECT_EQ(step.exit_signal, 6);
  EXPECT_EQ(step.why, "its client is gone");
  EXPECT_TRUE(step.out_of_memory);
  EXPECT_FALSE(step.timed_out);
  EXPECT_EQ(step.usage.user_cpu_ms, 42);
  EXPECT_EQ((step.ended - step.started).count(), 5'000);
}

TEST_F(StepsStory, ANumberBeyondItsLimitIsRefused) {
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
