// Tests how a job's processes are given the addresses of nodes whose names no host has.
#include "common/job/node_addresses.h"

#include <gtest/gtest.h>

namespace cox {
namespace {

std::vector<PlacedNode> nodes_at(const std::vector<std::string>& addresses) {
  std::vector<PlacedNode> nodes;
  for (const std::string& address : addresses) {
    PlacedNode& node = nodes.emplace_back();
    node.grant.node = "n" + std::to_string(nodes.size());
    node.address = address;
  }
  return nodes;
}

TEST(NodeAddresses, AreGivenOnlyIfAllAreLoopbackAddresses) {
  EXPECT_EQ(node_addresses_text(nodes_at({"127.0.0.11", "127.0.0.12"})),
            "n1=127.0.0.11,n2=127.0.0.12");
  EXPECT_EQ(node_addresses_text(nodes_at({"10.0.0.1", "10.0.0.2"})), "");
  EXPECT_EQ(node_addresses_text(nodes_at({"127.0.0.11", "10.0.0.2"})), "");
  EXPECT_EQ(node_addresses_text(nodes_at({""})), "") << "salloc does not know the addresses";
}

TEST(NodeAddresses, TranslateBothWaysAndLeaveOtherNamesUnchanged) {
  const NodeAddresses addresses("n1=127.0.0.11,n2=127.0.0.12");
  EXPECT_EQ(addresses.address_of("n2"), "127.0.0.12");
  EXPECT_EQ(addresses.address_of("n3"), "n3");
  EXPECT_EQ(addresses.node_at("127.0.0.11"), "n1");
  EXPECT_EQ(addresses.node_at("n1"), "n1");
  EXPECT_EQ(NodeAddresses("").address_of("n1"), "n1");
  EXPECT_EQ(NodeAddresses("n1,,x").address_of("n1"), "n1");
}

}  // namespace
}  // namespace cox
