// Tests the lines of `scontrol show config` that programs read.
#include "client/slurm/control/config_record.h"

#include <gtest/gtest.h>

namespace cox {
namespace {

TEST(ConfigRecord, HasThePollingTimesThatToilReads) {
  const std::string text = config_record(Configuration{}, {"head"}, Screen{});
  EXPECT_NE(text.find("\nAcctGatherNodeFreq      = 0 sec\n"), std::string::npos);
  EXPECT_NE(text.find("\nSchedulerTimeSlice      = 30 sec\n"), std::string::npos);
}

}  // namespace
}  // namespace cox
