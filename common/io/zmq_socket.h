// Code that Listener and Connection share: socket options, and sending and receiving parts of
// messages. Only the .cpp files of the link (link.h) use it.
#pragma once

#include <string_view>
#include <zmq.hpp>

#include "common/io/endpoint.h"

namespace cox {

class LinkContext {
 public:
  zmq::context_t zmq{1};  // with one thread
};

// Sets all limits of a socket: sizes, queues, times. Call it before bind or connect.
void set_bounds(zmq::socket_t& socket, Transport transport);

// These never wait. They return false if no part has arrived, or if the part was not accepted for
// sending.
bool receive_part(zmq::socket_t& socket, zmq::message_t& part);
bool send_part(zmq::socket_t& socket, std::string_view bytes, bool more_follow);

}  // namespace cox
