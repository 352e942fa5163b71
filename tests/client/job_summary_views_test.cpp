// Tests that brief rows show the same as whole rows, in every column that is marked as brief.
#include "common/messages/job_summary_views.h"

#include <gtest/gtest.h>

#include <random>

#include "client/listing.h"
#include "client/slurm/list/job_fields.h"
#include "client/slurm/list/squeue.h"
#include "tests/client/sample_job.h"

namespace cox {
namespace {

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : random_(seed) {}
  std::int64_t up_to(std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(0, most)(random_);
  }
  std::string word() { return up_to(3) == 0 ? "" : "w" + std::to_string(up_to(999)); }
  Wall moment() { return up_to(2) == 0 ? Wall{} : before(at_noon(), up_to(1'000'000'000)); }

 private:
  std::mt19937_64 random_;
};

JobSpec a_spec(Dice& dice) {
  JobSpec spec;
  for (auto* text : {&spec.name, &spec.user_name, &spec.account, &spec.qos, &spec.reservation,
                     &spec.licences, &spec.work_dir, &spec.comment, &spec.constraint})
    *text = dice.word();
  for (auto* count : {&spec.nodes, &spec.tasks, &spec.cpus_per_task, &spec.time_limit_s,
                      &spec.memory_mb_per_node, &spec.nice})
    *count = dice.up_to(5000);
  spec.uid = static_cast<std::uint32_t>(dice.up_to(100));
  spec.form = static_cast<JobForm>(dice.up_to(2));
  return spec;
}

JobView a_view(Dice& dice) {
  JobView view;
  Job& job = view.job;
  job.spec = a_spec(dice);
  job.id = JobId{dice.up_to(100'000)};
  job.state = all_job_states[static_cast<std::size_t>(dice.up_to(std::ssize(all_job_states) - 1))];
  job.held = dice.up_to(1) == 1;
  for (Wall* moment : {&job.submitted, &job.eligible, &job.started, &job.ended})
    *moment = dice.moment();
  if (dice.up_to(1) == 1) {
    job.array_job = JobId{dice.up_to(1000) + 1};
    job.array_task = dice.up_to(1) == 1 ? dice.up_to(9) : -1;
    if (job.array_task < 0) job.array_tasks = *parse_array_tasks("2-5,9");
    job.array_limit = dice.up_to(4);
  }
  view.reason = static_cast<WaitReason>(dice.up_to(9));
  for (std::int64_t i = dice.up_to(3); i > 0; --i) view.nodes.push_back("n" + std::to_string(i));
  view.ran_ms = dice.up_to(1'000'000);
  view.left_ms = dice.up_to(1) == 1 ? -1 : dice.up_to(1'000'000);
  view.expected_start = dice.moment();
  view.partition = dice.word();
  view.priority = static_cast<double>(dice.up_to(1'000'000));
  view.cpus = dice.up_to(64);
  return view;
}

TEST(JobSummary, ShowsTheSameColumnsInSqueueAsTheWholeJob) {
  const auto seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  Dice dice(seed);
  std::vector<JobView> views;
  std::vector<JobSummary> rows;
  for (int i = 0; i < 300; ++i) {
    if (i % 3 == 0)
      views.push_back(a_view(dice));
    else
      // Two of three views equal the previous one except in their job id.
      views.push_back(views.back());
    views.back().job.id = JobId{i + 1};
    rows.push_back(summary_of(views.back()));
  }
  const std::vector<JobView> again = views_of(rows);
  ASSERT_EQ(again.size(), views.size());
  FieldView view;
  view.screen = at_noon();
  view.cluster = "lake";
  for (const Field<JobView>& field : job_fields()) {
    if (!is_brief(field)) continue;
    for (std::size_t i = 0; i < views.size(); ++i) {
      ASSERT_EQ(field.text(again[i], view), field.text(views[i], view)) << field.name;
      if (field.key == nullptr) continue;
      ASSERT_EQ(field.key(again[i]), field.key(views[i])) << field.name;
    }
  }
  // Rows with equal specifications share one object.
  EXPECT_TRUE(again[0].job.spec.is(again[1].job.spec));
}

TEST(JobSummary, IsRequestedBySqueueIfItHasAllShownColumns) {
  const auto brief = [](const std::vector<std::string>& words) {
    const auto read = read_squeue(words, {{}, "ada", "n1", {}});
    return std::get<ListJobs>(std::get<Listing>(read).questions.at(0)).brief;
  };
  EXPECT_TRUE(brief({}));
  EXPECT_TRUE(brief({"-l"}));
  EXPECT_TRUE(brief({"--start"}));
  EXPECT_TRUE(brief({"-h", "-o", "%i %t", "-t", "all", "-u", "ada"}));
  EXPECT_TRUE(brief({"-O", "JobArrayID,StateCompact,Reason", "-S", "-p,i"}));
  EXPECT_FALSE(brief({"-o", "%i %Z"}));
  EXPECT_FALSE(brief({"-O", "JobID,WorkDir"}));
  EXPECT_FALSE(brief({"-S", "m"}));
  EXPECT_FALSE(brief({"--json"}));
  EXPECT_FALSE(brief({"-s"}));
}

}  // namespace
}  // namespace cox
