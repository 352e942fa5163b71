#include "common/io/zmq_socket.h"

#include <cerrno>

#include "common/base/check.h"
#include "common/base/limits.h"

namespace cox {
namespace {

// How much longer than its contents an encrypted frame may be. libzmq limits the frame, the codec
// the contents.
constexpr std::int64_t encryption_bytes_max = 256;
// Frames that wait for one peer; further ones are dropped, since the protocol repeats messages.
constexpr int send_queue_frames_max = 1000;
// Unread frames of one peer, after which its connection is not read.
constexpr int receive_queue_frames_max = 64;
constexpr int linger_ms = 500;  // how long a closed socket still sends its last messages
constexpr int handshake_ms_max = 5'000;
constexpr int heartbeat_interval_ms = 5'000;  // so that a TCP peer that died silently is detected
constexpr int heartbeat_timeout_ms = 15'000;
// Accept queue; a whole cluster may reconnect at once.
constexpr int connections_waiting_max = 1'024;
constexpr int reconnect_ms = 100;
constexpr int reconnect_ms_max = 2'000;

}  // namespace

void set_bounds(zmq::socket_t& socket, Transport transport) {
  socket.set(zmq::sockopt::maxmsgsize,
             static_cast<std::int64_t>(limits::frame_bytes_max) + encryption_bytes_max);
  socket.set(zmq::sockopt::sndhwm, send_queue_frames_max);
  socket.set(zmq::sockopt::rcvhwm, receive_queue_frames_max);
  socket.set(zmq::sockopt::linger, linger_ms);
  socket.set(zmq::sockopt::handshake_ivl, handshake_ms_max);
  socket.set(zmq::sockopt::backlog, connections_waiting_max);
  socket.set(zmq::sockopt::reconnect_ivl, reconnect_ms);
  socket.set(zmq::sockopt::reconnect_ivl_max, reconnect_ms_max);
  if (transport == Transport::Local) return;
  socket.set(zmq::sockopt::ipv6, false);
  socket.set(zmq::sockopt::heartbeat_ivl, heartbeat_interval_ms);
  socket.set(zmq::sockopt::heartbeat_timeout, heartbeat_timeout_ms);
}

bool receive_part(zmq::socket_t& socket, zmq::message_t& part) {
  part.rebuild();
  while (zmq_msg_recv(part.handle(), socket.handle(), ZMQ_DONTWAIT) < 0) {
    if (zmq_errno() == EINTR) continue;
    CHECK(zmq_errno() == EAGAIN);
    return false;
  }
  return true;
}

bool send_part(zmq::socket_t& socket, std::string_view bytes, bool more_follow) {
  const int flags = ZMQ_DONTWAIT | (more_follow ? ZMQ_SNDMORE : 0);
  while (zmq_send(socket.handle(), bytes.data(), bytes.size(), flags) < 0) {
    if (zmq_errno() == EINTR) continue;
    CHECK(zmq_errno() == EAGAIN || zmq_errno() == EHOSTUNREACH);
    return false;
  }
  return true;
}

}  // namespace cox
