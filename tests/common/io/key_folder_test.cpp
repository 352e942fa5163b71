// Tests that a key stays admitted while its folder cannot be read, and goes with its file.
#include "common/io/key_folder.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>

#include "common/io/link.h"
#include "tests/worker/temporary_folder.h"

namespace cox {
namespace {

// Takes all descriptors that this process may open, as a flood of connections does.
class NoDescriptorIsFree {
 public:
  NoDescriptorIsFree() {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    const int next = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    ::close(next);
    const rlimit none{static_cast<rlim_t>(next), before_.rlim_max};
    ::setrlimit(RLIMIT_NOFILE, &none);
  }
  ~NoDescriptorIsFree() { ::setrlimit(RLIMIT_NOFILE, &before_); }
  NoDescriptorIsFree(const NoDescriptorIsFree&) = delete;

 private:
  rlimit before_{};
};

TEST(KeyFolder, AKeyThatCannotBeReadForAMomentIsNotRemoved) {
  const TemporaryFolder folder;
  const std::string& dir = folder.path();
  const auto key = make_key_files(dir, "worker-n1").value();
  KeyFolder keys(dir, {"worker-"}, {});
  ASSERT_EQ(keys.name_of(key.public_key), "worker-n1");
  {
    const NoDescriptorIsFree flood;
    std::filesystem::create_directory(dir + "/changed");
    EXPECT_FALSE(keys.has_lost_keys());
    EXPECT_TRUE(keys.admits(key.public_key, "worker-n1"));
  }
  EXPECT_FALSE(keys.has_lost_keys()) << "the folder is read again";
  std::filesystem::remove(dir + "/worker-n1.pub");
  EXPECT_TRUE(keys.has_lost_keys());
  EXPECT_EQ(keys.name_of(key.public_key), std::nullopt);
}

}  // namespace
}  // namespace cox
