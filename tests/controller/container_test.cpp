// Tests that jobs in containers start only on nodes that run containers, and that a refusal names
// the missing setting.
#include <gtest/gtest.h>

#include "tests/controller/bench.h"

namespace cox {
namespace {

class Containers : public testing::Test, public Bench {
 protected:
  Reply submit_with(std::vector<std::string> stored, const std::string& constraint = "",
                    const std::string& prefer = "") {
    SubmitJob s;
    s.spec.command = {"train"};
    s.spec.work_dir = "/home/u";
    s.spec.nodes = s.spec.tasks = 1;
    s.spec.constraint = constraint;
    s.spec.prefer = prefer;
    s.spec.stored_options = std::move(stored);
    return ask(s);
  }
  const JobSpec& spec_of(const Reply& reply) {
    return *job(std::get<Submitted>(reply.body).id).job.spec;
  }
};

TEST_F(Containers, ARefusalNamesTheSettingIfNoNodeRunsContainers) {
  node("n1", 4);
  const auto refused = submit_with({"container-image=a"});
  EXPECT_EQ(refusal_of(refused),
            "no node of this cluster runs containers: container_command of [worker] is not set on "
            "any node");
  EXPECT_EQ(spec_of(submit_with({"container-mounts=/a"})).constraint, "")
      << "without an image there is no container";
}

TEST_F(Containers, JobsWithContainersRunOnNodesThatSupportContainers) {
  node("n1", 4);
  node("n2", 8, {"container", "fast"});
  const Reply reply = submit_with({"container-image=a"});
  EXPECT_EQ(spec_of(reply).constraint, "container");
  EXPECT_EQ(nodes(std::get<Submitted>(reply.body).id), "n2");
  EXPECT_EQ(spec_of(submit_with({"container=/oci"}, "fast")).constraint, "container&fast");
  EXPECT_EQ(spec_of(submit_with({"container=/oci"}, "container")).constraint, "container");
  EXPECT_EQ(spec_of(submit_with({"container=/oci"}, "fast|slow")).constraint,
            "container&(fast|slow)");
  const auto each = submit_with({"container=/oci"}, "[fast|slow]");
  EXPECT_EQ(spec_of(each).constraint, "container&([fast|slow])");
  EXPECT_EQ(nodes(std::get<Submitted>(each.body).id), "n2");
  EXPECT_NE(refusal_of(submit_with({"container=/oci"}, "slow")), "");
  EXPECT_EQ(spec_of(submit_with({"container=/oci"}, "", "fast")).prefer, "container&fast")
      << "--prefer is tried in place of --constraint";
}

TEST_F(Containers, InvalidContainerOptionsAreRefused) {
  node("n2", 4, {"container"});
  EXPECT_NE(refusal_of(submit_with({"container-image=-v"})).find("begins with -"),
            std::string::npos);
  EXPECT_NE(refusal_of(submit_with({"container-image=a", "container=/b"})), "");
}

}  // namespace
}  // namespace cox
