// Measures how much memory the frames of one connection take in libzmq, from the bytes that arrive
// on it (ZMTP 3, RFC 23). Frame headers are readable on encrypted connections too. A frame counts
// as soon as its header announces it, because libzmq then allocates all of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace cox {

class ZmtpMeter {
 public:
  // Returns by how many bytes libzmq's memory grows when it reads these bytes. Each frame counts
  // with its announced length plus limits::frame_overhead_bytes. Returns a negative number if the
  // bytes are not ZMTP 3 or later, or announce a frame of more than `frame_bytes_max` bytes.
  std::int64_t read(std::string_view bytes, std::uint64_t frame_bytes_max);

 private:
  bool read_greeting(char byte);
  void read_header(std::uint8_t byte);

  std::size_t greeting_read_ = 0;
  std::size_t length_bytes_left_ = 0;  // bytes of the length that are still to come in a header
  std::uint64_t length_ = 0;
  std::uint64_t body_left_ = 0;
  bool header_ends_ = false;
};

}  // namespace cox
