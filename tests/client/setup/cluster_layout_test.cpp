#include "client/setup/cluster_layout.h"

#include <gtest/gtest.h>

#include "common/io/config/config_file.h"

namespace cox {
namespace {

const std::string key(40, 'k');

ClusterLayout a_layout() {
  ClusterLayout layout;
  layout.dir = "/home/ada/cluster";
  layout.cluster_name = "private-0123";
  layout.nodes = 4;
  layout.port = 4711;
  layout.run_dir = layout.dir + "/run";
  layout.postgres_home = layout.dir + "/postgres";
  return layout;
}

TEST(ClusterLayout, of_a_private_cluster_is_read_back_as_it_was_written) {
  ClusterLayout layout = a_layout();
  layout.gpus = {"h100:4"};
  layout.features = {"fast=n[1-2]", "big=n4"};
  layout.lease_s = 0;
  const auto again = parse_layout(layout_text(layout), layout.dir);
  ASSERT_TRUE(again.ok()) << again.refusal().fact;
  EXPECT_EQ(layout_text(*again), layout_text(layout));
  EXPECT_EQ(again->dir, layout.dir) << "the folder is that of the file, not a value in it";
  EXPECT_EQ(layout_text(layout),
            "cluster_name private-0123\n"
            "nodes 4\n"
            "cpus 0\n"
            "memory_mb 0\n"
            "lease_s 0\n"
            "port 4711\n"
            "run_dir /home/ada/cluster/run\n"
            "postgres_home /home/ada/cluster/postgres\n"
            "gpus h100:4\n"
            "feature fast=n[1-2]\n"
            "feature big=n4\n");
  EXPECT_NE(parse_layout("nodes x\n", "/d").refusal().fact.find("line 1"), std::string::npos);
}

TEST(ClusterLayout, changes_only_what_the_options_of_cox_up_name) {
  ClusterLayout layout = a_layout();
  ClusterOverrides asked;
  asked.cpus = 8;
  EXPECT_FALSE(apply_overrides(asked, layout).has_value());
  EXPECT_EQ(layout.nodes, 4);
  EXPECT_EQ(layout.cpus, 8);
  asked.features = {"fast"};
  EXPECT_TRUE(apply_overrides(asked, layout).has_value());
  asked = {};
  for (const char* wrong : {"foo:bar:baz", "0.25"}) {
    asked.gpus = {wrong};
    const Failure refused = apply_overrides(asked, layout);
    ASSERT_TRUE(refused.has_value()) << wrong;
    EXPECT_EQ(refused->fact.find("--gpus"), 0u) << refused->fact;
    EXPECT_EQ(refused->hint, "write it like 4 or h100:4") << "--gres and fractions are for jobs";
  }
  ClusterLayout blank = a_layout();
  blank.dir = "/home/a b";
  EXPECT_TRUE(apply_overrides({}, blank).has_value());
}

// Whatever lease a user requests (-1: it never ends), all generated files must be valid.
TEST(ClusterLayout, gives_valid_configurations_for_the_controller_and_the_workers) {
  for (const std::int64_t lease_s : {-1, 0, 1, 5, 20, 900, 86'400}) {
    ClusterLayout layout = a_layout();
    layout.lease_s = lease_s;
    layout.gpus = {"h100:2"};
    layout.features = {"fast=n[1-2]"};
    const auto controller = parse_config(controller_toml(layout, key), "coxswain.toml");
    ASSERT_TRUE(controller.ok()) << "lease " << lease_s << ": " << controller.refusal().fact;
    const std::int64_t lease_ms = lease_s < 0 ? 600'000 : lease_s * 1000;
    EXPECT_EQ(controller->controller.lease.count(), lease_ms);
    EXPECT_EQ(controller->client.controller, controller->controller.listen_local);
    const auto worker = parse_config(worker_toml(layout, 2, key, "/bin/s"), "n2.toml");
    ASSERT_TRUE(worker.ok()) << "lease " << lease_s << ": " << worker.refusal().fact;
    EXPECT_EQ(worker->worker.node_name, "n2");
    EXPECT_EQ(worker->worker.address, "127.0.0.12");
    EXPECT_EQ(worker->worker.features, std::vector<std::string>{"fast"});
    EXPECT_EQ(worker->worker.gpus.size(), 2u);
    EXPECT_EQ(worker->worker.cluster_name, controller->controller.cluster_name);
    EXPECT_EQ(worker->worker.controller, controller->controller.listen_tcp);
  }
}

}  // namespace
}  // namespace cox
