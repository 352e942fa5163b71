// Turns messages into frames and back. A frame is one byte, the oldest protocol version that can
// read it, and a msgpack array of messages. Each message is an array of its tag and its fields in
// order. Fields may be added at the end: if they are missing they keep their defaults, and unknown
// ones are ignored. The array of the first message has a third element, the protocol version of the
// sender. (Version 1 writes none, and ignores it.) Before memory is allocated, these are checked:
// the frame's size, its depth, the sum of all announced counts, and the memory that they would need
// (limits.h).
//
// Some files have the form of a frame too: a supervisor's launch specification and its status.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "common/messages/messages.h"

namespace cox {

// Encodes one frame for a peer of protocol version `version`: enum values that it does not know are
// written as the first value. REQUIRES: the result is below limits::frame_bytes_max;
// encode_frames() splits messages if necessary.
std::string encode(const std::vector<Message>& messages, int version = protocol_version);
std::string encode(const Message& message, int version = protocol_version);

// Encodes the messages, in order, in as few frames as the limit allows. A reply that is too large
// for a frame becomes a refusal with the reason. Any other message of that size is a bug (CHECK),
// because its parts were bounded when they arrived. Messages that the peer's version does not know
// are left out; a reply of that kind becomes a refusal that names both versions; a request is sent
// nevertheless, so that the peer refuses it with the reason.
std::vector<std::string> encode_frames(const std::vector<Message>& messages,
                                       int version = protocol_version);

struct Frame {
  int version = protocol_version_before;  // protocol version of the program that sent the frame
  std::vector<Message> messages;
};

// Decodes a frame. Refuses invalid bytes, and a protocol version that this program cannot read;
// such a refusal names both versions.
Result<Frame> decode_frame(std::string_view frame);
Result<std::vector<Message>> decode(std::string_view frame);

// These encode single values: LaunchSpec and AttemptStatus for files in the supervisor's folder,
// JobSpec for hashing (different requests have different bytes).
std::string encode_spec(const JobSpec& spec);
std::string encode_launch(const LaunchSpec& launch);
Result<LaunchSpec> decode_launch(std::string_view bytes);
std::string encode_status(const AttemptStatus& status);
Result<AttemptStatus> decode_status(std::string_view bytes);

}  // namespace cox
