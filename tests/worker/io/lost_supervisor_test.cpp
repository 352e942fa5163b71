// Tests what a worker makes of the processes of a supervisor that was killed, without a cgroup: its
// room is free only when each process that may be the attempt's has ended.
#include "tests/worker/processes_fixture.h"

namespace cox {
namespace {

class LostSupervisorTest : public ProcessesTest {
 protected:
  // Runs a rank that starts a process without any environment, and without a living parent of the
  // attempt. `leave`: the words by which the process leaves the supervisor's session.
  void run_with_orphan(const std::string& leave) {
    run(shell_gang(1, "(" + leave +
                          " env -i /usr/bin/sleep 1000 & echo $! > new; mv new orphan); "
                          "exec sleep 1000"));
    ASSERT_TRUE(wait_file("orphan"));
    orphan = std::atoi(read_text(folder / "orphan").c_str());
    ASSERT_GT(orphan, 0);
    // The next worker looks only after the orphan has got another parent: while the supervisor is
    // its parent, that shows whose it is.
    const pid_t supervisor = supervisor_pid();
    processes.reset();
    fs::remove(attempt_folder() + "/cgroup");  // as on a machine without cgroups
    ASSERT_EQ(::kill(supervisor, SIGKILL), 0);
    const auto is_left = [&] {
      const auto line = read_process(orphan);
      return line && line->stat.parent != supervisor;
    };
    for (const auto end = Clock::now() + patience(); !is_left() && Clock::now() < end;) continue;
    ASSERT_TRUE(is_left());
    start_worker();
  }
  void TearDown() override {
    if (orphan > 0) ::kill(orphan, SIGKILL);
    ProcessesTest::TearDown();
  }
  bool orphan_lives() const {
    const auto line = read_process(orphan);
    return line && line->stat.is_living();
  }

  pid_t orphan = 0;
};

TEST_F(LostSupervisorTest, AProcessWithoutAnEnvironmentIsFoundByItsSession) {
  run_with_orphan("");
  EXPECT_TRUE(wait_until([&] { return lost; }));
  EXPECT_FALSE(orphan_lives());
  EXPECT_EQ(status.kill_failure, KillFailure::None);
}

TEST_F(LostSupervisorTest, AProcessOfWhichNothingIsKnownKeepsTheRoomAndIsNotKilled) {
  run_with_orphan("setsid");
  ASSERT_TRUE(wait_until([&] { return lost || status.supervisor_lost; }));
  EXPECT_FALSE(lost);
  EXPECT_EQ(status.kill_failure, KillFailure::Runs);
  EXPECT_EQ(status.phase, NodePhase::Running);
  EXPECT_EQ(status.note,
            "its supervisor is lost, and these processes may be the job's, since they show no "
            "environment: pid " +
                std::to_string(orphan) + " (sleep); end them if they are, or reboot the node");
  EXPECT_TRUE(nothing_runs()) << "the rank itself was ended";
  EXPECT_TRUE(orphan_lives());

  ::kill(orphan, SIGKILL);
  EXPECT_TRUE(wait_until([&] { return lost; }));
}

TEST_F(LostSupervisorTest, AnotherProgramWithAnEnvironmentOfItsOwnIsNoneOfTheAttempt) {
  run(shell_gang(1, "touch begun; exec sleep 1000"));
  ASSERT_TRUE(wait_file("begun"));
  const pid_t other = ::fork();
  if (other == 0) {
    // The second child loses its parent, as a daemon does.
    if (::fork() != 0) ::_exit(0);
    ::setsid();
    const std::string record = "echo $$ > new; mv new orphan; exec /usr/bin/sleep 1000";
    const std::string place = folder.path();
    if (::chdir(place.c_str()) == 0)
      ::execl("/usr/bin/env", "env", "-i", "HOME=/", "/bin/sh", "-c", record.c_str(), nullptr);
    ::_exit(1);
  }
  ASSERT_EQ(::waitpid(other, nullptr, 0), other);
  ASSERT_TRUE(wait_file("orphan"));
  orphan = std::atoi(read_text(folder / "orphan").c_str());
  fs::remove(attempt_folder() + "/cgroup");
  ASSERT_EQ(::kill(supervisor_pid(), SIGKILL), 0);
  EXPECT_TRUE(wait_until([&] { return lost; }));
  EXPECT_TRUE(orphan_lives());
}

TEST(UnexplainedText, ALongListOfProcessesIsCutAndTheNextStepIsNot) {
  const std::string text = unexplained_text(std::vector<pid_t>(100, ::getpid()));
  EXPECT_TRUE(text.starts_with("its supervisor is lost, and these processes may be the job's"));
  EXPECT_TRUE(text.ends_with(", ...; end them if they are, or reboot the node")) << text;
  EXPECT_LT(text.size(), 500u);
}

}  // namespace
}  // namespace cox
