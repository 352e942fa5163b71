// What a job counts against a limit, and what is left of the limit.
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

// Of a job on two nodes with three tasks.
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

TEST(CountOf, has_its_own_measure_for_each_thing) {
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

TEST(CountOf, of_a_type_of_gpu_counts_requests_for_that_type_alone) {
  Request request = a_request();
  EXPECT_EQ(counted(named(Tres::GpuMilli, "", "h100"), request), 8'000);
  EXPECT_EQ(counted(named(Tres::GpuMilli, "", "a100"), request), 0);
  request.gpu_types = {"h100", "a100"};
  EXPECT_EQ(counted(named(Tres::GpuMilli, "", "h100"), request), 0);
  EXPECT_EQ(counted(limit_of(Tres::GpuMilli), request), 8'000);
}

TEST(CountOf, components_count_each_by_itself_but_jobs_and_licences_once) {
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

TEST(CountOf, of_time_counts_whole_nodes_where_these_are_more) {
  const Request request = a_request();
  WholeNode node;
  node.cpus = 8;
  node.memory_mb = 600;
  Limit cpus = limit_of(Tres::Cpus);
  EXPECT_EQ(count_of(cpus, request, 2, 3, node), 15) << "not of time";
  cpus.seconds = 60;
  EXPECT_EQ(count_of(cpus, request, 2, 3, node), 16 * 60);
  EXPECT_EQ(count_of(cpus, request, 2, 3), 15 * 60);
  Limit memory = limit_of(Tres::MemoryMb);
  memory.seconds = 60;
  EXPECT_EQ(count_of(memory, request, 2, 3, node), 1'400 * 60) << "it asks for more than that";
  Limit gres = named(Tres::Gres, "disk");
  gres.seconds = 1;
  EXPECT_EQ(count_of(gres, request, 2, 3, node), 18) << "a whole node has none that is counted";
}

TEST(CountOf, of_time_stops_at_the_largest_number) {
  constexpr std::int64_t count_max = std::int64_t{1} << 60;
  Request request;
  request.cpus_per_task = count_max / 4;
  Limit limit = limit_of(Tres::Cpus);
  limit.seconds = 4;
  EXPECT_EQ(counted(limit, request), count_max);
  request.cpus_per_task += 1;
  EXPECT_EQ(counted(limit, request), count_max) << "and not 4 more";
  request.cpus_per_task -= 2;
  EXPECT_EQ(counted(limit, request), count_max - 4);
}

TEST(LimitUse, allows_up_to_the_limit_beside_all_others) {
  LimitUse use;
  const Limits limits = {limit_of(Tres::Nodes, 5, 3)};
  const Request request = a_request();
  EXPECT_TRUE(use.hold(JobId{1}, limits, request, 2, 3));
  EXPECT_TRUE(use.allows(JobId{2}, limits, request, 3, 3));
  EXPECT_FALSE(use.allows(JobId{2}, limits, request, 4, 4));
  EXPECT_TRUE(use.allows(JobId{1}, limits, request, 5, 5)) << "what it holds is its own";
  EXPECT_FALSE(use.allows(JobId{1}, limits, request, 6, 6));
  EXPECT_FALSE(use.allows(std::nullopt, limits, request, 4, 4));
  EXPECT_TRUE(use.allows(std::nullopt, limits, request, 3, 3));
  use.charge(3, 4);
  EXPECT_EQ(use.used(3), 6);
  EXPECT_FALSE(use.allows(JobId{2}, limits, request, 1, 1));
  EXPECT_TRUE(use.allows(JobId{2}, {named(Tres::Licences, "maple")}, request, 1, 1))
      << "it asks for none of it";
}

TEST(LimitUse, holds_what_was_said_last_and_more_on_top) {
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
  EXPECT_EQ(use.used(99), 0) << "nobody ever counted against it";
}

// Of 10 nodes, which are charged as less than nothing, 3 stay free.
TEST(LimitUse, leaves_the_room_that_is_kept_for_others) {
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
  EXPECT_TRUE(use.leaves_room({limit_of(Tres::Nodes, 1, 1)}, request, 9, 9)) << "no room is kept";
  EXPECT_TRUE(use.allows(JobId{2}, room, request, 9, 9)) << "this is no matter of what is allowed";
  use.charge(1, 0);
  Limit of_maple = named(Tres::Licences, "maple");
  of_maple.id = 1;
  of_maple.most.count = -1;
  EXPECT_TRUE(use.leaves_room({of_maple}, request, 1, 1)) << "it asks for none of it";
}

TEST(LimitUse, wants_by_the_alternative_that_asks_for_most) {
  LimitUse use;
  Request request = a_request();
  Request larger = a_request();
  larger.nodes = 7;
  request.otherwise = larger;
  Limit of_time = limit_of(Tres::Nodes, 9, 2);
  of_time.seconds = 60;
  use.want({limit_of(Tres::Nodes, 9, 1), of_time, limit_of(Tres::Nodes, -1, 3)}, request, 10);
  EXPECT_EQ(use.wanted(1), 70);
  use.want({limit_of(Tres::Nodes, 9, 1)}, request, -4);
  EXPECT_EQ(use.wanted(1), 42);
  EXPECT_EQ(use.wanted(2), 0) << "a limit of time";
  EXPECT_EQ(use.wanted(3), 0) << "room that is kept";
}

}  // namespace cox::schedule
