// Tests each change of `scontrol update`: its effect on the job's specification, and the values
// that are refused.
#include "controller/admit/job_changes.h"

#include <gtest/gtest.h>

#include "common/base/limits.h"

namespace cox {
namespace {

class JobChanges : public testing::Test {
 protected:
  JobChanges() {
    job.id = JobId{7};
    job.state = JobState::Pending;
    job.started = now.wall - std::chrono::seconds{100};
  }
  // Applies the change to a job with this specification. Sets last_refusal to the refusal, or to
  // "".
  JobChange changed(const std::string& name, const std::string& value, const JobSpec& spec = {}) {
    JobChange change{job, now, spec};
    const Failure failure = take_change(change, name, value);
    last_refusal = failure ? failure->fact + " / " + failure->hint : "";
    return change;
  }
  std::string refusal(const std::string& name, const std::string& value, const JobSpec& spec = {}) {
    changed(name, value, spec);
    return last_refusal;
  }

  Job job;
  Now now{boot_from_ms(1'000'000), wall_from_ms(1'700'000'000'000)};
  std::string last_refusal;
};

TEST_F(JobChanges, EachTextSettingChangesItsOwnField) {
  for (const auto& [name, field] : std::vector<std::pair<const char*, std::string JobSpec::*>>{
           {"JobName", &JobSpec::name},
           {"Name", &JobSpec::name},
           {"Comment", &JobSpec::comment},
           {"Partition", &JobSpec::partition},
           {"PartitionName", &JobSpec::partition},
           {"QOS", &JobSpec::qos},
           {"Account", &JobSpec::account},
           {"NumNodes", &JobSpec::node_sizes},
           {"ReqNodes", &JobSpec::node_sizes},
           {"MinNodes", &JobSpec::node_sizes},
           {"Features", &JobSpec::constraint},
           {"Prefer", &JobSpec::prefer},
           {"Licenses", &JobSpec::licences},
           {"Reservation", &JobSpec::reservation},
           {"ReservationName", &JobSpec::reservation},
           {"Switches", &JobSpec::switches},
           {"StdOut", &JobSpec::output},
           {"StdErr", &JobSpec::error},
           {"StdIn", &JobSpec::input},
           {"WorkDir", &JobSpec::work_dir},
           {"WCKey", &JobSpec::wckey},
           {"MailUser", &JobSpec::mail_user}}) {
    JobSpec expected;
    expected.*field = "3";
    EXPECT_EQ(changed(name, "3").spec, expected) << name;
    if (field != &JobSpec::node_sizes) {
      EXPECT_EQ(changed(name, "(null)", expected).spec, JobSpec{}) << name;
    }
    EXPECT_EQ(last_refusal, "");
  }
}

TEST_F(JobChanges, ACommentIsPrintableAndBounded) {
  const std::string longest(limits::wish_bytes_max, 'x');
  EXPECT_EQ(changed("Comment", longest).spec.comment, longest);
  for (const std::string& wrong : {longest + "x", std::string("a\nb"), std::string("\xff")})
    EXPECT_EQ(refusal("Comment", wrong),
              "the text is longer than 4096 bytes, or not printable / make it plain and shorter");
}

// Otherwise no mail would be sent, and nobody would know why.
TEST_F(JobChanges, AMailTypeIsOneThatASubmissionMayHave) {
  EXPECT_EQ(changed("MailType", "end,BEGIN").spec.mail_type, "BEGIN,END");
  JobSpec spec;
  spec.mail_type = "END";
  EXPECT_EQ(changed("MailType", "NONE", spec).spec.mail_type, "");
  EXPECT_EQ(changed("MailType", "(null)", spec).spec.mail_type, "");
  EXPECT_EQ(refusal("MailType", "FOO"),
            "\"FOO\" is not a mail type / write BEGIN, END, FAIL, REQUEUE, ALL or NONE");
}

TEST_F(JobChanges, RequeueAndOverSubscribeTake1YesTrue0NoOrFalse) {
  for (const char* on : {"1", "yes", "TRUE"}) {
    JobSpec spec;
    spec.requeue = false;
    spec.exclusive = true;
    EXPECT_TRUE(changed("Requeue", on, spec).spec.requeue) << on;
    EXPECT_FALSE(changed("Shared", on, spec).spec.exclusive) << on;
  }
  for (const char* off : {"0", "NO", "false"}) {
    EXPECT_FALSE(changed("Requeue", off).spec.requeue) << off;
    EXPECT_TRUE(changed("OverSubscribe", off).spec.exclusive) << off;
  }
  EXPECT_EQ(refusal("Requeue", "2"), "Invalid Requeue value: \"2\" / use 0 or 1");
  EXPECT_EQ(refusal("Shared", "on"), "Invalid OverSubscribe value: \"on\" / use 0 or 1");
}

TEST_F(JobChanges, OverSubscribeChangesExclusiveUseAndContiguousIsSwitched) {
  JobSpec users;
  users.exclusive_user = true;
  EXPECT_FALSE(changed("OverSubscribe", "yes", users).spec.exclusive_user);
  const JobSpec alone = changed("OverSubscribe", "no", users).spec;
  EXPECT_TRUE(alone.exclusive);
  EXPECT_FALSE(alone.exclusive_user);
  EXPECT_TRUE(changed("Contiguous", "yes").spec.contiguous);
  JobSpec row;
  row.contiguous = true;
  EXPECT_FALSE(changed("Contiguous", "0", row).spec.contiguous);
  EXPECT_EQ(refusal("Contiguous", "maybe"), "Invalid Contiguous value: \"maybe\" / use 0 or 1");
}

TEST_F(JobChanges, MinCpusOfANodeCannotFallBelowTheCpusPerTaskThatWereAskedFor) {
  JobSpec spec;
  spec.min_cpus = spec.cpus_per_task = 4;  // admission derived cpus_per_task from min_cpus
  const JobSpec fewer = changed("MinCPUsNode", "2", spec).spec;
  EXPECT_EQ(fewer.min_cpus, 2);
  EXPECT_EQ(fewer.cpus_per_task, 1) << "admission derives it again";
  EXPECT_EQ(changed("MinCPUsNode", "0", spec).spec.cpus_per_task, 1);
  spec.cpus_per_task_asked = true;
  EXPECT_EQ(changed("MinCPUsNode", "6", spec).spec.min_cpus, 6);
  EXPECT_EQ(last_refusal, "");
  EXPECT_EQ(refusal("MinCPUsNode", "2", spec),
            "MinCPUsNode=2 is less than 4, and the job was submitted with --cpus-per-task / submit "
            "the job again with --mincpus=2");
  EXPECT_EQ(refusal("MinCPUsNode", "-1").substr(0, 26), "Invalid MinCPUsNode value:");
}

TEST_F(JobChanges, ATimeLimitIsSetRaisedOrLowered) {
  JobSpec hour;
  hour.time_limit_s = hour.time_min_s = 3600;
  const auto limit = [&](const std::string& value, const JobSpec& spec) {
    return changed("TimeLimit", value, spec).spec.time_limit_s;
  };
  EXPECT_EQ(limit("30", hour), 1800);
  EXPECT_EQ(limit("+30", hour), 5400);
  EXPECT_EQ(limit("-30", hour), 1800);
  EXPECT_EQ(limit("-1", hour), 0) << "none any more";
  EXPECT_EQ(limit("-0:59:59", hour), 1);
  EXPECT_EQ(changed("TimeMin", "+1", hour).spec.time_min_s, 3660);
  const std::string up_to = " / it may be up to 366-00:00:00";
  EXPECT_EQ(refusal("TimeLimit", "-60", hour), "Invalid TimeLimit value: it comes to 0 s" + up_to);
  EXPECT_EQ(
      refusal("TimeLimit", "+1", {}),
      "Invalid TimeLimit value: there is no limit to add to or take from / give the complete time");
  JobSpec nearly;
  nearly.time_limit_s = limits::time_limit_s_max - 60;
  EXPECT_EQ(limit("+1", nearly), limits::time_limit_s_max);
  EXPECT_EQ(refusal("TimeLimit", "+2", nearly),
            "Invalid TimeLimit value: it comes to 31622460 s" + up_to);
  EXPECT_EQ(refusal("TimeMin", "soon").substr(0, 23), "Invalid TimeMin value: ");
}

TEST_F(JobChanges, DeadlineAndStartTimeAreSetFromATimeAndInvalidTimesAreRefused) {
  const Wall moment = wall_from_ms(1'700'000'060'000);
  const std::string text = "2023-11-14T22:14:20Z";
  JobSpec expected;
  expected.deadline = moment;
  EXPECT_EQ(changed("Deadline", text).spec, expected);
  expected = {};
  expected.begin = moment;
  for (const char* name : {"StartTime", "EligibleTime"}) {
    const JobChange change = changed(name, text);
    EXPECT_EQ(change.spec, expected);
    EXPECT_TRUE(change.begins_anew);
    EXPECT_FALSE(change.depends_anew);
  }
  const std::string how =
      " is not a valid time / write it like 2026-12-24T18:00:00Z; `scontrol update` takes local "
      "times";
  for (const char* name : {"Deadline", "StartTime", "EndTime"})
    EXPECT_EQ(refusal(name, "x"), "Invalid " + std::string(name) + " value: \"x\"" + how);
  EXPECT_EQ(refusal("EndTime", text),
            "EndTime can be changed only while the job runs / change TimeLimit, or Deadline");
}

TEST_F(JobChanges, EndTimeSetsTheTimeLimitOfARunningJob) {
  job.state = JobState::Running;
  job.started = wall_from_ms(1'700'000'000'000);
  EXPECT_EQ(changed("EndTime", "2023-11-14T22:13:21Z").spec.time_limit_s, 1);
  EXPECT_EQ(changed("EndTime", "2024-11-14T22:13:20Z").spec.time_limit_s, limits::time_limit_s_max);
  for (const char* wrong : {"2023-11-14T22:13:20Z", "2024-11-14T22:13:21Z"})
    EXPECT_EQ(refusal("EndTime", wrong),
              "Invalid EndTime value: it is before the job's start, or too far from it / the limit "
              "is 366-00:00:00 from there");
}

TEST_F(JobChanges, NodeListsAreSetOrCleared) {
  JobSpec both;
  both.nodelist = {"n1", "n2"};
  both.exclude = {"n1", "n2"};
  for (const char* name : {"ReqNodeList", "NodeList"}) {
    EXPECT_EQ(changed(name, "n[1-2]").spec.nodelist, both.nodelist);
    EXPECT_EQ(changed(name, "(null)", both).spec.nodelist, std::vector<std::string>{});
    EXPECT_EQ(changed(name, "", both).spec.exclude, both.exclude);
  }
  EXPECT_EQ(changed("ExcNodeList", "n[1-2]").spec.exclude, both.exclude);
  EXPECT_EQ(changed("ExcNodeList", "", both).spec.exclude, std::vector<std::string>{});
  EXPECT_EQ(changed("ExcNodeList", "", both).spec.nodelist, both.nodelist);
  EXPECT_EQ(refusal("ExcNodeList", "n[1-").substr(0, 29), "Invalid node name specified: ");
}

TEST_F(JobChanges, TasksMemoryAndNiceAreAcceptedUpToTheirLimits) {
  JobSpec expected;
  expected.tasks_asked = true;
  expected.tasks = limits::tasks_per_job_max;
  EXPECT_EQ(changed("NumTasks", "262144").spec, expected);
  EXPECT_EQ(refusal("NumTasks", "262145").substr(0, 32), "Invalid NumTasks value: \"262145\"");
  expected = {};
  expected.memory_mb_per_node = limits::memory_mb_per_node_max;
  EXPECT_EQ(changed("MinMemoryNode", "1073741824").spec, expected);
  EXPECT_NE(refusal("MinMemoryNode", "1073741825"), "");
  EXPECT_EQ(changed("Nice", "2147483645").spec.nice, limits::nice_max);
  EXPECT_EQ(changed("Nice", "-2147483645").spec.nice, -limits::nice_max);
  const std::string nice_range = " is not a whole number from -2147483645 to 2147483645";
  for (const std::string wrong : {"-2147483646", "2147483646", "x", "-x", "--1", ""})
    EXPECT_NE(refusal("Nice", wrong).find('"' + wrong + '"' + nice_range), std::string::npos)
        << refusal("Nice", wrong);
  JobSpec sized;
  sized.nodes = sized.tasks = 4;
  EXPECT_EQ(changed("NumNodes", "2-3", sized).spec.tasks, 0) << "it follows from the nodes";
  EXPECT_EQ(changed("NumNodes", "2-3", sized).spec.nodes, 0);
  sized.tasks_asked = true;
  EXPECT_EQ(changed("NumNodes", "2-3", sized).spec.tasks, 4);
}

TEST_F(JobChanges, AChangedGresReplacesTheWholeGresRequest) {
  JobSpec before;
  before.stored_options = {"gpus-per-node=2", "no-shell"};
  before.gpus_per_node = 2;
  before.gpu_milli = 500;
  before.gpu_type = "h200";
  before.gres = "nic:1";
  for (const char* name : {"Gres", "TresPerNode"}) {
    const JobSpec is = changed(name, "gpu:h100:3,tape:2", before).spec;
    EXPECT_EQ(is.gpus_per_node, 3);
    EXPECT_EQ(is.gpu_milli, 1000);
    EXPECT_EQ(is.gpu_type, "h100");
    EXPECT_EQ(is.gres, "tape:2");
    EXPECT_EQ(is.stored_options, std::vector<std::string>{"no-shell"});
  }
  for (const char* none : {"", "(null)"}) {
    const JobSpec is = changed("Gres", none, before).spec;
    EXPECT_EQ(is.gpus_per_node, 0);
    EXPECT_EQ(is.gpu_type, "");
    EXPECT_EQ(is.gres, "");
  }
  EXPECT_EQ(refusal("Gres", "gpu:0.3.1").substr(0, 20), "Invalid Gres value: ");
}

TEST_F(JobChanges, APriorityOfZeroHoldsAJobAndMinusOneOrInfiniteReleasesIt) {
  EXPECT_EQ(changed("Priority", "0").held, true);
  EXPECT_EQ(changed("Priority", "-1").held, false);
  EXPECT_EQ(changed("Priority", "INFINITE").held, false);
  EXPECT_EQ(refusal("Priority", "5"),
            "Invalid Priority value: \"5\": a priority is computed from its factors and cannot be "
            "set / Nice=-100 raises it by 100; Priority=0 holds the job");
}

TEST_F(JobChanges, AThrottleIsSetOnlyForAWholeArray) {
  EXPECT_EQ(refusal("ArrayTaskThrottle", "1"),
            "job 7 is not an array, and ArrayTaskThrottle is for whole arrays / submit it with "
            "--array");
  job.array_job = JobId{3};
  job.array_task = 2;
  EXPECT_EQ(
      refusal("ArrayTaskThrottle", "1"),
      "job 3_2 is not an array, and ArrayTaskThrottle is for whole arrays / name the array: 3");
  job.array_job = job.id;
  EXPECT_EQ(changed("ArrayTaskThrottle", "100000").throttle, limits::array_tasks_max);
  EXPECT_EQ(refusal("ArrayTaskThrottle", "100001"),
            "ArrayTaskThrottle: \"100001\" is not a whole number from 0 to 100000 / say how many "
            "tasks may run at once; 0: any number");
}

TEST_F(JobChanges, AChangedDependencyMayNameOnlyEarlierJobs) {
  JobSpec before;
  before.dependency = "afterok:1";
  EXPECT_EQ(changed("Dependency", "afterany:6,singleton", before).spec.dependency,
            "afterany:6,singleton");
  EXPECT_TRUE(changed("Dependency", "(null)", before).depends_anew);
  EXPECT_EQ(changed("Dependency", "(null)", before).spec.dependency, "");
  EXPECT_EQ(changed("Dependency", "", before).spec.dependency, "");
  const std::string refused =
      " may depend only on jobs that were submitted before it / name earlier jobs, or submit this "
      "one again after the others";
  EXPECT_EQ(refusal("Dependency", "afterok:7"), "Job dependency problem: job 7" + refused);
  EXPECT_EQ(refusal("Dependency", "wish").substr(0, 26), "Invalid Dependency value: ");
  job.array_job = JobId{4};
  EXPECT_EQ(refusal("Dependency", "afterok:5"), "Job dependency problem: job 4" + refused);
  EXPECT_EQ(refusal("Dependency", "afterok:3"), "");
}

TEST_F(JobChanges, SomeSettingsChangeOnlyWhileTheJobIsPending) {
  std::string running;
  for (const char* name : {"ArrayTaskThrottle",
                           "TimeLimit",
                           "TimeMin",
                           "EndTime",
                           "StartTime",
                           "Deadline",
                           "JobName",
                           "Name",
                           "Comment",
                           "Partition",
                           "QOS",
                           "Account",
                           "Priority",
                           "Nice",
                           "NumNodes",
                           "NumTasks",
                           "Dependency",
                           "ReqNodeList",
                           "Gres",
                           "Requeue",
                           "Shared",
                           "StdOut",
                           "WCKey",
                           "MailType",
                           "MailUser"})
    if (changes_what_runs({name})) running += std::string(name) + " ";
  EXPECT_EQ(running,
            "ArrayTaskThrottle TimeLimit EndTime JobName Name Comment Requeue MailType MailUser ");
  EXPECT_FALSE(changes_what_runs({"TimeLimit", "Nice"}));
  EXPECT_FALSE(changes_what_runs({"Colour"}));
  job.state = JobState::Running;
  EXPECT_EQ(refusal("nice", "1"),
            "Job is no longer pending execution: Nice can be changed only while the job is pending "
            "/ `scontrol requeue` makes it pending again");
  EXPECT_EQ(refusal("TimeLimit", "1"), "");
  job.state = JobState::Completed;
  EXPECT_EQ(refusal("Nice", "1"),
            "Job is no longer pending execution: Nice can be changed only while the job is pending "
            "/ the job has ended: submit it again");
}

TEST_F(JobChanges, TheNameOfASettingMayBeAbbreviatedAndAnUnknownSettingIsRefused) {
  EXPECT_EQ(change_name("time"), "TimeLimit") << "the first that begins so";
  EXPECT_EQ(change_name("tim"), "tim") << "too short";
  EXPECT_EQ(change_name("NAME"), "Name");
  EXPECT_EQ(change_name("EXCNODE"), "ExcNodeList");
  EXPECT_EQ(refusal("NumCPUs", "4"),
            "Update of this parameter is not supported: NumCPUs / it is computed from NumTasks "
            "and the CPUs of a task");
  EXPECT_EQ(refusal("TimeLimits", "4"),
            "Update of this parameter is not supported: TimeLimits=4 / did you mean TimeLimit?");
  const std::string all = refusal("Colour", std::string(70, 'x'));
  EXPECT_EQ(all.substr(0, 140).find("Update of this parameter is not supported: Colour=xxx"), 0U);
  EXPECT_NE(all.find("MailUser"), std::string::npos);
  EXPECT_EQ(all.find("SiteFactor"), std::string::npos) << "it cannot be changed";
  EXPECT_NE(all.find(" / possible: ArrayTaskThrottle, TimeLimit, TimeMin, "), std::string::npos);
}

TEST_F(JobChanges, ATimeLimitIsRaisedUpToTheLongestAllowed) {
  JobSpec spec;
  spec.time_limit_s = limits::time_limit_s_max - 60;
  EXPECT_EQ(changed("TimeLimit", "+1", spec).spec.time_limit_s, limits::time_limit_s_max);
  EXPECT_EQ(last_refusal, "");
  EXPECT_TRUE(refusal("TimeLimit", "+2", spec)
                  .starts_with("Invalid TimeLimit value: it comes to " +
                               std::to_string(limits::time_limit_s_max + 60) + " s / "))
      << last_refusal;
}

TEST_F(JobChanges, AnEmptyOrNullNodeListClearsTheListOfTheJob) {
  JobSpec spec;
  spec.nodelist = spec.exclude = {"n1"};
  for (const char* none : {"", "(null)"}) {
    EXPECT_TRUE(changed("ReqNodeList", none, spec).spec.nodelist.empty()) << last_refusal;
    EXPECT_EQ(last_refusal, "");
    EXPECT_TRUE(changed("ExcNodeList", none, spec).spec.exclude.empty()) << last_refusal;
    EXPECT_EQ(last_refusal, "");
  }
}

TEST_F(JobChanges, MinCpusNodeLeavesTheCpusPerTaskThatTheUserAskedFor) {
  JobSpec asked;
  asked.cpus_per_task_asked = true;
  asked.cpus_per_task = asked.min_cpus = 4;
  EXPECT_EQ(changed("MinCPUsNode", "8", asked).spec.cpus_per_task, 4);
  EXPECT_EQ(changed("MinCPUsNode", "4", asked).spec.min_cpus, 4);
  EXPECT_EQ(last_refusal, "") << "it is not lowered";
  EXPECT_EQ(refusal("MinCPUsNode", "3", asked),
            "MinCPUsNode=3 is less than 4, and the job was submitted with --cpus-per-task / submit "
            "the job again with --mincpus=3");
  JobSpec by_gpus;
  by_gpus.cpus_per_task = 3;
  EXPECT_EQ(changed("MinCPUsNode", "8", by_gpus).spec.cpus_per_task, 3)
      << "no --mincpus has raised it";
}

}  // namespace
}  // namespace cox
