#include "common/resources/tres.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "common/base/limits.h"
#include "tests/common/refusal.h"

namespace cox {
namespace {

TEST(Tres, AreParsedInSlurmsForm) {
  const std::vector<std::pair<std::string, TresList>> table = {
      {"", {}},
      {"cpu=64", {{Tres::Cpus, "", "", 64}}},
      {"mem=512G,node=4", {{Tres::MemoryMb, "", "", 512 * 1024}, {Tres::Nodes, "", "", 4}}},
      {"gres/gpu=8", {{Tres::GpuMilli, "", "", 8000}}},
      {"gres/gpu:h100=0.5", {{Tres::GpuMilli, "", "h100", 500}}},
      {"gres/fpga:u280=2,gres/fpga=3",
       {{Tres::Gres, "fpga", "u280", 2}, {Tres::Gres, "fpga", "", 3}}},
      {"license/matlab=2", {{Tres::Licences, "matlab", "", 2}}},
  };
  for (const auto& [text, list] : table) {
    const auto parsed = parse_tres(text);
    ASSERT_TRUE(parsed.ok()) << text << ": " << parsed.refusal().fact;
    EXPECT_EQ(*parsed, list) << text;
    EXPECT_EQ(format_tres(*parsed), text);
  }
  EXPECT_EQ(format_tres(*parse_tres("mem=2048")), "mem=2G");
  EXPECT_EQ(format_tres(*parse_tres("mem=100")), "mem=100M");
  EXPECT_EQ(format_tres(*parse_tres("mem=0")), "mem=0");
}

TEST(Tres, InvalidTresAreRefused) {
  std::string many = "cpu=1";
  for (std::size_t i = 0; i <= limits::tres_per_list_max; ++i)
    many += ",gres/x" + std::to_string(i) + "=1";
  expect_refusals({{"cpu", "\"cpu\" is not a valid TRES list"},
                   {"cpus=1", "\"cpus\" is not a TRES"},
                   {"gres/=1", "\"gres/\" is not a valid TRES list"},
                   {"gres/gpu:=1", "\"gres/gpu:\" is not a valid TRES list"},
                   {"license/a:b=1", "is not a valid TRES list"},
                   {"cpu=-1", "cpu: \"-1\" is not a whole number"},
                   {"cpu=1.5", "cpu: \"1.5\" is not a whole number"},
                   {"mem=1K", "mem: \"1K\" is not a whole number"},
                   {"gres/gpu=0.0001", "gres/gpu: "},
                   {"cpu=1,cpu=2", "counts cpu twice"},
                   {"cpu=1,", "\"\" is not a valid TRES list"},
                   {many, "lists more than 32 resources, the limit"}},
                  parse_tres);
}

TEST(Tres, AreAcceptedUpToTheirLimits) {
  std::string most = "cpu=1";
  for (std::size_t i = 1; i < limits::tres_per_list_max; ++i)
    most += ",gres/x" + std::to_string(i) + "=1";
  EXPECT_EQ(parse_tres(most)->size(), limits::tres_per_list_max);
  for (const char* text : {"cpu=0", "cpu=999999999999999", "mem=1T", "mem=3P", "mem=1023G"})
    EXPECT_EQ(format_tres(*parse_tres(text)), text);
  EXPECT_EQ(format_tres(*parse_tres("mem=1024G")), "mem=1T");
  EXPECT_FALSE(parse_tres("cpu=1000000000000000"));
  EXPECT_TRUE(parse_tres("mem=931322P"));
  EXPECT_FALSE(parse_tres("mem=931323P"));
  EXPECT_TRUE(parse_tres_by_hours("cpu=4@" + std::string(63, 'x')));
}

TEST(Tres, LimitsMayDifferByHours) {
  const std::string text = "gres/gpu:h100=4,gres/gpu:h100=16@nights,cpu=2@nights,cpu=8@weekends";
  const auto list = parse_tres_by_hours(text);
  ASSERT_TRUE(list.ok()) << list.refusal().fact;
  EXPECT_EQ(list->at(1), (TresCount{Tres::GpuMilli, "", "h100", 16'000, "nights"}));
  EXPECT_EQ(format_tres(*list), text);
  EXPECT_EQ(format_tres(in_force(*list, {})), "gres/gpu:h100=4");
  EXPECT_EQ(format_tres(in_force(*list, {"nights"})), "gres/gpu:h100=16@nights,cpu=2@nights");
  EXPECT_EQ(format_tres(in_force(*list, {"weekends"})), "cpu=8@weekends,gres/gpu:h100=4");
  expect_refusals({{"cpu=4@", "\"cpu=4@\" names no hours"},
                   {"cpu=4@a b", "names no hours"},
                   {"cpu=4@a@b", "names no hours"},
                   {"cpu@nights", "\"cpu\" is not a valid TRES list"},
                   {"cpu=4@" + std::string(64, 'x'), "names no hours"},
                   {"cpu=1@a,cpu=2@a", "counts cpu twice for hours a"},
                   {"cpu=1,cpu=2@a,cpu=3", "counts cpu twice"}},
                  parse_tres_by_hours);
  expect_refusals({{"cpu=4@nights", "cpu=4@nights names hours, which are not allowed here"}},
                  parse_tres);
}

}  // namespace
}  // namespace cox
