#include "worker/io/program_output.h"

#include <gtest/gtest.h>

#include "common/io/clock.h"

namespace cox {
namespace {

constexpr Milliseconds long_enough{30'000};
constexpr std::size_t bytes_max = 1000;

}  // namespace

TEST(ProgramOutput, is_all_that_it_prints) {
  EXPECT_EQ(program_output({"sh", "-c", "printf 'a\nb'; echo complaint >&2; cat"}, long_enough,
                           bytes_max),
            "a\nb");
}

TEST(ProgramOutput, of_one_that_fails_or_is_not_there_is_none) {
  EXPECT_EQ(program_output({"sh", "-c", "echo a; exit 1"}, long_enough, bytes_max), std::nullopt);
  EXPECT_EQ(program_output({"sh", "-c", "echo a; kill -9 $$"}, long_enough, bytes_max),
            std::nullopt);
  EXPECT_EQ(program_output({"cox-no-such-program"}, long_enough, bytes_max), std::nullopt);
}

TEST(ProgramOutput, of_one_that_prints_too_much_is_none) {
  const Boot began = read_clock().boot;
  EXPECT_EQ(program_output({"yes"}, long_enough, bytes_max), std::nullopt);
  EXPECT_LT(read_clock().boot - began, long_enough);
}

TEST(ProgramOutput, one_that_hangs_is_given_up) {
  const Boot began = read_clock().boot;
  EXPECT_EQ(program_output({"sleep", "1000"}, Milliseconds{100}, bytes_max), std::nullopt);
  EXPECT_EQ(program_output({"sh", "-c", "exec >&-; exec sleep 1000"}, Milliseconds{100}, bytes_max),
            std::nullopt);
  EXPECT_LT(read_clock().boot - began, long_enough);
}

}  // namespace cox
