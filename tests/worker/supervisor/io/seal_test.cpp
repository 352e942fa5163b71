#include "worker/supervisor/io/files/seal.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/worker/temporary_folder.h"
#include "worker/supervisor/io/files/files.h"

namespace cox {
namespace {

namespace fs = std::filesystem;

class SealStory : public testing::Test {
 protected:
  void SetUp() override {
    write_text(attempt / "step-7/rank-0/model.pt", std::string(3'000'000, 'w'));
    write_text(attempt / "step-7/rank-0/optimiser/state 1%\n.pt", "momentum");
    write_text(attempt / "step-7/rank-0/empty", "");
  }
  std::string step_dir() const { return attempt / "step-7"; }
  std::optional<VerifyFault> verify_rank0(const std::string& identity = "") const {
    return verify(step_dir(), {0}, identity, 2);
  }
  ResumeFault kind() const {
    const auto fault = verify_rank0();
    return fault ? fault->kind : ResumeFault::None;
  }

  TemporaryFolder attempt;
};

TEST_F(SealStory, ASealedCheckpointIsVerified) {
  const auto saved = seal(attempt.path(), 7, 0, "");
  ASSERT_TRUE(saved) << saved.refusal().fact;
  EXPECT_EQ(saved->step, 7);
  EXPECT_EQ(saved->files, 3);
  EXPECT_EQ(saved->bytes, 3'000'008);
  EXPECT_EQ(kind(), ResumeFault::None);
  EXPECT_FALSE(fs::exists(step_dir() + "/rank-0.manifest.tmp"));
}

TEST_F(SealStory, OneFlippedBitInAFileOfACheckpointIsFound) {
  ASSERT_TRUE(seal(attempt.path(), 7, 0, ""));
  std::fstream file(step_dir() + "/rank-0/model.pt");
  file.seekp(2'345'678);
  file.put('w' ^ 1);
  file.close();
  const auto fault = verify_rank0();
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->kind, ResumeFault::Differs);
  EXPECT_NE(fault->why.fact.find("model.pt: its content has changed"), std::string::npos);
}

TEST_F(SealStory, OfSeveralDamagedFilesTheFirstIsNamedHoweverManyAreReadAtATime) {
  std::vector<std::int32_t> ranks;
  for (std::int32_t rank = 1; rank <= 40; ++rank) {
    ranks.push_back(rank);
    write_text(attempt / ("step-7/rank-" + std::to_string(rank)), std::string(100'000, 'w'));
    ASSERT_TRUE(seal(attempt.path(), 7, rank, ""));
  }
  for (const std::int64_t cpus : {1, 2, 8, 1'000})
    EXPECT_FALSE(verify(step_dir(), ranks, "", cpus));
  for (const int damaged : {23, 24, 39})
    fs::resize_file(step_dir() + "/rank-" + std::to_string(damaged), 7);
  for (const std::int64_t cpus : {1, 2, 8, 1'000}) {
    const auto fault = verify(step_dir(), ranks, "", cpus);
    ASSERT_TRUE(fault);
    EXPECT_NE(fault->why.fact.find("/rank-23: has 7 bytes"), std::string::npos) << fault->why.fact;
  }
}

TEST_F(SealStory, ACheckpointThatAnotherJobSavedIsRefused) {
  ASSERT_TRUE(seal(attempt.path(), 7, 0, "0123-mine"));
  EXPECT_FALSE(verify_rank0("0123-mine"));
  const auto fault = verify_rank0("4567-other");
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->kind, ResumeFault::Differs);
  EXPECT_NE(fault->why.fact.find("another job saved it"), std::string::npos) << fault->why.fact;
  EXPECT_TRUE(verify_rank0());
}

TEST_F(SealStory, ACheckpointSealedWithoutTheNameOfAJobIsVerified) {
  ASSERT_TRUE(seal(attempt.path(), 7, 0, ""));
  EXPECT_FALSE(verify_rank0("0123-mine"));
}

TEST_F(SealStory, ATruncatedFileOfACheckpointDiffers) {
  ASSERT_TRUE(seal(attempt.path(), 7, 0, ""));
  fs::resize_file(step_dir() + "/rank-0/model.pt", 10);
  EXPECT_EQ(kind(), ResumeFault::Differs);
}

// A storage that hiccups, a stale handle, a mount that comes late: the files may be sound.
TEST_F(SealStory, WhatCannotBeReadHereNowIsNotDamaged) {
  ASSERT_TRUE(seal(attempt.path(), 7, 0, ""));
  for (const char* place : {"/rank-0/model.pt", "/rank-0.manifest", "/rank-0", ""}) {
    fs::rename(step_dir() + place, attempt / "away");
    const auto fault = verify_rank0();
    ASSERT_TRUE(fault) << place;
    EXPECT_EQ(fault->kind, ResumeFault::Unreadable) << place;
    EXPECT_NE(fault->why.fact.find("No such file or directory"), std::string::npos)
        << fault->why.fact;
    fs::rename(attempt / "away", step_dir() + place);
    EXPECT_EQ(kind(), ResumeFault::None) << place;
  }
}

TEST_F(SealStory, AStepInWhichNoFileWasSavedIsRefusedWithWhatIsThereInstead) {
  write_text(attempt / "step-8/rank0/model.pt", "w");
  const auto saved = seal(attempt.path(), 8, 0, "", NoFiles::Refused);
  ASSERT_FALSE(saved);
  EXPECT_EQ(saved.refusal().fact, "there is no " + std::string(attempt / "step-8/rank-0") +
                                      ", so this step is no checkpoint; found instead: rank0");
  fs::create_directories(attempt / "step-9/rank-0");
  const auto empty = seal(attempt.path(), 9, 0, "", NoFiles::Refused);
  ASSERT_FALSE(empty);
  EXPECT_EQ(empty.refusal().fact,
            std::string(attempt / "step-9/rank-0") + " has no file, so this step is no checkpoint");
  write_text(attempt / "step-9/rank-0.part/model.pt", "w");
  const auto part = seal(attempt.path(), 9, 0, "", NoFiles::Refused);
  ASSERT_FALSE(part);
  EXPECT_TRUE(part.refusal().fact.ends_with("no checkpoint; found instead: rank-0.part"))
      << part.refusal().fact;
  EXPECT_FALSE(fs::exists(attempt / "step-9/rank-0.manifest"));
}

TEST_F(SealStory, ACheckpointWithoutAValidManifestIsRefused) {
  EXPECT_TRUE(verify_rank0());  // never sealed
  ASSERT_TRUE(seal(attempt.path(), 7, 0, ""));
  const std::string path = step_dir() + "/rank-0.manifest";
  const std::string text = read_text(path);
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string damaged = text;
    damaged[i] ^= 1;
    write_text(path, damaged);
    EXPECT_TRUE(verify_rank0()) << "byte " << i << " of the manifest";
  }
  write_text(path, text);
  EXPECT_FALSE(verify_rank0());
}

// Two job steps on different nodes, whose supervisors do not know of each other.
TEST_F(SealStory, WhatAnotherJobStepHasSealedIsNotReplaced) {
  ASSERT_TRUE(seal(attempt.path(), 7, 0, ""));
  const std::string manifest = read_text(step_dir() + "/rank-0.manifest");
  EXPECT_TRUE(seal(attempt.path(), 7, 0, "")) << "the same files";
  write_text(step_dir() + "/rank-0/model.pt", "the weights of another training");
  const auto other = seal(attempt.path(), 7, 0, "", NoFiles::Sealed, SavedBy::JobStep);
  ASSERT_FALSE(other);
  EXPECT_EQ(other.refusal().fact, "step 7 of rank 0 was already saved by another job step");
  EXPECT_FALSE(other.refusal().is_unknown);
  EXPECT_EQ(read_text(step_dir() + "/rank-0.manifest"), manifest);
  EXPECT_EQ(kind(), ResumeFault::Differs) << "the overwritten save is not taken";
}

// The answer to the first report may have been "unknown", although its manifest was written.
TEST_F(SealStory, ARankMaySaveAStepAgainWhoseReportFailed) {
  ASSERT_TRUE(seal(attempt.path(), 7, 0, ""));
  write_text(step_dir() + "/rank-0/model.pt", "saved again");
  EXPECT_TRUE(seal(attempt.path(), 7, 0, ""));
  EXPECT_EQ(kind(), ResumeFault::None);
}

TEST_F(SealStory, ASymbolicLinkIsRefusedAndNotFollowed) {
  fs::create_symlink("/etc/passwd", step_dir() + "/rank-0/link");
  const auto saved = seal(attempt.path(), 7, 0, "");
  ASSERT_FALSE(saved);
  EXPECT_NE(saved.refusal().fact.find("rank-0/link"), std::string::npos);
  fs::remove(step_dir() + "/rank-0/link");
  ASSERT_TRUE(seal(attempt.path(), 7, 0, ""));
  fs::rename(step_dir() + "/rank-0", step_dir() + "/elsewhere");
  fs::create_symlink("elsewhere", step_dir() + "/rank-0");
  EXPECT_TRUE(verify_rank0());
}

TEST_F(SealStory, AnErrorOfTheFileSystemSaysNothingAboutTheSave) {
  const auto away = seal(attempt / "away", 7, 0, "");
  ASSERT_FALSE(away);
  EXPECT_TRUE(away.refusal().is_unknown) << away.refusal().fact;
  EXPECT_TRUE(away.refusal().may_retry) << "nothing was read yet";
  fs::create_symlink("/etc/passwd", step_dir() + "/rank-0/link");
  const auto link = seal(attempt.path(), 7, 0, "");
  ASSERT_FALSE(link);
  EXPECT_FALSE(link.refusal().is_unknown) << link.refusal().fact;
  write_text(attempt / "step-9", "a file");
  const auto file = seal(attempt.path(), 9, 0, "");
  ASSERT_FALSE(file);
  EXPECT_FALSE(file.refusal().is_unknown) << file.refusal().fact;
  EXPECT_FALSE(file.refusal().may_retry) << "it stays a file";
  const auto empty = seal(attempt.path(), 8, 0, "", NoFiles::Refused);
  ASSERT_FALSE(empty);
  EXPECT_FALSE(empty.refusal().is_unknown) << empty.refusal().fact;
}

// Returns why the repeated report of step 7 is refused; "": it is not.
std::string fault_of_repeat(const TemporaryFolder& attempt) {
  const auto fault = check_sealed(attempt.path(), 7, 0, "");
  return fault ? (fault->is_unknown ? "unknown: " : "") + fault->fact : "";
}

TEST_F(SealStory, AStepMayBeReportedAgainIfItsFilesAreThoseThatWereSealed) {
  ASSERT_TRUE(seal(attempt.path(), 7, 0, ""));
  EXPECT_EQ(fault_of_repeat(attempt), "");
  // The time of the change is newer than the manifest, but the content is the same.
  write_text(step_dir() + "/rank-0/model.pt", std::string(3'000'000, 'w'));
  EXPECT_EQ(fault_of_repeat(attempt), "");
  EXPECT_EQ(kind(), ResumeFault::None);
}

TEST_F(SealStory, AStepThatIsReportedAgainWithOtherFilesIsRefused) {
  const std::string begins = "step 7 was already reported with 3000008 bytes in 3 files, and ";
  const std::string ends = " has changed since; the files of a reported step must not change";
  const auto sealed_anew = [&] {
    SetUp();
    EXPECT_TRUE(seal(attempt.path(), 7, 0, ""));
  };
  sealed_anew();
  write_text(step_dir() + "/rank-0/optimiser/state 1%\n.pt", "momentum!");
  EXPECT_EQ(fault_of_repeat(attempt), begins + "rank-0/optimiser/state 1%?.pt" + ends);
  sealed_anew();
  write_text(step_dir() + "/rank-0/model.pt", std::string(3'000'000, 'v'));
  EXPECT_EQ(fault_of_repeat(attempt), begins + "rank-0/model.pt" + ends) << "of the same size";
  sealed_anew();
  write_text(step_dir() + "/rank-0/more.pt", "w");
  EXPECT_EQ(fault_of_repeat(attempt), begins + "rank-0/more.pt" + ends);
  fs::remove(step_dir() + "/rank-0/more.pt");
  EXPECT_EQ(fault_of_repeat(attempt), "");
  fs::remove(step_dir() + "/rank-0/model.pt");
  EXPECT_EQ(fault_of_repeat(attempt), begins + "rank-0/model.pt" + ends);
}

TEST_F(SealStory, WhetherTheFilesOfARepeatedReportHaveChangedIsUnknownIfTheyCannotBeRead) {
  ASSERT_TRUE(seal(attempt.path(), 7, 0, ""));
  const std::string not_there = ": No such file or directory";
  fs::rename(step_dir() + "/rank-0.manifest", attempt / "away");
  EXPECT_EQ(fault_of_repeat(attempt),
            "unknown: " + step_dir() + "/rank-0.manifest: cannot read" + not_there);
  fs::rename(attempt / "away", step_dir() + "/rank-0.manifest");
  fs::rename(step_dir(), attempt / "away");
  EXPECT_EQ(fault_of_repeat(attempt), "unknown: " + step_dir() + ": cannot open" + not_there);
}

TEST_F(SealStory, TheRanksThatHaveAManifestAreFound) {
  EXPECT_FALSE(sealed_ranks(step_dir())) << "none has";
  EXPECT_FALSE(sealed_ranks(attempt / "away"));
  for (const std::int32_t rank : {0, 12}) ASSERT_TRUE(seal(attempt.path(), 7, rank, ""));
  write_text(step_dir() + "/rank-x.manifest", "");
  EXPECT_EQ(sealed_ranks(step_dir()).value(), (std::vector<std::int32_t>{0, 12}));
}

TEST_F(SealStory, AFifoDoesNotBlockTheSeal) {
  ASSERT_EQ(::mkfifo((step_dir() + "/rank-0/pipe").c_str(), 0600), 0);
  EXPECT_FALSE(seal(attempt.path(), 7, 0, ""));
}

TEST_F(SealStory, ARankMaySaveOneFileOrNoFile) {
  write_text(attempt / "step-7/rank-1", "all in one");
  const auto one = seal(attempt.path(), 7, 1, "");
  ASSERT_TRUE(one);
  EXPECT_EQ(one->files, 1);
  EXPECT_FALSE(verify(step_dir(), {1}, "", 2));
  const auto nothing = seal(attempt.path(), 8, 2, "");
  ASSERT_TRUE(nothing);
  EXPECT_EQ(nothing->files, 0);
  EXPECT_FALSE(verify(attempt / "step-8", {2}, "", 2));
}

TEST_F(SealStory, TheNewestStepThatTheRankHasWrittenIsFound) {
  write_text(attempt / "step-12/rank-0", "x");
  write_text(attempt / "step-30/rank-1", "x");
  write_text(attempt / "step-99x/rank-0", "x");
  EXPECT_EQ(newest_step(attempt.path(), 0, -1).value(), 12);
  EXPECT_EQ(newest_step(attempt.path(), 0, 12).value(), std::nullopt);
  EXPECT_EQ(newest_step(attempt.path(), 1, -1).value(), 30);
  EXPECT_FALSE(newest_step(attempt / "nowhere", 0, -1)) << "not known";
}

TEST_F(SealStory, OnlyEmptyFoldersAreRemovedWithAnAttempt) {
  TemporaryFolder job;
  fs::create_directories(job / "17-a/attempt-1");
  write_text(job / "17-a/attempt-2/step-5/rank-0", "x");
  remove_empty_folders(job / "17-a", AttemptNumber(2));
  EXPECT_TRUE(fs::exists(job / "17-a/attempt-2/step-5/rank-0"));
  remove_empty_folders(job / "17-a", AttemptNumber(1));
  EXPECT_FALSE(fs::exists(job / "17-a/attempt-1"));
  EXPECT_TRUE(fs::exists(job / "17-a"));
  fs::remove_all(job / "17-a/attempt-2/step-5");
  remove_empty_folders(job / "17-a", AttemptNumber(2));
  EXPECT_FALSE(fs::exists(job / "17-a"));
}

TEST_F(SealStory, RemovingACheckpointFollowsNoLink) {
  TemporaryFolder elsewhere;
  write_text(elsewhere / "precious", "x");
  write_text(elsewhere / "attempt-2/step-5/rank-0", "x");
  ASSERT_TRUE(seal(elsewhere / "attempt-2", 5, 0, ""));
  fs::create_directory_symlink(elsewhere.path(), elsewhere / "attempt-2/step-5/out");
  EXPECT_FALSE(remove_checkpoint_files(elsewhere.path(), AttemptNumber(2), 5));
  EXPECT_FALSE(fs::exists(elsewhere / "attempt-2/step-5"));
  EXPECT_TRUE(fs::exists(elsewhere / "precious"));
  EXPECT_FALSE(remove_checkpoint_files(elsewhere.path(), AttemptNumber(2), 5));  // again
}

TEST_F(SealStory, FilesAreRemovedOnlyIfTheirFolderCouldBeLookedInto) {
  TemporaryFolder root;
  EXPECT_TRUE(remove_checkpoint_files(root / "17", AttemptNumber(2), 5)) << "it is not mounted";
  write_text(root / ".coxswain-cluster", "test\n");
  EXPECT_FALSE(remove_checkpoint_files(root / "17", AttemptNumber(2), 5)) << "they are not there";
  write_text(root / "17", "no folder");
  const Failure failure = remove_checkpoint_files(root / "17", AttemptNumber(2), 5);
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->fact, std::string(root / "17") + ": cannot open: Not a directory");
}

}  // namespace
}  // namespace cox
