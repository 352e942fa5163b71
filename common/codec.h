// The one codec. A frame is a version byte and a msgpack array of messages, each an array of its
// tag and its fields in order; missing trailing fields keep their defaults and unknown trailing
// ones are passed over, so that fields can be added. Everything is bounded before anything is
// allocated: frame size, depth, all declared counts together against the bytes there are, and what
// they would take in memory (limits.h).
//
// Files on disk (a supervisor's specification and status) are frames too.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/messages.h"
#include "common/result.h"

namespace cox {

// REQUIRES: the result stays below limits::frame_bytes_max; encode_frames splits for you.
std::string encode(const std::vector<Message>& messages);
std::string encode(const Message& message);

// As few frames as the limit allows, in order. A reply too large for any frame becomes a refusal
// that says so. Any other message of that size is a bug (CHECK): its parts were bounded when they
// came in.
std::vector<std::string> encode_frames(const std::vector<Message>& messages);

Result<std::vector<Message>> decode(std::string_view frame);

// Plain values for files and for hashing: LaunchSpec and AttemptStatus of the supervisor's folder.
std::string encode_launch(const LaunchSpec& launch);
Result<LaunchSpec> decode_launch(std::string_view bytes);
std::string encode_status(const AttemptStatus& status);
Result<AttemptStatus> decode_status(std::string_view bytes);

}  // namespace cox
