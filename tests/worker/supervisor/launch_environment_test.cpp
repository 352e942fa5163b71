#include <gtest/gtest.h>
#include <signal.h>

#include <map>

#include "common/job/output_path.h"
#include "tests/worker/launches.h"
#include "worker/supervisor/rank_environment.h"

namespace cox {
namespace {

using namespace std::string_literals;
using Variables = std::map<std::string, std::string>;

Variables environment_of(const LaunchSpec& launch, std::int32_t rank) {
  GoOrder go;
  go.master_address = "127.0.0.11";
  go.master_port = 29'500;
  go.started = wall_from_ms(1'700'000'000'000);
  Variables variables;
  for (const std::string& entry : rank_environment(launch, go, rank, "/spool/17.1")) {
    const std::size_t equals = entry.find('=');
    variables[entry.substr(0, equals)] = entry.substr(equals + 1);
  }
  return variables;
}

TEST(RankEnvironment, AGangHasSlurmsStepAndTorchrunsVariables) {
  LaunchSpec launch = gang_launch(2, 2);
  launch.node_index = 1;
  Variables v = environment_of(launch, 3);
  EXPECT_EQ(v["SLURM_PROCID"] + v["SLURM_LOCALID"] + v["SLURM_NODEID"], "311");
  EXPECT_EQ(v["SLURM_NTASKS"] + v["SLURM_NPROCS"] + v["SLURM_STEP_NUM_TASKS"], "444");
  EXPECT_EQ(v["SLURM_JOB_NODELIST"], "n[1-2]");
  EXPECT_EQ(v["SLURM_STEP_NODELIST"], "n[1-2]");
  EXPECT_EQ(v["SLURM_TASKS_PER_NODE"], "2(x2)");
  EXPECT_EQ(v["SLURM_JOB_CPUS_PER_NODE"], "4(x2)");
  EXPECT_EQ(v["SLURM_GTIDS"], "2,3");
  EXPECT_EQ(v["SLURMD_NODENAME"], "n2");
  EXPECT_EQ(v["RANK"] + v["LOCAL_RANK"] + v["WORLD_SIZE"] + v["LOCAL_WORLD_SIZE"], "3142");
  EXPECT_EQ(v["MASTER_ADDR"] + ":" + v["MASTER_PORT"], "127.0.0.11:29500");
  EXPECT_EQ(v["SLURM_JOB_START_TIME"], "1700000000");
  for (const char* absent : {"SLURM_RESTART_COUNT", "SLURM_JOB_END_TIME", "SLURM_CPUS_PER_TASK",
                             "SLURM_NTASKS_PER_NODE", "SLURM_MEM_PER_NODE", "SLURM_JOB_GPUS",
                             "CUDA_VISIBLE_DEVICES", "SLURM_ARRAY_TASK_ID", "ENVIRONMENT"}) {
    EXPECT_FALSE(v.contains(absent)) << absent;
  }
}

// Returns the launch of a gang on two nodes with all fields set, as the second node gets it.
LaunchSpec full_launch() {
  LaunchSpec launch = gang_launch(2, 2);
  launch.key.attempt = AttemptNumber(2);
  launch.node_index = 1;
  launch.environment = "HOME=/home/ada\0PWD=/home/ada/run\0"s;
  launch.spec.partition = "gpu";
  launch.spec.qos = "standard";
  launch.spec.uid = 1001;
  launch.spec.gid = 1002;
  launch.spec.work_dir = "/work";
  launch.spec.submit_host = "login";
  launch.spec.checkpoint_signal = SIGUSR1;
  launch.nodes[1].grant.gpus = {0, 1};
  launch.node_gpus = {{0, "h100", "", 0}, {1, "h100", "", 0}};
  launch.job_checkpoint_dir = "/shared/17";
  launch.resume = ResumeFrom{AttemptNumber(1), 40};
  return launch;
}

TEST(RankEnvironment, ARankHasExactlyTheListedVariables) {
  const LaunchSpec launch = full_launch();
  std::string page;
  for (const auto& [name, value] : environment_of(launch, 3)) page += name + "=" + value + "\n";
  EXPECT_EQ(page,
            "COX_ATTEMPT_ID=test/17.2\n"
            "COX_CHECKPOINT_DIR=/shared/17/attempt-2\n"
            "COX_CHECKPOINT_SIGNAL=USR1\n"
            "COX_GIVEN_VARIABLES=CUDA_DEVICE_ORDER:f9408479,CUDA_VISIBLE_DEVICES:df3ce784,"
            "LOCAL_RANK:df3ce784,LOCAL_WORLD_SIZE:cb358fce,MASTER_ADDR:04acd333,"
            "MASTER_PORT:5e2f2a4d,RANK:5fcddc9c,WORLD_SIZE:475982af\n"
            "COX_NODE_ADDRESSES=n1=127.0.0.11,n2=127.0.0.12\n"
            "COX_RANK=3\n"
            "COX_RESUME_FROM=/shared/17/attempt-1/step-40\n"
            "COX_STOP_REASON_FILE=/spool/17.1/reason\n"
            "COX_SUPERVISOR_SOCKET=/spool/17.1/socket\n"
            "CUDA_DEVICE_ORDER=PCI_BUS_ID\n"
            "CUDA_VISIBLE_DEVICES=1\n"
            "HOME=/home/ada\n"
            "LOCAL_RANK=1\n"
            "LOCAL_WORLD_SIZE=2\n"
            "MASTER_ADDR=127.0.0.11\n"
            "MASTER_PORT=29500\n"
            "PWD=/work\n"
            "RANK=3\n"
            "SLURMD_NODENAME=n2\n"
            "SLURM_CLUSTER_NAME=test\n"
            "SLURM_CPUS_ON_NODE=4\n"
            "SLURM_DISTRIBUTION=block\n"
            "SLURM_GPUS_ON_NODE=2\n"
            "SLURM_GTIDS=2,3\n"
            "SLURM_JOBID=17\n"
            "SLURM_JOB_CPUS_PER_NODE=4(x2)\n"
            "SLURM_JOB_GID=1002\n"
            "SLURM_JOB_GPUS=0,1\n"
            "SLURM_JOB_ID=17\n"
            "SLURM_JOB_NAME=train\n"
            "SLURM_JOB_NODELIST=n[1-2]\n"
            "SLURM_JOB_NUM_NODES=2\n"
            "SLURM_JOB_PARTITION=gpu\n"
            "SLURM_JOB_QOS=standard\n"
            "SLURM_JOB_START_TIME=1700000000\n"
            "SLURM_JOB_UID=1001\n"
            "SLURM_JOB_USER=ada\n"
            "SLURM_LAUNCH_NODE_IPADDR=127.0.0.11\n"
            "SLURM_LOCALID=1\n"
            "SLURM_NNODES=2\n"
            "SLURM_NODEID=1\n"
            "SLURM_NODELIST=n[1-2]\n"
            "SLURM_NPROCS=4\n"
            "SLURM_NTASKS=4\n"
            "SLURM_PROCID=3\n"
            "SLURM_STEPID=0\n"
            "SLURM_STEP_GPUS=0,1\n"
            "SLURM_STEP_ID=0\n"
            "SLURM_STEP_NODELIST=n[1-2]\n"
            "SLURM_STEP_NUM_NODES=2\n"
            "SLURM_STEP_NUM_TASKS=4\n"
            "SLURM_STEP_TASKS_PER_NODE=2(x2)\n"
            "SLURM_SUBMIT_DIR=/home/ada/run\n"
            "SLURM_SUBMIT_HOST=login\n"
            "SLURM_TASKS_PER_NODE=2(x2)\n"
            "SLURM_TOPOLOGY_ADDR=n2\n"
            "SLURM_TOPOLOGY_ADDR_PATTERN=node\n"
            "TMPDIR=/tmp\n"
            "WORLD_SIZE=4\n");
}

TEST(RankEnvironment, RequestedOptionsAreInTheVariables) {
  LaunchSpec launch = gang_launch(1, 2);
  launch.spec.tasks_per_node = 2;
  launch.spec.cpus_per_task = 3;
  launch.spec.cpus_per_task_asked = true;
  launch.spec.memory_mb_per_node = 512;
  launch.spec.time_limit_s = 60;
  launch.restarts = 2;
  Variables v = environment_of(launch, 0);
  EXPECT_EQ(v["SLURM_NTASKS_PER_NODE"] + v["SLURM_CPUS_PER_TASK"], "23");
  EXPECT_EQ(v["SLURM_MEM_PER_NODE"], "512");
  EXPECT_EQ(v["SLURM_JOB_END_TIME"], "1700000060");
  EXPECT_EQ(v["SLURM_RESTART_COUNT"], "2");
}

TEST(RankEnvironment, ATaskOfAnArrayHasTheNumbersOfTheArrayAndTheTask) {
  LaunchSpec launch = gang_launch(1, 1);
  launch.spec.array = "0-15:4%2";
  launch.array_job = JobId{17};
  launch.array_task = 8;
  Variables v = environment_of(launch, 0);
  EXPECT_EQ(v["SLURM_ARRAY_JOB_ID"] + "_" + v["SLURM_ARRAY_TASK_ID"], "17_8");
  EXPECT_EQ(v["SLURM_ARRAY_TASK_COUNT"], "4");
  EXPECT_EQ(v["SLURM_ARRAY_TASK_MIN"] + "-" + v["SLURM_ARRAY_TASK_MAX"], "0-12");
  EXPECT_EQ(v["SLURM_ARRAY_TASK_STEP"], "4");
  launch.spec.array = "1,2,7";
  EXPECT_EQ(environment_of(launch, 0)["SLURM_ARRAY_TASK_STEP"], "1");
}

TEST(RankEnvironment, ABatchScriptHasOnlyTheBatchVariables) {
  LaunchSpec launch = batch_launch(2);
  Variables v = environment_of(launch, 0);
  EXPECT_EQ(v["ENVIRONMENT"], "BATCH");
  EXPECT_EQ(v["SLURM_PROCID"] + v["SLURM_LOCALID"] + v["SLURM_NODEID"], "000");
  EXPECT_EQ(v["SLURM_JOB_NUM_NODES"], "2");
  for (const auto& [name, value] : v) {
    EXPECT_FALSE(name.starts_with("SLURM_STEP")) << name;
  }
  EXPECT_FALSE(v.contains("SLURM_NTASKS"));
  EXPECT_FALSE(v.contains("RANK"));
  launch.spec.tasks_asked = true;
  EXPECT_EQ(environment_of(launch, 0)["SLURM_NTASKS"], "2");
}

TEST(RankEnvironment, ABatchScriptOfWholeNodesMayHaveATaskForEachCpu) {
  LaunchSpec launch = batch_launch(2);  // two nodes of 4 CPUs each
  EXPECT_EQ(environment_of(launch, 0)["SLURM_TASKS_PER_NODE"], "4(x2)");
  launch.spec.cpus_per_task = 3;
  EXPECT_EQ(environment_of(launch, 0)["SLURM_TASKS_PER_NODE"], "1(x2)");
  launch.spec.cpus_per_task = 1;
  launch.spec.tasks_asked = true;
  EXPECT_EQ(environment_of(launch, 0)["SLURM_TASKS_PER_NODE"], "1(x2)");
}

TEST(RankEnvironment, StoredOptionsOfCpusAreInTheVariables) {
  LaunchSpec launch = batch_launch(1);
  launch.spec.stored_options = {"hint=nomultithread", "cpu-freq=low"};
  Variables v = environment_of(launch, 0);
  EXPECT_EQ(v["SLURM_HINT"] + v["SLURM_THREADS_PER_CORE"] + v["SLURM_CPU_FREQ_REQ"],
            "nomultithread1low");
}

TEST(RankEnvironment, VariablesOfTheNewJobReplaceThoseOfTheJobThatSubmittedIt) {
  LaunchSpec launch = gang_launch(1, 1);
  launch.environment =
      "HOME=/home/ada\0RANK=9\0SLURM_RESTART_COUNT=4\0SLURM_ARRAY_TASK_ID=2\0"s
      "SLURM_CPU_BIND=none\0PWD=/home/ada/run\0COX_RESUME_FROM=/old\0=broken\0nothing\0"s;
  Variables v = environment_of(launch, 0);
  EXPECT_EQ(v["HOME"], "/home/ada");
  EXPECT_EQ(v["RANK"], "0");
  EXPECT_EQ(v["SLURM_CPU_BIND"], "none");
  EXPECT_EQ(v["SLURM_SUBMIT_DIR"], "/home/ada/run");
  EXPECT_EQ(v["PWD"], "/");
  EXPECT_FALSE(v.contains("SLURM_RESTART_COUNT"));
  EXPECT_FALSE(v.contains("SLURM_ARRAY_TASK_ID"));
  EXPECT_FALSE(v.contains("COX_RESUME_FROM"));
}

TEST(RankEnvironment, NamesTheSupervisorSocketAndTheCheckpointFolders) {
  LaunchSpec launch = gang_launch(1, 1);
  launch.key.attempt = AttemptNumber(3);
  launch.job_checkpoint_dir = "/shared/17";
  launch.resume = ResumeFrom{AttemptNumber(1), 40};
  Variables v = environment_of(launch, 0);
  EXPECT_EQ(v["COX_SUPERVISOR_SOCKET"], "/spool/17.1/socket");
  EXPECT_EQ(v["COX_ATTEMPT_ID"], "test/17.3");
  EXPECT_EQ(v["COX_CHECKPOINT_DIR"], "/shared/17/attempt-3");
  EXPECT_EQ(v["COX_RESUME_FROM"], "/shared/17/attempt-1/step-40");
}

TEST(RankEnvironment, NamesTheSignalsThatAskToSave) {
  LaunchSpec gang = gang_launch(1, 1);
  EXPECT_FALSE(environment_of(gang, 0).contains("COX_CHECKPOINT_SIGNAL"));
  gang.spec.checkpoint_signal = SIGUSR1;
  EXPECT_EQ(environment_of(gang, 0)["COX_CHECKPOINT_SIGNAL"], "USR1");
  gang.spec.signal.number = SIGUSR2;
  EXPECT_EQ(environment_of(gang, 0)["COX_CHECKPOINT_SIGNAL"], "USR1,USR2");
  gang.spec.signal.number = SIGUSR1;
  EXPECT_EQ(environment_of(gang, 0)["COX_CHECKPOINT_SIGNAL"], "USR1");
  gang.spec.checkpoint_signal = 40;  // a real-time signal has no name
  EXPECT_EQ(environment_of(gang, 0)["COX_CHECKPOINT_SIGNAL"], "40,USR1");
}

TEST(RankEnvironment, AScriptHasACheckpointSignalOnlyIfItIsForTheScript) {
  LaunchSpec batch = batch_launch(1);
  batch.spec.signal.number = SIGUSR2;
  EXPECT_FALSE(environment_of(batch, 0).contains("COX_CHECKPOINT_SIGNAL"));
  batch.spec.signal.batch_only = true;
  EXPECT_EQ(environment_of(batch, 0)["COX_CHECKPOINT_SIGNAL"], "USR2");
  cox::Variables task = {{"COX_CHECKPOINT_SIGNAL", "USR2"}};
  set_checkpoint_signal(task, batch.spec, false);
  EXPECT_FALSE(task.contains("COX_CHECKPOINT_SIGNAL"));
  batch.spec.signal.batch_only = false;
  set_checkpoint_signal(task, batch.spec, false);
  EXPECT_EQ(task["COX_CHECKPOINT_SIGNAL"], "USR2");
}

TEST(RankEnvironment, GpusAreDividedAmongRanksIfTheyDivideEvenly) {
  LaunchSpec launch = gang_launch(1, 2);
  launch.nodes[0].grant.gpus = {0, 2, 5, 7};
  EXPECT_EQ(environment_of(launch, 0)["CUDA_VISIBLE_DEVICES"], "0,2");
  EXPECT_EQ(environment_of(launch, 1)["CUDA_VISIBLE_DEVICES"], "5,7");
  EXPECT_EQ(environment_of(launch, 1)["SLURM_JOB_GPUS"], "0,2,5,7");
  launch.nodes[0].grant.gpus = {0, 2, 5};
  EXPECT_EQ(environment_of(launch, 1)["CUDA_VISIBLE_DEVICES"], "0,2,5");
  EXPECT_EQ(environment_of(launch, 1)["CUDA_DEVICE_ORDER"], "PCI_BUS_ID");
}

std::string visible(const LaunchSpec& launch, const char* variable = "CUDA_VISIBLE_DEVICES") {
  std::string text;
  for (std::int32_t rank = 0; rank < launch.nodes[0].grant.ranks; ++rank) {
    const Variables v = environment_of(launch, rank);
    const auto found = v.find(variable);
    text += (rank > 0 ? " " : "") + (found == v.end() ? "-" : "[" + found->second + "]");
  }
  return text;
}

std::vector<GpuDevice> devices(std::int32_t count, const std::string& type) {
  std::vector<GpuDevice> all;
  for (std::int32_t i = 0; i < count; ++i) all.push_back({i, type, "", 0});
  return all;
}

TEST(RankEnvironment, ShowsEachRankTheGpusThatItRequested) {
  LaunchSpec launch = gang_launch(1, 4);
  launch.node_gpus = devices(4, "h100");
  launch.nodes[0].grant.gpus = {1, 3};
  EXPECT_EQ(visible(launch), "[1,3] [1,3] [1,3] [1,3]");  // 2 GPUs cannot be divided among 4 ranks
  launch.spec.tasks_per_gpu = 2;
  EXPECT_EQ(visible(launch), "[1] [1] [3] [3]");
  EXPECT_EQ(visible(launch, "SLURM_STEP_GPUS"), "[1,3] [1,3] [1,3] [1,3]");
  launch.spec.stored_options = {"gpu-bind=none"};
  EXPECT_EQ(visible(launch), "[1,3] [1,3] [1,3] [1,3]");
  launch = gang_launch(1, 1);
  launch.nodes[0].grant.gpus = {1, 3};  // the job may get as many GPUs here as on its largest node
  launch.spec.gpus_per_task = 1;
  EXPECT_EQ(visible(launch), "[1]");
}

TEST(RankEnvironment, ShowsNoGpuToAJobThatHasNone) {
  LaunchSpec launch = gang_launch(1, 1);
  launch.environment = "CUDA_VISIBLE_DEVICES=0\0"s;
  EXPECT_EQ(visible(launch), "[0]");  // a node without GPUs leaves the user's value
  launch.node_gpus = devices(2, "h100");
  EXPECT_EQ(visible(launch), "[]");
  EXPECT_EQ(visible(launch, "ROCR_VISIBLE_DEVICES"), "-");
  launch.spec.form = JobForm::Batch;
  EXPECT_EQ(visible(launch), "[]");
  launch.node_gpus = devices(2, "mi300");
  EXPECT_EQ(visible(launch, "ROCR_VISIBLE_DEVICES"), "[]");
  // Unset: HIP would apply it to the devices that ROCR_VISIBLE_DEVICES leaves.
  EXPECT_EQ(visible(launch), "-");
}

TEST(RankEnvironment, ShowsGpusByTheirVendorsVariable) {
  LaunchSpec launch = gang_launch(1, 2);
  launch.environment = "CUDA_VISIBLE_DEVICES=7\0HIP_VISIBLE_DEVICES=7\0GPU_DEVICE_ORDINAL=7\0"s;
  launch.node_gpus = devices(4, "mi300");
  launch.nodes[0].grant.gpus = {2, 3};
  EXPECT_EQ(visible(launch, "ROCR_VISIBLE_DEVICES"), "[2] [3]");
  for (const char* name : {"CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "GPU_DEVICE_ORDINAL"})
    EXPECT_EQ(visible(launch, name), "- -") << name;
}

TEST(RankEnvironment, SetsSlurmsVariablesOfRequestedOptions) {
  LaunchSpec launch = batch_launch(1);
  launch.spec.stored_options = {"gpus-per-node=h100:2", "distribution=plane=3", "gpu-freq=high",
                                "ntasks-per-core=1", "ntasks-per-socket=4"};
  launch.spec.dependency = "afterok:7";
  launch.spec.gres = "shard:2";
  launch.topology_addr = "spine1.leaf2.n1";
  launch.nodes[0].grant.gpus = {0};
  launch.nodes[0].grant.gpu_milli = 500;
  Variables v = environment_of(launch, 0);
  EXPECT_EQ(v["SLURM_GPUS_PER_NODE"], "h100:2");
  EXPECT_EQ(v["SLURM_DISTRIBUTION"] + " " + v["SLURM_DIST_PLANESIZE"], "plane=3 3");
  EXPECT_EQ(v["SLURM_GPU_FREQ"], "high");
  EXPECT_EQ(v["SLURM_NTASKS_PER_CORE"] + v["SLURM_NTASKS_PER_SOCKET"], "14");
  EXPECT_EQ(v["SLURM_JOB_DEPENDENCY"], "afterok:7");
  EXPECT_EQ(v["SLURM_SHARDS_ON_NODE"], "2");
  EXPECT_EQ(v["SLURM_TOPOLOGY_ADDR"] + " " + v["SLURM_TOPOLOGY_ADDR_PATTERN"],
            "spine1.leaf2.n1 switch.switch.node");
}

TEST(OutputPath, FillsInSlurmsPatterns) {
  JobSpec spec = gang_launch(1, 1).spec;
  const OutputPlace place{{JobId(17), AttemptNumber(1)}, "n2.example", 1, 3};
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"%j", "17"},           {"%5j-%3t", "00017-003"},
      {"%x.%u", "train.ada"}, {"%N-%n", "n2-1"},
      {"100%%", "100%"},      {"%q%", "%q%"},
      {"%J %s", "17.0 0"},    {"%99t", "0000000003"},
      {"a\\%j", "a%j"},       {"%A_%a", "17_4294967294"}};
  for (const auto& [pattern, filled] : cases) EXPECT_EQ(fill_pattern(pattern, spec, place), filled);
}

TEST(OutputPath, NamesTheArrayAndTheTask) {
  JobSpec spec;
  spec.work_dir = "/home/ada";
  spec.form = JobForm::Batch;
  OutputPlace place{{JobId(23), AttemptNumber(1)}, "n1", 0, 0, JobId(17), 4};
  EXPECT_EQ(output_path(spec, place), "/home/ada/slurm-17_4.out");
  EXPECT_EQ(fill_pattern("%A_%3a.%j", spec, place), "17_004.23");
  spec.form = JobForm::Gang;
  EXPECT_EQ(output_path(spec, place), "/home/ada/slurm-17_4.0.out");
}

TEST(OutputPath, DefaultsToAFilePerRankOfAGangAndOneFileOfABatchScript) {
  JobSpec spec = gang_launch(1, 1).spec;
  spec.work_dir = "/home/ada";
  const OutputPlace place{{JobId(17), AttemptNumber(1)}, "n1", 0, 3};
  EXPECT_EQ(output_path(spec, place), "/home/ada/slurm-17.3.out");
  EXPECT_EQ(error_path(spec, place), "/home/ada/slurm-17.3.out");
  EXPECT_EQ(input_path(spec, place), "/dev/null");
  spec.form = JobForm::Batch;
  spec.error = "/var/%j.err";
  EXPECT_EQ(output_path(spec, place), "/home/ada/slurm-17.out");
  EXPECT_EQ(error_path(spec, place), "/var/17.err");
}

}  // namespace
}  // namespace cox
