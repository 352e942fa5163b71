// What `cox doctor` makes of the facts: one fact changed at a time in a host that is well.
#include "client/doctor.h"

#include <gtest/gtest.h>

namespace cox {
namespace {

HostFacts well() {
  HostFacts facts;
  facts.config.path = "/etc/coxswain/coxswain.toml";
  facts.config.lines = {{"[controller]", "lease", {"15min"}, false},
                        {"[worker]", "node_name", {"n1"}, true}};
  facts.database = DatabaseFacts{"", "15.8", 5, 5, true, 3, 1};
  facts.keys = {{"[worker] key_file", "/k/worker-n1.key", {}, false, "aa", "aa", "n1.pub"}};
  facts.folders = {{"/shared", "hydra", true, true, false, "hydra"}};
  facts.cgroups = CgroupFacts{true, true, {"cpu", "memory"}};
  facts.listening = {{"ipc:///run/cox", true, 0140600}, {"tcp://*:6820", true, 0}};
  ControllerFacts controller;
  controller.answers = true;
  controller.answer_ms = 2;
  controller.view.name = "hydra";
  controller.view.version = "0.1.0";
  controller.view.nodes = controller.view.nodes_responding = 1;
  controller.view.database = "ready";
  NodeView node;
  node.node.name = "n1";
  node.node.responding = true;
  controller.nodes = {node};
  facts.controller = controller;
  return facts;
}

// The findings that are not ok, as "health check: fact".
std::vector<std::string> bad(const HostFacts& facts) {
  std::vector<std::string> said;
  for (const auto& finding : findings_of(facts)) {
    EXPECT_EQ(finding.hint.empty(), finding.health == Health::Ok) << finding.fact;
    if (finding.health != Health::Ok)
      said.push_back(std::string(name(finding.health)) + " " + finding.check + ": " + finding.fact);
  }
  return said;
}

using Said = std::vector<std::string>;

TEST(Doctor, finds_nothing_wrong_with_a_host_that_is_well) {
  EXPECT_EQ(bad(well()), Said{});
  EXPECT_EQ(show_findings(findings_of(well()), {}).exit_code, exit_ok);
}

TEST(Doctor, a_bad_configuration_is_a_problem_and_ends_there) {
  HostFacts facts;
  facts.config.problems = {{"x.toml:3: unknown key", ""}};
  EXPECT_EQ(bad(facts), Said{"problem configuration: x.toml:3: unknown key"});
  EXPECT_EQ(show_findings(findings_of(facts), {}).exit_code, exit_refused);
}

TEST(Doctor, database) {
  auto facts = well();
  facts.database->schema_version = 6;
  EXPECT_EQ(bad(facts), Said{"problem database: PostgreSQL 15.8, schema version 6; this "
                             "controller's program knows up to 5"});
  facts.database->schema_version = 0;  // the controller will make it
  EXPECT_EQ(bad(facts), Said{});
  facts.database->writable = false;
  EXPECT_EQ(bad(facts), Said{"problem database: PostgreSQL 15.8 takes no changes from this user"});
  facts.database->error = "no route";
  EXPECT_EQ(bad(facts),
            Said{"warning database: this user cannot reach it, but the controller can"});
  facts.controller->trouble = Refusal{"does not answer", ""};
  facts.listening.clear();
  EXPECT_EQ(bad(facts), (Said{"problem database: cannot be reached: no route",
                              "problem controller: does not answer"}));
}

TEST(Doctor, clocks_are_judged_by_what_is_surely_so) {
  auto facts = well();
  facts.database->clock_offset_ms = -1'500;
  facts.database->clock_bound_ms = 500;
  EXPECT_EQ(bad(facts), Said{});
  facts.database->clock_bound_ms = 499;
  EXPECT_EQ(bad(facts).size(), 1u);
  EXPECT_TRUE(bad(facts).front().starts_with("warning clocks: the database's clock"));
  facts = well();
  facts.controller->clock_offset_ms = 7'200'000;
  EXPECT_TRUE(bad(facts).front().starts_with("problem clocks: the controller's clock"));
}

TEST(Doctor, keys) {
  auto facts = well();
  facts.keys[0].must_equal = "bb";
  EXPECT_EQ(bad(facts), Said{"problem keys: [worker] key_file /k/worker-n1.key holds another key "
                             "than n1.pub"});
  facts.keys[0].trouble = Refusal{"/k/worker-n1.key is open to others", "chmod 600"};
  EXPECT_EQ(bad(facts),
            Said{"problem keys: [worker] key_file: /k/worker-n1.key is open to others"});
  facts.keys[0].is_closed = true;
  EXPECT_EQ(bad(facts), Said{"warning keys: [worker] key_file /k/worker-n1.key is not readable for "
                             "this user"});
}

TEST(Doctor, shared_folder) {
  auto facts = well();
  facts.folders[0].is_writable = false;
  EXPECT_EQ(bad(facts), Said{"warning shared folder: /shared is not writable for this user"});
  facts.folders[0].marker = "other";
  EXPECT_EQ(
      bad(facts),
      Said{"problem shared folder: /shared is of the cluster \"other\", this one is \"hydra\""});
  facts.folders[0].marker.reset();
  EXPECT_EQ(bad(facts),
            Said{"problem shared folder: /shared does not hold the controller's marker"});
  facts.folders[0].is_there = false;
  EXPECT_EQ(bad(facts), Said{"problem shared folder: /shared is not there"});
}

TEST(Doctor, cgroups) {
  auto facts = well();
  facts.cgroups->can_make = false;
  EXPECT_EQ(bad(facts).size(), 1u);
  facts.cgroups->has_version_2 = false;
  EXPECT_EQ(bad(facts), Said{"warning cgroups: there is no cgroup v2"});
}

TEST(Doctor, tells_that_memory_is_not_enforced_also_where_no_worker_is) {
  auto facts = well();
  facts.cgroups.reset();
  const std::string shown = show_findings(findings_of(facts), {}).out;
  EXPECT_NE(shown.find("ok       nodes          CPUs and memory are counted, not enforced"),
            std::string::npos)
      << shown;
}

TEST(Doctor, ports) {
  auto facts = well();
  facts.listening[0].socket_mode = 0140666;
  EXPECT_EQ(bad(facts), Said{"warning ports: ipc:///run/cox may be used by others than its owner"});
  facts = well();
  facts.controller->trouble = Refusal{"the database is away", "wait"};
  EXPECT_EQ(bad(facts), Said{"problem controller: the database is away"}) << "ours has said so";
  facts.controller->trouble = Refusal{"does not answer", "start it"};
  facts.controller->answers = false;
  facts.listening[0].is_held = false;
  EXPECT_EQ(bad(facts), (Said{"problem ports: tcp://*:6820 is held by a program that is not our "
                              "controller",
                              "problem controller: does not answer"}));
}

TEST(Doctor, each_of_several_controllers) {
  auto facts = well();
  Ping leads{true, "hydra", "", "tcp://a:6820"};
  Ping standby{true, "", "", "tcp://b:6820", true};
  facts.controller->each = {leads, standby};
  EXPECT_EQ(bad(facts), Said{});
  const std::string shown = show_findings(findings_of(facts), {}).out;
  EXPECT_NE(shown.find("controller     tcp://a:6820 leads\n"), std::string::npos) << shown;
  EXPECT_NE(shown.find("controller     tcp://b:6820 stands by\n"), std::string::npos) << shown;
  standby.hindrance = "too old";
  facts.controller->each = {leads, standby};
  EXPECT_EQ(bad(facts),
            Said{"warning controller: tcp://b:6820 stands by and could not lead: too old"});
  facts.controller->each = {leads, {false, "", "", "tcp://b:6820"}};
  EXPECT_EQ(bad(facts), Said{"warning controller: tcp://b:6820 does not answer"});
}

TEST(Doctor, controller_and_nodes) {
  auto facts = well();
  facts.controller->nodes[0].node.responding = false;
  facts.controller->nodes[0].silent_ms = 90'000;
  facts.controller->view.nodes_responding = 0;
  EXPECT_EQ(bad(facts), Said{"warning nodes: n1 was not heard for 90 s"});
  facts = well();
  facts.controller->answer_ms = 1'001;
  EXPECT_EQ(bad(facts).size(), 1u);
  facts.controller.reset();
  EXPECT_EQ(bad(facts), Said{"warning controller: the configuration has no [client], so it is not "
                             "asked"});
}

TEST(ConfigReport, passwords_are_not_shown) {
  EXPECT_EQ(without_password("host=h password=secret user=cox"), "host=h password=*** user=cox");
  EXPECT_EQ(without_password("password = 'se\\'c ret' dbname=c"), "password = *** dbname=c");
  EXPECT_EQ(without_password("postgresql://cox:secret@h/c"), "postgresql://cox:***@h/c");
  EXPECT_EQ(without_password("dbname=coxswain"), "dbname=coxswain");
}

TEST(ConfigReport, all_tables_of_the_controller_are_shown_that_the_file_has) {
  ConfigReport report;
  report.lines = {
      {"[controller]", "lease", {"30s"}, true},      {"[scheduling]", "order", {"fcfs"}, true},
      {"[scheduling]", "backfill", {"easy"}, false}, {"[topology]", "levels", {}, false},
      {"[[switch]]", "name", {"a"}, true},           {"[[block]]", "name", {"b"}, true},
      {"[client]", "controller", {"ipc:///c"}, true}};
  const std::string text = show_config_report(report, {}).out;
  EXPECT_NE(text.find("and from [scheduling]\nKEY       VALUE  FROM\norder     fcfs   the file\n"
                      "backfill  easy   default\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("and from [[switch]]\nKEY   VALUE  FROM\nname  a      the file\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("and from [[block]]\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("[topology]"), std::string::npos) << text;
  EXPECT_NE(text.find("as there is no [[partition]]"), std::string::npos) << text;
}

}  // namespace
}  // namespace cox
