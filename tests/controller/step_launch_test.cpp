// Tests srun's steps in the controller: the orders to the nodes, the resources that a step holds
// until it ends, and the replies to srun.
#include <gtest/gtest.h>

#include "tests/controller/bench.h"

namespace cox {
namespace {

class StepLaunches : public testing::Test, public Bench {
 protected:
  JobId running_batch(std::int64_t nodes, const std::function<void(JobSpec&)>& edit) {
    const JobId id = submit({.nodes = nodes, .tasks = nodes, .with = [&](JobSpec& spec) {
                               spec.form = JobForm::Batch;
                               edit(spec);
                             }});
    ready(id);
    const Attempt live = attempt(id);
    for (const AttemptNode& n : live.nodes) status(n.grant.node, status_of(id, NodePhase::Running));
    return id;
  }
  // Returns a request for a step of one task with --exact: the step gets only the CPUs that it asks
  // for. `edit` changes the step.
  CreateStep srun(JobId id, const std::function<void(StepSpec&)>& edit = {}) {
    CreateStep ask;
    ask.request_id = "step" + std::to_string(++asked);
    ask.job = id;
    ask.spec.name = "train";
    ask.spec.tasks = 1;
    ask.spec.exact = true;
    ask.streams.endpoint = "ipc:///tmp/srun";
    if (edit) edit(ask.spec);
    return ask;
  }
  // Requests a step. Returns its resources on each node, such as "on n1: 1 CPU, 0 MB, GPUs 0 1",
  // its state if it does not run, or the refusal.
  std::string placed(const CreateStep& ask) {
    const Reply reply = this->ask(ask);
    const auto* shown = std::get_if<StepShown>(&reply.body);
    return shown == nullptr ? refusal_of(reply) : text_of(shown->view.step);
  }
  static std::string text_of(const Step& step) {
    if (step.state != JobState::Running) return std::string(name(step.state));
    std::string text;
    for (const StepNode& node : step.nodes) {
      text += (text.empty() ? "on " : "; on ") + node.node + ": " + std::to_string(node.cpus) +
              " CPU, " + std::to_string(node.memory_mb) + " MB, GPUs";
      for (const std::int32_t gpu : node.gpus) text += " " + std::to_string(gpu);
    }
    return text;
  }
  std::string step(JobId id, std::int32_t number) { return text_of(*job(id).step(number)); }
  void end(JobId id, const std::string& node, std::int32_t number) {
    AttemptStatus s = status_of(id, NodePhase::Running);
    StepStatus& gone = s.steps.emplace_back();
    gone.number = number;
    gone.phase = StepPhase::Gone;
    status(node, s);
  }
  int asked = 0;
};

TEST_F(StepLaunches, EachNodeReceivesItsPartOfTheStep) {
  node("n1", 4, {}, {}, 4);
  node("n2", 4, {}, {}, 4);
  const JobId id = running_batch(2, [](JobSpec& s) {
    s.tasks = 8;
    s.tasks_per_node = 4;
    s.gpus_per_node = 4;
    s.memory_mb_per_node = 800;
    s.time_limit_s = 600;
  });
  take<LaunchStep>();
  CreateStep ask = srun(id, [](StepSpec& s) {
    s.tasks = 4;
    s.nodes_min = s.nodes_max = 2;
    s.cpus_per_task = 2;
    s.memory_mb_per_node = 300;
    s.gpus_per_task = 1;
    s.distribution = Distribution::Cyclic;
    s.time_limit_s = 7;
    s.component = -1;
  });
  ask.streams = {"tcp://10.0.0.9:5000", "server", "public", "secret"};
  const Reply reply = this->ask(ask);
  StepLaunch first;
  first.name = "train";
  first.ranks = {0, 2};
  first.tasks = 4;
  first.nodes = 2;
  first.nodelist = "n[1-2]";
  first.tasks_per_node = "2(x2)";
  first.cpus = 4;
  first.cpus_per_task = 2;
  first.memory_mb = 300;
  first.gpus = {0, 1};
  first.gpus_per_task = 1;
  first.distribution = Distribution::Cyclic;
  first.time_limit_ms = 7'000;
  first.job_time_limit_s = 600;
  first.kill_wait_ms = 30'000;
  first.streams = ask.streams;
  StepLaunch second = first;
  second.node_index = 1;
  second.ranks = {1, 3};
  const auto launches = take<LaunchStep>();
  ASSERT_EQ(launches.size(), 2U);
  EXPECT_EQ(launches[0].first, "worker-n1");
  EXPECT_EQ(launches[0].second.launch, first);
  EXPECT_EQ(launches[0].second.key, attempt(id).key);
  EXPECT_EQ(launches[0].second.term, controller->cluster().term());
  EXPECT_EQ(launches[1].first, "worker-n2");
  EXPECT_EQ(launches[1].second.launch, second);
  Step expected;
  expected.key = {attempt(id).key, 0};
  expected.spec = ask.spec;
  expected.spec.component = 0;
  expected.request_id = ask.request_id;
  expected.state = JobState::Running;
  expected.nodes = {{"n1", 2, 4, 300, {0, 1}, StepPhase::Asked},
                    {"n2", 2, 4, 300, {0, 1}, StepPhase::Asked}};
  expected.tasks = 4;
  expected.created = expected.started = now.wall;
  EXPECT_EQ(*job(id).step(0), expected);
  const StepShown& shown = std::get<StepShown>(reply.body);
  EXPECT_EQ(shown.view.step, expected);
  EXPECT_EQ(shown.view.user_name + " in " + shown.view.partition, "ada in main");
  EXPECT_EQ(shown.view.array_task, -1);
  EXPECT_EQ(shown.waits, "");
}

TEST_F(StepLaunches, AStepHoldsTheGpusThatItAsksForUntilItEnds) {
  node("n1", 9, {}, {}, 4);
  const JobId id = running_batch(1, [](JobSpec& s) { s.tasks = 9, s.gpus_per_node = 4; });
  const auto with = [&](const std::function<void(StepSpec&)>& edit) {
    return placed(srun(id, edit));
  };
  using S = StepSpec;
  EXPECT_EQ(with([](S& s) { s.gpus_per_node = 1; }), "on n1: 1 CPU, 0 MB, GPUs 0");
  EXPECT_EQ(with([](S& s) { s.gpus_per_task = 1; }), "on n1: 1 CPU, 0 MB, GPUs 1");
  EXPECT_EQ(with([](S& s) { s.gpus = 1; }), "on n1: 1 CPU, 0 MB, GPUs 2");
  EXPECT_EQ(with([](S&) {}), "on n1: 1 CPU, 0 MB, GPUs 0 1 2 3") << "it shares them with all";
  EXPECT_EQ(with([](S& s) { s.gpus_per_node = 0; }), "on n1: 1 CPU, 0 MB, GPUs");
  EXPECT_EQ(with([](S& s) { s.gpus_per_node = 1; }), "on n1: 1 CPU, 0 MB, GPUs 3");
  EXPECT_EQ(with([](S& s) { s.gpus_per_node = 1; }), "PENDING");
  EXPECT_EQ(with([](S& s) { s.gpus_per_node = 2, s.overlap = true; }),
            "on n1: 1 CPU, 0 MB, GPUs 0 1");
  end(id, "n1", 1);
  EXPECT_EQ(step(id, 6), "on n1: 1 CPU, 0 MB, GPUs 1");
}

TEST_F(StepLaunches, AStepHoldsItsMemoryAndItsCpusUntilItEnds) {
  node("n1", 4);
  const JobId id = running_batch(1, [](JobSpec& s) { s.tasks = 4, s.memory_mb_per_node = 1'000; });
  const auto launch_outcome = [&](std::int64_t cpus, std::int64_t memory_mb, bool overlap = false) {
    return placed(srun(id, [&](StepSpec& s) {
      s.cpus_per_task = cpus;
      s.memory_mb_per_node = memory_mb;
      s.overlap = overlap;
    }));
  };
  EXPECT_EQ(launch_outcome(1, 600), "on n1: 1 CPU, 600 MB, GPUs");
  EXPECT_EQ(launch_outcome(1, 401), "PENDING");
  EXPECT_EQ(launch_outcome(3, 400), "on n1: 3 CPU, 400 MB, GPUs");
  EXPECT_EQ(launch_outcome(1, 0), "PENDING") << "all CPUs are held";
  EXPECT_EQ(launch_outcome(4, 1'000, true), "on n1: 4 CPU, 1000 MB, GPUs")
      << "it shares, and holds nothing";
  end(id, "n1", 0);
  EXPECT_EQ(step(id, 1), "on n1: 1 CPU, 401 MB, GPUs");
  EXPECT_EQ(step(id, 3), "PENDING");
  end(id, "n1", 2);
  EXPECT_EQ(step(id, 3), "on n1: 1 CPU, 0 MB, GPUs");
}

TEST_F(StepLaunches, AStepOfAHeterogeneousJobRunsOnOneComponentOrOnAll) {
  node("n1", 4);
  node("n2", 4);
  const JobId id = running_batch(1, [](JobSpec& s) {
    s.nodelist = {"n1"};
    s.components.resize(1);
    s.components[0].nodes = s.components[0].tasks = 1;
    s.components[0].nodelist = {"n2"};
  });
  const auto on = [&](std::int64_t component, std::int64_t tasks = 1) {
    return placed(srun(id, [&](StepSpec& s) {
      s.component = component;
      s.tasks = tasks;
      s.overlap = true;
    }));
  };
  EXPECT_EQ(on(0), "on n1: 1 CPU, 0 MB, GPUs");
  EXPECT_EQ(on(1), "on n2: 1 CPU, 0 MB, GPUs");
  EXPECT_EQ(on(-1, 2), "on n1: 1 CPU, 0 MB, GPUs; on n2: 1 CPU, 0 MB, GPUs");
  EXPECT_EQ(on(2), "Invalid het group: the job has 2 components, numbered from 0");
  EXPECT_EQ(on(-2), "Invalid het group: the job has 2 components, numbered from 0");
  EXPECT_EQ(job(id).step(2)->spec.component, -1);
}

TEST_F(StepLaunches, ARefusalOfAStepSaysWhetherALaterTryMaySucceed) {
  node("n1", 1);
  const JobId id = running_batch(1, [](JobSpec&) {});
  const JobId waits = submit({});
  const auto refused = [&](const CreateStep& ask) {
    const Reply reply = this->ask(ask);
    const auto* no = std::get_if<Refused>(&reply.body);
    return no == nullptr ? "accepted" : no->why.fact + (no->retry ? ", try again" : "");
  };
  EXPECT_EQ(refused(srun(id)), "accepted");
  EXPECT_EQ(refused(srun(id, [](StepSpec& s) { s.immediate = true; })), "Requested nodes are busy");
  EXPECT_EQ(refused(srun(waits)), "Job is pending execution, try again");
  ask(ActOnJobs{JobVerb::Cancel, {id}});
  ASSERT_EQ(state(id), "COMPLETING");
  EXPECT_EQ(refused(srun(id)), "Job/step already completing or completed");
  status("n1", status_of(id, NodePhase::Gone));
  ASSERT_EQ(state(id), "CANCELLED");
  EXPECT_EQ(refused(srun(id)), "Job/step already completing or completed");
}

TEST_F(StepLaunches, SrunIsAnsweredWhenItsStepChangesStateOrItsWaitIsOver) {
  node("n1", 1);
  const JobId id = running_batch(1, [](JobSpec&) {});
  CreateStep ask = srun(id);
  EXPECT_EQ(placed(ask), "on n1: 1 CPU, 0 MB, GPUs");
  ask.known = JobState::Running;
  const auto asked_again = [&](std::int64_t number, std::int64_t wait_ms) {
    ask.wait_ms = wait_ms;
    const Caller caller{Caller::Kind::Client, "", user, 1000, 1000};
    controller->receive({"client", caller, Message{Request{number, ask}}}, now);
    settle();
  };
  const auto answers = [&] {
    std::string all;
    for (const auto& [peer, reply] : take<Reply>()) {
      const StepView& view = std::get<StepShown>(reply.body).view;
      all += std::to_string(reply.number) + " " + std::string(name(view.step.state)) + " after " +
             std::to_string(view.ran_ms) + " ms;";
    }
    return all;
  };
  asked_again(901, 0);
  EXPECT_EQ(answers(), "901 RUNNING after 0 ms;") << "it waits for nothing";
  asked_again(902, 5'000);
  asked_again(903, 90'000);
  pass_with_beats(Milliseconds{4'000}, {"n1"});
  EXPECT_EQ(answers(), "");
  pass_with_beats(Milliseconds{1'000}, {"n1"});
  EXPECT_EQ(answers(), "902 RUNNING after 5000 ms;");
  pass_with_beats(Milliseconds{54'000}, {"n1"});
  EXPECT_EQ(answers(), "");
  pass_with_beats(Milliseconds{1'000}, {"n1"});
  EXPECT_EQ(answers(), "903 RUNNING after 60000 ms;") << "no request waits longer";
  asked_again(904, 50'000);
  end(id, "n1", 0);
  EXPECT_EQ(answers(), "904 COMPLETED after 60000 ms;");
  pass_with_beats(Milliseconds{1'000}, {"n1"});
  asked_again(905, 50'000);
  EXPECT_EQ(answers(), "905 COMPLETED after 60000 ms;") << "the time until its end";
}

TEST_F(StepLaunches, StepsThatEndWithTheirJobHaveTheStateOfTheJob) {
  struct Row {
    const char* state;
    std::function<void(AttemptStatus&)> report;
  };
  node("n1", 1);
  for (const Row& row :
       std::vector<Row>{{"NODE_FAIL", [](AttemptStatus& s) { s.supervisor_lost = true; }},
                        {"NODE_FAIL", [](AttemptStatus& s) { s.stop = StopWhy::LeaseEnded; }},
                        {"OUT_OF_MEMORY", [](AttemptStatus& s) { s.out_of_memory = true; }},
                        {"CANCELLED", [](AttemptStatus& s) {
                           s.ranks = {{0, RankPhase::Exited, 3, 0, {}}};
                         }}}) {
    const JobId id = running_batch(1, [](JobSpec& s) { s.requeue = false; });
    placed(srun(id));
    AttemptStatus gone = status_of(id, NodePhase::Gone);
    row.report(gone);
    status("n1", gone);
    const Step& step = database->tables.steps.at({{id, AttemptNumber{1}}, 0});
    EXPECT_EQ(std::string(name(step.state)) + " " + step.why,
              std::string(row.state) + " with its job");
  }
}

}  // namespace
}  // namespace cox
