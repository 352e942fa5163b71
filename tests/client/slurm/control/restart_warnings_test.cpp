// Tests what `scontrol reconfigure` warns of.
#include "client/slurm/control/restart_warnings.h"

#include <gtest/gtest.h>

namespace cox {
namespace {

TEST(RestartWarnings, NamePartitionsThatAreGoneAndNodesWithoutAPartition) {
  NodeList before;
  before.partitions.resize(2);
  before.partitions[0].name = "main";
  before.partitions[1].name = "p";
  before.nodes.resize(3);
  for (NodeView& one : before.nodes) one.partitions = {"main"};
  before.nodes[0].node.name = "n1";
  before.nodes[1].node.name = "n3";
  before.nodes[2].node.name = "n4";
  EXPECT_EQ(restart_warnings(before, before), "");
  NodeList after = before;
  after.partitions.erase(after.partitions.begin());
  after.nodes[0].partitions = {"p"};
  after.nodes[1].partitions.clear();
  after.nodes[2].partitions.clear();
  EXPECT_EQ(restart_warnings(before, after),
            "scontrol: warning: no longer configured: partition main; its pending jobs do not "
            "start: 'cox doctor' names them and what to do\n"
            "scontrol: warning: no partition has n[3-4], so no job can run there: add them to the "
            "nodes of a [[partition]]\n");
}

}  // namespace
}  // namespace cox
