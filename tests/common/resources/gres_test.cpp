// Tests how requests for GPUs and for other counted resources (GRES) are parsed.
#include "common/resources/gres.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "common/base/limits.h"
#include "common/job/visible_gpus.h"
#include "common/resources/gpu_vendor.h"
#include "common/resources/gpu_wish.h"
#include "tests/common/refusal.h"

namespace cox {
namespace {

Result<GpuWish> parse_few_gpus(std::string_view text) {
  return parse_gpus(text, 64);
}

TEST(GpuWish, CountsWholeGpusAndPartsOfOne) {
  struct Row {
    std::string text;
    GpuWish wish;
    std::string written;
  };
  const std::vector<Row> table = {
      {"4", {{}, 4, 1000}, "4"},
      {"64", {{}, 64, 1000}, "64"},
      {"h100", {{{"h100", 1000}}, 1, 1000}, "h100:1"},
      {"h100:4", {{{"h100", 1000}}, 4, 1000}, "h100:4"},
      {"0", {}, "0"},
      {"h100:0", {}, "0"},
      {"0.25", {{}, 1, 250}, "0.25"},
      {"h100:0.001", {{{"h100", 1000}}, 1, 1}, "h100:0.001"},
      {"3g.20gb", {{{"3g.20gb", 1000}}, 1, 1000}, "3g.20gb:1"},
      {"a100_3g.20gb:2", {{{"a100_3g.20gb", 1000}}, 2, 1000}, "a100_3g.20gb:2"},
  };
  for (const auto& [text, wish, written] : table) {
    const auto parsed = parse_few_gpus(text);
    ASSERT_TRUE(parsed.ok()) << text << ": " << parsed.refusal().fact;
    EXPECT_EQ(*parsed, wish) << text;
    EXPECT_EQ(format_gpus(*parsed), written);
    EXPECT_EQ(*parse_few_gpus(written), wish);
  }
  EXPECT_TRUE((GpuWish{{}, 2, 1000}).is_whole());
  EXPECT_FALSE((GpuWish{{}, 1, 999}).is_whole());
}

TEST(GpuWish, RefusesInvalidRequests) {
  expect_refusals({{"", "is not a type of GPU"},
                   {":", "is not a type of GPU"},
                   {"-1", "is not a type of GPU"},
                   {"h100|a100:2", "\"h100|a100\" is not a type of GPU"},
                   {"65", "the number of GPUs: \"65\" is not a whole number from 0 to 64"},
                   {"h100:", "the number of GPUs: \"\""},
                   {"h100:x", "the number of GPUs: \"x\""},
                   {"4:h100:1", "the number of GPUs: \"h100:1\""},
                   {"1.5", "the part of a GPU: \"1.5\" is not a number from 0.001 to 0.999"},
                   {"1.0", "the part of a GPU"},
                   {"0.0", "the part of a GPU"},
                   {"h100:0.1234", "at most 3 digits after the point"},
                   {".", "the part of a GPU"}},
                  parse_few_gpus);
}

TEST(GpuWish, ListsTheAcceptedTypes) {
  const std::vector<std::pair<std::string, std::vector<GpuTypeWish>>> table = {
      {"h200", {{"h200", 1000}}},
      {"h200|h100:0.8", {{"h200", 1000}, {"h100", 800}}},
      {"h100:0.8|h200:1.75|3g.20gb:0.001", {{"h100", 800}, {"h200", 1750}, {"3g.20gb", 1}}},
      {"h200:1000", {{"h200", 1'000'000}}},
      {"h200+h100:0.8|a100", {{"h200", 1000}, {"h100", 800, true}, {"a100", 1000}}},
  };
  for (const auto& [text, types] : table) {
    const auto parsed = parse_gpu_types(text);
    ASSERT_TRUE(parsed.ok()) << text << ": " << parsed.refusal().fact;
    EXPECT_EQ(*parsed, types) << text;
    EXPECT_EQ(format_gpu_types(*parsed), text);
  }
  EXPECT_EQ(format_gpu_types(*parse_gpu_types("h200:1|h100:0.50")), "h200|h100:0.5");
  EXPECT_EQ(format_gpu_types({}), "");
}

TEST(GpuWish, RefusesInvalidTypes) {
  std::string many = "t0";
  for (std::size_t i = 1; i <= limits::gpu_types_max; ++i) many += "|t" + std::to_string(i);
  expect_refusals({{"", "\"\" is not a type of GPU"},
                   {"h100|", "\"\" is not a type of GPU"},
                   {"|h100", "\"\" is not a type of GPU"},
                   {"h100,h200", "is not a type of GPU"},
                   {"h100|h200|h100:2", "names the type h100 twice"},
                   {"h100:", "the speed of h100: \"\" is not a number from 0.001 to 1000"},
                   {"h100:0", "the speed of h100"},
                   {"h100:1000.001", "the speed of h100"},
                   {"h100:fast", "the speed of h100"},
                   {"h100:1:2", "the speed of h100"},
                   {"h100+", "\"\" is not a type of GPU"},
                   {"h100+mi300", "h100 and mi300 are GPUs of two vendors"},
                   {many, "more than 16 types"}},
                  parse_gpu_types);
  expect_refusals({{"h100+h200:2", "is not a type of GPU"}}, parse_gpu_prices);
}

TEST(GpuVendor, IsKnownByTheType) {
  for (const char* amd : {"mi300", "MI250X", "mi0", "mi9", "instinct", "gfx942", "radeon", "amd"})
    EXPECT_EQ(gpu_vendor(amd), GpuVendor::Amd) << amd;
  for (const char* nvidia : {"", "h100", "mig", "mi", "mi/", "mi:", "a100", "3g.20gb", "tesla"})
    EXPECT_EQ(gpu_vendor(nvidia), GpuVendor::Nvidia) << nvidia;
}

TEST(GpuVendor, EachVendorCountsItsOwnDevicesOfANode) {
  const std::vector<GpuDevice> both = {
      {0, "h100", "", 0}, {1, "mi300", "", 0}, {2, "h100", "", 0}, {3, "mi300", "", 0}};
  Variables v;
  show_gpus(v, both, {2, 3});
  EXPECT_EQ(v, (Variables{{"CUDA_VISIBLE_DEVICES", "1"}, {"ROCR_VISIBLE_DEVICES", "1"}}));
}

TEST(GpuVendor, DevicesOfOneVendorHaveTheNumbersThatTheNodeGivesThem) {
  Variables v = {{"HIP_VISIBLE_DEVICES", "7"}};
  show_gpus(v, {{0, "h100", "", 0}, {2, "a100", "", 0}, {5, "h100", "", 0}}, {2, 5});
  EXPECT_EQ(v, (Variables{{"CUDA_VISIBLE_DEVICES", "2,5"}}));
  show_gpus(v, {}, {3});
  EXPECT_EQ(v, (Variables{{"CUDA_VISIBLE_DEVICES", "3"}})) << "the node's GPUs are not known";
}

TEST(GpuWish, AcceptsThePreferencesCostSpeedAndBalanced) {
  for (const auto preference : {Preference::Balanced, Preference::Cost, Preference::Speed})
    EXPECT_EQ(*parse_preference(name(preference)), preference);
  EXPECT_EQ(name(Preference::Cost), "cost");
  EXPECT_EQ(name(Preference::Speed), "speed");
  EXPECT_EQ(name(Preference::Balanced), "balanced");
  expect_refusals({{"", "is not a GPU preference"}, {"COST", "\"COST\" is not a GPU preference"}},
                  parse_preference);
  EXPECT_EQ(parse_preference("sped").refusal().hint, "did you mean speed?");
}

TEST(Gres, IsCountedAndTyped) {
  struct Row {
    std::string text;
    GresWish wish;
    std::string written;
  };
  const GpuWish two = {{}, 2, 1000};
  const std::vector<Row> table = {
      {"none", {}, "none"},
      {"NONE", {}, "none"},
      {"gpu:0", {}, "none"},
      {"gpu", {{{}, 1, 1000}, {}}, "gpu:1"},
      {"gpu:2", {two, {}}, "gpu:2"},
      {"gpu:h100", {{{{"h100", 1000}}, 1, 1000}, {}}, "gpu:h100:1"},
      {"gpu:h100:8", {{{{"h100", 1000}}, 8, 1000}, {}}, "gpu:h100:8"},
      {"gpu:0.25", {{{}, 1, 250}, {}}, "gpu:0.25"},
      {"gpu:h100:0.5", {{{{"h100", 1000}}, 1, 500}, {}}, "gpu:h100:0.5"},
      {"shard:4", {{}, {{"shard", "", 4}}}, "shard:4"},
      {"nic", {{}, {{"nic", "", 1}}}, "nic:1"},
      {"fpga:u280", {{}, {{"fpga", "u280", 1}}}, "fpga:u280:1"},
      {"fpga:1.5", {{}, {{"fpga", "1.5", 1}}}, "fpga:1.5:1"},
      {"fpga:3g.20gb", {{}, {{"fpga", "3g.20gb", 1}}}, "fpga:3g.20gb:1"},
      {"fpga:09", {{}, {{"fpga", "", 9}}}, "fpga:9"},
      {"fpga:u280:2,nic:1,gpu:2",
       {two, {{"fpga", "u280", 2}, {"nic", "", 1}}},
       "gpu:2,fpga:u280:2,nic:1"},
      {"fpga:u280:2,fpga:u55c",
       {{}, {{"fpga", "u280", 2}, {"fpga", "u55c", 1}}},
       "fpga:u280:2,fpga:u55c:1"},
      {"bandwidth:lustre:4G",
       {{}, {{"bandwidth", "lustre", 4ll << 30}}},
       "bandwidth:lustre:4294967296"},
      {"craynetwork:2k", {{}, {{"craynetwork", "", 2048}}}, "craynetwork:2048"},
      {"disk:1P", {{}, {{"disk", "", 1ll << 50}}}, "disk:1125899906842624"},
      {"fpga:0,nic:2", {{}, {{"nic", "", 2}}}, "nic:2"},
      {"gpus:2", {{}, {{"gpus", "", 2}}}, "gpus:2"},
  };
  for (const auto& [text, wish, written] : table) {
    const auto parsed = parse_gres(text);
    ASSERT_TRUE(parsed.ok()) << text << ": " << parsed.refusal().fact;
    EXPECT_EQ(*parsed, wish) << text;
    EXPECT_EQ(format_gres(*parsed), written);
    EXPECT_EQ(*parse_gres(written), wish) << written;
  }
}

TEST(Gres, RefusesInvalidRequests) {
  std::string many = "r0";
  for (std::size_t i = 1; i <= limits::gres_kinds_max; ++i) many += ",r" + std::to_string(i);
  expect_refusals({{"", "\"\" is not the name of a resource"},
                   {"gpu:2,", "\"\" is not the name of a resource"},
                   {"a b", "is not the name of a resource"},
                   {"gpu:", "is not a type of GPU"},
                   {"gpu::2", "is not a type of GPU"},
                   {"gpu:-1", "is not a type of GPU"},
                   {"gpu:;:1", "is not a type of GPU"},
                   {"gpu:65", "from 0 to 64"},
                   {"gpu:99999999999999999999", "from 0 to 64"},
                   {"gpu:h100:x", "the number of GPUs"},
                   {"gpu:h100:", "the number of GPUs"},
                   {"gpu:a:b:2", "the number of GPUs"},
                   {"gpu:2:2:2", "the number of GPUs"},
                   {"gpu:a100:1,gpu:h100:1", "asks for GPUs twice"},
                   {"gpu:0,gpu:1", "asks for GPUs twice"},
                   {"fpga:", "\"\" is not a type of fpga"},
                   {"fpga::2", "\"\" is not a type of fpga"},
                   {"fpga:u280:", "the number of fpga: \"\""},
                   {"fpga:u280:x", "the number of fpga"},
                   {"fpga:u280:2:no_consume", "more parts than a name, a type and a number"},
                   {"fpga:2X", "the number of fpga: \"2X\" is not a number"},
                   {"disk:1025T", "the number of disk: \"1025\" is not a whole number"},
                   {"fpga:1,fpga:2", "\"fpga:2\" is asked for twice"},
                   {"fpga:0,fpga:u280:-1", "the number of fpga"},
                   {many, "17 kinds of resources, and a job may have 16"}},
                  parse_gres);
}

}  // namespace
}  // namespace cox
