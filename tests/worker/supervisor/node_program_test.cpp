// Tests the environment of the node's prolog and epilog, and the reports of their failures.
#include "worker/supervisor/node_program.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "common/base/limits.h"
#include "tests/worker/launches.h"

namespace cox {
namespace {

std::map<std::string, std::string> variables_of(NodeProgram which, const LaunchSpec& launch,
                                                const AttemptStatus& status = {}) {
  GoOrder go;
  go.started = wall_from_ms(1'700'000'000'000);
  std::map<std::string, std::string> variables;
  for (const std::string& one : node_program_environment(which, launch, go, status))
    variables[one.substr(0, one.find('='))] = one.substr(one.find('=') + 1);
  return variables;
}

TEST(NodeProgram, HasSlurmsVariablesOfTheJob) {
  LaunchSpec launch = gang_launch(2, 1);
  launch.node_index = 1;
  launch.spec.uid = 1234;
  launch.spec.gid = 99;
  launch.spec.partition = "main";
  launch.spec.account = "vision";
  launch.spec.comment = "a word";
  launch.spec.constraint = "h100";
  launch.restarts = 2;
  launch.nodes[1].grant.gpus = {2, 3};
  launch.environment = std::string("LD_PRELOAD=/home/ada/evil.so\0", 29);
  auto v = variables_of(NodeProgram::Prolog, launch);
  for (const auto& [name, value] :
       std::map<std::string, std::string>{{"SLURM_JOB_ID", "17"},
                                          {"SLURM_JOBID", "17"},
                                          {"SLURM_JOB_USER", "ada"},
                                          {"SLURM_JOB_UID", "1234"},
                                          {"SLURM_UID", "1234"},
                                          {"SLURM_JOB_GID", "99"},
                                          {"SLURM_JOB_NAME", "train"},
                                          {"SLURM_JOB_PARTITION", "main"},
                                          {"SLURM_JOB_ACCOUNT", "vision"},
                                          {"SLURM_JOB_NODELIST", "n[1-2]"},
                                          {"SLURM_NODELIST", "n[1-2]"},
                                          {"SLURM_JOB_WORK_DIR", "/"},
                                          {"SLURM_CLUSTER_NAME", "test"},
                                          {"SLURMD_NODENAME", "n2"},
                                          {"SLURM_JOB_GPUS", "2,3"},
                                          {"CUDA_VISIBLE_DEVICES", "2,3"},
                                          {"SLURM_JOB_COMMENT", "a word"},
                                          {"SLURM_JOB_CONSTRAINTS", "h100"},
                                          {"SLURM_JOB_RESTART_COUNT", "2"},
                                          {"SLURM_SCRIPT_CONTEXT", "prolog_slurmd"}})
    EXPECT_EQ(v[name], value) << name;
  EXPECT_FALSE(v.contains("LD_PRELOAD")) << "root must not run the user's code";
  EXPECT_FALSE(v.contains("SLURM_JOB_EXIT_CODE"));
  EXPECT_FALSE(v["PATH"].empty());
}

TEST(NodeProgram, TheEpilogHasTheExitCodesOfTheJob) {
  AttemptStatus status;
  for (const auto& [code, signal] : {std::pair{0, 0}, {3, 0}, {2, 0}}) {
    RankStatus rank;
    rank.rank = static_cast<std::int32_t>(status.ranks.size());
    rank.phase = RankPhase::Exited;
    rank.exit_code = code;
    rank.exit_signal = signal;
    status.ranks.push_back(rank);
  }
  status.steps.resize(2);
  status.steps[1].exit_code = 5;
  auto v = variables_of(NodeProgram::Epilog, gang_launch(1, 3), status);
  EXPECT_EQ(v["SLURM_SCRIPT_CONTEXT"], "epilog_slurmd");
  EXPECT_EQ(v["SLURM_JOB_EXIT_CODE2"], "3:0");
  EXPECT_EQ(v["SLURM_JOB_EXIT_CODE"], "768") << "a status like that of wait()";
  EXPECT_EQ(v["SLURM_JOB_DERIVED_EC"], "5");
  status.ranks = {status.ranks[0]};
  status.ranks[0].exit_signal = 9;
  v = variables_of(NodeProgram::Epilog, gang_launch(1, 1), status);
  EXPECT_EQ(v["SLURM_JOB_EXIT_CODE2"], "0:9");
  EXPECT_EQ(v["SLURM_JOB_EXIT_CODE"], "9");
  EXPECT_FALSE(variables_of(NodeProgram::Epilog, gang_launch(1, 1)).contains("SLURM_JOB_EXIT_CODE"))
      << "no rank ran there";
}

TEST(NodeProgram, AFailureIsShownWithTheFirstLineOfItsOutput) {
  EXPECT_EQ(node_program_error(NodeProgram::Prolog, "exit code 3", ""),
            "Prolog error: exit code 3");
  EXPECT_EQ(node_program_error(NodeProgram::Epilog, "exit code 3", "no \x1b mount\nmore\n"),
            "Epilog error: exit code 3: no ? mount");
  EXPECT_LE(node_program_error(NodeProgram::Prolog, "exit code 3", std::string(5'000, 'x')).size(),
            limits::reason_bytes_max);
}

TEST(NodeProgram, HasTheConfiguredPath) {
  SitePrograms site;
  site.prolog = "/p";
  site.epilog = "/e";
  EXPECT_EQ(path_of(NodeProgram::Prolog, site), "/p");
  EXPECT_EQ(path_of(NodeProgram::Epilog, site), "/e");
  EXPECT_EQ(path_of(NodeProgram::None, site), "");
}

}  // namespace
}  // namespace cox
