// Tests the findings of `cox doctor`. Each test changes single facts of a healthy host.
#include "client/setup/doctor.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace cox {
namespace {

HostFacts well() {
  HostFacts facts;
  facts.config.path = "/etc/coxswain/coxswain.toml";
  facts.config.lines = {{"[controller]", "lease", {"15min"}, false},
                        {"[worker]", "node_name", {"n1"}, true}};
  facts.database = DatabaseFacts{"", "15.8", 5, 5, 4, true, 3, 1};
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
  node.partitions = {"main"};
  controller.nodes = {node};
  facts.controller = controller;
  return facts;
}

// Returns the findings of `cox doctor` whose health is not ok, each as "HEALTH CHECK: FACT".
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

TEST(Doctor, finds_nothing_wrong_with_a_healthy_host) {
  EXPECT_EQ(bad(well()), Said{});
  EXPECT_EQ(show_findings(findings_of(well()), {}).exit_code, exit_ok);
}

TEST(Doctor, checks_no_more_after_a_bad_configuration) {
  HostFacts facts;
  facts.config.problems = {{"x.toml:3: unknown key", ""}};
  EXPECT_EQ(bad(facts), Said{"problem configuration: x.toml:3: unknown key"});
  EXPECT_EQ(show_findings(findings_of(facts), {}).exit_code, exit_refused);
}

TEST(Doctor, finds_a_database_that_is_newer_too_old_read_only_or_unreachable) {
  auto facts = well();
  facts.database->schema_version = 6;
  EXPECT_EQ(bad(facts), Said{"problem database: PostgreSQL 15.8, schema version 6; this controller "
                             "knows versions up to 5"});
  facts.database->schema_version = 3;
  EXPECT_EQ(bad(facts), Said{"problem database: PostgreSQL 15.8, schema version 3, from before the "
                             "first release: this controller refuses it, since it can upgrade 4 "
                             "and newer"});
  facts.database->schema_version = 4;  // it upgrades this one
  EXPECT_EQ(bad(facts), Said{});
  facts.database->schema_version = 0;  // an empty database: the controller will create the schema
  EXPECT_EQ(bad(facts), Said{});
  facts.database->writable = false;
  EXPECT_EQ(bad(facts), Said{"problem database: PostgreSQL 15.8 is not writable for this user"});
  facts.database->error = "no route";
  EXPECT_EQ(bad(facts),
            Said{"warning database: this user cannot reach it, but the controller can"});
  facts.controller->trouble = Refusal{"does not answer", ""};
  facts.listening.clear();
  EXPECT_EQ(bad(facts), (Said{"problem database: cannot be reached: no route",
                              "problem controller: does not answer"}));
}

TEST(Doctor, names_the_session_that_holds_a_lock_and_what_ends_it) {
  auto facts = well();
  facts.database->lock =
      LockHolder{4711, "postgres", "idle in transaction", "LOCK TABLE cox.job", 45'000};
  EXPECT_EQ(bad(facts), Said{"problem database: the session with pid 4711 of user postgres, idle "
                             "in transaction for 45 s, holds a lock that the controller waits for; "
                             "its last statement: LOCK TABLE cox.job"});
  const std::string shown = show_findings(findings_of(facts), {}).out;
  EXPECT_NE(shown.find("-> end its transaction, or run in psql: SELECT "
                       "pg_terminate_backend(4711)\n"),
            std::string::npos)
      << shown;
}

TEST(Doctor, reports_a_clock_only_if_its_offset_is_certain) {
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

TEST(Doctor, finds_keys_that_differ_are_open_to_others_or_are_unreadable) {
  auto facts = well();
  facts.keys[0].must_equal = "bb";
  EXPECT_EQ(bad(facts),
            Said{"problem keys: [worker] key_file /k/worker-n1.key differs from n1.pub"});
  facts.keys[0].trouble = Refusal{"/k/worker-n1.key is open to others", "chmod 600"};
  EXPECT_EQ(bad(facts),
            Said{"problem keys: [worker] key_file: /k/worker-n1.key is open to others"});
  facts.keys[0].is_closed = true;
  facts.keys[0].user = "ada";
  EXPECT_EQ(bad(facts), Said{"warning keys: [worker] key_file /k/worker-n1.key is not readable for "
                             "user ada"});
}

TEST(Doctor, finds_a_shared_folder_that_is_missing_read_only_or_of_another_cluster) {
  auto facts = well();
  facts.folders[0].is_writable = false;
  EXPECT_EQ(bad(facts), Said{"warning shared folder: /shared is not writable for this user"});
  facts.folders[0].marker = "other";
  EXPECT_EQ(bad(facts), Said{"problem shared folder: /shared belongs to cluster \"other\", but "
                             "this is cluster \"hydra\""});
  facts.folders[0].marker.reset();
  EXPECT_EQ(bad(facts), Said{"problem shared folder: /shared lacks the controller's marker file"});
  facts.folders[0].is_there = false;
  EXPECT_EQ(bad(facts), Said{"problem shared folder: /shared is not there"});
}

TEST(Doctor, warns_of_cgroups_that_are_missing_or_cannot_be_made) {
  auto facts = well();
  facts.cgroups->can_make = false;
  EXPECT_EQ(bad(facts).size(), 1u);
  facts.cgroups->has_version_2 = false;
  EXPECT_EQ(bad(facts), Said{"warning cgroups: this host has no cgroup v2"});
}

TEST(Doctor, says_that_memory_is_not_enforced_even_without_a_worker) {
  auto facts = well();
  facts.cgroups.reset();
  const std::string shown = show_findings(findings_of(facts), {}).out;
  EXPECT_NE(shown.find("ok       nodes          CPUs and memory are counted, not enforced"),
            std::string::npos)
      << shown;
}

TEST(Doctor, lines_fit_the_terminal) {
  const std::vector<Finding> found = {{Health::Problem, "keys",
                                       "/etc/coxswain/keys/controller.key is not readable by cox",
                                       "chown cox"}};
  Screen screen;
  EXPECT_EQ(show_findings(found, screen).out,
            "problem  keys           /etc/coxswain/keys/controller.key is not readable by cox -> "
            "chown cox\n");
  screen.width = 60;
  EXPECT_EQ(show_findings(found, screen).out,
            "problem  keys           /etc/coxswain/keys/controller.key is\n"
            "                        not readable by cox -> chown cox\n");
  screen.width = 43;
  EXPECT_EQ(show_findings(found, screen).out.find('\n'), 93U) << "too narrow for two columns";
}

TEST(Doctor, shows_times_and_keys_as_other_commands_do) {
  auto facts = well();
  facts.keys.push_back({"[worker] controller_key", "", {}, false, "bb", "bb", "controller.pub"});
  facts.controller->view.database = "refuses writes since 2023-11-14T22:13:20Z: wrong";
  EXPECT_EQ(bad(facts).front(),
            "problem controller: its database refuses writes since 2023-11-14T22:13:20Z: wrong");
  facts.controller->view.database = "has refused a request at 2023-11-14T22:13:20Z: wrong";
  EXPECT_EQ(bad(facts).front(),
            "problem controller: its database has refused a request at 2023-11-14T22:13:20Z: "
            "wrong");
  facts.controller->view.database = "may have lost its newest changes: no job starts";
  EXPECT_EQ(bad(facts).front(),
            "warning controller: its database may have lost its newest changes: no job starts");
  facts.controller->view.database = "away since 2023-11-14T22:13:20Z: gone";
  Screen screen;
  screen.now = wall_from_ms(1'700'000'000'000 + 60'000);
  const std::string shown = show_findings(findings_of(facts), screen).out;
  for (const char* line : {"its database: away since 2023-11-14 22:13:20 (1 min ago): gone -> ",
                           "[worker] key_file /k/worker-n1.key is good and matches n1.pub\n",
                           "[worker] controller_key is good and matches controller.pub\n"})
    EXPECT_NE(shown.find(line), std::string::npos) << line << shown;
  facts.controller->view.nodes = facts.controller->view.nodes_responding = 1;
  EXPECT_NE(show_findings(findings_of(facts), screen).out.find("1 of 1 node responds\n"),
            std::string::npos);
}

TEST(Doctor, finds_sockets_open_to_others_and_ports_in_use_by_other_programs) {
  auto facts = well();
  facts.listening[0].socket_mode = 0140666;
  EXPECT_EQ(bad(facts),
            Said{"warning ports: ipc:///run/cox can be used by other users than its owner"});
  facts = well();
  facts.controller->trouble = Refusal{"the database is away", "wait"};
  EXPECT_EQ(bad(facts), Said{"problem controller: the database is away"})
      << "our database check has reported this";
  facts.controller->trouble = Refusal{"does not answer", "start it"};
  facts.controller->answers = false;
  facts.listening[0].is_held = false;
  EXPECT_EQ(bad(facts), (Said{"problem ports: tcp://*:6820 is in use by a program that is not this "
                              "cluster's controller",
                              "problem controller: does not answer"}));
}

TEST(Doctor, checks_each_of_several_controllers) {
  auto facts = well();
  Ping leads{true, "hydra", "", "tcp://a:6820"};
  Ping standby{true, "", "", "tcp://b:6820", true};
  facts.controller->each = {leads, standby};
  EXPECT_EQ(bad(facts), Said{});
  const std::string shown = show_findings(findings_of(facts), {}).out;
  EXPECT_NE(shown.find("controller     tcp://a:6820 is the leader\n"), std::string::npos) << shown;
  EXPECT_NE(shown.find("controller     tcp://b:6820 is a standby\n"), std::string::npos) << shown;
  standby.hindrance = "too old";
  facts.controller->each = {leads, standby};
  EXPECT_EQ(bad(facts),
            Said{"warning controller: tcp://b:6820 is a standby that could not lead: too old"});
  facts.controller->each = {leads, {false, "", "", "tcp://b:6820"}};
  EXPECT_EQ(bad(facts), Said{"warning controller: tcp://b:6820 does not answer"});
}

TEST(Doctor, finds_silent_nodes_slow_answers_and_a_missing_client_table) {
  auto facts = well();
  facts.controller->nodes[0].node.responding = false;
  facts.controller->nodes[0].silent_ms = 90'000;
  facts.controller->view.nodes_responding = 0;
  EXPECT_EQ(bad(facts), Said{"warning nodes: n1 has not responded for 90 s"});
  facts.controller->nodes[0].silent_ms = -1;
  EXPECT_EQ(bad(facts), Said{"warning nodes: n1 has not responded since this controller leads"});
  facts.controller->nodes[0].silent_ms = 1'000;
  facts.controller->nodes[0].beats_to_return = 12;
  EXPECT_EQ(bad(facts), Said{"warning nodes: n1 responds again after a silence; it is used after "
                             "12 more good heartbeats"});
  facts = well();
  facts.controller->nodes[0].second_worker = "10.0.0.9 (spool folder 5f0c, boot 77e1)";
  EXPECT_EQ(bad(facts), Said{"warning nodes: n1 has a second worker, at 10.0.0.9 (spool folder "
                             "5f0c, boot 77e1), which is not served"});
  facts = well();
  facts.controller->answer_ms = 1'001;
  EXPECT_EQ(bad(facts).size(), 1u);
  facts.controller.reset();
  EXPECT_EQ(bad(facts), Said{"warning controller: the configuration has no [client] table, so the "
                             "controller is not checked"});
}

TEST(Doctor, finds_a_key_that_was_not_copied_to_the_controller) {
  auto facts = well();
  facts.keys[0].must_equal.clear();
  facts.keys[0].not_in = "/etc/coxswain/keys";
  EXPECT_EQ(bad(facts), Said{"problem keys: /etc/coxswain/keys has no worker-n1.pub"});
  facts = well();
  facts.handshakes = {
      {"[worker]", "tcp://ctl:6820", "/k/worker-n1.key", HandshakeEnd::KeyRefused, ""}};
  EXPECT_EQ(bad(facts),
            Said{"problem keys: tcp://ctl:6820 rejects the key of [worker]: /k/worker-n1.key"});
  const auto found = findings_of(facts);
  EXPECT_TRUE(std::ranges::any_of(
      found, [](const Finding& one) { return one.hint.starts_with("copy worker-n1.pub, "); }));
}

TEST(Doctor, finds_the_key_of_another_node) {
  auto facts = well();
  facts.keys[0].node = "n1";
  EXPECT_EQ(bad(facts), Said{});
  facts.keys[0].node = "n2";
  EXPECT_EQ(bad(facts), Said{"problem keys: [worker] key_file /k/worker-n1.key is the key of node "
                             "n1, and this node is n2"});
  facts.keys[0].path = "/k/worker-n2.key";  // a copy of n1's key under the name of n2
  facts.keys[0].known_as = "worker-n1";
  EXPECT_EQ(bad(facts), Said{"problem keys: [worker] key_file /k/worker-n2.key is the key of node "
                             "n1, and this node is n2"});
}

TEST(Doctor, finds_a_key_that_its_user_may_not_read) {
  auto facts = well();
  facts.keys[0].closed_to = "coxswain";
  facts.keys[0].owner = "root, mode 0600";
  EXPECT_EQ(bad(facts),
            Said{"problem keys: [worker] key_file /k/worker-n1.key is not readable for "
                 "user coxswain, which runs the controller: the file belongs to root, mode "
                 "0600"});
  facts.keys[0].what = "[client] key_file";
  facts.keys[0].table = "[client]";
  facts.keys[0].user = "ada";
  facts.keys[0].is_closed = true;
  EXPECT_EQ(bad(facts), Said{"problem keys: [client] key_file /k/worker-n1.key is not readable for "
                             "user ada: it belongs to root, mode 0600"})
      << "no command of this user can work";
  facts.keys[0].table = "[worker]";
  EXPECT_TRUE(bad(facts).front().starts_with("warning keys: "));
}

TEST(Doctor, explains_how_a_handshake_ended) {
  auto facts = well();
  facts.handshakes = {{"[client]", "tcp://ctl:6820", "/k/client.key", HandshakeEnd::Succeeded, ""}};
  EXPECT_EQ(bad(facts), Said{});
  const auto found_after = [&](HandshakeEnd end) {
    facts.handshakes[0].end = end;
    facts.handshakes[0].why = "No route to host";
    return bad(facts);
  };
  EXPECT_EQ(found_after(HandshakeEnd::OtherServerKey),
            Said{"problem keys: tcp://ctl:6820 has another key than controller_key in [client]"});
  EXPECT_EQ(found_after(HandshakeEnd::Stranger),
            Said{"problem ports: tcp://ctl:6820 is not a controller"});
  EXPECT_EQ(found_after(HandshakeEnd::NobodyListens),
            Said{"problem controller: no program listens at tcp://ctl:6820"});
  EXPECT_EQ(found_after(HandshakeEnd::Unreachable),
            Said{"problem controller: tcp://ctl:6820 cannot be reached: No route to host"});
}

TEST(Doctor, names_the_program_that_holds_the_port) {
  auto facts = well();
  facts.controller->answers = false;
  facts.controller->trouble = Refusal{"does not answer", "start it"};
  facts.listening = {{"ipc:///run/cox", true, 0140600, true, "ada", "coxswain", ""}};
  const std::string silent = "problem controller: does not answer";
  EXPECT_EQ(bad(facts),
            (Said{"warning ports: ipc:///run/cox belongs to user coxswain; user ada may not use it",
                  silent}))
      << "the wrong user is reported, but not another program";
  facts.listening[0].owner.clear();
  EXPECT_EQ(bad(facts), (Said{"warning ports: user ada may not check ipc:///run/cox", silent}));
  facts.listening = {{"tcp://*:6820", true, 0, false, "ada", "coxswain", ""}};
  EXPECT_EQ(bad(facts), (Said{"warning ports: tcp://*:6820 is held by a program of user coxswain, "
                              "which user ada may not check",
                              silent}));
  facts.listening[0].holder = "cox-controller (pid 17)";
  EXPECT_EQ(bad(facts), Said{silent});
  facts.listening[0].holder = "nginx (pid 17)";
  EXPECT_EQ(bad(facts), (Said{"problem ports: tcp://*:6820 is in use by a program that is not this "
                              "cluster's controller: nginx (pid 17) of user coxswain",
                              silent}));
}

TEST(Doctor, finds_a_shared_folder_that_was_unmounted_under_the_controller) {
  auto facts = well();
  facts.folders[0].by_controller = true;
  facts.folders[0].marker.reset();
  EXPECT_EQ(bad(facts), Said{"problem shared folder: /shared lacks the controller's marker file, "
                             "though the controller runs"});
  facts.folders[0].is_there = false;
  EXPECT_EQ(bad(facts),
            Said{"problem shared folder: /shared is not there, though the controller runs"});
  facts.controller->trouble = Refusal{"does not answer", "start it"};
  EXPECT_EQ(bad(facts).front(), "problem shared folder: /shared is not there");
}

TEST(Doctor, finds_configured_gpus_that_are_absent) {
  auto facts = well();
  facts.gpus = GpuFacts{4, 4};
  EXPECT_EQ(bad(facts), Said{});
  facts.gpus = GpuFacts{4, 3};
  EXPECT_EQ(bad(facts),
            Said{"warning gpus: gres in [worker] has 4 GPUs, but the NVIDIA driver shows 3"});
}

TEST(Doctor, finds_a_missing_mail_program_if_mail_was_requested) {
  auto facts = well();
  facts.mail = MailFacts{"/usr/sbin/sendmail", false, true, {}};
  EXPECT_EQ(bad(facts), Said{});
  facts.mail->is_there = false;
  EXPECT_EQ(bad(facts), Said{}) << "no job requested mail";
  facts.mail->jobs = {"17_4"};
  EXPECT_EQ(bad(facts), Said{"warning mail: /usr/sbin/sendmail does not exist, so no mail is sent, "
                             "and job 17_4 asks for it"});
  facts.mail->is_configured = true;
  EXPECT_EQ(
      bad(facts),
      Said{"problem mail: mail_program /usr/sbin/sendmail does not exist, so no mail is sent"});
}

TEST(Doctor, shows_an_example_if_there_is_no_configuration) {
  EXPECT_NE(example_text("").find("[client]\n    controller = "), std::string::npos);
  EXPECT_EQ(example_text("").find("explained"), std::string::npos);
  EXPECT_TRUE(example_text("/x/coxswain.toml").ends_with("explained in /x/coxswain.toml.\n"));
}

TEST(ConfigReport, passwords_are_not_shown) {
  EXPECT_EQ(without_password("host=h password=secret user=cox"), "host=h password=*** user=cox");
  EXPECT_EQ(without_password("password = 'se\\'c ret' dbname=c"), "password = *** dbname=c");
  EXPECT_EQ(without_password("postgresql://cox:secret@h/c"), "postgresql://cox:***@h/c");
  EXPECT_EQ(without_password("dbname=coxswain"), "dbname=coxswain");
}

TEST(ConfigReport, all_tables_of_the_controller_in_the_file_are_shown) {
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
  EXPECT_NE(text.find("without a [[partition]]"), std::string::npos) << text;
}

TEST(ConfigReport, shows_the_settings_of_each_program_and_the_missing_ones) {
  ConfigReport report;
  report.path = "/etc/coxswain.toml";
  report.lines = {{"[controller]", "lease", {"30s"}, true},
                  {"[[partition]]", "name", {"gpu"}, true},
                  {"[client]", "controller", {"ipc:///c", "ipc:///d"}, false},
                  {"[client]", "key_file", {}, false}};
  const Shown shown = show_config_report(report, {});
  EXPECT_EQ(shown.exit_code, exit_ok);
  EXPECT_EQ(shown.out,
            "cox-controller takes from [controller]\nKEY    VALUE  FROM\nlease  30s    the file\n\n"
            "and from [[partition]]\nKEY   VALUE  FROM\nname  gpu    the file\n\n"
            "cox-worker: the file has no [worker], so it cannot run from this file\n\n"
            "cox takes from [client]\nKEY         VALUE               FROM\n"
            "controller  ipc:///c, ipc:///d  default\nkey_file    -                   default\n\n"
            "/etc/coxswain.toml: no problems\n");
  report.problems = {{"lease is too short", "write 10s"}};
  EXPECT_EQ(show_config_report(report, {}).out, "lease is too short\n  write 10s\n1 problem\n");
  EXPECT_FALSE(programs_of(report).front().can_run);
  report.problems.push_back({"no key", ""});
  const Shown wrong = show_config_report(report, {});
  EXPECT_EQ(wrong.out, "lease is too short\n  write 10s\nno key\n2 problems\n");
  EXPECT_EQ(wrong.exit_code, exit_refused);
}

}  // namespace
}  // namespace cox
