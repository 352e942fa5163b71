// Tests the start of ranks as real processes: a signal right after the start is not lost.
#include "worker/supervisor/io/rank_process.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/patience.h"
#include "tests/worker/temporary_folder.h"

namespace cox {
namespace {

// Waits for the child's end. Returns "signal N", "exit" or "it did not end".
std::string end_of(pid_t pid) {
  int status = 0;
  if (!wait_for([&] { return ::waitpid(pid, &status, WNOHANG) != 0; })) {
    ::kill(pid, SIGKILL);
    ::waitpid(pid, &status, 0);
    return "it did not end";
  }
  return WIFSIGNALED(status) ? "signal " + std::to_string(WTERMSIG(status)) : "exit";
}

TEST(RankProcess, ASignalBeforeTheProgramOfTheRankRunsIsNotLost) {
  const TemporaryFolder folder;
  RankCommand command;
  command.words = {"sleep", "100"};
  command.environment = {"PATH=/usr/bin:/bin"};
  command.place = {folder.path(), "/dev/null", folder / "out", folder / "out"};
  command.uid = ::geteuid();
  command.gid = ::getegid();
  const auto before = ::signal(SIGTERM, SIG_IGN);  // a supervisor ignores SIGTERM too
  for (int rank = 0; rank < 20; ++rank) {
    auto process = start_rank(rank, command, Containment{});
    ASSERT_TRUE(process.ok()) << process.refusal().fact;
    ::kill(-process->pid, SIGTERM);
    ASSERT_EQ(end_of(process->pid), "signal 15") << "rank " << rank;
  }
  ::signal(SIGTERM, before);
}

}  // namespace
}  // namespace cox
