// Tests coxswain.toml: which settings are read, and the exact messages about mistakes.
#include "common/io/config/config_file.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <regex>
#include <sstream>

#include "common/cluster/unknown_group.h"

namespace cox {
namespace {

Config read(const std::string& text) {
  auto config = parse_config(text, "x.toml");
  EXPECT_TRUE(config.ok()) << config.refusal().fact;
  return config.ok() ? *config : Config{};
}

std::string fact(const std::string& text) {
  const auto config = parse_config(text, "x.toml");
  return config.ok() ? "accepted" : config.refusal().fact;
}

// Returns the text of a [controller] table with all required keys, and `line` as line 5.
std::string controller(const std::string& line) {
  return "[controller]\ndatabase = \"dbname=cox\"\nlisten_local = \"ipc:///run/cox\"\n"
         "checkpoint_root = \"/shared\"\n" +
         line + "\n";
}

std::string worker(const std::string& line) {
  return "[worker]\ncontroller = \"ipc:///run/cox\"\nspool_dir = \"/spool\"\n"
         "checkpoint_root = \"/shared\"\n" +
         line + "\n";
}

std::string partition(const std::string& lines) {
  return "[[partition]]\nname = \"gpu\"\n" + lines + "\n";
}

TEST(ConfigFile, prologs_and_epilogs_are_absolute_paths_with_a_time_limit) {
  const auto node =
      read(worker("prolog = \"/p\"\nepilog = \"/e\"\ntask_prolog = \"/tp\"\n"
                  "task_epilog = \"/te\"\nprolog_epilog_timeout = \"2min\""));
  EXPECT_EQ(site_programs_of(node.worker), (SitePrograms{"/p", "/e", "/tp", "/te", 120'000}));
  EXPECT_EQ(node.controller.site.prolog, "/p") << "the controller only shows it";
  EXPECT_EQ(site_programs_of(read(worker("")).worker), SitePrograms{})
      << "no programs, and a timeout of 5 min";
  const auto head =
      read(controller("prolog_program = \"/h\"\nepilog_program = \"/t\"\n"
                      "prolog_epilog_timeout = \"10s\""));
  EXPECT_EQ(head.controller.prolog_program, "/h");
  EXPECT_EQ(head.controller.epilog_program, "/t");
  EXPECT_EQ(head.controller.prolog_epilog_timeout, Milliseconds{10'000});
  EXPECT_NE(fact(worker("prolog = \"p\"")), "accepted") << "a path must be absolute";
  EXPECT_NE(fact(worker("prolog_epilog_timeout = \"25h\"")), "accepted");
}

TEST(ConfigFile, reads_the_controller_worker_client_and_partition_tables) {
  const auto config =
      read(controller("cluster_name = \"hydra\"\nheartbeat = \"500ms\"\nlease = 60\n"
                      "kill_wait = \"2min\"\ncheckpoints_kept = 3") +
           "[worker]\ncontroller = \"ipc:///run/cox\"\nspool_dir = \"/spool\"\n"
           "gres = [\"gpu:h100:2\", \"gpu:1\"]\nfeatures = [\"fast\"]\ncpus = 8\n"
           "[client]\ncontroller = \"ipc:///run/cox\"\n" +
           partition("nodes = \"n[1-3]\"\ntime_limit_max = \"1-00:00:00\"\n"
                     "time_limit_default = 3600"));
  EXPECT_EQ(config.controller.heartbeat, Milliseconds{500});
  EXPECT_EQ(config.controller.lease, Milliseconds{60'000});
  EXPECT_EQ(config.controller.kill_wait, Milliseconds{120'000});
  EXPECT_EQ(config.controller.checkpoints_kept, 3);
  EXPECT_EQ(config.worker.cluster_name, "hydra");       // the controller's
  EXPECT_EQ(config.worker.checkpoint_root, "/shared");  // the controller's
  EXPECT_EQ(config.worker.cpus, 8);
  EXPECT_EQ(config.worker.features, std::vector<std::string>{"fast"});
  const std::vector<GpuDevice> gpus{{0, "h100", ""}, {1, "h100", ""}, {2, "", ""}};
  EXPECT_EQ(config.worker.gpus, gpus);
  EXPECT_EQ(config.client.controller, "ipc:///run/cox");
  ASSERT_EQ(config.controller.partitions.size(), 1u);
  const auto& partition = config.controller.partitions[0];
  EXPECT_EQ(partition.nodes, (std::vector<std::string>{"n1", "n2", "n3"}));
  EXPECT_TRUE(partition.is_default);
  EXPECT_EQ(partition.time_limit_max_s, 86'400);
  EXPECT_EQ(partition.time_limit_default_s, 3'600);
}

TEST(ConfigFile, reads_the_rules_of_a_partition) {
  const auto config = read(partition(
      "min_nodes = 2\nmax_nodes = 4\nmax_memory_mb_per_node = 1000\npriority_tier = 3\n"
      "allow_accounts = [\"physics\"]\ndeny_accounts = [\"guests\"]\nallow_qos = [\"standard\"]\n"
      "deny_qos = [\"besteffort\"]\nallow_groups = [\"root\"]\nqos = \"critical\"\n"
      "preempt_mode = \"off\"\nexclusive = true"));
  const auto& rules = config.controller.partitions[0];
  EXPECT_EQ(rules.min_nodes, 2);
  EXPECT_EQ(rules.max_nodes, 4);
  EXPECT_EQ(rules.max_memory_mb_per_node, 1000);
  EXPECT_EQ(rules.priority_tier, 3);
  EXPECT_EQ(rules.allow_accounts, std::vector<std::string>{"physics"});
  EXPECT_EQ(rules.deny_accounts, std::vector<std::string>{"guests"});
  EXPECT_EQ(rules.allow_qos, std::vector<std::string>{"standard"});
  EXPECT_EQ(rules.deny_qos, std::vector<std::string>{"besteffort"});
  ASSERT_EQ(rules.allow_groups.size(), 1u);
  EXPECT_EQ(rules.allow_groups[0].name, "root");
  EXPECT_TRUE(is_unknown(rules.allow_groups[0])) << "the controller looks groups up later";
  EXPECT_EQ(rules.qos, "critical");
  EXPECT_EQ(rules.preempt_mode, PreemptMode::Off);
  EXPECT_TRUE(rules.exclusive);
  const auto bare = read(partition("") + worker("weight = 7"));
  EXPECT_EQ(bare.controller.partitions[0].priority_tier, 1);
  EXPECT_FALSE(bare.controller.partitions[0].preempt_mode.has_value());
  EXPECT_EQ(bare.worker.weight, 7);
}

TEST(ConfigFile, reads_named_hours_of_partitions) {
  const std::string hours = "[hours]\nnights = \"Mon-Fri 18:00-08:00\"\nlunch = \"12:00-13:00\"\n";
  const auto config = read(hours + partition("hours = \"nights\"")).controller;
  EXPECT_EQ(config.hours.size(), 2u);
  EXPECT_EQ(format_week_hours(config.hours.at("nights")), "Mon-Fri 18:00-08:00");
  EXPECT_EQ(config.partitions[0].hours, "nights");
  EXPECT_EQ(fact(hours + partition("hours = \"night\"")),
            "x.toml:6: hours in [[partition]] is \"night\", and [hours] has no such name; did you "
            "mean nights?");
  EXPECT_EQ(fact(partition("hours = \"nights\"")),
            "x.toml:3: hours in [[partition]] is \"nights\", and [hours] has no such name");
  EXPECT_EQ(fact("[hours]\nnights = \"late\"\n" + partition("hours = \"nights\"")),
            "x.toml:2: nights in [hours] is not valid: \"late\" is not a valid list of hours of "
            "the week; "
            "write them like \"Mon-Fri 18:00-08:00, Sat-Sun\", in UTC");
  EXPECT_EQ(fact("[hours]\nnights = \"\"\n"),
            "x.toml:2: nights in [hours] is empty: these hours would never be open");
  EXPECT_EQ(fact("[hours]\nnights = 7\n"),
            "x.toml:2: nights in [hours] is an integer; it must be text in quotes");
  EXPECT_EQ(
      fact("[hours]\n\"a b\" = \"Sat\"\n"),
      "x.toml:2: a b in [hours] is not a name for hours: use at most 63 letters, digits, '-', "
      "'_' and '.'");
  std::string many = "[hours]\n";
  for (int i = 0; i < 65; ++i) many += "h" + std::to_string(i) + " = \"Sat\"\n";
  EXPECT_NE(fact(many).find("exceeds the limit of 64 names of hours"), std::string::npos);
}

TEST(ConfigFile, without_partitions_there_is_one_partition_with_all_nodes) {
  const auto partitions = read("").controller.partitions;
  ASSERT_EQ(partitions.size(), 1u);
  EXPECT_EQ(partitions[0].name, "main");
  EXPECT_TRUE(partitions[0].nodes.empty());
  EXPECT_TRUE(partitions[0].is_default);
}

TEST(ConfigFile, a_lease_may_never_end) {
  EXPECT_EQ(read(controller("lease = \"never\"")).controller.lease, Milliseconds{0});
  EXPECT_EQ(fact(controller("kill_wait = \"never\"")),
            "x.toml:5: kill_wait in [controller] is \"never\"; it must be a duration such as "
            "\"15s\" (units: ms, s, min, h)");
}

TEST(ConfigFile, reads_scheduling_policies_by_name) {
  const auto settings = read(
                            "[scheduling]\norder = \"fcfs\"\nbackfill = \"4\"\n"
                            "placement = \"packing\"\nweight_age = 7\nfavor_small = true\n"
                            "max_age = \"24h\"\n")
                            .controller.scheduling;
  EXPECT_EQ(settings.order, OrderPolicy::Fcfs);
  EXPECT_EQ(settings.backfill, Backfill{4});
  EXPECT_EQ(settings.placement, PlacementPolicy::Packing);
  EXPECT_EQ(settings.priority.age, 7);
  EXPECT_TRUE(settings.priority.favor_small);
  EXPECT_EQ(settings.priority.max_age, Milliseconds{86'400'000});
  EXPECT_EQ(read("").controller.scheduling.backfill, Backfill{1});
  EXPECT_EQ(fact("[scheduling]\nbackfill = \"0\"\n"),
            "x.toml:2: backfill in [scheduling] is \"0\"; it must be \"none\", \"easy\", "
            "\"conservative\" or how many reservations, from \"1\" to \"10000\"");
  EXPECT_EQ(fact("[scheduling]\norder = \"random\"\n").substr(0, 59),
            "x.toml:2: order in [scheduling] is \"random\"; it must be one");
}

TEST(ConfigFile, reads_which_gpus_are_joined) {
  const auto known = read(worker("gres = [\"gpu:a40:3\"]\ngpu_links = [\"0,2\"]")).worker;
  const std::vector<GpuDevice> gpus{{0, "a40", "", 1}, {1, "a40", "", 2}, {2, "a40", "", 1}};
  EXPECT_EQ(known.gpus, gpus);
  const auto found_later = read(worker("gpu_links = [\"0-1\", \"2-3\"]")).worker;
  EXPECT_EQ(found_later.gpu_links, (GpuGroups{{0, 1}, {2, 3}}));
  EXPECT_EQ(fact(worker("gres = [\"gpu:2\"]\ngpu_links = [\"0-3\"]")),
            "x.toml:6: gpu_links in [worker] names GPU 2; this node has 2 GPUs");
  EXPECT_EQ(fact(worker("gpu_links = [\"0-3\", \"3-4\"]")),
            "x.toml:5: gpu_links in [worker] names GPU 3 twice");
  EXPECT_EQ(fact(worker("gpu_links = [\"some\"]")),
            "x.toml:5: gpu_links in [worker] is \"some\"; \"some\" is not a whole number from 0 to "
            "63; it must be indices of GPUs, such as \"0-3\" or \"0,2\"");
}

TEST(ConfigFile, reads_a_topology_of_switches_or_blocks) {
  const auto tree = read(
                        "[[switch]]\nname = \"l1\"\nnodes = \"n[1-2]\"\n"
                        "[[switch]]\nname = \"top\"\nswitches = \"l1\"\n")
                        .controller;
  EXPECT_EQ(tree.domains.at("n2"), (std::vector<std::string>{"top", "l1"}));
  EXPECT_EQ(tree.scheduling.topology_levels, (std::vector<std::string>{"leaf", "spine", "core"}));
  const auto blocks = read(
                          "[topology]\nlevels = [\"rack\", \"row\"]\nblock_sizes = \"2,4\"\n"
                          "[[block]]\nname = \"b1\"\nnodes = \"n[1-2]\"\n"
                          "[[block]]\nname = \"b2\"\nnodes = \"n[3-4]\"\n")
                          .controller;
  EXPECT_EQ(blocks.domains.at("n3").back(), "b2");
  EXPECT_EQ(blocks.domains.at("n3").size(), 2u);
  EXPECT_EQ(blocks.scheduling.topology_levels, (std::vector<std::string>{"rack", "row"}));
  EXPECT_EQ(fact("[[switch]]\nname = \"a\"\nnodes = \"n1\"\n[[block]]\nname = \"b\"\n"
                 "nodes = \"n1\"\n"),
            "x.toml:4: the topology is either a tree of switches or blocks, not both");
  EXPECT_EQ(fact("[topology]\nlevels = [\"nvlink\"]\n"),
            "x.toml:2: levels in [topology] names a level nvlink, which is reserved for the GPUs "
            "inside a node");
}

TEST(ConfigFile, reads_licences_gpu_prices_and_the_preference_for_gpus) {
  const auto settings = read(
                            "[scheduling]\nlicences = \"matlab:2\"\ngpu_prices = "
                            "\"h200:3.5|h100:2\"\ngpu_choice = \"cost\"\n")
                            .controller.scheduling;
  EXPECT_EQ(settings.licences.at(0).count, 2);
  EXPECT_EQ(settings.gpu_prices.at(0).milli, 3'500);
  EXPECT_EQ(settings.gpu_choice, Preference::Cost);
  EXPECT_EQ(fact("[scheduling]\nlicences = \"a:x\"\n").substr(0, 41),
            "x.toml:2: licences in [scheduling] is \"a:");
  EXPECT_EQ(
      fact("[scheduling]\ngpu_prices = \"h100:cheap\"\n"),
      "x.toml:2: gpu_prices in [scheduling] is \"h100:cheap\": the price of h100: \"cheap\" is "
      "not a number from 0.001 to 1000 with at most 3 digits after the point");
}

TEST(ConfigFile, misspelt_names_are_refused_with_the_nearest_name) {
  EXPECT_EQ(fact(controller("hartbeat = \"1s\"")),
            "x.toml:5: unknown key 'hartbeat' in [controller]; did you mean 'heartbeat'?");
  EXPECT_EQ(fact(partition("default = true")), "x.toml:3: unknown key 'default' in [[partition]]");
  EXPECT_EQ(fact("\n[contoller]\n"),
            "x.toml:2: unknown table or key 'contoller'; did you mean 'controller'?");
  EXPECT_EQ(
      parse_config(partition("zzz = 1"), "x.toml").refusal().hint,
      "the keys are: allow_accounts allow_groups allow_qos deny_accounts deny_qos exclusive "
      "gpu_choice hours is_default max_memory_mb_per_node max_nodes memory_mb_per_cpu_default "
      "min_nodes name nodes preempt_mode priority priority_tier qos time_limit_default "
      "time_limit_max");
}

TEST(ConfigFile, wrong_types_and_values_are_refused_with_the_limit) {
  EXPECT_EQ(fact(controller("heartbeat = true")),
            "x.toml:5: heartbeat in [controller] is a boolean; it must be a duration such as "
            "\"15s\"");
  EXPECT_EQ(fact(controller("heartbeat = 9223372036854775807")),
            "x.toml:5: heartbeat in [controller] is 1000000000s; it must be from 10ms to 1h");
  EXPECT_EQ(fact(controller("lease = -1")),
            "x.toml:5: lease in [controller] is -1s; it must be from 20ms to 168h, or \"never\"");
  EXPECT_EQ(fact(controller("checkpoints_kept = 0")),
            "x.toml:5: checkpoints_kept in [controller] is 0; it must be from 1 to 1000");
  EXPECT_EQ(fact(controller("memory_limit_mb = 100")),
            "x.toml:5: memory_limit_mb in [controller] is 100; it must be 0, for none, or at least "
            "512");
  EXPECT_EQ(fact(worker("memory_limit_mb = 100")),
            "x.toml:5: memory_limit_mb in [worker] is 100; it must be 0, for none, or at least "
            "512");
  EXPECT_EQ(fact(controller("key_dir = \"keys\"")),
            "x.toml:5: key_dir in [controller] is \"keys\"; it must be an absolute path");
  EXPECT_EQ(fact(controller("listen_tcp = \"ipc:///x\"")),
            "x.toml:5: listen_tcp in [controller] is \"ipc:///x\"; it must be tcp://ADDRESS:PORT");
  for (const std::string port : {"99999", "65536", "", "x", "-1"})
    EXPECT_EQ(fact(controller("listen_tcp = \"tcp://*:" + port + "\"")),
              "x.toml:5: listen_tcp in [controller] is \"tcp://*:" + port +
                  "\"; it must be tcp://ADDRESS:PORT, with a port from 1 to 65535");
  EXPECT_EQ(fact(worker("gres = [\"gpu:h100:1\", 7]")),
            "x.toml:5: gres in [worker] has an integer as entry 2; each entry must be text in "
            "quotes");
  EXPECT_EQ(fact(worker("features = \"fast\"")),
            "x.toml:5: features in [worker] is text; it must be an array of texts such as "
            "[\"a\", \"b\"]");
  EXPECT_EQ(fact(worker("gres = [\"gpu:h100:65\"]")),
            "x.toml:5: gres in [worker] is \"gpu:h100:65\"; it must be \"gpu:COUNT\" or "
            "\"gpu:TYPE:COUNT\", from 1 to 64 devices in all");
  EXPECT_EQ(fact(worker("address = \"n1\"")),
            "x.toml:5: address in [worker] is \"n1\"; it must be a numeric IPv4 address");
  EXPECT_EQ(fact(partition("time_limit_max = \"90:00\"")),
            "x.toml:3: time_limit_max in [[partition]] is \"90:00\"; it must be a time such as "
            "\"12:00:00\", \"7-00:00:00\" or \"90min\" (units: s, min, h)");
  EXPECT_EQ(fact(partition("time_limit_max = \"10min\"\ntime_limit_default = \"601s\"")),
            "x.toml:4: time_limit_default in [[partition]] is longer than time_limit_max");
  EXPECT_EQ(fact(partition("nodes = \"n[1-\""))
                .rfind("x.toml:3: nodes in [[partition]] is not a node list", 0),
            0u);
}

TEST(ConfigFile, every_port_is_from_1_to_65535) {
  const std::string wanted =
      "; it must be ipc:///PATH or tcp://ADDRESS:PORT, with a port from 1 to 65535";
  for (const std::string port : {"99999", "65536", "", "x", "-1"}) {
    const std::string endpoint = "\"tcp://10.0.0.1:" + port + "\"";
    EXPECT_EQ(fact("[client]\ncontroller = " + endpoint + "\n"),
              "x.toml:2: controller in [client] is " + endpoint + wanted);
    EXPECT_EQ(fact("[worker]\ncontroller = \"ipc:///c, " + endpoint.substr(1) + "\n"),
              "x.toml:2: controller in [worker] is " + endpoint + wanted);
    EXPECT_EQ(fact(worker("log_endpoint = " + endpoint)),
              "x.toml:5: log_endpoint in [worker] is " + endpoint + wanted);
  }
  // Any free port is only for a listener.
  for (const std::string port : {"0", "*"}) {
    EXPECT_NE(fact("[client]\ncontroller = \"tcp://10.0.0.1:" + port + "\"\n").find(wanted),
              std::string::npos);
    EXPECT_EQ(fact(worker("log_endpoint = \"tcp://10.0.0.1:" + port + "\"")), "accepted");
  }
  EXPECT_EQ(fact(worker("log_endpoint = \"tcp://10.0.0.1:65535\"")), "accepted");
}

TEST(ConfigFile, node_timeout_lease_and_time_limits_must_be_consistent) {
  EXPECT_EQ(fact(controller("heartbeat = \"15s\"")),
            "x.toml:1: node_timeout in [controller] is 15s; it must be longer than heartbeat, "
            "which is 15s");
  EXPECT_EQ(fact(controller("lease = \"10s\"")),
            "x.toml:5: lease in [controller] is 10s; it must not be shorter than node_timeout, "
            "which is 15s");
  EXPECT_EQ(fact(partition("time_limit_max = 60\ntime_limit_default = 61")),
            "x.toml:4: time_limit_default in [[partition]] is longer than time_limit_max");
}

TEST(ConfigFile, missing_or_contradictory_settings_are_refused_with_their_line) {
  EXPECT_EQ(fact("[controller]\n"), "x.toml:1: [controller] needs the key 'database'");
  EXPECT_EQ(fact("\n[client]\n"), "x.toml:2: [client] needs the key 'controller'");
  EXPECT_EQ(fact("[client]\ncontroller = \"tcp://10.0.0.1:6820\"\n"),
            "x.toml:1: [client] needs the key 'controller_key'");
  EXPECT_EQ(fact("[worker]\ncontroller = \"ipc:///c\"\nspool_dir = \"/s\"\n"),
            "x.toml:1: checkpoint_root in [worker] is missing, there and in [controller]");
  EXPECT_EQ(
      fact(partition("is_default = true") + "[[partition]]\nname = \"b\"\nis_default = true\n"),
      "x.toml:6: is_default in [[partition]] is true for 'gpu' too; only one partition can be the "
      "default");
  EXPECT_EQ(fact(partition("min_nodes = 3\nmax_nodes = 2")),
            "x.toml:3: min_nodes in [[partition]] is more than max_nodes");
  EXPECT_EQ(fact(partition("preempt_mode = \"gang\"")),
            "x.toml:3: preempt_mode in [[partition]] is \"gang\"; it must be \"off\", \"cancel\", "
            "\"requeue\", \"checkpoint\" or \"suspend\"");
  EXPECT_EQ(
      fact(partition("oversubscribe = \"FORCE:2\"")),
      "x.toml:3: oversubscribe in [[partition]] is not supported: jobs may share nodes but "
      "never CPUs, like OverSubscribe=NO; exclusive = true is like OverSubscribe=EXCLUSIVE; there "
      "is no time slicing (YES and FORCE)");
  EXPECT_EQ(fact(partition("") + partition("")),
            "x.toml:5: [[partition]] \"gpu\" is described twice");
}

TEST(ConfigFile, a_second_partition_of_a_name_is_reported_beside_other_mistakes) {
  const auto problems =
      check_config(partition("priority = \"x\"") + partition("priority = \"x\""), "x.toml")
          .problems;
  const std::string text = "priority in [[partition]] is text; it must be an integer";
  ASSERT_EQ(problems.size(), 3u);
  EXPECT_EQ(problems[0].fact, "x.toml:3: " + text);
  EXPECT_EQ(problems[1].fact, "x.toml:5: [[partition]] \"gpu\" is described twice");
  EXPECT_EQ(problems[2].fact, "x.toml:6: " + text);
}

TEST(ConfigFile, invalid_toml_is_refused_with_its_line) {
  const std::string nul = "\n[" + std::string(1, '\0') + "worker]\n";
  EXPECT_EQ(fact(nul), "x.toml:2: there is a NUL byte, which text cannot contain");
  for (const char* open : {"[client]\ncontroller = \"x\n", "[client]\ncontroller = 'x\n"}) {
    const auto config = parse_config(open, "x.toml");
    ASSERT_FALSE(config.ok()) << open;
    EXPECT_EQ(config.refusal().fact.rfind("x.toml:2: ", 0), 0u) << config.refusal().fact;
    EXPECT_EQ(config.refusal().hint, "is a closing quote missing there?");
  }
  EXPECT_EQ(fact("[\\worker]\n").rfind("x.toml:1: ", 0), 0u);
  EXPECT_EQ(fact("\n\n[controller\n").rfind("x.toml:3: ", 0), 0u);
  EXPECT_EQ(fact("controller = 1\n"), "x.toml:1: controller must be written as [controller]");
  EXPECT_EQ(fact("[partition]\n"), "x.toml:1: partition must be written as [[partition]]");
  EXPECT_FALSE(read_config("/nowhere/coxswain.toml").ok());
  EXPECT_FALSE(read_config("/").ok());
}

TEST(ConfigFile, the_given_path_wins_over_the_environment) {
  ::setenv("COX_CONFIG", "/from/environment.toml", 1);
  EXPECT_EQ(find_config("/given.toml").value(), "/given.toml");
  EXPECT_EQ(find_config("").value(), "/from/environment.toml");
  ::unsetenv("COX_CONFIG");
}

// Reads etc/coxswain.toml with its commented-out durations and numbers uncommented, and compares 20
// settings of the controller and one of the worker with the program's defaults.
// tests/common/cluster/config_reference_test.cpp checks all keys.
TEST(ConfigFile, the_example_shows_the_real_defaults) {
  std::ifstream file("etc/coxswain.toml");  // the working directory is the repository's root
  std::stringstream text;
  text << file.rdbuf();
  const auto example = read(text.str());
  EXPECT_EQ(example.controller.database, "dbname=coxswain");
  const auto durations = std::regex_replace(
      text.str(), std::regex("# ([a-z_]+ = (\"[0-9]+(s|min)\"|[0-9]+)\n)"), "$1");
  ASSERT_NE(durations, text.str());
  const auto commented = read(durations).controller;
  const ControllerConfig actual;
  EXPECT_EQ(commented.heartbeat, actual.heartbeat);
  EXPECT_EQ(commented.node_timeout, actual.node_timeout);
  EXPECT_EQ(commented.lease, actual.lease);
  EXPECT_EQ(commented.lease_margin, actual.lease_margin);
  EXPECT_EQ(commented.lease_grace, actual.lease_grace);
  EXPECT_EQ(commented.kill_wait, actual.kill_wait);
  EXPECT_EQ(commented.prepare_timeout, actual.prepare_timeout);
  EXPECT_EQ(commented.clock_drift_ppm, actual.clock_drift_ppm);
  EXPECT_EQ(commented.unkillable_step_timeout, actual.unkillable_step_timeout);
  EXPECT_EQ(commented.return_beats, actual.return_beats);
  EXPECT_EQ(commented.failures_to_avoid, actual.failures_to_avoid);
  EXPECT_EQ(commented.failures_to_drain, actual.failures_to_drain);
  EXPECT_EQ(commented.min_job_age, actual.min_job_age);
  EXPECT_EQ(commented.launch_retry_max, actual.launch_retry_max);
  EXPECT_EQ(commented.checkpoints_kept, actual.checkpoints_kept);
  EXPECT_EQ(commented.log_size_max_mb, actual.log_size_max_mb);
  EXPECT_EQ(commented.max_jobs, actual.max_jobs);
  EXPECT_EQ(commented.max_array_size, actual.max_array_size);
  EXPECT_EQ(commented.connections_per_key, actual.connections_per_key);
  EXPECT_EQ(commented.memory_limit_mb, actual.memory_limit_mb);
  EXPECT_EQ(read(durations).worker.memory_limit_mb, WorkerConfig{}.memory_limit_mb);
}

}  // namespace
}  // namespace cox
