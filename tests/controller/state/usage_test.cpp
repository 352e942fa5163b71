// Tests how the use of each resource by an attempt is counted, and how it decays over time.
#include "controller/state/usage.h"

#include <gtest/gtest.h>

#include <sstream>

#include "tests/controller/bench.h"

namespace cox {
namespace {

constexpr Wall noon = wall_from_ms(1'700'000'000'000);
constexpr Milliseconds hour = std::chrono::hours{1};

// Returns the usage of each resource in resource-seconds, such as "cpu 200, node 100".
std::string text_of(const std::vector<TresUsage>& usage) {
  std::ostringstream text;
  for (const TresUsage& one : usage)
    text << (&one == &usage.front() ? "" : ", ") << one.tres << " " << one.seconds;
  return text.str();
}

class UsageStory : public testing::Test, public Bench {
 protected:
  UsageStory() {
    config.usage.half_life = Milliseconds{0};
    config.usage.weights = *parse_billing_weights("cpu=2,mem=1,gres/gpu=10,gres/gpu:h100=20");
    config.scheduling.licences = {{"ansys", 9}};
    restart();
  }
  std::string used(JobId id, Milliseconds least = Milliseconds{0}) {
    return text_of(usage_of(controller->cluster(), attempt(id), now.wall, least));
  }
};

TEST_F(UsageStory, AnAttemptIsChargedForAllThatItHoldsFromItsPlacementOn) {
  node("n1", 4, {}, {{"fpga", "", 1}, {"nic", "ib", 2}}, 2, "h100");
  const JobId id = submit({.tasks = 2,
                           .with =
                               [](JobSpec& s) {
                                 s.gpus_per_node = 2;
                                 s.memory_mb_per_node = 512;
                               },
                           .gres = "fpga:1,nic:ib:2",
                           .licences = "ansys:3"});
  now.wall += Milliseconds{40'000};
  ready(id);
  now.wall += Milliseconds{60'000};
  EXPECT_EQ(used(id),
            "billing 4450, cpu 200, gres/fpga 100, gres/gpu 200, gres/gpu:h100 200, gres/nic 200, "
            "gres/nic:ib 200, license/ansys 300, mem 51200, node 100, wall 100")
      << "billing: 2 CPUs at 2, half a GiB at 1, and the GPUs by their type alone";
  EXPECT_EQ(used(id, Milliseconds{200'000}).substr(0, 21), "billing 8900, cpu 400");
}

TEST_F(UsageStory, EachNodeOfAGangAndAPartOfAGpuCount) {
  node("n1", 2, {}, {{"fpga", "", 1}});
  node("n2", 2, {}, {{"fpga", "", 1}});
  node("n3", 2, {}, {}, 1, "a100");
  const JobId gang = submit({.nodes = 2, .tasks = 2, .gres = "fpga:1"});
  const JobId half = submit({.with = [](JobSpec& s) { s.gpus_per_node = 1, s.gpu_milli = 500; }});
  now.wall += Milliseconds{10'000};
  EXPECT_EQ(used(gang), "billing 40, cpu 20, gres/fpga 20, node 20, wall 10");
  EXPECT_EQ(used(half), "billing 70, cpu 10, gres/gpu 5, gres/gpu:a100 5, node 10, wall 10")
      << "2 a second for its CPU, 5 for half a GPU of a type without a weight of its own";
  now.wall -= Milliseconds{20'000};
  EXPECT_EQ(used(gang), "billing 0, cpu 0, gres/fpga 0, node 0, wall 0")
      << "the clock was set back";
}

TEST(Usage, UsageIsHalvedAfterEachHalfLife) {
  const std::vector<TresUsage> usage{{"cpu", 100}, {"node", 8}};
  EXPECT_DOUBLE_EQ(used_by(usage, noon, "cpu", noon, hour), 100);
  EXPECT_DOUBLE_EQ(used_by(usage, noon, "cpu", noon + hour, hour), 50);
  EXPECT_DOUBLE_EQ(used_by(usage, noon, "node", noon + 2 * hour, hour), 2);
  EXPECT_DOUBLE_EQ(used_by(usage, noon, "cpu", noon + hour, Milliseconds{0}), 100);
  EXPECT_DOUBLE_EQ(used_by(usage, noon, "mem", noon, hour), 0);
}

TEST(Usage, UsageIsDecayedToTheLaterTimeWhenItIsAdded) {
  struct Row {
    Milliseconds later;  // how much later the new usage was than the stored usage
    const char* usage;
    Milliseconds moves;  // how far the time of the stored usage moves
  };
  const Milliseconds none{0};
  for (const Row& row :
       {Row{none, "cpu 110, mem 4", none}, Row{hour, "cpu 60, mem 4", hour},
        Row{2 * hour, "cpu 35, mem 4", 2 * hour}, Row{-hour, "cpu 105, mem 2", none},
        Row{-hour - Milliseconds{1}, "cpu 110, mem 4", -hour - Milliseconds{1}}}) {
    std::vector<TresUsage> usage{{"cpu", 100}};
    Wall used_at = noon;
    add_usage(usage, used_at, {{"cpu", 10}, {"mem", 4}}, noon + row.later, hour);
    EXPECT_EQ(text_of(usage), row.usage) << row.later.count();
    EXPECT_EQ(used_at, noon + row.moves) << row.later.count();
  }
  std::vector<TresUsage> usage{{"cpu", 100}};
  Wall used_at = noon;
  add_usage(usage, used_at, {}, noon + hour, hour);
  EXPECT_EQ(text_of(usage), "cpu 100") << "nothing is added";
  EXPECT_EQ(used_at, noon);
}

}  // namespace
}  // namespace cox
