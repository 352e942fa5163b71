#include "worker/supervisor/output_bound.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <string>

#include "tests/worker/temporary_folder.h"
#include "worker/supervisor/io/files/output_look.h"

namespace cox {
namespace {

using supervisor::OutputChecked;

constexpr std::int64_t mib = 1 << 20;
constexpr std::int64_t page = 4096;

TEST(OutputBound, NothingIsRemovedBelowTheBound) {
  EXPECT_EQ(gap_in({mib, mib}, mib), std::nullopt);
  EXPECT_EQ(gap_in({5 * mib, 5 * mib}, 0), std::nullopt) << "no bound";
  EXPECT_EQ(gap_in({1'000 * mib, 3 * mib}, 4 * mib), std::nullopt) << "it already has a gap";
}

TEST(OutputBound, TheBeginningAndTheNewestHalfAreKept) {
  EXPECT_EQ(gap_in({100 * mib, 100 * mib}, 40 * mib), (OutputGap{mib, 80 * mib}));
  EXPECT_EQ(gap_in({2 * mib + 5, 2 * mib + page}, mib), (OutputGap{mib / 4, mib + mib / 2}));
  const auto gap = gap_in({7 * mib + 4'095, 7 * mib + page}, 3 * mib);
  ASSERT_TRUE(gap);
  EXPECT_EQ(gap->from % page, 0);
  EXPECT_EQ(gap->to % page, 0);
}

TEST(OutputBound, TheKeptPartOfAFileOfAnySizeIsSmallerThanTheBound) {
  for (std::int64_t bound = mib; bound < 100 * mib; bound = bound * 3 / 2 + 1)
    for (std::int64_t size = bound + 1; size < 50 * bound; size = size * 5 / 3 + 1) {
      const auto gap = gap_in({size, size}, bound);
      ASSERT_TRUE(gap) << size << " of " << bound;
      EXPECT_LT(gap->from + page + size - gap->to, bound) << size << " of " << bound;
      EXPECT_GE(size - gap->to, bound / 2);
    }
}

TEST(OutputBound, NothingIsRemovedIfTheFileIsShortButTakesMuchDiskSpace) {
  EXPECT_EQ(gap_in({mib / 2, 9 * mib}, mib), std::nullopt);
  EXPECT_EQ(gap_in({mib * 3 / 4 + page, 9 * mib}, mib), std::nullopt);
}

TEST(OutputBound, TheInsertedLineShowsTheRemovedBytesAndTheSetting) {
  const std::string line = gap_line(123'456, 2'048 * mib);
  EXPECT_EQ(line,
            "\n[coxswain: 123456 bytes of output were removed here. log_size_max_mb in "
            "[controller] is 2048: the limit of an output file in MiB.]\n");
  EXPECT_LT(gap_line(INT64_MAX, INT64_MAX).size(), gap_line_bytes_max);
  EXPECT_EQ(read_gap_line(line + "more"),
            (ReportedGap{123'456, static_cast<std::int64_t>(line.size())}));
}

TEST(OutputBound, AMalformedLineIsNotTakenForTheLineThatReportsRemovedOutput) {
  for (const char* text : {"", "\n", "\n[coxswain: ", "\n[coxswain: x\n", "\n[coxswain: -5 bytes\n",
                           "\n[coxswain: 99999999999999999999999 bytes\n", "[coxswain: 5 bytes\n"})
    EXPECT_EQ(read_gap_line(text), ReportedGap{}) << text;
}

TEST(OutputBound, AFileThatCannotHaveAGapIsTruncatedAndItsCountContinues) {
  const OutputGap gap{mib, 3 * mib};
  const OutputCut first = cut_for({5 * mib, 5 * mib}, gap, {}, 4 * mib);
  EXPECT_EQ(first.line, gap_line(4 * mib, 4 * mib));
  EXPECT_EQ(first.size, mib + static_cast<std::int64_t>(first.line.size()));
  const std::int64_t size = first.size + 7'000'000;
  const OutputCut second = cut_for({size, size}, gap, read_gap_line(first.line), 4 * mib);
  EXPECT_EQ(second.line, gap_line(4 * mib + 7'000'000, 4 * mib));
  EXPECT_EQ(cut_for({size, size}, gap, {INT64_MAX, 10}, 4 * mib).line,
            gap_line(INT64_MAX, 4 * mib));
}

TEST(OutputBound, ADiskHasRoomWithOneMebibyteOrAThousandthFree) {
  EXPECT_FALSE(disk_has_room(0, 1'000 * mib));
  EXPECT_FALSE(disk_has_room(100'000, 100'000 * mib));
  EXPECT_TRUE(disk_has_room(2 * mib, 100'000 * mib));
  EXPECT_TRUE(disk_has_room(4'096, 256 << 10)) << "a thousandth of a small disk";
  EXPECT_FALSE(disk_has_room(0, 256 << 10));
}

TEST(OutputBound, AFasterGrowingFileIsCheckedSooner) {
  const auto pause = [](std::int64_t before, std::int64_t found, std::int64_t left) {
    return pause_until_look({before, before}, {found, left}, Milliseconds{5'000}, 1'000 * mib);
  };
  EXPECT_EQ(pause(0, 0, 0), output_look_seldom);
  EXPECT_EQ(pause(500 * mib, 400 * mib, 400 * mib), output_look_seldom);
  EXPECT_EQ(pause(0, mib, mib), output_look_seldom);
  EXPECT_EQ(pause(0, 600 * mib, 600 * mib).count(), 1'666);
  EXPECT_EQ(pause(0, 1'500 * mib, 1'500 * mib), output_look_often);
  EXPECT_EQ(pause(500 * mib, 1'500 * mib, 500 * mib).count(), 1'250)
      << "its output was reduced meanwhile";
  EXPECT_EQ(pause_until_look({}, {mib, mib}, Milliseconds{5'000}, 0), output_look_seldom);
}

// ---- on a disk -------------------------------------------------------------------------------

std::int64_t taken(const std::string& path) {
  struct stat facts {};
  EXPECT_EQ(::stat(path.c_str(), &facts), 0);
  return facts.st_blocks * 512;
}

TEST(OutputLook, AFileThatGrewTooLargeKeepsItsBeginningAndItsEnd) {
  const TemporaryFolder folder;
  const std::string path = folder / "out";
  write_text(path, "begin" + std::string(5 * mib, 'x') + "the newest line\n");
  const std::int64_t size = static_cast<std::int64_t>(std::filesystem::file_size(path));
  const OutputChecked seen = look_at_output({path, folder / "no such file"}, mib);
  EXPECT_EQ(seen.taken.left, taken(path));
  EXPECT_LE(seen.taken.left, mib);
  EXPECT_GT(seen.taken.found, 5 * mib);
  const std::string text = read_text(path);
  EXPECT_TRUE(text.starts_with("beginxxx"));
  EXPECT_TRUE(text.ends_with("the newest line\n"));
  EXPECT_NE(text.find(" bytes of output were removed here. log_size_max_mb"), std::string::npos);
  EXPECT_EQ(look_at_output({path}, mib).taken.left, seen.taken.left)
      << "a second look changes nothing";
  EXPECT_EQ(static_cast<std::int64_t>(std::filesystem::file_size(path)), size)
      << "writers continue at the same offset";
}

TEST(OutputLook, TargetsOfLinksAndSpecialFilesAreNotChanged) {
  const TemporaryFolder folder;
  write_text(folder / "precious", std::string(5 * mib, 'x'));
  ASSERT_EQ(::symlink((folder / "precious").c_str(), (folder / "out").c_str()), 0);
  EXPECT_GE(look_at_output({folder / "out"}, mib).taken.left, 5 * mib);
  EXPECT_EQ(read_text(folder / "precious"), std::string(5 * mib, 'x'));
  EXPECT_EQ(look_at_output({"/dev/null", folder.path()}, mib).taken.left, 0);
}

TEST(OutputLook, TheResultOfACheckIsDecodedAsItWasEncoded) {
  const OutputChecked seen{{17, 4}, "/a path\nwith lines"};
  const auto back = decode_output_check(encode_output_check(seen));
  ASSERT_TRUE(back);
  EXPECT_EQ(back->taken.found, 17);
  EXPECT_EQ(back->taken.left, 4);
  EXPECT_EQ(back->full, seen.full);
  EXPECT_EQ(decode_output_check(""), std::nullopt) << "the process that looked has died";
  EXPECT_EQ(decode_output_check("17 4 /a pa"), std::nullopt);
}

}  // namespace
}  // namespace cox
