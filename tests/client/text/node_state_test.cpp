// Tests the names and numbers of node states in Slurm.
#include "client/text/node_state.h"

#include <gtest/gtest.h>

namespace cox {
namespace {

// slurm.h defines these flags as bits that are added to the number of the base state.
TEST(NodeStates, EachFlagAddsSlurmsBit) {
  const auto with = [](bool NodeState::*flag) {
    NodeState state;
    const std::int64_t base = rank_of(state);
    state.*flag = true;
    return rank_of(state) - base;
  };
  EXPECT_EQ(with(&NodeState::reserved), 0x20);
  EXPECT_EQ(with(&NodeState::drain), 0x200);
  EXPECT_EQ(with(&NodeState::silent), 0x800);
  EXPECT_EQ(with(&NodeState::maint), 0x8000);
}

TEST(NodeStates, ANodeSetDownIsDownAndNotDrained) {
  NodeView view;
  view.node.responding = view.node.drained = view.node.set_down = true;
  view.jobs = {JobId{17}};
  EXPECT_EQ(compact_name(node_state(view)), "down");
  EXPECT_EQ(names_of(node_state(view)), std::vector<std::string>{"DOWN"});
  view.node.responding = false;
  EXPECT_EQ(compact_name(node_state(view)), "down*");
}

}  // namespace
}  // namespace cox
