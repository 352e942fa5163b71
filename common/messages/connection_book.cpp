#include "common/messages/connection_book.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "common/base/limits.h"
#include "common/base/log_line.h"

namespace cox {
namespace {

// The most bytes that a listener sends before the peer's key is admitted. In a CURVE handshake it
// sends a greeting (64 bytes), WELCOME (170) and, only after the key was admitted, READY. So a
// connection on which it has sent more is proven.
constexpr std::uint64_t sent_unproven_max = 64 + 170;
constexpr std::int64_t encryption_bytes = 33;  // bytes that encryption adds to each frame
// No limit here for frames of proven connections: libzmq enforces one.
constexpr std::uint64_t any_length = ~std::uint64_t{0};
// Bytes that are subtracted from the unread ones for ZMTP heartbeats, frames that libzmq itself
// takes. A PING and a PONG in 5 s count 2,126 bytes.
constexpr std::int64_t heartbeat_bytes_per_s = 512;
// If there are too many unproven connections, one in sixteen of the limit is closed.
constexpr std::size_t unproven_closed_share = 16;

bool is_loopback(std::uint32_t address) {
  return address >> 24 == 127;
}

std::string dotted(std::uint32_t address) {
  std::string text;
  for (int shift = 24; shift >= 0; shift -= 8)
    text += (text.empty() ? "" : ".") + std::to_string(address >> shift & 0xff);
  return text;
}

std::string too_many(const std::string& what, std::size_t limit) {
  return what + "; the limit is " + std::to_string(limit);
}

}  // namespace

ConnectionBook::Connection& ConnectionBook::open(int fd, Boot now) {
  note_closed(fd);
  Connection& connection = connections_[fd];
  connection.number = next_number();
  connection.allowed_at = now;
  return connection;
}

void ConnectionBook::open_tcp(int fd, std::uint32_t address, Boot now) {
  open(fd, now).address = address;
  unproven_.insert(fd);
  ++unproven_of_address_[address];
  if (is_loopback(address)) ++unproven_of_loopback_;
  if (unproven_.size() > bounds_.unproven_max) close_unproven();
}

void ConnectionBook::open_local(int fd, std::uint32_t uid, Boot now) {
  Connection& connection = open(fd, now);
  connection.local = true;
  connection.proven = true;
  ++proven_;
  ++proven_of_owner_[""];
  name_owner(connections_.find(fd), "uid " + std::to_string(uid));
  if (proven_ > bounds_.proven_max) close_one_proven();
}

void ConnectionBook::note_received(int fd, std::string_view bytes, Boot now) {
  const auto at = connections_.find(fd);
  if (at == connections_.end() || at->second.closing) return;
  Connection& connection = at->second;
  connection.received += bytes.size();
  const std::uint64_t frame_max =
      connection.proven ? any_length : std::uint64_t{limits::handshake_frame_bytes_max};
  const std::int64_t growth = connection.meter.read(bytes, frame_max);
  if (growth < 0) return close(at, "its handshake is malformed");
  if (!connection.proven) return;  // libzmq keeps no frames of the handshake, so none are counted
  allow_heartbeats(connection, now);
  add_unread(connection, growth);
  if (connection.unread > bounds_.unread_bytes_per_connection_max)
    close(at, "its messages that could not be taken yet count " +
                  std::to_string(connection.unread) + " bytes; the limit is " +
                  std::to_string(bounds_.unread_bytes_per_connection_max));
  if (unread_ > bounds_.unread_bytes_max) close_most_unread();
}

void ConnectionBook::note_sent(int fd, std::size_t bytes) {
  const auto at = connections_.find(fd);
  if (at == connections_.end() || at->second.closing) return;
  at->second.sent += bytes;
  if (at->second.proven || at->second.sent <= sent_unproven_max) return;
  forget(at);
  at->second.proven = true;
  ++proven_;
  ++proven_of_owner_[""];
  if (proven_ > bounds_.proven_max) close_one_proven();
}

void ConnectionBook::note_closed(int fd) {
  const auto at = connections_.find(fd);
  if (at == connections_.end()) return;
  if (!at->second.closing) forget(at);
  connections_.erase(at);
}

bool ConnectionBook::is_closing(int fd) const {
  const auto at = connections_.find(fd);
  return at != connections_.end() && at->second.closing;
}

// Returns the connection on which a message arrived; end() if it is closed. The descriptor may be
// in use by a later connection. Numbers decide: a handshake has a larger number than the opening of
// its connection, and a smaller one than the opening of the next connection with that descriptor.
ConnectionBook::Connections::iterator ConnectionBook::find(const Taken& taken) {
  const auto at = connections_.find(taken.fd);
  if (at == connections_.end() || at->second.closing) return connections_.end();
  const bool same =
      at->second.local ? at->second.owner == taken.owner : at->second.number < taken.handshake;
  return same ? at : connections_.end();
}

void ConnectionBook::note_taken(const Taken& taken, Boot now) {
  const auto at = find(taken);
  if (at == connections_.end()) return;
  Connection& connection = at->second;
  const std::int64_t overhead =
      limits::frame_overhead_bytes + (connection.local ? 0 : encryption_bytes);
  allow_heartbeats(connection, now);
  add_unread(connection, -static_cast<std::int64_t>(taken.bytes) -
                             static_cast<std::int64_t>(taken.parts) * overhead);
  if (!connection.owner.empty()) return;
  connection.key = taken.key;
  name_owner(at, taken.owner);
}

void ConnectionBook::close_unless(const Admits& admits) {
  for (auto at = connections_.begin(); at != connections_.end(); ++at) {
    const Connection& connection = at->second;
    if (connection.local || connection.closing || !connection.proven) continue;
    if (connection.owner.empty())
      close(at, "a key was removed, and its own is not known yet");
    else if (!admits(connection.key, connection.owner))
      close(at, "its key was removed");
  }
}

void ConnectionBook::close(const Taken& taken, const std::string& why) {
  const auto at = find(taken);
  if (at != connections_.end()) close(at, why);
}

// Records the owner of a proven connection. If the owner then has too many connections, this one is
// closed.
void ConnectionBook::name_owner(Connections::iterator at, const std::string& owner) {
  if (--proven_of_owner_[""] == 0) proven_of_owner_.erase("");
  at->second.owner = owner;
  if (++proven_of_owner_[owner] > bounds_.per_owner_max)
    close(at, too_many(owner + " has too many connections", bounds_.per_owner_max));
}

void ConnectionBook::add_unread(Connection& connection, std::int64_t bytes) {
  const std::int64_t unread = std::max<std::int64_t>(connection.unread + bytes, 0);
  unread_ += unread - connection.unread;
  connection.unread = unread;
}

void ConnectionBook::allow_heartbeats(Connection& connection, Boot now) {
  const std::int64_t bytes = (now - connection.allowed_at).count() * heartbeat_bytes_per_s / 1'000;
  if (bytes == 0) return;
  connection.allowed_at = now;
  add_unread(connection, -bytes);
}

// Closes several unproven connections: those of the network and the address with the most of them,
// of these the ones that have sent least, and of these the oldest. It closes several at once, since
// each call searches all of them.
void ConnectionBook::close_unproven() {
  using Cost = std::tuple<std::size_t, std::size_t, std::uint64_t, std::uint64_t, int>;
  std::vector<Cost> costs;
  for (const int fd : unproven_) {
    const Connection& one = connections_.at(fd);
    const std::size_t of_address = unproven_of_address_.at(one.address);
    const std::size_t of_network = is_loopback(one.address) ? unproven_of_loopback_ : of_address;
    costs.emplace_back(of_network, of_address, ~one.received, ~one.number, fd);
  }
  const std::size_t count = bounds_.unproven_max / unproven_closed_share + 1;
  const auto last = costs.begin() + static_cast<std::ptrdiff_t>(count);
  std::ranges::partial_sort(costs, last, std::ranges::greater{});
  for (auto cost = costs.begin(); cost != last; ++cost)
    close(connections_.find(std::get<int>(*cost)),
          too_many("too many connections have not proven a key", bounds_.unproven_max));
}

// Closes the oldest connection of the owner that has the most connections.
void ConnectionBook::close_one_proven() {
  const auto most =
      std::ranges::max_element(proven_of_owner_, {}, [](const auto& one) { return one.second; });
  auto oldest = connections_.end();
  for (auto at = connections_.begin(); at != connections_.end(); ++at) {
    const Connection& one = at->second;
    if (!one.proven || one.closing || one.owner != most->first) continue;
    if (oldest == connections_.end() || one.number < oldest->second.number) oldest = at;
  }
  close(oldest, too_many("too many connections", bounds_.proven_max));
}

// Closes a connection of the owner with the most unread bytes: the one with the most of them.
void ConnectionBook::close_most_unread() {
  std::map<std::string, std::int64_t> unread_of_owner;
  for (const auto& [fd, one] : connections_) unread_of_owner[one.owner] += one.unread;
  const auto cost = [&](const Connection& one) {
    return std::tuple(unread_of_owner.at(one.owner), one.unread);
  };
  const auto worst =
      std::ranges::max_element(connections_, {}, [&](const auto& one) { return cost(one.second); });
  close(worst, "all connections have sent more than " + std::to_string(bounds_.unread_bytes_max) +
                   " bytes that could not be taken yet");
}

void ConnectionBook::close(Connections::iterator at, const std::string& why) {
  Connection& connection = at->second;
  const std::string who = connection.owner.empty() ? "unknown" : connection.owner;
  closings_.push_back(
      {at->first, "owner=" + quoted_value(who) +
                      (connection.local ? "" : " address=" + dotted(connection.address)) +
                      " why=" + quoted_value(why)});
  forget(at);
  connection.closing = true;
}

// Removes a connection from all counts, since it is closed or closing.
void ConnectionBook::forget(Connections::iterator at) {
  Connection& connection = at->second;
  add_unread(connection, -connection.unread);
  const auto take = [](auto& counts, const auto& key) {
    if (--counts[key] == 0) counts.erase(key);
  };
  if (connection.proven) {
    --proven_;
    take(proven_of_owner_, connection.owner);
    return;
  }
  unproven_.erase(at->first);
  take(unproven_of_address_, connection.address);
  if (is_loopback(connection.address)) --unproven_of_loopback_;
}

}  // namespace cox
