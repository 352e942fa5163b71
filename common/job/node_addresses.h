// The addresses of a job's nodes on a private cluster (`cox up`). Its nodes are all on one machine
// and have loopback addresses, and no host has their names. Processes of a job get the addresses in
// a variable, so that `scontrol show hostnames` prints hosts to connect to, and srun accepts such
// hosts for the nodes. Pure.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "common/job/attempt.h"

namespace cox {

// Returns the value of the variable, "n1=127.0.0.11,n2=127.0.0.12". Empty if a node has no loopback
// address: its name is then the name of a host.
std::string node_addresses_text(const std::vector<PlacedNode>& nodes);

class NodeAddresses {
 public:
  explicit NodeAddresses(std::string_view text);  // from node_addresses_text()

  // Return the address of the node, and the node with the address. Any other name is returned
  // unchanged.
  std::string address_of(const std::string& node) const;
  std::string node_at(const std::string& address) const;

 private:
  std::map<std::string, std::string, std::less<>> by_node_;
  std::map<std::string, std::string, std::less<>> by_address_;
};

}  // namespace cox
