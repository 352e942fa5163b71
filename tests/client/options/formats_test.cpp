// Tests how sizes and signals are parsed.
#include <gtest/gtest.h>

#include <csignal>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "client/options/signal_format.h"
#include "client/text/size_format.h"
#include "common/base/limits.h"

namespace cox {
namespace {

TEST(SizeFormat, AcceptsAllFormsOfSlurm) {
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

TEST(SizeFormat, RefusesAllOtherForms) {
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

TEST(SignalFormat, AcceptsNamesAndNumbers) {
  EXPECT_EQ(*parse_signal("USR1"), SIGUSR1);
  EXPECT_EQ(*parse_signal("SIGUSR2"), SIGUSR2);
  EXPECT_EQ(*parse_signal("sigterm"), SIGTERM);
  EXPECT_EQ(*parse_signal("10"), 10);
  for (const char* text : {"", "SIG", "0", "65", "-9", "USR3", "1x"})
    EXPECT_FALSE(parse_signal(text).ok()) << text;
  EXPECT_EQ(parse_signal("USER1").refusal().hint, "did you mean USR1?");
}

TEST(SignalFormat, AcceptsRequestsForASignalAsSlurmDoes) {
  EXPECT_EQ(*parse_signal_request("USR2@90"), (SignalRequest{SIGUSR2, 90, false}));
  EXPECT_EQ(*parse_signal_request("USR1"), (SignalRequest{SIGUSR1, 60, false}));
  EXPECT_EQ(*parse_signal_request("B:USR2@30"), (SignalRequest{SIGUSR2, 30, true}));
  EXPECT_EQ(*parse_signal_request("B:12@65535"), (SignalRequest{12, 65535, true}));
  EXPECT_EQ(*parse_signal_request("R:USR1@9"), (SignalRequest{SIGUSR1, 9, false}));
  EXPECT_EQ(*parse_signal_request("RB:USR1@9"), (SignalRequest{SIGUSR1, 9, true}));
  EXPECT_EQ(*parse_signal_request("BR:USR1@9"), (SignalRequest{SIGUSR1, 9, true}));
  for (const char* text : {"", "@90", "USR1@", "USR1@-1", "USR1@65536", ":USR1", "X:USR1",
                           "R:B:USR1", "B:", "B:B:USR1", "USR1@1@2"})
    EXPECT_FALSE(parse_signal_request(text).ok()) << text;
}

}  // namespace
}  // namespace cox
