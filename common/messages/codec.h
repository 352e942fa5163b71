// The one codec. A frame is a byte, the oldest version of the protocol that can read it, and a
// msgpack array of messages, each an array of its tag and its fields in order; missing trailing
// fields keep their defaults and unknown trailing ones are passed over, so that fields can be
// added. The first message has a third element: the version of who wrote the frame. (Version 1
// wrote none, and passes it over.) Everything is bounded before anything is allocated: frame size,
// depth, all declared counts together against the bytes there are, and what they would take in
// memory (limits.h).
//
// Files on disk (a supervisor's specification and status) are frames too.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "common/messages/messages.h"

namespace cox {

// REQUIRES: the result stays below limits::frame_bytes_max; encode_frames splits for you.
// `version`: of the peer. Values of enums that it does not know are written as their first.
std::string encode(const std::vector<Message>& messages, int version = protocol_version);
std::string encode(const Message& message, int version = protocol_version);

// As few frames as the limit allows, in order. A reply too large for any frame becomes a refusal
// that says so. Any other message of that size is a bug (CHECK): its parts were bounded when they
// came in. Messages that the peer's version does not know are left out; a reply becomes a refusal
// that names both versions, and a request is sent: it is the peer that refuses it so.
std::vector<std::string> encode_frames(const std::vector<Message>& messages,
                                       int version = protocol_version);

struct Frame {
  int version = protocol_version_before;  // of the program that wrote it
  std::vector<Message> messages;
};

// Refused too: what is of a version that we do not understand; the refusal names both.
Result<Frame> decode_frame(std::string_view frame);
Result<std::vector<Message>> decode(std::string_view frame);

// Plain values for files and for hashing: LaunchSpec and AttemptStatus of the supervisor's folder;
// what a job asks for: jobs that ask for something else have other bytes.
std::string encode_spec(const JobSpec& spec);
std::string encode_launch(const LaunchSpec& launch);
Result<LaunchSpec> decode_launch(std::string_view bytes);
std::string encode_status(const AttemptStatus& status);
Result<AttemptStatus> decode_status(std::string_view bytes);

}  // namespace cox
