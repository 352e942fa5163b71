#include "common/job/given_variables.h"

#include <gtest/gtest.h>

namespace cox {
namespace {

TEST(GivenVariables, AreDroppedByWhatTheProcessStartsUnlessTheUserHasChangedThem) {
  const Variables before = {{"PATH", "/bin"}, {"OMP_NUM_THREADS", "1"}};
  Variables v = before;
  v["RANK"] = "0";
  v["WORLD_SIZE"] = "2";
  v["MASTER_ADDR"] = "10.0.0.1";
  v["SLURM_PROCID"] = "0";
  v["PWD"] = "/work";
  note_given(v, before);
  EXPECT_TRUE(v.contains("COX_GIVEN_VARIABLES"));
  v["WORLD_SIZE"] = "8";  // the user's program
  v.erase("MASTER_ADDR");
  v["MINE"] = "x";
  drop_given(v);
  EXPECT_EQ(v, (Variables{{"PATH", "/bin"},
                          {"OMP_NUM_THREADS", "1"},
                          {"WORLD_SIZE", "8"},
                          {"SLURM_PROCID", "0"},
                          {"PWD", "/work"},
                          {"MINE", "x"}}));
}

TEST(GivenVariables, WithTheSameValueAsBeforeAreTheUsers) {
  const Variables before = {{"RANK", "0"}};
  Variables v = before;
  note_given(v, before);
  EXPECT_EQ(v, before);
}

TEST(GivenVariables, OfEntriesCountTheLastOfAName) {
  std::vector<std::string> entries = {"A=1", "PMI_FD=3", "PMI_FD=5"};
  note_given(entries, std::string("A=1\0PMI_FD=3\0", 13));
  ASSERT_EQ(entries.size(), 3u);
  EXPECT_EQ(entries[2], "PMI_FD=5");
  Variables v = {{"COX_GIVEN_VARIABLES", entries[1].substr(entries[1].find('=') + 1)},
                 {"PMI_FD", "5"}};
  drop_given(v);
  EXPECT_TRUE(v.empty());
}

TEST(GivenVariables, ADamagedRecordDropsNothing) {
  for (const char* record : {"", "RANK", "RANK:", ":", ",,RANK:0,"}) {
    Variables v = {{"RANK", "0"}, {"COX_GIVEN_VARIABLES", record}};
    drop_given(v);
    EXPECT_EQ(v, (Variables{{"RANK", "0"}})) << record;
  }
}

}  // namespace
}  // namespace cox
