// What people and tools are told in Slurm's words, and what the programs end with.
#include "client/slurm/refused_words.h"

#include <gtest/gtest.h>

namespace cox {
namespace {

TEST(RefusedWords, EndWithTheCodeThatSlurmsProgramsHave) {
  for (const auto& [fact, code] : {std::pair{"Invalid --time specification: soon", 255},
                                   {"unrecognized option '--nosuch'", 255},
                                   {"Invalid numeric value \"0\" for --ntasks", 1},
                                   {"Invalid job array specification: 0-9:0", 1},
                                   {"Unable to open file job.sh: No such file", 1}})
    EXPECT_EQ(slurm_exit_code({fact, ""}), code) << fact;
}

}  // namespace
}  // namespace cox
