// Tests how root makes folders below a folder that a user may write, while that user replaces what
// is there.
#include "worker/supervisor/io/files/checkpoint_folder.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <thread>

#include "tests/worker/temporary_folder.h"
#include "worker/io/checkpoint_root.h"
#include "worker/supervisor/io/files/descriptor.h"

namespace cox {
namespace {

constexpr uid_t user = 64'123;
constexpr gid_t group = 64'124;
constexpr uid_t stranger = 64'125;
constexpr int swap_rounds = 100'000;

struct Facts {
  uid_t uid = 0;
  gid_t gid = 0;
  mode_t mode = 0;
  bool operator==(const Facts&) const = default;
};

Facts facts_of(const std::string& path) {
  struct stat facts {};
  EXPECT_EQ(::lstat(path.c_str(), &facts), 0) << path;
  return {facts.st_uid, facts.st_gid, facts.st_mode & 07777};
}

// The folder "shared" is the checkpoint root and belongs to the job's user. Beside it, root has a
// folder "secret", which must not change.
class CheckpointFolderTest : public testing::Test {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "only root can give folders to other users";
    make("shared", 0755, user);
    make("secret", 0700, 0);
    make("secret/attempt-1", 0700, 0);
    write_text(folder / "secret/file", "root's alone\n");
    ASSERT_EQ(::chmod((folder / "secret/file").c_str(), 0600), 0);
    root.reset(::open((folder / "shared").c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  }

  void make(const std::string& name, mode_t mode, uid_t owner) {
    const std::string path = folder / name;
    ASSERT_EQ(::mkdir(path.c_str(), mode), 0) << path;
    ASSERT_EQ(::chmod(path.c_str(), mode), 0);
    ASSERT_EQ(::chown(path.c_str(), owner, owner == 0 ? 0 : group), 0);
  }
  void link_to(const std::string& target, const std::string& name) {
    ASSERT_EQ(::symlink((folder / target).c_str(), (folder / name).c_str()), 0);
  }
  std::optional<FolderRefused> make_one() {
    return make_checkpoint_folder(root.get(), {folder / "shared", "17", "attempt-1", user, group});
  }
  void expect_taken(const std::string& fact) {
    const auto refused = make_one();
    ASSERT_TRUE(refused) << "the folder was made";
    EXPECT_TRUE(refused->name_taken);
    EXPECT_TRUE(refused->why.fact.find(fact) != std::string::npos) << refused->why.fact;
    expect_untouched();
  }
  void expect_untouched() {
    EXPECT_EQ(facts_of(folder / "secret"), (Facts{0, 0, 0700}));
    EXPECT_EQ(facts_of(folder / "secret/attempt-1"), (Facts{0, 0, 0700}));
    EXPECT_EQ(facts_of(folder / "secret/file"), (Facts{0, 0, 0600}));
  }

  TemporaryFolder folder;
  Descriptor root;
};

TEST_F(CheckpointFolderTest, TheUserOwnsTheAttemptsFolderAndCanEnterTheJobsFolder) {
  for (int time = 0; time < 2; ++time) {  // the second time, as another node of the job does
    const auto refused = make_one();
    ASSERT_FALSE(refused) << refused->why.fact;
    EXPECT_EQ(facts_of(folder / "shared/17"), (Facts{0, 0, 0711}));
    EXPECT_EQ(facts_of(folder / "shared/17/attempt-1"), (Facts{user, group, 0700}));
  }
}

TEST_F(CheckpointFolderTest, AJobsFolderThatTheUserMadeIsTakenOverByRoot) {
  make("shared/17", 0777, user);
  const auto refused = make_one();
  ASSERT_FALSE(refused) << refused->why.fact;
  EXPECT_EQ(facts_of(folder / "shared/17"), (Facts{0, 0, 0711}));
}

TEST_F(CheckpointFolderTest, ALinkInPlaceOfTheJobsFolderIsRefused) {
  link_to("secret", "shared/17");
  expect_taken("/shared/17 is a link or a file");
}

TEST_F(CheckpointFolderTest, ALinkInPlaceOfTheAttemptsFolderIsRefused) {
  make("shared/17", 0755, user);
  link_to("secret/file", "shared/17/attempt-1");
  expect_taken("/shared/17/attempt-1 is a link or a file");
}

TEST_F(CheckpointFolderTest, AHardLinkInPlaceOfTheAttemptsFolderIsRefused) {
  make("shared/17", 0755, user);
  ASSERT_EQ(::link((folder / "secret/file").c_str(), (folder / "shared/17/attempt-1").c_str()), 0);
  expect_taken("/shared/17/attempt-1 is a link or a file");
}

TEST_F(CheckpointFolderTest, FoldersOfOtherUsersAreNotChanged) {
  make("shared/17", 0755, stranger);
  expect_taken("a folder of uid 64125");
  EXPECT_EQ(facts_of(folder / "shared/17").uid, stranger);
  ASSERT_EQ(::chown((folder / "shared/17").c_str(), 0, 0), 0);
  make("shared/17/attempt-1", 0700, stranger);
  expect_taken("a folder of uid 64125");
  EXPECT_EQ(facts_of(folder / "shared/17/attempt-1").uid, stranger);
}

TEST_F(CheckpointFolderTest, AFolderOfRootThatOthersMayWriteIsNotGivenToTheUser) {
  make("shared/17", 0755, user);
  make("shared/17/attempt-1", 0777, 0);  // made by root, but any user could have moved it here
  expect_taken("a folder that others may write");
  EXPECT_EQ(facts_of(folder / "shared/17/attempt-1").uid, 0U);
}

// Exchanges two names in a folder repeatedly, in a second thread, as fast as it can.
class Swapper {
 public:
  Swapper(std::string one, std::string other)
      : thread_([this, one = std::move(one), other = std::move(other)] {
          while (!ends_) {
            const bool done =
                ::renameat2(AT_FDCWD, one.c_str(), AT_FDCWD, other.c_str(), RENAME_EXCHANGE) == 0;
            if (done) ++rounds;
          }
        }) {}
  ~Swapper() {
    ends_ = true;
    thread_.join();
  }
  std::atomic<std::int64_t> rounds{0};

