// Tests what a worker knows about the GPUs of its node if one is lost, or cannot be read.
#include "worker/io/known_gpus.h"

#include <gtest/gtest.h>

#include "tests/worker/temporary_folder.h"
#include "worker/io/machine.h"

namespace cox {
namespace {

namespace fs = std::filesystem;

class Gpus : public testing::Test {
 protected:
  void add_gpu(const std::string& pci, const std::string& uuid) {
    write_text(driver / (pci + "/information"),
               "Model: \t\t NVIDIA H100 80GB HBM3\nGPU UUID: \t " + uuid + "\n");
  }
  std::vector<GpuDevice> found() { return probe_gpus(driver.path()).value(); }
  std::string check(const std::string& boot = "boot-1") {
    return check_known_gpus(spool.path(), boot, found());
  }

  TemporaryFolder driver;
  TemporaryFolder spool;
};

TEST_F(Gpus, AGpuThatCannotBeIdentifiedIsLeftOutAndTheOthersKeepTheirNumbers) {
  add_gpu("0000:18:00.0", "GPU-a");
  fs::create_directories(driver / "0000:2a:00.0/information");  // reading it fails
  add_gpu("0000:3a:00.0", "GPU-c");
  ASSERT_EQ(found().size(), 2u);
  EXPECT_EQ(found()[0].index, 0);
  EXPECT_EQ(found()[1].index, 2);
  EXPECT_EQ(found()[1].uuid, "GPU-c");
}

TEST_F(Gpus, AMachineWithoutTheDriverHasNoGpusAndAnUnreadableListIsRefused) {
  EXPECT_TRUE(probe_gpus(driver / "nowhere").value().empty());
  write_text(driver / "file", "");
  EXPECT_FALSE(probe_gpus(driver / "file")) << "not a folder";
}

TEST_F(Gpus, ALostGpuMakesTheNodeUnfitUntilItReboots) {
  add_gpu("0000:18:00.0", "GPU-a");
  add_gpu("0000:2a:00.0", "GPU-b");
  EXPECT_EQ(check(), "");
  EXPECT_EQ(check(), "") << "the worker was started again";
  fs::remove_all(driver / "0000:18:00.0");
  ASSERT_EQ(found().at(0).index, 0) << "the driver numbers GPU-b anew";
  EXPECT_EQ(
      check(),
      "GPU 0 (GPU-a) was lost after the node booted, so the numbers of running jobs' GPUs may "
      "be wrong; reboot it");
  EXPECT_NE(check(), "") << "it stays unfit";
  EXPECT_EQ(check("boot-2"), "");
}

TEST_F(Gpus, AGpuThatComesBackAtItsNumberIsGivenToJobsAgain) {
  add_gpu("0000:18:00.0", "GPU-a");
  add_gpu("0000:2a:00.0", "GPU-b");
  EXPECT_EQ(check(), "");
  fs::rename(driver / "0000:2a:00.0/information", driver / "information");
  EXPECT_NE(check(), "");
  fs::rename(driver / "information", driver / "0000:2a:00.0/information");
  EXPECT_EQ(check(), "");
}

TEST_F(Gpus, ANodeWithoutGpusKeepsNoList) {
  EXPECT_EQ(check(), "");
  EXPECT_FALSE(fs::exists(spool / "gpus"));
}

TEST_F(Gpus, AListThatCannotBeReadIsNoProofThatNoneIsLost) {
  fs::create_directories(spool / "gpus");
  EXPECT_NE(check().find("Is a directory"), std::string::npos) << check();
}

}  // namespace
}  // namespace cox
