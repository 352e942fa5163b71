// Tests a user who puts a symbolic link where the supervisor, as root, makes the checkpoint folder.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/worker/processes_fixture.h"

namespace cox {
namespace {

class PlantedLink : public ProcessesTest {};

TEST_F(PlantedLink, InPlaceOfACheckpointFolderEndsTheLaunchAndIsNotFollowed) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root runs jobs of other users";
  const std::string secret = folder / "secret";
  ASSERT_EQ(::mkdir(secret.c_str(), 0700), 0);
  ASSERT_EQ(::symlink(secret.c_str(), (folder / "checkpoints/17").c_str()), 0);
  LaunchSpec planted = shell_gang(1, "true");
  planted.spec.uid = planted.spec.gid = 64'123;
  prepare(planted);
  ASSERT_TRUE(wait_gone());
  EXPECT_TRUE(status.refused.find("checkpoints/17 is a link or a file") != std::string::npos)
      << status.refused;
  EXPECT_FALSE(status.node_at_fault);
  struct stat facts {};
  ASSERT_EQ(::lstat(secret.c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 07777, 0700U);
  EXPECT_EQ(facts.st_uid, 0U);
  EXPECT_TRUE(fs::is_empty(secret));
}

}  // namespace
}  // namespace cox
