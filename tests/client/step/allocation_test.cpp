// Tests the requests of salloc, and of srun outside an allocation.
#include "client/step/allocation.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace cox {
namespace {

SubmitSurroundings here(std::vector<std::string> environment = {}) {
  return {std::move(environment), "/home/ada", "login", {}};
}

JobSpec asked_by_salloc(const std::vector<std::string>& words,
                        std::vector<std::string> environment = {}) {
  const auto command = parse_allocation(words);
  EXPECT_TRUE(command.ok()) << command.refusal().fact;
  const auto plan = plan_allocation(*command, here(std::move(environment)));
  EXPECT_TRUE(plan.ok()) << plan.refusal().fact;
  return plan->request.spec;
}

JobSpec asked_by_srun(const std::vector<std::string>& words,
                      std::vector<std::string> environment = {}) {
  const auto command = parse_step(words);
  EXPECT_TRUE(command.ok()) << command.refusal().fact;
  const auto plan = plan_allocation(std::vector{*command}, here(std::move(environment)));
  EXPECT_TRUE(plan.ok()) << plan.refusal().fact;
  return plan->request.spec;
}

TEST(Salloc, SeparatesComponentsByColons) {
  const JobSpec spec = asked_by_salloc(
      {"-N2", "-t", "10", ":", "-n4", "--gpus-per-node=1", "-t", "20", "-L", "matlab", "bash"});
  ASSERT_EQ(spec.components.size(), 1u);
  EXPECT_EQ(spec.nodes, 2);
  EXPECT_EQ(spec.components[0].tasks, 4);
  EXPECT_EQ(spec.components[0].gpus_per_node, 1);
  EXPECT_EQ(spec.time_limit_s, 1200) << "the longest limit of the components counts";
  EXPECT_EQ(spec.licences, "matlab");
}

TEST(Salloc, CannotResumeFromATaskOfAnArray) {
  EXPECT_FALSE(plan_allocation(*parse_allocation({"--resume-from=28_1"}), here()).ok());
  EXPECT_EQ(asked_by_salloc({"--resume-from=17"}).resume_from.job, JobId{17});
}

TEST(Srun, StartsAStepForEachProgramAndHetGroup) {
  const auto parts =
      parse_steps({"-n2", "--het-group=0-1", "hostname", ":", "-n1", "--", "sh", "-c", ":"});
  ASSERT_TRUE(parts.ok()) << parts.refusal().fact;
  ASSERT_EQ(parts->size(), 3u);
  using Words = std::vector<std::string>;
  EXPECT_EQ(parts->at(0).words, (Words{"-n2", "--het-group=0-1", "--het-group=0", "hostname"}));
  EXPECT_EQ(parts->at(1).command.options.step.spec.component, 1);
  EXPECT_EQ(parts->at(2).words, (Words{"-n1", "--het-group=1", "--", "sh", "-c", ":"}));
  const auto one = parse_steps({"true"});
  EXPECT_EQ(one->at(0).command.options.step.spec.component, 0);
}

TEST(Srun, StartsNoStepIfOneIsForAMissingComponent) {
  const std::vector<std::string> two = {"SLURM_JOB_ID=7", "SLURM_HET_SIZE=2"};
  EXPECT_FALSE(check_groups(*parse_steps({"a", ":", "b"}), two).has_value());
  EXPECT_FALSE(check_groups(*parse_steps({"--het-group=all", "a"}), two).has_value());
  EXPECT_EQ(check_groups(*parse_steps({"a", ":", "b", ":", "c"}), two)->fact,
            "Invalid het group 2: the job has 2 components, numbered from 0");
  EXPECT_EQ(check_groups(*parse_steps({"a", ":", "b"}), {})->fact,
            "Invalid het group 1: the job has 1 component, numbered from 0");
  EXPECT_FALSE(check_groups(*parse_steps({"--jobid=9", "a", ":", "b"}), {}).has_value());
}

TEST(Salloc, RequestsNodesWithoutAScript) {
  const JobSpec spec =
      asked_by_salloc({"-N2", "-p", "gpu", "--gres=gpu:1", "-t", "5", "make", "-j4"},
                      {"SALLOC_ACCOUNT=physics", "SBATCH_ACCOUNT=chemistry", "SALLOC_PARTITION=x"});
  EXPECT_EQ(spec.form, JobForm::Allocation);
  EXPECT_EQ(spec.nodes, 2);
  EXPECT_EQ(spec.partition, "gpu");
  EXPECT_EQ(spec.account, "physics");
  EXPECT_EQ(spec.time_limit_s, 300);
  EXPECT_EQ(spec.name, "interactive");
  EXPECT_TRUE(spec.command.empty());
  EXPECT_EQ(asked_by_salloc({"-Jbuild", "make"}).name, "build");
}

TEST(Salloc, RefusesOptionsOfScripts) {
  for (const char* word : {"--array=1-3", "--wrap=x", "--parsable"}) {
    const auto command = parse_allocation({word});
    ASSERT_FALSE(command.ok()) << word;
    EXPECT_NE(command.refusal().fact.find("unrecognized option"), std::string::npos);
  }
  EXPECT_EQ(parse_allocation({"-K"})->options.allocation.kill_signal, 15);
  EXPECT_EQ(parse_allocation({"-KUSR1", "-I5"})->options.allocation.immediate_s, 5);
}

TEST(Srun, RequestsAnAllocationForItsStep) {
  const JobSpec spec = asked_by_srun({"-n4", "-c2", "-x", "n9", "--mem=2G", "--comment=hi", "-l",
                                      "--output=x", "/opt/train", "--epochs"},
                                     {"SLURM_PARTITION=gpu", "SLURM_NTASKS=2"});
  EXPECT_EQ(spec.form, JobForm::Allocation);
  EXPECT_EQ(spec.tasks, 4);
  EXPECT_EQ(spec.cpus_per_task, 2);
  EXPECT_EQ(spec.exclude, std::vector<std::string>{"n9"});
  EXPECT_EQ(spec.memory_mb_per_node, 2048);
  EXPECT_EQ(spec.comment, "hi");
  EXPECT_EQ(spec.partition, "gpu");
  EXPECT_EQ(spec.name, "train");
  EXPECT_EQ(spec.output, "") << "streams of a step are not those of the job";
}

TEST(Srun, OvercommitsItsOwnAllocationByOptionOrVariable) {
  const JobSpec on_line = asked_by_srun({"-O", "-n5", "true"});
  EXPECT_EQ(on_line.tasks, 0);
  EXPECT_FALSE(on_line.tasks_asked);
  EXPECT_TRUE(on_line.stored_options.empty());
  const JobSpec by_variable = asked_by_srun({"true"}, {"SLURM_OVERCOMMIT=1", "SLURM_NPROCS=5"});
  EXPECT_EQ(by_variable.tasks, 0);
  EXPECT_FALSE(by_variable.tasks_asked);
  EXPECT_EQ(asked_by_srun({"true"}, {"SLURM_NPROCS=5"}).tasks, 5);
  EXPECT_EQ(asked_by_salloc({"-O", "-n5"}).stored_options,
            std::vector<std::string>{"overcommit=5"});
}

TEST(Srun, FindsAnAllocationByJobIdInTheEnvironmentOrOnTheCommandLine) {
  EXPECT_FALSE(has_allocation(*parse_step({"hostname"}), {"SLURM_JOB_ID=", "HOME=/"}));
  EXPECT_TRUE(has_allocation(*parse_step({"hostname"}), {"SLURM_JOB_ID=7"}));
  EXPECT_TRUE(has_allocation(*parse_step({"--jobid=7", "hostname"}), {}));
}

TEST(Allocation, GivesTheProgramOfSallocTheVariablesOfTheAllocation) {
  JobDetail detail;
  JobSpec spec;
  spec.name = "make";
  spec.tasks = 3;
  spec.tasks_asked = true;
  spec.cpus_per_task = 2;
  spec.memory_mb_per_cpu = 100;
  spec.memory_mb_per_node = 400;
  spec.stored_options = {"distribution=cyclic", "spread-job"};
  detail.view.job.id = JobId{7};
  detail.view.job.spec = spec;
  Attempt attempt;
  attempt.key = {JobId{7}, AttemptNumber{1}};
  for (const auto& [name, ranks] : {std::pair{"n1", 2}, {"n2", 1}}) {
    AttemptNode node;
    node.grant = {name, 0, ranks, ranks * 2, 400, {}, gpu_whole};
    attempt.nodes.push_back(node);
  }
  detail.attempts = {attempt};
  const auto environment = allocation_environment(
      {"HOME=/home/ada", "SLURM_JOB_ID=3", "PWD=/home/ada", "SLURM_RESTART_COUNT=2"}, detail,
      "lab");
  const auto has = [&](const std::string& entry) {
    return std::ranges::find(environment, entry) != environment.end();
  };
  for (const char* entry :
       {"HOME=/home/ada", "SLURM_JOB_ID=7", "SLURM_JOBID=7", "SLURM_JOB_NODELIST=n[1-2]",
        "SLURM_NODELIST=n[1-2]", "SLURM_JOB_NUM_NODES=2", "SLURM_TASKS_PER_NODE=2,1",
        "SLURM_JOB_CPUS_PER_NODE=4,2", "SLURM_NTASKS=3", "SLURM_MEM_PER_CPU=100",
        "SLURM_DISTRIBUTION=cyclic", "SLURM_CLUSTER_NAME=lab", "SLURM_SUBMIT_DIR=/home/ada"})
    EXPECT_TRUE(has(entry)) << entry;
  for (const std::string& entry : environment) {
    EXPECT_FALSE(entry.starts_with("SLURM_RESTART_COUNT")) << "the variable was of another job";
    EXPECT_FALSE(entry.starts_with("SLURM_MEM_PER_NODE")) << "memory was not requested per node";
  }
}

}  // namespace
}  // namespace cox
