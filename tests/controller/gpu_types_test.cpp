// Tests that the GPUs of one job are of one type, unless the job accepts a mixture.
#include <gtest/gtest.h>

#include "tests/controller/bench.h"

namespace cox {
namespace {

class GpuTypes : public testing::Test, public Bench {
 protected:
  std::string refused(const JobSpec& like) {
    SubmitJob s;
    s.spec = like;
    s.spec.command = {"train"};
    s.spec.work_dir = "/";
    return refusal_of(ask(s));
  }
  static void two_nodes_a_gpu_each(JobSpec& spec) {
    spec.nodes = spec.tasks = 2;
    spec.gpus_per_node = 1;
  }
  std::string places(JobId id) {
    std::string text;
    for (const AttemptNode& node : attempt(id).nodes) text += node.grant.node + " ";
    return text;
  }
};

TEST_F(GpuTypes, AGangThatNamesNoGpuTypeGetsGpusOfOneType) {
  node("n1", 4, {}, {}, 2, "h100");
  node("n2", 4, {}, {}, 2, "mi300");
  node("n3", 4, {}, {}, 2, "mi300");
  const JobId gang = submit({.with = two_nodes_a_gpu_each});
  EXPECT_EQ(places(gang), "n2 n3 ");
  JobSpec three;
  three.nodes = three.tasks = 3;
  three.gpus_per_node = 1;
  EXPECT_NE(refused(three).find("a job has all of its GPUs of one type"), std::string::npos);
}

TEST_F(GpuTypes, GpuTypesAreMixedOnlyIfTheJobJoinsThemWithPlus) {
  node("n1", 4, {}, {}, 2, "h100");
  node("n2", 4, {}, {}, 2, "h200");
  JobSpec either;
  two_nodes_a_gpu_each(either);
  either.gpu_type = "h100|h200";
  EXPECT_NE(refused(either), "");
  const JobId gang = submit({.with = [](JobSpec& spec) {
    two_nodes_a_gpu_each(spec);
    spec.gpu_type = "h100+h200";
  }});
  EXPECT_EQ(places(gang), "n1 n2 ");
}

// n1 has one CPU, so three of the four ranks would be on n2, which gives the job only two GPUs.
TEST_F(GpuTypes, ANodeHasNoMoreRanksWithTheirOwnGpusThanGpus) {
  node("n1", 1, {}, {}, 2);
  node("n2", 4, {}, {}, 2);
  JobSpec four;
  four.nodes = 2, four.tasks = 4, four.gpus_per_task = 1;
  EXPECT_NE(refused(four), "");
  four.gpus_per_task = 0, four.tasks_per_gpu = 1, four.gpus_per_node = 2;
  EXPECT_NE(refused(four), "");
  node("n3", 4, {}, {}, 2);
  const JobId id =
      submit({.with = [](JobSpec& s) { s.nodes = 2, s.tasks = 4, s.gpus_per_task = 1; }});
  EXPECT_EQ(places(id), "n2 n3 ");
}

TEST_F(GpuTypes, ARequestForFewerGpusThanItsTasksTakeIsRefused) {
  node("n1", 8, {}, {}, 4);
  JobSpec four;
  four.tasks = 4, four.gpus = 2, four.gpus_per_task = 1;
  EXPECT_EQ(refused(four), "--gpus=2 is less than 4 tasks with 1 GPUs each take");
}

TEST_F(GpuTypes, TheGpusThatAJobGetsOnOneNodeAreOfOneType) {
  WorkerHello hello;
  hello.node.name = "n3";
  hello.node.total.cpus = 8;
  hello.node.total.memory_mb = 1000;
  hello.node.total.gpus = {{0, "h100", "", 0}, {1, "mi300", "", 0}, {2, "mi300", "", 0}};
  hello.node.address = "10.0.0.3";
  hello.session = session["n3"] = "s3";
  hello.number = ++numbers["n3"];
  hello.term_seen = controller->cluster().term();
  deliver("n3", hello);
  const JobId job = submit({.with = [](JobSpec& spec) {
    spec.gpus_per_node = 2;
    spec.nodelist = {"n3"};
  }});
  EXPECT_EQ(attempt(job).nodes.at(0).grant.gpus, (std::vector<std::int32_t>{1, 2}));
}

// A new node may change which GPU types a pending job can get.
TEST_F(GpuTypes, APendingGangStartsWhenANodeOfItsTypeArrives) {
  node("n1", 4, {}, {}, 1, "h100");
  const JobId first = submit({.with = [](JobSpec& spec) { spec.gpus_per_node = 1; }});
  EXPECT_EQ(places(first), "n1 ");
  node("n2", 4, {}, {}, 1, "h100");
  const JobId gang = submit({.with = two_nodes_a_gpu_each});
  EXPECT_EQ(state(gang), "PENDING");
  node("n3", 4, {}, {}, 1, "mi300");
  EXPECT_EQ(state(gang), "PENDING");
  node("n4", 4, {}, {}, 1, "h100");
  EXPECT_EQ(places(gang), "n2 n4 ");
}

}  // namespace
}  // namespace cox
