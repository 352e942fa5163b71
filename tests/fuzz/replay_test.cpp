// Runs every fuzz target with all its kept inputs: the first inputs of the fuzzing, and those that
// once found a fault. Each target runs in a child process, so that a crash fails only this target.
// The last input in the child's output is the one that failed.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>

#include "common/messages/codec.h"
#include "tests/fuzz/every_message.h"
#include "tests/fuzz/target.h"

namespace cox::fuzz {
namespace {

namespace fs = std::filesystem;
const fs::path corpus = "tests/fuzz/corpus";

std::vector<fs::path> inputs_of(const std::string& target) {
  std::vector<fs::path> files;
  std::error_code absent;
  for (const auto& entry : fs::directory_iterator(corpus / target, absent))
    files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

std::string bytes_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

[[noreturn]] void replay(const std::string& target) {
  for (const fs::path& path : inputs_of(target)) {
    std::cerr << path.string() << std::endl;
    targets().at(target)(bytes_of(path));
  }
  std::exit(EXIT_SUCCESS);
}

class Replay : public testing::TestWithParam<std::string> {};

TEST_P(Replay, EachFuzzTargetRunsAllItsKeptInputsWithoutACrash) {
  ASSERT_FALSE(inputs_of(GetParam()).empty())
      << (corpus / GetParam()).string() << " has no input: put a few small ones there";
  EXPECT_EXIT(replay(GetParam()), testing::ExitedWithCode(EXIT_SUCCESS), "");
}

std::vector<std::string> target_names() {
  std::vector<std::string> names;
  for (const auto& [name, target] : targets()) names.push_back(name);
  return names;
}

// The targets register themselves before main(), so their names are known here.
INSTANTIATE_TEST_SUITE_P(Fuzz, Replay, testing::ValuesIn(target_names()),
                         [](const auto& info) { return info.param; });

TEST(Fuzz, EachFolderOfKeptInputsBelongsToAFuzzTarget) {
  for (const auto& entry : fs::directory_iterator(corpus))
    EXPECT_EQ(targets().count(entry.path().filename()), 1u) << entry.path();
}

TEST(Fuzz, EveryKindOfMessageIsDecodedAsItWasEncoded) {
  const auto messages = every_message();
  EXPECT_GT(messages.size(), std::variant_size_v<Message>);
  for (const Message& message : messages) {
    const std::string bytes = encode(message);
    const auto again = decode(bytes);
    ASSERT_TRUE(again) << "of Message number " << message.index();
    EXPECT_EQ(encode(*again), bytes) << "of Message number " << message.index();
    targets().at("codec")(bytes);
  }
}

}  // namespace
}  // namespace cox::fuzz
