// Tests that the fork server, which forks supervisors, may be started by another command, such as
// systemd-run in a scope.
#include "tests/worker/processes_fixture.h"

namespace cox {
namespace {

class ServerPrefix : public ProcessesTest {
 protected:
  void start_with(std::vector<std::string> prefix) {
    processes.reset();
    server_prefix = std::move(prefix);
    start_worker();
  }
};

TEST_F(ServerPrefix, SupervisorsAreStartedByThePrefixCommand) {
  start_with({"/usr/bin/env", "PUT_BY=prefix"});
  run(shell_gang(1, "touch up; while [ ! -e over ]; do sleep 0.01; done"));
  ASSERT_TRUE(wait_file("up"));
  const std::string environment =
      read_text("/proc/" + std::to_string(supervisor_pid()) + "/environ");
  EXPECT_NE(environment.find("PUT_BY=prefix"), std::string::npos);
  write_text(folder / "over", "");
  ASSERT_TRUE(wait_gone());
  EXPECT_EQ(status.ranks[0].exit_code, 0);
}

TEST_F(ServerPrefix, IfThePrefixFailsTheJobRunsWithoutIt) {
  start_with({"/bin/false"});
  run(shell_gang(1, "exit 3"));
  ASSERT_TRUE(wait_gone());
  EXPECT_FALSE(lost);
  EXPECT_EQ(status.ranks[0].exit_code, 3);
}

TEST_F(ServerPrefix, IfThePrefixDoesNotExistTheJobRunsWithoutIt) {
  start_with({"/nowhere/systemd-run"});
  run(shell_gang(1, "exit 3"));
  ASSERT_TRUE(wait_gone());
  EXPECT_FALSE(lost);
  EXPECT_EQ(status.ranks[0].exit_code, 3);
}

}  // namespace
}  // namespace cox
