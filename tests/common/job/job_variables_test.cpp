// Tests the SLURM_* variables that a job gets; whole sets of variables are compared.
#include "common/job/job_variables.h"

#include <gtest/gtest.h>

#include <sstream>

#include "tests/worker/launches.h"

namespace cox {
namespace {

using namespace std::string_literals;

// Returns the variables, one NAME=value a line, sorted by name.
std::string page(const Variables& v) {
  std::string text;
  for (const std::string& entry : entries_of(v)) text += entry + "\n";
  return text;
}

GoOrder a_go() {
  GoOrder go;
  go.started = wall_from_ms(1'700'000'000'999);
  return go;
}

std::string page_of(const LaunchSpec& launch, const std::string& pwd = "/home/ada/run") {
  Variables v;
  set_job(v, launch, a_go(), pwd);
  return page(v);
}

std::string value_of(const LaunchSpec& launch, const std::string& name) {
  Variables v;
  set_job(v, launch, a_go(), "");
  set_tasks_asked(v, launch);
  return v.contains(name) ? v[name] : "(none)";
}

// Returns a launch on two nodes: the first with 4 CPUs and 2 tasks, the second with 6 CPUs and 1
// task.
LaunchSpec a_launch() {
  LaunchSpec launch = gang_launch(2, 2);
  launch.nodes[1].grant.cpus = 6;
  launch.nodes[1].grant.ranks = 1;
  launch.spec.partition = "main";
  launch.spec.qos = "standard";
  launch.spec.uid = 1001;
  launch.spec.gid = 1002;
  launch.spec.work_dir = "/work";
  launch.spec.submit_host = "login";
  return launch;
}

LaunchSpec two_components() {
  LaunchSpec launch = a_launch();
  launch.nodes[1].grant.component = 1;
  launch.spec.gpus = 3;
  launch.spec.components.resize(1);
  launch.spec.components[0].partition = "second";
  launch.spec.components[0].tasks_asked = true;
  return launch;
}

}  // namespace

TEST(JobVariables, APlainJobHasExactlyTheListedVariables) {
  EXPECT_EQ(page_of(a_launch()),
            "COX_NODE_ADDRESSES=n1=127.0.0.11,n2=127.0.0.12\n"
            "SLURM_CLUSTER_NAME=test\n"
            "SLURM_JOBID=17\n"
            "SLURM_JOB_CPUS_PER_NODE=4,6\n"
            "SLURM_JOB_GID=1002\n"
            "SLURM_JOB_ID=17\n"
            "SLURM_JOB_NAME=train\n"
            "SLURM_JOB_NODELIST=n[1-2]\n"
            "SLURM_JOB_NUM_NODES=2\n"
            "SLURM_JOB_PARTITION=main\n"
            "SLURM_JOB_QOS=standard\n"
            "SLURM_JOB_START_TIME=1700000000\n"
            "SLURM_JOB_UID=1001\n"
            "SLURM_JOB_USER=ada\n"
            "SLURM_NNODES=2\n"
            "SLURM_NODELIST=n[1-2]\n"
            "SLURM_SUBMIT_DIR=/home/ada/run\n"
            "SLURM_SUBMIT_HOST=login\n"
            "SLURM_TASKS_PER_NODE=2,1\n");
}

TEST(JobVariables, EachRequestedOptionAddsItsVariable) {
  LaunchSpec launch = a_launch();
  launch.restarts = 1;
  JobSpec& spec = launch.spec;
  spec.account = "physics";
  spec.time_limit_s = 60;
  spec.tasks_per_node = 2;
  spec.cpus_per_task = 3;
  spec.cpus_per_task_asked = true;
  spec.reservation = "maint";
  spec.licences = "matlab:2";
  spec.dependency = "afterok:3";
  spec.memory_mb_per_cpu = 10;
  spec.memory_mb_per_gpu = 11;
  spec.gpus = 12;
  spec.gpus_per_task = 13;
  spec.cpus_per_gpu = 14;
  spec.tasks_per_gpu = 15;
  spec.stored_options = {"distribution=plane=4", "hint=multithread", "gpu-bind=none",
                         "mem-bind=local",       "core-spec=1",      "threads-per-core=2",
                         "profile=task",         "network=ib",       "cpu-freq=low",
                         "gpu-freq=high",        "gpus-per-node=2",  "ntasks-per-core=1",
                         "ntasks-per-socket=2",  "unknown=1"};
  std::string added;
  const std::string plain = page_of(a_launch());
  std::istringstream lines(page_of(launch));
  for (std::string line; std::getline(lines, line);)
    if (plain.find(line + "\n") == std::string::npos) added += line + "\n";
  EXPECT_EQ(added,
            "SLURM_CORE_SPEC=1\nSLURM_CPUS_PER_GPU=14\nSLURM_CPUS_PER_TASK=3\n"
            "SLURM_CPU_FREQ_REQ=low\nSLURM_DISTRIBUTION=plane=4\nSLURM_DIST_PLANESIZE=4\n"
            "SLURM_GPUS=12\nSLURM_GPUS_PER_NODE=2\nSLURM_GPUS_PER_TASK=13\nSLURM_GPU_BIND=none\n"
            "SLURM_GPU_FREQ=high\nSLURM_HINT=multithread\nSLURM_JOB_ACCOUNT=physics\n"
            "SLURM_JOB_DEPENDENCY=afterok:3\nSLURM_JOB_END_TIME=1700000060\n"
            "SLURM_JOB_LICENSES=matlab:2\nSLURM_JOB_RESERVATION=maint\nSLURM_MEM_BIND=local\n"
            "SLURM_MEM_PER_CPU=10\nSLURM_MEM_PER_GPU=11\nSLURM_NETWORK=ib\n"
            "SLURM_NTASKS_PER_CORE=1\nSLURM_NTASKS_PER_GPU=15\nSLURM_NTASKS_PER_NODE=2\n"
            "SLURM_NTASKS_PER_SOCKET=2\nSLURM_PROFILE=task\nSLURM_RESTART_COUNT=1\n"
            "SLURM_THREADS_PER_CORE=2\n");
}

TEST(JobVariables, AnOvercommittedJobHasTheTaskCountOfItsSteps) {
  LaunchSpec launch = a_launch();
  EXPECT_EQ(value_of(launch, "SLURM_OVERCOMMIT"), "(none)");
  launch.spec.stored_options = {"overcommit"};
  EXPECT_EQ(value_of(launch, "SLURM_OVERCOMMIT"), "1");
  launch.spec.stored_options = {"overcommit=30"};
  EXPECT_EQ(value_of(launch, "SLURM_OVERCOMMIT"), "1");
  EXPECT_EQ(value_of(launch, "SLURM_NTASKS"), "30");
  EXPECT_EQ(value_of(launch, "SLURM_NPROCS"), "30");
}

TEST(JobVariables, MemoryIsPerNodeUnlessRequestedOtherwise) {
  LaunchSpec launch = a_launch();
  launch.spec.memory_mb_per_node = 512;
  EXPECT_EQ(value_of(launch, "SLURM_MEM_PER_NODE"), "512");
  for (std::int64_t JobSize::*const other :
       {&JobSize::memory_mb_per_cpu, &JobSize::memory_mb_per_gpu}) {
    LaunchSpec asked = launch;
    asked.spec.*other = 1;
    EXPECT_EQ(value_of(asked, "SLURM_MEM_PER_NODE"), "(none)");
  }
  launch.spec.whole_memory = true;
  EXPECT_EQ(value_of(launch, "SLURM_MEM_PER_NODE"), "(none)");
}

TEST(JobVariables, NoMultithreadMeansOneThreadPerCore) {
  LaunchSpec launch = a_launch();
  launch.spec.stored_options = {"threads-per-core=2", "hint=nomultithread"};
  EXPECT_EQ(value_of(launch, "SLURM_THREADS_PER_CORE"), "1");
  launch.spec.stored_options = {"hint=compute_bound"};
  EXPECT_EQ(value_of(launch, "SLURM_THREADS_PER_CORE"), "(none)");
}

TEST(JobVariables, SubmitDirIsTheWorkingFolderIfThePwdOfTheUserIsNotAbsolute) {
  EXPECT_NE(page_of(a_launch(), "run").find("SLURM_SUBMIT_DIR=/work\n"), std::string::npos);
  EXPECT_NE(page_of(a_launch(), "").find("SLURM_SUBMIT_DIR=/work\n"), std::string::npos);
}

TEST(JobVariables, NtasksIsSetIfTasksWereRequested) {
  LaunchSpec launch = a_launch();
  EXPECT_EQ(value_of(launch, "SLURM_NTASKS"), "(none)");
  launch.spec.tasks_asked = true;
  EXPECT_EQ(value_of(launch, "SLURM_NTASKS") + value_of(launch, "SLURM_NPROCS"), "33");
  launch.spec.tasks_asked = false;
  launch.spec.tasks_per_node = 2;
  EXPECT_EQ(value_of(launch, "SLURM_NTASKS"), "3");
}

TEST(JobVariables, AllocationsHaveATaskForEachCpuUnlessTasksWereRequested) {
  LaunchSpec launch = a_launch();
  launch.spec.form = JobForm::Allocation;
  EXPECT_EQ(value_of(launch, "SLURM_TASKS_PER_NODE"), "4,6");
  launch.spec.cpus_per_task = 4;
  EXPECT_EQ(value_of(launch, "SLURM_TASKS_PER_NODE"), "2,1");
  launch.spec.cpus_per_task = 0;
  EXPECT_EQ(value_of(launch, "SLURM_TASKS_PER_NODE"), "4,6");
  launch.spec.tasks_per_node = 1;
  EXPECT_EQ(value_of(launch, "SLURM_TASKS_PER_NODE"), "2,1");
}

TEST(JobVariables, EachComponentHasVariablesAndThoseOfTheFirstAreThoseOfTheJob) {
  const LaunchSpec launch = two_components();
  EXPECT_EQ(value_of(launch, "SLURM_HET_SIZE"), "2");
  EXPECT_EQ(value_of(launch, "SLURM_JOB_NODELIST"), "n1");
  EXPECT_EQ(value_of(launch, "SLURM_JOB_NODELIST_HET_GROUP_0"), "n1");
  EXPECT_EQ(value_of(launch, "SLURM_JOB_NODELIST_HET_GROUP_1"), "n2");
  EXPECT_EQ(value_of(launch, "SLURM_JOB_PARTITION"), "main");
  EXPECT_EQ(value_of(launch, "SLURM_JOB_PARTITION_HET_GROUP_1"), "second");
  EXPECT_EQ(value_of(launch, "SLURM_NTASKS"), "(none)")
      << "tasks were not requested for the first component";
  EXPECT_EQ(value_of(launch, "SLURM_NTASKS_HET_GROUP_1"), "1");
  EXPECT_EQ(value_of(launch, "SLURM_JOB_NODELIST_HET_GROUP_2"), "(none)");
  EXPECT_EQ(value_of(a_launch(), "SLURM_HET_SIZE"), "(none)");
}

TEST(JobVariables, AComponentReplacesTheVariablesOfTheFirst) {
  Variables v = {{"HOME_HET_GROUP_1", "x"}};
  set_job(v, two_components(), a_go(), "");
  const Variables all = v;
  be_component(v, -1);
  EXPECT_EQ(v["SLURM_NNODES"], "2");
  EXPECT_EQ(v["SLURM_NTASKS"], "2") << "one on the node of each";
  EXPECT_EQ(v["SLURM_JOB_NODELIST"], "n1");
  v = all;
  be_component(v, 1);
  EXPECT_EQ(v["SLURM_JOB_NODELIST"], "n2");
  EXPECT_EQ(v["SLURM_JOB_PARTITION"], "second");
  EXPECT_FALSE(v.contains("SLURM_GPUS")) << "only the first component requested GPUs";
  EXPECT_EQ(v["SLURM_HET_SIZE"], "2");
  EXPECT_EQ(v["SLURM_JOB_NODELIST_HET_GROUP_0"], "n1");
  EXPECT_FALSE(v.contains("HOME")) << "HOME is a variable of the user";
  be_component(v, 0);
  EXPECT_EQ(v["SLURM_JOB_NODELIST"], "n1");
  EXPECT_EQ(v["SLURM_GPUS"], "3");
}

TEST(JobVariables, OnlyTasksOfAnArrayHaveArrayVariables) {
  const auto array_page = [](const std::string& array, std::int64_t task) {
    LaunchSpec launch = a_launch();
    launch.spec.array = array;
    launch.array_job = JobId{12};
    launch.array_task = task;
    Variables v;
    set_array(v, launch);
    return page(v);
  };
  EXPECT_EQ(array_page("0-15:4%2", 0),
            "SLURM_ARRAY_JOB_ID=12\nSLURM_ARRAY_TASK_COUNT=4\nSLURM_ARRAY_TASK_ID=0\n"
            "SLURM_ARRAY_TASK_MAX=12\nSLURM_ARRAY_TASK_MIN=0\nSLURM_ARRAY_TASK_STEP=4\n");
  EXPECT_EQ(array_page("0-15:4%2", -1), "");
  EXPECT_EQ(array_page("", 3), "");
}

TEST(JobVariables, EachNodeHasVariablesWithItsNameCpusTopologyAndGpus) {
  const auto node_page = [](const LaunchSpec& launch) {
    Variables v;
    set_node(v, launch);
    return page(v);
  };
  LaunchSpec launch = a_launch();
  launch.node_index = 1;
  EXPECT_EQ(node_page(launch),
            "SLURMD_NODENAME=n2\nSLURM_CPUS_ON_NODE=6\nSLURM_TOPOLOGY_ADDR=n2\n"
            "SLURM_TOPOLOGY_ADDR_PATTERN=node\n");
  launch.topology_addr = "spine1.leaf2.n2";
  for (std::int32_t i = 0; i < 4; ++i) launch.node_gpus.push_back({i, "h100", "", 0});
  launch.nodes[1].grant.gpus = {1, 3};
  EXPECT_EQ(node_page(launch),
            "CUDA_DEVICE_ORDER=PCI_BUS_ID\n"
            "CUDA_VISIBLE_DEVICES=1,3\n"
            "SLURMD_NODENAME=n2\nSLURM_CPUS_ON_NODE=6\n"
            "SLURM_GPUS_ON_NODE=2\nSLURM_JOB_GPUS=1,3\n"
            "SLURM_TOPOLOGY_ADDR=spine1.leaf2.n2\n"
            "SLURM_TOPOLOGY_ADDR_PATTERN=switch.switch.node\n");
}

TEST(JobVariables, APartOfAGpuHasItsPercentAndItsShards) {
  LaunchSpec launch = a_launch();
  launch.nodes[0].grant.gpus = {0};
  const auto value = [&](const std::string& name) {
    Variables v;
    set_node(v, launch);
    return v.contains(name) ? v[name] : "(none)";
  };
  EXPECT_EQ(value("CUDA_MPS_ACTIVE_THREAD_PERCENTAGE"), "(none)")
      << "a whole GPU has no percentage";
  launch.nodes[0].grant.gpu_milli = 250;
  EXPECT_EQ(value("CUDA_MPS_ACTIVE_THREAD_PERCENTAGE"), "25");
  launch.nodes[0].grant.gpu_milli = 9;
  EXPECT_EQ(value("CUDA_MPS_ACTIVE_THREAD_PERCENTAGE"), "1") << "at least one percent";
  launch.spec.gres = "fpga:2,shard:3";
  EXPECT_EQ(value("SLURM_SHARDS_ON_NODE"), "3");
  launch.spec.gres = "fpga:2";
  EXPECT_EQ(value("SLURM_SHARDS_ON_NODE"), "(none)");
}

TEST(JobVariables, TheUsersVariablesAreKeptAndThoseOfAnotherJobRemoved) {
  Variables v = users_variables(
      "HOME=/home/ada\0A=b=c\0=x\0nothing\0EMPTY=\0SLURM_JOB_ID=3\0SLURM_CPU_BIND=none\0"
      "SLURM_NTASKS_HET_GROUP_1=2\0MY_HET_GROUP_1=2\0COX_RANK=4\0LAST=1"s);
  EXPECT_EQ(v["A"], "b=c");
  erase_job_variables(v);
  EXPECT_EQ(page(v),
            "A=b=c\nEMPTY=\nHOME=/home/ada\nLAST=1\nMY_HET_GROUP_1=2\nSLURM_CPU_BIND=none\n");
}

}  // namespace cox
