#include "common/resources/tres_weights.h"

#include <gtest/gtest.h>

#include <string>

namespace cox {
namespace {

using Weights = std::vector<BillingWeight>;

BillingWeight weight(Tres what, std::int64_t milli, const std::string& type = "") {
  return {{what, "", type, 0}, milli};
}

TEST(TresWeights, AreParsedInSlurmsForm) {
  const auto read = parse_tres_weights("CPU=1.0,Mem=0.25G,GRES/gpu=2,gres/gpu:h100=4.5,node=.3");
  ASSERT_TRUE(read) << read.refusal().fact;
  EXPECT_EQ(*read, (Weights{weight(Tres::Cpus, 1'000), weight(Tres::MemoryMb, 250),
                            weight(Tres::GpuMilli, 2'000), weight(Tres::GpuMilli, 4'500, "h100"),
                            weight(Tres::Nodes, 300)}));
  EXPECT_EQ(parse_tres_weights("").value(), Weights{});
}

TEST(TresWeights, MayBeNegative) {
  EXPECT_EQ(
      parse_tres_weights("cPu=1,mem=-0.5G,node=.3,energy=-10").value(),
      (Weights{weight(Tres::Cpus, 1'000), weight(Tres::MemoryMb, -500), weight(Tres::Nodes, 300)}))
      << "energy is not counted here";
}

TEST(TresWeights, MemoryIsWeightedPerMebibyteUnlessAUnitFollows) {
  for (const char* text : {"mem=0.5", "mem=0.5M", "mem=512G", "mem=524288T"})
    EXPECT_EQ(parse_tres_weights(text).value(), (Weights{weight(Tres::MemoryMb, 512'000)})) << text;
}

TEST(TresWeights, InvalidWeightsAreRefused) {
  for (const char* text :
       {"cpu=abc", "cpu", "cpu=", "cpu=1G", "mem=1X", "cpu=nan", "cpu=inf", "cpu=1,,mem=1", "wat=1",
        "cpu=1e", "gres/=1", "cpu=1000001", "mem=1000G,mem=1000"})
    EXPECT_FALSE(parse_tres_weights(text)) << text;
  EXPECT_EQ(parse_tres_weights("cpu=abc").refusal().fact, "\"cpu=abc\" is not a TRES weight");
  EXPECT_EQ(parse_tres_weights("cpu=-2000000").refusal().fact,
            "\"cpu=-2000000\" is beyond 1000000, the limit");
  EXPECT_EQ(parse_tres_weights("mem=0.25T").refusal().fact,
            "\"mem=0.25t\" is less than 0.001 per GiB, the smallest weight");
  EXPECT_EQ(parse_tres_weights("cpu=1,mem=1G,cpu=2").refusal().fact,
            "\"cpu=2\" repeats a resource that has a weight already");
  EXPECT_TRUE(parse_tres_weights("mem=0.001G,cpu=0"));
  std::string many = "cpu=1";
  for (int i = 0; i < 1'000; ++i) many += ",gres/gpu:t" + std::to_string(i) + "=1";
  EXPECT_FALSE(parse_tres_weights(many));
}

}  // namespace
}  // namespace cox
