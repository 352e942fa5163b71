// Tests golden frames: one frame of every message as programs of each protocol version write it,
// kept in files. The kept frames of the previous version never change, since its programs still
// send them and must be able to read ours.
#include <cxxabi.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <memory>
#include <msgpack.hpp>
#include <typeinfo>

#include "common/messages/codec.h"
#include "common/messages/protocol.h"
#include "tests/common/filled.h"

namespace cox::test {
namespace {

template <class T>
std::string type_name() {
  const std::unique_ptr<char, decltype(&std::free)> name(
      abi::__cxa_demangle(typeid(T).name(), nullptr, nullptr, nullptr), &std::free);
  return std::string(name.get()).substr(std::string("cox::").size());
}

// By message, such as "Heartbeat" or "Request ListJobs".
using Frames = std::map<std::string, std::string>;
using Messages = std::map<std::string, Message>;

template <class Whole, class... Body>
void add_bodies(std::variant<Body...>*, Messages& all) {
  const auto add = [&]<class One>(One*) {
    Whole whole = filled<Whole>();
    whole.body = filled<One>();
    all.emplace(type_name<Whole>() + " " + type_name<One>(), std::move(whole));
  };
  (add(static_cast<Body*>(nullptr)), ...);
}

template <class... Kind>
Messages every_message(std::variant<Kind...>*) {
  Messages all;
  const auto add = [&]<class One>(One*) {
    if constexpr (requires(One one) { one.body; })
      add_bodies<One>(static_cast<decltype(One::body)*>(nullptr), all);
    else
      all.emplace(type_name<One>(), filled<One>());
  };
  (add(static_cast<Kind*>(nullptr)), ...);
  return all;
}

std::string hex(const std::string& bytes) {
  std::string text;
  for (const unsigned char byte : bytes) {
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

// Returns every message as a frame that this program writes.
Frames written_now() {
  Frames all;
  for (const auto& [name, message] : every_message(static_cast<Message*>(nullptr)))
    all[name] = hex(encode(message));
  all["file LaunchSpec"] = hex(encode_launch(filled<LaunchSpec>()));
  all["file AttemptStatus"] = hex(encode_status(filled<AttemptStatus>()));
  return all;
}

Frames golden(int version) {
  std::ifstream file("tests/common/golden/version_" + std::to_string(version));
  EXPECT_TRUE(file);
  Frames frames;
  for (std::string line; std::getline(file, line);) {
    const std::size_t space = line.rfind(' ');
    frames[line.substr(0, space)] = line.substr(space + 1);
  }
  return frames;
}

std::string bytes_of(const std::string& hex) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
    bytes += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  return bytes;
}

// Returns whether a program that knows the frame `old` reads `now` as the same message: arrays may
// only have grown at their ends, and all other values are equal. Two exceptions hold for enum
// values that are newer than `old`: they are written as 0, or, in a request (`is_request`), as
// themselves, which is larger than the old value and at most 99.
bool reads_as(const msgpack::object& old, const msgpack::object& now, bool is_request) {
  using msgpack::type::ARRAY;
  constexpr std::uint64_t enum_values_max = 100;
  if (old.type == msgpack::type::POSITIVE_INTEGER && now.type == old.type)
    return now.via.u64 == old.via.u64 || now.via.u64 == 0 ||
           (is_request && old.via.u64 < now.via.u64 && now.via.u64 < enum_values_max);
  if (old.type != ARRAY || now.type != ARRAY) return old == now;
  if (now.via.array.size < old.via.array.size) return false;
  for (std::uint32_t i = 0; i < old.via.array.size; ++i)
    if (!reads_as(old.via.array.ptr[i], now.via.array.ptr[i], is_request)) return false;
  return true;
}

::testing::AssertionResult reads_as(const std::string& old, const std::string& now,
                                    bool is_request = false) {
  if (old.empty() || now.empty()) return ::testing::AssertionFailure() << "there is no frame";
  const auto open = [](const std::string& frame) {
    return msgpack::unpack(frame.data() + 1, frame.size() - 1);
  };
  const auto before = open(old);
  const auto after = open(now);
  // The version of `now` (its first byte) must not be newer than that of `old`.
  if (now[0] <= old[0] && reads_as(before.get(), after.get(), is_request))
    return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << hex(now) << "\nis not read as\n" << hex(old);
}

// Decodes the frame and encodes it for a peer of that version; returns "" if it cannot be read.
std::string encoded_again(const std::string& frame, int version) {
  const auto decoded = decode_frame(frame);
  EXPECT_TRUE(decoded.ok()) << decoded.refusal().fact;
  if (!decoded) return "";
  EXPECT_EQ(decoded->version, version);
  const auto frames = encode_frames(decoded->messages, version);
  return frames.size() == 1 ? frames.front() : "";
}

TEST(Golden, FramesOfThePreviousVersionAreReadAndAnsweredInThatVersion) {
  const Messages now = every_message(static_cast<Message*>(nullptr));
  for (const auto& [name, kept] : golden(protocol_version_before)) {
    SCOPED_TRACE(name);
    const std::string frame = bytes_of(kept);
    if (name == "file LaunchSpec") {
      EXPECT_TRUE(reads_as(frame, encode_launch(decode_launch(frame).value())));
      EXPECT_TRUE(reads_as(frame, encode_launch(filled<LaunchSpec>())));
    } else if (name == "file AttemptStatus") {
      EXPECT_TRUE(reads_as(frame, encode_status(decode_status(frame).value())));
      EXPECT_TRUE(reads_as(frame, encode_status(filled<AttemptStatus>())));
    } else {
      ASSERT_TRUE(now.contains(name)) << "a message must never be removed";
      const bool is_request = name.starts_with("Request ");
      EXPECT_TRUE(reads_as(frame, encoded_again(frame, protocol_version_before), is_request));
      const auto fresh = encode_frames({now.at(name)}, protocol_version_before);
      ASSERT_EQ(fresh.size(), 1u) << "the previous version has this message";
      EXPECT_TRUE(reads_as(frame, fresh.front(), is_request));
    }
  }
}

TEST(Golden, AMessageThatThePreviousVersionLacksStatesThisVersion) {
  const Frames known = golden(protocol_version_before);
  for (const auto& [name, message] : every_message(static_cast<Message*>(nullptr)))
    EXPECT_EQ(since_version(message) < protocol_version, known.contains(name))
        << name
        << ": a new message needs `static constexpr int since_version = " << protocol_version
        << "`";
}

// A kept frame changes only when a field is added to its message.
TEST(Golden, FramesOfThisVersionEqualTheRecordedFrames) {
  const Frames now = written_now();
  const Frames kept = golden(protocol_version);
  const std::string path = ::testing::TempDir() + "cox-golden-frames";
  std::ofstream fresh(path);
  for (const auto& [name, frame] : now) fresh << name << " " << frame << "\n";
  const std::string next = "\nWhat is written now is in " + path +
                           ": it becomes tests/common/golden/version_" +
                           std::to_string(protocol_version);
  for (const auto& [name, frame] : kept) {
    ASSERT_TRUE(now.contains(name)) << name << " is gone" << next;
    EXPECT_TRUE(reads_as(bytes_of(frame), bytes_of(now.at(name)))) << name;
  }
  EXPECT_TRUE(kept == now) << next;
}

struct NewQuestion {
  static constexpr int since_version = 3;
};
struct OldQuestion {};
struct Asks {
  std::variant<OldQuestion, NewQuestion> body;
};

TEST(Golden, AMessageNeedsTheVersionThatItsBodyNeeds) {
  EXPECT_EQ(since_version(Asks{OldQuestion{}}), 1);
  EXPECT_EQ(since_version(Asks{NewQuestion{}}), 3);
  EXPECT_EQ(since_version(NewQuestion{}), 3);
}

}  // namespace
}  // namespace cox::test
