// Tests of both stores: checkpoints whose files still exist though their job is no longer in
// memory, and the checkpoint that a job or an attempt resumes from.
#include <tuple>

#include "tests/store/store_suite.h"

namespace cox::test {
namespace {

TEST_P(StoreSuite, APrunedCheckpointIsLoadedUntilItsFilesAreRemoved) {
  Controller controller(*database);
  Job job = a_job(1);
  job.attempt = AttemptNumber{1};
  Checkpoint checkpoint = a_checkpoint(1, 1, 10);
  controller.commit(
      {JobAdded{job, {}, {}}, AttemptAdded{an_attempt(1, 1)}, CheckpointAdded{checkpoint}});
  EXPECT_TRUE(load(controller.store(), false).kept_checkpoints.empty()) << "the job still has it";
  checkpoint.pruned = true;
  controller.commit({CheckpointChanged{checkpoint}});
  const Snapshot pruned = load(controller.store(), false);
  EXPECT_TRUE(pruned.checkpoints.empty());
  ASSERT_EQ(pruned.kept_checkpoints.size(), 1u);
  const KeptCheckpoint& kept = pruned.kept_checkpoints.front();
  EXPECT_EQ(kept.checkpoint, checkpoint);
  EXPECT_EQ(
      std::tuple(kept.identity, kept.job_name, kept.user_name, kept.uid, kept.state),
      std::tuple(job.identity, job.spec->name, job.spec->user_name, job.spec->uid, job.state));
  EXPECT_EQ(job.spec->checkpoint_by, CheckpointBy::Rank0);
  EXPECT_EQ(kept.ranks, 1) << "only rank 0 saved it";
  EXPECT_EQ(std::pair(kept.array_job, kept.array_task), std::pair(job.array_job, job.array_task));
  checkpoint.removed = at(9);
  controller.commit({CheckpointChanged{checkpoint}});
  EXPECT_TRUE(load(controller.store(), false).kept_checkpoints.empty());
}

TEST_P(StoreSuite, TheCheckpointThatAJobOrAttemptResumesFromIsStored) {
  Controller controller(*database);
  Job job = a_job(1);
  job.identity = "0123abcd-0000-0000-0000-000000000001";
  job.spec.change().resume_from = {JobId{17}, 40, AttemptNumber{2}, "4567", 8};
  job.attempt = AttemptNumber{1};
  Attempt attempt = an_attempt(1, 1);
  attempt.resume = ResumeFrom{AttemptNumber{2}, 40, JobId{17}};
  controller.commit({JobAdded{job, {}, {}}, AttemptAdded{attempt}});
  const Snapshot loaded = load(controller.store(), false);
  EXPECT_EQ(loaded.jobs, std::vector<Job>{job});
  EXPECT_EQ(loaded.attempts, std::vector<Attempt>{attempt});
  EXPECT_FALSE(loaded.identity_seed.empty());
}

}  // namespace
}  // namespace cox::test
