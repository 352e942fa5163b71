// Heterogeneous jobs, told on the controller: components unlike each other, that are one job.
#include <gtest/gtest.h>

#include "tests/controller/bench.h"

namespace cox {
namespace {

class HeterogeneousStory : public testing::Test, public Bench {
 protected:
  void nodes() {
    node("n1", 4);
    node("n2", 4, {}, {}, 2);
    node("n3", 4, {}, {}, 2);
  }
  static JobSize gpus_on(std::int64_t nodes) {
    JobSize size;
    size.nodes = nodes;
    size.gpus_per_node = 2;
    size.cpus_per_task = 2;
    return size;
  }
  // A script with two tasks beside two GPUs on each of so many nodes.
  JobId beside_gpus(std::int64_t nodes) {
    return submit({.tasks = 2, .with = [&](JobSpec& spec) {
                     spec.form = JobForm::Batch;
                     spec.components = {gpus_on(nodes)};
                   }});
  }
  Reply asked(const std::function<void(JobSpec&)>& with) {
    SubmitJob s;
    s.request_id = "x" + std::to_string(++asked_);
    s.spec.form = JobForm::Batch;
    s.spec.work_dir = "/home/u";
    s.script = "#!/bin/sh\n";
    s.spec.components = {gpus_on(1)};
    with(s.spec);
    return ask(s);
  }
  CreateStep srun(JobId id, std::int64_t component) {
    CreateStep step;
    step.request_id = "step" + std::to_string(++asked_);
    step.job = id;
    step.spec.name = "train";
    step.spec.component = component;
    step.streams.endpoint = "ipc:///tmp/x";
    return step;
  }
  int asked_ = 0;
};

TEST_F(HeterogeneousStory, StartsAllComponentsAtOnceOrNone) {
  nodes();
  const JobId first = beside_gpus(2);
  EXPECT_EQ(state(first), "CONFIGURING");
  const auto& placed = attempt(first).nodes;
  ASSERT_EQ(placed.size(), 3u);
  EXPECT_EQ(placed[0].grant.node, "n1");
  EXPECT_EQ(placed[0].grant.component, 0);
  EXPECT_EQ(placed[0].grant.ranks, 2);
  EXPECT_EQ(placed[1].grant.component, 1);
  EXPECT_EQ(placed[2].grant.gpus.size(), 2u);
  EXPECT_EQ(placed[2].grant.cpus, 2);
  const JobId second = beside_gpus(1);
  EXPECT_EQ(state(second), "PENDING");
  restart();
  EXPECT_EQ(job(first).job.spec->components.size(), 1u) << "the store has them";
  EXPECT_EQ(attempt(first).nodes[1].grant.component, 1);
}

TEST_F(HeterogeneousStory, AStepHasTheNodesOfItsComponent) {
  nodes();
  const JobId id = beside_gpus(2);
  ready(id);
  for (const char* name : {"n1", "n2", "n3"}) status(name, status_of(id, NodePhase::Running));
  take<LaunchStep>();
  const Reply first = ask(srun(id, 0));
  const Reply second = ask(srun(id, 1));
  const auto nodes_of = [](const Reply& reply) {
    const auto* shown = std::get_if<StepShown>(&reply.body);
    EXPECT_NE(shown, nullptr) << refusal_of(reply);
    std::string text;
    if (shown != nullptr)
      for (const StepNode& one : shown->view.step.nodes) text += one.node + " ";
    return text;
  };
  EXPECT_EQ(nodes_of(first), "n1 ");
  EXPECT_EQ(nodes_of(second), "n2 n3 ");
  EXPECT_EQ(refusal_of(ask(srun(id, 2))), "Invalid het group: the job has 2, from 0");
}

TEST_F(HeterogeneousStory, IsRefusedWithWhatAndWhichComponent) {
  nodes();
  EXPECT_EQ(
      refusal_of(asked([](JobSpec& spec) { spec.components[0].gpus_per_node = 3; })).substr(0, 30),
      "component 1 of the job: this c");
  EXPECT_NE(refusal_of(asked([](JobSpec& spec) {
              spec.components[0].nodes = 3;
            })).find("this cluster can never run it"),
            std::string::npos);
  EXPECT_NE(refusal_of(asked([](JobSpec& spec) {
              spec.nodes = 2;
              spec.components[0].nodes = 2;
            })).find("not all of them at a time"),
            std::string::npos);
  EXPECT_NE(refusal_of(asked([](JobSpec& spec) { spec.array = "0-3"; })).find("--array"),
            std::string::npos);
  EXPECT_NE(refusal_of(asked([](JobSpec& spec) {
              spec.components[0].partition = "nowhere";
            })).find("nowhere"),
            std::string::npos);
  EXPECT_NE(
      refusal_of(asked([](JobSpec& spec) { spec.components.resize(16, gpus_on(1)); })).find("16"),
      std::string::npos);
  EXPECT_EQ(refusal_of(asked([](JobSpec&) {})), "");
}

TEST_F(HeterogeneousStory, SettlesEachComponentAsAJobOfItsSize) {
  nodes();
  const JobId named = submit({.with = [](JobSpec& spec) {
    spec.form = JobForm::Batch;
    JobSize size;
    size.nodelist = {"n2", "n3"};
    spec.components = {size};
  }});
  EXPECT_EQ(job(named).job.spec->components[0].nodes, 2);
  EXPECT_EQ(job(named).job.spec->nodes, 1);
  EXPECT_EQ(attempt(named).nodes.size(), 3u);
}

TEST_F(HeterogeneousStory, EndsByTheLeastThatItsPartitionsGive) {
  config.partitions = {{"main", {"n1"}, true, 0, 0, 0}, {"gpu", {"n2", "n3"}, false, 0, 0, 0}};
  config.partitions[1].time_limit_max_s = 3600;
  restart();
  nodes();
  const JobId id = submit({.with = [](JobSpec& spec) {
    spec.form = JobForm::Batch;
    spec.components = {gpus_on(1)};
    spec.components[0].partition = "gpu";
  }});
  EXPECT_EQ(job(id).job.spec->time_limit_s, 3600);
}

TEST_F(HeterogeneousStory, APartitionThatIsDownKeepsAllOfItBack) {
  config.partitions = {{"main", {"n1"}, true, 0, 0, 0}, {"gpu", {"n2", "n3"}, false, 0, 0, 0}};
  restart();
  nodes();
  const auto both = [&] {
    return submit({.tasks = 2, .with = [&](JobSpec& spec) {
                     spec.form = JobForm::Batch;
                     spec.components = {gpus_on(1)};
                     spec.components[0].partition = "gpu";
                   }});
  };
  EXPECT_EQ(attempt(both()).nodes.at(1).grant.node, "n2");
  ask(UpdatePartitions{{"gpu"}, {{"State", "DOWN"}}});
  const JobId waits = both();
  EXPECT_EQ(state(waits), "PENDING");
  EXPECT_EQ(database->tables.waits.at(waits).reason, "PartitionDown");
  ask(UpdatePartitions{{"gpu"}, {{"State", "UP"}}});
  EXPECT_EQ(state(waits), "CONFIGURING");
}

}  // namespace
}  // namespace cox
