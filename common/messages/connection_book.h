// The connections of one listener, and which of them to close. ZeroMQ bounds neither the number of
// connections nor the parts of a message that is not complete yet; this does.
//
// - A TCP connection begins unproven: its peer has not proven a key. Unproven connections have a
//   bound of their own. Beyond it, one of the address with the most of them is closed; a new one is
//   never refused for the sake of old ones. So a peer without a key costs no other peer anything.
// - Once the handshake has succeeded, a connection is proven. Its first message tells the owner:
// the
//   name of the key, or the local user. Each owner may have so many connections.
// - The bytes that have arrived and were not taken by the listener count by connection, with every
//   part. The connection that exceeds the bound is closed.
//
// Pure; common/io/connection_gate.h feeds it and closes what it names.
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
  // The connections to close, each named once. They stay in the book until note_closed().
  std::vector<Closing> take_closings() { return std::exchange(closings_, {}); }

  // A number that is larger than all before. It orders handshakes and connections in time.
  std::uint64_t next_number() { return ++numbers_; }

  void open_tcp(int fd, std::uint32_t address, Boot now);  // IPv4, in the machine's byte order
  void open_local(int fd, std::uint32_t uid, Boot now);
  void note_received(int fd, std::string_view bytes, Boot now);
  void note_sent(int fd, std::size_t bytes);
  void note_closed(int fd);
  bool is_closing(int fd) const;

  // What the listener took from libzmq: one message.
  struct Taken {
    int fd = -1;
    std::uint64_t handshake = 0;  // its number; 0 on a local connection
    std::string owner;
    std::string key;  // the public key; empty on a local connection
    std::size_t parts = 0;
    std::size_t bytes = 0;  // of all parts
  };
  void note_taken(const Taken& taken, Boot now);

  // Closes the TCP connections whose key is not admitted any more, and the proven ones whose key is
  // not known yet: they connect again if they still may.
  using Admits = std::function<bool(const std::string& key, const std::string& owner)>;
  void close_unless(const Admits& admits);
  // Closes this message's connection, if it still is the same one.
  void close(const Taken& taken, const std::string& why);

 private:
  struct Connection {
    std::uint64_t number = 0;  // when it was opened
    bool local = false;
    bool proven = false;
    bool closing = false;
    std::uint32_t address = 0;
    std::string owner;  // empty: not known yet
    std::string key;
    std::uint64_t received = 0;  // bytes
    std::uint64_t sent = 0;      // likewise
    std::int64_t unread = 0;     // bytes that the listener has not taken
    Boot allowed_at{};           // until when heartbeats were allowed for
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
  std::set<int> unproven_;  // descriptors; of those that are not closing, as all counts
  std::size_t proven_ = 0;
  std::int64_t unread_ = 0;
  std::map<std::uint32_t, std::size_t> unproven_of_address_;
  std::size_t unproven_of_loopback_ = 0;  // all of 127/8: any local user has all its addresses
  std::map<std::string, std::size_t> proven_of_owner_;
};

}  // namespace cox
