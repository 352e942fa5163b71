#include <optional>

#include "common/io/endpoint.h"
#include "common/io/key_folder.h"
#include "common/io/leader_connection.h"
#include "common/io/link.h"
#include "common/io/log.h"
#include "common/io/zmq_socket.h"
#include "common/messages/codec.h"

namespace cox {
namespace {

// How long a closed connection still sends; its last messages belong to a stream.
constexpr int stream_linger_ms = 60'000;
// Frames that one receive() takes; the poller reports the rest again.
constexpr std::size_t frames_at_once_max = 256;

class ZmqConnection : public Connection {
 public:
  explicit ZmqConnection(const Options& options, Transport transport)
      : context_(options.context ? options.context : make_link_context()),
        socket_(context_->zmq, zmq::socket_type::dealer) {
    set_bounds(socket_, transport);
    if (options.carries_streams) {
      socket_.set(zmq::sockopt::sndhwm, 0);
      socket_.set(zmq::sockopt::linger, stream_linger_ms);
      watch_loss();
    }
    if (transport == Transport::Tcp) {
      socket_.set(zmq::sockopt::curve_serverkey, options.server_key);
      socket_.set(zmq::sockopt::curve_publickey, options.key.public_key);
      socket_.set(zmq::sockopt::curve_secretkey, options.key.secret_key);
    }
    socket_.connect(options.endpoint);
  }

  // Ends libzmq's monitor of the socket before the socket that reads the monitor's events is
  // closed. Otherwise the only I/O thread of libzmq waits for that reader at the next event, and
  // blocks all other connections.
  ~ZmqConnection() override {
    if (monitor_) zmq_socket_monitor(socket_.handle(), nullptr, 0);
    if (lost_) socket_.set(zmq::sockopt::linger, 0);  // no peer would receive unsent messages
  }

  void add_to(Poller& poller) override {
    polled_ = poller.add_zmq(socket_.handle());
    if (monitor_) monitor_polled_ = poller.add_zmq(monitor_->handle());
  }

  std::vector<Message> receive() override {
    std::vector<Message> messages;
    zmq::message_t part;
    for (std::size_t frames = 0; frames < frames_at_once_max; ++frames) {
      if (!receive_part(socket_, part)) break;
      take(part.to_string_view(), messages);
      // Programs of ours send one part; further parts are dropped.
      while (part.more()) CHECK(receive_part(socket_, part));
    }
    return messages;
  }

  // Sends the messages. Without a connection the frames wait for one; beyond the queue's bound they
  // are dropped.
  void send(const std::vector<Message>& messages) override {
    for (const auto& frame : encode_frames(messages, version_)) send_part(socket_, frame, false);
  }

  // Reads the events of libzmq's monitor. It is set up only for events that mean a loss, so any
  // event is one.
  bool is_lost() override {
    zmq::message_t part;
    while (monitor_ && receive_part(*monitor_, part)) lost_ = true;
    return lost_;
  }

  void drop_unsent_at_close() override { socket_.set(zmq::sockopt::linger, 0); }

 private:
  void take(std::string_view frame, std::vector<Message>& messages) {
    auto decoded = decode_frame(frame);
    if (decoded) {
      version_ = decoded->version;
      for (auto& message : decoded->messages) messages.push_back(std::move(message));
    } else if (!complained_) {
      complained_ = true;
      log_warning("dropped a frame of the peer: " + decoded.refusal().fact);
      // The peer could not read an answer either.
      messages.emplace_back(Rejected{decoded.refusal()});
    }
  }

  void watch_loss() {
    static std::int64_t count = 0;
    const std::string place = "inproc://loss-" + std::to_string(++count);
    const int rc =
        zmq_socket_monitor(socket_.handle(), place.c_str(),
                           ZMQ_EVENT_DISCONNECTED | ZMQ_EVENT_CLOSED | ZMQ_EVENT_CONNECT_RETRIED);
    if (rc != 0) throw zmq::error_t();
    monitor_.emplace(context_->zmq, zmq::socket_type::pair);
    monitor_->set(zmq::sockopt::linger, 0);
    monitor_->connect(place);
  }

  std::shared_ptr<LinkContext> context_;
  zmq::socket_t socket_;
  std::optional<zmq::socket_t> monitor_;
  std::shared_ptr<void> polled_;
  std::shared_ptr<void> monitor_polled_;
  // Protocol version of the peer; the oldest one until the peer's first frame.
  int version_ = protocol_version_before;
  bool lost_ = false;
  bool complained_ = false;
};

Result<std::unique_ptr<Connection>> open_one(const Connection::Options& options) {
  const auto transport = transport_of(options.endpoint);
  if (!transport) return transport.refusal();
  if (*transport == Transport::Tcp) {
    if (!is_curve_key(options.server_key)) {
      return Refusal{options.endpoint + " needs the public key of the peer, 40 characters",
                     "set controller_key to the KEY of the line 'public KEY' in its .pub file"};
    }
    if (!is_curve_key(options.key.public_key) || !is_curve_key(options.key.secret_key)) {
      return Refusal{options.endpoint + " needs a key of our own", "set key_file to a .key file"};
    }
  }
  try {
    return std::unique_ptr<Connection>(std::make_unique<ZmqConnection>(options, *transport));
  } catch (const zmq::error_t& error) {
    return Refusal{"cannot connect to " + options.endpoint + ": " + error.what(), ""};
  }
}

}  // namespace

std::shared_ptr<LinkContext> make_link_context() {
  return std::make_shared<LinkContext>();
}

Result<std::unique_ptr<Connection>> Connection::open(const Options& options) {
  const std::vector<std::string> endpoints = endpoints_of(options.endpoint);
  if (endpoints.size() < 2) return open_one(options);
  std::vector<std::unique_ptr<Connection>> controllers;
  Options each = options;
  if (!each.context) each.context = make_link_context();
  for (const std::string& endpoint : endpoints) {
    each.endpoint = endpoint;
    auto opened = open_one(each);
    if (!opened) return opened.refusal();
    controllers.push_back(std::move(*opened));
  }
  return follow_leader(std::move(controllers));
}

}  // namespace cox
