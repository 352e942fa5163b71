// Tests the CPUs and GPUs to which each task of a step is bound. The machine has two sockets of two
// cores with two threads each. CPUs n and n + 4 are the threads of one core, as Linux numbers them.
#include "worker/stepd/step_binding.h"

#include <gtest/gtest.h>

#include <algorithm>

using namespace std::string_literals;

namespace cox {
namespace {

const std::vector<CpuPlace> machine = {{0, 0, 0, 0}, {0, 0, 0, 4}, {0, 0, 1, 1}, {0, 0, 1, 5},
                                       {1, 1, 0, 2}, {1, 1, 0, 6}, {1, 1, 1, 3}, {1, 1, 1, 7}};

std::string masks(const char* bind, std::size_t tasks, std::int64_t cpus_per_task,
                  const std::vector<CpuPlace>& cpus = machine) {
  const auto all = cpus_of_tasks(*parse_cpu_bind(bind), cpus, tasks, cpus_per_task);
  if (!all) return all.refusal().fact;
  std::string text;
  for (const IdSet& one : *all) text += (text.empty() ? "" : " ") + mask_text(one);
  return text;
}

TEST(StepBinding, GivesEachTaskTheCpuMaskOfTheRequestedBinding) {
  const struct {
    const char* bind;
    std::size_t tasks;
    std::int64_t cpus_per_task;
    const char* masks;
  } rows[] = {
      {"none", 2, 1, "0x0 0x0"},
      {"q", 2, 1, "0x0 0x0"},
      {"threads", 3, 1, "0x1 0x10 0x2"},
      {"threads", 2, 3, "0x13 0x64"},
      {"threads", 9, 1, "0x1 0x10 0x2 0x20 0x4 0x40 0x8 0x80 0x1"},  // nine tasks on eight CPUs
      {"threads", 1, 99, "0xff"},
      {"cores", 4, 1, "0x11 0x22 0x44 0x88"},
      {"cores", 2, 3, "0x33 0xcc"},
      {"cores", 5, 2, "0x11 0x22 0x44 0x88 0x11"},
      {"sockets", 3, 1, "0x33 0xcc 0x33"},
      {"sockets", 1, 5, "0xff"},
      {"ldoms", 2, 1, "0x33 0xcc"},
      {"rank", 3, 2, "0x1 0x10 0x2"},
      {"rank_ldom", 3, 2, "0x33 0xcc 0x33"},
      {"map_cpu:7,0", 3, 1, "0x80 0x1 0x80"},
      {"mask_cpu:0x3,0xf0", 2, 1, "0x3 0xf0"},
      {"map_ldom:1", 2, 1, "0xcc 0xcc"},
      {"mask_ldom:0x1,0x3", 2, 1, "0x33 0xff"},
  };
  for (const auto& row : rows)
    EXPECT_EQ(masks(row.bind, row.tasks, row.cpus_per_task), row.masks) << row.bind;
}

TEST(StepBinding, StaysWithinTheCpusOfTheStep) {
  // The step has CPUs 4, 1 and 5.
  const std::vector<CpuPlace> some(machine.begin() + 1, machine.begin() + 4);
  EXPECT_EQ(masks("cores", 3, 1, some), "0x10 0x22 0x10");
  EXPECT_EQ(masks("sockets", 2, 1, some), "0x32 0x32");
  EXPECT_EQ(masks("map_cpu:0", 1, 1, some),
            "--cpu-bind names CPU 0, but on this node the step has only CPUs 1,4-5");
  EXPECT_EQ(masks("map_cpu:0", 1, 1, {some.front()}),
            "--cpu-bind names CPU 0, but on this node the step has only CPU 4");
  EXPECT_EQ(masks("mask_cpu:0x22", 1, 1, some), "0x22");
  EXPECT_EQ(masks("map_ldom:1", 1, 1, some),
            "the step has no CPU of this node in the NUMA domain that --cpu-bind names");
}

TEST(StepBinding, ConcurrentStepsGetTheirOwnCpusWhileSomeAreFree) {
  const auto first = cpus_of_step(machine, 3, {});
  EXPECT_EQ(first, std::vector<CpuPlace>(machine.begin(), machine.begin() + 3));
  const auto second = cpus_of_step(machine, 4, {{0, 4, 1}});
  EXPECT_EQ(second, std::vector<CpuPlace>(machine.begin() + 3, machine.begin() + 7));
  // Two CPUs are requested, and one is free.
  const auto third = cpus_of_step(machine, 2, {{0, 4, 1}, {5, 2, 6, 3}});
  EXPECT_EQ(third, (std::vector<CpuPlace>{machine[0], machine[7]}));
}

// The environment of a task and the lines about its binding that --cpu-bind=verbose prints.
struct Seen {
  std::vector<std::string> environment;
  StepBinding::BindingMessage binding_message;
  std::string refused;
  bool has(const std::string& entry) const {
    return std::ranges::find(environment, entry) != environment.end();
  }
};

Seen seen(const std::string& variables, std::size_t local, bool has_cpus = true,
          const char* gpu_type = "h100") {
  StepLaunch launch;
  launch.ranks = {6, 7};
  launch.gpus = {1, 3};
  StepBinding::Place place{"n1", has_cpus ? machine : std::vector<CpuPlace>{}, "too few", true};
  for (std::int32_t i = 0; i < 4; ++i) place.gpus.push_back({i, gpu_type, "", 0});
  const auto made = StepBinding::of(variables, launch, place);
  if (!made) return {{}, {}, made.refusal().fact};
  Seen seen{
      {"SLURM_CPU_BIND=old", "CUDA_VISIBLE_DEVICES=1,3"}, made->binding_message(local, {0, 1}), ""};
  made->put_into(seen.environment, local);
  return seen;
}

TEST(StepBinding, IsShownInTheVariablesOfTheTask) {
  const Seen task = seen("SLURM_CPU_BIND=verbose,cores\0SLURM_GPU_BIND=map_gpu:1\0"s, 1);
  EXPECT_EQ(task.refused, "");
  EXPECT_TRUE(task.has("SLURM_CPU_BIND=verbose,cores,mask_cpu:0x11,0x22"));
  EXPECT_FALSE(task.has("SLURM_CPU_BIND=old"));
  EXPECT_TRUE(task.has("SLURM_CPU_BIND_VERBOSE=verbose"));
  EXPECT_TRUE(task.has("SLURM_CPU_BIND_TYPE=cores,mask_cpu:"));
  EXPECT_TRUE(task.has("SLURM_CPU_BIND_LIST=0x11,0x22"));
  EXPECT_TRUE(task.has("CUDA_VISIBLE_DEVICES=3"));
  EXPECT_EQ(task.binding_message.before + "99" + task.binding_message.behind,
            "cpu-bind-cores=MASK - n1, task  7  1 [99]: mask 0x22 set\n");
}

TEST(StepBinding, ChangesNothingIfItWasNotRequested) {
  const Seen task = seen("HOME=/root", 0, false);
  EXPECT_EQ(task.environment.size(), 2U);
  EXPECT_EQ(task.binding_message.before, "");
  const Seen none = seen("SLURM_CPU_BIND=verbose,none", 0, false);
  EXPECT_EQ(none.binding_message.before + "9" + none.binding_message.behind,
            "cpu-bind=NONE - n1, task  6  0 [9]: mask 0x3\n");
}

TEST(StepBinding, WithTasksPerGpuEachTaskSeesItsOwnGpu) {
  const std::string one = "SLURM_NTASKS_PER_GPU=1\0"s;
  EXPECT_TRUE(seen(one, 0).has("CUDA_VISIBLE_DEVICES=1"));
  EXPECT_TRUE(seen(one, 1).has("CUDA_VISIBLE_DEVICES=3"));
  EXPECT_TRUE(seen("SLURM_NTASKS_PER_GPU=2\0"s, 1).has("CUDA_VISIBLE_DEVICES=1"));
  EXPECT_TRUE(seen(one + "SLURM_GPU_BIND=none\0"s, 1).has("CUDA_VISIBLE_DEVICES=1,3"));
  EXPECT_TRUE(seen(one, 1, true, "mi300").has("ROCR_VISIBLE_DEVICES=3"));
}

// The job has GPUs 1 and 3 of the node, and its second task has GPU 3.
TEST(StepBinding, ShowsTheGpusIfVerboseIsRequested) {
  const std::string asked = "SLURM_GPU_BIND=verbose,map_gpu:0,1\0"s;
  EXPECT_EQ(seen(asked, 1).binding_message.before,
            "gpu-bind: usable_gres=0x2; bit_alloc=0x3; local_inx=1; global_list=3; local_list=1\n");
  EXPECT_EQ(seen("SLURM_GPU_BIND=map_gpu:0,1\0"s, 1).binding_message.before, "");
}

TEST(StepBinding, IsRefusedIfTheNodeHasTooFewCpus) {
  EXPECT_EQ(seen("SLURM_CPU_BIND=cores", 0, false).refused,
            "--cpu-bind is not possible on this node: too few");
}

}  // namespace
}  // namespace cox
