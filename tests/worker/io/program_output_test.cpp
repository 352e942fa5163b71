#include "worker/io/program_output.h"

#include <gtest/gtest.h>

#include "common/io/clock.h"

namespace cox {
namespace {

constexpr Milliseconds long_enough{30'000};
constexpr std::size_t bytes_max = 1000;

}  // namespace

TEST(ProgramOutput, is_everything_that_the_program_prints) {
  EXPECT_EQ(program_output({"sh", "-c", "printf 'a\nb'; echo complaint >&2; cat"}, long_enough,
                           bytes_max),
            "a\nb");
}

TEST(ProgramOutput, a_failed_or_missing_program_has_no_output) {
  EXPECT_EQ(program_output({"sh", "-c", "echo a; exit 1"}, long_enough, bytes_max), std::nullopt);
  EXPECT_EQ(program_output({"sh", "-c", "echo a; kill -9 $$"}, long_enough, bytes_max),
            std::nullopt);
  EXPECT_EQ(program_output({"cox-no-such-program"}, long_enough, bytes_max), std::nullopt);
}

TEST(ProgramOutput, a_program_that_prints_too_much_has_no_output) {
  const Boot began = read_clock().boot;
  EXPECT_EQ(program_output({"yes"}, long_enough, bytes_max), std::nullopt);
  EXPECT_LT(read_clock().boot - began, long_enough);
}

TEST(ProgramOutput, a_program_that_hangs_is_killed) {
  const Boot began = read_clock().boot;
  EXPECT_EQ(program_output({"sleep", "1000"}, Milliseconds{100}, bytes_max), std::nullopt);
  EXPECT_EQ(program_output({"sh", "-c", "exec >&-; exec sleep 1000"}, Milliseconds{100}, bytes_max),
            std::nullopt);
  EXPECT_LT(read_clock().boot - began, long_enough);
}

}  // namespace cox
