// Tests the site's prologs and epilogs around real ranks, run by real supervisors.
#include <sys/stat.h>

#include "tests/worker/processes_fixture.h"

namespace cox {
namespace {

class SiteProgramsTest : public ProcessesTest {
 protected:
  std::string program(const std::string& name, const std::string& script) {
    const std::string path = folder / name;
    write_text(path, "#!/bin/sh\ncd " + folder.path() + "\n" + script + "\n");
    EXPECT_EQ(::chmod(path.c_str(), 0755), 0);
    return path;
  }
  // Starts a worker that runs the site's programs set in `site`.
  void begin() {
    processes.reset();
    start_worker();
  }
  bool wait_ended(const LaunchSpec& asked) {
    run(asked);
    return wait_gone();
  }
  std::string calls() const { return read_text(folder / "calls"); }
};

TEST_F(SiteProgramsTest, TheNodesPrologAndEpilogRunAroundTheJob) {
  site.prolog = program("prolog", "echo $SLURM_SCRIPT_CONTEXT $SLURM_JOB_ID $USERS >> calls");
  site.epilog = program("epilog", "echo $SLURM_SCRIPT_CONTEXT $SLURM_JOB_EXIT_CODE2 >> calls");
  begin();
  LaunchSpec asked = shell_gang(1, "echo rank >> calls; exit 3");
  asked.environment += std::string("USERS=evil") + '\0';
  ASSERT_TRUE(wait_ended(asked));
  EXPECT_EQ(calls(), "prolog_slurmd 17\nrank\nepilog_slurmd 3:0\n");
  EXPECT_EQ(status.site_error, "");
  EXPECT_EQ(status.ranks.at(0).exit_code, 3);
}

TEST_F(SiteProgramsTest, APrologNamedInTheLaunchOfAJobIsNotRun) {
  begin();
  LaunchSpec asked = shell_gang(1, "true");
  asked.site.prolog = program("evil", "touch evil-was-here");
  ASSERT_TRUE(wait_ended(asked));
  EXPECT_FALSE(fs::exists(folder / "evil-was-here"));
}

TEST_F(SiteProgramsTest, AFailedPrologRefusesTheLaunch) {
  site.prolog = program("prolog", "echo no such mount >&2; exit 3");
  site.epilog = program("epilog", "echo epilog >> calls");
  begin();
  prepare(shell_gang(1, "echo rank >> calls"));
  ASSERT_TRUE(wait_gone());
  EXPECT_EQ(status.refused, "Prolog error: exit code 3: no such mount");
  EXPECT_EQ(status.site_error, status.refused);
  EXPECT_EQ(calls(), "epilog\n");
}

TEST_F(SiteProgramsTest, AMissingPrologRefusesTheLaunch) {
  site.prolog = folder / "nothing";
  begin();
  prepare(shell_gang(1, "true"));
  ASSERT_TRUE(wait_gone());
  EXPECT_EQ(status.refused, "Prolog error: exit code 127: cannot run " + site.prolog +
                                ": No such file or directory");
}

TEST_F(SiteProgramsTest, APrologThatTakesTooLongIsKilledWithItsChildProcesses) {
  site.prolog = program("prolog", "echo $$ > pid; sleep 1000 & wait");
  site.timeout_ms = 500;
  begin();
  prepare(shell_gang(1, "true"));
  ASSERT_TRUE(wait_gone());
  EXPECT_EQ(status.refused, "Prolog error: it did not end within 500 ms");
  const pid_t group = std::atoi(read_text(folder / "pid").c_str());
  ASSERT_GT(group, 0);
  EXPECT_TRUE(wait_for([&] { return ::kill(-group, 0) != 0; }));
}

TEST_F(SiteProgramsTest, AFailedEpilogIsReported) {
  site.epilog = program("epilog", "yes | head -c 100000; exit 1");
  begin();
  ASSERT_TRUE(wait_ended(shell_gang(1, "true")));
  EXPECT_EQ(status.site_error, "Epilog error: exit code 1: y");
  EXPECT_EQ(status.refused, "");
}

TEST_F(SiteProgramsTest, TheEpilogRunsWhenTheSupervisorIsLost) {
  site.epilog = program("epilog", "echo $SLURM_JOB_ID >> calls; exit 1");
  begin();
  run(shell_gang(1, "touch runs; sleep 1000"));
  ASSERT_TRUE(wait_file("runs"));
  ::kill(supervisor_pid(), SIGKILL);
  ASSERT_TRUE(wait_until([&] { return lost; }));
  EXPECT_EQ(calls(), "17\n");
  EXPECT_TRUE(nothing_runs());
  EXPECT_TRUE(status.site_error.starts_with("Epilog error: ")) << status.site_error;
}

TEST_F(SiteProgramsTest, TaskPrologAndTaskEpilogRunAroundEachRank) {
  site.task_prolog = program("task-prolog",
                             "echo export GIVEN=$SLURM_PROCID\n"
                             "echo unset TAKEN\n"
                             "echo print from the prolog of $SLURM_TASK_PID");
  site.task_epilog = program("task-epilog", "echo epilog $SLURM_PROCID ${GIVEN-unset} >> calls");
  begin();
  LaunchSpec asked = shell_gang(2, "echo $GIVEN ${TAKEN:-none} $$ >> out-$SLURM_PROCID");
  asked.environment += std::string("TAKEN=1") + '\0';
  asked.spec.output = folder / "printed-%t";
  ASSERT_TRUE(wait_ended(asked));
  const std::string out = read_text(folder / "out-1");
  EXPECT_TRUE(out.starts_with("1 none ")) << out;
  EXPECT_EQ(read_text(folder / "printed-1"),
            "from the prolog of " + out.substr(std::string("1 none ").size()));
  const std::string both = calls();
  EXPECT_NE(both.find("epilog 0 unset\n"), both.npos) << both;
  EXPECT_NE(both.find("epilog 1 unset\n"), both.npos)
      << "the task epilog does not have the exports of the prolog";
}

TEST_F(SiteProgramsTest, AFailedTaskPrologEndsTheTaskWithItsCode) {
  site.task_prolog = program("task-prolog", "echo all is lost >&2; exit 9");
  begin();
  LaunchSpec asked = shell_gang(1, "touch ran");
  asked.spec.output = folder / "printed";
  ASSERT_TRUE(wait_ended(asked));
  EXPECT_EQ(status.ranks.at(0).exit_code, 9);
  EXPECT_FALSE(fs::exists(folder / "ran"));
  EXPECT_EQ(read_text(folder / "printed"),
            "all is lost\nslurmstepd: error: TaskProlog failed status=9\n");
}

TEST_F(SiteProgramsTest, ATaskPrologThatHangsIsKilled) {
  site.task_prolog = program("task-prolog", "sleep 1000");
  site.timeout_ms = 300;
  begin();
  LaunchSpec asked = shell_gang(1, "touch ran");
  asked.spec.output = folder / "printed";
  ASSERT_TRUE(wait_ended(asked));
  EXPECT_EQ(status.ranks.at(0).exit_code, 1);
  EXPECT_EQ(read_text(folder / "printed"),
            "slurmstepd: error: TaskProlog failed status=1: it did not end within 300 ms\n");
}

TEST_F(SiteProgramsTest, ATaskEpilogThatHangsDelaysTheEndOnlyUpToItsTimeout) {
  site.task_epilog = program("task-epilog", "touch epilog-runs; sleep 1000");
  site.timeout_ms = 300;
  begin();
  ASSERT_TRUE(wait_ended(shell_gang(1, "exit 2")));
  EXPECT_TRUE(fs::exists(folder / "epilog-runs"));
  EXPECT_EQ(status.ranks.at(0).exit_code, 2)
      << "the killed task epilog does not change the exit code";
  EXPECT_TRUE(nothing_runs());
}

}  // namespace
}  // namespace cox
