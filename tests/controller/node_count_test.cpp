// Tests the number of nodes of a job that does not ask for one: the fewest nodes that could ever
// hold it.
#include <gtest/gtest.h>

#include "tests/controller/bench.h"

namespace cox {
namespace {

class NodeCount : public testing::Test, public Bench {
 protected:
  // Registers four slow nodes with 2 CPUs and four fast nodes with 8 CPUs.
  void slow_and_fast_nodes() {
    for (const char* name : {"n1", "n2", "n3", "n4"}) node(name, 2, {"slow"});
    for (const char* name : {"n5", "n6", "n7", "n8"}) node(name, 8, {"fast"});
  }
  // Returns the number of nodes that the controller chooses for this submission, such as "2 nodes",
  // or the refusal.
  std::string resolved(const std::function<void(JobSpec&)>& with) {
    SubmitJob s;
    s.request_id = "r" + std::to_string(++requests);
    s.spec.command = {"train"};
    s.spec.work_dir = "/home/u";
    s.spec.hold = true;
    with(s.spec);
    const Reply reply = ask(s);
    const auto* submitted = std::get_if<Submitted>(&reply.body);
    if (submitted == nullptr) return refusal_of(reply);
    return std::to_string(job(submitted->id).job.spec->nodes) + " nodes";
  }
  std::string hint(const std::function<void(JobSpec&)>& with) {
    SubmitJob s;
    s.spec.command = {"train"};
    s.spec.work_dir = "/home/u";
    with(s.spec);
    return std::get<Refused>(ask(s).body).why.hint;
  }
};

TEST_F(NodeCount, TheNodeCountGrowsWithTheTasksUpToAllNodes) {
  for (const char* name : {"n1", "n2", "n3", "n4"}) node(name, 2);
  EXPECT_EQ(resolved([](JobSpec& s) { s.tasks = 2; }), "1 nodes");
  EXPECT_EQ(resolved([](JobSpec& s) { s.tasks = 3; }), "2 nodes");
  EXPECT_EQ(resolved([](JobSpec& s) { s.tasks = 8; }), "4 nodes") << "all there are";
  EXPECT_EQ(resolved([](JobSpec& s) { s.tasks = 3, s.cpus_per_task = 2; }), "3 nodes")
      << "a node for each task";
  const std::string never = "this cluster can never run it: ";
  EXPECT_EQ(resolved([](JobSpec& s) { s.tasks = 9; }).substr(0, 31), never);
  EXPECT_EQ(resolved([](JobSpec& s) { s.nodes = 1, s.tasks = 3; }).substr(0, 31), never)
      << "one node was asked for";
  EXPECT_EQ(resolved([](JobSpec& s) { s.tasks = 3, s.tasks_per_node = 3; }).substr(0, 31), never)
      << "three tasks on each node were asked for";
}

TEST_F(NodeCount, TheNodeCountFollowsFromTheTasksPerNode) {
  for (const char* name : {"n1", "n2", "n3", "n4"}) node(name, 2);
  EXPECT_EQ(resolved([](JobSpec& s) { s.tasks = 4, s.tasks_per_node = 2; }), "2 nodes");
  EXPECT_EQ(resolved([](JobSpec& s) { s.tasks = 5, s.tasks_per_node = 2; }), "3 nodes");
  EXPECT_EQ(resolved([](JobSpec& s) { s.nodes = 2, s.tasks = 4, s.tasks_per_node = 2; }),
            "2 nodes");
  EXPECT_EQ(resolved([](JobSpec& s) { s.nodes = 2, s.tasks = 5, s.tasks_per_node = 2; }),
            "5 tasks do not fit on 2 nodes with 2 tasks a node");
  EXPECT_EQ(resolved([](JobSpec& s) { s.nodes = 1, s.tasks = 4, s.tasks_per_node = 2; }),
            "4 tasks do not fit on 1 node with 2 tasks a node");
  EXPECT_EQ(resolved([](JobSpec& s) { s.nodelist = {"n1", "n3"}; }), "2 nodes");
  EXPECT_EQ(resolved([](JobSpec& s) { s.nodes = 3, s.tasks = 2; }), "2 nodes")
      << "no node is without a task";
}

TEST_F(NodeCount, TheNodeCountSufficesForRequiredAndPreferredFeatures) {
  slow_and_fast_nodes();
  EXPECT_EQ(resolved([](JobSpec& s) { s.tasks = 8; }), "1 nodes");
  EXPECT_EQ(resolved([](JobSpec& s) { s.tasks = 8, s.prefer = "slow"; }), "4 nodes");
  EXPECT_EQ(resolved([](JobSpec& s) { s.tasks = 8, s.constraint = "slow", s.prefer = "fast"; }),
            "4 nodes");
  const std::string never = resolved([](JobSpec& s) { s.nodes = s.tasks = 5, s.prefer = "fast"; });
  EXPECT_TRUE(never.starts_with(
      "Invalid preferred feature specification: with --prefer=fast it asks for 5 nodes"))
      << never;
}

TEST_F(NodeCount, NodesAreAddedForGpusOnlyIfTheTasksMayGrow) {
  for (const char* name : {"n1", "n2", "n3"}) node(name, 4, {}, {}, 4);
  EXPECT_EQ(resolved([](JobSpec& s) { s.gpus = 12; }), "3 nodes");
  EXPECT_EQ(resolved([](JobSpec& s) { s.gpus = 8, s.tasks = 1; }), "2 nodes");
  const auto one_task = [](JobSpec& s) { s.gpus = 8, s.tasks = 1, s.tasks_asked = true; };
  EXPECT_EQ(resolved(one_task).substr(0, 31), "this cluster can never run it: ")
      << "one task cannot be on two nodes";
  EXPECT_EQ(hint(one_task),
            "--gpus=8 is the number in all, and each node of the job gets the same share; see `cox "
            "nodes` for what there is");
}

TEST_F(NodeCount, ARefusalNamesTheCommandsThatShowTheResources) {
  config.scheduling.licences = {{"matlab", 1}};
  restart();
  node("n1", 2, {}, {}, 1);
  EXPECT_EQ(hint([](JobSpec& s) { s.licences = "matlab:2"; }),
            "see `cox nodes` and `cox show licenses` for what there is, and ask for less");
  EXPECT_EQ(hint([](JobSpec& s) { s.gpus = 1, s.cpus_per_task = 3; }),
            "see `cox nodes` for what there is")
      << "the number of GPUs is no obstacle";
  for (const std::function<void(JobSpec&)> unknown :
       {+[](JobSpec& s) { s.nodelist = {"n9"}; }, +[](JobSpec& s) { s.constraint = "fast"; },
        +[](JobSpec& s) { s.gpus_per_node = 1, s.gpu_type = "v100"; },
        +[](JobSpec& s) { s.gres = "nic:1"; }})
    EXPECT_EQ(hint(unknown), "correct the name; see `cox nodes` for what there is");
  EXPECT_EQ(hint([](JobSpec& s) { s.licences = "foo"; }),
            "correct the name; see `cox nodes` and `cox show licenses` for what there is");
  EXPECT_EQ(hint([](JobSpec& s) { s.exclude = {"n1"}; }),
            "ask for other nodes; see `cox nodes` for what there is");
  node("n2", 2, {"fast"});
  node("n3", 2, {"big"});
  EXPECT_EQ(hint([](JobSpec& s) { s.constraint = "fast&big"; }),
            "ask for features that one node has; see `cox nodes` for what there is");
}

TEST_F(NodeCount, TheNodeCountIsRecomputedForAnotherRequestAndForNewNodes) {
  node("n1", 2);
  const auto four = [](JobSpec& s) { s.tasks = 4; };
  const auto four_on_one = [](JobSpec& s) { s.nodes = 1, s.tasks = 4; };
  EXPECT_EQ(resolved(four).substr(0, 31), "this cluster can never run it: ");
  node("n2", 2);
  EXPECT_EQ(resolved(four), "2 nodes");
  EXPECT_EQ(resolved(four), "2 nodes") << "the remembered result";
  EXPECT_EQ(resolved(four_on_one).substr(0, 31), "this cluster can never run it: ");
}

}  // namespace
}  // namespace cox
