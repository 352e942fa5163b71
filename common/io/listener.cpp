#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <deque>
#include <unordered_set>

#include "common/base/check.h"
#include "common/base/limits.h"
#include "common/base/log_line.h"
#include "common/io/clock.h"
#include "common/io/connection_gate.h"
#include "common/io/link.h"
#include "common/io/log.h"
#include "common/io/zap.h"
#include "common/io/zmq_socket.h"
#include "common/messages/codec.h"
#include "common/messages/offences.h"

namespace cox {
namespace {

// Most entries of notified_; beyond it, the oldest is dropped.
constexpr std::size_t refused_peers_max = 4096;
// Size of the ids that libzmq's ROUTER assigns: a zero byte and a count of 4 bytes.
constexpr std::size_t routing_id_bytes = 5;
// The largest part of the process's descriptors that connections take. Files and the database need
// the rest.
constexpr std::size_t connections_percent_max = 75;
// The largest part of the descriptors that connections without a proven key take. It is within
// connections_percent_max.
constexpr std::size_t unproven_percent_max = 12;

// One listening socket. A PeerId consists of the letter of the peer's socket, the protocol version
// of the peer, and the id that ROUTER assigned.
struct Door {
  zmq::socket_t socket;
  PeerIdentity::Kind kind;
  char letter;
};

constexpr std::size_t routing_id_at = 2;  // in a PeerId

PeerId peer_id(const Door& door, int version, std::string_view routing_id) {
  return PeerId{door.letter, static_cast<char>(version)}.append(routing_id);
}

struct RawFrame {
  std::string routing_id;
  zmq::message_t body;
  std::size_t parts = 0;  // number of parts after the routing id
  std::size_t bytes = 0;  // of these parts
};

// Takes one message from the socket; nothing if none is ready. Keeps the first part after the
// routing id; counts the other parts and drops them.
std::optional<RawFrame> take(zmq::socket_t& socket) {
  zmq::message_t part;
  if (!receive_part(socket, part)) return std::nullopt;
  RawFrame frame;
  frame.routing_id = part.to_string();
  bool more = part.more();
  while (more) {
    CHECK(receive_part(socket, part));
    more = part.more();
    frame.bytes += part.size();
    if (++frame.parts == 1) frame.body = std::move(part);
  }
  return frame;
}

// The sender of a message, and the data about the message for the ConnectionBook.
struct Sender {
  PeerIdentity identity;
  ConnectionBook::Taken taken;
};

// Returns the local user who sent a message. libzmq appends ":UID:GID:PID" to the peer's address,
// which it got with SO_PEERCRED at connect.
std::optional<Sender> local_sender(zmq::message_t& body) {
  const char* address = zmq_msg_gets(body.handle(), "Peer-Address");
  if (address == nullptr) return std::nullopt;
  const std::string_view text = address;
  std::array<std::int64_t, 3> numbers{};
  std::size_t end = text.size();
  for (std::size_t i = numbers.size(); i-- > 0;) {
    const auto colon = end == 0 ? std::string_view::npos : text.rfind(':', end - 1);
    if (colon == std::string_view::npos) return std::nullopt;
    const char* last = text.data() + end;
    const auto [stop, error] = std::from_chars(text.data() + colon + 1, last, numbers[i]);
    if (error != std::errc() || stop != last || numbers[i] < 0) return std::nullopt;
    end = colon;
  }
  Sender sender;
  sender.identity.uid = static_cast<std::uint32_t>(numbers[0]);
  sender.identity.gid = static_cast<std::uint32_t>(numbers[1]);
  sender.identity.pid = numbers[2];
  sender.taken.owner = "uid " + std::to_string(sender.identity.uid);
  return sender;
}

std::optional<Sender> key_sender(zmq::message_t& body) {
  const char* user_id = zmq_msg_gets(body.handle(), "User-Id");
  const auto handshake = Handshake::from_user_id(user_id == nullptr ? "" : user_id);
  if (!handshake) return std::nullopt;
  Sender sender;
  sender.identity.kind = PeerIdentity::Kind::Key;
  sender.identity.key_name = handshake->key_name;
  sender.taken.owner = handshake->key_name;
  sender.taken.key = handshake->key;
  sender.taken.handshake = handshake->number;
  return sender;
}

ConnectionBounds connection_bounds(const Listener::Options& options) {
  rlimit limit{};
  CHECK(::getrlimit(RLIMIT_NOFILE, &limit) == 0);
  ConnectionBounds bounds;
  bounds.unproven_max = std::min<std::size_t>(limits::unproven_connections_max,
                                              limit.rlim_cur / 100 * unproven_percent_max + 1);
  bounds.proven_max = limit.rlim_cur / 100 * (connections_percent_max - unproven_percent_max) + 1;
  bounds.per_owner_max = options.connections_per_key;
  bounds.unread_bytes_per_connection_max = limits::unread_bytes_per_connection_max;
  bounds.unread_bytes_max = options.unread_bytes_max;
  return bounds;
}

// Returns a text for the sender of a message, for muting and the log: key and address, or uid and
// pid. Several machines may share a key, and a user may run several programs, of which only one
// misbehaves.
std::string describe_peer(const PeerIdentity& identity, zmq::message_t& body) {
  if (identity.kind == PeerIdentity::Kind::Local)
    return "uid=" + std::to_string(identity.uid) + " pid=" + std::to_string(identity.pid);
  const char* address = zmq_msg_gets(body.handle(), "Peer-Address");
  return "key=" + identity.key_name + " address=" + (address == nullptr ? "" : address);
}

class ZmqListener : public Listener {
 public:
  explicit ZmqListener(const Options& options) : gate_(connection_bounds(options)), context_(1) {
    if (!options.local_endpoint.empty()) open_local(options);
    if (!options.tcp_endpoint.empty()) open_tcp(options);
  }

