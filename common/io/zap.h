// Who may connect over tcp (ZeroMQ's authentication protocol, RFC 27): the handshakes of a context
// wait until this answers them, so it is polled and served before any other socket. The name under
// which a key is known becomes the User-Id of all frames of its connection. For Listener alone.
#pragma once

#include <cstdint>
#include <vector>
#include <zmq.hpp>

#include "common/io/key_folder.h"

namespace cox {

class ZapHandler {
 public:
  ZapHandler(zmq::context_t& context, KeyFolder keys);
  void answer_all();  // the handshakes that wait
  void* socket() { return socket_.handle(); }
  std::int64_t refused_count() const { return refused_count_; }

 private:
  void answer(const std::vector<std::string>& request);
  std::optional<std::string> judge(const std::vector<std::string>& request);

  zmq::socket_t socket_;
  KeyFolder keys_;
  std::int64_t refused_count_ = 0;
  std::chrono::steady_clock::time_point logged_at_{};
};

}  // namespace cox
