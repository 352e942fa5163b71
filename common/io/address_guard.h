// So many connections of one address, and no more: beyond, the kernel drops what would open another
// one, before libzmq and its handshake have anything of it. ZeroMQ can neither refuse a connection
// nor close one; so the listening socket gets a filter, whenever an address is at its limit.
//
// Handed the socket before it is bound; served by whoever polls its monitor. For Listener alone.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <zmq.hpp>

#include "common/time.h"

namespace cox {

class AddressGuard {
 public:
  AddressGuard(zmq::context_t& context, zmq::socket_t& listening, std::size_t per_address_max);

  void* monitor() { return monitor_.handle(); }
  void serve();  // what has happened since

 private:
  using Address = std::uint32_t;  // IPv4, of this machine's byte order

  void on_accepted(int fd);
  void on_closed(int fd);
  void filter(bool all);
  void tell(const std::string& words);

  zmq::socket_t monitor_;
  std::size_t per_address_max_;
  std::size_t connections_max_;
  int listening_ = -1;
  std::map<int, Address> of_fd_;
  std::map<Address, std::size_t> count_;
  std::set<Address> turned_away_;
  bool all_turned_away_ = false;
  std::optional<Boot> told_;
};

}  // namespace cox
