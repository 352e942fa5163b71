// A stream of messages over the supervisor's Unix socket: frames of the codec, each after its
// length in 4 bytes (little-endian). Nothing here blocks: its owner polls the descriptor and calls
// read() and flush().
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

  // `peer_version`: the protocol version that is assumed for the peer until its first frame shows
  // it.
  FrameStream(Descriptor socket, std::size_t frame_bytes_max,
              int peer_version = protocol_version_before);

  int fd() const { return socket_.get(); }
  bool wants_write() const { return !unsent_.empty(); }
  // Appends received messages to `messages`. False: the peer is gone, or sent an invalid frame.
  bool read(std::vector<Message>& messages);
  // send() queues a message, and both write what the socket takes. False: the peer is gone, or has
  // stopped reading.
  bool send(const Message& message);
  bool flush();
  uid_t peer_uid() const;  // user of the peer, from the kernel; -1: unknown
  void allow_frames(std::size_t bytes_max) { frame_bytes_max_ = bytes_max; }

 private:
  bool take_frames(std::vector<Message>& messages);

  Descriptor socket_;
  std::size_t frame_bytes_max_;
  int version_;  // protocol version of the peer
  std::string received_;
  std::string unsent_;
};

// Both open the socket `name` in a folder. The path may be longer than a socket address allows, so
// they address the socket through the folder's descriptor.
Result<Descriptor> listen_in(const std::string& folder, const std::string& name);
Result<Descriptor> connect_in(const std::string& folder, const std::string& name);

}  // namespace cox
