// Tests Slurm's wording of refusals, and the exit codes of its programs.
#include "client/slurm/text/refused_words.h"

#include <gtest/gtest.h>

#include "client/text/screen.h"
#include "common/base/text.h"

namespace cox {
namespace {

TEST(RefusedWords, HaveTheExitCodesOfSlurmsPrograms) {
  for (const auto& [fact, code] : {std::pair{"Invalid --time specification: soon", 255},
                                   {"unrecognized option '--nosuch'", 255},
                                   {"Invalid numeric value \"0\" for --ntasks", 1},
                                   {"Invalid job array specification: 0-9:0", 1},
                                   {"More processors requested than permitted: \"1m\" is more", 1},
                                   {"Unable to open file job.sh: No such file", 1}})
    EXPECT_EQ(slurm_exit_code({fact, ""}), code) << fact;
}

TEST(RefusedWords, ErrorTextIsNotFoundInsideAQuotedFileName) {
  const Refusal why{"cannot read \"my specification --array.sh\": Permission denied", ""};
  EXPECT_EQ(slurm_exit_code(why), exit_refused);
  EXPECT_EQ(slurm_words(why), why.fact);
  EXPECT_EQ(slurm_exit_code({"cannot read " + quoted(std::string("a\" specification.sh")), ""}),
            exit_refused);
}

TEST(RefusedWords, NameSlurmsCommandsInHints) {
  const auto hint = [](const std::string& more) {
    return refused_job("sbatch", {"no such thing", more}).hint;
  };
  EXPECT_EQ(hint("see `cox nodes` and `cox show licenses` for what there is"),
            "see `sinfo` and `scontrol show licenses` for what there is");
  EXPECT_EQ(hint("see `cox queue`; for ended jobs `cox history 17_4`"),
            "see `squeue`; for ended jobs `sacct -j 17_4`");
  EXPECT_EQ(hint("use `cox requeue` or `cox cancel`"), "use `scontrol requeue` or `scancel`");
  EXPECT_EQ(hint("`cox why 17` tells more"), "`cox why 17` tells more");
  EXPECT_EQ(refused_job("sbatch", {"there is no QOS \"x\"", "`cox show qos` lists them"}).hint,
            "there is no QOS \"x\"; `sacctmgr show qos` lists them");
}

constexpr const char* policy =
    "Job violates accounting/QOS policy (job submit limit, user's size and/or time limits)";

// What Slurm 22.05 printed for these limits, first its reason code and then the text.
TEST(RefusedWords, OfALimitOfQosOrAccountAreThePolicyAndTheReasonCode) {
  const std::pair<std::string, std::string> seen[] = {
      {"QOS gold has MaxSubmitJobsPerUser=0, so no job may be submitted",
       "QOSMaxSubmitJobPerUserLimit"},
      {"job 3 of 3: QOS gold has GrpSubmitJobs=4, and there are 2 jobs that wait or run",
       "QOSGrpSubmitJobsLimit"},
      {"user ada in account physics has MaxSubmitJobs=3, and ada has 3 jobs that wait or run",
       "AssocMaxSubmitJobLimit"},
      {"account physics has GrpSubmitJobs=1, and there is 1 job", "AssocGrpSubmitJobsLimit"},
      {"QOS gold has MaxTRESPerJob=cpu=2, and the job asks for 4", "QOSMaxCpuPerJobLimit"},
      {"QOS gold has MaxTRESPerJob=mem=2M, and the job asks for 4M", "QOSMaxMemoryPerJob"},
      {"QOS gold has MaxTRESPerJob=node=1, and the job asks for 2", "QOSMaxNodePerJobLimit"},
      {"QOS gold has MaxTRESPerJob=gres/gpu:h100=1, and the job asks for 2", "QOSMaxGRESPerJob"},
      {"QOS gold has MaxTRESPerJob=license/a=1, and the job asks for 2", "QOSMaxLicensePerJob"},
      {"partition gpu: QOS gold has MaxTRESPerUser=cpu=2, and the job asks for 4",
       "QOSMaxCpuPerUserLimit"},
      {"QOS gold has GrpTRES=cpu=2, and the job asks for 4", "QOSGrpCpuLimit"},
      {"QOS gold has MinTRESPerJob=cpu=20, and the job asks for 4", "QOSMinCpuNotSatisfied"},
      {"QOS gold has GrpTRESMins=cpu=2, and the job needs a time limit for it",
       "QOSGrpCPUMinutesLimit"},
      {"QOS gold has GrpWall=00:02:00, and the job asks for 01:00:00", "QOSGrpWallLimit"},
      {"QOS gold has MaxWall=00:02:00, and the job asks for 01:00:00",
       "QOSMaxWallDurationPerJobLimit"},
      {"account QOS has MaxWall=00:02:00, and the job asks for 01:00:00",
       "AssocMaxWallDurationPerJobLimit"},
      {"account physics has MaxTRES=cpu=2, and the job asks for 4", "AssocMaxCpuPerJobLimit"},
      {"account physics has GrpTRES=cpu=6@nights, and the job asks for 7", "AssocGrpCpuLimit"},
      {"account physics has MaxTRESMins=cpu=2, and the job asks for 4",
       "AssocMaxCpuMinutesPerJobLimit"},
      {"account physics has GrpTRESMins=cpu=2, and the job asks for 4", "AssocGrpCPUMinutesLimit"},
      {"account physics has GrpWall=00:02:00, and the job asks for 01:00:00", "AssocGrpWallLimit"},
  };
  for (const auto& [fact, code] : seen) {
    const Refusal why{fact, "ask for less"};
    EXPECT_EQ(slurm_prelude(why), code) << fact;
    EXPECT_EQ(slurm_words(why), policy) << fact;
    EXPECT_EQ(refused_job("failed", why).hint, fact + "; ask for less");
  }
}

TEST(RefusedWords, OfAQuotaAndOfKeptRoomAreThePolicyAlone) {
  for (const std::string fact :
       {"account physics deserves cpu=4, and jobs of QOS gold cannot be preempted, so they may use "
        "no more; the job asks for 8",
        "this cluster can never run it in QOS silver: it has cpu=8, of which 4 are reserved for "
        "QOS "
        "gold, and the job asks for 6"}) {
    EXPECT_EQ(slurm_words({fact, ""}), policy);
    EXPECT_EQ(slurm_prelude({fact, ""}), "");
  }
  const Refusal other{"node \" has MaxWall=1\" has no room", ""};
  EXPECT_EQ(slurm_words(other), other.fact) << "a user's text is no limit";
}

TEST(RefusedWords, OfALimitOfAPartitionAreSlurms) {
  const auto words = [](const std::string& fact) { return slurm_words({fact, ""}); };
  EXPECT_EQ(words("--time asks for 01:00:00; partition p allows at most 00:05:00 (time_limit_max)"),
            "Requested time limit is invalid (missing or exceeds some limit)");
  EXPECT_EQ(words("the job asks for 2 nodes; partition p allows at most 1 (max_nodes)"),
            "Node count specification invalid");
  EXPECT_EQ(words("the job asks for 1 node; partition p wants at least 2 (min_nodes)"),
            "Node count specification invalid");
  EXPECT_EQ(words("--mem asks for 9 MB; partition p allows 5 on a node (max_memory_mb_per_node)"),
            "Memory required by task is not available");
}

}  // namespace
}  // namespace cox
