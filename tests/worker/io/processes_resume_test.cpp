// Tests attempts that resume from a checkpoint which is damaged, or cannot be read, with real
// supervisors.
#include "tests/worker/processes_fixture.h"
#include "worker/supervisor/io/files/seal.h"

namespace cox {
namespace {

TEST_F(ProcessesTest, ADamagedCheckpointIsRefusedWhilePreparing) {
  LaunchSpec resuming = shell_gang(1, "true");
  const std::string saved = resuming.job_checkpoint_dir + "/attempt-1";
  write_text(saved + "/step-3/rank-0/model", "weights");
  ASSERT_TRUE(seal(saved, 3, 0, ""));
  write_text(saved + "/step-3/rank-0/model", "Weights");
  resuming.key.attempt = AttemptNumber(2);
  resuming.resume = ResumeFrom{AttemptNumber(1), 3};
  resuming.resume_ranks = 1;
  prepare(resuming);
  ASSERT_TRUE(wait_gone());
  EXPECT_EQ(status.resume_fault, ResumeFault::Differs);
  EXPECT_FALSE(status.node_at_fault);
  EXPECT_NE(status.refused.find("its content has changed"), std::string::npos);
}

TEST_F(ProcessesTest, ACheckpointThatCannotBeReadIsAFaultOfThePlace) {
  LaunchSpec resuming = shell_gang(1, "true");
  fs::create_directories(resuming.job_checkpoint_dir);
  resuming.key.attempt = AttemptNumber(2);
  resuming.resume = ResumeFrom{AttemptNumber(1), 3};
  resuming.resume_ranks = 1;
  prepare(resuming);
  ASSERT_TRUE(wait_gone());
  EXPECT_EQ(status.resume_fault, ResumeFault::Unreadable);
  EXPECT_TRUE(status.node_at_fault);
  EXPECT_NE(status.refused.find("rank-0.manifest: cannot read: No such file or directory"),
            std::string::npos)
      << status.refused;
}

// It must not be made anew, since it would be in the way of the real one when that comes back.
TEST_F(ProcessesTest, AJobFolderThatIsAwayIsNotMadeAnewForAJobThatResumes) {
  LaunchSpec resuming = shell_gang(1, "true");
  resuming.key.attempt = AttemptNumber(2);
  resuming.resume = ResumeFrom{AttemptNumber(1), 3};
  prepare(resuming);
  ASSERT_TRUE(wait_gone());
  EXPECT_EQ(status.resume_fault, ResumeFault::Unreadable);
  EXPECT_NE(status.refused.find(resuming.job_checkpoint_dir + ": cannot read"), std::string::npos)
      << status.refused;
  EXPECT_FALSE(fs::exists(resuming.job_checkpoint_dir));
}

// `cox checkpoints verify`: the files are read as the user, in a process of their own.
TEST_F(ProcessesTest, ACheckpointIsVerifiedWithoutAnAttempt) {
  const std::string attempt = folder / "checkpoints/17/attempt-1";
  write_text(attempt + "/step-3/rank-0/model", "weights");
  ASSERT_TRUE(seal(attempt, 3, 0, "identity"));
  const VerifyCheckpoint order{
      {},         {JobId(17), AttemptNumber(1)}, 3, attempt + "/step-3", 1, "identity", ::geteuid(),
      ::getegid()};
  const auto look = [&] {
    verified.reset();
    processes->verify_checkpoint(order);
    EXPECT_TRUE(wait_until([&] { return verified.has_value(); }));
    return verified.value_or(CheckpointVerified{});
  };
  EXPECT_EQ(look().fault, ResumeFault::None);
  write_text(attempt + "/step-3/rank-0/model", "Weights");
  EXPECT_EQ(look().fault, ResumeFault::Differs);
  EXPECT_EQ(verified->why, attempt + "/step-3/rank-0/model: its content has changed");
  fs::rename(attempt, attempt + ".away");
  EXPECT_EQ(look().fault, ResumeFault::Unreadable);
  EXPECT_NE(verified->why.find("No such file or directory"), std::string::npos) << verified->why;
}

}  // namespace
}  // namespace cox
