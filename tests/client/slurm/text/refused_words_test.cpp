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

}  // namespace
}  // namespace cox
