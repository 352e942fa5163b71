// The supervisor's Unix socket: frames of the codec behind a 4-byte little-endian length. Passive:
// its owner polls the descriptor and says when to read and to write. Nothing here blocks.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/messages/messages.h"
#include "worker/supervisor/io/files/descriptor.h"

namespace cox {

class FrameStream {
 public:
  static constexpr std::size_t unsent_bytes_max = 4u << 20;

  // `peer_version`: the protocol version of the peer, until its first frame shows it.
  FrameStream(Descriptor socket, std::size_t frame_bytes_max,
              int peer_version = protocol_version_before);

  int fd() const { return socket_.get(); }
  bool wants_write() const { return !unsent_.empty(); }
  // False: the peer is gone, or spoke what is no frame. What came before is in `messages`.
  bool read(std::vector<Message>& messages);
  // False: the peer is gone, or takes nothing any more.
  bool send(const Message& message);
  bool flush();
  uid_t peer_uid() const;  // from the kernel
  void allow_frames(std::size_t bytes_max) { frame_bytes_max_ = bytes_max; }

 private:
  bool take_frames(std::vector<Message>& messages);

  Descriptor socket_;
  std::size_t frame_bytes_max_;
  int version_;  // of the peer's protocol
  std::string received_;
  std::string unsent_;
};

// Paths may be longer than a socket address, so both go through the folder's descriptor.
Result<Descriptor> listen_in(const std::string& folder, const std::string& name);
Result<Descriptor> connect_in(const std::string& folder, const std::string& name);

}  // namespace cox
