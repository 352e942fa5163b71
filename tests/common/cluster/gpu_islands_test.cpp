#include "common/cluster/gpu_islands.h"

#include <gtest/gtest.h>

namespace cox {
namespace {

std::vector<GpuDevice> gpus_of_islands(const std::vector<std::int32_t>& islands) {
  std::vector<GpuDevice> gpus;
  for (const std::int32_t island : islands)
    gpus.push_back({static_cast<std::int32_t>(gpus.size()), "", "", island});
  return gpus;
}

std::string fact(const std::vector<std::string>& texts) {
  const auto groups = parse_gpu_groups(texts);
  return groups ? "accepted" : groups.refusal().fact;
}

}  // namespace

TEST(GpuIslands, groups_are_written_as_ranges_and_lists) {
  EXPECT_EQ(*parse_gpu_groups({"0-3", "7,5-6"}), (GpuGroups{{0, 1, 2, 3}, {5, 6, 7}}));
  EXPECT_EQ(*parse_gpu_groups({}), GpuGroups{});
}

TEST(GpuIslands, an_invalid_group_is_refused) {
  EXPECT_EQ(fact({"0-3", "3-4"}), "names GPU 3 twice");
  EXPECT_EQ(fact({"0,0"}), "names GPU 0 twice");
  for (const char* wrong : {"", "-", "-1", "3-1", "0-64", "a", "0-", "0,,1", "0-1-2", "0 1", "9e9"})
    EXPECT_NE(fact({wrong}).find("such as \"0-3\""), std::string::npos) << wrong << fact({wrong});
}

TEST(GpuIslands, a_gpu_in_no_group_is_alone) {
  auto gpus = gpus_of_islands({0, 0, 0, 0});
  EXPECT_EQ(join_gpus({{1, 3}}, gpus), std::nullopt);
  EXPECT_EQ(gpus, gpus_of_islands({2, 1, 3, 1}));
}

TEST(GpuIslands, without_groups_there_are_no_islands) {
  auto gpus = gpus_of_islands({0, 0});
  EXPECT_EQ(join_gpus({}, gpus), std::nullopt);
  EXPECT_EQ(gpus, gpus_of_islands({0, 0}));
}

TEST(GpuIslands, a_group_of_missing_gpus_is_refused) {
  auto gpus = gpus_of_islands({0, 0});
  EXPECT_EQ(join_gpus({{1, 2}}, gpus)->fact, "names GPU 2; this node has 2 GPUs");
  EXPECT_EQ(gpus, gpus_of_islands({0, 0}));
}

TEST(GpuIslands, are_formatted_as_they_are_written) {
  EXPECT_EQ(format_gpu_islands(gpus_of_islands({1, 1, 2, 2})), "0-1 2-3");
  EXPECT_EQ(format_gpu_islands(gpus_of_islands({2, 1, 2, 2, 1})), "0,2-3 1,4");
  EXPECT_EQ(format_gpu_islands(gpus_of_islands({1, 2})), "0 1");
  EXPECT_EQ(format_gpu_islands(gpus_of_islands({1, 1})), "0-1");
  EXPECT_EQ(format_gpu_islands(gpus_of_islands({0, 0})), "");
  EXPECT_EQ(format_gpu_islands({}), "");
}

}  // namespace cox
