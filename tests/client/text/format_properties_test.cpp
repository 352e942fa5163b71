// Tests that times, sizes, arrays and numbers of nodes are parsed back from their formatted text,
// and that any other text is refused quickly and with a reason. tests/common/base/hostlist_test.cpp
// does the same for hostlists.
#include <gtest/gtest.h>

#include <ctime>
#include <random>

#include "client/text/size_format.h"
#include "common/base/hostlist.h"
#include "common/base/limits.h"
#include "common/base/time_format.h"
#include "common/syntax/array_tasks.h"
#include "common/syntax/node_range.h"

namespace cox {
namespace {

class FormatProperties : public testing::Test {
 protected:
  FormatProperties() : seed_(std::random_device{}()), random_(seed_) {}

  std::string seed() const { return "seed " + std::to_string(seed_); }
  std::int64_t up_to(std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(0, most)(random_);
  }
  // Returns a random text of characters that occur in the formats, and of some that do not.
  std::string scrap() {
    constexpr std::string_view alphabet = "0123456789-:,%[]KMGTPkm.+ eEx_\x1b\xff";
    std::string text;
    for (std::int64_t i = up_to(18); i > 0; --i)
      text += alphabet[static_cast<std::size_t>(up_to(std::ssize(alphabet) - 1))];
    return text;
  }

