// Tests how a rank reports to its supervisor while the supervisor's folder, or that of the
// checkpoints, is away.
#include "client/io/supervisor_socket.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "common/base/process_text.h"
#include "common/messages/codec.h"
#include "tests/patience.h"

namespace cox {
namespace {

namespace fs = std::filesystem;

class SupervisorSocketTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "cox-socket-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    root = pattern;
    fs::create_directories(root / "spool/17.1");
    path = (root / "spool/17.1/socket").string();
    ::prctl(PR_GET_NAME, own_name.data());
    listener = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    ASSERT_LT(path.size(), sizeof address.sun_path);
    std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
    ASSERT_EQ(::bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    ASSERT_EQ(::listen(listener, 1), 0);
  }
  void TearDown() override {
    ::prctl(PR_SET_NAME, own_name.data());
    ::close(listener);
    fs::remove_all(root);
  }
  // Makes this process look like the supervisor of the processes that it forks.
  static void become_supervisor() { ::prctl(PR_SET_NAME, "cox-supervisor"); }
  void move_away() const { fs::rename(root / "spool", root / "away"); }
  void move_back() const { fs::rename(root / "away", root / "spool"); }

  static char state_of(pid_t pid) {
    std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
    const auto stat = parse_process_stat({std::istreambuf_iterator<char>(file), {}});
    return stat ? stat->state : '?';
  }
  // Takes one report and answers it.
  void answer(const CheckpointAnswer& with = {}) const {
    pollfd wait{listener, POLLIN, 0};
    ASSERT_EQ(::poll(&wait, 1, static_cast<int>(patience().count())), 1);
    const int peer = ::accept(listener, nullptr, nullptr);
    std::array<char, 4096> bytes{};
    EXPECT_GT(::read(peer, bytes.data(), bytes.size()), 0);
    const std::string frame = encode(with);
    std::string sent;
    for (int shift = 0; shift < 32; shift += 8)
      sent += static_cast<char>((frame.size() >> shift) & 0xff);
    sent += frame;
    EXPECT_EQ(::write(peer, sent.data(), sent.size()), static_cast<ssize_t>(sent.size()));
    ::close(peer);
  }

  fs::path root;
  std::string path;
  int listener = -1;
  std::array<char, 16> own_name{};
};

TEST_F(SupervisorSocketTest, AReportOfARankWaitsUntilTheFolderIsBack) {
  become_supervisor();
  move_away();
  const pid_t rank = ::fork();
  if (rank == 0) {
    const auto accepted = report_checkpoint(path, WorkFinished{});
    ::_exit(accepted && !accepted->refused ? 0 : 1);
  }
  EXPECT_TRUE(wait_for([&] { return state_of(rank) == 'S'; })) << "it waits for the socket";
  move_back();
  answer();
  int status = -1;
  EXPECT_EQ(::waitpid(rank, &status, 0), rank);
  EXPECT_EQ(status, 0);
}

TEST_F(SupervisorSocketTest, AReportIsTriedAgainOnlyIfThePlaceOfTheSaveCouldNotBeReached) {
  CheckpointAnswer refused;
  refused.refused = Refusal{"it is refused", ""};
  CheckpointAnswer away = refused;
  away.may_retry = true;
  const auto exit_code_after = [&](const std::vector<CheckpointAnswer>& answers) {
    const pid_t rank = ::fork();
    if (rank == 0) {
      const auto accepted = report_checkpoint(path, CheckpointDone{0, 7});
      ::_exit(accepted && !accepted->refused ? 0 : 1);
    }
    for (const CheckpointAnswer& one : answers) answer(one);
    int status = -1;
    EXPECT_EQ(::waitpid(rank, &status, 0), rank);
    return WEXITSTATUS(status);
  };
  EXPECT_EQ(exit_code_after({away, away, {}}), 0);
  EXPECT_EQ(exit_code_after({refused}), 1);
  EXPECT_EQ(exit_code_after({away, refused}), 1);
}

TEST_F(SupervisorSocketTest, AProcessOutsideOfAnyAttemptGetsItsErrorAtOnce) {
  move_away();
  const auto answer = report_checkpoint(path, WorkFinished{});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.refusal().fact,
            "cannot reach the supervisor at " + path + ": No such file or directory");
}

TEST_F(SupervisorSocketTest, ProgressIsNotWaitedFor) {
  become_supervisor();
  move_away();
  EXPECT_TRUE(report_progress(path, ProgressReport{}));
}

}  // namespace
}  // namespace cox
