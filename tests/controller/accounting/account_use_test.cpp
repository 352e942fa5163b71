// Tests the use of an account, as `sshare` and `scontrol show assoc_mgr` show it: by its pending
// and running jobs, and by its past jobs.
#include "common/base/limits.h"
#include "common/resources/tres.h"
#include "tests/controller/accounts_story.h"

namespace cox {
namespace {

class AccountUseStory : public AccountsStory {
 protected:
  AccountUseStory() {
    config.usage.half_life = Milliseconds{0};  // past usage does not decay
    restart();
  }
  // Returns the use of the account, such as "2 jobs, 1 on nodes, holds cpu=1,gres/gpu=0, minutes
  // cpu=60, 3600 s": submitted and running jobs, resources held now, TRES-minutes and seconds used.
  std::string use_of(const std::string& account) {
    const AssociationView one = view(account, "");
    return std::to_string(one.submitted) + " jobs, " + std::to_string(one.running) +
           " on nodes, holds " + format_tres(one.held) + ", minutes " +
           format_tres(one.minutes_used) + ", " + std::to_string(one.wall_used_s) + " s";
  }
  static std::function<void(JobSpec&)> in(const std::string& partition) {
    return [partition](JobSpec& s) { s.partition = partition; };
  }
};

TEST_F(AccountUseStory, AJobIsChargedByThePartitionThatItRunsIn) {
  PartitionConfig alone;
  alone.name = "alone";
  alone.nodes = {"n1"};
  alone.exclusive = true;
  config.partitions.push_back(alone);
  config.partitions.push_back({"shared", {"n2"}, false, 0, 0, 0});
  restart();
  node("n1", 4);
  node("n2", 4);
  tree();
  sacctmgr("modify account physics set GrpTRESMins=cpu=10000,node=10000");
  const std::string nothing = "0 jobs, 0 on nodes, holds cpu=0,gres/gpu=0, minutes ";
  EXPECT_EQ(use_of("physics"), nothing + "cpu=0,node=0, 0 s");
  const JobId first = submit_as("ada", in("alone,shared"), 3'600);
  ASSERT_EQ(nodes(first), "n1");
  EXPECT_EQ(use_of("physics"),
            "1 jobs, 1 on nodes, holds cpu=1,gres/gpu=0, minutes cpu=240,node=60, 3600 s")
      << "all CPUs of n1 are its own";
  const JobId second = submit_as("ada", in("alone,shared"), 3'600);
  ASSERT_EQ(nodes(second), "n2");
  submit_as("ada", in("alone"), 3'600);
  EXPECT_EQ(use_of("physics"),
            "3 jobs, 2 on nodes, holds cpu=2,gres/gpu=0, minutes cpu=300,node=120, 7200 s");
  EXPECT_EQ(use_of("lattice"), "3 jobs, 2 on nodes, holds cpu=2,gres/gpu=0, minutes , 7200 s");
  EXPECT_EQ(use_of("biology"), nothing + ", 0 s");
}

TEST_F(AccountUseStory, TheUseOfAnAccountCountsPastAndRunningJobs) {
  node("n1", 4, {}, {}, 2);
  tree();
  sacctmgr("modify account physics set GrpTRESMins=cpu=10000,gres/gpu=10000");
  const auto with_gpu = [](JobSpec& s) { s.tasks = 2, s.gpus_per_node = 1; };
  run(submit_as("ada", with_gpu, 3'600), std::chrono::minutes{30});
  EXPECT_EQ(use_of("physics"),
            "0 jobs, 0 on nodes, holds cpu=0,gres/gpu=0, minutes cpu=60,gres/gpu=30, 1800 s");
  submit_as("ada", with_gpu, 600);
  EXPECT_EQ(use_of("physics"),
            "1 jobs, 1 on nodes, holds cpu=2,gres/gpu=1, minutes cpu=80,gres/gpu=40, 2400 s");
}

TEST_F(AccountUseStory, GpusCountByTheTypeThatTheJobGot) {
  node("n1", 4, {}, {}, 1, "h100");
  node("n2", 4, {}, {}, 1, "h200");
  tree();
  sacctmgr("modify account biology set GrpTRES=gres/gpu:h100=4");
  for (int i = 0; i < 2; ++i) submit_as("eve", [](JobSpec& s) { s.gpus_per_node = 1; });
  const std::int64_t longest = 2 * limits::time_limit_s_max;
  EXPECT_EQ(use_of("biology"),
            "2 jobs, 2 on nodes, holds cpu=2,gres/gpu=2,gres/gpu:h100=1, minutes , " +
                std::to_string(longest) + " s")
      << "a job without a time limit may run for the longest there is";
}

TEST_F(AccountUseStory, TheAccountWithLessUsageHasTheHigherFairShareAndAPlacedJobCountsOnePeriod) {
  node("n1", 4);
  tree();
  run(submit_as("ada"), std::chrono::seconds{100});
  EXPECT_NEAR(view("physics", "").usage_part, 1, 1e-9);
  EXPECT_EQ(view("biology", "").usage_part, 0);
  EXPECT_EQ(view("biology", "eve").fair_share, 1);
  EXPECT_EQ(view("lattice", "ada").fair_share, 0.5);
  submit_as("eve");
  EXPECT_NEAR(view("biology", "eve").usage, 300, 1e-6) << "it has only been placed";
  EXPECT_NEAR(view("biology", "").usage_part, 0.75, 1e-9);
  EXPECT_NEAR(view("lattice", "ada").usage_part, 0.25, 1e-9);
  EXPECT_EQ(view("biology", "eve").fair_share, 0.5);
  EXPECT_EQ(view("lattice", "ada").fair_share, 1);
}

// The account has used 60 of its 100 CPU-minutes, so a job that asks for 60 waits. The half-life is
// an hour, but limits notice the decay only when usage is recomputed, at the end of each period of
// 10 hours.
TEST_F(AccountUseStory, AJobPendingByUsedMinutesStartsWhenUsageIsRecomputedAfterTheDecay) {
  config.usage.half_life = std::chrono::hours{1};
  config.usage.period = std::chrono::hours{10};
  restart();
  node("n1", 4);
  tree();
  sacctmgr("modify account physics set GrpTRESMins=cpu=100");
  run(submit_as("ada", {}, 3'600), std::chrono::minutes{60});
  const JobId waits = submit_as("ada", {}, 3'600);
  EXPECT_EQ(reason(waits), "AssocGrpCPUMinutesLimit");
  pass(std::chrono::hours{1});
  submit_as("eve");
  EXPECT_EQ(state(waits), "PENDING") << "the period is not over";
  pass(std::chrono::hours{9});
  submit_as("eve");
  EXPECT_EQ(state(waits), "CONFIGURING");
}

}  // namespace
}  // namespace cox
