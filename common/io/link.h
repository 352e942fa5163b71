// ZeroMQ, behind two classes: Listener (ROUTER) for whoever is called, Connection (DEALER) for
// whoever calls. Frames are the codec's. zmq.hpp is included in common/io alone.
//
// Identity is proven, never claimed: over ipc the kernel says uid, gid and pid; over tcp the CURVE
// key says which key file it is (a ZAP handler admits only keys that are in the key folder). Sizes,
// parts and counts are bounded before anything is decoded; who offends is muted for a time.
// One thread uses them; nothing here blocks but Poller::wait.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "common/base/limits.h"
#include "common/base/result.h"
#include "common/base/time.h"
#include "common/messages/messages.h"

namespace cox {

// CURVE key files: two lines, "public <z85>" and "secret <z85>"; a .pub file has the first alone.
struct KeyPair {
  std::string public_key;
  std::string secret_key;
};
// DIR/NAME.key (mode 0600) and DIR/NAME.pub; never over files that are there.
Result<KeyPair> make_key_files(const std::string& dir, const std::string& name);
Result<KeyPair> read_key_file(const std::string& path);
Result<KeyPair> make_key_pair();  // kept nowhere: for as long as a program runs

struct PeerIdentity {
  enum class Kind : std::uint8_t { Local, Key };
  Kind kind = Kind::Local;
  std::string key_name;   // Key: the .pub file's name without ".pub": "worker-n1", "client"
  std::uint32_t uid = 0;  // Local: from the kernel
  std::uint32_t gid = 0;
  std::int64_t pid = 0;
};

// Names a connection of a Listener; never reused, so ids that a peer sets itself are an offence.
// Only to be handed back to send().
using PeerId = std::string;

struct Incoming {
  PeerId peer;
  PeerIdentity identity;
  std::vector<Message> messages;
  std::size_t bytes = 0;  // of the frame
};

class Poller;

class Listener {
 public:
  struct Options {
    std::string local_endpoint{};  // ipc://…; empty: none. Mode 0600 unless local_for_all
    bool local_for_all = false;
    std::string tcp_endpoint{};  // tcp://ADDRESS:PORT or :*; empty: none
    KeyPair key{};               // for tcp
    std::string key_dir{};       // *.pub that may connect; connections of removed keys are closed
    std::vector<std::string> key_prefixes{};  // of the names admitted: "worker-", "client"
    std::vector<std::string> keys{};  // public keys that may connect besides: known as "guest"
    std::size_t connections_per_key = limits::connections_per_key;  // or per local user
    std::int64_t unread_bytes_max = limits::unread_bytes_max;       // of all connections
  };
  static Result<std::unique_ptr<Listener>> open(const Options& options);
  virtual ~Listener() = default;

  virtual std::string tcp_endpoint() const = 0;    // as bound, with the real port
  virtual std::int64_t refused_count() const = 0;  // handshakes refused for their key
  virtual std::int64_t closed_count() const = 0;   // connections closed (connection_book.h)
  virtual void add_to(Poller& poller) = 0;
  // Up to `frames_max` frames that are ready, and no more once limits::receive_ms_max are over.
  // Who sends what cannot be decoded is told so once and muted (offences.h).
  virtual std::vector<Incoming> receive(std::size_t frames_max) = 0;
  virtual void send(const PeerId& peer, const std::vector<Message>& messages) = 0;
};

// The threads and sockets behind connections; several may share one.
class LinkContext;
std::shared_ptr<LinkContext> make_link_context();

class Connection {
 public:
  struct Options {
    // Several by commas: of controllers, of which one leads. What is said goes to that one, and
    // what is not answered to the others as well (leader_connection.cpp).
    std::string endpoint{};
    std::string server_key{};                // Z85; for tcp
    KeyPair key{};                           // for tcp
    std::shared_ptr<LinkContext> context{};  // null: one of its own
    // Its users give each other credit: nothing is dropped, and is_lost() can tell.
    bool carries_streams = false;
  };
  static Result<std::unique_ptr<Connection>> open(const Options& options);
  virtual ~Connection() = default;

  virtual void add_to(Poller& poller) = 0;
  virtual std::vector<Message> receive() = 0;
  virtual void send(const std::vector<Message>& messages) = 0;
  // It was connected once and has been cut since; or nobody listens there. What is on the way then
  // is lost, although the connection is made anew.
  virtual bool is_lost() = 0;
  // Nobody waits for what has not gone out yet: its end does not wait for that.
  virtual void drop_unsent() = 0;
};

// The one wait of a program: sockets, file descriptors and signals. SIGTERM and SIGINT stay blocked
// and SIGPIPE ignored in this process; a child that is spawned must get its own mask and defaults.
class Poller {
 public:
  // Hangup: what SIGHUP does to this process. A daemon reads its settings again; whoever sits at a
  // terminal ends with it.
  enum class Hangup : std::uint8_t { Ends, ReadsAgain };
  static std::unique_ptr<Poller> create(Hangup hangup = Hangup::Ends);
  virtual ~Poller() = default;
  virtual void add_fd(int fd, short events) = 0;  // poll(2) events; again: replaces the events
  virtual void remove_fd(int fd) = 0;
  // Polled for reading as long as what is returned is kept.
  [[nodiscard]] virtual std::shared_ptr<void> add_readable(int fd) = 0;
  virtual void wait(Milliseconds timeout) = 0;  // returns early when something is ready
  virtual bool ready(int fd) const = 0;         // after wait
  // SIGTERM and SIGINT since the last call (they are blocked and read from a signalfd).
  virtual bool asked_to_end() = 0;
  // SIGHUP since the last call, with Hangup::ReadsAgain.
  virtual bool asked_to_read_again() = 0;
  // For the link: the socket is polled as long as what is returned is kept.
  [[nodiscard]] virtual std::shared_ptr<void> add_zmq(void* socket) = 0;
};

}  // namespace cox
