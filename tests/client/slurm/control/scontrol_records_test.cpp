// Tests records of scontrol with every field of a job, a node or a partition, in Slurm's layout.
#include <gtest/gtest.h>

#include "client/slurm/control/records.h"
#include "tests/client/rich_job.h"

namespace cox {
namespace {

constexpr std::int64_t record_noon_s = 1'795'348'800;  // 2026-11-22T12:00:00 UTC

Wall record_moment_at(std::int64_t seconds) {
  return wall_from_ms((record_noon_s + seconds) * 1000);
}

RecordView record_view(bool details = false, bool one_line = false) {
  RecordView as;
  as.screen.now = record_moment_at(0);
  as.details = details;
  as.one_line = one_line;
  return as;
}

// Returns the text of a scontrol record from "KEY=" to the end of that line; empty if the record
// lacks the key.
std::string record_line(const std::string& record, const std::string& key) {
  const std::size_t at = record.find(" " + key + "=");
  if (at == std::string::npos) return "";
  return record.substr(at + 1, record.find('\n', at) - at - 1);
}

JobView a_job_with_all() {
  JobView view = a_rich_view();
  Job& job = view.job;
  JobSpec& spec = job.spec.change();
  spec.uid = 1000;
  spec.partition = "main,long";
  spec.comment = "a comment";
  spec.requeue = false;
  spec.mail_type = "ALL";
  spec.deadline = record_moment_at(90'000);
  job.submitted = record_moment_at(-300);
  job.eligible = record_moment_at(-200);
  job.started = record_moment_at(-100);
  view.ran_ms = 90'000;
  view.left_ms = 7'110'000;
  return view;
}

TEST(ScontrolRecords, ShowAllFieldsOfARunningJob) {
  EXPECT_EQ(
      job_record(a_job_with_all(), 41.5, record_view()),
      "JobId=17 JobName=fit\n"
      "   UserId=ada(1000) GroupId=(100) MCS_label=N/A\n"
      "   Priority=42 Nice=5 Account=physics QOS=high WCKey=w1\n"
      "   JobState=RUNNING Reason=None Dependency=(null)\n"
      "   Requeue=0 Restarts=2 BatchFlag=0 Reboot=0 ExitCode=0:0\n"
      "   RunTime=00:01:30 TimeLimit=02:00:00 TimeMin=00:30:00\n"
      "   SubmitTime=2026-11-22T11:55:00 EligibleTime=2026-11-22T11:56:40\n"
      "   AccrueTime=2026-11-22T11:56:40\n"
      "   StartTime=2026-11-22T11:58:20 EndTime=2026-11-22T13:58:20 Deadline=2026-11-23T13:00:00\n"
      "   CronJob=Yes CrontabSpec=\"0 1 * * *\"\n"
      "   PreemptEligibleTime=2026-11-22T11:58:20 PreemptTime=None\n"
      "   SuspendTime=None SecsPreSuspend=0 LastSchedEval=2026-11-22T11:58:20 Scheduler=Main\n"
      "   Partition=long AllocNode:Sid=login:0\n"
      "   ReqNodeList=n[1-2] ExcNodeList=n9\n"
      "   NodeList=n[1-2]\n"
      "   BatchHost=n1\n"
      "   NumNodes=2 NumCPUs=12 NumTasks=4 CPUs/Task=3 ReqB:S:C:T=0:0:*:*\n"
      "   ReqTRES=cpu=12,mem=18G,node=2,billing=12,gres/gpu=4\n"
      "   AllocTRES=cpu=12,mem=18G,node=2,billing=12,gres/gpu=4\n"
      "   Socks/Node=* NtasksPerN:B:S:C=2:0:*:* CoreSpec=*\n"
      "   MinCPUsNode=6 MinMemoryCPU=1536M MinTmpDiskNode=0\n"
      "   Features=fast DelayBoot=00:00:00\n"
      "   Prefer=new\n"
      "   Reservation=class\n"
      "   OverSubscribe=USER Contiguous=1 Licenses=matlab:2 Network=(null)\n"
      "   Command=python fit.py\n"
      "   WorkDir=/home/ada\n"
      "   SystemComment=n1: disk is slow\n"
      "   Comment=a comment\n"
      "   StdErr=/home/ada/slurm-17.0.out\n"
      "   StdIn=/dev/null\n"
      "   StdOut=/home/ada/slurm-17.0.out\n"
      "   Power=\n"
      "   TresPerNode=gres/gpu:h100:2,gres/fpga:1\n"
      "   MailUser=ada MailType=INVALID_DEPEND,BEGIN,END,FAIL,REQUEUE,STAGE_OUT\n"
      "\n");
}

TEST(ScontrolRecords, ShowTheGrantsOfAJobOnEachNodeInTheDetails) {
  const auto grant = [](const char* node, std::int64_t memory_mb, std::vector<std::int32_t> gpus) {
    NodeGrant one;
    one.node = node;
    one.memory_mb = memory_mb;
    one.gpus = std::move(gpus);
    return one;
  };
  JobView view = a_job_with_all();
  view.nodes = {"n1", "n2", "n3", "n4"};
  const Placement grants = {grant("n1", 512, {1, 0, 3}), grant("n2", 512, {1, 0, 3}),
                            grant("n3", 1024, {1, 0, 3}), grant("n4", 1024, {}),
                            grant("n5", 1024, {7})};
  const std::string details = job_record(view, 1, record_view(true), grants);
  const std::size_t begin = details.find("   JOB_GRES=");
  ASSERT_NE(begin, std::string::npos) << details;
  EXPECT_EQ(details.substr(begin, details.find("   MinCPUsNode") - begin),
            "   JOB_GRES=gpu:h100:9\n"
            "     Nodes=n[1-2] Mem=512 GRES=gpu:h100:3(IDX:0-1,3)\n"
            "     Nodes=n3 Mem=1024 GRES=gpu:h100:3(IDX:0-1,3)\n"
            "     Nodes=n4 Mem=1024 GRES=\n");
  EXPECT_NE(details.find("\n   DerivedExitCode=0:0\n"), std::string::npos) << details;
  EXPECT_EQ(record_line(job_record(view, 1, record_view(true)), "JOB_GRES"), "JOB_GRES=gpu:h100:4")
      << "the count is known without the devices";
  view.gpus = 0;
  EXPECT_EQ(record_line(job_record(view, 1, record_view(true)), "JOB_GRES"), "JOB_GRES=(null)");
  view.job.state = JobState::Pending;
  EXPECT_EQ(record_line(job_record(view, 1, record_view(true), grants), "JOB_GRES"), "");
}

TEST(ScontrolRecords, ShowTheKnownFieldsOfAPendingJob) {
  JobView view = a_job_with_all();
  JobSpec& spec = view.job.spec.change();
  view.job.state = JobState::Pending;
  view.job.started = {};
  view.job.attempt = {};
  view.expected_start = record_moment_at(600);
  view.reason = WaitReason::Resources;
  view.left_ms = -1;
  view.ran_ms = 5000;
  view.cpus = view.memory_mb = view.gpus = 0;
  spec.node_sizes = "2,4";
  spec.memory_mb_per_cpu = 0;
  spec.memory_mb_per_node = 3072;
  spec.mail_user = "eve@example.org";
  spec.mail_type = "END";
  const auto line = [&](const char* key) {
    return record_line(job_record(view, 0.2, record_view()), key);
  };
  EXPECT_EQ(line("Priority"), "Priority=1 Nice=5 Account=physics QOS=high WCKey=w1")
      << "0 would mean held";
  EXPECT_EQ(line("RunTime"), "RunTime=00:00:00 TimeLimit=02:00:00 TimeMin=00:30:00");
  EXPECT_EQ(line("StartTime"),
            "StartTime=2026-11-22T12:10:00 EndTime=2026-11-22T14:10:00 "
            "Deadline=2026-11-23T13:00:00");
  EXPECT_EQ(line("PreemptEligibleTime"), "");
  EXPECT_EQ(line("BatchHost"), "");
  EXPECT_EQ(line("NodeList"), "NodeList=");
  EXPECT_EQ(line("NumNodes"), "NumNodes=2,4 NumCPUs=12 NumTasks=4 CPUs/Task=3 ReqB:S:C:T=0:0:*:*");
  EXPECT_EQ(line("ReqTRES"), "ReqTRES=cpu=12,mem=6G,node=2,billing=12,gres/gpu=4");
  EXPECT_EQ(line("AllocTRES"), "AllocTRES=(null)");
  EXPECT_EQ(line("MinCPUsNode"), "MinCPUsNode=6 MinMemoryNode=3G MinTmpDiskNode=0");
  EXPECT_EQ(line("MailUser"), "MailUser=eve@example.org MailType=END");
  EXPECT_EQ(line("SuspendTime"),
            "SuspendTime=None SecsPreSuspend=0 LastSchedEval=2026-11-22T11:56:40 Scheduler=Main");
  view.job.eligible = record_moment_at(3600);
  EXPECT_EQ(line("SuspendTime"),
            "SuspendTime=None SecsPreSuspend=0 LastSchedEval=2026-11-22T11:55:00 Scheduler=Main")
      << "not in the future";
  spec.whole_memory = true;
  EXPECT_EQ(line("MinCPUsNode"), "MinCPUsNode=6 MinMemoryNode=0 MinTmpDiskNode=0");
  spec.time_limit_s = 0;
  EXPECT_EQ(line("StartTime"),
            "StartTime=2026-11-22T12:10:00 EndTime=Unknown Deadline=2026-11-23T13:00:00");
}

TEST(ScontrolRecords, ShowOnlyTheRequestedTimesOfAHeldJob) {
  JobView view = a_job_with_all();
  view.job.state = JobState::Pending;
  view.job.held = true;
  view.job.started = {};
  const auto times = [&] {
    const std::string record = job_record(view, 9, record_view());
    return record_line(record, "SubmitTime") + "\n" + record_line(record, "AccrueTime");
  };
  EXPECT_EQ(times(), "SubmitTime=2026-11-22T11:55:00 EligibleTime=Unknown\nAccrueTime=Unknown");
  EXPECT_TRUE(
      record_line(job_record(view, 9, record_view()), "Priority").starts_with("Priority=0 "));
  view.job.spec.change().begin = record_moment_at(3600);
  view.job.eligible = {};
  EXPECT_EQ(times(),
            "SubmitTime=2026-11-22T11:55:00 EligibleTime=2026-11-22T13:00:00\nAccrueTime=Unknown");
  view.job.held = false;
  EXPECT_EQ(times(),
            "SubmitTime=2026-11-22T11:55:00 EligibleTime=2026-11-22T13:00:00\n"
            "AccrueTime=2026-11-22T13:00:00");
}

TEST(ScontrolRecords, ShowAsEndTimeTheEndOrTheTimeLimit) {
  JobView view = a_job_with_all();
  const auto end = [&] {
    const std::string line = record_line(job_record(view, 1, record_view()), "EndTime");
    return line.substr(0, line.find(' '));
  };
  EXPECT_EQ(end(), "EndTime=2026-11-22T13:58:20")
      << "its start, run time and remaining time are added";
  view.left_ms = 0;
  EXPECT_EQ(end(), "EndTime=2026-11-22T11:59:50") << "its time is over";
  view.left_ms = -1;
  EXPECT_EQ(end(), "EndTime=2026-11-22T13:58:20");
  view.left_ms = 500'000;
  view.ran_ms = 0;
  EXPECT_EQ(end(), "EndTime=2026-11-22T13:58:20");
  view.job.ended = record_moment_at(-1);
  view.job.state = JobState::Failed;
  view.job.exit_code = 2;
  view.job.exit_signal = 9;
  EXPECT_EQ(end(), "EndTime=2026-11-22T11:59:59");
  EXPECT_EQ(record_line(job_record(view, 1, record_view()), "Requeue"),
            "Requeue=0 Restarts=2 BatchFlag=0 Reboot=0 ExitCode=2:9");
}

TEST(ScontrolRecords, NameTasksOfArraysAndComponents) {
  JobView view = a_job_with_all();
  const auto head = [&] {
    const std::string record = job_record(view, 1, record_view());
    return record.substr(0, record.find(" JobName"));
  };
  view.job.array_job = JobId{16};
  view.job.array_task = 4;
  view.job.array_limit = 2;
  EXPECT_EQ(head(), "JobId=17 ArrayJobId=16 ArrayTaskId=4 ArrayTaskThrottle=2");
  view.job.array_limit = 0;
  EXPECT_EQ(head(), "JobId=17 ArrayJobId=16 ArrayTaskId=4");
  view.job.array_task = -1;
  view.job.array_tasks = *parse_array_tasks("5-9");
  EXPECT_EQ(head(), "JobId=17 ArrayJobId=16 ArrayTaskId=5-9");
  JobView component = a_job_with_all();
  component.job.component = 0;
  view = component;
  EXPECT_EQ(head(), "JobId=17 HetJobId=17 HetJobOffset=0 HetJobIdSet=17");
}

TEST(ScontrolRecords, ShowAllFieldsOfANode) {
  NodeView view;
  view.node.name = "n1";
  view.node.total = {64, 262'144, {{0, "h100", "", 0}, {1, "h100", "", 0}, {2, "", "", 0}}, {}};
  view.node.total.gres = {{"fpga", "", 2}, {"nic", "fast", 1}};
  view.node.features = {"fast", "new"};
  view.node.address = "10.0.0.1";
  view.node.version = "1.2";
  view.node.responding = view.node.drained = true;
  view.node.reason = "bad disk";
  view.node.reason_by = "node n1";
  view.node.changed = record_moment_at(-60);
  view.node.weight = 7;
  view.node.failures = {{JobId{17}, {}}, {JobId{18}, {}}};
  view.failure_score = 2.056;
  view.cpus_used = 64;
  view.memory_mb_used = 1024;
  view.gpus_used = 2;
  view.jobs = {JobId{17}};
  view.partitions = {"main", "long"};
  view.reservations = {"class", "maint"};
  EXPECT_EQ(node_record(view, record_view(true)),
            "NodeName=n1 Arch=x86_64 CoresPerSocket=1\n"
            "   CPUAlloc=64 CPUEfctv=64 CPUTot=64 CPULoad=N/A\n"
            "   AvailableFeatures=fast,new\n"
            "   ActiveFeatures=fast,new\n"
            "   Gres=gpu:1,gpu:h100:2,fpga:2,nic:fast:1\n"
            "   GresUsed=gpu:2\n"
            "   NodeAddr=10.0.0.1 NodeHostName=n1 Version=1.2\n"
            "   OS=Linux\n"
            "   RealMemory=262144 AllocMem=1024 FreeMem=N/A Sockets=64 Boards=1\n"
            "   State=ALLOCATED+DRAIN+RESERVED ThreadsPerCore=1 TmpDisk=0 Weight=7 Owner=N/A "
            "MCS_label=N/A\n"
            "   Partitions=main,long\n"
            "   BootTime=None SlurmdStartTime=None\n"
            "   LastBusyTime=2026-11-22T11:59:00 ResumeAfterTime=None\n"
            "   CfgTRES=cpu=64,mem=256G,billing=64,gres/gpu=3\n"
            "   AllocTRES=cpu=64,mem=1G,gres/gpu=2\n"
            "   CapWatts=n/a\n"
            "   CurrentWatts=0 AveWatts=0\n"
            "   ExtSensorsJoules=n/a ExtSensorsWatts=0 ExtSensorsTemp=n/a\n"
            "   Reason=bad disk [n1@2026-11-22T11:59:00]\n"
            "   FailureScore=2.06 FailedJobs=17,18\n"
            "   ReservationName=class,maint\n"
            "\n");
  const auto has = [&](const char* token) {
    return node_record(view, record_view()).find(token) != std::string::npos;
  };
  EXPECT_FALSE(has("GresUsed="));
  view.maint = true;
  EXPECT_TRUE(has("State=ALLOCATED+DRAIN+MAINTENANCE ")) << "maintenance overrides reserved";
  view.failure_score = 2.1;
  EXPECT_TRUE(has("FailureScore=2.10 "));
  view.failure_score = 0;
  view.reservations.clear();
  view.node.reason.clear();
  view.node.changed = {};
  EXPECT_FALSE(has("FailureScore=") || has("ReservationName=") || has("Reason="));
  EXPECT_TRUE(has("LastBusyTime=Unknown "));
  view.gpus_used = 0;
  EXPECT_NE(node_record(view, record_view(true)).find("GresUsed=(null)\n"), std::string::npos);
}

TEST(ScontrolRecords, CallANodeMixedUntilAllItsCpusAreInUse) {
  NodeView view;
  view.node.responding = true;
  EXPECT_EQ(long_node_state(view), "IDLE") << "the node has no CPU";
  view.node.total.cpus = 4;
  view.jobs = {JobId{1}};
  EXPECT_EQ(long_node_state(view), "MIXED") << "the job on it holds no CPU";
  view.cpus_used = 3;
  EXPECT_EQ(long_node_state(view), "MIXED");
  view.cpus_used = 4;
  EXPECT_EQ(long_node_state(view), "ALLOCATED");
  view.reservations = {"class"};
  EXPECT_EQ(long_node_state(view), "ALLOCATED+RESERVED");
}

NodeList nodes_of_records() {
  NodeList list;
  for (const char* name : {"n10", "n2", "n3"}) {
    NodeView& view = list.nodes.emplace_back();
    view.node.name = name;
    view.node.total = {8, 1024, {{0, "", "", 0}}, {}};
    view.partitions = {"main"};
  }
  list.nodes[2].partitions = {"other"};
  return list;
}

TEST(ScontrolRecords, ShowAllFieldsOfAPartition) {
  PartitionView view;
  view.name = "main";
  view.time_limit_max_s = 86'400;
  view.time_limit_default_s = 3600;
  view.state = PartitionState::Up;
  view.priority_tier = 3;
  view.priority = 20;
  view.min_nodes = 2;
  view.max_nodes = 9;
  view.max_memory_mb_per_node = 4096;
  view.deny_accounts = {"chemistry"};
  view.deny_qos = {"low", "idle"};
  view.allow_groups = {"staff"};
  view.qos = "part";
  view.exclusive = true;
  view.closed = true;
  view.memory_mb_per_cpu_default = 512;
  view.tres_billing_weights = "cpu=2";
  EXPECT_EQ(
      partition_record(view, nodes_of_records(), record_view()),
      "PartitionName=main\n"
      "   AllowGroups=staff DenyAccounts=chemistry DenyQos=low,idle\n"
      "   AllocNodes=ALL Default=NO QoS=part\n"
      "   DefaultTime=01:00:00 DisableRootJobs=NO ExclusiveUser=NO GraceTime=0 Hidden=NO\n"
      "   MaxNodes=9 MaxTime=1-00:00:00 MinNodes=2 LLN=NO MaxCPUsPerNode=UNLIMITED "
      "MaxCPUsPerSocket=UNLIMITED\n"
      "   Nodes=n[2,10]\n"
      "   PriorityJobFactor=20 PriorityTier=3 RootOnly=NO ReqResv=NO OverSubscribe=EXCLUSIVE\n"
      "   OverTimeLimit=NONE PreemptMode=REQUEUE\n"
      "   State=DOWN TotalCPUs=16 TotalNodes=2 SelectTypeParameters=NONE\n"
      "   JobDefaults=(null)\n"
      "   DefMemPerCPU=512 MaxMemPerNode=4096\n"
      "   TRES=cpu=16,mem=2G,node=2,billing=16,gres/gpu=2\n"
      "   TRESBillingWeights=cpu=2\n"
      "\n");
  view.allow_accounts = {"physics", "biology"};
  view.allow_qos = {"high"};
  view.deny_accounts.clear();
  view.deny_qos.clear();
  view.state = PartitionState::Drain;
  view.memory_mb_per_cpu_default = 0;
  view.preempt_mode = PreemptMode::Cancel;
  const std::string other = partition_record(view, {}, record_view());
  EXPECT_EQ(record_line(other, "OverTimeLimit"), "OverTimeLimit=NONE PreemptMode=CANCEL");
  EXPECT_EQ(record_line(other, "AllowGroups"),
            "AllowGroups=staff AllowAccounts=physics,biology AllowQos=high");
  EXPECT_TRUE(record_line(other, "State").starts_with("State=DRAIN TotalCPUs=0 TotalNodes=0 "));
  EXPECT_EQ(record_line(other, "DefMemPerNode"), "DefMemPerNode=UNLIMITED MaxMemPerNode=4096");
  EXPECT_EQ(record_line(other, "Nodes"), "Nodes=(null)");
  EXPECT_EQ(record_line(other, "TRES"), "TRES=(null)");
}

TEST(ScontrolRecords, ShowReservationsWithTheirNodes) {
  ReservationView view;
  AdvanceReservation& r = view.reservation;
  r.name = "class";
  r.begin = record_moment_at(-600);
  r.end = record_moment_at(93'600);
  r.nodes = {"n2", "n10"};
  r.users = {"ada", "bob"};
  r.flex = true;
  r.nodes_asked = "n[2,10]";
  view.active = true;
  EXPECT_EQ(reservation_record(view, nodes_of_records(), record_view()),
            "ReservationName=class StartTime=2026-11-22T11:50:00 EndTime=2026-11-23T14:00:00 "
            "Duration=1-02:10:00\n"
            "   Nodes=n[2,10] NodeCnt=2 CoreCnt=16 Features=(null) PartitionName=(null) "
            "Flags=FLEX,SPEC_NODES\n"
            "   TRES=cpu=16\n"
            "   Users=ada,bob Groups=(null) Accounts=(null) Licenses=(null) State=ACTIVE "
            "BurstBuffer=(null) Watts=n/a\n"
            "   MaxStartDelay=(null)\n"
            "\n");
  r.flex = false;
  const auto flags = [&] {
    const std::string line = record_line(reservation_record(view, {}, record_view()), "Flags");
    return line;
  };
  EXPECT_EQ(flags(), "Flags=SPEC_NODES");
  r.nodes_asked.clear();
  EXPECT_EQ(flags(), "Flags=");
}

TEST(ScontrolRecords, ShowLicencesAndSteps) {
  EXPECT_EQ(licence_record({"matlab", 5, 2, {}, {}}, record_view(false, true)),
            "LicenseName=matlab Total=5 Used=2 Free=3 Reserved=0 Remote=no\n");
  StepView view;
  view.step.key = {{JobId{17}, AttemptNumber{1}}, 2};
  view.step.spec.name = "mpi";
  view.step.spec.time_limit_s = 600;
  view.step.spec.distribution = Distribution::Cyclic;
  view.step.state = JobState::Running;
  view.step.started = record_moment_at(0);
  view.step.tasks = 3;
  view.step.nodes = {{"n1", 2, 4, 512, {0, 1}}, {"n2", 1, 2, 512, {0}}};
  view.partition = "main";
  EXPECT_EQ(step_record(step_facts(view, 1000), record_view()),
            "StepId=17.2 UserId=1000 StartTime=2026-11-22T12:00:00 TimeLimit=00:10:00\n"
            "   State=RUNNING Partition=main NodeList=n[1-2]\n"
            "   Nodes=2 CPUs=6 Tasks=3 Name=mpi Network=(null)\n"
            "   TRES=cpu=6,mem=1G,node=2,gres/gpu=3\n"
            "   ResvPorts=(null)\n"
            "   CPUFreqReq=Default Dist=Cyclic\n"
            "   SrunHost:Pid=(null):0\n"
            "\n");
  view.array_job = JobId{16};
  view.array_task = 4;
  view.step.spec.distribution = Distribution::Block;
  EXPECT_EQ(step_facts(view, 1000).id, "16_4.2");
  EXPECT_EQ(step_facts(view, 1000).distribution, "Block");
  JobView job = a_job_with_all();
  EXPECT_EQ(step_record(batch_step_facts(job), record_view()),
            "StepId=17.batch UserId=1000 StartTime=2026-11-22T11:58:20 TimeLimit=UNLIMITED\n"
            "   State=RUNNING Partition=long NodeList=n1\n"
            "   Nodes=1 CPUs=0 Tasks=1 Name=batch Network=(null)\n"
            "   TRES=(null)\n"
            "   ResvPorts=(null)\n"
            "   CPUFreqReq=Default\n"
            "   SrunHost:Pid=(null):0\n"
            "\n");
  job.job.array_job = JobId{16};
  job.job.array_task = 4;
  EXPECT_EQ(step_job_name(job), "16_4");
  job.job.array_task = -1;
  job.job.array_tasks = *parse_array_tasks("4-9");
  job.nodes.clear();
  EXPECT_EQ(step_job_name(job), "17") << "a combined row of tasks has no task id";
  EXPECT_TRUE(batch_step_facts(job).nodes.empty());
}

}  // namespace
}  // namespace cox
