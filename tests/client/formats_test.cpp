// What people write for times, sizes, GPUs and signals.
#include <gtest/gtest.h>

#include <csignal>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "client/gres.h"
#include "client/signal_format.h"
#include "client/size_format.h"
#include "client/time_format.h"
#include "common/limits.h"

namespace cox {
namespace {

TEST(TimeFormat, TakesAllOfSlurmsForms) {
  const std::vector<std::pair<std::string, std::int64_t>> table = {
      {"5", 300},
      {"60:00", 3600},
      {"90:30", 5430},
      {"1:00:00", 3600},
      {"0:2:0", 120},
      {"48:00:00", 172800},
      {"1-0", 86400},
      {"1-12", 129600},
      {"2-03:04", 183840},
      {"1-2:3:4", 93784},
      {"0-48:00:00", 172800},
      {"UNLIMITED", 0},
      {"infinite", 0},
      {"-1", 0},
      {"0", 0},
      {"00:00:01", 1},
      {"366-0", limits::time_limit_s_max},
  };
  for (const auto& [text, seconds] : table) {
    const Result<std::int64_t> time = parse_time_limit(text);
    ASSERT_TRUE(time.ok()) << text << ": " << time.refusal().fact;
    EXPECT_EQ(*time, seconds) << text;
  }
}

TEST(TimeFormat, RefusesWhatIsNoTime) {
  for (const char* text :
       {"",          ":",    "-",       "1-",      "-5",         "1:",    ":30", "1:2:3:4",
        "1-2:3:4:5", "5:60", "1:60:00", "1:00:60", "1-99:99:99", "1h",    "1.5", " 5",
        "5 ",        "+5",   "1e3",     "0x10",    "1--2",       "1-2-3", "soon"}) {
    const Result<std::int64_t> time = parse_time_limit(text);
    ASSERT_FALSE(time.ok()) << text;
    EXPECT_NE(time.refusal().fact.find("is not a time"), std::string::npos) << text;
  }
}

TEST(TimeFormat, RefusesWhatIsTooLongWithTheLimit) {
  for (const char* text : {"366-00:00:01", "999999999", "1000000-0"}) {
    const Result<std::int64_t> time = parse_time_limit(text);
    ASSERT_FALSE(time.ok()) << text;
    EXPECT_NE(time.refusal().fact.find("366-00:00:00"), std::string::npos) << time.refusal().fact;
  }
  EXPECT_FALSE(parse_time_limit("99999999999999999999").ok());
  EXPECT_FALSE(parse_time_limit("9223372036854775807-0").ok());
}

TEST(TimeFormat, ReadsBackWhatItWrites) {
  EXPECT_EQ(format_time_limit(0), "UNLIMITED");
  EXPECT_EQ(format_time_limit(59), "00:00:59");
  EXPECT_EQ(format_time_limit(93784), "1-02:03:04");
  const std::uint32_t seed = 11;
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  for (int round = 0; round < 5000; ++round) {
    const std::int64_t bound = round % 2 ? 200'000 : limits::time_limit_s_max;
    const auto seconds = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(bound));
    const Result<std::int64_t> time = parse_time_limit(format_time_limit(seconds));
    ASSERT_TRUE(time.ok()) << seconds;
    ASSERT_EQ(*time, seconds);
  }
}

TEST(SizeFormat, TakesAllOfSlurmsForms) {
  const std::vector<std::pair<std::string, std::int64_t>> table = {
      {"4000", 4000}, {"2G", 2048},   {"100M", 100},   {"4g", 4096},
      {"4GB", 4096},  {"512MB", 512}, {"4GiB", 4096},  {"1K", 1},
      {"1024K", 1},   {"1025k", 2},   {"1T", 1 << 20}, {"1P", 1 << 30},
      {"0", 0},       {"0G", 0},      {"007", 7},      {"1073741824", 1 << 30},
  };
  for (const auto& [text, mb] : table) {
    const Result<std::int64_t> memory = parse_memory_mb(text);
    ASSERT_TRUE(memory.ok()) << text << ": " << memory.refusal().fact;
    EXPECT_EQ(*memory, mb) << text;
  }
}

TEST(SizeFormat, RefusesTheRest) {
  for (const char* text :
       {"", "G", "-1", "1e400", "1.5G", "4 G", "4GG", "4GBB", "4X", "4B", "lots"})
    EXPECT_NE(parse_memory_mb(text).refusal().fact.find("is not a memory size"), std::string::npos)
        << text;
  for (const char* text : {"2P", "1025T", "1073741825", "99999999999999999999", "9999999999999P"})
    EXPECT_NE(parse_memory_mb(text).refusal().fact.find("1073741824 MB"), std::string::npos)
        << text;
}

TEST(SizeFormat, GrowsWithTheNumberAndTheUnit) {
  const std::uint32_t seed = 13;
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  for (int round = 0; round < 2000; ++round) {
    const std::string number = std::to_string(random() % 1000 + 1);
    const std::int64_t kb = *parse_memory_mb(number + "K");
    const std::int64_t mb = *parse_memory_mb(number);
    ASSERT_EQ(mb, *parse_memory_mb(number + "mib")) << number;
    ASSERT_EQ(mb * 1024, *parse_memory_mb(number + "G")) << number;
    ASSERT_TRUE(kb >= 1 && kb <= mb) << number;
  }
}

TEST(Gres, CountsGpusWithAndWithoutAType) {
  EXPECT_EQ(*parse_gres("gpu"), (GpuRequest{"", 1}));
  EXPECT_EQ(*parse_gres("gpu:2"), (GpuRequest{"", 2}));
  EXPECT_EQ(*parse_gres("gpu:h100"), (GpuRequest{"h100", 1}));
  EXPECT_EQ(*parse_gres("gpu:h100:8"), (GpuRequest{"h100", 8}));
  EXPECT_EQ(*parse_gres("none"), (GpuRequest{"", 0}));
  EXPECT_EQ(*parse_gpus("4"), (GpuRequest{"", 4}));
  EXPECT_EQ(*parse_gpus("a100:4"), (GpuRequest{"a100", 4}));
}

TEST(Gres, RefusesOtherThings) {
  for (const char* text : {"", "gpu:", "gpu::2", "gpu:-1", "gpu:65", "gpu:h100:x",
                           "gpu:h100:", "gpu:a:b:2", "gpu:2:2:2", "gpu:a100:1,gpu:h100:1", "fpga:1",
                           "gpus:2", "gpu:99999999999999999999", "gpu:;:1"})
    EXPECT_FALSE(parse_gres(text).ok()) << text;
  for (const char* text : {"", ":", "-1", "65", "h100:", "4:h100:1"})
    EXPECT_FALSE(parse_gpus(text).ok()) << text;
}

TEST(SignalFormat, TakesNamesAndNumbers) {
  EXPECT_EQ(*parse_signal("USR1"), SIGUSR1);
  EXPECT_EQ(*parse_signal("SIGUSR2"), SIGUSR2);
  EXPECT_EQ(*parse_signal("sigterm"), SIGTERM);
  EXPECT_EQ(*parse_signal("10"), 10);
  for (const char* text : {"", "SIG", "0", "65", "-9", "USR3", "1x"})
    EXPECT_FALSE(parse_signal(text).ok()) << text;
  EXPECT_EQ(parse_signal("USER1").refusal().hint, "did you mean USR1?");
}

TEST(SignalFormat, TakesSlurmsRequest) {
  EXPECT_EQ(*parse_signal_request("USR2@90"), (SignalRequest{SIGUSR2, 90, false}));
  EXPECT_EQ(*parse_signal_request("USR1"), (SignalRequest{SIGUSR1, 60, false}));
  EXPECT_EQ(*parse_signal_request("B:USR2@30"), (SignalRequest{SIGUSR2, 30, true}));
  EXPECT_EQ(*parse_signal_request("B:12@65535"), (SignalRequest{12, 65535, true}));
  for (const char* text :
       {"", "@90", "USR1@", "USR1@-1", "USR1@65536", "R:USR1", "B:", "B:B:USR1", "USR1@1@2"})
    EXPECT_FALSE(parse_signal_request(text).ok()) << text;
}

}  // namespace
}  // namespace cox
