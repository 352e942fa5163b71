// Tests further options of a gang: features of some of its nodes, counted resources, GPUs of
// several types, a range of nodes, a minimum time.
#include <gtest/gtest.h>

#include "schedule/engine/engine.h"
#include "tests/schedule/scenario.h"

namespace cox::schedule {
namespace {

const std::string features =
    "node n1 cpus=4 features=a\n"
    "node n2 cpus=4 features=a,b\n"
    "node n3 cpus=4 features=b\n";

Settings two_licences() {
  Settings settings;
  settings.licences = {{"matlab", 2}};
  return settings;
}

}  // namespace

TEST(Features, nodes_have_all_any_or_one_common_feature_as_requested) {
  EXPECT_EQ(plan_for(features + "wants 1 feature=a&b"), "1 starts on n2:1\n");
  EXPECT_EQ(plan_for(features + "wants 1 nodes=3 feature=a|b"), "1 starts on n1:1 n2:1 n3:1\n");
  EXPECT_EQ(plan_for(features + "wants 1 nodes=2 feature=[b|a]"), "1 starts on n2:1 n3:1\n");
  EXPECT_EQ(plan_for(features + "runs 9 on n3:4\nwants 1 nodes=2 feature=[b|a]"),
            "1 starts on n1:1 n2:1\n");
  EXPECT_EQ(plan_for(features + "wants 1 nodes=3 feature=[b|a]"), "1 waits: ReqNodeNotAvail\n");
}

TEST(Features, the_requested_number_of_nodes_has_each_feature) {
  EXPECT_EQ(plan_for(features + "wants 1 nodes=2 feature=[a*1&b*1]"), "1 starts on n1:1 n3:1\n");
  EXPECT_EQ(plan_for(features + "wants 1 nodes=3 feature=[a*2&b*1]"),
            "1 starts on n1:1 n2:1 n3:1\n");
  EXPECT_EQ(plan_for(features + "wants 1 nodes=3 feature=[a*2&b*2]"), "1 waits: ReqNodeNotAvail\n");
}

TEST(Exclude, a_job_does_not_use_the_nodes_that_it_excludes) {
  EXPECT_EQ(plan_for("node n1,n2 cpus=4\nwants 1 but=n1"), "1 starts on n2:1\n");
  EXPECT_EQ(plan_for("node n1,n2 cpus=4\nwants 1 but=n1,n2"), "1 waits: ReqNodeNotAvail\n");
  EXPECT_EQ(plan_for("node n1,n2 cpus=4\nruns 9 on n2:4\nwants 1 but=n1 limit=9\nwants 2"),
            "2 starts on n1:1\n1 waits: Resources\n");
}

TEST(WholeMemory, is_granted_only_on_nodes_with_unused_memory) {
  const std::string nodes = "node n1 cpus=4 mem=100\nnode n2 cpus=4 mem=300\n";
  EXPECT_EQ(plan_for(nodes + "runs 9 on n1:1 mem=10\nwants 1 wholemem"), "1 starts on n2:1\n");
  EXPECT_EQ(plan_for(nodes + "runs 8 on n1:1 mem=10\nruns 9 on n2:1 mem=1\nwants 1 wholemem"),
            "1 waits: Resources\n");
  EXPECT_EQ(plan_for(nodes + "wants 1 wholemem list=n2\nwants 2 mem=1 list=n2 limit=9"),
            "1 starts on n2:1\n2 waits: Resources\n");
}

TEST(Gres, is_counted_by_name_and_by_type) {
  const std::string node = "node n1 cpus=8 gres=fpga:u280:2,fpga:u55:1\n";
  EXPECT_EQ(plan_for(node + "wants 1 gres=fpga:3"), "1 starts on n1:1\n");
  EXPECT_EQ(plan_for(node + "wants 1 gres=fpga:4"), "1 waits: ReqNodeNotAvail\n");
  EXPECT_EQ(plan_for(node + "wants 1 gres=fpga:u55:2"), "1 waits: ReqNodeNotAvail\n");
  EXPECT_EQ(plan_for(node +
                     "wants 1 gres=fpga:u280:2 limit=50\nwants 2 gres=fpga:2\nwants 3 gres=fpga:1"),
            "1 starts on n1:1\n3 starts on n1:1\n2 waits: Resources\n");
  EXPECT_EQ(plan_for(node + "wants 1 gres=nic:1"), "1 waits: ReqNodeNotAvail\n");
}

TEST(Licences, are_counted_over_all_running_jobs_of_the_cluster) {
  const std::string nodes = "node n1,n2 cpus=8\nruns 9 on n2:1 licences=matlab:1 ends=60\n";
  EXPECT_EQ(plan_for(nodes + "wants 1 licences=matlab", two_licences()), "1 starts on n2:1\n");
  EXPECT_EQ(plan_for(nodes + "wants 1 licences=matlab:2", two_licences()), "1 waits: Licenses\n");
  EXPECT_EQ(plan_for(nodes + "wants 1 licences=matlab:3", two_licences()),
            "1 waits: ReqNodeNotAvail\n");
  EXPECT_EQ(plan_for(nodes + "wants 1 licences=ansys", two_licences()),
            "1 waits: ReqNodeNotAvail\n");
}

TEST(Licences, a_job_that_holds_a_missing_licence_is_preempted_on_any_node) {
  EXPECT_EQ(plan_for("node n1,n2 cpus=8\nruns 9 on n2:1 licences=matlab:1\n"
                     "runs 8 on n1:1 licences=matlab:1 loss=9\n"
                     "wants 1 licences=matlab tier=2",
                     two_licences()),
            "9 preempted by 1\n1 waits: Licenses\n");
}

TEST(Licences, no_job_holds_a_licence_beyond_the_start_of_the_reserved_job) {
  EXPECT_EQ(plan_for("node n1,n2 cpus=8\nruns 9 on n2:1 licences=matlab:1 ends=60\n"
                     "wants 1 licences=matlab:2 limit=60\n"
                     "wants 2 licences=matlab limit=100\nwants 3 licences=matlab limit=60",
                     two_licences()),
            "3 starts on n2:1\n1 waits: Licenses\n2 waits: Priority\n");
}

TEST(GpuTypes, the_first_type_that_fits_is_used_on_all_nodes) {
  const std::string nodes =
      "node n1,n2 cpus=8 gpus=h200:2\nnode n3,n4 cpus=8 gpus=h100:2\nnode n5 cpus=8 gpus=a100:2\n";
  EXPECT_EQ(plan_for(nodes + "wants 1 nodes=2 gpus=2 type=h200|h100"),
            "1 starts on n1:1:0+1 n2:1:0+1\n");
  EXPECT_EQ(plan_for(nodes + "runs 9 on n1:1:0\nwants 1 nodes=2 gpus=2 type=h200|h100"),
            "1 starts on n3:1:0+1 n4:1:0+1\n");
  EXPECT_EQ(plan_for(nodes + "runs 9 on n1:1:0\nruns 8 on n3:1:0\n"
                             "wants 1 nodes=2 gpus=2 type=h200|h100"),
            "1 waits: Resources\n");
  EXPECT_EQ(plan_for(nodes + "runs 9 on n1:1:0\nruns 8 on n3:1:0\n"
                             "wants 1 nodes=2 gpus=2 type=h200,h100|a100"),
            "1 starts on n2:1:0+1 n4:1:0+1\n");
}

TEST(GpuTypes, a_reservation_takes_the_type_that_is_free_first) {
  const SchedulerInput world = world_from(
      "node n1 cpus=8 gpus=h200:1\nnode n2 cpus=8 gpus=h100:1\n"
      "runs 8 on n1:1:0 ends=900\nruns 9 on n2:1:0 ends=60\n"
      "wants 1 gpus=1 type=h200|h100 limit=60");
  EXPECT_EQ(waiting_of(make_plan(world, at_start), 1).expected_start,
            start_of_time + std::chrono::seconds{60});
}

TEST(Elastic, a_gang_starts_on_as_many_nodes_as_fit_and_waits_for_its_minimum) {
  const std::string nodes = "node n1,n2,n3,n4 cpus=4\n";
  EXPECT_EQ(plan_for(nodes + "runs 9 on n2:1\nwants 1 nodes=2 each=4 most=4"),
            "1 starts on n1:4 n3:4 n4:4\n");
  EXPECT_EQ(plan_for(nodes + "runs 9 on n2:1\nwants 1 nodes=1 each=4 most=4 sizes=1,2,4"),
            "1 starts on n1:4 n3:4\n");
  EXPECT_EQ(plan_for(nodes + "runs 9 on n1:4 n2:4 n3:4\nwants 1 nodes=2 each=4 most=4"),
            "1 waits: Resources\n");
}

TEST(Elastic, a_gang_grows_in_its_own_partition_after_others_have_grown) {
  EXPECT_EQ(
      plan_for("node a1,a2,a3 cpus=4\nnode b1,b2 cpus=4\nnode big cpus=8\nruns 1 on big:8 firm\n"
               "wants 2 tasks=8 tier=3\n"
               "wants 3 each=1 cpus=4 most=2 partition=a1,a2,a3\n"
               "wants 4 each=1 cpus=4 most=2 partition=b1,b2"),
      "3 starts on a1:1 a2:1\n4 starts on b1:1 b2:1\n2 waits: Resources\n");
}

TEST(Elastic, a_victim_continues_on_fewer_nodes) {
  const SchedulerInput world = world_from(
      "node n1,n2,n3 cpus=4\nruns 1 on n1:4 n2:4 n3:4 elastic=1-4\n"
      "wants 9 nodes=1 each=4 tier=2");
  const Plan plan = make_plan(world, at_start);
  ASSERT_EQ(plan.preemptions.size(), 1u);
  EXPECT_EQ(plan.preemptions[0].continues_on_nodes, 2);
  ASSERT_EQ(plan.claims.size(), 2u);
  EXPECT_EQ(plan.claims[1].job, JobId{1});
  EXPECT_EQ(plan.claims[1].placement.size(), 2u);
}

TEST(Elastic, a_running_gang_grows_if_it_has_saved_and_no_job_waits_for_the_room) {
  Settings settings;
  settings.order_exempt = Milliseconds{0};
  const std::string running = "node n1,n2,n3 cpus=4\nruns 1 on n1:4 elastic=1-2";
  const auto grows = [&](const std::string& rest) {
    return make_plan(world_from(running + rest), at_start, settings).preemptions.size() == 1;
  };
  EXPECT_TRUE(grows(" saved\n"));
  EXPECT_FALSE(grows("\n"));
  EXPECT_FALSE(grows(" saved\nwants 9 nodes=3"));
  EXPECT_FALSE(grows(" saved stopping\n"));
}

TEST(TimeMin, a_job_starts_before_a_reservation_with_a_shorter_limit) {
  const std::string busy =
      "node n1,n2 cpus=4\nruns 9 on n1:4 ends=100\nwants 1 nodes=2 each=4 limit=60\n";
  EXPECT_EQ(plan_for(busy + "wants 2 limit=200"), "1 waits: Resources\n2 waits: Priority\n");
  EXPECT_EQ(plan_for(busy + "wants 2 limit=200 least=30"),
            "2 starts on n2:1 for 100\n1 waits: Resources\n");
  EXPECT_EQ(plan_for(busy + "wants 2 limit=200 least=101"),
            "1 waits: Resources\n2 waits: Priority\n");
  EXPECT_EQ(plan_for(busy + "wants 2 limit=90 least=30"), "2 starts on n2:1\n1 waits: Resources\n");
}

TEST(Filling, a_job_that_saves_fills_the_gap_before_a_reservation) {
  const std::string busy =
      "node n1,n2 cpus=4\nruns 9 on n1:4 ends=100\nwants 1 nodes=2 each=4 limit=60\n";
  EXPECT_EQ(plan_for(busy + "wants 2 limit=200 fills=30"),
            "2 starts on n2:1 for 100, filling\n1 waits: Resources\n");
  EXPECT_EQ(plan_for(busy + "wants 2 limit=200 fills=101"),
            "1 waits: Resources\n2 waits: Priority\n");
  EXPECT_EQ(plan_for(busy + "wants 2 fills=30"),
            "2 starts on n2:1 for 100, filling\n1 waits: Resources\n");
  EXPECT_EQ(plan_for(busy + "wants 2 limit=90 fills=30"), "2 starts on n2:1\n1 waits: Resources\n");
}

}  // namespace cox::schedule
