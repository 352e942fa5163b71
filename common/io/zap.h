// Who may connect over tcp (ZeroMQ's authentication protocol, RFC 27): the handshakes of a context
// wait until this answers them, so it is polled and served before any other socket. The Handshake
// becomes the User-Id of all frames of its connection. For Listener alone.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>
#include <zmq.hpp>

#include "common/io/key_folder.h"

namespace cox {

// What a peer has proven in its handshake.
struct Handshake {
  std::string key_name;  // of the key's file
  std::string key;       // Z85
  std::uint64_t number = 0;

  std::string user_id() const;
  static std::optional<Handshake> from_user_id(const std::string& text);
};

class ZapHandler {
 public:
  // `next_number` gives each handshake its number.
  ZapHandler(zmq::context_t& context, KeyFolder& keys, std::function<std::uint64_t()> next_number);
  void answer_all();  // the handshakes that wait
  void* socket() { return socket_.handle(); }
  std::int64_t refused_count() const { return refused_count_; }

 private:
  void answer(const std::vector<std::string>& request);
  std::optional<Handshake> judge(const std::vector<std::string>& request);

  zmq::socket_t socket_;
  KeyFolder& keys_;
  std::function<std::uint64_t()> next_number_;
  std::int64_t refused_count_ = 0;
  std::chrono::steady_clock::time_point logged_at_{};
};

}  // namespace cox