  std::string tcp_endpoint() const override { return tcp_endpoint_; }
  std::int64_t refused_count() const override { return zap_ ? zap_->refused_count() : 0; }

  std::int64_t closed_count() const override { return closed_count_; }

  void add_to(Poller& poller) override {
    if (zap_) polled_.push_back(poller.add_zmq(zap_->socket()));
    for (auto& door : doors_) polled_.push_back(poller.add_zmq(door.socket.handle()));
  }

  std::vector<Incoming> receive(std::size_t frames_max) override;

  void send(const PeerId& peer, const std::vector<Message>& messages) override {
    for (auto& door : doors_) {
      if (peer.empty() || peer.front() != door.letter) continue;
      for (const auto& frame : encode_frames(messages, peer[1])) {
        if (send_part(door.socket, std::string_view(peer).substr(routing_id_at), true)) {
          send_part(door.socket, frame, false);
        }
      }
    }
  }

 private:
  void open_local(const Options& options);
  void open_tcp(const Options& options);
  void close_removed_keys();
  void log_closed();
  std::optional<Incoming> judge(Door& door, RawFrame frame);
  bool may_speak(Door& door, RawFrame& frame, Sender& sender);
  void mute(const PeerId& peer, const std::string& who, const Refusal& why);
  void refuse_muted(const PeerId& peer, const Refusal& why);

