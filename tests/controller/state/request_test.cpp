// Tests how the specification of a job is translated into a request to the scheduler.
#include "controller/job/request.h"

#include <gtest/gtest.h>

#include "schedule/model/request_chain.h"

namespace cox {
namespace {

ControllerConfig config() {
  ControllerConfig config;
  config.partitions.resize(2);
  config.partitions[0].name = "main";
  config.partitions[0].is_default = true;
  config.partitions[1].name = "cheap";
  config.partitions[1].gpu_choice = Preference::Cost;
  config.scheduling.gpu_prices = {{"h200", 3'000}, {"h100", 2'000}, {"a100", 500}};
  config.scheduling.topology_levels = {"leaf", "spine", "core"};
  config.domains = {{"n1", {"s1", "l1"}}, {"n2", {"l2"}}};
  return config;
}

JobSpec plain() {
  JobSpec spec;
  spec.partition = "main";
  spec.nodes = spec.tasks = 2;
  return spec;
}

std::vector<std::string> types_wanted(const JobSpec& spec) {
  std::vector<std::string> types;
  const Shared<schedule::Request> chain = make_request(config(), spec, {});
  for (const schedule::Request& one : schedule::RequestChain(*chain)) {
    std::string group;
    for (const std::string& type : one.gpu_types) group += (group.empty() ? "" : "+") + type;
    types.push_back(group);
  }
  return types;
}

std::string refused(const JobSpec& spec) {
  const Failure failure = check_wishes(config(), spec);
  return failure ? failure->fact : "";
}

using Types = std::vector<std::string>;

}  // namespace

TEST(Request, gpu_types_are_ordered_by_the_choice) {
  JobSpec spec = plain();
  spec.gpus_per_node = 1;
  spec.gpu_type = "a100:0.3|h100:0.8|h200";
  spec.gpu_choice = "speed";
  EXPECT_EQ(types_wanted(spec), (Types{"h200", "h100", "a100"}));
  spec.gpu_choice = "cost";  // price per speed: 1667, 2500 and 3000
  EXPECT_EQ(types_wanted(spec), (Types{"a100", "h100", "h200"}));
  spec.gpu_choice = "balanced";  // price per squared speed: 5556, 3125, 3000
  EXPECT_EQ(types_wanted(spec), (Types{"h200", "h100", "a100"}));
  spec.gpu_choice = "";
  EXPECT_EQ(types_wanted(spec), (Types{"h200", "h100", "a100"}));
  spec.partition = "cheap";
  EXPECT_EQ(types_wanted(spec), (Types{"a100", "h100", "h200"}));
}

TEST(Request, equally_good_types_are_joined_for_a_single_gpu) {
  JobSpec spec = plain();
  spec.gpu_choice = "speed";
  spec.gpu_type = "h200|h100|a100:0.3";
  EXPECT_EQ(types_wanted(spec), (Types{"h200", "h100", "a100"}));
  spec.nodes = spec.tasks = spec.gpus_per_node = 1;
  EXPECT_EQ(types_wanted(spec), (Types{"h200+h100", "a100"}));
  spec.gpus_per_node = 2;
  EXPECT_EQ(types_wanted(spec), (Types{"h200", "h100", "a100"}));
  spec.gpu_type = "";
  EXPECT_EQ(types_wanted(spec), (Types{""}));
}

TEST(Request, a_gang_mixes_only_types_that_it_joins) {
  JobSpec spec = plain();
  spec.gpus_per_node = 1;
  spec.gpu_choice = "speed";
  spec.gpu_type = "h200+a100:0.3|h100:0.8";  // a mixture is as slow as its slowest type
  EXPECT_EQ(types_wanted(spec), (Types{"h100", "h200+a100"}));
}

TEST(Request, alternatives_of_a_constraint_come_one_after_the_other) {
  JobSpec spec = plain();
  spec.constraint = "[fast|slow]";
  const Shared<schedule::Request> first = make_request(config(), spec, {});
  EXPECT_EQ(first->constraint, "fast");
  ASSERT_TRUE(first->otherwise.has_value());
  EXPECT_EQ((*first->otherwise)->constraint, "slow");
}

TEST(Request, preferred_features_come_before_required_ones) {
  JobSpec spec = plain();
  spec.prefer = "[fast|fpga]";
  std::vector<std::string> features;
  const auto list = [&] {
    features.clear();
    const Shared<schedule::Request> chain = make_request(config(), spec, {});
    for (const schedule::Request& one : schedule::RequestChain(*chain))
      features.push_back(one.constraint);
  };
  list();
  EXPECT_EQ(features, (std::vector<std::string>{"fast", "fpga", ""}));
  spec.constraint = "slow";
  list();
  EXPECT_EQ(features, (std::vector<std::string>{"fast", "fpga", "slow"}));
  spec.partition = "main,cheap";
  list();
  EXPECT_EQ(features, (std::vector<std::string>{"fast", "fpga", "slow", "fast", "fpga", "slow"}));
}

TEST(Request, more_nodes_for_as_many_tasks_raise_the_cpus_of_each_task) {
  JobSpec spec = plain();
  spec.node_sizes = "2-4";
  spec.tasks = 8;
  spec.tasks_asked = true;
  spec.min_cpus = 4;
  const Shared<schedule::Request> fewest = make_request(config(), spec, {});
  EXPECT_EQ(fewest->cpus_per_task, 1);
  EXPECT_EQ(fewest->min_cpus, 4);
  EXPECT_EQ((*fewest->otherwise)->cpus_per_task, 2)
      << "three nodes, one of which has only two tasks";
  EXPECT_EQ((*(*fewest->otherwise)->otherwise)->cpus_per_task, 2);
}

TEST(Request, a_node_range_is_elastic_or_its_sizes_are_tried_from_the_fewest) {
  JobSpec spec = plain();
  spec.node_sizes = "2-4";
  const Shared<schedule::Request> elastic = make_request(config(), spec, {});
  EXPECT_EQ(elastic->nodes, 2);
  EXPECT_EQ(elastic->nodes_most, 4);
  EXPECT_FALSE(elastic->otherwise.has_value());
  spec.tasks = 12;
  spec.tasks_asked = true;
  const Shared<schedule::Request> fewest = make_request(config(), spec, {});
  EXPECT_EQ(fewest->nodes, 2);
  EXPECT_EQ(fewest->nodes_most, 0);
  EXPECT_EQ((*fewest->otherwise)->nodes, 3);
  EXPECT_EQ((*(*fewest->otherwise)->otherwise)->nodes, 4);
}

TEST(Request, shards_are_parts_of_a_gpu) {
  JobSpec spec = plain();
  spec.gres = "shard:1,fpga:2";
  ASSERT_EQ(refused(spec), "");
  ParsedSpec resolved(spec);
  resolve_wishes(config(), resolved);
  EXPECT_EQ(resolved.gpus_per_node, 1);
  EXPECT_EQ(resolved.gpu_milli, 250);
  EXPECT_EQ(resolved.gres, "fpga:2");
}

TEST(Request, the_wait_for_switches_is_bounded_and_excludes_a_required_topology) {
  JobSpec spec = plain();
  spec.switches = "1@2";
  const Shared<schedule::Request> request = make_request(config(), spec, {});
  EXPECT_EQ(request->switches, 1);
  EXPECT_EQ(request->switches_wait, Milliseconds{120'000});
  spec.switches = "1@1-00:00:00";
  EXPECT_EQ(make_request(config(), spec, {})->switches_wait, Milliseconds{300'000});
  spec.topology = "required:leaf";
  EXPECT_EQ(refused(spec), "--topology=required and --switches cannot be combined");
  spec.switches = "";
  EXPECT_EQ(refused(spec), "");
  EXPECT_EQ(make_request(config(), spec, {})->topology_level, "leaf");
  spec.switches = "1";
  EXPECT_EQ(make_request(config(), spec, {})->switches_wait, Milliseconds{300'000});
}

TEST(Request, required_nvlink_requests_joined_gpus) {
  JobSpec spec = plain();
  spec.topology = "required:nvlink";
  EXPECT_EQ(refused(spec), "--topology=required:nvlink needs GPUs, but the job asks for none");
  spec.gpus_per_node = 2;
  spec.switches = "1";
  EXPECT_EQ(refused(spec), "");
  EXPECT_TRUE(make_request(config(), spec, {})->joined_gpus);
  EXPECT_EQ(make_request(config(), spec, {})->topology_level, "");
  spec.topology = "preferred:nvlink";
  EXPECT_EQ(refused(spec), "");
  EXPECT_FALSE(make_request(config(), spec, {})->joined_gpus);
}

TEST(Request, a_gpu_type_needs_a_request_for_gpus) {
  JobSpec spec = plain();
  spec.gpu_type = "h100";
  EXPECT_EQ(refused(spec), "--gpu-type is set, but the job asks for no GPUs");
  spec.gres = "fpga:1";
  EXPECT_NE(refused(spec), "");
  spec.gres = "fpga:1,shard:1";
  EXPECT_EQ(refused(spec), "");
  spec.gres = "";
  spec.gpus_per_node = 1;
  EXPECT_EQ(refused(spec), "");
}

TEST(Request, contradictory_node_and_gpu_options_are_refused) {
  JobSpec spec = plain();
  spec.topology = "required:rack";
  EXPECT_EQ(refused(spec), "--topology: this cluster has no level \"rack\"");
  EXPECT_EQ(check_wishes(config(), spec)->hint, "possible: nvlink, leaf, spine");
  spec.topology = "required:core";
  EXPECT_EQ(refused(spec), "--topology: this cluster has no level \"core\"")
      << "the level has a name, but no switch";
  spec = plain();
  spec.gres = "shard:5";
  EXPECT_EQ(refused(spec), "--gres=shard:5 is more than the 4 shards of a GPU");
  spec.gres = "shard:1";
  spec.gpus_per_node = 1;
  EXPECT_EQ(refused(spec), "--gres asks for GPUs and for shards");
  spec = plain();
  spec.constraint = "[a*2&b*1]";
  EXPECT_EQ(refused(spec), "--constraint counts 3 nodes, and --nodes is 2");
  spec.constraint = "a&";
  EXPECT_NE(refused(spec).find("--constraint: "), std::string::npos);
  spec.constraint = "";
  spec.prefer = "[a*2&b*1]";
  EXPECT_EQ(refused(spec), "--prefer counts 3 nodes, and --nodes is 2");
  spec.prefer = "!";
  EXPECT_NE(refused(spec).find("--prefer: "), std::string::npos);
  spec.gpus_per_node = 1;
  spec.gpu_type = "a|b|c";
  // 21 alternatives and one without --prefer, for each of 3 types, are 66.
  spec.prefer = "[a|b|c|d|e|f|g|h|i|j|k|l|m|n|o|p|q|r|s|t|u]";
  EXPECT_EQ(refused(spec),
            "alternatives of --constraint and --prefer, for each partition, type of GPU and number "
            "of nodes, are more than 64");
  spec = plain();
  spec.gres = "shard:1,shard:a:1";
  EXPECT_EQ(refused(spec), "--gres asks for shards of one GPU type");
  spec = plain();
  spec.node_sizes = "4-16";
  spec.nodes = 4;
  spec.tasks = 3;
  spec.tasks_asked = true;
  EXPECT_EQ(refused(spec), "--ntasks=3 is less than the minimum of --nodes, which is 4");
  spec.tasks_asked = false;
  spec.node_sizes = "1-16384";
  spec.tasks_per_node = 64;
  EXPECT_EQ(refused(spec), "on the most nodes the job has 1048576 tasks; the limit is 262144");
  spec = plain();
  spec.switches = "2";
  spec.constraint = "[a*1&b*1]";
  EXPECT_EQ(refused(spec),
            "--switches with a count above 1 cannot be combined with counted features");
  spec.switches = "1";
  EXPECT_EQ(refused(spec), "") << "counted features may lie below one switch";
  spec = plain();
  spec.time_limit_s = 60;
  spec.time_min_s = 61;
  EXPECT_EQ(refused(spec), "--time-min is longer than --time");
  spec = plain();
  spec.licences = std::string(5'000, 'x');
  EXPECT_EQ(refused(spec), "--licenses has 5000 bytes; the limit is 4096");
}

}  // namespace cox
