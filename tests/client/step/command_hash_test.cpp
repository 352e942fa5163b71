// Tests which commands count as the same when a step may resume from a checkpoint.
#include "client/step/command_hash.h"

#include <gtest/gtest.h>

namespace cox {
namespace {

TEST(CommandHash, EveryArgumentCounts) {
  const std::string hash = command_hash({"python3", "train.py", "--lr", "0.1"});
  EXPECT_EQ(hash.size(), 32u);
  EXPECT_EQ(command_hash({"python3", "train.py", "--lr", "0.1"}), hash);
  EXPECT_NE(command_hash({"python3", "train.py", "--lr", "0.2"}), hash);
  EXPECT_NE(command_hash({"python3", "finetune.py", "--lr", "0.1"}), hash);
  EXPECT_NE(command_hash({"python3", "train.py", "--lr"}), hash);
  EXPECT_NE(command_hash({"python3", "train.py", "--lr0.1"}), hash);
}

// The scripts of PyTorch and accelerate for Slurm have the first node and a random number in them.
TEST(CommandHash, OptionsThatNameTheMeetingPlaceDoNotCount) {
  const std::string hash = command_hash({"torchrun", "--nnodes", "2", "train.py", "50"});
  EXPECT_EQ(command_hash({"torchrun", "--nnodes", "2", "--rdzv_id", "1234", "--rdzv_endpoint",
                          "10.0.0.1:29500", "train.py", "50"}),
            hash);
  EXPECT_EQ(command_hash({"torchrun", "--nnodes", "2", "--node-rank=1", "--master_addr=n7",
                          "--master-port=29501", "train.py", "50"}),
            hash);
  EXPECT_NE(command_hash({"torchrun", "--nnodes", "2", "--rdzv_backend", "c10d", "train.py", "50"}),
            hash);
  EXPECT_EQ(command_hash({"bash", "-c", "accelerate launch --main_process_ip n1 train.py"}),
            command_hash({"bash", "-c", "accelerate launch --main_process_ip n2 train.py"}));
  EXPECT_NE(command_hash({"bash", "-c", "accelerate launch --main_process_ip n1 train.py"}),
            command_hash({"bash", "-c", "accelerate launch --main_process_ip n1 other.py"}));
}

// A script may pass them on as arguments; $COX_RESUME_FROM is empty in the first attempt.
TEST(CommandHash, TheFoldersOfAnAttemptDoNotCount) {
  const auto hash = [](const std::vector<std::string>& words, const std::string& attempt,
                       const std::string& resume) {
    return command_hash(words, {attempt, resume});
  };
  const std::string none = command_hash({"train.py", "--lr", "0.1"});
  EXPECT_EQ(hash({"train.py", "--lr", "0.1", "--resume", ""}, "/c/17/1", ""), none);
  EXPECT_EQ(
      hash({"train.py", "--lr", "0.1", "--resume", "/c/17/1/step-9"}, "/c/17/2", "/c/17/1/step-9"),
      none);
  EXPECT_EQ(hash({"train.py", "--lr", "0.1", "--resume="}, "/c/17/1", ""), none);
  EXPECT_EQ(hash({"train.py", "--lr", "0.1", "--resume=/c/17/1/step-9/rank-0"}, "/c/17/2",
                 "/c/17/1/step-9"),
            none);
  EXPECT_EQ(hash({"bash", "-c", "train.py --save /c/17/1"}, "/c/17/1", ""),
            hash({"bash", "-c", "train.py --save /c/17/2"}, "/c/17/2", "/c/17/1/step-9"));
  EXPECT_NE(hash({"train.py", "--lr=0.2", "--resume", ""}, "/c/17/1", ""), none);
}

}  // namespace
}  // namespace cox
