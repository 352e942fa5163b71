#include "common/job/node_addresses.h"

#include "common/base/text.h"

namespace cox {
namespace {

const std::string& found_or_same(const std::map<std::string, std::string, std::less<>>& names,
                                 const std::string& name) {
  const auto found = names.find(name);
  return found == names.end() ? name : found->second;
}

}  // namespace

std::string node_addresses_text(const std::vector<PlacedNode>& nodes) {
  std::string text;
  for (const PlacedNode& node : nodes) {
    if (!node.address.starts_with("127.")) return "";
    text += (text.empty() ? "" : ",") + node.grant.node + "=" + node.address;
  }
  return text;
}

NodeAddresses::NodeAddresses(std::string_view text) {
  for (const std::string_view part : split(text, ',')) {
    const std::size_t equals = part.find('=');
    if (equals == std::string_view::npos) continue;
    const std::string node(part.substr(0, equals));
    const std::string address(part.substr(equals + 1));
    by_node_.emplace(node, address);
    by_address_.emplace(address, node);
  }
}

std::string NodeAddresses::address_of(const std::string& node) const {
  return found_or_same(by_node_, node);
}

std::string NodeAddresses::node_at(const std::string& address) const {
  return found_or_same(by_address_, address);
}

}  // namespace cox
