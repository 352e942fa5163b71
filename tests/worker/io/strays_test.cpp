// Tests what a worker does about attempts whose folders are gone from its spool folder: nothing of
// them may run on, since the controller starts their jobs again.
#include "tests/worker/processes_fixture.h"

namespace cox {
namespace {

class StraysTest : public ProcessesTest {
 protected:
  // Starts a job of one rank, and ends the worker as by `kill -9`.
  void run_and_leave() {
    run(shell_gang(1, "touch begun; sleep 1000"));
    ASSERT_TRUE(wait_file("begun"));
    supervisor = supervisor_pid();
    spool_id = processes->spool_id();
    processes.reset();
    ASSERT_FALSE(nothing_runs());
    known = false;  // TearDown() has nothing to stop: the next worker does not know the attempt
  }
  bool supervisor_lives() const {
    const auto line = read_process(supervisor);
    return line && line->stat.is_living();
  }
  void empty_spool() {
    for (const auto& entry : fs::directory_iterator(spool())) fs::remove_all(entry.path());
  }

  pid_t supervisor = 0;
  std::string spool_id;
};

TEST_F(StraysTest, AWorkerWhoseSpoolFolderWasEmptiedEndsWhatRunsBeforeItStarts) {
  run_and_leave();
  empty_spool();
  start_worker();
  EXPECT_TRUE(nothing_runs());
  EXPECT_FALSE(supervisor_lives());
  EXPECT_NE(processes->spool_id(), spool_id) << "the controller sees that it is another one";
}

TEST_F(StraysTest, AWorkerWhoseSpoolFolderWasMovedAwayEndsWhatRunsBeforeItStarts) {
  run_and_leave();
  fs::rename(spool(), spool() + ".away");
  start_worker();
  EXPECT_TRUE(nothing_runs());
  EXPECT_FALSE(supervisor_lives());
}

TEST_F(StraysTest, WhatWasStartedBeforeTheSpoolFolderWasMovedIsFoundByItsFormerPath) {
  run_and_leave();
  const std::string moved = spool() + ".moved";
  fs::rename(spool(), moved);
  fs::remove_all(moved + attempt_folder().substr(spool().size()));
  processes = std::make_unique<Processes>(moved, "/bin/false");
  ASSERT_FALSE(processes->adopt());
  EXPECT_TRUE(nothing_runs());
  EXPECT_FALSE(supervisor_lives());
  EXPECT_EQ(processes->spool_id(), spool_id);
}

TEST_F(StraysTest, ARankWithoutASupervisorIsFound) {
  run_and_leave();
  ::kill(supervisor, SIGKILL);
  empty_spool();
  start_worker();
  EXPECT_TRUE(nothing_runs());
}

TEST_F(StraysTest, AFolderWithoutItsLockIsNoProofThatItsSupervisorHasEnded) {
  run_and_leave();
  fs::remove(attempt_folder() + "/identity");
  start_worker();
  EXPECT_TRUE(wait_until([&] { return lost; })) << "the attempt is lost, not undone";
  EXPECT_TRUE(nothing_runs());
  EXPECT_FALSE(supervisor_lives());
  EXPECT_EQ(processes->spool_id(), spool_id);
}

TEST_F(StraysTest, AttemptsWithFoldersRunOn) {
  run_and_leave();
  start_worker();
  known = true;
  EXPECT_FALSE(nothing_runs());
  EXPECT_TRUE(supervisor_lives());
  EXPECT_EQ(processes->spool_id(), spool_id);
}

// The supervisors go on in the original: a worker with the copy would take them for lost.
TEST_F(StraysTest, ACopyOfASpoolFolderIsNotServedAndNothingIsEnded) {
  run_and_leave();
  fs::rename(spool(), spool() + ".original");
  ASSERT_EQ(std::system(("cp -a " + spool() + ".original " + spool()).c_str()), 0);
  processes = std::make_unique<Processes>(spool(), "/bin/false");
  const Failure failure = processes->adopt();
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->fact,
            "the spool folder " + spool() + " is a copy of another one of this boot");
  EXPECT_TRUE(supervisor_lives());
  EXPECT_FALSE(nothing_runs());
  processes.reset();
  fs::remove_all(spool());
  fs::rename(spool() + ".original", spool());
  start_worker();
  known = true;
  EXPECT_TRUE(supervisor_lives());
  EXPECT_EQ(processes->spool_id(), spool_id);
}

// The spool_dir of a node was changed while an attempt ran. The controller serves the worker only
// when it counts the attempt as ended, so no process of the attempt may run on after that.
TEST_F(StraysTest, WhatRunsFromAnotherSpoolFolderEndsWhenTheWorkerIsServed) {
  worker = "n1 tcp://10.0.0.1:6000";
  start_worker();
  run_and_leave();
  for (const char* of_others : {"n2 tcp://10.0.0.1:6000", "n1 tcp://10.0.0.2:6000"}) {
    Processes stranger(folder / "strange", "/bin/false", {}, {}, of_others);
    ASSERT_FALSE(stranger.adopt());
    stranger.served();
    EXPECT_TRUE(supervisor_lives()) << of_others;
  }
  Processes other(folder / "other", "/bin/false", {}, {}, worker);
  ASSERT_FALSE(other.adopt());
  EXPECT_TRUE(supervisor_lives()) << "the controller does not serve it yet";
  other.served();
  EXPECT_FALSE(supervisor_lives());
  EXPECT_TRUE(nothing_runs());
  EXPECT_EQ(other.unfit(), "");
}

// Where the lock of the attempt lay cannot be compared any more, but its file still can.
TEST_F(StraysTest, WhatRunsFromAnotherSpoolFolderThatWasDeletedEndsToo) {
  worker = "n1 tcp://10.0.0.1:6000";
  start_worker();
  run_and_leave();
  fs::remove_all(spool());
  Processes other(folder / "other", "/bin/false", {}, {}, worker);
  ASSERT_FALSE(other.adopt());
  EXPECT_TRUE(supervisor_lives()) << "the controller does not serve it yet";
  other.served();
  EXPECT_FALSE(supervisor_lives());
  EXPECT_TRUE(nothing_runs());
  EXPECT_EQ(other.unfit(), "");
}

TEST_F(StraysTest, AttemptsOfTheSpoolFolderUnderAnotherPathRunOnWhenTheWorkerIsServed) {
  worker = "n1 tcp://10.0.0.1:6000";
  start_worker();
  run_and_leave();
  fs::create_symlink(spool(), spool() + ".link");
  {
    Processes same(spool() + ".link", "/bin/false", {}, {}, worker);
    ASSERT_FALSE(same.adopt());
    same.served();
  }
  EXPECT_TRUE(supervisor_lives());
  EXPECT_FALSE(nothing_runs());
  start_worker();
  known = true;
}

TEST_F(StraysTest, ASpoolFolderOfAnEarlierBootMayBeACopy) {
  run_and_leave();
  ::kill(supervisor, SIGKILL);
  write_text(spool() + "/spool_place", "6d1c0b4e-0000-0000-0000-000000000000 1:2 /old\n");
  start_worker();
  EXPECT_EQ(processes->spool_id(), spool_id);
  EXPECT_EQ(read_text(spool() + "/spool_place").find(boot_id() + " "), 0u);
}

TEST_F(StraysTest, ASpoolFolderWhoseIdentityIsDamagedIsNotServed) {
  processes.reset();
  write_text(spool() + "/spool_id", "5f0c");
  processes = std::make_unique<Processes>(spool(), "/bin/false");
  const Failure failure = processes->adopt();
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->fact, spool() + "/spool_id cannot be read, or is damaged");
}

}  // namespace
}  // namespace cox
