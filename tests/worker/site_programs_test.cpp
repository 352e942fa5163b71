// The site's programs around real ranks, run by real supervisors.
#include <sys/stat.h>

#include "tests/worker/processes_fixture.h"

namespace cox {
namespace {

class SiteProgramsOf : public ProcessesTest {
 protected:
  std::string program(const std::string& name, const std::string& script) {
    const std::string path = folder / name;
    write_text(path, "#!/bin/sh\ncd " + folder.path() + "\n" + script + "\n");
    EXPECT_EQ(::chmod(path.c_str(), 0755), 0);
    return path;
  }
  // A worker that has these programs.
  void begin() {
    processes.reset();
    start_worker();
  }
  bool wait_ended(const LaunchSpec& asked) {
    run(asked);
    return wait_gone();
  }
  std::string told() const { return read_text(folder / "told"); }
};

TEST_F(SiteProgramsOf, TheNodesOwnRunAroundTheJob) {
  site.prolog = program("prolog", "echo $SLURM_SCRIPT_CONTEXT $SLURM_JOB_ID $USERS >> told");
  site.epilog = program("epilog", "echo $SLURM_SCRIPT_CONTEXT $SLURM_JOB_EXIT_CODE2 >> told");
  begin();
  LaunchSpec asked = shell_gang(1, "echo rank >> told; exit 3");
  asked.environment += std::string("USERS=evil") + '\0';
  ASSERT_TRUE(wait_ended(asked));
  EXPECT_EQ(told(), "prolog_slurmd 17\nrank\nepilog_slurmd 3:0\n");
  EXPECT_EQ(status.site_error, "");
  EXPECT_EQ(status.ranks.at(0).exit_code, 3);
}

TEST_F(SiteProgramsOf, ALaunchFileHasTheProgramsOfTheWorkerAlone) {
  begin();
  LaunchSpec asked = shell_gang(1, "true");
  asked.site.prolog = program("evil", "touch evil-was-here");
  ASSERT_TRUE(wait_ended(asked));
  EXPECT_FALSE(fs::exists(folder / "evil-was-here"));
}

TEST_F(SiteProgramsOf, AFailedPrologRefusesTheLaunch) {
  site.prolog = program("prolog", "echo no such mount >&2; exit 3");
  site.epilog = program("epilog", "echo epilog >> told");
  begin();
  prepare(shell_gang(1, "echo rank >> told"));
  ASSERT_TRUE(wait_gone());
  EXPECT_EQ(status.refused, "Prolog error: exit code 3: no such mount");
  EXPECT_EQ(status.site_error, status.refused);
  EXPECT_EQ(told(), "epilog\n");
}

TEST_F(SiteProgramsOf, OneThatIsNotThereHasFailed) {
  site.prolog = folder / "nothing";
  begin();
  prepare(shell_gang(1, "true"));
  ASSERT_TRUE(wait_gone());
  EXPECT_EQ(status.refused, "Prolog error: exit code 127: cannot run " + site.prolog +
                                ": No such file or directory");
}

TEST_F(SiteProgramsOf, OneThatTakesTooLongIsKilledWithWhatItHasStarted) {
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

TEST_F(SiteProgramsOf, AFailedEpilogIsTold) {
  site.epilog = program("epilog", "yes | head -c 100000; exit 1");
  begin();
  ASSERT_TRUE(wait_ended(shell_gang(1, "true")));
  EXPECT_EQ(status.site_error, "Epilog error: exit code 1: y");
  EXPECT_EQ(status.refused, "");
}

TEST_F(SiteProgramsOf, TheEpilogRunsWhenTheSupervisorIsLost) {
  site.epilog = program("epilog", "echo $SLURM_JOB_ID >> told; exit 1");
  begin();
  run(shell_gang(1, "touch runs; sleep 1000"));
  ASSERT_TRUE(wait_file("runs"));
  ::kill(supervisor_pid(), SIGKILL);
  ASSERT_TRUE(wait_until([&] { return lost; }));
  EXPECT_EQ(told(), "17\n");
  EXPECT_TRUE(nothing_runs());
  EXPECT_TRUE(status.site_error.starts_with("Epilog error: ")) << status.site_error;
}

TEST_F(SiteProgramsOf, ThoseOfTasksRunAroundEachRank) {
  site.task_prolog = program("task-prolog",
                             "echo export GIVEN=$SLURM_PROCID\n"
                             "echo unset TAKEN\n"
                             "echo print from the prolog of $SLURM_TASK_PID");
  site.task_epilog = program("task-epilog", "echo epilog $SLURM_PROCID ${GIVEN-unset} >> told");
  begin();
  LaunchSpec asked = shell_gang(2, "echo $GIVEN ${TAKEN:-none} $$ >> out-$SLURM_PROCID");
  asked.environment += std::string("TAKEN=1") + '\0';
  asked.spec.output = folder / "printed-%t";
  ASSERT_TRUE(wait_ended(asked));
  const std::string out = read_text(folder / "out-1");
  EXPECT_TRUE(out.starts_with("1 none ")) << out;
  EXPECT_EQ(read_text(folder / "printed-1"),
            "from the prolog of " + out.substr(std::string("1 none ").size()));
  const std::string both = told();
  EXPECT_NE(both.find("epilog 0 unset\n"), both.npos) << both;
  EXPECT_NE(both.find("epilog 1 unset\n"), both.npos) << "without what the prolog has exported";
}

TEST_F(SiteProgramsOf, AFailedTaskPrologEndsTheTaskWithItsCode) {
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

TEST_F(SiteProgramsOf, ATaskPrologThatHangsIsKilled) {
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

TEST_F(SiteProgramsOf, ATaskEpilogThatHangsHoldsTheEndForItsTimeAlone) {
  site.task_epilog = program("task-epilog", "touch epilog-runs; sleep 1000");
  site.timeout_ms = 300;
  begin();
  ASSERT_TRUE(wait_ended(shell_gang(1, "exit 2")));
  EXPECT_TRUE(fs::exists(folder / "epilog-runs"));
  EXPECT_EQ(status.ranks.at(0).exit_code, 2) << "nothing comes of it";
  EXPECT_TRUE(nothing_runs());
}

}  // namespace
}  // namespace cox
