// Tests each column of a job and of its parts in sacct, and all of its JSON.
#include <nlohmann/json.hpp>

#include "client/slurm/records/record_columns.h"
#include "client/slurm/records/sacct.h"
#include "tests/client/sacct_story.h"

namespace cox::test {
namespace {

// Returns the record of a failed job on two nodes with GPUs and two steps. Step 1 had a single
// task.
JobRecord a_rich_record() {
  JobRecord record = a_run_record(10, JobState::Failed);
  Job& job = record.job;
  JobSpec& spec = job.spec.change();
  spec.comment = "a comment";
  spec.constraint = "fast";
  spec.licences = "matlab:1";
  spec.reservation = "class";
  spec.wckey = "w1";
  spec.cpus_per_task = 2;
  spec.gpus_per_node = 1;
  spec.tasks = 4;
  job.exit_code = 3;
  job.eligible = at_s(20);
  record.reason = "NonZeroExitCode";
  RunRecord& run = record.run;
  run.cpus = 8;
  run.gpu_milli = 2000;
  run.first_gpu_milli = 1000;
  run.exit_code = 3;
  record.steps = {a_step(10, 0, JobState::Completed), a_step(10, 1, JobState::Failed)};
  Step& one = record.steps[1];
  one.tasks = 1;
  one.nodes.resize(1);
  one.nodes[0].gpus = {0};
  one.spec.distribution = Distribution::Cyclic;
  one.exit_code = 4;
  one.usage = {2'500, 250, 2048};
  return record;
}

// Returns the columns that sacct shows for one row of the record (the job, its script or a step),
// one "Name=value" a line, without empty columns.
std::string columns_of(const JobRecord& record, const std::string& row) {
  const std::string out =
      sacct(a_page({record}), {"-n", "-P", "--delimiter", "\x1f", "-j", row, "--format=all"});
  const std::string line = out.substr(0, out.find('\n'));
  std::string all;
  std::size_t at = 0;
  for (const RecordColumn& column : record_columns()) {
    const std::size_t end = std::min(line.find('\x1f', at), line.size());
    if (end > at) all += std::string(column.name) + "=" + line.substr(at, end - at) + "\n";
    at = end + 1;
  }
  return all;
}

TEST(SacctColumns, ShowAllFieldsOfAJob) {
  EXPECT_EQ(columns_of(a_rich_record(), "10"),
            "Account=physics\nAllocCPUS=8\nAllocNodes=2\n"
            "AllocTRES=cpu=8,gres/gpu=2,mem=4G,node=2\nCluster=ocean\nComment=a comment\n"
            "Constraints=fast\nConsumedEnergy=0\nConsumedEnergyRaw=0\nCPUTime=01:20:00\n"
            "CPUTimeRAW=4800\nDBIndex=10\nDerivedExitCode=4:0\nElapsed=00:10:00\nElapsedRaw=600\n"
            "Eligible=2026-11-22T12:00:20\nEnd=2026-11-22T12:11:00\nExitCode=3:0\nGID=100\n"
            "Group=users\nJobID=10\nJobIDRaw=10\nJobName=train\nLicenses=matlab:1\nNCPUS=8\n"
            "NNodes=2\nNodeList=n[1-2]\nPartition=main\nPlanned=00:00:40\nPlannedCPU=00:05:20\n"
            "PlannedCPURAW=320\nQOS=standard\nReason=NonZeroExitCode\nReqCPUS=8\nReqMem=4G\n"
            "ReqNodes=2\nReqTRES=cpu=8,gres/gpu=2,mem=4G,node=2\nReservation=class\n"
            "Start=2026-11-22T12:01:00\nState=FAILED\nSubmit=2026-11-22T12:00:00\n"
            "Suspended=00:00:00\nSystemCPU=00:04.500\nTimelimit=01:00:00\nTimelimitRaw=60\n"
            "TotalCPU=01:08.500\nUID=1000\nUser=ann\nUserCPU=00:01:04\nWCKey=w1\n"
            "WorkDir=/home/ann\n");
}

TEST(SacctColumns, ShowFewerFieldsOfScriptsAndSteps) {
  const JobRecord record = a_rich_record();
  EXPECT_EQ(columns_of(record, "10.batch"),
            "Account=physics\nAllocCPUS=2\nAllocNodes=1\n"
            "AllocTRES=cpu=2,gres/gpu=1,mem=2G,node=1\nAveCPU=00:00:01\nAveRSS=1236K\n"
            "Cluster=ocean\nCPUTime=00:19:58\nCPUTimeRAW=1198\nDBIndex=10\nElapsed=00:09:59\n"
            "ElapsedRaw=599\nEligible=2026-11-22T12:01:00\nEnd=2026-11-22T12:10:59\n"
            "ExitCode=3:0\nJobID=10.batch\nJobIDRaw=10.batch\nJobName=batch\nLayout=Unknown\n"
            "MaxRSS=1236K\nMaxRSSNode=n1\nMaxRSSTask=0\nMinCPU=00:00:01\nMinCPUNode=n1\n"
            "MinCPUTask=0\nNCPUS=2\nNNodes=1\nNodeList=n1\nNTasks=1\nReqCPUS=2\nReqNodes=1\n"
            "Start=2026-11-22T12:01:00\nState=FAILED\nSubmit=2026-11-22T12:01:00\n"
            "Suspended=00:00:00\nSystemCPU=00:00.250\nTotalCPU=00:01.750\n"
            "TRESUsageInAve=cpu=00:00:01,mem=1236K\nTRESUsageInMax=cpu=00:00:01,mem=1236K\n"
            "TRESUsageInMaxNode=mem=n1\nTRESUsageInMaxTask=mem=0\n"
            "TRESUsageInMin=cpu=00:00:01,mem=1236K\nTRESUsageInTot=cpu=00:00:01,mem=1236K\n"
            "UserCPU=00:01.500\n");
  EXPECT_EQ(columns_of(record, "10.extern"),
            "Account=physics\nAllocCPUS=8\nAllocNodes=2\n"
            "AllocTRES=cpu=8,gres/gpu=2,mem=4G,node=2\nAveCPU=00:00:00\nCluster=ocean\n"
            "CPUTime=01:20:00\nCPUTimeRAW=4800\nDBIndex=10\nElapsed=00:10:00\nElapsedRaw=600\n"
            "Eligible=2026-11-22T12:01:00\nEnd=2026-11-22T12:11:00\nExitCode=0:0\n"
            "JobID=10.extern\nJobIDRaw=10.extern\nJobName=extern\nLayout=Unknown\nMaxRSS=0\n"
            "NCPUS=8\nNNodes=2\nNodeList=n[1-2]\nNTasks=2\nReqCPUS=8\nReqNodes=2\n"
            "Start=2026-11-22T12:01:00\nState=COMPLETED\nSubmit=2026-11-22T12:01:00\n"
            "Suspended=00:00:00\nSystemCPU=00:00:00\nTotalCPU=00:00:00\nTRESUsageInMax=mem=0\n"
            "TRESUsageInTot=cpu=00:00:00\nUserCPU=00:00:00\n");
  EXPECT_EQ(columns_of(record, "10.0"),
            "Account=physics\nAllocCPUS=4\nAllocNodes=2\nAllocTRES=cpu=4,mem=4G,node=2\n"
            "AveCPU=00:00:16\nCluster=ocean\nCPUTime=00:20:00\nCPUTimeRAW=1200\nDBIndex=10\n"
            "Elapsed=00:05:00\nElapsedRaw=300\nEligible=2026-11-22T12:02:00\n"
            "End=2026-11-22T12:07:00\nExitCode=0:0\nJobID=10.0\nJobIDRaw=10.0\nJobName=mpi\n"
            "Layout=Block\nMaxRSS=64M\nNCPUS=4\nNNodes=2\nNodeList=n[1-2]\nNTasks=4\nReqCPUS=4\n"
            "ReqNodes=2\nStart=2026-11-22T12:02:00\nState=COMPLETED\nSubmit=2026-11-22T12:02:00\n"
            "Suspended=00:00:00\nSystemCPU=00:00:04\nTotalCPU=00:01:04\nTRESUsageInMax=mem=64M\n"
            "TRESUsageInTot=cpu=00:01:04\nUserCPU=00:01:00\n");
  EXPECT_EQ(columns_of(record, "10.1"),
            "Account=physics\nAllocCPUS=2\nAllocNodes=1\n"
            "AllocTRES=cpu=2,gres/gpu=1,mem=2G,node=1\nAveCPU=00:00:02\nAveRSS=2M\n"
            "Cluster=ocean\nCPUTime=00:10:00\nCPUTimeRAW=600\nDBIndex=10\nElapsed=00:05:00\n"
            "ElapsedRaw=300\nEligible=2026-11-22T12:02:00\nEnd=2026-11-22T12:07:00\n"
            "ExitCode=4:0\nJobID=10.1\nJobIDRaw=10.1\nJobName=mpi\nLayout=Cyclic\nMaxRSS=2M\n"
            "MaxRSSNode=n1\nMaxRSSTask=0\nMinCPU=00:00:02\nMinCPUNode=n1\nMinCPUTask=0\nNCPUS=2\n"
            "NNodes=1\nNodeList=n1\nNTasks=1\nReqCPUS=2\nReqNodes=1\nStart=2026-11-22T12:02:00\n"
            "State=FAILED\nSubmit=2026-11-22T12:02:00\nSuspended=00:00:00\nSystemCPU=00:00.250\n"
            "TotalCPU=00:02.750\nTRESUsageInAve=cpu=00:00:02,mem=2M\n"
            "TRESUsageInMax=cpu=00:00:02,mem=2M\nTRESUsageInMaxNode=mem=n1\n"
            "TRESUsageInMaxTask=mem=0\nTRESUsageInMin=cpu=00:00:02,mem=2M\n"
            "TRESUsageInTot=cpu=00:00:02,mem=2M\nUserCPU=00:02.500\n");
}

TEST(SacctColumns, NameTheTasksOfAStepThatUsedMostAndLeast) {
  JobRecord record = a_rich_record();
  record.steps[0].figures = {4, 8192, 4000, 400, {4096, 3}, {3000, 0}, {200, 2}, {3'000, 1}};
  const auto shown = [&](const std::string& format) {
    return sacct(a_page({record}), {"-n", "-P", "--noconvert", "-j", "10.0", "-o", format});
  };
  EXPECT_EQ(shown("AveRSS,MaxRSSTask,MaxRSSNode"), "2097152|3|n2\n");
  EXPECT_EQ(shown("MaxDiskRead,MaxDiskReadTask,MaxDiskReadNode,AveDiskRead"), "3000|0|n1|1000\n");
  EXPECT_EQ(shown("MaxDiskWrite,MaxDiskWriteTask,MaxDiskWriteNode,AveDiskWrite"), "200|2|n2|100\n");
  EXPECT_EQ(shown("MinCPU,MinCPUTask,MinCPUNode"), "00:00:03|1|n1\n");
  record.steps[0].figures = {};
  EXPECT_EQ(shown("AveRSS,MaxRSSTask,MaxRSSNode,MaxDiskRead,MaxDiskReadTask,MinCPUTask"),
            "|||||\n");
}

TEST(SacctColumns, ShowTheKnownFieldsOfARunningJob) {
  JobRecord record = a_rich_record();
  record.job.state = JobState::Running;
  record.job.ended = record.run.ended = record.run.rank_ended = {};
  record.run.usage = {};
  record.job.spec.change().time_limit_s = 0;
  record.steps.clear();
  record.reason.clear();
  record.run.partition.clear();
  const auto shown = [&](const std::string& format) {
    return sacct(a_page({record}), {"-n", "-P", "-o", format});
  };
  EXPECT_EQ(shown("jobid,state,end,elapsed,timelimit,timelimitraw,ntasks,maxrss,avecpu"),
            "10|RUNNING|Unknown|00:59:00|UNLIMITED|UNLIMITED|||\n"
            "10.batch|RUNNING|Unknown|00:59:00|||1||\n"
            "10.extern|RUNNING|Unknown|00:59:00|||2||\n");
  EXPECT_EQ(sacct(a_page({record}), {"-X", "-n", "-P", "-o", "reason,partition"}), "None|main\n");
  record.run.time_limit_s = 61;
  EXPECT_EQ(sacct(a_page({record}), {"-X", "-n", "-P", "-o", "timelimit,timelimitraw"}),
            "00:01:01|2\n")
      << "the limit of this run is in whole minutes";
  record.run.stop = StopWhy::NodeLost;
  record.run.nodes = 1;
  record.run.nodelist = "n1";
  EXPECT_EQ(sacct(a_page({record}), {"-X", "-n", "-P", "-o", "failednode"}), "n1\n");
  record.run.nodes = 2;
  EXPECT_EQ(sacct(a_page({record}), {"-X", "-n", "-P", "-o", "failednode"}), "\n")
      << "it is unknown which of the two nodes was lost";
}

TEST(SacctColumns, ShowTheRequestOfAPendingJob) {
  JobRecord record = a_record(10, JobState::Pending);
  JobSpec& spec = record.job.spec.change();
  spec.memory_mb_per_node = 0;
  spec.memory_mb_per_cpu = 100;
  spec.cpus_per_task = 2;
  spec.gpus = 3;
  spec.gpus_per_node = 1;
  spec.gpu_milli = 500;
  record.job.eligible = at_s(1800);
  EXPECT_EQ(sacct(a_page({record}),
                  {"-n", "-P", "-o",
                   "reqcpus,reqmem,reqnodes,nnodes,reqtres,alloctres,planned,plannedcpuraw,"
                   "plannedcpu,start,group,gid,uid,layout"}),
            "8|800M|2|2|cpu=8,gres/gpu=2,mem=800M,node=2||00:30:00|14400|04:00:00|Unknown|users|"
            "100|1000|\n");
  spec.gid = 7;
  spec.gpus = 0;
  spec.memory_mb_per_cpu = 0;
  EXPECT_EQ(sacct(a_page({record}), {"-n", "-P", "-o", "group,reqtres,reqmem"}),
            "7|cpu=8,gres/gpu=1,node=2|0\n");
}

TEST(SacctColumns, DeriveAnExitCodeFromTheSteps) {
  JobRecord record = a_rich_record();
  const auto derived = [&] {
    return sacct(a_page({record}), {"-X", "-n", "-P", "-o", "derivedexitcode"});
  };
  EXPECT_EQ(derived(), "4:0\n");
  record.steps[0].exit_code = 4;
  record.steps[0].exit_signal = 9;
  EXPECT_EQ(derived(), "4:9\n") << "of equal codes the one with a signal counts";
  record.steps[1].exit_signal = 15;
  EXPECT_EQ(derived(), "4:15\n") << "of several with a signal the last counts";
  record.steps[1].ended = {};
  EXPECT_EQ(derived(), "4:9\n") << "only ended steps count";
  record.steps[0].exit_code = record.steps[0].exit_signal = 0;
  EXPECT_EQ(derived(), "0:0\n");
}

// With -X the steps have no rows, but the job's column needs them.
TEST(SacctColumns, AskForTheStepsThatAColumnNeeds) {
  const auto asks_steps = [](std::vector<std::string> words) {
    words.emplace_back("-X");
    return std::get<ListAccounting>(ask_sacct(slurm_options("sacct", words))).steps;
  };
  EXPECT_TRUE(asks_steps({"-o", "jobid,derived"}));
  EXPECT_TRUE(asks_steps({"--json"}));
  EXPECT_FALSE(asks_steps({"-o", "jobid,exitcode"}));
  EXPECT_FALSE(asks_steps({}));
}

TEST(SacctColumns, NameTheLayoutOfSteps) {
  JobRecord record = a_rich_record();
  for (const auto& [distribution, name] : {std::pair{Distribution::Block, "Block\n"},
                                           {Distribution::Cyclic, "Cyclic\n"},
                                           {Distribution::Plane, "Plane\n"},
                                           {Distribution::Arbitrary, "Arbitrary\n"}}) {
    record.steps[0].spec.distribution = distribution;
    EXPECT_EQ(sacct(a_page({record}), {"-n", "-P", "-j", "10.0", "-o", "layout"}), name);
  }
}

TEST(SacctRows, ShowHowEarlierRunsEnded) {
  JobRecord record = a_run_record(10, JobState::Failed);
  record.newest = false;
  record.job.exit_code = 7;
  for (const auto& [why, state] : {std::pair{StopWhy::Preempt, "PREEMPTED|0:0\n"},
                                   {StopWhy::NodeLost, "NODE_FAIL|0:0\n"},
                                   {StopWhy::LeaseEnded, "NODE_FAIL|0:0\n"},
                                   {StopWhy::TimeLimit, "TIMEOUT|0:0\n"},
                                   {StopWhy::JobEnded, "REQUEUED|0:0\n"}}) {
    record.run.stop = why;
    EXPECT_EQ(sacct(a_page({record}), {"-X", "-n", "-P", "-o", "state,exitcode"}), state)
        << "only the newest run has an exit code";
  }
}

TEST(SacctRows, ShowTheScriptOfAStoppedRunAsCancelled) {
  JobRecord record = a_run_record(10, JobState::Failed);
  record.run.exit_code = 1;
  const auto batch = [&] {
    return sacct(a_page({record}), {"-n", "-P", "-j", "10.batch", "-o", "state,exitcode"});
  };
  for (const StopWhy why : {StopWhy::None, StopWhy::JobEnded, StopWhy::RankFailed}) {
    record.run.stop = why;
    EXPECT_EQ(batch(), "FAILED|1:0\n");
  }
  for (const StopWhy why : {StopWhy::Cancel, StopWhy::Preempt, StopWhy::TimeLimit}) {
    record.run.stop = why;
    EXPECT_EQ(batch(), "CANCELLED|1:0\n");
  }
  record.run.stop = StopWhy::None;
  record.run.exit_code = 128;
  EXPECT_EQ(batch(), "FAILED|0:0\n") << "a shell reports signals as codes from 128";
  record.run.exit_code = 127;
  EXPECT_EQ(batch(), "FAILED|127:0\n");
}

TEST(SacctRows, OfTheBatchStepOfAGangCoverAllItsRanks) {
  JobRecord record = a_run_record(10, JobState::Completed);
  record.job.spec.change().form = JobForm::Gang;
  EXPECT_EQ(sacct(a_page({record}),
                  {"-n", "-P", "-j", "10.batch", "-o", "state,ntasks,ncpus,nnodes,nodelist,end"}),
            "COMPLETED|4|4|2|n[1-2]|2026-11-22T12:11:00\n");
  record.job.exit_code = 2;
  EXPECT_EQ(sacct(a_page({record}), {"-n", "-P", "-j", "10.batch", "-o", "exitcode"}), "2:0\n");
  record.newest = false;
  EXPECT_EQ(sacct(a_page({record}), {"-n", "-P", "-j", "10.batch", "-o", "exitcode"}), "0:0\n");
  record.job.spec.change().form = JobForm::Allocation;
  record.steps = {a_step(10, 0, JobState::Pending)};
  record.steps[0].started = {};
  EXPECT_EQ(sacct(a_page({record}), {"-n", "-P", "-o", "jobid"}), "10\n10.extern\n")
      << "an allocation has no script, and a step that has not begun no row";
}

TEST(SacctRows, AreTruncatedToTheRequestedTime) {
  const JobRecord ended = a_run_record(10, JobState::Completed);
  const JobRecord runs = a_run_record(11, JobState::Running);
  const auto times = [&](std::vector<std::string> words) {
    words.insert(words.end(), {"-T", "-X", "-n", "-P", "-o", "start,end,elapsed"});
    return sacct(a_page({ended, runs}), words);
  };
  EXPECT_EQ(times({"-S", "12:00", "-E", "12:30"}),
            "2026-11-22T12:01:00|2026-11-22T12:11:00|00:10:00\n"
            "2026-11-22T12:01:00|2026-11-22T12:30:00|00:29:00\n");
  EXPECT_EQ(times({"-S", "12:02", "-j", "11"}),
            "2026-11-22T12:02:00|2026-11-22T13:00:00|00:58:00\n")
      << "a running job is counted until now";
}

TEST(SacctRows, NameTasksByTheirArrayAndIndex) {
  JobRecord task = a_run_record(21, JobState::Completed);
  task.job.array_job = JobId{20};
  task.job.array_task = 3;
  const JobRecord alone = a_run_record(30, JobState::Completed);
  const auto ids = [&](const std::string& job) {
    return sacct(a_page({task, alone}), {"-X", "-n", "-P", "-j", job, "-o", "jobid"});
  };
  EXPECT_EQ(ids("20"), "20_3\n");
  EXPECT_EQ(ids("21"), "20_3\n");
  EXPECT_EQ(ids("20_[3-4]"), "20_3\n");
  EXPECT_EQ(ids("20_4"), "");
  EXPECT_EQ(ids("30_3"), "") << "job 30 is not an array";
  EXPECT_EQ(ids("21_3"), "") << "an array is named by its own id";
}

TEST(SacctPage, ShowsTheScriptAcceptsTimesAndRefusesWrongWords) {
  const SacctOptions script = slurm_options("sacct", {"-B", "-j", "14_3"});
  const auto ask = std::get<ReadScript>(ask_sacct(script));
  EXPECT_EQ(ask.id, JobId{14});
  EXPECT_EQ(ask.task, 3);
  EXPECT_EQ(std::get<ReadScript>(ask_sacct(slurm_options("sacct", {"-B", "-j", "14"}))).task, -1);
  const std::string rule(80, '-');
  Script text;
  EXPECT_EQ(shown_by("sacct", a_page({}), script).out.find("Batch"), std::string::npos);
  EXPECT_EQ(slurm_command("sacct").show(text, script, {}).out,
            "Batch Script for 14\n" + rule + "\nNONE\n");
  text.text = "#!/bin/sh\n";
  EXPECT_EQ(slurm_command("sacct").show(text, script, {}).out,
            "Batch Script for 14\n" + rule + "\n#!/bin/sh\n\n");
  EXPECT_EQ(slurm_command("sacct").show(Statistics{}, script, {}).err,
            "sacct: error: Unexpected message\n");
  const auto times = [](const std::vector<std::string>& words) {
    return shown_by("sacct", a_page({}), slurm_options("sacct", words)).err;
  };
  EXPECT_EQ(times({"-v"}), "sacct: Jobs eligible from 2026-11-22T00:00:00 - Now\n");
  EXPECT_EQ(times({"-v", "-S", "11:00", "-E", "12:00"}),
            "sacct: Jobs eligible from 2026-11-22T11:00:00 - 2026-11-22T12:00:00\n");
  EXPECT_EQ(times({"-M", "ocean,ALL,-1"}), "");
  EXPECT_NE(times({"-M", "ocean,lake"}), "");
  EXPECT_EQ(show_record_help(slurm_options("sacct", {"--usage"}))->out,
            "Usage: sacct [options]\n\tUse --help for help\n");
  EXPECT_FALSE(show_record_help(slurm_options("sacct", {"-l", "-b"})).has_value());
  SacctOptions format = slurm_options("sacct", {"-X", "-n", "-P"});
  format.default_format = "user,qos";
  EXPECT_EQ(shown_by("sacct", a_page({a_rich_record()}), format).out, "ann|standard\n");
  EXPECT_EQ(sacct(a_page({a_rich_record()}), {"-X", "-P", "-n", "-o", "user, qos%3,,", "-b"}),
            "ann|standard|10|FAILED|3:0\n");
}

TEST(SacctPage, CutsTextsButNotNumbers) {
  const auto line = [](const std::string& format) {
    return sacct(a_page({a_rich_record()}), {"-X", "-n", "-o", format});
  };
  EXPECT_EQ(line("jobname%3,jobname%-3,jobname%5,jobname%-6"), "tr+ tr+ train train  \n");
  EXPECT_EQ(line("uid%3,uid%5"), "1000  1000 \n") << "a number is never cut";
  EXPECT_EQ(sacct(a_page({a_rich_record()}), {"-X", "-o", "uid%2,jobname%3"}),
            "UI Job \n-- --- \n1000 tr+ \n")
      << "its heading is cut";
  EXPECT_EQ(line("jobname%1"), "+ \n");
  EXPECT_EQ(line("jobname%4096").size(), 4098u);
  EXPECT_EQ(line("jobname%4097"), "");
}

nlohmann::ordered_json json_of_cancelled_job() {
  JobRecord record = a_rich_record();
  record.job.state = JobState::Cancelled;
  record.ended_by = "user ann";
  return nlohmann::ordered_json::parse(sacct(a_page({record}), {"--json", "-j", "10"}))["jobs"][0];
}

TEST(SacctJson, ContainsAllFieldsOfAJob) {
  nlohmann::ordered_json job = json_of_cancelled_job();
  job.erase("steps");
  EXPECT_EQ(job.dump(),
            "{\"account\":\"physics\",\"comment\":{\"administrator\":\"\",\"job\":\"a comment\","
            "\"system\":\"\"},\"allocation_nodes\":2,\"array\":{\"job_id\":0,"
            "\"limits\":{\"max\":{\"running\":{\"tasks\":0}}},\"task_id\":{\"set\":false,"
            "\"infinite\":false,\"number\":0},\"task\":\"\"},\"cluster\":\"ocean\","
            "\"constraints\":\"fast\",\"derived_exit_code\":{\"status\":[\"ERROR\"],"
            "\"return_code\":{\"set\":true,\"infinite\":false,\"number\":4},"
            "\"signal\":{\"id\":{\"set\":false,\"infinite\":false,\"number\":0},\"name\":\"\"}},"
            "\"exit_code\":{\"status\":[\"ERROR\"],\"return_code\":{\"set\":true,"
            "\"infinite\":false,\"number\":3},\"signal\":{\"id\":{\"set\":false,"
            "\"infinite\":false,\"number\":0},\"name\":\"\"}},\"group\":\"users\","
            "\"het\":{\"job_id\":0,\"job_offset\":{\"set\":false,\"infinite\":false,"
            "\"number\":0}},\"job_id\":10,\"kill_request_user\":\"1000\","
            "\"licenses\":\"matlab:1\",\"name\":\"train\",\"nodes\":\"n[1-2]\","
            "\"partition\":\"main\",\"qos\":\"standard\",\"required\":{\"CPUs\":8,"
            "\"memory_per_cpu\":{\"set\":false,\"infinite\":false,\"number\":0},"
            "\"memory_per_node\":{\"set\":true,\"infinite\":false,\"number\":2048}},"
            "\"reservation\":{\"id\":0,\"name\":\"class\"},\"restart_cnt\":0,"
            "\"state\":{\"current\":[\"CANCELLED\"],\"reason\":\"NonZeroExitCode\"},"
            "\"submit_line\":\"\",\"time\":{\"elapsed\":600,\"end\":1795349460,"
            "\"start\":1795348860,\"suspended\":0,\"system\":{\"seconds\":4,"
            "\"microseconds\":500000},\"total\":{\"seconds\":68,\"microseconds\":500000},"
            "\"user\":{\"seconds\":64,\"microseconds\":0},\"eligible\":1795348820,"
            "\"submission\":1795348800,\"planned\":{\"set\":true,\"infinite\":false,"
            "\"number\":40},\"limit\":{\"set\":true,\"infinite\":false,\"number\":60}},"
            "\"tres\":{\"allocated\":[{\"type\":\"cpu\",\"name\":\"\",\"id\":1,\"count\":8},"
            "{\"type\":\"mem\",\"name\":\"\",\"id\":2,\"count\":4096},{\"type\":\"node\","
            "\"name\":\"\",\"id\":4,\"count\":2},{\"type\":\"gres\",\"name\":\"gpu\",\"id\":1001,"
            "\"count\":2}],\"requested\":[{\"type\":\"cpu\",\"name\":\"\",\"id\":1,\"count\":8},"
            "{\"type\":\"mem\",\"name\":\"\",\"id\":2,\"count\":4096},{\"type\":\"node\","
            "\"name\":\"\",\"id\":4,\"count\":2},{\"type\":\"gres\",\"name\":\"gpu\",\"id\":1001,"
            "\"count\":2}]},\"user\":\"ann\",\"wckey\":{\"wckey\":\"w1\",\"flags\":[]},"
            "\"working_directory\":\"/home/ann\"}");
}

TEST(SacctJson, ContainsAllFieldsOfScriptAndSteps) {
  const nlohmann::ordered_json steps = json_of_cancelled_job()["steps"];
  ASSERT_EQ(steps.size(), 4u);
  EXPECT_EQ(steps[0].dump(),
            "{\"time\":{\"elapsed\":599,\"end\":{\"set\":true,\"infinite\":false,"
            "\"number\":1795349459},\"start\":{\"set\":true,\"infinite\":false,"
            "\"number\":1795348860},\"suspended\":0,\"system\":{\"seconds\":0,"
            "\"microseconds\":250000},\"total\":{\"seconds\":1,\"microseconds\":750000},"
            "\"user\":{\"seconds\":1,\"microseconds\":500000}},"
            "\"exit_code\":{\"status\":[\"ERROR\"],\"return_code\":{\"set\":true,"
            "\"infinite\":false,\"number\":3},\"signal\":{\"id\":{\"set\":false,"
            "\"infinite\":false,\"number\":0},\"name\":\"\"}},\"nodes\":{\"count\":1,"
            "\"range\":\"n1\",\"list\":[\"n1\"]},\"tasks\":{\"count\":1},\"pid\":\"\","
            "\"CPU\":{\"requested_frequency\":{\"min\":{\"set\":false,\"infinite\":false,"
            "\"number\":0},\"max\":{\"set\":false,\"infinite\":false,\"number\":0}},"
            "\"governor\":\"\"},\"kill_request_user\":\"\",\"state\":[\"FAILED\"],"
            "\"statistics\":{\"CPU\":{\"actual_frequency\":0},"
            "\"energy\":{\"consumed\":{\"set\":true,\"infinite\":false,\"number\":0}}},"
            "\"step\":{\"id\":\"10.batch\",\"name\":\"batch\"},"
            "\"task\":{\"distribution\":\"Unknown\"},"
            "\"tres\":{\"requested\":{\"max\":[{\"type\":\"mem\",\"name\":\"\",\"id\":2,"
            "\"count\":1265664,\"task\":0,\"node\":\"n1\"}],\"min\":[],\"average\":[],"
            "\"total\":[{\"type\":\"cpu\",\"name\":\"\",\"id\":1,\"count\":1750}]},"
            "\"consumed\":{\"max\":[{\"type\":\"mem\",\"name\":\"\",\"id\":2,\"count\":1265664,"
            "\"task\":0,\"node\":\"n1\"}],\"min\":[],\"average\":[],\"total\":[{\"type\":\"cpu\","
            "\"name\":\"\",\"id\":1,\"count\":1750}]},\"allocated\":[{\"type\":\"cpu\","
            "\"name\":\"\",\"id\":1,\"count\":2},{\"type\":\"mem\",\"name\":\"\",\"id\":2,"
            "\"count\":2048},{\"type\":\"node\",\"name\":\"\",\"id\":4,\"count\":1},"
            "{\"type\":\"gres\",\"name\":\"gpu\",\"id\":1001,\"count\":1}]}}");
  EXPECT_EQ(steps[3].dump(),
            "{\"time\":{\"elapsed\":300,\"end\":{\"set\":true,\"infinite\":false,"
            "\"number\":1795349220},\"start\":{\"set\":true,\"infinite\":false,"
            "\"number\":1795348920},\"suspended\":0,\"system\":{\"seconds\":0,"
            "\"microseconds\":250000},\"total\":{\"seconds\":2,\"microseconds\":750000},"
            "\"user\":{\"seconds\":2,\"microseconds\":500000}},"
            "\"exit_code\":{\"status\":[\"ERROR\"],\"return_code\":{\"set\":true,"
            "\"infinite\":false,\"number\":4},\"signal\":{\"id\":{\"set\":false,"
            "\"infinite\":false,\"number\":0},\"name\":\"\"}},\"nodes\":{\"count\":1,"
            "\"range\":\"n1\",\"list\":[\"n1\"]},\"tasks\":{\"count\":1},\"pid\":\"\","
            "\"CPU\":{\"requested_frequency\":{\"min\":{\"set\":false,\"infinite\":false,"
            "\"number\":0},\"max\":{\"set\":false,\"infinite\":false,\"number\":0}},"
            "\"governor\":\"\"},\"kill_request_user\":\"\",\"state\":[\"FAILED\"],"
            "\"statistics\":{\"CPU\":{\"actual_frequency\":0},"
            "\"energy\":{\"consumed\":{\"set\":true,\"infinite\":false,\"number\":0}}},"
            "\"step\":{\"id\":\"10.1\",\"name\":\"mpi\"},\"task\":{\"distribution\":\"cyclic\"},"
            "\"tres\":{\"requested\":{\"max\":[{\"type\":\"mem\",\"name\":\"\",\"id\":2,"
            "\"count\":2097152,\"task\":0,\"node\":\"n1\"}],\"min\":[],\"average\":[],"
            "\"total\":[{\"type\":\"cpu\",\"name\":\"\",\"id\":1,\"count\":2750}]},"
            "\"consumed\":{\"max\":[{\"type\":\"mem\",\"name\":\"\",\"id\":2,\"count\":2097152,"
            "\"task\":0,\"node\":\"n1\"}],\"min\":[],\"average\":[],\"total\":[{\"type\":\"cpu\","
            "\"name\":\"\",\"id\":1,\"count\":2750}]},\"allocated\":[{\"type\":\"cpu\","
            "\"name\":\"\",\"id\":1,\"count\":2},{\"type\":\"mem\",\"name\":\"\",\"id\":2,"
            "\"count\":2048},{\"type\":\"node\",\"name\":\"\",\"id\":4,\"count\":1},"
            "{\"type\":\"gres\",\"name\":\"gpu\",\"id\":1001,\"count\":1}]}}");
  const auto one =
      nlohmann::json::parse(sacct(a_page({a_rich_record()}), {"--json", "-j", "10.0"}));
  EXPECT_TRUE(one["jobs"].empty()) << "steps are inside their job";
}

TEST(SacctJson, LeavesUnknownValuesUnset) {
  JobRecord record = a_rich_record();
  record.job.state = JobState::Running;
  record.job.ended = record.run.ended = record.run.rank_ended = {};
  record.run.partition.clear();
  record.job.spec.change().time_limit_s = 0;
  record.job.spec.change().gid = 7;
  record.job.array_job = JobId{9};
  record.job.array_task = 2;
  const auto json = nlohmann::json::parse(sacct(a_page({record}), {"--json"}));
  const auto& job = json["jobs"][0];
  EXPECT_EQ(job["time"]["end"], 0);
  EXPECT_EQ(job["time"]["limit"].dump(), "{\"infinite\":true,\"number\":0,\"set\":false}");
  EXPECT_EQ(job["partition"], "main");
  EXPECT_EQ(job["group"], "");
  EXPECT_EQ(job["kill_request_user"], "");
  EXPECT_EQ(job["array"]["task_id"].dump(), "{\"infinite\":false,\"number\":2,\"set\":true}");
  const auto& batch = job["steps"][0];
  EXPECT_EQ(batch["time"]["end"].dump(), "{\"infinite\":false,\"number\":0,\"set\":false}");
  EXPECT_TRUE(batch["tres"]["consumed"]["max"].empty());
  EXPECT_TRUE(batch["tres"]["consumed"]["total"].empty());
}

}  // namespace
}  // namespace cox::test
