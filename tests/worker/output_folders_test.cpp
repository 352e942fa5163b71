// Tests which missing folders of a rank's output and input files are created.
#include "tests/worker/processes_fixture.h"

namespace cox {
namespace {

TEST_F(ProcessesTest, AJobWhoseOutputCannotBeOpenedDoesNotRunAndReportsTheReason) {
  LaunchSpec wrong = shell_gang(1, "touch ran");
  write_text(folder / "file", "");
  wrong.spec.output = "file/%j.out";
  run(wrong);
  ASSERT_TRUE(wait_gone());
  EXPECT_EQ(status.ranks[0].exit_code, 1);
  EXPECT_NE(status.note.find("file/17.out: Not a directory"), std::string::npos) << status.note;
  EXPECT_FALSE(fs::exists(folder / "ran"));
}

TEST_F(ProcessesTest, MissingFoldersOfOutputAreCreated) {
  LaunchSpec launch = shell_gang(1, "echo said; echo complained >&2");
  launch.spec.output = "logs/%j/%t.out";
  launch.spec.error = folder / "errors/%j.err";
  run(launch);
  ASSERT_TRUE(wait_gone());
  EXPECT_EQ(status.ranks[0].exit_code, 0) << status.note;
  EXPECT_EQ(read_text(folder / "logs/17/0.out"), "said\n");
  EXPECT_EQ(read_text(folder / "errors/17.err"), "complained\n");
}

TEST_F(ProcessesTest, MissingFoldersOfInputAreNotCreated) {
  LaunchSpec wrong = shell_gang(1, "touch ran");
  wrong.spec.input = "nowhere/in";
  run(wrong);
  ASSERT_TRUE(wait_gone());
  EXPECT_NE(status.note.find("nowhere/in: No such file"), std::string::npos) << status.note;
  EXPECT_FALSE(fs::exists(folder / "nowhere"));
}

}  // namespace
}  // namespace cox
