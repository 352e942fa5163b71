// Tests the words about saves by which one program finds what another has written.
#include "common/job/save_words.h"

#include <gtest/gtest.h>

namespace cox {
namespace {

TEST(SaveWords, TheGraceThatEndedIsFoundInTheNoteOfANode) {
  EXPECT_EQ(grace_ended_note(30'000),
            "the grace of 30 s to save ended before the job did, so it got SIGTERM");
  EXPECT_EQ(ended_grace_in("rank 0: disk full; " + grace_ended_note(30'000) + "; more"),
            "the grace of 30 s");
  EXPECT_EQ(ended_grace_in(grace_ended_note(1'500)), "the grace of 1500 ms");
  EXPECT_EQ(ended_grace_in("rank 0: disk full"), "");
  EXPECT_EQ(ended_grace_in(""), "");
}

TEST(SaveWords, ARefusedSaveBesideAnotherJobStepIsFoundInTheNotesOfANode) {
  const std::string note = refused_beside_note(12, 0);
  EXPECT_EQ(
      note,
      "job step 12 may not save beside job step 0, which has saved: a job has one checkpoint");
  EXPECT_EQ(refused_beside_in("rank 0 of job step 3: disk full; " + note + "; more"), note);
  EXPECT_EQ(refused_beside_in(note), note);
  EXPECT_EQ(refused_beside_in("rank 0 of job step 3: disk full"), "");
}

TEST(SaveWords, ALostSaveIsFoundInTheOutcomeOfAnAttempt) {
  const std::string lost = std::string(lost_save_begins) + "rank 0 reported no save";
  EXPECT_EQ(lost_save_in("preempted by ada; " + lost), lost);
  EXPECT_EQ(lost_save_in("preempted by ada"), "");
}

TEST(SaveWords, AJobWithOnlyASignalDoesNotDeclareThatItReportsItsSaves) {
  JobSpec spec;
  spec.signal.number = 10;
  EXPECT_FALSE(declares_saves(spec));
  spec.checkpoint_signal = 10;
  EXPECT_TRUE(declares_saves(spec));
}

}  // namespace
}  // namespace cox
