// Tests how Slurm's commands show a job's requests for nodes.
#include <gtest/gtest.h>

#include <algorithm>

#include "client/slurm/control/records.h"
#include "client/slurm/list/job_fields.h"
#include "tests/client/sample_job.h"

namespace cox {
namespace {

JobView a_wishing_job() {
  JobView view = a_job(JobState::Pending).view;
  JobSpec& spec = view.job.spec.change();
  spec.constraint = "!old";
  spec.prefer = "fast";
  spec.min_cpus = 6;
  spec.contiguous = true;
  spec.exclusive_user = true;
  return view;
}

std::string field_text(const JobView& view, std::string_view name) {
  const auto fields = job_fields();
  const auto field = std::ranges::find(fields, name, &Field<JobView>::name);
  return field == fields.end() ? "(no such field)" : field->text(view, FieldView{});
}

TEST(NodeWishes, min_cpus_features_contiguous_and_exclusive_user_are_shown_by_scontrol) {
  const std::string text = job_record(a_wishing_job(), std::nullopt, RecordView{});
  EXPECT_NE(text.find("   MinCPUsNode=6 "), std::string::npos) << text;
  EXPECT_NE(text.find("   Features=!old DelayBoot=00:00:00\n   Prefer=fast\n"
                      "   OverSubscribe=USER Contiguous=1 "),
            std::string::npos)
      << text;
  const std::string plain = job_record(a_job(JobState::Pending).view, std::nullopt, RecordView{});
  EXPECT_EQ(plain.find("Prefer="), std::string::npos) << "Slurm omits it too";
  EXPECT_NE(plain.find("OverSubscribe=OK Contiguous=0 "), std::string::npos) << plain;
}

TEST(NodeWishes, min_cpus_features_contiguous_and_exclusive_user_are_shown_by_squeue) {
  const JobView view = a_wishing_job();
  const JobView plain = a_job(JobState::Pending).view;
  EXPECT_EQ(field_text(view, "Prefer"), "fast");
  EXPECT_EQ(field_text(plain, "Prefer"), "(null)");
  EXPECT_EQ(field_text(view, "Contiguous"), "1");
  EXPECT_EQ(field_text(plain, "Contiguous"), "0");
  EXPECT_EQ(field_text(view, "OverSubscribe"), "USER");
  EXPECT_EQ(field_text(view, "MinCPUs"), "6");
  EXPECT_EQ(field_text(view, "Feature"), "!old");
}

TEST(NodeWishes, exclusive_is_shown_rather_than_exclusive_user) {
  JobSpec spec;
  EXPECT_EQ(job_sharing(spec), "OK");
  spec.exclusive_user = true;
  EXPECT_EQ(job_sharing(spec), "USER");
  spec.exclusive = true;
  EXPECT_EQ(job_sharing(spec), "NO");
}

TEST(NodeWishes, minimum_cpus_are_at_least_those_of_the_tasks) {
  JobSpec spec;
  spec.cpus_per_task = 2;
  spec.tasks_per_node = 3;
  EXPECT_EQ(job_min_cpus(spec), 6);
  spec.min_cpus = 7;
  EXPECT_EQ(job_min_cpus(spec), 7);
}

}  // namespace
}  // namespace cox