 private:
  std::atomic<bool> ends_{false};
  std::thread thread_;
};

TEST_F(CheckpointFolderTest, NothingOutsideChangesWhileTheJobsFolderIsSwappedWithALink) {
  make("shared/17", 0755, user);
  link_to("secret", "shared/link");
  const Descriptor job(::open((folder / "shared/17").c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  Swapper swapper(folder / "shared/17", folder / "shared/link");
  int made = 0;
  for (int round = 0; round < swap_rounds; ++round) {
    if (!make_one()) ++made;
    if (facts_of(folder / "secret") != Facts{0, 0, 0700}) break;
    // Removes the attempt's folder in every tenth round, so that it is made again.
    if (round % 10 == 0) ::unlinkat(job.get(), "attempt-1", AT_REMOVEDIR);
  }
  EXPECT_GT(made, 0);
  EXPECT_GT(swapper.rounds, 1'000);
  expect_untouched();
}

TEST_F(CheckpointFolderTest, NothingOutsideChangesWhileTheAttemptsFolderIsSwappedWithALink) {
  make("shared/17", 0755, user);
  make("shared/17/attempt-1", 0700, user);
  link_to("secret/file", "shared/17/link");
  Swapper swapper(folder / "shared/17/attempt-1", folder / "shared/17/link");
  int made = 0;
  for (int round = 0; round < swap_rounds; ++round) {
    if (!make_one()) ++made;
    if (facts_of(folder / "secret/file") != Facts{0, 0, 0600}) break;
  }
  EXPECT_GT(made, 0);
  EXPECT_GT(swapper.rounds, 1'000);
  expect_untouched();
}

TEST(CheckpointRoot, IsRecognisedOnlyByARegularFileWithTheNameOfTheCluster) {
  const TemporaryFolder folder;
  const std::string marker = folder / ".coxswain-cluster";
  EXPECT_FALSE(is_checkpoint_root(folder.path(), "test"));
  write_text(folder / "elsewhere", "test\n");
  ASSERT_EQ(::symlink("elsewhere", marker.c_str()), 0);
  EXPECT_FALSE(is_checkpoint_root(folder.path(), "test"));
  ASSERT_EQ(::unlink(marker.c_str()), 0);
  ASSERT_EQ(::mkfifo(marker.c_str(), 0644), 0);
  EXPECT_FALSE(is_checkpoint_root(folder.path(), "test"))
      << "it does not wait for a writer of the FIFO";
  ASSERT_EQ(::unlink(marker.c_str()), 0);
  write_text(marker, "test\n");
  EXPECT_TRUE(is_checkpoint_root(folder.path(), "test"));
  EXPECT_FALSE(is_checkpoint_root(folder.path(), "other"));
}

}  // namespace
}  // namespace cox
