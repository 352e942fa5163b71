// Decides which tcp peers may connect (ZeroMQ's authentication protocol ZAP, RFC 27). All
// handshakes of a libzmq context wait for its answers, so a listener serves it before any other
// socket. The result, a Handshake, becomes the User-Id of all frames of the connection. Only
// Listener uses it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>
#include <zmq.hpp>

#include "common/io/key_folder.h"

namespace cox {

// What a peer has proven in its handshake: that it has the secret of a key in the key folder.
struct Handshake {
  std::string key_name;  // name of the key's file, without ".pub"
  std::string key;       // Z85
  std::uint64_t number = 0;

  std::string user_id() const;
  static std::optional<Handshake> from_user_id(const std::string& text);
};

class ZapHandler {
 public:
  // `next_number` returns a number that is larger than all before; each handshake gets one.
  ZapHandler(zmq::context_t& context, KeyFolder& keys, std::function<std::uint64_t()> next_number);
  void answer_all();  // answers all handshakes that wait
  void* socket() { return socket_.handle(); }
  std::int64_t refused_count() const { return refused_count_; }

 private:
  void answer(const std::vector<std::string>& request);
  std::optional<Handshake> authenticate(const std::vector<std::string>& request);

  zmq::socket_t socket_;
  KeyFolder& keys_;
  std::function<std::uint64_t()> next_number_;
  std::int64_t refused_count_ = 0;
  std::chrono::steady_clock::time_point logged_at_{};
};

}  // namespace cox
