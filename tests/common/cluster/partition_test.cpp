// Tests lists of partitions that jobs name, and what each partition state allows.
#include "common/cluster/partition.h"

#include <gtest/gtest.h>

#include "common/syntax/partition_list.h"

namespace cox {
namespace {

using Names = std::vector<std::string_view>;

TEST(Partition, names_of_a_list_are_unique_and_keep_their_order) {
  EXPECT_EQ(partition_names("gpu"), Names{"gpu"});
  EXPECT_EQ(partition_names("gpu,debug,gpu"), (Names{"gpu", "debug"}));
  EXPECT_EQ(partition_names(",gpu,,debug,"), (Names{"gpu", "debug"}));
  EXPECT_TRUE(partition_names("").empty());
  EXPECT_TRUE(names_partition("gpu,debug", "debug"));
  EXPECT_FALSE(names_partition("gpu2,debug", "gpu"));
}

TEST(Partition, a_state_is_parsed_in_any_case) {
  for (const PartitionState state :
       {PartitionState::Up, PartitionState::Down, PartitionState::Drain, PartitionState::Inactive})
    EXPECT_EQ(partition_state_from(name(state)), state);
  EXPECT_EQ(partition_state_from("down"), PartitionState::Down);
  EXPECT_EQ(partition_state_from("downs"), std::nullopt);
  EXPECT_EQ(partition_state_from(""), std::nullopt);
}

TEST(Partition, each_state_accepts_and_starts_jobs_like_in_slurm) {
  EXPECT_TRUE(takes_jobs(PartitionState::Up) && starts_jobs(PartitionState::Up));
  EXPECT_TRUE(takes_jobs(PartitionState::Down) && !starts_jobs(PartitionState::Down));
  EXPECT_TRUE(!takes_jobs(PartitionState::Drain) && starts_jobs(PartitionState::Drain));
  EXPECT_TRUE(!takes_jobs(PartitionState::Inactive) && !starts_jobs(PartitionState::Inactive));
}

}  // namespace
}  // namespace cox
