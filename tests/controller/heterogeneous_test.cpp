// Tests heterogeneous jobs in the controller: different components that start together as one job.
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
  // Submits a batch job with two components: a script with two tasks, and two GPUs on each of
  // `nodes` nodes.
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

TEST_F(HeterogeneousStory, AllComponentsStartAtOnceOrNone) {
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
  EXPECT_EQ(refusal_of(ask(srun(id, 2))),
            "Invalid het group: the job has 2 components, numbered from 0");
}

TEST_F(HeterogeneousStory, InvalidHeterogeneousJobsAreRefusedWithTheFault) {
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
            })).find("not all of them together"),
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

TEST_F(HeterogeneousStory, TheNodesOfAComponentFollowFromItsNodeList) {
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

TEST_F(HeterogeneousStory, WithoutTimeTheLimitIsTheShortestMaximumOfTheComponentsPartitions) {
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

TEST_F(HeterogeneousStory, APartitionThatIsDownKeepsTheWholeJobPending) {
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

TEST_F(HeterogeneousStory, OptionsThatAHeterogeneousJobCannotHaveAreRefused) {
  nodes();
  node("n4", 4, {"fast"});
  const std::string part = " is given; a heterogeneous job cannot have it";
  const std::pair<std::function<void(JobSpec&)>, std::string> table[] = {
      {[](JobSpec& s) { s.form = JobForm::Gang, s.command = {"train"}; },
       "a heterogeneous job has no command of its own"},
      {[](JobSpec& s) { s.array = "0-3"; }, "--array" + part},
      {[](JobSpec& s) { s.node_sizes = "1-2"; },
       "--nodes names a range; a heterogeneous job cannot have it"},
      {[](JobSpec& s) { s.node_sizes = "1-1"; }, ""},
      {[](JobSpec& s) { s.switches = "1"; }, "--switches or --topology" + part},
      {[](JobSpec& s) { s.topology = "required:leaf"; }, "--switches or --topology" + part},
      {[](JobSpec& s) { s.contiguous = true; }, "--contiguous" + part},
      {[](JobSpec& s) { s.constraint = "[fast*1]"; },
       "--constraint counts nodes with a feature, which a component cannot do"},
      {[](JobSpec& s) { s.prefer = "[fast*1]"; },
       "--prefer counts nodes with a feature, which a component cannot do"},
      {[](JobSpec& s) { s.components[0].constraint = "[fast*1]"; },
       "component 1 of the job: --constraint counts nodes with a feature, which a component "
       "cannot do"},
  };
  for (const auto& [with, refusal] : table) {
    const auto batch = [&](JobSpec& s) {
      s.command = {};
      with(s);
    };
    EXPECT_EQ(refusal_of(asked(batch)), refusal);
  }
}

// The first component is valid, and the second is not.
TEST_F(HeterogeneousStory, EachComponentIsCheckedAsAJobOfItsOwn) {
  nodes();
  const std::pair<std::function<void(JobSize&)>, std::string> table[] = {
      {[](JobSize& c) { c.gpu_choice = std::string(257, 'x'); },
       "the choice of GPUs has 257 bytes; the limit is 256"},
      {[](JobSize& c) { c.tasks = -1; }, "--ntasks is -1"},
      {[](JobSize& c) { c.partition = "main,main2"; }, "--partition=main,main2 names several"},
      {[](JobSize& c) { c.partition = "nowhere"; }, "nowhere"},
      {[](JobSize& c) { c.memory_mb_per_cpu = 1, c.whole_memory = true; }, "mutually exclusive"},
      {[](JobSize& c) { c.gpus_per_node = 0, c.gpu_type = "h100"; }, "the job asks for no GPUs"},
      {[](JobSize& c) { c.cpus_per_task = 5; }, "this cluster can never run it"},
  };
  for (const auto& [with, refusal] : table) {
    const std::string why = refusal_of(asked([&](JobSpec& spec) {
      spec.components = {gpus_on(1), gpus_on(1)};
      with(spec.components[1]);
    }));
    EXPECT_TRUE(why.starts_with("component 2 of the job: ")) << why;
    EXPECT_NE(why.find(refusal), std::string::npos) << why;
  }
}

TEST_F(HeterogeneousStory, TheGpuSharesOfAComponentAreResolved) {
  nodes();
  const JobId id = submit({.with = [](JobSpec& spec) {
    spec.form = JobForm::Batch;
    JobSize size;
    size.gres = "shard:1";
    spec.components = {size};
  }});
  const JobSize& settled = job(id).job.spec->components[0];
  EXPECT_EQ(settled.gpus_per_node, 1);
  EXPECT_EQ(settled.gpu_milli, 250);
  EXPECT_EQ(settled.gres, "");
}

TEST_F(HeterogeneousStory, AllComponentsMustAskForTheSameGresPerNode) {
  node("n1", 4, {}, {{"fpga", "", 2}});
  node("n2", 4, {}, {{"fpga", "", 2}});
  const auto with = [&](const std::string& first, const std::string& second) {
    return refusal_of(asked([&](JobSpec& spec) {
      spec.components = {JobSize{}};
      spec.gres = first;
      spec.components[0].gres = second;
    }));
  };
  EXPECT_EQ(with("fpga:1", "fpga:1"), "");
  EXPECT_EQ(with("fpga:1", "fpga:2"),
            "component 1 of the job: --gres asks for \"fpga:2\" on each node, and component 0 for "
            "\"fpga:1\"");
}

TEST_F(HeterogeneousStory, AJobHasAtMostSixteenComponents) {
  for (int i = 1; i <= 16; ++i) node("n" + std::to_string(i), 1);
  const auto with = [&](std::size_t others) {
    return refusal_of(asked([&](JobSpec& spec) { spec.components.assign(others, JobSize{}); }));
  };
  EXPECT_EQ(with(15), "");
  EXPECT_EQ(with(16), "a heterogeneous job has 17 components; the limit is 16");
}

TEST_F(HeterogeneousStory, AllComponentsAreInPartitionsOfTheSameQos) {
  config.partitions.clear();
  for (const char* name : {"main", "same", "other"})
    config.partitions.push_back({name, {}, config.partitions.empty(), 0, 0, 0});
  config.partitions[2].qos = "besteffort";
  restart();
  nodes();
  const auto in = [&](const std::string& partition) {
    return refusal_of(asked([&](JobSpec& spec) { spec.components[0].partition = partition; }));
  };
  EXPECT_EQ(in("same"), "");
  EXPECT_EQ(in("other"),
            "component 1 of the job: partition other does not have the same QOS as main, and "
            "limits of one would not hold in the other");
}

// The job is in partition main and its second component in partition gpu.
TEST_F(HeterogeneousStory, WithoutTimeAJobGetsTheShortestDefaultOfItsPartitions) {
  struct Row {
    std::int64_t main_default_s, gpu_default_s, asked_s, settled_s;
  };
  for (const Row& row : {Row{0, 0, 0, 0}, Row{7200, 0, 0, 7200}, Row{7200, 3600, 0, 3600},
                         Row{3600, 7200, 0, 3600}, Row{7200, 3600, 5400, 5400}}) {
    config.partitions = {{"main", {}, true, 0, row.main_default_s, 0},
                         {"gpu", {}, false, 0, row.gpu_default_s, 0}};
    restart();
    nodes();
    const JobId id = submit({.time_limit_s = row.asked_s, .with = [](JobSpec& spec) {
                               spec.form = JobForm::Batch;
                               spec.components = {gpus_on(1)};
                               spec.components[0].partition = "gpu";
                             }});
    EXPECT_EQ(job(id).job.spec->time_limit_s, row.settled_s)
        << row.main_default_s << " " << row.gpu_default_s << " " << row.asked_s;
    ask(ActOnJobs{JobVerb::Cancel, {id}});
  }
}

TEST_F(HeterogeneousStory, AComponentObeysTheMaximumTimeOfItsPartition) {
  config.partitions = {{"main", {}, true, 0, 0, 0}, {"gpu", {}, false, 3600, 0, 0}};
  restart();
  nodes();
  const auto with = [&](std::int64_t time_limit_s) {
    return refusal_of(asked([&](JobSpec& spec) {
      spec.time_limit_s = time_limit_s;
      spec.components[0].partition = "gpu";
    }));
  };
  EXPECT_EQ(with(3600), "");
  EXPECT_TRUE(with(3601).starts_with("component 1 of the job: ")) << with(3601);
}

}  // namespace
}  // namespace cox
