#include "worker/supervisor/io/files/status_journal.h"

#include <gtest/gtest.h>

#include "common/job/supervisor_folder.h"
#include "tests/worker/temporary_folder.h"

namespace cox {
namespace {

AttemptStatus status_at(std::int64_t revision, const std::string& note = "") {
  AttemptStatus status;
  status.key = {JobId{17}, AttemptNumber{1}};
  status.revision = revision;
  status.note = note;
  return status;
}

class StatusJournalTest : public ::testing::Test {
 protected:
  std::string path() const { return folder / supervisor_folder::status_file; }
  std::uintmax_t bytes() const { return std::filesystem::file_size(path()); }
  std::optional<AttemptStatus> read() const { return StatusJournal::read(folder.path()); }

  TemporaryFolder folder;
  StatusJournal journal{folder.path()};
};

TEST_F(StatusJournalTest, TheLastStatusIsRead) {
  EXPECT_FALSE(read());
  for (std::int64_t revision = 1; revision <= 3; ++revision) {
    ASSERT_FALSE(journal.write(status_at(revision), Outlives::Machine));
    EXPECT_EQ(read(), status_at(revision));
  }
}

TEST_F(StatusJournalTest, ATruncatedStatusIsIgnored) {
  ASSERT_FALSE(journal.write(status_at(1), Outlives::Processes));
  const auto whole = bytes();
  ASSERT_FALSE(journal.write(status_at(2), Outlives::Processes));
  for (auto left = bytes() - 1; left > whole; --left) {
    std::filesystem::resize_file(path(), left);
    ASSERT_EQ(read(), status_at(1)) << left;
  }
  for (auto left = whole - 1; left > 0; --left) {
    std::filesystem::resize_file(path(), left);
    ASSERT_FALSE(read()) << left;
  }
}

TEST_F(StatusJournalTest, TheJournalIsRewrittenBeforeItGrowsLarge) {
  const std::string note(100'000, 'x');
  for (std::int64_t revision = 1; revision <= 30; ++revision) {
    ASSERT_FALSE(journal.write(status_at(revision, note), Outlives::Processes));
    EXPECT_EQ(read(), status_at(revision, note));
    EXPECT_LE(bytes(), std::uintmax_t{1} << 20);
  }
}

TEST_F(StatusJournalTest, TheStatusAfterAFailedWriteIsComplete) {
  ASSERT_FALSE(journal.write(status_at(1), Outlives::Processes));
  StatusJournal nowhere(folder / "no-such-folder");
  EXPECT_TRUE(nowhere.write(status_at(1), Outlives::Processes));
  std::filesystem::create_directory(folder / "no-such-folder");
  EXPECT_FALSE(nowhere.write(status_at(2), Outlives::Processes));
  EXPECT_EQ(StatusJournal::read(folder / "no-such-folder"), status_at(2));
}

}  // namespace
}  // namespace cox
