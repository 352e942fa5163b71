// What Listener and Connection share: how a socket of ours is set up, and how its parts are
// received and sent. For the .cpp files of the link alone.
#pragma once

#include <string_view>
#include <zmq.hpp>

#include "common/io/endpoint.h"

namespace cox {

class LinkContext {
 public:
  zmq::context_t zmq{1};  // so many threads
};

// Every bound of a socket: sizes, queues, times. To be called before bind or connect.
void set_bounds(zmq::socket_t& socket, Transport transport);

// Never wait. False: nothing was ready; the part was not taken.
bool receive_part(zmq::socket_t& socket, zmq::message_t& part);
bool send_part(zmq::socket_t& socket, std::string_view bytes, bool more_follow);

}  // namespace cox
