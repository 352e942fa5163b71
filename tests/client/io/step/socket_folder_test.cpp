// Tests the folder of srun's socket: what a killed srun left is removed, and nothing else.
#include "client/io/step/socket_folder.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace cox {
namespace {

namespace fs = std::filesystem;

class SocketFolderTest : public testing::Test {
 protected:
  SocketFolderTest() {
    std::string path = "/tmp/cox-test-XXXXXX";
    EXPECT_NE(::mkdtemp(path.data()), nullptr);
    parent_ = path;
  }
  ~SocketFolderTest() override { fs::remove_all(parent_); }

  std::string prefix() const { return parent_ + "/cox-srun-"; }

  std::size_t count() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(parent_), fs::directory_iterator{}));
  }

  // Starts a process that makes a folder with a socket file and keeps it. Returns its pid.
  pid_t start_process() const {
    int ready[2];
    EXPECT_EQ(::pipe(ready), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      const auto folder = SocketFolder::make(prefix());
      if (!folder) ::_exit(1);
      std::ofstream((*folder)->socket()) << "a socket";
      if (::write(ready[1], "+", 1) != 1) ::_exit(1);
      for (;;) ::pause();
    }
    char made = 0;
    EXPECT_EQ(::read(ready[0], &made, 1), 1);
    ::close(ready[0]);
    ::close(ready[1]);
    return child;
  }

  static void kill_process(pid_t pid) {
    ::kill(pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
  }

  std::string parent_;
};

TEST_F(SocketFolderTest, IsRemovedAtTheEnd) {
  {
    const auto folder = SocketFolder::make(prefix());
    ASSERT_TRUE(folder.ok());
    std::ofstream((*folder)->socket()) << "a socket";
    EXPECT_EQ(count(), 1U);
  }
  EXPECT_EQ(count(), 0U);
}

TEST_F(SocketFolderTest, OfAKilledProcessIsRemovedByTheNext) {
  kill_process(start_process());
  kill_process(start_process());
  EXPECT_EQ(count(), 1U) << "the second process removed what the first one left";
  const auto folder = SocketFolder::make(prefix());
  ASSERT_TRUE(folder.ok());
  EXPECT_EQ(count(), 1U);
  EXPECT_TRUE(fs::exists((*folder)->path()));
}

TEST_F(SocketFolderTest, OfALivingProcessStays) {
  const pid_t child = start_process();
  EXPECT_TRUE(SocketFolder::make(prefix()).ok());
  EXPECT_EQ(count(), 1U);
  kill_process(child);
  EXPECT_TRUE(SocketFolder::make(prefix()).ok());
  EXPECT_EQ(count(), 0U);
}

TEST_F(SocketFolderTest, IsNotRemovedWithoutProof) {
  fs::create_directory(prefix() + "young");  // its process has not made the lock file yet
  fs::create_directory(parent_ + "/other");
  std::ofstream(parent_ + "/other/lock");
  std::ofstream(prefix() + "file");
  fs::create_symlink(parent_ + "/other", prefix() + "link");
  EXPECT_TRUE(SocketFolder::make(prefix()).ok());
  EXPECT_EQ(count(), 4U);
  EXPECT_TRUE(fs::exists(parent_ + "/other/lock"));
}

}  // namespace
}  // namespace cox
