// Tests a worker whose spool folder's name is away for some time, as while a disk is mounted late.
// The supervisors live on, and the worker still sees their locks.
#include "tests/worker/processes_fixture.h"

namespace cox {
namespace {

class MovedSpoolTest : public ProcessesTest {
 protected:
  void TearDown() override {
    move_back();
    ProcessesTest::TearDown();
  }
  void move_away() { fs::rename(spool(), spool() + ".away"); }
  void move_back() {
    if (fs::exists(spool() + ".away")) fs::rename(spool() + ".away", spool());
  }
  // Lets the worker see the end of a supervisor, and do what follows from it.
  void look_again() {
    for (int i = 0; i < 5; ++i) take_events();
  }
  // Lets TearDown() end this attempt.
  void end_with(AttemptKey key) {
    launch.key = key;
    status = AttemptStatus{};
    lost = false;
  }
  static bool lives(pid_t pid) {
    const auto line = read_process(pid);
    return line && line->stat.is_living();
  }
};

TEST_F(MovedSpoolTest, TheEndOfOneAttemptEndsNoOther) {
  run(shell_gang(1, "touch begun; sleep 1000"));
  ASSERT_TRUE(wait_file("begun"));
  const AttemptKey first = launch.key;
  const pid_t supervisor = supervisor_pid();
  LaunchSpec second = shell_gang(1, "touch begun2; until [ -e end ]; do sleep 0.01; done");
  second.key.job = JobId(18);
  run(second);
  ASSERT_TRUE(wait_file("begun2"));
  move_away();
  write_text(folder / "end", "");
  EXPECT_TRUE(wait_gone());
  EXPECT_EQ(status.key, second.key);
  EXPECT_TRUE(wait_until([&] { return lock_folder(processes->reached(second.key)).ok(); }));
  look_again();
  EXPECT_TRUE(lives(supervisor));
  EXPECT_FALSE(lost);
  processes->forget(second.key);
  EXPECT_FALSE(fs::exists(spool() + ".away/18.1"));
  EXPECT_FALSE(nothing_runs());
  end_with(first);
}

TEST_F(MovedSpoolTest, TheRanksOfADeadSupervisorEndAndNoOthers) {
  run(shell_gang(1, "touch begun; sleep 1000"));
  ASSERT_TRUE(wait_file("begun"));
  const AttemptKey first = launch.key;
  const pid_t supervisor = supervisor_pid();
  LaunchSpec second = shell_gang(1, "touch begun2; sleep 1000");
  second.key.job = JobId(18);
  run(second);
  ASSERT_TRUE(wait_file("begun2"));
  const std::string identity = read_text(spool() + "/18.1/identity");
  move_away();
  ::kill(std::atoi(identity.substr(identity.find('\n') + 1).c_str()), SIGKILL);
  EXPECT_TRUE(wait_until([&] { return lost; }));
  EXPECT_EQ(status.key, second.key);
  EXPECT_TRUE(runs_nothing(spool() + "/18.1"));
  look_again();
  EXPECT_TRUE(lives(supervisor));
  EXPECT_FALSE(nothing_runs());
  end_with(first);
}

TEST_F(MovedSpoolTest, AFolderThatReplacesItGetsNoAttempt) {
  move_away();
  fs::create_directory(spool());
  EXPECT_EQ(processes->unfit(),
            "its spool folder " + spool() + " was replaced while the worker ran");
  fs::remove(spool());
  move_back();
  EXPECT_EQ(processes->unfit(), "");
}

}  // namespace
}  // namespace cox
