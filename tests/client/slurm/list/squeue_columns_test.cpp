// Tests each column of squeue for jobs with every field, the order of rows, and the JSON.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "client/slurm/list/job_fields.h"
#include "client/slurm/list/squeue.h"
#include "tests/client/listing_story.h"
#include "tests/client/rich_job.h"

namespace cox {
namespace {

JobView a_rich_job() {
  JobView view = a_rich_view();
  Job& job = view.job;
  ParsedSpec& spec = job.spec.change();
  spec.uid = 1001;
  spec.input = "in.txt";
  spec.error = "err.txt";
  spec.comment = "hello";
  spec.memory_mb_per_gpu = 10;
  spec.gpus = 5;
  spec.gpus_per_task = 1;
  spec.cpus_per_gpu = 6;
  spec.switches = "2@10:00";
  spec.mail_type = "BEGIN,END";
  spec.mail_user = "ada@example.org";
  spec.deadline = *parse_moment("2026-11-23T00:00:00Z");
  spec.parse();
  job.submitted = *parse_moment("2026-11-22T12:00:00Z");
  job.eligible = *parse_moment("2026-11-22T12:01:00Z");
  job.started = *parse_moment("2026-11-22T12:30:00Z");
  view.ran_ms = 123'000;
  view.left_ms = 7'077'000;
  view.priority = 4200.7;
  return view;
}

JobView a_waiting_job() {
  JobView view;
  JobSpec& spec = view.job.spec.change();
  spec.name = "wait";
  spec.form = JobForm::Allocation;
  spec.user_name = "bob";
  spec.submit_host = "desk";
  spec.work_dir = "/home/bob";
  spec.nodes = 3;
  spec.tasks = 2;
  spec.cpus_per_task = 2;
  spec.min_cpus = 8;
  spec.memory_mb_per_node = 2048;
  spec.gpus = 1;
  spec.exclusive = true;
  spec.requeue = false;
  spec.time_limit_s = 3600;
  view.job.id = JobId{18};
  view.job.submitted = *parse_moment("2026-11-22T12:31:00Z");
  view.expected_start = *parse_moment("2026-11-22T13:00:00Z");
  view.job.dependencies = {{DependencyKind::AfterOk, JobId{5}, 0, false, -1},
                           {DependencyKind::After, JobId{6}, 120, true, 3},
                           {DependencyKind::Singleton, JobId{}, 0, false, -1}};
  view.reason = WaitReason::Dependency;
  view.reason_detail = "waits for job 5";
  view.partition = "main,long";
  view.priority = 0.5;
  return view;
}

Desk two_rich_jobs() {
  return {read_squeue, {JobList{{a_rich_job(), a_waiting_job()}, false, {}}}};
}

// Returns all columns of a job that have a value: "name=text", one a line.
std::string columns_of_job(const JobView& view, bool convert = true) {
  FieldView as;
  as.screen.now = *parse_moment("2026-11-22T12:32:03Z");
  as.convert_units = convert;
  std::string all;
  for (const Field<JobView>& field : job_fields()) {
    const std::string text = field.text(view, as);
    if (!text.empty() && text != "(null)" && text != "N/A" && text != "0" && text != "*")
      all += std::string(field.name) + "=" + text + "\n";
  }
  return all;
}

TEST(SqueueColumns, ShowAllFieldsOfARunningJob) {
  EXPECT_EQ(columns_of_job(a_rich_job()),
            "Account=physics\nAccrueTime=2026-11-22T12:01:00\nAllocNodes=login\nArrayJobID=17\n"
            "BatchFlag=1\nBatchHost=n1\nCommand=python fit.py\nComment=hello\nContiguous=1\n"
            "CPUsPerTask=3\ncpus-per-task=3\ncpus-per-tres=gres/gpu:6\n"
            "Deadline=2026-11-23T00:00:00\nDelayBoot=0:00\nEligibleTime=2026-11-22T12:01:00\n"
            "EndTime=2026-11-22T14:30:00\nExcNodes=n9\nFeature=fast\n"
            "Gres=gres/gpu:h100:2,gres/fpga:1\nGroupID=100\nGroupName=100\nJobArrayID=17\n"
            "JobID=17\nLicenses=matlab:2\nMaxCPUs=12\nMaxNodes=2\nmem-per-tres=gres/gpu:10\n"
            "MinCPUs=6\nMinMemory=1536M\nMinTime=30:00\nName=fit\nNice=5\nNodeList=n[1-2]\n"
            "NTPerNode=2\nNumCPUs=12\nNumNodes=2\nNumTasks=4\nNumTask=4\nOrigin=NA\n"
            "OriginRaw=NA\nOverSubscribe=USER\nShared=USER\nPartition=long\nPendingTime=1800\n"
            "Prefer=new\nPriority=0.00000097788870\nPriorityLong=4200\nProfile=NotSet\nQOS=high\n"
            "Reason=None\nReasonList=n[1-2]\nReqNodes=n[1-2]\nReqSwitch=2\nRequeue=1\n"
            "Reservation=class\nRestartCnt=2\nSCT=*:*:*\nSiblingsActive=NA\n"
            "SiblingsActiveRaw=NA\nSiblingsViable=NA\nSiblingsViableRaw=NA\n"
            "StartTime=2026-11-22T12:30:00\nState=RUNNING\nStateCompact=R\n"
            "StdErr=/home/ada/err.txt\nStdIn=in.txt\nStdOut=/home/ada/slurm-17.0.out\n"
            "SubmitTime=2026-11-22T12:00:00\nsystem_comment=n1: disk is slow\nTimeLeft=1:57:57\n"
            "TimeLimit=2:00:00\nTimeUsed=2:03\nTres=cpu=12,mem=18G,node=2,billing=12,gres/gpu=4\n"
            "tres-alloc=cpu=12,mem=18G,node=2,billing=12,gres/gpu=4\ntres-per-job=gres/gpu:5\n"
            "tres-per-node=gres/gpu:h100:2,gres/fpga:1\ntres-per-task=gres/gpu:1\nUserID=1001\n"
            "UserName=ada\nWait4Switch=10:00\nWCKey=w1\nWorkDir=/home/ada\n");
}

TEST(SqueueColumns, ShowAllFieldsOfAPendingJob) {
  EXPECT_EQ(columns_of_job(a_waiting_job()),
            "AllocNodes=desk\nArrayJobID=18\nBatchHost=desk\nCPUsPerTask=2\ncpus-per-task=2\n"
            "DelayBoot=0:00\n"
            "Dependency=afterok:5(unfulfilled),after:6_3+2(failed),singleton(unfulfilled)\n"
            "EndTime=2026-11-22T14:00:00\nJobArrayID=18\nJobID=18\nMaxCPUs=6\nMaxNodes=3\n"
            "MinCPUs=8\nMinMemory=2G\nMinTime=0:00\nName=wait\nNumCPUs=6\nNumNodes=3\n"
            "NumTasks=2\nNumTask=2\nOrigin=NA\nOriginRaw=NA\nOverSubscribe=NO\nShared=NO\n"
            "Partition=main,long\nPendingTime=63\nPriority=0.00000000023283\nPriorityLong=1\n"
            "Profile=NotSet\nReason=Dependency\nReasonList=(Dependency)\nSCT=*:*:*\n"
            "SiblingsActive=NA\nSiblingsActiveRaw=NA\nSiblingsViable=NA\nSiblingsViableRaw=NA\n"
            "StartTime=2026-11-22T13:00:00\nState=PENDING\nStateCompact=PD\n"
            "StdErr=/home/bob/slurm-18.0.out\nStdIn=/dev/null\nStdOut=/home/bob/slurm-18.0.out\n"
            "SubmitTime=2026-11-22T12:31:00\nTimeLeft=1:00:00\nTimeLimit=1:00:00\nTimeUsed=0:00\n"
            "Tres=cpu=6,mem=6G,node=3,billing=6,gres/gpu=1\n"
            "tres-alloc=cpu=6,mem=6G,node=3,billing=6,gres/gpu=1\ntres-per-job=gres/gpu:1\n"
            "UserName=bob\nWait4Switch=0:00\nWorkDir=/home/bob\n");
}

TEST(SqueueColumns, ShowTheEndTimeAndTheTimeLeft) {
  JobView view = a_rich_job();
  const auto times = [&] {
    return Desk{read_squeue, {JobList{{view}, false, {}}}}.out(
        {"-h", "-t", "all", "-o", "%e %L %l %M %S"});
  };
  EXPECT_EQ(times(), "2026-11-22T14:30:00 1:57:57 2:00:00 2:03 2026-11-22T12:30:00\n");
  view.left_ms = -1;
  EXPECT_EQ(times(), "NONE 1:57:57 2:00:00 2:03 2026-11-22T12:30:00\n");
  view.job.spec.change().time_limit_s = 0;
  EXPECT_EQ(times(), "NONE UNLIMITED UNLIMITED 2:03 2026-11-22T12:30:00\n");
  view.left_ms = 57'000;
  EXPECT_EQ(times(), "2026-11-22T12:33:00 0:57 3:00 2:03 2026-11-22T12:30:00\n")
      << "a reservation that ends limits a job that has no limit";
  view.job.state = JobState::Failed;
  view.job.ended = *parse_moment("2026-11-22T12:31:00Z");
  EXPECT_EQ(times().substr(0, 20), "2026-11-22T12:31:00 ");
  view = a_waiting_job();
  view.expected_start = {};
  EXPECT_EQ(times(), "N/A 1:00:00 1:00:00 0:00 N/A\n");
  view.job.spec.change().time_limit_s = 100;
  view.ran_ms = 200'000;
  EXPECT_EQ(times(), "N/A 1:40 1:40 0:00 N/A\n") << "requeued: its next run has all of its limit";
  view.job.state = JobState::Running;
  EXPECT_EQ(times().substr(0, 10), "NONE 0:00 ") << "the remaining time is never negative";
}

TEST(SqueueColumns, SayWhyAJobWaitsOrHowItEnded) {
  JobView view = a_rich_job();
  view.reason = WaitReason::Priority;
  std::string all;
  for (const JobState state : all_job_states) {
    view.job.state = state;
    all += std::string(short_name(state)) + " " +
           Desk{read_squeue, {JobList{{view}, false, {}}}}.out({"-h", "-t", "all", "-o", "%r %R"});
  }
  EXPECT_EQ(all,
            "PD Priority (Priority)\nCF None n[1-2]\nR None n[1-2]\nSI None n[1-2]\n"
            "CG None n[1-2]\nCD None n[1-2]\nF NonZeroExitCode (NonZeroExitCode)\n"
            "CA None n[1-2]\nTO TimeLimit (TimeLimit)\nNF NodeDown n[1-2]\nPR None n[1-2]\n"
            "OOM OutOfMemory (OutOfMemory)\nS None n[1-2]\nDL DeadLine (DeadLine)\n");
}

TEST(SqueueColumns, ShowPrioritiesAsSlurmDoes) {
  JobView view = a_waiting_job();
  const auto priority = [&] {
    return Desk{read_squeue, {JobList{{view}, false, {}}}}.out({"-h", "-o", "%Q %p"});
  };
  EXPECT_EQ(priority(), "1 0.00000000023283\n") << "0 would mean held";
  view.priority = -3;
  EXPECT_EQ(priority(), "1 0.00000000023283\n");
  view.priority = 2'147'483'648;
  EXPECT_EQ(priority(), "2147483648 0.50000000011642\n");
  view.priority = 1e12;
  EXPECT_EQ(priority(), "4294967293 0.99999999953434\n");
  view.job.held = true;
  EXPECT_EQ(priority(), "0 0.00000000000000\n");
}

TEST(SqueueColumns, ShowMemoryInUnitsUnlessNoconvertIsSet) {
  JobView view = a_waiting_job();
  const auto memory = [&](std::int64_t mb, bool convert) {
    view.job.spec.change().memory_mb_per_node = mb;
    std::vector<std::string> words = {"-h", "-o", "%m"};
    if (!convert) words.emplace_back("--noconvert");
    return Desk{read_squeue, {JobList{{view}, false, {}}}}.out(words);
  };
  EXPECT_EQ(memory(0, true), "0\n");
  EXPECT_EQ(memory(1000, true), "1000M\n");
  EXPECT_EQ(memory(1536, true), "1536M\n");
  EXPECT_EQ(memory(3 * 1024, true), "3G\n");
  EXPECT_EQ(memory(2 * 1024 * 1024, true), "2T\n");
  EXPECT_EQ(memory(3 * 1024, false), "3072M\n");
  view.job.spec.change().whole_memory = true;
  EXPECT_EQ(memory(3 * 1024, true), "0\n") << "the request was for all memory of a node";
}

TEST(SqueueColumns, NameTheGpuTypeOnlyIfItIsTheOnlyOne) {
  EXPECT_EQ(gpus_of_type("", 2), "gpu:2");
  EXPECT_EQ(gpus_of_type("h100", 2), "gpu:h100:2");
  EXPECT_EQ(gpus_of_type("h100|a100", 2), "gpu:2");
  EXPECT_EQ(gpus_of_type("h100:1", 2), "gpu:2");
}

TEST(SqueueColumns, CutLongListsOfTasksAtAComma) {
  Job job;
  job.array_tasks = *parse_array_tasks("1,3,5,7");
  EXPECT_EQ(job_array_tasks(job, 0), "1,3,5,7");
  EXPECT_EQ(job_array_tasks(job, 7), "1,3,5,7");
  EXPECT_EQ(job_array_tasks(job, 6), "1,3,5,...");
  EXPECT_EQ(job_array_tasks(job, 4), "1,3,...");
  job.array_limit = 4;
  EXPECT_EQ(job_array_tasks(job, 4), "1,3,...%4");
  job.array_tasks = *parse_array_tasks("123456");
  EXPECT_EQ(job_array_tasks(job, 3), "123,...%4");
}

TEST(SqueueColumns, SortByValue) {
  JobView held = a_waiting_job();
  held.job.id = JobId{20};
  held.job.held = true;
  held.priority = 9000;
  held.expected_start = {};
  held.job.spec.change().time_limit_s = 0;
  held.job.spec.change().user_name = "ada";
  JobView task = a_waiting_job();
  task.job.id = JobId{19};
  task.job.array_job = JobId{16};
  task.job.array_task = 2;
  task.job.spec.change().nodes = 1;
  task.job.spec.change().nice = -3;
  task.job.submitted = *parse_moment("2026-11-22T10:00:00Z");
  JobView several = task;
  several.job.id = JobId{16};
  several.job.array_task = -1;
  several.job.array_tasks = *parse_array_tasks("3-9");
  const Desk desk{read_squeue, {JobList{{a_rich_job(), held, several, task}, false, {}}}};
  const auto order = [&](const std::string& by) {
    std::string text = desk.out({"-h", "--array-unique", "-S", by, "-o", "%A"});
    std::ranges::replace(text, '\n', ' ');
    return text;
  };
  EXPECT_EQ(order("i"), "19 16 17 20 ") << "a task before all others of its array";
  EXPECT_EQ(order("A"), "16 17 19 20 ");
  EXPECT_EQ(order("p,A"), "20 16 19 17 ") << "a held job last, whatever its priority";
  EXPECT_EQ(order("-Q,A"), "17 16 19 20 ");
  EXPECT_EQ(order("S,A"), "17 16 19 20 ") << "an unknown start last";
  EXPECT_EQ(order("l,A"), "16 19 17 20 ") << "no limit last";
  EXPECT_EQ(order("-L,A"), "20 17 16 19 ");
  EXPECT_EQ(order("M,A"), "16 19 20 17 ");
  EXPECT_EQ(order("V,A"), "16 19 17 20 ");
  EXPECT_EQ(order("D,A"), "16 19 17 20 ");
  EXPECT_EQ(order("-C,A"), "17 20 16 19 ");
  EXPECT_EQ(order("y,A"), "16 19 20 17 ");
  EXPECT_EQ(order("u,-A"), "20 17 19 16 ");
  EXPECT_EQ(order("t,A"), "16 19 20 17 ");
  EXPECT_EQ(order("e,A"), "16 19 20 17 ") << "an unknown end first, as in Slurm";
}

nlohmann::json json_of_rich_jobs() {
  Desk desk = two_rich_jobs();
  ClusterView cluster;
  cluster.name = "lake";
  desk.answers.emplace_back(cluster);
  return nlohmann::json::parse(desk.out({"--json"}))["jobs"];
}

TEST(SqueueJson, ContainsAllFieldsOfARunningJob) {
  const nlohmann::json jobs = json_of_rich_jobs();
  ASSERT_EQ(jobs.size(), 2u);
  EXPECT_EQ(jobs[0].dump(),
            "{\"account\":\"physics\",\"accrue_time\":{\"infinite\":false,\"number\":1795348860,"
            "\"set\":true},\"admin_comment\":\"\",\"allocating_node\":\"login\","
            "\"array_job_id\":{\"infinite\":false,\"number\":0,\"set\":true},"
            "\"array_max_tasks\":{\"infinite\":false,\"number\":0,\"set\":true},"
            "\"array_task_id\":{\"infinite\":false,\"number\":0,\"set\":false},"
            "\"array_task_string\":\"\",\"batch_flag\":true,\"batch_host\":\"n1\","
            "\"cluster\":\"lake\",\"command\":\"python fit.py\",\"comment\":\"hello\","
            "\"contiguous\":true,\"cpus\":{\"infinite\":false,\"number\":12,\"set\":true},"
            "\"cpus_per_task\":{\"infinite\":false,\"number\":3,\"set\":true},\"cron\":\"0 1 * * "
            "*\",\"current_working_directory\":\"/home/ada\",\"deadline\":{\"infinite\":false,"
            "\"number\":1795392000,\"set\":true},\"dependency\":\"\","
            "\"eligible_time\":{\"infinite\":false,\"number\":1795348860,\"set\":true},"
            "\"end_time\":{\"infinite\":false,\"number\":1795357800,\"set\":true},"
            "\"excluded_nodes\":\"n9\",\"exit_code\":{\"return_code\":{\"infinite\":false,"
            "\"number\":0,\"set\":true},\"signal\":{\"id\":{\"infinite\":false,\"number\":0,"
            "\"set\":false},\"name\":\"\"},\"status\":[\"SUCCESS\"]},\"features\":\"fast\","
            "\"group_id\":100,\"group_name\":\"staff\",\"hold\":false,\"job_id\":17,"
            "\"job_resources\":{\"allocated_cpus\":12,\"allocated_hosts\":2,"
            "\"nodes\":\"n[1-2]\"},\"job_state\":[\"RUNNING\"],\"licenses\":\"matlab:2\","
            "\"mail_type\":[\"BEGIN\",\"END\"],\"mail_user\":\"ada@example.org\","
            "\"max_cpus\":{\"infinite\":false,\"number\":0,\"set\":true},"
            "\"max_nodes\":{\"infinite\":false,\"number\":0,\"set\":true},"
            "\"memory_per_cpu\":{\"infinite\":false,\"number\":1536,\"set\":true},"
            "\"memory_per_node\":{\"infinite\":false,\"number\":0,\"set\":false},"
            "\"minimum_cpus_per_node\":{\"infinite\":false,\"number\":6,\"set\":true},"
            "\"minimum_switches\":2,\"name\":\"fit\",\"nice\":5,"
            "\"node_count\":{\"infinite\":false,\"number\":2,\"set\":true},\"nodes\":\"n[1-2]\","
            "\"partition\":\"long\",\"prefer\":\"new\",\"priority\":{\"infinite\":false,"
            "\"number\":4200,\"set\":true},\"qos\":\"high\",\"requeue\":true,"
            "\"required_nodes\":\"n[1-2]\",\"restart_cnt\":2,\"resv_name\":\"class\","
            "\"shared\":[\"user\"],\"standard_error\":\"/home/ada/err.txt\","
            "\"standard_input\":\"in.txt\",\"standard_output\":\"/home/ada/slurm-17.0.out\","
            "\"start_time\":{\"infinite\":false,\"number\":1795350600,\"set\":true},"
            "\"state_description\":\"\",\"state_reason\":\"None\","
            "\"submit_time\":{\"infinite\":false,\"number\":1795348800,\"set\":true},"
            "\"tasks\":{\"infinite\":false,\"number\":4,\"set\":true},"
            "\"tasks_per_node\":{\"infinite\":false,\"number\":2,\"set\":true},"
            "\"time_limit\":{\"infinite\":false,\"number\":120,\"set\":true},"
            "\"time_minimum\":{\"infinite\":false,\"number\":30,\"set\":true},"
            "\"tres_alloc_str\":\"cpu=12,mem=18G,node=2,billing=12,gres/gpu=4\","
            "\"tres_per_job\":\"gres/gpu:5\",\"tres_per_node\":\"gres/gpu:h100:2,gres/fpga:1\","
            "\"tres_per_task\":\"gres/gpu:1\",\"tres_req_str\":\"cpu=12,mem=18G,node=2,"
            "billing=12,gres/gpu=4\",\"user_id\":1001,\"user_name\":\"ada\",\"wckey\":\"w1\"}");
}

TEST(SqueueJson, ContainsAllFieldsOfAPendingJob) {
  EXPECT_EQ(json_of_rich_jobs()[1].dump(),
            "{\"account\":\"\",\"accrue_time\":{\"infinite\":false,\"number\":0,\"set\":true},"
            "\"admin_comment\":\"\",\"allocating_node\":\"desk\","
            "\"array_job_id\":{\"infinite\":false,\"number\":0,\"set\":true},"
            "\"array_max_tasks\":{\"infinite\":false,\"number\":0,\"set\":true},"
            "\"array_task_id\":{\"infinite\":false,\"number\":0,\"set\":false},"
            "\"array_task_string\":\"\",\"batch_flag\":false,\"batch_host\":\"\","
            "\"cluster\":\"lake\",\"command\":\"\",\"comment\":\"\",\"contiguous\":false,"
            "\"cpus\":{\"infinite\":false,\"number\":6,\"set\":true},"
            "\"cpus_per_task\":{\"infinite\":false,\"number\":2,\"set\":true},\"cron\":\"\","
            "\"current_working_directory\":\"/home/bob\",\"deadline\":{\"infinite\":false,"
            "\"number\":0,\"set\":true},\"dependency\":\"afterok:5(unfulfilled),"
            "after:6_3+2(failed),singleton(unfulfilled)\",\"eligible_time\":{\"infinite\":false,"
            "\"number\":0,\"set\":true},\"end_time\":{\"infinite\":false,\"number\":1795356000,"
            "\"set\":true},\"excluded_nodes\":\"\","
            "\"exit_code\":{\"return_code\":{\"infinite\":false,\"number\":0,\"set\":true},"
            "\"signal\":{\"id\":{\"infinite\":false,\"number\":0,\"set\":false},\"name\":\"\"},"
            "\"status\":[\"SUCCESS\"]},\"features\":\"\",\"group_id\":0,\"group_name\":\"staff\","
            "\"hold\":false,\"job_id\":18,\"job_state\":[\"PENDING\"],\"licenses\":\"\","
            "\"mail_type\":[],\"mail_user\":\"\",\"max_cpus\":{\"infinite\":false,\"number\":0,"
            "\"set\":true},\"max_nodes\":{\"infinite\":false,\"number\":0,\"set\":true},"
            "\"memory_per_cpu\":{\"infinite\":false,\"number\":0,\"set\":false},"
            "\"memory_per_node\":{\"infinite\":false,\"number\":2048,\"set\":true},"
            "\"minimum_cpus_per_node\":{\"infinite\":false,\"number\":8,\"set\":true},"
            "\"minimum_switches\":0,\"name\":\"wait\",\"nice\":0,"
            "\"node_count\":{\"infinite\":false,\"number\":3,\"set\":true},\"nodes\":\"\","
            "\"partition\":\"main,long\",\"prefer\":\"\",\"priority\":{\"infinite\":false,"
            "\"number\":1,\"set\":true},\"qos\":\"\",\"requeue\":false,\"required_nodes\":\"\","
            "\"restart_cnt\":0,\"resv_name\":\"\",\"shared\":[\"none\"],"
            "\"standard_error\":\"/home/bob/slurm-18.0.out\",\"standard_input\":\"/dev/null\","
            "\"standard_output\":\"/home/bob/slurm-18.0.out\",\"start_time\":{\"infinite\":false,"
            "\"number\":1795352400,\"set\":true},\"state_description\":\"waits for job 5\","
            "\"state_reason\":\"Dependency\",\"submit_time\":{\"infinite\":false,"
            "\"number\":1795350660,\"set\":true},\"tasks\":{\"infinite\":false,\"number\":2,"
            "\"set\":true},\"tasks_per_node\":{\"infinite\":false,\"number\":0,\"set\":false},"
            "\"time_limit\":{\"infinite\":false,\"number\":60,\"set\":true},"
            "\"time_minimum\":{\"infinite\":false,\"number\":0,\"set\":true},"
            "\"tres_alloc_str\":\"\",\"tres_per_job\":\"gres/gpu:1\",\"tres_per_node\":\"\","
            "\"tres_per_task\":\"\",\"tres_req_str\":\"cpu=6,mem=6G,node=3,billing=6,"
            "gres/gpu=1\",\"user_id\":0,\"user_name\":\"bob\",\"wckey\":\"\"}");
}

TEST(SqueueJson, ShowsHowAJobExited) {
  JobView view = a_rich_job();
  view.job.state = JobState::Failed;
  const auto exit = [&] {
    const Desk desk{read_squeue, {JobList{{view}, false, {}}}};
    return nlohmann::json::parse(desk.out({"--json", "-t", "all"}))["jobs"][0]["exit_code"].dump();
  };
  EXPECT_EQ(exit(),
            "{\"return_code\":{\"infinite\":false,\"number\":0,\"set\":true},"
            "\"signal\":{\"id\":{\"infinite\":false,\"number\":0,\"set\":false},\"name\":\"\"},"
            "\"status\":[\"SUCCESS\"]}");
  view.job.exit_code = 3;
  EXPECT_EQ(exit(),
            "{\"return_code\":{\"infinite\":false,\"number\":3,\"set\":true},"
            "\"signal\":{\"id\":{\"infinite\":false,\"number\":0,\"set\":false},\"name\":\"\"},"
            "\"status\":[\"ERROR\"]}");
  view.job.exit_signal = 9;
  EXPECT_EQ(exit(),
            "{\"return_code\":{\"infinite\":false,\"number\":3,\"set\":true},"
            "\"signal\":{\"id\":{\"infinite\":false,\"number\":9,\"set\":true},\"name\":\"\"},"
            "\"status\":[\"SIGNALED\"]}");
}

}  // namespace
}  // namespace cox
