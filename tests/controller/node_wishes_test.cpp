// Tests options that choose a job's nodes, in a controller: preferred features, excluded features,
// contiguous nodes, and nodes for one user only.
#include <gtest/gtest.h>

#include "tests/controller/bench.h"

namespace cox {
namespace {

class NodeWishes : public testing::Test, public Bench {
 protected:
  std::string places(JobId id) {
    std::string text;
    for (const AttemptNode& node : attempt(id).nodes) text += node.grant.node + " ";
    return text;
  }
  std::string refused(const std::function<void(JobSpec&)>& with) {
    SubmitJob s;
    s.request_id = "x" + std::to_string(++asked_);
    s.spec.command = {"train"};
    s.spec.work_dir = "/home/u";
    with(s.spec);
    return refusal_of(ask(s));
  }
  JobId prefers(const std::string& features, const std::string& constraint = "") {
    return submit(
        {.tasks = 4, .constraint = constraint, .with = [&](JobSpec& s) { s.prefer = features; }});
  }
  int asked_ = 0;
};

TEST_F(NodeWishes, PreferredFeaturesAreTriedFirstAndNotWaitedFor) {
  node("n1", 4);
  node("n2", 4, {"fast"});
  node("n3", 4, {"old"});
  EXPECT_EQ(places(prefers("fast")), "n2 ");
  EXPECT_EQ(places(prefers("fast", "old")), "n3 ") << "the required features count now";
  EXPECT_EQ(places(prefers("fast")), "n1 ");
  const JobId waits = prefers("fast", "old");
  EXPECT_EQ(state(waits), "PENDING");
}

TEST_F(NodeWishes, PreferredFeaturesReplaceRequiredFeaturesIfANodeHasThem) {
  node("n1", 4, {"old"});
  node("n2", 4, {"fast"});
  EXPECT_EQ(places(prefers("fast", "old")), "n2 ");
}

TEST_F(NodeWishes, PreferredFeaturesMustExistLikeRequiredOnes) {
  node("n1", 4, {"old"});
  node("n2", 2, {"fast"});
  EXPECT_EQ(
      refused([](JobSpec& s) { s.prefer = "fats"; }),
      "Invalid preferred feature specification: with --prefer=fats it asks for a node with "
      "feature fats; no node of the cluster has it; available features: fast, old; did you mean "
      "fast?");
  EXPECT_NE(refused([](JobSpec& s) {
              s.prefer = "fast", s.constraint = "none";
            }).find("with feature none; no node of the cluster has it"),
            std::string::npos);
  EXPECT_NE(refused([](JobSpec& s) {
              s.prefer = "fast", s.nodes = 1, s.tasks = 4;
            }).find("Invalid preferred feature specification"),
            std::string::npos);
}

TEST_F(NodeWishes, FeaturesMayBeExcluded) {
  node("n1", 4, {"old"});
  node("n2", 4, {"fast"});
  EXPECT_EQ(places(submit({.tasks = 4, .constraint = "!old"})), "n2 ");
  EXPECT_EQ(state(submit({.tasks = 4, .constraint = "!old"})), "PENDING");
  EXPECT_EQ(places(submit({.tasks = 4, .constraint = "!fast"})), "n1 ");
  EXPECT_NE(refused([](JobSpec& s) {
              s.constraint = "!old&!fast";
            }).find("with feature !fast&!old; no node of the cluster has it"),
            std::string::npos);
}

TEST_F(NodeWishes, ContiguousNodesAreNextToOneAnother) {
  for (const char* name : {"n1", "n2", "n3", "n4"}) node(name, 4);
  const auto contiguous = [](JobSpec& s) { s.contiguous = true; };
  const JobId held = submit({.tasks = 4, .with = [](JobSpec& s) { s.nodelist = {"n2"}; }});
  EXPECT_EQ(places(held), "n2 ");
  EXPECT_EQ(places(submit({.nodes = 2, .tasks = 8, .with = contiguous})), "n3 n4 ");
  EXPECT_EQ(state(submit({.nodes = 2, .tasks = 2, .with = contiguous})), "PENDING");
  EXPECT_NE(refused([](JobSpec& s) {
              s.nodes = s.tasks = 2;
              s.contiguous = true;
              s.exclude = {"n2", "n3"};
            }).find("no two of the qualifying nodes are next to one another"),
            std::string::npos);
}

TEST_F(NodeWishes, ExcludedNodesMustBeNodesOfTheCluster) {
  config.partitions.push_back({"later", {"n3"}, false, 0, 0, 0});
  restart();
  node("n1", 4);
  node("n2", 4);
  const auto without = [](JobSpec& s) { s.exclude = {"n1", "n3"}; };
  EXPECT_EQ(places(submit({.tasks = 4, .with = without})), "n2 ") << "n3 may still come";
  EXPECT_EQ(refused([](JobSpec& s) {
              s.exclude = {"n1", "n9"};
            }),
            "--exclude names node n9, which is no node of this cluster; its nodes: n[1-2]");
}

TEST_F(NodeWishes, NodesExclusiveForAUserAreSharedByAllJobsOfThatUser) {
  node("n1", 4);
  const auto users = [](JobSpec& s) { s.exclusive_user = true; };
  EXPECT_EQ(places(submit({})), "n1 ");
  const JobId own = submit({.with = users});
  EXPECT_EQ(places(own), "n1 ") << "all jobs are of the same user";
  EXPECT_EQ(places(submit({})), "n1 ");
  restart();
  EXPECT_TRUE(job(own).job.spec->exclusive_user) << "the store has it";
}

TEST_F(NodeWishes, NodeOptionsThatAHeterogeneousJobCannotHaveAreRefused) {
  node("n1", 4, {"fast"});
  node("n2", 4);
  const auto asked = [&](const std::function<void(JobSize&)>& with) {
    SubmitJob s;
    s.request_id = "h" + std::to_string(++asked_);
    s.spec.form = JobForm::Batch;
    s.spec.work_dir = "/home/u";
    s.script = "#!/bin/sh\n";
    s.spec.components = {JobSize{}};
    with(s.spec.components[0]);
    return refusal_of(ask(s));
  };
  EXPECT_EQ(asked([](JobSize& size) { size.contiguous = true; }),
            "--contiguous is given; a heterogeneous job cannot have it");
  EXPECT_EQ(
      asked([](JobSize& size) { size.prefer = "[fast*1]"; }),
      "component 1 of the job: --prefer counts nodes with a feature, which a component cannot "
      "do");
  EXPECT_EQ(asked([](JobSize& size) { size.prefer = "fast", size.min_cpus = 2; }), "");
}

}  // namespace
}  // namespace cox
