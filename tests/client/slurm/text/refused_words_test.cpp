// What people and tools are told in Slurm's words, and what the programs end with.
#include "client/slurm/text/refused_words.h"

#include <gtest/gtest.h>

#include "client/text/screen.h"
#include "common/base/text.h"

namespace cox {
namespace {

TEST(RefusedWords, EndWithTheCodeThatSlurmsProgramsHave) {
  for (const auto& [fact, code] : {std::pair{"Invalid --time specification: soon", 255},
                                   {"unrecognized option '--nosuch'", 255},
                                   {"Invalid numeric value \"0\" for --ntasks", 1},
                                   {"Invalid job array specification: 0-9:0", 1},
                                   {"More processors requested than permitted: \"1m\" is more", 1},
                                   {"Unable to open file job.sh: No such file", 1}})
    EXPECT_EQ(slurm_exit_code({fact, ""}), code) << fact;
}

TEST(RefusedWords, AreNotWhatPeopleCallTheirFiles) {
  const Refusal why{"cannot read \"my specification --array.sh\": Permission denied", ""};
  EXPECT_EQ(slurm_exit_code(why), exit_refused);
  EXPECT_EQ(slurm_words(why), why.fact);
  EXPECT_EQ(slurm_exit_code({"cannot read " + quoted(std::string("a\" specification.sh")), ""}),
            exit_refused);
}

TEST(RefusedWords, NameTheCommandsThatTheUserHas) {
  const auto hint = [](const std::string& more) {
    return refused_job("sbatch", {"no such thing", more}).hint;
  };
  EXPECT_EQ(hint("see `cox nodes` and `cox show licenses` for what there is"),
            "see `sinfo` and `scontrol show licenses` for what there is");
  EXPECT_EQ(hint("see `cox queue`; `cox history 17_4` knows ended ones"),
            "see `squeue`; `sacct -j 17_4` knows ended ones");
  EXPECT_EQ(hint("use `cox requeue` or `cox cancel`"), "use `scontrol requeue` or `scancel`");
  EXPECT_EQ(hint("`cox why 17` tells more"), "`cox why 17` tells more");
  EXPECT_EQ(refused_job("sbatch", {"there is no QOS \"x\"", "`cox show qos` lists them"}).hint,
            "there is no QOS \"x\"; `sacctmgr show qos` lists them");
}

}  // namespace
}  // namespace cox