  // C++ destroys members in reverse order. So the sockets end before their context, after they were
  // taken out of the poller, and the context with its I/O thread ends before the gate.
  ConnectionGate gate_;
  zmq::context_t context_;
  std::optional<KeyFolder> keys_;
  std::optional<ZapHandler> zap_;
  std::vector<Door> doors_;
  std::vector<std::shared_ptr<void>> polled_;
  std::size_t next_door_ = 0;
  std::string tcp_endpoint_;
  Offences offences_;
  std::unordered_set<PeerId> notified_;  // peers that have got their Rejected since they are muted
  std::deque<PeerId> refused_in_order_;
  Boot keys_looked_at_{};
  std::int64_t closed_count_ = 0;
  std::int64_t closed_unlogged_ = 0;
  std::string last_closed_;  // and why
  Boot closed_logged_at_{};
};

void ZmqListener::open_local(const Options& options) {
  zmq::socket_t socket(context_, zmq::socket_type::router);
  set_bounds(socket, Transport::Local);
  // The umask gives the socket's file its final mode when it is made, so that no other user can
  // connect before.
  const mode_t before = ::umask(options.local_for_all ? 0111 : 0177);
  const int rc = gate_.bind(socket, options.local_endpoint);
  const int error = zmq_errno();
  ::umask(before);
  if (rc != 0) {
    errno = error;
    throw zmq::error_t();
  }
  doors_.push_back({std::move(socket), PeerIdentity::Kind::Local, 'l'});
}

void ZmqListener::open_tcp(const Options& options) {
  keys_.emplace(options.key_dir, options.key_prefixes, options.keys);
  zap_.emplace(context_, *keys_, [this] { return gate_.next_number(); });
  zmq::socket_t socket(context_, zmq::socket_type::router);
  set_bounds(socket, Transport::Tcp);
  socket.set(zmq::sockopt::curve_server, true);
  socket.set(zmq::sockopt::curve_secretkey, options.key.secret_key);
  // Without a domain, libzmq admits every key. (ZMQ_ZAP_ENFORCE_DOMAIN is a draft option; the
  // handler that it would require is already bound above.)
  socket.set(zmq::sockopt::zap_domain, "coxswain");
  if (gate_.bind(socket, options.tcp_endpoint) != 0) throw zmq::error_t();
  tcp_endpoint_ = socket.get(zmq::sockopt::last_endpoint);
  doors_.push_back({std::move(socket), PeerIdentity::Kind::Key, 't'});
}

// Takes frames from the doors (the listening sockets) in turn, so that a flood at one does not
// delay the other. libzmq does the same for the peers of a door. Frames that are dropped count too,
// so that a muted peer cannot prolong the call.
std::vector<Incoming> ZmqListener::receive(std::size_t frames_max) {
  if (zap_) zap_->answer_all();
  close_removed_keys();
  log_closed();
  std::vector<Incoming> arrived;
  std::size_t taken = 0;
  std::size_t empty_doors = 0;
  const Boot end = read_clock().boot + Milliseconds{limits::receive_ms_max};
  while (taken < frames_max && empty_doors < doors_.size() && read_clock().boot < end) {
    Door& door = doors_[next_door_++ % doors_.size()];
    auto frame = take(door.socket);
    if (!frame) {
      ++empty_doors;
      continue;
    }
    empty_doors = 0;
    ++taken;
    if (auto incoming = judge(door, std::move(*frame))) arrived.push_back(std::move(*incoming));
  }
  return arrived;
}

// Closes the connections of keys whose files were removed since the last look, at most once per
// limits::key_folder_look_ms.
void ZmqListener::close_removed_keys() {
  const Boot now = read_clock().boot;
  if (!keys_ || now - keys_looked_at_ < Milliseconds{limits::key_folder_look_ms}) return;
  keys_looked_at_ = now;
  if (keys_->has_lost_keys())
    gate_.close_unless([this](const std::string& key, const std::string& name) {
      return keys_->admits(key, name);
    });
}

void ZmqListener::log_closed() {
  const auto closed = gate_.take_closed();
  closed_count_ += closed.count;
  closed_unlogged_ += closed.count;
  if (closed.count > 0) last_closed_ = closed.last;
  const Boot now = read_clock().boot;
  if (closed_unlogged_ == 0 ||
      now - closed_logged_at_ < Milliseconds{limits::offence_log_interval_ms})
    return;
  closed_logged_at_ = now;
  log_warning("closed connections=" + std::to_string(std::exchange(closed_unlogged_, 0)) +
              " last: " + last_closed_);
}

// Records in the connection book that a message was taken. Returns false, and closes the
// connection, if its key was removed after the handshake.
bool ZmqListener::may_speak(Door& door, RawFrame& frame, Sender& sender) {
  sender.taken.fd = zmq_msg_get(frame.body.handle(), ZMQ_SRCFD);
  sender.taken.parts = frame.parts;
  sender.taken.bytes = frame.bytes;
  gate_.note_taken(sender.taken);
  if (door.kind == PeerIdentity::Kind::Local) return true;
  if (keys_->admits(sender.taken.key, sender.taken.owner)) return true;
  gate_.close(sender.taken, "its key was removed");
  return false;
}

std::optional<Incoming> ZmqListener::judge(Door& door, RawFrame frame) {
  // The id with the oldest protocol version, for answers to a frame that is not decoded.
  const PeerId peer = peer_id(door, protocol_version_before, frame.routing_id);
  const bool local = door.kind == PeerIdentity::Kind::Local;
  auto sender = local ? local_sender(frame.body) : key_sender(frame.body);
  if (!sender) {
    mute(peer, "who=unknown", {"your identity could not be proven", ""});
    return std::nullopt;
  }
  if (!may_speak(door, frame, *sender)) return std::nullopt;
  const std::string who = describe_peer(sender->identity, frame.body);
  if (const auto until = offences_.muted_until(peer, who, read_clock().boot)) {
    const auto left = std::chrono::ceil<std::chrono::seconds>(*until - read_clock().boot);
    refuse_muted(peer, {"your messages are ignored for " + std::to_string(left.count()) + " s more",
                        who + " has sent something that no Coxswain program sends"});
    return std::nullopt;
  }
  // The peer has chosen its id. An earlier connection may have had the same one; see PeerId.
  if (frame.routing_id.size() != routing_id_bytes || frame.routing_id.front() != '\0') {
    mute(peer, who, {"a routing id was set", "connect without ZMQ_ROUTING_ID"});
    return std::nullopt;
  }
  if (frame.parts != 1) {
    mute(peer, who,
         {"a message of " + std::to_string(frame.parts) + " parts came; the limit is 1", ""});
    return std::nullopt;
  }
  auto decoded = decode_frame(frame.body.to_string_view());
  if (!decoded) {
    mute(peer, who, decoded.refusal());
    return std::nullopt;
  }
  return Incoming{peer_id(door, decoded->version, frame.routing_id), std::move(sender->identity),
                  std::move(decoded->messages), frame.body.size()};
}

void ZmqListener::mute(const PeerId& peer, const std::string& who, const Refusal& why) {
  const Boot now = read_clock().boot;
  const Boot until = offences_.note(peer, who, now);
  if (const auto unlogged = offences_.log_due(now))
    log_warning("muted " + who + " seconds=" + std::to_string((until - now).count() / 1000) +
                " why=" + quoted_value(why.fact) + " offences=" +
                std::to_string(offences_.count()) + " unlogged=" + std::to_string(*unlogged) +
                " dropped=" + std::to_string(offences_.dropped()));
  refuse_muted(peer, why);
}

// Sends a Rejected to a muted peer, only once for each connection, so that the peer cannot cause
// much traffic.
void ZmqListener::refuse_muted(const PeerId& peer, const Refusal& why) {
  if (notified_.contains(peer)) return;
  send(peer, {Rejected{why}});
  if (notified_.size() == refused_peers_max) {
    notified_.erase(refused_in_order_.front());
    refused_in_order_.pop_front();
  }
  notified_.insert(peer);
  refused_in_order_.push_back(peer);
}

Failure check_options(const Listener::Options& options) {
  constexpr std::size_t local_path_bytes_max = sizeof(sockaddr_un::sun_path) - 1;
  constexpr std::size_t scheme_bytes = 6;
  if (options.local_endpoint.empty() && options.tcp_endpoint.empty()) {
    return Refusal{"there is no endpoint to listen at", "set listen_local or listen_tcp"};
  }
  if (!options.local_endpoint.empty()) {
    const auto transport = transport_of(options.local_endpoint);
    if (!transport) return transport.refusal();
    if (*transport != Transport::Local) {
      return Refusal{options.local_endpoint + " is not a local endpoint", "write ipc:///PATH"};
    }
    const auto path_bytes = options.local_endpoint.size() - scheme_bytes;
    if (path_bytes > local_path_bytes_max) {
      return Refusal{"the path of " + options.local_endpoint + " has " +
                         std::to_string(path_bytes) + " bytes; the kernel's limit is " +
                         std::to_string(local_path_bytes_max),
                     "choose a shorter folder"};
    }
  }
  if (options.tcp_endpoint.empty()) return std::nullopt;
  const auto transport = transport_of(options.tcp_endpoint);
  if (!transport) return transport.refusal();
  if (*transport != Transport::Tcp) {
    return Refusal{options.tcp_endpoint + " is not a tcp endpoint", "write tcp://ADDRESS:PORT"};
  }
  if (!is_curve_key(options.key.public_key) || !is_curve_key(options.key.secret_key)) {
    return Refusal{options.tcp_endpoint + " needs a key of its own", "make key files in key_dir"};
  }
  return std::nullopt;
}

}  // namespace

Result<std::unique_ptr<Listener>> Listener::open(const Options& options) {
  if (auto failure = check_options(options)) return *failure;
  // Refuses the endpoint if a program listens there, because libzmq would replace the socket's
  // file.
  if (!options.local_endpoint.empty() && somebody_listens(options.local_endpoint)) {
    return Refusal{"another program listens at " + options.local_endpoint,
                   "end it first, or set another listen_local"};
  }
  try {
    return std::unique_ptr<Listener>(std::make_unique<ZmqListener>(options));
  } catch (const zmq::error_t& error) {
    return Refusal{"cannot listen at " + options.local_endpoint + " " + options.tcp_endpoint +
                       ": " + error.what(),
                   "check that the folder exists and is writable, and that the port is free"};
  }
}

}  // namespace cox
