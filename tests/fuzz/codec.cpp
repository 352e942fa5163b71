// Fuzz target for frames from peers and files on disk. Checks that what is decoded can be encoded
// and decoded again without a change.
#include "common/messages/codec.h"

#include "common/base/limits.h"
#include "tests/fuzz/target.h"

namespace cox {
namespace {

void check_messages(std::string_view frame) {
  const auto messages = decode(frame);
  if (!messages) return fuzz::check_refusal(messages.refusal());
  CHECK(messages->size() <= limits::frame_messages_max);
  const std::string bytes = encode(*messages);
  // A frame of an older peer may lack fields. Their defaults are encoded, so the new frame may be
  // too large to be decoded.
  if (bytes.size() > limits::frame_bytes_max) return;
  const auto again = decode(bytes);
  CHECK(again && again->size() == messages->size());
  CHECK(encode(*again) == bytes);
}

}  // namespace

FUZZ_TARGET(codec) {
  check_messages(input);
  if (const auto launch = decode_launch(input)) {
    const auto again = decode_launch(encode_launch(*launch));
    CHECK(again && *again == *launch);
  }
  if (const auto status = decode_status(input)) {
    const auto again = decode_status(encode_status(*status));
    CHECK(again && *again == *status);
  }
}

}  // namespace cox
