// Tests that each option of salloc sets its own field.
#include <gtest/gtest.h>

#include <csignal>

#include "client/options/submit_option_table.h"
#include "client/step/allocation.h"

namespace cox {
namespace {

SubmitOptions asked_of_salloc(const std::vector<std::string>& words) {
  const auto given = read_options(words, OptionPlace::CommandLine, allocation_options());
  SubmitOptions asked;
  EXPECT_TRUE(given.ok());
  EXPECT_FALSE(apply_options(*given, asked)) << words.front();
  return asked;
}

TEST(AllocationOptions, set_the_fields_of_salloc) {
  const auto taken = [](const std::vector<std::string>& words) {
    return asked_of_salloc(words).allocation;
  };
  EXPECT_TRUE(taken({"--no-shell"}).no_shell);
  EXPECT_TRUE(taken({"--bell"}).bell);
  EXPECT_FALSE(taken({"--bell", "--no-bell"}).bell);
  EXPECT_EQ(taken({"-I"}).immediate_s, 0);
  EXPECT_EQ(taken({"-I5"}).immediate_s, 5);
  EXPECT_EQ(taken({"-K"}).kill_signal, SIGTERM);
  EXPECT_EQ(taken({"-KINT"}).kill_signal, SIGINT);
  const auto unknown = read_options({"-Kx"}, OptionPlace::CommandLine, allocation_options());
  SubmitOptions asked;
  EXPECT_TRUE(apply_options(*unknown, asked));
}

TEST(AllocationOptions, signal_is_refused_by_salloc_with_an_alternative) {
  const auto signal =
      read_options({"--signal=USR1@10"}, OptionPlace::CommandLine, allocation_options());
  ASSERT_FALSE(signal.ok());
  EXPECT_EQ(signal.refusal().fact, "--signal is not supported");
  EXPECT_EQ(signal.refusal().hint, "submit with sbatch --signal");
}

}  // namespace
}  // namespace cox
