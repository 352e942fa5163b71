// Tests of the suite that runs over both stores (PostgreSQL and memory): the steps of jobs.
#include "tests/store/store_suite.h"

namespace cox::test {
namespace {

Step a_step(std::int32_t number) {
  Step step;
  step.key = {{JobId{1}, AttemptNumber{1}}, number};
  step.spec.name = "train it's \"{";
  step.request_id = "r" + std::to_string(number);
  step.created = at(1);
  return step;
}

Step a_full_step(std::int32_t number) {
  Step step = a_step(number);
  StepSpec& s = step.spec;
  s.nodes_min = 1, s.nodes_max = 2, s.tasks = 3, s.tasks_per_node = 4, s.cpus_per_task = 5;
  s.nodelist = {"n1", "n 2"};
  s.exclude = {"n3"};
  s.relative = 1, s.plane = 7, s.memory_mb_per_node = 9;
  s.exact = s.overlap = s.immediate = s.overcommit = true;
  s.memory_mb_per_cpu = 512;
  s.gpus_per_node = 0, s.gpus_per_task = 2, s.gpus = 3;
  s.distribution = Distribution::Plane;
  s.time_limit_s = 60;
  s.command_hash = "f00d";
  step.state = JobState::Running;
  step.nodes = {{"n1", 2, 4, 8, {0, 3}, StepPhase::Gone}, {"n 2", 1, 1, 0, {}, StepPhase::Asked}};
  step.tasks = 3;
  step.started = at(2);
  step.exit_code = 3, step.exit_signal = 9;
  step.stopping = step.timed_out = step.out_of_memory = true;
  step.usage = {10, 20, 30};
  step.why = "for people";
  step.asked_to_stop = true;
  step.figures = {3, 60, 700, 800, {30, 2}, {400, 1}, {500, 0}, {9, 1}};
  return step;
}

std::vector<Change> a_running_job() {
  Job running = a_job(1);
  running.state = JobState::Pending;
  Job runs = running;
  runs.state = JobState::Configuring;
  runs.attempt = AttemptNumber{1};
  return {JobAdded{running, {}, {}}, JobChanged{runs, JobState::Pending, running.attempt},
          AttemptAdded{an_attempt(1, 1)}};
}

TEST_P(StoreSuite, StepsOfAJobThatHasNotEndedAreLoadedAsLastStored) {
  Controller controller(*database);
  controller.commit(a_running_job());
  const auto steps = [&] { return load(controller.store(), false).steps; };
  EXPECT_TRUE(steps().empty());
  Step bare = a_step(0), full = a_full_step(1);
  controller.commit({StepPut{full}, StepPut{bare}});
  EXPECT_EQ(steps(), (std::vector<Step>{bare, full}));
  full.state = JobState::Failed;
  full.ended = at(3);
  full.nodes[1].phase = StepPhase::Gone;
  bare.state = JobState::Running;
  bare.started = at(2);
  bare.nodes = {{"n1", 1, 1, 0, {}, StepPhase::Running}};
  Step passing = full;
  passing.why = "";
  controller.commit({StepPut{bare}, StepPut{passing}, StepPut{full}});
  EXPECT_EQ(steps(), (std::vector<Step>{bare, full}));
}

TEST_P(StoreSuite, ContradictoryStepsAreRejected) {
  Controller controller(*database);
  controller.commit(a_running_job());
  Step ended = a_step(0);
  ended.state = JobState::Cancelled;
  ended.ended = at(2);
  controller.commit({StepPut{ended}});
  const auto sqlstate = [&](const Step& step) {
    return controller.commit_refused({StepPut{step}}).sqlstate;
  };
  EXPECT_EQ(sqlstate(ended), "CX002") << "it has ended";
  Step nowhere = a_step(1);
  nowhere.state = JobState::Running;
  nowhere.started = at(2);
  EXPECT_EQ(sqlstate(nowhere), "23514");
  Step unended = a_step(1);
  unended.state = JobState::Completed;
  EXPECT_EQ(sqlstate(unended), "23514");
  Step of_none = a_step(1);
  of_none.key.attempt.attempt = AttemptNumber{2};
  EXPECT_EQ(sqlstate(of_none), "23503");
}

}  // namespace
}  // namespace cox::test
