// Tests the rules of partitions without a controller: each at its limit and one beyond it, and
// which partition gave a job its nodes.
#include <gtest/gtest.h>

#include "common/base/moment_text.h"
#include "controller/admit/partition_choice.h"
#include "controller/limits/partitions.h"

namespace cox {
namespace {

PartitionConfig gpu_with(const std::function<void(PartitionConfig&)>& set) {
  PartitionConfig partition;
  partition.name = "gpu";
  set(partition);
  return partition;
}

JobSpec of_nodes(std::int64_t nodes, const std::string& sizes = "") {
  JobSpec spec;
  spec.nodes = spec.tasks = nodes;
  spec.node_sizes = sizes;
  return spec;
}

std::string fact(const Failure& failure) {
  return failure ? failure->fact : "";
}

TEST(PartitionRules, TheNodesOfAJobAreWithinThePartitionsRange) {
  const PartitionConfig gpu = gpu_with([](auto& p) { p.min_nodes = 2, p.max_nodes = 4; });
  EXPECT_EQ(fact(check_size(gpu, of_nodes(1))),
            "the job asks for 1 node; partition gpu wants at least 2 (min_nodes)");
  EXPECT_EQ(fact(check_size(gpu, of_nodes(2))), "");
  EXPECT_EQ(fact(check_size(gpu, of_nodes(4))), "");
  EXPECT_EQ(fact(check_size(gpu, of_nodes(5))),
            "the job asks for 5 nodes; partition gpu allows at most 4 (max_nodes)");
  EXPECT_EQ(fact(check_size(gpu, of_nodes(0, "1-2"))), "") << "an elastic job can have two";
  EXPECT_EQ(fact(check_size(gpu, of_nodes(0, "4-9"))), "");
  EXPECT_EQ(fact(check_size(gpu, of_nodes(0, "5-9"))),
            "the job asks for 5 nodes; partition gpu allows at most 4 (max_nodes)");
  const PartitionConfig wide = gpu_with([](auto& p) { p.min_nodes = 4; });
  EXPECT_EQ(fact(check_size(wide, of_nodes(0, "1-3"))),
            "the job asks for 3 nodes; partition gpu wants at least 4 (min_nodes)");
  EXPECT_EQ(fact(check_size(wide, of_nodes(99))), "") << "no maximum is configured";
}

TEST(PartitionRules, MemoryAndTimeOfAJobAreWithinThePartitionsMaximum) {
  const PartitionConfig gpu = gpu_with([](auto& p) {
    p.max_memory_mb_per_node = 100;
    p.time_limit_max_s = 60;
  });
  JobSpec spec = of_nodes(1);
  spec.memory_mb_per_node = 100;
  spec.time_limit_s = 60;
  EXPECT_EQ(fact(check_size(gpu, spec)) + fact(check_time(gpu, spec)), "");
  spec.memory_mb_per_node = 101;
  spec.time_limit_s = 61;
  EXPECT_EQ(fact(check_size(gpu, spec)),
            "--mem asks for 101 MB; partition gpu allows 100 on a node (max_memory_mb_per_node)");
  EXPECT_EQ(fact(check_time(gpu, spec)),
            "--time asks for 00:01:01; partition gpu allows at most 00:01:00 (time_limit_max)");
  const PartitionConfig any = gpu_with([](auto&) {});
  EXPECT_EQ(fact(check_size(any, spec)) + fact(check_time(any, spec)), "") << "0 is no limit";
}

TEST(PartitionRules, TheRuleThatBarsAnAcceptedJobFromStartingIsNamed) {
  using enum PartitionState;
  const PartitionConfig plain = gpu_with([](auto&) {});
  const JobSpec spec = of_nodes(2);
  EXPECT_EQ(bar_of(plain, Up, true, spec), WaitReason::None);
  EXPECT_EQ(bar_of(plain, Drain, true, spec), WaitReason::None) << "it was accepted before";
  EXPECT_EQ(bar_of(plain, Down, true, spec), WaitReason::PartitionDown);
  EXPECT_EQ(bar_of(plain, Inactive, true, spec), WaitReason::PartitionInactive);
  EXPECT_EQ(bar_of(plain, Up, false, spec), WaitReason::PartitionDown) << "its hours are over";
  for (const auto& rule : std::vector<std::function<void(PartitionConfig&)>>{
           [](auto& p) { p.min_nodes = 3; }, [](auto& p) { p.max_nodes = 1; },
           [](auto& p) { p.max_memory_mb_per_node = 9; }}) {
    JobSpec wants = spec;
    wants.memory_mb_per_node = 10;
    EXPECT_EQ(bar_of(gpu_with(rule), Up, true, wants), WaitReason::PartitionNodeLimit);
    EXPECT_EQ(bar_text(gpu_with(rule), {}, wants), fact(check_size(gpu_with(rule), wants)));
  }
  JobSpec slow = spec;
  slow.time_limit_s = 61;
  const PartitionConfig brief = gpu_with([](auto& p) { p.time_limit_max_s = 60; });
  EXPECT_EQ(bar_of(brief, Up, true, slow), WaitReason::PartitionTimeLimit);
  EXPECT_EQ(bar_text(brief, {}, slow), fact(check_time(brief, slow)));
  Partition now;
  now.state = Down;
  EXPECT_EQ(bar_text(brief, now, slow), "partition gpu is DOWN") << "the state is named first";
  now.reason = "bad switch";
  EXPECT_EQ(bar_text(brief, now, slow), "partition gpu is DOWN (bad switch)");
}

TEST(PartitionRules, ThePartitionOfAJobIsTheFirstThatCouldGiveItsNodes) {
  const PartitionConfig wide = gpu_with([](auto& p) { p.name = "wide", p.min_nodes = 2; });
  const PartitionConfig narrow = gpu_with([](auto& p) { p.name = "narrow", p.max_nodes = 1; });
  const PartitionConfig few = gpu_with([](auto& p) { p.name = "few", p.nodes = {"n1"}; });
  const PartitionConfig whole = gpu_with([](auto& p) { p.name = "whole", p.exclusive = true; });
  const PartitionConfig any = gpu_with([](auto& p) { p.name = "any"; });
  const auto granting = [](const Partitions& partitions, const std::vector<NodeGrant>& grants) {
    const auto* found =
        partition_granting(partitions, grants, [](const std::string&) { return std::int64_t{4}; });
    return found == nullptr ? "none" : found->name;
  };
  const auto grant = [](const char* node, std::int64_t cpus) {
    NodeGrant one;
    one.node = node;
    one.cpus = cpus;
    return one;
  };
  const std::vector<NodeGrant> n1{grant("n1", 4)}, n2{grant("n2", 3)},
      both{grant("n1", 4), grant("n2", 4)};
  EXPECT_EQ(granting({&wide, &any}, n1), "any");
  EXPECT_EQ(granting({&wide, &any}, both), "wide");
  EXPECT_EQ(granting({&narrow, &any}, n1), "narrow");
  EXPECT_EQ(granting({&narrow, &any}, both), "any");
  EXPECT_EQ(granting({&few, &any}, n1), "few");
  EXPECT_EQ(granting({&few, &any}, both), "any");
  EXPECT_EQ(granting({&whole, &any}, both), "whole");
  EXPECT_EQ(granting({&whole, &any}, n2), "any") << "three of four CPUs";
  EXPECT_EQ(granting({&few, &narrow}, both), "few") << "none could: the first";
  EXPECT_EQ(granting({}, n1), "none");
}

TEST(PartitionRules, PartitionsAreTriedByTierAndThenInTheGivenOrder) {
  ControllerConfig config;
  for (const char* name : {"a", "b", "c"}) config.partitions.emplace_back().name = name;
  config.partitions[1].is_default = true;
  config.partitions[2].priority_tier = 2;
  const auto order = [&](const std::vector<std::string>& names) {
    std::string text;
    for (const PartitionConfig* one : partitions_of(config, names)) text += one->name;
    return text;
  };
  EXPECT_EQ(order({}), "b") << "the default one";
  EXPECT_EQ(order({"a"}), "a");
  EXPECT_EQ(order({"b", "a", "c"}), "cba");
  EXPECT_EQ(order({"a", "gone", "b"}), "ab");
  EXPECT_EQ(order({"gone"}), "");
}

TEST(PartitionRules, SeveralPartitionsGiveTheLargestMemoryDefaultAndTheLowestMinNodes) {
  ControllerConfig config;
  for (const char* name : {"a", "b"}) config.partitions.emplace_back().name = name;
  config.partitions[0].memory_mb_per_cpu_default = 10;
  config.partitions[1].memory_mb_per_cpu_default = 20;
  config.partitions[0].min_nodes = 3;
  config.partitions[1].min_nodes = 2;
  const auto in = [](const char* names) {
    JobSpec spec;
    spec.partition = names;
    return spec;
  };
  EXPECT_EQ(memory_mb_per_cpu_default(config, in("a")), 10);
  EXPECT_EQ(memory_mb_per_cpu_default(config, in("b,a")), 20);
  EXPECT_EQ(memory_mb_per_cpu_default(config, in("gone")), 0);
  EXPECT_EQ(fewest_nodes(config, in("a")), 3);
  EXPECT_EQ(fewest_nodes(config, in("a,b")), 2);
}

TEST(PartitionRules, APartitionWithoutHoursIsOpenAndOneWithHoursOpensWhenTheyBegin) {
  ControllerConfig config;
  config.hours["nights"] = *parse_week_hours("18:00-08:00");
  const Wall noon = *parse_moment("2026-11-24T12:00:00Z");
  const Wall evening = *parse_moment("2026-11-24T18:00:00Z");
  EXPECT_EQ(opens_at(config, gpu_with([](auto&) {}), noon), noon);
  const PartitionConfig night = gpu_with([](auto& p) { p.hours = "nights"; });
  EXPECT_EQ(opens_at(config, night, noon), evening);
  EXPECT_EQ(opens_at(config, night, evening), evening);
}

}  // namespace
}  // namespace cox
