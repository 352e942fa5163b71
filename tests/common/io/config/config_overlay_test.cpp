#include "common/io/config/config_overlay.h"

#include <gtest/gtest.h>

#include "common/io/config/config_file.h"

namespace cox {
namespace {

const std::string controller_text =
    "# Written by a test.\n[controller]\ncluster_name = \"private\"\ndatabase = \"dbname=x\"\n"
    "listen_local = \"ipc:///x/y\"\ncheckpoint_root = \"/x\"\n"
    "[client]\ncontroller = \"ipc:///x/y\"\n";
const std::string worker_text =
    "# Written by a test.\n[worker]\nnode_name = \"n2\"\ncontroller = \"ipc:///x/y\"\n"
    "spool_dir = \"/x\"\ncheckpoint_root = \"/x\"\ncpus = 2\ngres = []\nfeatures = [\"old\"]\n";

ConfigOverlay over(const std::string& text) {
  return {"mine.toml", text};
}

Config controller_over(const std::string& text) {
  const auto merged = lay_over_controller(controller_text, over(text));
  if (!merged) ADD_FAILURE() << merged.refusal().fact;
  return parse_config(merged.value(), "written").value();
}

WorkerConfig worker_over(const std::string& text) {
  const auto merged = lay_over_worker(worker_text, over(text), "n2");
  if (!merged) ADD_FAILURE() << merged.refusal().fact;
  return parse_config(merged.value(), "written").value().worker;
}

std::string refused(const std::string& text) {
  const auto controller = lay_over_controller(controller_text, over(text));
  if (!controller) return controller.refusal().fact;
  const auto worker = lay_over_worker(worker_text, over(text), "n2");
  return worker ? "(not refused)" : worker.refusal().fact;
}

TEST(ConfigOverlay, an_empty_overlay_changes_nothing) {
  EXPECT_EQ(lay_over_controller(controller_text, {}).value(), controller_text);
  EXPECT_EQ(lay_over_worker(worker_text, {}, "n2").value(), worker_text);
}

TEST(ConfigOverlay, the_controller_gets_scheduling_partitions_and_topology) {
  const Config config = controller_over(
      "[controller]\nkill_wait = \"7s\"\n[scheduling]\nlicences = \"matlab:2\"\n"
      "[[partition]]\nname = \"main\"\n[[partition]]\nname = \"gpu\"\nnodes = \"n[1-2]\"\n"
      "[[switch]]\nname = \"leaf1\"\nnodes = \"n[1-2]\"\n[worker]\ncpus = 4\n");
  EXPECT_EQ(config.controller.kill_wait, Milliseconds{7'000});
  EXPECT_EQ(config.controller.scheduling.licences.size(), 1u);
  EXPECT_EQ(config.controller.partitions.size(), 2u);
  EXPECT_EQ(config.controller.domains.size(), 2u);
  EXPECT_EQ(config.controller.database, "dbname=x");
}

TEST(ConfigOverlay, a_node_gets_the_settings_of_all_nodes_and_then_its_own) {
  const WorkerConfig worker = worker_over(
      "[worker]\ncpus = 4\nmemory_mb = 100\n"
      "[[node]]\nnodes = \"n[1-2]\"\ncpus = 8\ngres = [\"gpu:h100:4\", \"fpga:u280:2\"]\n"
      "[[node]]\nnodes = \"n3\"\ncpus = 99\n");
  EXPECT_EQ(worker.cpus, 8);
  EXPECT_EQ(worker.memory_mb, 100);
  EXPECT_EQ(worker.gpus.size(), 4u);
  EXPECT_EQ(worker.gres.size(), 1u);
  EXPECT_EQ(worker.features, std::vector<std::string>{"old"});
}

TEST(ConfigOverlay, addresses_and_keys_of_the_programs_are_not_changed) {
  const std::string real =
      "[controller]\ncluster_name = \"hydra\"\ndatabase = \"host=db\"\n"
      "listen_tcp = \"tcp://*:6820\"\nkey_dir = \"/k\"\ncheckpoint_root = \"/srv\"\n"
      "[worker]\ncontroller = \"tcp://ctl:6820\"\nspool_dir = \"/var/spool/coxswain\"\n"
      "[client]\ncontroller = \"tcp://ctl:6820\"\n";
  EXPECT_EQ(controller_over(real).controller.cluster_name, "private");
  EXPECT_EQ(controller_over(real).controller.database, "dbname=x");
  EXPECT_EQ(controller_over(real).controller.listen_tcp, "");
  EXPECT_EQ(controller_over(real).client.controller, "ipc:///x/y");
  EXPECT_EQ(worker_over(real).controller, "ipc:///x/y");
  EXPECT_EQ(worker_over(real).spool_dir, "/x");
}

TEST(ConfigOverlay, the_first_comment_line_stays) {
  const auto merged = lay_over_worker(worker_text, over("[worker]\ncpus = 4\n"), "n2");
  EXPECT_TRUE(merged.value().starts_with("# Written by a test.\n")) << merged.value();
  EXPECT_NE(merged.value().find("\nnode_name = \"n2\"\n"), std::string::npos) << merged.value();
}

TEST(ConfigOverlay, the_named_nodes_are_returned) {
  EXPECT_EQ(nodes_named(over("[[node]]\nnodes = \"n[1-2]\"\n[[node]]\nnodes = \"n5\"\ncpus = 4\n")),
            (std::vector<std::string>{"n1", "n2", "n5"}));
  EXPECT_TRUE(nodes_named(over("[[node]]\ncpus = 4\n")).empty());
  EXPECT_TRUE(nodes_named(over("")).empty());
}

TEST(ConfigOverlay, invalid_settings_are_refused_with_their_line) {
  EXPECT_TRUE(refused("[scheduling]\n\norder = \"magic\"\n").starts_with("mine.toml:3: "));
  EXPECT_TRUE(refused("\n[[node]]\nnodes = \"n2\"\ncpsu = 8\n").starts_with("mine.toml:4: "));
  EXPECT_EQ(refused("\n[[node]]\ncpus = 8\n"), "mine.toml:2: [[node]] names no nodes");
  EXPECT_TRUE(refused("[[node]]\nnodes = \"n[\"\n").starts_with("mine.toml:2: [[node]] nodes is"));
  EXPECT_EQ(refused("[node]\ncpus = 8\n"), "mine.toml:1: node must be written as [[node]]");
  EXPECT_EQ(refused("worker = 8\n"), "mine.toml:1: worker must be written as [worker]");
  EXPECT_EQ(refused("controller = 8\n"), "mine.toml:1: controller must be written as [controller]");
  EXPECT_TRUE(refused("[[nodes]]\ncpus = 8\n").starts_with("mine.toml:1: unknown table or key"));
  EXPECT_TRUE(refused("[worker\n").starts_with("mine.toml:1: "));
}

}  // namespace
}  // namespace cox