 private:
  std::uint32_t seed_;
  std::mt19937_64 random_;
};

TEST_F(FormatProperties, TimesAreParsedBack) {
  SCOPED_TRACE(seed());
  for (int i = 0; i < 2000; ++i) {
    const std::int64_t seconds = up_to(i % 2 == 0 ? 7200 : limits::time_limit_s_max - 1) + 1;
    const std::string text = format_time_limit(seconds);
    const auto read = parse_time_limit(text);
    ASSERT_TRUE(read.ok()) << text;
    ASSERT_EQ(*read, seconds) << text;
  }
}

TEST_F(FormatProperties, TimesMeanTheSameAsInSlurm) {
  SCOPED_TRACE(seed());
  const auto text = [](std::int64_t value) { return std::to_string(value); };
  for (int i = 0; i < 500; ++i) {
    const std::int64_t d = up_to(99), h = up_to(23), m = up_to(59), s = up_to(59) + 1;
    const auto is = [&](const std::string& written, std::int64_t seconds) {
      const auto read = parse_time_limit(written);
      ASSERT_TRUE(read.ok()) << written;
      ASSERT_EQ(*read, seconds) << written;
    };
    is(text(s), s * 60);
    is(text(m + 60) + ":" + text(s % 60), (m + 60) * 60 + s % 60);
    is(text(h + 1) + ":" + text(m) + ":" + text(s % 60), (h + 1) * 3600 + m * 60 + s % 60);
    is(text(d + 1) + "-" + text(h), (d + 1) * 86400 + h * 3600);
    is(text(d + 1) + "-" + text(h) + ":" + text(m), (d + 1) * 86400 + h * 3600 + m * 60);
  }
}

TEST_F(FormatProperties, SizesFollowTheirUnits) {
  SCOPED_TRACE(seed());
  constexpr std::pair<std::string_view, std::int64_t> units[] = {
      {"", 1}, {"M", 1}, {"mb", 1}, {"G", 1024}, {"gB", 1024}, {"T", 1 << 20}};
  for (int i = 0; i < 500; ++i) {
    const std::int64_t count = up_to(1000) + 1;
    for (const auto& [unit, megabytes] : units) {
      const std::string text = std::to_string(count) + std::string(unit);
      const auto read = parse_memory_mb(text);
      ASSERT_TRUE(read.ok()) << text;
      ASSERT_EQ(*read, count * megabytes) << text;
    }
    const auto kilobytes = parse_memory_mb(std::to_string(count) + "K");
    ASSERT_TRUE(kilobytes.ok());
    ASSERT_EQ(*kilobytes, (count + 1023) / 1024);  // a fraction of a MiB counts as a whole MiB
  }
}

TEST_F(FormatProperties, ArraysAreParsedBack) {
  SCOPED_TRACE(seed());
  for (int i = 0; i < 500; ++i) {
    std::vector<std::int64_t> tasks;
    for (std::int64_t left = up_to(30) + 1; left > 0; --left)
      tasks.push_back(up_to(i % 3 == 0 ? 40 : limits::array_task_id_max));
    const ArrayTasks some(tasks);
    const std::string text = format_array_tasks(some);
    const auto read = parse_array_tasks(text);
    ASSERT_TRUE(read.ok()) << text;
    ASSERT_EQ(read->all(), some.all()) << text;
    const std::string limited = text + "%" + std::to_string(up_to(50) + 1);
    const auto wish = parse_array(limited);
    ASSERT_TRUE(wish.ok()) << limited;
    ASSERT_EQ(format_array(*wish), limited);
  }
}

TEST_F(FormatProperties, RandomTextsAreParsedBackOrRefusedWithAReason) {
  SCOPED_TRACE(seed());
  const auto holds = [](const std::string& text, const auto& read, const auto& written) {
    if (!read) {
      EXPECT_FALSE(read.refusal().fact.empty()) << testing::PrintToString(text);
      return;
    }
    written(*read);
  };
  for (int i = 0; i < 20'000; ++i) {
    const std::string text = scrap();
    holds(text, parse_time_limit(text), [&](std::int64_t seconds) {
      ASSERT_LE(seconds, limits::time_limit_s_max) << text;
      if (seconds == 0) return;
      ASSERT_EQ(*parse_time_limit(format_time_limit(seconds)), seconds) << text;
    });
    holds(text, parse_memory_mb(text), [&](std::int64_t megabytes) {
      ASSERT_TRUE(megabytes >= 0 && megabytes <= limits::memory_mb_per_node_max) << text;
    });
    holds(text, parse_array_tasks(text), [&](const ArrayTasks& tasks) {
      ASSERT_LE(tasks.count(), limits::array_tasks_max) << text;
      ASSERT_EQ(parse_array_tasks(format_array_tasks(tasks))->count(), tasks.count()) << text;
    });
    holds(text, parse_node_range(text), [&](const NodeRange& range) {
      const auto again = parse_node_range(format_node_range(range));
      ASSERT_TRUE(again.ok()) << text;
      ASSERT_EQ(format_node_range(*again), format_node_range(range)) << text;
    });
  }
}

// All texts are refused within a second of CPU time: no parser allocates memory in proportion to a
// number in the text before it has checked that number.
TEST(HostileFormats, MalformedTimesSizesArraysAndHostlistsTakeLessThanASecondOfCpuTime) {
  const std::clock_t began = std::clock();
  for (const char* text : {"1-99:99:99", "99999999999", "99999999999999999999999", "1e9", "0x10",
                           "1:2:3:4", "1--2", ""})
    EXPECT_FALSE(parse_time_limit(text).ok()) << text;
  for (const char* text : {"1e400", "99999999999999999999", "-1", "1.5G", "G", "4GG", "16E", ""})
    EXPECT_FALSE(parse_memory_mb(text).ok()) << text;
  for (const char* text :
       {"0-4000000000", "0-9:0", "9-1", "1-", "-3", "0-4000000", "1,,2", "a", "%", "0-9%0", ""})
    EXPECT_FALSE(parse_array(text).ok()) << text;
  for (const char* text : {"n[1-999999999]", "n[0-99999][0-99999]", "n[1-", "n[2-1]", "n[[[1]]"})
    EXPECT_FALSE(expand_hostlist(text).ok()) << text;
  for (const char* text : {"99999999999", "3-1", "--1", "1-2-3", ""})
    EXPECT_FALSE(parse_node_range(text).ok()) << text;
  EXPECT_LT(std::clock() - began, CLOCKS_PER_SEC);
}

}  // namespace
}  // namespace cox
