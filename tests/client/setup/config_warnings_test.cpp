// Tests the warnings of `cox config check`.
#include "client/setup/config_warnings.h"

#include <gtest/gtest.h>

namespace cox {
namespace {

class ConfigWarnings : public testing::Test {
 protected:
  ConfigWarnings() {
    report.path = "x.toml";
    config.database = "dbname=cox";
    gpu.name = "gpu";
    gpu.nodes = {"n1", "n2"};
  }
  std::vector<std::string> facts() {
    config.partitions = {gpu};
    std::vector<std::string> all;
    for (const Refusal& one : config_warnings(report, config, surroundings)) {
      EXPECT_FALSE(one.hint.empty()) << one.fact;
      EXPECT_TRUE(one.fact.starts_with("x.toml: ")) << one.fact;
      all.push_back(one.fact.substr(8));
    }
    return all;
  }
  using Facts = std::vector<std::string>;

  ConfigReport report;
  ControllerConfig config;
  PartitionConfig gpu;
  ConfigSurroundings surroundings;
};

TEST_F(ConfigWarnings, ThereAreNoneIfAllNamesExist) {
  gpu.qos = gpu.allow_qos.emplace_back("high");
  surroundings.cluster = {{"high"}, {"n1", "n2"}};
  EXPECT_EQ(facts(), Facts{});
  surroundings.cluster.reset();
  gpu.qos = "other";
  EXPECT_EQ(facts(), Facts{}) << "without a controller, the names are not compared";
}

TEST_F(ConfigWarnings, NameProgramsAndGroupsThatTheHostLacks) {
  surroundings.programs = {{"[controller]", "mail_program", "/no/mail", "No such file"}};
  surroundings.missing_groups = {"staf"};
  EXPECT_EQ(facts(),
            (Facts{"mail_program in [controller]: this host cannot run /no/mail: No such file",
                   "allow_groups in [[partition]] names the group \"staf\", which this host "
                   "lacks"}));
}

TEST_F(ConfigWarnings, NameAPartitionWithAnEmptyListOfNodes) {
  report.lines = {{"[[partition]]", "name", {"gpu"}, true},
                  {"[[partition]]", "nodes", {}, true},
                  {"[[partition]]", "name", {"cpu"}, true},
                  {"[[partition]]", "nodes", {}, false}};
  gpu.nodes.clear();
  EXPECT_EQ(facts(), Facts{"[[partition]] \"gpu\" has nodes = \"\", and so it has all nodes"});
}

TEST_F(ConfigWarnings, NameQosThatDoNotExist) {
  gpu.qos = "hgih";
  gpu.allow_qos = {"high", "hihg"};
  gpu.deny_qos = {"lwo"};
  surroundings.cluster = {{"high", "low"}, {"n1", "n2"}};
  const auto text = [](const std::string& key, const std::string& name) {
    return key + " in [[partition]] \"gpu\" names the QOS \"" + name + "\", which does not exist";
  };
  EXPECT_EQ(facts(),
            (Facts{text("qos", "hgih"), text("allow_qos", "hihg"), text("deny_qos", "lwo")}));
}

TEST_F(ConfigWarnings, NameNodesThatNoHostOrNoPartitionHas) {
  surroundings.cluster = {{}, {"n1", "n7"}};
  config.domains = {{"n1", {"a"}}, {"n8", {"a"}}, {"n9", {"a"}}};
  EXPECT_EQ(facts(), (Facts{"[topology] has n[8-9], which no [[partition]] has",
                            "[[partition]] \"gpu\" has nodes that no host has registered as: n2",
                            "no [[partition]] has n7, so no job can run there"}));
  surroundings.cluster->nodes.clear();
  config.domains.clear();
  EXPECT_EQ(facts(), Facts{"[[partition]] \"gpu\" has no node: no host has registered as n[1-2]"});
}

TEST_F(ConfigWarnings, NamePartitionsOfTheClusterThatTheFileLacks) {
  surroundings.cluster = {{}, {"n1", "n2"}, {"gpu", "main"}};
  EXPECT_EQ(facts(), Facts{"the cluster has partition main, and the file does not"});
  surroundings.cluster->partitions = {"gpu"};
  EXPECT_EQ(facts(), Facts{});
}

}  // namespace
}  // namespace cox
