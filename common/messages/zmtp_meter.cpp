#include "common/messages/zmtp_meter.h"

#include <algorithm>

#include "common/base/limits.h"

namespace cox {
namespace {

constexpr std::size_t greeting_bytes = 64;
constexpr std::size_t version_at = 10;  // place of the major version in the greeting
constexpr std::uint8_t version_min = 3;
constexpr std::uint8_t signature = 0xff;  // first byte of the greeting
constexpr std::uint8_t long_flag = 0x02;  // this flag: the length has 8 bytes instead of 1
constexpr std::size_t long_length_bytes = 8;
constexpr std::int64_t refused = -1;

}  // namespace

bool ZmtpMeter::read_greeting(char byte) {
  const auto value = static_cast<std::uint8_t>(byte);
  const std::size_t at = greeting_read_++;
  if (at == 0) return value == signature;
  return at != version_at || value >= version_min;
}

// Reads one byte of a frame's header: first the flags, then the bytes of the length, the most
// significant first.
void ZmtpMeter::read_header(std::uint8_t byte) {
  if (length_bytes_left_ == 0) {
    length_bytes_left_ = (byte & long_flag) != 0 ? long_length_bytes : 1;
    length_ = 0;
    return;
  }
  length_ = length_ << 8 | byte;
  header_ends_ = --length_bytes_left_ == 0;
}

std::int64_t ZmtpMeter::read(std::string_view bytes, std::uint64_t frame_bytes_max) {
  std::int64_t growth = 0;
  while (!bytes.empty()) {
    if (body_left_ > 0) {
      const std::size_t skipped = std::min<std::uint64_t>(body_left_, bytes.size());
      body_left_ -= skipped;
      bytes.remove_prefix(skipped);
      continue;
    }
    const char byte = bytes.front();
    bytes.remove_prefix(1);
    if (greeting_read_ < greeting_bytes) {
      if (!read_greeting(byte)) return refused;
      continue;
    }
    read_header(static_cast<std::uint8_t>(byte));
    if (!header_ends_) continue;
    header_ends_ = false;
    if (length_ > frame_bytes_max) return refused;
    body_left_ = length_;
    growth += static_cast<std::int64_t>(length_) + limits::frame_overhead_bytes;
  }
  return growth;
}

}  // namespace cox
