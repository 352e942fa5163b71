// Tests how much a job counts against a limit, and how much of the limit is left.
#include "schedule/queue/limit_use.h"

#include <gtest/gtest.h>

#include "schedule/place/components.h"

namespace cox::schedule {
namespace {

Limit limit_of(Tres what, std::int64_t most = 0, std::int32_t id = 0) {
  Limit limit;
  limit.id = id;
  limit.most.what = what;
  limit.most.count = most;
  return limit;
}

Limit named(Tres what, const std::string& name, const std::string& type = "") {
  Limit limit = limit_of(what);
  limit.most.name = name;
  limit.most.type = type;
  return limit;
}

// A request for two nodes and three tasks.
Request a_request() {
  Request request;
  request.nodes = 2;
  request.tasks = 3;
  request.cpus_per_task = 5;
  request.memory_mb_per_node = 700;
  request.gpus_per_node = 4;
  request.gpu_types = {"h100"};
  request.gres = {{"fpga", "u280", 1}, {"fpga", "u50", 2}, {"disk", "", 9}};
  request.licences = {{"abaqus", 8}, {"matlab", 6}};
  return request;
}

std::int64_t counted(const Limit& limit, const Request& request) {
  return count_of(limit, request, request.nodes, request.tasks);
}

}  // namespace

TEST(CountOf, measures_each_resource_in_its_own_unit) {
  const Request request = a_request();
  EXPECT_EQ(counted(limit_of(Tres::Jobs), request), 1);
  EXPECT_EQ(counted(limit_of(Tres::Nodes), request), 2);
  EXPECT_EQ(counted(limit_of(Tres::Cpus), request), 15);
  EXPECT_EQ(counted(limit_of(Tres::MemoryMb), request), 1'400);
  EXPECT_EQ(counted(limit_of(Tres::GpuMilli), request), 8'000);
  EXPECT_EQ(counted(named(Tres::Gres, "fpga"), request), 6);
  EXPECT_EQ(counted(named(Tres::Gres, "fpga", "u50"), request), 4);
  EXPECT_EQ(counted(named(Tres::Gres, "disk", "u50"), request), 0);
  EXPECT_EQ(counted(named(Tres::Licences, "matlab"), request), 6);
  EXPECT_EQ(counted(named(Tres::Licences, "maple"), request), 0);
}

TEST(CountOf, a_limit_on_a_gpu_type_counts_requests_for_only_that_type) {
  Request request = a_request();
  EXPECT_EQ(counted(named(Tres::GpuMilli, "", "h100"), request), 8'000);
  EXPECT_EQ(counted(named(Tres::GpuMilli, "", "a100"), request), 0);
  request.gpu_types = {"h100", "a100"};
  EXPECT_EQ(counted(named(Tres::GpuMilli, "", "h100"), request), 0);
  EXPECT_EQ(counted(limit_of(Tres::GpuMilli), request), 8'000);
}

TEST(CountOf, components_are_added_up_but_jobs_and_licences_count_once) {
  Request second = a_request();
  second.licences.clear();
  second.nodes = second.tasks = 1;
  const Request both = together({a_request(), second});
  EXPECT_EQ(counted(limit_of(Tres::Jobs), both), 1);
  EXPECT_EQ(counted(limit_of(Tres::Nodes), both), 3);
  EXPECT_EQ(counted(limit_of(Tres::Cpus), both), 20);
  EXPECT_EQ(counted(named(Tres::Licences, "matlab"), both), 6);
  Limit hours = named(Tres::Licences, "matlab");
  hours.seconds = 60;
  EXPECT_EQ(counted(hours, both), 360);
}

TEST(CountOf, limits_of_tres_minutes_count_whole_nodes_if_these_are_more) {
  const Request request = a_request();
  WholeNode node;
  node.cpus = 8;
  node.memory_mb = 600;
  Limit cpus = limit_of(Tres::Cpus);
  EXPECT_EQ(count_of(cpus, request, 2, 3, node), 15) << "the limit is not one of time";
  cpus.seconds = 60;
  EXPECT_EQ(count_of(cpus, request, 2, 3, node), 16 * 60);
  EXPECT_EQ(count_of(cpus, request, 2, 3), 15 * 60);
  Limit memory = limit_of(Tres::MemoryMb);
  memory.seconds = 60;
  EXPECT_EQ(count_of(memory, request, 2, 3, node), 1'400 * 60)
      << "the job requests more than a whole node has";
  Limit gres = named(Tres::Gres, "disk");
  gres.seconds = 1;
  EXPECT_EQ(count_of(gres, request, 2, 3, node), 18) << "a whole node has none that is counted";
}

TEST(CountOf, counts_of_tres_minutes_stop_at_the_largest_number) {
  constexpr std::int64_t count_max = std::int64_t{1} << 60;
  Request request;
  request.cpus_per_task = count_max / 4;
  Limit limit = limit_of(Tres::Cpus);
  limit.seconds = 4;
  EXPECT_EQ(counted(limit, request), count_max);
  request.cpus_per_task += 1;
  EXPECT_EQ(counted(limit, request), count_max) << "the count stops at its maximum";
  request.cpus_per_task -= 2;
  EXPECT_EQ(counted(limit, request), count_max - 4);
}

TEST(LimitUse, allows_a_job_what_the_others_leave_of_the_limit) {
  LimitUse use;
  const Limits limits = {limit_of(Tres::Nodes, 5, 3)};
  const Request request = a_request();
  EXPECT_TRUE(use.hold(JobId{1}, limits, request, 2, 3));
  EXPECT_TRUE(use.allows(JobId{2}, limits, request, 3, 3));
  EXPECT_FALSE(use.allows(JobId{2}, limits, request, 4, 4));
  EXPECT_TRUE(use.allows(JobId{1}, limits, request, 5, 5))
      << "its own use does not count against it";
  EXPECT_FALSE(use.allows(JobId{1}, limits, request, 6, 6));
  EXPECT_FALSE(use.allows(std::nullopt, limits, request, 4, 4));
  EXPECT_TRUE(use.allows(std::nullopt, limits, request, 3, 3));
  use.charge(3, 4);
  EXPECT_EQ(use.used(3), 6);
  EXPECT_FALSE(use.allows(JobId{2}, limits, request, 1, 1));
  EXPECT_TRUE(use.allows(JobId{2}, {named(Tres::Licences, "maple")}, request, 1, 1))
      << "it requests none of it";
}

TEST(LimitUse, keeps_the_latest_amount_of_a_job_and_adds_to_it) {
  LimitUse use;
  const Limits limits = {limit_of(Tres::Nodes, 9, 2), limit_of(Tres::Cpus, 99, 4)};
  const Request request = a_request();
  EXPECT_TRUE(use.hold(JobId{1}, limits, request, 2, 3));
  EXPECT_FALSE(use.hold(JobId{1}, limits, request, 4, 4)) << "it held some before";
  EXPECT_EQ(use.used(2), 4);
  use.hold_more(JobId{1}, limits, request, 1, 1);
  EXPECT_EQ(use.used_by(JobId{1}, 2), 5);
  EXPECT_EQ(use.used_by(JobId{1}, 4), 25);
  EXPECT_EQ(use.used(2), 5);
  use.hold_more(JobId{2}, {limits[1]}, request, 1, 1);
  EXPECT_EQ(use.used_by(JobId{2}, 2), 0);
  EXPECT_EQ(use.used_by(JobId{2}, 4), 5);
  EXPECT_EQ(use.used_by(JobId{3}, 4), 0);
  const std::int64_t version = use.version();
  use.release(JobId{3});
  EXPECT_EQ(use.version(), version) << "it held nothing";
  EXPECT_FALSE(use.hold(JobId{1}, {}, request, 1, 1));
  EXPECT_GT(use.version(), version);
  EXPECT_EQ(use.used(2), 0);
  EXPECT_EQ(use.used(4), 5);
  EXPECT_EQ(use.used(99), 0) << "nothing ever counted against it";
}

// A limit of -3 keeps 3 of the 10 nodes free for others: the 10 nodes of the cluster count as a use
// of -10.
TEST(LimitUse, a_negative_limit_keeps_room_for_others) {
  LimitUse use;
  const Limits room = {limit_of(Tres::Nodes, -3, 1)};
  const Request request = a_request();
  use.charge(1, -10);
  use.hold(JobId{1}, room, request, 5, 5);
  EXPECT_TRUE(use.leaves_room(room, request, 2, 2));
  EXPECT_FALSE(use.leaves_room(room, request, 3, 3));
  const std::vector<JobId> gone = {JobId{1}};
  EXPECT_TRUE(use.leaves_room(room, request, 7, 7, gone));
  EXPECT_FALSE(use.leaves_room(room, request, 8, 8, gone));
  EXPECT_TRUE(use.leaves_room({limit_of(Tres::Nodes, 1, 1)}, request, 9, 9))
      << "this limit keeps no room";
  EXPECT_TRUE(use.allows(JobId{2}, room, request, 9, 9)) << "allows() does not check kept room";
  use.charge(1, 0);
  Limit of_maple = named(Tres::Licences, "maple");
  of_maple.id = 1;
  of_maple.most.count = -1;
  EXPECT_TRUE(use.leaves_room({of_maple}, request, 1, 1)) << "it requests none of it";
}

TEST(LimitUse, wanted_amounts_are_those_of_the_largest_alternative) {
  LimitUse use;
  Request request = a_request();
  Request larger = a_request();
  larger.nodes = 7;
  request.otherwise = larger;
  Limit of_time = limit_of(Tres::Nodes, 9, 2);
  of_time.seconds = 60;
  use.add_demand({limit_of(Tres::Nodes, 9, 1), of_time, limit_of(Tres::Nodes, -1, 3)}, request, 10);
  EXPECT_EQ(use.demand(1), 70);
  use.add_demand({limit_of(Tres::Nodes, 9, 1)}, request, -4);
  EXPECT_EQ(use.demand(1), 42);
  EXPECT_EQ(use.demand(2), 0) << "limits of time have no wanted amount";
  EXPECT_EQ(use.demand(3), 0) << "kept room has no wanted amount";
}

}  // namespace cox::schedule
