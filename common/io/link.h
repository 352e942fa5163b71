// ZeroMQ behind two classes: Listener (ROUTER) accepts connections, Connection (DEALER) opens
// one. Both send and receive the frames of the codec. Only common/io includes zmq.hpp.
//
// The identity of a peer is proven, never claimed. Over ipc the kernel reports uid, gid and pid.
// Over tcp the CURVE key identifies the key file; a ZAP handler admits only keys in the key folder.
// Sizes, parts and counts are bounded before decoding. A peer that sends what no program of ours
// would send is muted: its messages are dropped for a time. Only one thread may use these classes.
// Nothing here blocks except Poller::wait.
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

// A CURVE key, both parts in Z85. A .key file has two lines, "public <z85>" and "secret <z85>"; a
// .pub file has only the first.
struct KeyPair {
  std::string public_key;
  std::string secret_key;
};
// Writes DIR/NAME.key (mode 0600) and DIR/NAME.pub; never overwrites files.
Result<KeyPair> make_key_files(const std::string& dir, const std::string& name);
Result<KeyPair> read_key_file(const std::string& path);
Result<KeyPair> make_key_pair();  // in memory only

struct PeerIdentity {
  enum class Kind : std::uint8_t { Local, Key };
  Kind kind = Kind::Local;
  std::string key_name;   // of a Key: name of its .pub file, without ".pub": "worker-n1", "client"
  std::uint32_t uid = 0;  // of a Local peer, as the kernel reports it
  std::uint32_t gid = 0;
  std::int64_t pid = 0;
};

// Identifies a connection of a Listener, for send(). libzmq never reuses an id that it assigns. A
// peer that sets its own id is muted.
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
    // ipc://PATH; empty: none. Only its owner may connect unless local_for_all is set.
    std::string local_endpoint{};
    bool local_for_all = false;
    std::string tcp_endpoint{};  // tcp://ADDRESS:PORT, or port * for any free one; empty: none
    KeyPair key{};               // for tcp
    // Folder of *.pub; if a file is removed, the key's connections are closed.
    std::string key_dir{};
    // Names in key_dir that are admitted begin with one of these.
    std::vector<std::string> key_prefixes{};
    std::vector<std::string> keys{};  // further admitted public keys, all with the name "guest"
    // Also the limit for each local user.
    std::size_t connections_per_key = limits::connections_per_key;
    std::int64_t unread_bytes_max = limits::unread_bytes_max;  // of all connections
  };
  static Result<std::unique_ptr<Listener>> open(const Options& options);
  virtual ~Listener() = default;

  virtual std::string tcp_endpoint() const = 0;  // the endpoint that was bound, with its real port
  virtual std::int64_t refused_count() const = 0;  // handshakes refused because of an unknown key
  virtual std::int64_t closed_count() const = 0;   // connections closed (connection_book.h)
  virtual void add_to(Poller& poller) = 0;
  // Returns up to `frames_max` frames that are ready, without waiting; ends early after
  // limits::receive_ms_max. A peer that sends an undecodable frame gets one Rejected and is muted
  // (offences.h).
  virtual std::vector<Incoming> receive(std::size_t frames_max) = 0;
  virtual void send(const PeerId& peer, const std::vector<Message>& messages) = 0;
};

// libzmq's context with its I/O thread. Several connections may share one.
class LinkContext;
std::shared_ptr<LinkContext> make_link_context();

class Connection {
 public:
  struct Options {
    // One endpoint, or those of several controllers with commas. Then messages go to the leader,
    // and, until it answers, also to other controllers (leader_connection.cpp).
    std::string endpoint{};
    std::string server_key{};                // Z85; for tcp
    KeyPair key{};                           // for tcp
    std::shared_ptr<LinkContext> context{};  // null: the connection gets its own context
    // Whether the connection carries the streams of tasks. Then its send queue has no bound, so
    // that nothing is dropped (both sides limit themselves by credit), and is_lost() works.
    bool carries_streams = false;
  };
  static Result<std::unique_ptr<Connection>> open(const Options& options);
  virtual ~Connection() = default;

  virtual void add_to(Poller& poller) = 0;
  virtual std::vector<Message> receive() = 0;
  virtual void send(const std::vector<Message>& messages) = 0;
  // Returns whether the connection was cut after it was made, or nobody listens at the endpoint.
  // libzmq connects again, but messages on the way are lost. Works only with carries_streams.
  virtual bool is_lost() = 0;
  // Makes closing the connection drop unsent messages, instead of waiting until they are sent.
  virtual void drop_unsent_at_close() = 0;
};

// The only place where a program waits: for sockets, file descriptors and signals. In this process
// it blocks SIGTERM and SIGINT and ignores SIGPIPE. A child that it starts must reset its signal
// mask and these actions.
class Poller {
 public:
  // What SIGHUP does to this process. Ends: it ends the process, such as a program at a terminal.
  // ReadsAgain: is_reload_requested() reports it, so that a daemon reads its settings again.
  enum class Hangup : std::uint8_t { Ends, ReadsAgain };
  static std::unique_ptr<Poller> create(Hangup hangup = Hangup::Ends);
  virtual ~Poller() = default;
  // Events of poll(2); a second call for the descriptor replaces them.
  virtual void add_fd(int fd, short events) = 0;
  virtual void remove_fd(int fd) = 0;
  // Makes wait() return when the descriptor is readable, as long as the returned object exists.
  [[nodiscard]] virtual std::shared_ptr<void> add_readable(int fd) = 0;
  // Returns early if a socket, descriptor or signal is ready.
  virtual void wait(Milliseconds timeout) = 0;
  virtual bool ready(int fd) const = 0;  // after wait
  // Returns whether SIGTERM or SIGINT has arrived since the last call. (They are blocked, and read
  // from a signalfd.)
  virtual bool is_end_requested() = 0;
  // Returns whether SIGHUP has arrived since the last call. Always false with Hangup::Ends.
  virtual bool is_reload_requested() = 0;
  // Makes wait() return when a message for the ZeroMQ socket has arrived, as long as the returned
  // object exists.
  [[nodiscard]] virtual std::shared_ptr<void> add_zmq(void* socket) = 0;
};

}  // namespace cox
