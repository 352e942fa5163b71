// Records the connections of one listener, and decides which of them to close. ZeroMQ bounds
// neither the number of connections nor the parts of an incomplete message; this class does.
//
// - A TCP connection is unproven until its peer has proven a key. Unproven connections have a
//   bound of their own. Beyond it, the book closes some of the address with the most unproven
//   connections; a new connection is never refused to keep old ones. So a peer without a key harms
//   no other address.
// - Once the handshake has succeeded, a connection is proven. Its first message shows the owner:
//   the name of the key, or the local user. The number of connections of each owner is bounded.
// - Bytes that arrived and that the listener has not taken are counted for each connection,
//   including incomplete messages. A connection that exceeds the bound is closed.
//
// Pure. common/io/connection_gate.h reports events to the book, and closes the connections that
// take_closings() returns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/time.h"
#include "common/messages/zmtp_meter.h"

namespace cox {

struct ConnectionBounds {
  std::size_t unproven_max = 0;
  std::size_t proven_max = 0;
  std::size_t per_owner_max = 0;
  std::int64_t unread_bytes_per_connection_max = 0;
  std::int64_t unread_bytes_max = 0;
};

class ConnectionBook {
 public:
  explicit ConnectionBook(ConnectionBounds bounds) : bounds_(bounds) {}

  struct Closing {
    int fd = -1;
    std::string why;
  };
  // Returns the connections to close, each only once. A connection stays in the book until
  // note_closed().
  std::vector<Closing> take_closings() { return std::exchange(closings_, {}); }

  // Returns a number that is larger than all before. The numbers order openings and handshakes in
  // time.
  std::uint64_t next_number() { return ++numbers_; }

  // IPv4 address, in the machine's byte order.
  void open_tcp(int fd, std::uint32_t address, Boot now);
  void open_local(int fd, std::uint32_t uid, Boot now);
  void note_received(int fd, std::string_view bytes, Boot now);
  void note_sent(int fd, std::size_t bytes);
  void note_closed(int fd);
  bool is_closing(int fd) const;

  // A message that the listener has taken from libzmq, so that its bytes are not unread any more.
  struct Taken {
    int fd = -1;
    std::uint64_t handshake = 0;  // next_number() of its handshake; 0 on a local connection
    std::string owner;
    std::string key;  // public key (Z85) of the peer; empty on a local connection
    std::size_t parts = 0;
    std::size_t bytes = 0;  // of all parts
  };
  void note_taken(const Taken& taken, Boot now);

  // Called when a key was removed. Closes the TCP connections whose key is not admitted any more,
  // and proven ones without a message, whose key is therefore unknown. Peers with an admitted key
  // connect again.
  using Admits = std::function<bool(const std::string& key, const std::string& owner)>;
  void close_unless(const Admits& admits);
  // Closes the connection on which the message arrived, unless it is closed already.
  void close(const Taken& taken, const std::string& why);

 private:
  struct Connection {
    std::uint64_t number = 0;  // next_number() when it was opened
    bool local = false;
    bool proven = false;
    bool closing = false;
    std::uint32_t address = 0;
    std::string owner;  // empty: no message has arrived yet
    std::string key;
    std::uint64_t received = 0;  // bytes
    std::uint64_t sent = 0;      // likewise
    std::int64_t unread = 0;     // bytes that have arrived and were not taken, in libzmq's memory
    Boot allowed_at{};           // time up to which heartbeats are subtracted from `unread`
    ZmtpMeter meter;
  };
  using Connections = std::map<int, Connection>;

  Connection& open(int fd, Boot now);
  Connections::iterator find(const Taken& taken);
  void name_owner(Connections::iterator at, const std::string& owner);
  void add_unread(Connection& connection, std::int64_t bytes);
  void allow_heartbeats(Connection& connection, Boot now);
  void close_unproven();
  void close_one_proven();
  void close_most_unread();
  void close(Connections::iterator at, const std::string& why);
  void forget(Connections::iterator at);

  ConnectionBounds bounds_;
  Connections connections_;
  std::vector<Closing> closings_;
  std::uint64_t numbers_ = 0;
  // Descriptors; like all counts below, without connections that are closing.
  std::set<int> unproven_;
  std::size_t proven_ = 0;
  std::int64_t unread_ = 0;
  std::map<std::uint32_t, std::size_t> unproven_of_address_;
  // From all addresses in 127/8, since any local user can use all of them.
  std::size_t unproven_of_loopback_ = 0;
  std::map<std::string, std::size_t> proven_of_owner_;
};

}  // namespace cox
