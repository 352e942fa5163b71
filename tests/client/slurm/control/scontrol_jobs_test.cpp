// Tests which jobs scontrol requeues and finds, and its refusal of partitions without a name.
#include <gtest/gtest.h>

#include "client/slurm/control/scontrol.h"

namespace cox {
namespace {

ControlContext a_scene() {
  ControlContext context;
  context.as.group_name = [](std::uint32_t) { return std::string("staff"); };
  return context;
}

JobView a_job() {
  JobView view;
  view.job.id = JobId{17};
  view.job.state = JobState::Running;
  view.job.attempt = AttemptNumber{1};
  view.job.spec.change().form = JobForm::Batch;
  return view;
}

TEST(ScontrolJobs, RequeuesOnlyRunningJobsWithIncomplete) {
  const ControlPlan first = plan_control({"requeue", "Incomplete", "17,20_[2-5],9"}, a_scene());
  const auto& list = std::get<ListJobs>(first.questions.at(0));
  EXPECT_EQ(list.ids, (std::vector{JobId{17}, JobId{20}, JobId{9}}));
  EXPECT_EQ(list.tasks, (std::vector<std::string>{"", "2-5", ""}));
  EXPECT_EQ(list.states, (std::vector{JobState::Configuring, JobState::Running, JobState::Signaling,
                                      JobState::Suspended}));
  ASSERT_TRUE(first.then);
  JobView task = a_job();
  task.job.id = JobId{21};
  task.job.array_job = JobId{20};
  task.job.array_task = 3;
  JobList live;
  live.jobs = {a_job(), task};
  live.unknown = {JobId{9}};
  const auto act = std::get<ActOnJobs>(first.then(live).questions.at(0));
  EXPECT_EQ(act.verb, JobVerb::Requeue);
  EXPECT_EQ(act.ids, (std::vector{JobId{17}, JobId{20}, JobId{9}}));
  EXPECT_EQ(act.tasks, (std::vector<std::string>{"", "3", ""}));
  const ControlPlan none = first.then(JobList{});
  EXPECT_TRUE(none.questions.empty());
  EXPECT_EQ(none.show({}).exit_code, exit_ok);
  EXPECT_TRUE(plan_control({"requeuehold", "inc", "17"}, a_scene()).then);
  const ControlPlan no_job = plan_control({"requeue", "incomplete"}, a_scene());
  EXPECT_TRUE(no_job.show({}).err.starts_with("Invalid job id specified\n"));
}

TEST(ScontrolJobs, DoesNotShowTasksCancelledBeforeTheyStarted) {
  JobView cancelled = a_job();
  cancelled.job.id = JobId{24};
  cancelled.job.array_job = JobId{23};
  cancelled.job.array_task = 7;
  cancelled.job.state = JobState::Cancelled;
  cancelled.job.attempt = AttemptNumber{};
  JobList list;
  list.jobs = {cancelled};
  const auto shown = [&] {
    return plan_control({"show", "job", "23_7"}, a_scene()).show({list, PriorityList{}});
  };
  EXPECT_EQ(shown().err, "slurm_load_jobs error: Invalid job id specified\n");
  EXPECT_EQ(shown().exit_code, exit_refused);
  list.jobs[0].job.attempt = AttemptNumber{1};
  EXPECT_NE(shown().out.find("JobState=CANCELLED"), std::string::npos) << "the task has run";
  list.jobs[0].job.attempt = AttemptNumber{};
  list.jobs[0].job.id = JobId{23};
  EXPECT_NE(shown().out.find("JobState=CANCELLED"), std::string::npos)
      << "the row of the array itself remains, as in Slurm";
}

TEST(ScontrolPartitions, NeedAName) {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"create", "partition", "PartitionName=", "Nodes=n1"},
        {"create", "partition", "Nodes=n1"},
        {"update", "PartitionName=,", "State=UP"},
        {"delete", "PartitionName="}}) {
    const ControlPlan plan = plan_control(words, a_scene());
    EXPECT_TRUE(plan.questions.empty());
    const Shown shown = plan.show({});
    EXPECT_EQ(shown.err,
              "PartitionName must be given.\nscontrol: error: write PartitionName=NAME first; "
              "'scontrol show partitions' lists the names in use\n");
    EXPECT_EQ(shown.exit_code, exit_refused);
  }
}

}  // namespace
}  // namespace cox
