// Tests which changes the cluster's state in memory records for the scheduling engine.
#include "controller/state/cluster.h"

#include <gtest/gtest.h>

namespace cox {
namespace {

struct ClusterStory : testing::Test {
  ClusterStory() {
    Snapshot stored;
    stored.next_job = JobId{1};
    stored.qos.emplace_back().name = "standard";
    cluster.load(std::move(stored), now);
    JobSpec spec;
    spec.qos = "standard";
    JobAdded added;
    added.job.id = JobId{1};
    added.job.spec = cluster.shared_spec(std::move(spec));
    cluster.apply(added, now);
    cluster.dirty() = {};
  }
  Now now{boot_from_ms(1'000), wall_from_ms(1'000'000)};
  Cluster cluster{ControllerConfig{}};
};

// A job that moves to another place is pending as soon as its attempt ends, and keeps the claim on
// that place.
TEST_F(ClusterStory, AJobThatMayStartAtOnceKeepsItsClaim) {
  cluster.set_retry_after(JobId{1}, Boot{});
  EXPECT_TRUE(cluster.dirty().jobs.empty());
}

TEST_F(ClusterStory, AJobThatMustWaitLosesItsClaim) {
  cluster.set_retry_after(JobId{1}, now.boot + Milliseconds{5'000});
  EXPECT_EQ(cluster.dirty().jobs.at(JobId{1}), Dirty::Way::LosesClaim);
}

}  // namespace
}  // namespace cox
