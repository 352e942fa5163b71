// Tests which output files of an attempt a worker reads for clients, and as which user.
#include "worker/attempt_output.h"

#include <gtest/gtest.h>

#include "tests/worker/launches.h"

namespace cox {
namespace {

LaunchSpec second_of_two() {
  LaunchSpec launch = gang_launch(2, 3);
  launch.node_index = 1;
  launch.spec.uid = 1001;
  launch.spec.gid = 1002;
  launch.spec.work_dir = "/home/ada";
  return launch;
}

// Returns the attempt of this launch as the controller shows it in its reply about the job.
JobDetail shown(const LaunchSpec& launch) {
  JobDetail detail;
  detail.view.job.id = launch.key.job;
  detail.view.job.spec = launch.spec;
  Attempt earlier;
  earlier.key = {launch.key.job, AttemptNumber(launch.key.attempt.value + 1)};
  Attempt attempt;
  attempt.key = launch.key;
  for (const PlacedNode& placed : launch.nodes) {
    AttemptNode node;
    node.grant = placed.grant;
    attempt.nodes.push_back(std::move(node));
  }
  detail.attempts = {earlier, attempt};
  return detail;
}

TEST(AttemptOutput, HasPathsOnlyForTheRanksOfThisNode) {
  const AttemptOutput output = output_of(second_of_two());
  EXPECT_EQ(output.spec.uid, 1001U);
  EXPECT_EQ(output_path(output, 3, false), "/home/ada/slurm-17.3.out");
  EXPECT_EQ(output_path(output, 5, true), "/home/ada/slurm-17.5.out");
  for (const std::int32_t elsewhere : {-1, 0, 2, 6})
    EXPECT_FALSE(output_path(output, elsewhere, false));
}

TEST(AttemptOutput, ErrorsMayHaveTheirOwnFile) {
  LaunchSpec launch = second_of_two();
  launch.spec.output = "out-%N-%n-%t";
  launch.spec.error = "/var/err-%j";
  const AttemptOutput output = output_of(launch);
  EXPECT_EQ(output_path(output, 4, false), "/home/ada/out-n2-1-4");
  EXPECT_EQ(output_path(output, 4, true), "/var/err-17");
}

TEST(AttemptOutput, IsTheSameWhenMadeFromTheControllersReply) {
  const LaunchSpec launch = second_of_two();
  const auto output = output_of(shown(launch), launch.key.attempt, "n2");
  ASSERT_TRUE(output);
  for (const std::int32_t rank : {0, 3, 5, 6})
    EXPECT_EQ(output_path(*output, rank, false), output_path(output_of(launch), rank, false));
  EXPECT_EQ(output->spec.gid, 1002U);
  EXPECT_FALSE(output_of(shown(launch), launch.key.attempt, "n3")) << "it never ran there";
  EXPECT_FALSE(output_of(shown(launch), AttemptNumber(9), "n2"));
  EXPECT_FALSE(output_of(shown(launch), AttemptNumber(2), "n2"))
      << "that attempt did not run there";
}

TEST(AttemptOutput, ABatchScriptHasOutputOnlyOnTheFirstNodeOfTheJob) {
  LaunchSpec launch = batch_launch(2);
  launch.array_job = JobId(10);
  launch.array_task = 4;
  EXPECT_EQ(output_path(output_of(launch), 0, false), "/slurm-10_4.out");
  EXPECT_FALSE(output_path(output_of(launch), 1, false));
  launch.node_index = 1;
  EXPECT_FALSE(output_path(output_of(launch), 0, false));
}

}  // namespace
}  // namespace cox
