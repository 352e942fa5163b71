// Tests each option of a job at its limit and one beyond it, and the field of the scheduler's
// request that each option sets.
#include <gtest/gtest.h>

#include <functional>

#include "common/base/limits.h"
#include "controller/job/request.h"
#include "schedule/place/alternatives.h"

namespace cox {
namespace {

ControllerConfig two_partitions() {
  ControllerConfig config;
  config.partitions.resize(2);
  config.partitions[0].name = "main";
  config.partitions[0].is_default = true;
  config.partitions[1].name = "small";
  config.partitions[1].nodes = {"n1", "n3"};
  config.scheduling.topology_levels = {"leaf"};
  config.domains = {{"n1", {"l1"}}, {"n2", {"l2"}}};
  return config;
}

JobSpec spec_of(const std::function<void(JobSpec&)>& edit) {
  JobSpec spec;
  spec.partition = "main";
  spec.nodes = spec.tasks = 2;
  edit(spec);
  return spec;
}

// Returns the refusal of a job with this change; "" if it is accepted.
std::string wish_refusal(const std::function<void(JobSpec&)>& edit) {
  const Failure failure = check_wishes(two_partitions(), spec_of(edit));
  return failure ? failure->fact + " / " + failure->hint : "";
}

using S = JobSpec;

TEST(RequestRules, APartOfAGpuMayBeAskedOfOneGpuOnly) {
  const auto part = [](std::int32_t milli, std::int64_t gpus) {
    return wish_refusal([&](S& s) { s.gpu_milli = milli, s.gpus_per_node = gpus; });
  };
  const std::string allowed = " thousandths / it may be 1 to 1000";
  EXPECT_EQ(part(0, 1), "the part of a GPU is 0" + allowed);
  EXPECT_EQ(part(1, 1), "");
  EXPECT_EQ(part(999, 1), "");
  EXPECT_EQ(part(999, 2),
            "a part of a GPU is asked for 2 times / ask for one, like --gres=gpu:0.25");
  EXPECT_EQ(part(999, 0).substr(0, 38), "a part of a GPU is asked for 0 times /");
  EXPECT_EQ(part(1000, 5), "");
  EXPECT_EQ(part(1001, 5), "the part of a GPU is 1001" + allowed);
}

TEST(RequestRules, TimeMinIsNoLongerThanTheTimeLimit) {
  const auto times = [](std::int64_t least, std::int64_t limit) {
    return wish_refusal([&](S& s) { s.time_min_s = least, s.time_limit_s = limit; });
  };
  const std::string most = std::to_string(limits::time_limit_s_max) + " s";
  EXPECT_EQ(times(-1, 0), "--time-min is -1 s / it may be up to " + most);
  EXPECT_EQ(times(0, 60), "");
  EXPECT_EQ(times(60, 60), "");
  EXPECT_EQ(times(61, 60),
            "--time-min is longer than --time / it is the shortest time limit that "
            "the job accepts");
  EXPECT_EQ(times(limits::time_limit_s_max, 0), "") << "without a limit";
  EXPECT_NE(times(limits::time_limit_s_max + 1, 0), "");
}

TEST(RequestRules, NiceHasTheRangeOfSlurm) {
  const auto nice = [](std::int64_t value) { return wish_refusal([&](S& s) { s.nice = value; }); };
  EXPECT_EQ(nice(2'147'483'645), "");
  EXPECT_EQ(nice(-2'147'483'645), "");
  const std::string may =
      "; it may be from -2147483645 to 2147483645 / it is taken off the "
      "priority: 50 is less urgent, -50 more";
  EXPECT_EQ(nice(2'147'483'646), "--nice is 2147483646" + may);
  EXPECT_EQ(nice(-2'147'483'646), "--nice is -2147483646" + may);
}

TEST(RequestRules, TasksAreAtLeastOnePerNodeAndAtMostTheLimit) {
  const auto sizes = [](const char* nodes, std::int64_t tasks_asked, std::int64_t per_node) {
    return wish_refusal([&](S& s) {
      s.node_sizes = nodes;
      s.tasks_per_node = per_node;
      s.tasks_asked = tasks_asked > 0;
      s.tasks = tasks_asked;
    });
  };
  EXPECT_EQ(sizes("4-16", 4, 0), "");
  EXPECT_EQ(sizes("4-16", 3, 0),
            "--ntasks=3 is less than the minimum of --nodes, which is 4 / ask for at least as many "
            "tasks as nodes");
  EXPECT_EQ(sizes("4-16", 0, 0), "");
  EXPECT_EQ(sizes("1-16384", 0, 0), "");
  EXPECT_EQ(sizes("1-16384", 0, 16), "") << "262144";
  EXPECT_EQ(sizes("1-16384", 0, 17),
            "on the most nodes the job has 278528 tasks; the limit is 262144 / ask for fewer nodes "
            "or fewer "
            "tasks a node");
  EXPECT_EQ(sizes("1-16384", 5, 17), "") << "five, however many nodes";
}

TEST(RequestRules, CountedFeaturesFitIntoTheNodes) {
  const auto counted = [](const std::string& constraint, std::int64_t nodes,
                          const std::string& switches = "") {
    return wish_refusal([&](S& s) {
      s.constraint = constraint;
      s.nodes = s.tasks = nodes;
      s.switches = switches;
    });
  };
  EXPECT_EQ(counted("[a*1&b*1]", 2), "");
  EXPECT_EQ(
      counted("[a*1&b*2]", 2),
      "--constraint counts 3 nodes, and --nodes is 2 / ask for as many nodes, or count fewer");
  EXPECT_EQ(counted("[a*1&b*2]", 0), "") << "as many nodes as it counts";
  EXPECT_EQ(counted("[a*1&b*1]", 2, "1"), "");
  EXPECT_EQ(counted("a*1", 2, "2"), "") << "one part";
  EXPECT_EQ(counted("[a*1&b*1]", 2, "2"),
            "--switches with a count above 1 cannot be combined with counted features / ask for "
            "one switch, or leave "
            "out one of the two");
  std::string parts = "[f1*1";
  for (int i = 2; i <= 8; ++i) parts += "&f" + std::to_string(i) + "*1";
  EXPECT_EQ(counted(parts + "]", 20), "");
  EXPECT_EQ(counted(parts + "&f9*1]", 20),
            "--constraint counts more than 8 features / count fewer");
}

TEST(RequestRules, TheProductOfAllAlternativesIsLimited) {
  const auto alternatives = [](int features, const std::function<void(JobSpec&)>& edit) {
    return wish_refusal([&](S& s) {
      for (int i = 1; i <= features; ++i)
        s.constraint += (i == 1 ? "[f" : "|f") + std::to_string(i);
      s.constraint += "]";
      s.gpus_per_node = 1;
      edit(s);
    });
  };
  const std::string too_many =
      "alternatives of --constraint, for each partition, type of GPU and number of nodes, are more "
      "than 64 / name fewer features, partitions, types or numbers";
  const auto three_types = [](S& s) { s.gpu_type = "h100|h200|a100"; };
  const auto in_both = [](S& s) { s.partition = "main,small"; };
  const auto any_size = [](S& s) { s.node_sizes = "1-9", s.tasks_asked = true, s.tasks = 9; };
  EXPECT_EQ(alternatives(32, [](S&) {}), "");
  EXPECT_EQ(alternatives(32, in_both), "");
  EXPECT_EQ(alternatives(21, three_types), "");
  EXPECT_EQ(alternatives(22, three_types), too_many);
  EXPECT_EQ(alternatives(10, [&](S& s) { three_types(s), in_both(s); }), "");
  EXPECT_EQ(alternatives(11, [&](S& s) { three_types(s), in_both(s); }), too_many);
  EXPECT_EQ(alternatives(8, any_size), "");
  EXPECT_EQ(alternatives(9, any_size), too_many);
  EXPECT_EQ(alternatives(9, [](S& s) { s.node_sizes = "1-9"; }), "") << "it is elastic";
}

TEST(RequestRules, OptionsAboutGpusNeedARequestForGpus) {
  const std::vector<std::function<void(JobSpec&)>> ways{
      [](S& s) { s.gpus_per_node = 1; }, [](S& s) { s.gpus = 1; },
      [](S& s) { s.gpus_per_task = 1; }, [](S& s) { s.tasks_per_gpu = 1; },
      [](S& s) { s.gres = "shard:1"; }};
  for (const auto& ask : ways) {
    EXPECT_EQ(wish_refusal([&](S& s) { ask(s), s.gpu_type = "h100"; }), "");
    EXPECT_EQ(wish_refusal([&](S& s) { ask(s), s.topology = "required:nvlink"; }), "");
  }
  EXPECT_EQ(wish_refusal([](S& s) { s.gpu_type = "h100"; }),
            "--gpu-type is set, but the job asks for no GPUs / ask for GPUs, like "
            "--gpus-per-node=2, or leave --gpu-type out");
  EXPECT_EQ(wish_refusal([](S& s) { s.topology = "required:nvlink"; }),
            "--topology=required:nvlink needs GPUs, but the job asks for none / ask for "
            "GPUs, like --gpus-per-node=2, or leave --topology out");
  EXPECT_EQ(wish_refusal([](S& s) { s.topology = "preferred:nvlink"; }), "");
}

TEST(RequestRules, ARequiredTopologyLevelExcludesSwitches) {
  const auto level = [](const char* topology, const char* switches) {
    return wish_refusal([&](S& s) { s.topology = topology, s.switches = switches; });
  };
  EXPECT_EQ(level("required:leaf", ""), "");
  EXPECT_EQ(level("preferred:leaf", "1"), "");
  EXPECT_EQ(level("required:leaf", "1"),
            "--topology=required and --switches cannot be combined / leave out one of the two");
  EXPECT_EQ(level("preferred:rack", ""),
            "--topology: this cluster has no level \"rack\" / possible: nvlink, leaf");
}

TEST(RequestRules, ShardsFitOnOneGpuAndHaveNoType) {
  const auto shards = [](const char* gres, std::int64_t gpus = 0) {
    return wish_refusal([&](S& s) { s.gres = gres, s.gpus_per_node = gpus; });
  };
  EXPECT_EQ(shards("shard:4,fpga:9"), "");
  EXPECT_EQ(shards("shard:5"),
            "--gres=shard:5 is more than the 4 shards of a GPU / ask for whole GPUs, like "
            "--gres=gpu:1");
  EXPECT_EQ(shards("shard:1", 1),
            "--gres asks for GPUs and for shards / ask for only one of the two");
  EXPECT_EQ(shards("shard:a:1"),
            "--gres asks for shards of one GPU type / leave the type out, like --gres=shard:2; "
            "--gpu-type names types");
}

TEST(RequestRules, TextsOfOptionsHaveALimitOfBytes) {
  const std::string longest(limits::wish_bytes_max, 'x');
  const std::vector<std::string JobSpec::*> texts{&S::gres,     &S::gpu_type,   &S::gpu_choice,
                                                  &S::licences, &S::node_sizes, &S::switches,
                                                  &S::topology, &S::constraint};
  for (std::string JobSpec::*text : texts) {
    const std::string refusal = wish_refusal([&](S& s) { s.*text = longest + "x"; });
    EXPECT_NE(refusal.find(" has 4097 bytes; the limit is 4096 / make it shorter"),
              std::string::npos)
        << refusal;
    EXPECT_EQ(wish_refusal([&](S& s) { s.*text = longest; }).find(" has 4096 bytes; the limit"),
              std::string::npos);
  }
  EXPECT_EQ(wish_refusal([](S& s) { s.switches = "x"; }).substr(0, 12), "--switches: ");
}

TEST(RequestFields, EachFieldOfASchedulerRequestComesFromItsOption) {
  const JobSpec spec = spec_of([](S& s) {
    s.partition = "small";
    s.nodes = 2;
    s.tasks = 6;
    s.tasks_per_node = 3;
    s.cpus_per_task = 4;
    s.memory_mb_per_node = 500;
    s.gpus_per_node = 1;
    s.gpu_milli = 250;
    s.gpu_type = "h100";
    s.exclusive = true;
    s.gres = "fpga:2";
    s.licences = "matlab:3";
    s.switches = "2@1";
    s.nodelist = {"n1"};
    s.exclude = {"n2"};
    s.whole_memory = true;
    s.reservation = "class";
    s.constraint = "fast";
  });
  schedule::Request expected;
  expected.nodes = 2;
  expected.tasks = 6;
  expected.tasks_per_node = 3;
  expected.cpus_per_task = 4;
  expected.memory_mb_per_node = 500;
  expected.gpus_per_node = 1;
  expected.gpu_milli = 250;
  expected.gpu_types = {"h100"};
  expected.exclusive = true;
  expected.gres = {{"fpga", "", 2}};
  expected.licences = {{"matlab", 3}};
  expected.switches = 2;
  expected.switches_wait = Milliseconds{60'000};
  expected.partition_nodes = {"n1", "n3"};
  expected.nodelist = {"n1"};
  expected.exclude = {"n2"};
  expected.whole_memory = true;
  expected.reservation = "class";
  expected.constraint = "fast";
  expected.avoid = {"n9"};
  EXPECT_EQ(*make_request(two_partitions(), spec, {"n9"}), expected);
}

TEST(RequestFields, APartitionMayGiveWholeNodesAndMayBeGone) {
  ControllerConfig config = two_partitions();
  const auto request = [&](const char* partition, bool exclusive) {
    return make_request(config, spec_of([&](S& s) {
                          s.partition = partition;
                          s.exclusive = exclusive;
                        }),
                        {});
  };
  EXPECT_FALSE(request("small", false)->exclusive);
  EXPECT_TRUE(request("small", true)->exclusive);
  config.partitions[1].exclusive = true;
  EXPECT_TRUE(request("small", false)->exclusive);
  EXPECT_FALSE(request("main", false)->exclusive);
  EXPECT_EQ(request("main", false)->partition_gone, "");
  EXPECT_TRUE(request("main", false)->partition_nodes.empty()) << "all nodes";
  EXPECT_EQ(request("gone", false)->partition_gone, "gone");
  EXPECT_EQ(request("gone", false)->partition_nodes, std::vector<std::string>{""});
  EXPECT_FALSE(request("gone", false)->exclusive);
  const auto both = schedule::unchained(*request("main,small", false));
  ASSERT_EQ(both.size(), 2U);
  EXPECT_EQ(both[1].partition_nodes, (std::vector<std::string>{"n1", "n3"}));
}

TEST(RequestFields, RanksWithTheirOwnGpusAreLimitedByTheGpusOfTheNode) {
  const auto ranks = [](std::int64_t asked, std::int64_t gpus, std::int64_t gpus_per_task,
                        std::int64_t tasks_per_gpu) {
    return make_request(two_partitions(), spec_of([&](S& s) {
                          s.tasks_per_node = asked;
                          s.gpus_per_node = gpus;
                          s.gpus_per_task = gpus_per_task;
                          s.tasks_per_gpu = tasks_per_gpu;
                        }),
                        {})
        ->tasks_per_node;
  };
  EXPECT_EQ(ranks(0, 4, 0, 0), 0);
  EXPECT_EQ(ranks(3, 4, 0, 0), 3);
  EXPECT_EQ(ranks(0, 4, 2, 0), 2);
  EXPECT_EQ(ranks(1, 4, 2, 0), 1);
  EXPECT_EQ(ranks(3, 4, 2, 0), 2);
  EXPECT_EQ(ranks(5, 1, 2, 0), 5) << "no GPU serves a rank there";
  EXPECT_EQ(ranks(0, 2, 0, 3), 6);
  EXPECT_EQ(ranks(5, 2, 0, 3), 5);
  EXPECT_EQ(ranks(7, 2, 0, 3), 6);
  EXPECT_EQ(ranks(5, 0, 0, 3), 5);
}

TEST(RequestFields, TheWaitForSwitchesIsAtMostTheConfiguredOne) {
  ControllerConfig config = two_partitions();
  const auto wait_s = [&](const char* switches) {
    const auto request = make_request(config, spec_of([&](S& s) { s.switches = switches; }), {});
    return request->switches_wait.count() / 1000;
  };
  EXPECT_EQ(wait_s(""), 0);
  EXPECT_EQ(wait_s("1"), 300);
  EXPECT_EQ(wait_s("1@0"), 300);
  EXPECT_EQ(wait_s("1@4"), 240);
  EXPECT_EQ(wait_s("1@6"), 300);
  config.scheduling.max_switch_wait = Milliseconds{0};
  EXPECT_EQ(wait_s("1"), 0) << "however long it takes";
  EXPECT_EQ(wait_s("1@6"), 360);
}

// Returns the node counts of the scheduler's request and its tasks: "2-8 with 4 tasks" is elastic,
// "2-8,2,8" may have only the listed counts, "3" is fixed. The partition allows `min_nodes` to
// `max_nodes`.
std::string elastic_text(const std::string& sizes, std::int64_t min_nodes, std::int64_t max_nodes) {
  ControllerConfig config = two_partitions();
  config.partitions[0].min_nodes = min_nodes;
  config.partitions[0].max_nodes = max_nodes;
  const auto request = make_request(config, spec_of([&](S& s) {
                                      s.node_sizes = sizes;
                                      s.nodes = 2;
                                      s.tasks = 4;
                                    }),
                                    {});
  std::string text = std::to_string(request->nodes);
  if (request->nodes_most > 0) text += "-" + std::to_string(request->nodes_most);
  for (const std::int64_t size : request->sizes) text += "," + std::to_string(size);
  return text + " with " + std::to_string(request->tasks) + " tasks";
}

TEST(RequestFields, AnElasticJobHasTheSizesThatItsPartitionAllows) {
  EXPECT_EQ(elastic_text("2-8", 0, 0), "2-8 with 4 tasks");
  EXPECT_EQ(elastic_text("2-8", 0, 5), "2-5 with 4 tasks");
  EXPECT_EQ(elastic_text("2-8", 0, 9), "2-8 with 4 tasks");
  EXPECT_EQ(elastic_text("2-8", 3, 0), "3-8 with 6 tasks");
  EXPECT_EQ(elastic_text("2-8", 3, 3), "3 with 6 tasks");
  EXPECT_EQ(elastic_text("2-8", 8, 0), "8 with 16 tasks");
  EXPECT_EQ(elastic_text("2-8", 9, 0), "2-8 with 4 tasks")
      << "no size is allowed: it stays pending";
  EXPECT_EQ(elastic_text("2,4,8", 0, 0), "2-8,2,4,8 with 4 tasks");
  EXPECT_EQ(elastic_text("2,4,8", 0, 4), "2-4,2,4 with 4 tasks");
  EXPECT_EQ(elastic_text("2,4,8", 3, 0), "4-8,4,8 with 8 tasks");
  EXPECT_EQ(elastic_text("2,4,8", 4, 7), "4,4 with 8 tasks");
  EXPECT_EQ(elastic_text("2,4,8", 5, 7), "2-8,2,4,8 with 4 tasks");
}

TEST(RequestFields, AJobWithAFixedNumberOfTasksIsTriedWithAtMostEightSizes) {
  const auto tried = [](const char* sizes, std::int64_t tasks) {
    const auto chain = make_request(two_partitions(), spec_of([&](S& s) {
                                      s.node_sizes = sizes;
                                      s.tasks_asked = true;
                                      s.tasks = tasks;
                                    }),
                                    {});
    std::vector<std::int64_t> nodes;
    for (const schedule::Request& one : schedule::unchained(*chain)) {
      nodes.push_back(one.nodes);
      EXPECT_EQ(one.nodes_most, 0);
      EXPECT_EQ(one.tasks, tasks);
    }
    return nodes;
  };
  using Sizes = std::vector<std::int64_t>;
  EXPECT_EQ(tried("2-4", 12), (Sizes{2, 3, 4}));
  EXPECT_EQ(tried("2-100", 3), (Sizes{2, 3})) << "each node has a task";
  EXPECT_EQ(tried("2-100", 2), (Sizes{2}));
  EXPECT_EQ(tried("1-8", 100), (Sizes{1, 2, 3, 4, 5, 6, 7, 8}));
  EXPECT_EQ(tried("1-100", 1'000), (Sizes{1, 15, 29, 43, 57, 71, 85, 100}));
  EXPECT_EQ(tried("2,4,8", 4), (Sizes{2, 4}));
  EXPECT_EQ(tried("1,3,5,7,9,11,13,15,17", 100), (Sizes{1, 3, 5, 7, 9, 11, 13, 15}));
}

TEST(RequestFields, NodeRangesCountedFeaturesAndShardsAreResolvedIntoNumbers) {
  const auto resolved = [](const std::function<void(JobSpec&)>& edit) {
    ParsedSpec spec(spec_of(edit));
    ControllerConfig config = two_partitions();
    config.scheduling.shards_per_gpu = 3;
    resolve_wishes(config, spec);
    return spec;
  };
  EXPECT_EQ(resolved([](S&) {}), spec_of([](S&) {}));
  EXPECT_EQ(resolved([](S& s) { s.node_sizes = "3-5"; }),
            spec_of([](S& s) { s.node_sizes = "3-5", s.nodes = 3, s.tasks = 0; }));
  EXPECT_EQ(resolved([](S& s) { s.node_sizes = "3", s.tasks_asked = true, s.tasks = 7; }),
            spec_of([](S& s) { s.nodes = 3, s.tasks_asked = true, s.tasks = 7; }));
  EXPECT_EQ(resolved([](S& s) { s.constraint = "[a*2&b*1]", s.nodes = 0; }).nodes, 3);
  EXPECT_EQ(resolved([](S& s) { s.constraint = "[a*2&b*1]", s.nodes = 5; }).nodes, 5);
  EXPECT_EQ(resolved([](S& s) { s.gres = "nic:1,shard:1,fpga:2"; }), spec_of([](S& s) {
              s.gres = "nic:1,fpga:2";
              s.gpus_per_node = 1;
              s.gpu_milli = 334;  // rounded up
            }));
  EXPECT_EQ(resolved([](S& s) { s.gres = "shard:3"; }),
            spec_of([](S& s) { s.gpus_per_node = 1, s.gpu_milli = 1000; }));
}

}  // namespace
}  // namespace cox
