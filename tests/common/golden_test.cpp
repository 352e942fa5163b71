// Golden frames: what programs of each version write, kept as files. Those of the version before
// are never changed: that is what its programs go on to say, and what they must be able to read.
#include <cxxabi.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <memory>
#include <typeinfo>

#include "common/codec.h"
#include "tests/common/filled.h"

namespace cox::test {
namespace {

template <class T>
std::string type_name() {
  const std::unique_ptr<char, decltype(&std::free)> name(
      abi::__cxa_demangle(typeid(T).name(), nullptr, nullptr, nullptr), &std::free);
  return std::string(name.get()).substr(std::string("cox::").size());
}

using Frames = std::map<std::string, std::string>;  // by "Heartbeat", "Request ListJobs"
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

// What this program writes, of everything there is.
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

TEST(Golden, FramesOfThisVersionAreAsTheyWere) {
  const Frames now = written_now();
  const Frames kept = golden(protocol_version);
  EXPECT_EQ(kept.size(), now.size());
  for (const auto& [name, frame] : now) {
    const auto it = kept.find(name);
    EXPECT_EQ(it == kept.end() ? "no such line" : it->second, frame) << name;
  }
}

}  // namespace
}  // namespace cox::test
