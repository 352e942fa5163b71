#include "worker/stepd/step_environment.h"

#include <gtest/gtest.h>

#include <map>

#include "tests/worker/launches.h"

namespace cox {
namespace {

using Variables = std::map<std::string, std::string>;

Variables environment_of(const StepLaunch& step, std::size_t local, std::string srun = "",
                         const std::vector<GpuDevice>& node_gpus = {}) {
  LaunchSpec job = batch_launch(3);
  job.job_checkpoint_dir = "/checkpoints/17";
  job.resume = ResumeFrom{AttemptNumber(1), 40};
  job.node_gpus = node_gpus;
  job.node_index = 1;
  GoOrder go;
  go.started = wall_from_ms(1'700'000'000'000);
  go.master_port = 20'000;
  Variables variables;
  const StepEnvironment all(job, go, step, srun, "/spool/17.1");
  for (const std::string& entry : all.of_task(local)) {
    const std::size_t equals = entry.find('=');
    variables[entry.substr(0, equals)] = entry.substr(equals + 1);
  }
  return variables;
}

StepLaunch step_on_two_of_three() {
  StepLaunch step;
  step.number = 4;
  step.ranks = {0, 1};
  step.tasks = 3;
  step.nodes = 2;
  step.nodelist = "n[2-3]";
  step.tasks_per_node = "2,1";
  step.cpus = 2;
  return step;
}

TEST(StepEnvironment, HasTheNodesAndTasksOfTheStepBesideThoseOfTheJob) {
  Variables v = environment_of(step_on_two_of_three(), 1);
  EXPECT_EQ(v["SLURM_JOB_NODELIST"] + " " + v["SLURM_JOB_NUM_NODES"], "n[1-3] 3");
  EXPECT_EQ(v["SLURM_STEP_NODELIST"] + " " + v["SLURM_STEP_NUM_NODES"], "n[2-3] 2");
  // The older names have the values of the step, except SLURM_NODELIST, which has the nodes of the
  // job, as in Slurm.
  EXPECT_EQ(v["SLURM_NODELIST"] + " " + v["SLURM_NNODES"], "n[1-3] 2");
  EXPECT_EQ(v["SLURM_TASKS_PER_NODE"] + " " + v["SLURM_STEP_TASKS_PER_NODE"], "2,1 2,1");
  EXPECT_EQ(v["SLURM_NTASKS"] + v["SLURM_NPROCS"] + v["SLURM_STEP_NUM_TASKS"], "333");
  EXPECT_EQ(v["SLURM_PROCID"] + v["SLURM_LOCALID"] + v["SLURM_NODEID"], "110");
  EXPECT_EQ(v["SLURM_STEP_ID"] + v["SLURM_STEPID"] + " " + v["SLURM_GTIDS"], "44 0,1");
}

TEST(StepEnvironment, NamesTheDistributionCyclicIfEachNodeHasOneTask) {
  StepLaunch step = step_on_two_of_three();
  EXPECT_EQ(environment_of(step, 0)["SLURM_DISTRIBUTION"], "block");
  step.tasks = 2;
  EXPECT_EQ(environment_of(step, 0)["SLURM_DISTRIBUTION"], "cyclic");
  step.distribution = Distribution::Plane;
  EXPECT_EQ(environment_of(step, 0)["SLURM_DISTRIBUTION"], "plane");
}

TEST(StepEnvironment, HasAPlaceWhereTheTasksOfTheStepCanMeet) {
  StepLaunch step = step_on_two_of_three();
  Variables v = environment_of(step, 0);
  EXPECT_EQ(v["MASTER_ADDR"] + ":" + v["MASTER_PORT"], "127.0.0.12:20005") << "of its first node";
  EXPECT_EQ(environment_of(step, 1)["MASTER_PORT"], "20005");
  step.number = 5;
  EXPECT_EQ(environment_of(step, 0)["MASTER_PORT"], "20006") << "another step of the same job";
  step.number = 7;
  EXPECT_EQ(environment_of(step, 0)["MASTER_PORT"], "20001");
}

TEST(StepEnvironment, KeepsAMeetingPlaceThatTheScriptHasChosen) {
  const std::string port("MASTER_PORT=29500\0", 18);
  Variables v = environment_of(step_on_two_of_three(), 0, port);
  EXPECT_EQ(v["MASTER_ADDR"] + ":" + v["MASTER_PORT"], "127.0.0.12:29500");
  const std::string address("MASTER_ADDR=10.0.0.1\0", 21);
  v = environment_of(step_on_two_of_three(), 0, address);
  EXPECT_EQ(v["MASTER_ADDR"] + ":" + v["MASTER_PORT"], "10.0.0.1:20005");
}

// srun passes on the environment of the batch script, which keeps the variable.
TEST(StepEnvironment, OnlyAStepThatResumesIsGivenTheCheckpoint) {
  StepLaunch step = step_on_two_of_three();
  const std::string script("COX_RESUME_FROM=/checkpoints/17/attempt-1/step-40\0", 50);
  EXPECT_EQ(environment_of(step, 0, script)["COX_RESUME_FROM"],
            "/checkpoints/17/attempt-1/step-40");
  step.resumes = false;
  const Variables v = environment_of(step, 0, script);
  EXPECT_FALSE(v.contains("COX_RESUME_FROM"));
  EXPECT_EQ(v.at("COX_CHECKPOINT_DIR"), environment_of(step, 0)["COX_CHECKPOINT_DIR"]);
}

TEST(StepEnvironment, ShowsEachTaskItsGpus) {
  StepLaunch step = step_on_two_of_three();
  EXPECT_FALSE(environment_of(step, 0).contains("CUDA_VISIBLE_DEVICES"));
  const std::vector<GpuDevice> nvidia = {{0, "h100", "", 0}, {1, "h100", "", 0}};
  EXPECT_EQ(environment_of(step, 0, "CUDA_VISIBLE_DEVICES=0,1", nvidia)["CUDA_VISIBLE_DEVICES"],
            "");
  step.gpus = {0, 1};
  EXPECT_EQ(environment_of(step, 1, "", nvidia)["CUDA_VISIBLE_DEVICES"], "0,1");
  EXPECT_EQ(environment_of(step, 1, "", nvidia)["SLURM_STEP_GPUS"], "0,1");
  step.gpus_per_task = 1;
  EXPECT_EQ(environment_of(step, 1, "", nvidia)["CUDA_VISIBLE_DEVICES"], "1");
  EXPECT_EQ(environment_of(step, 1, "", nvidia)["SLURM_STEP_GPUS"], "1");
  const std::vector<GpuDevice> amd = {{0, "mi300", "", 0}, {1, "mi300", "", 0}};
  Variables v = environment_of(step, 1, "CUDA_VISIBLE_DEVICES=0", amd);
  EXPECT_EQ(v["ROCR_VISIBLE_DEVICES"], "1");
  EXPECT_FALSE(v.contains("CUDA_VISIBLE_DEVICES"));
}

}  // namespace
}  // namespace cox
