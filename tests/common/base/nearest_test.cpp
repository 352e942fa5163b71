#include "common/base/nearest.h"

#include <gtest/gtest.h>

namespace cox {
namespace {

TEST(Nearest, CountsChangedLetters) {
  EXPECT_EQ(edit_distance("", ""), 0u);
  EXPECT_EQ(edit_distance("queue", "queue"), 0u);
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(edit_distance("abc", ""), 3u);
  EXPECT_EQ(edit_distance("queue", "queu"), 1u);
  EXPECT_EQ(edit_distance("queue", "quexe"), 1u);
  EXPECT_EQ(edit_distance("queue", "qeueu"), 2u);
  EXPECT_EQ(edit_distance("nodes", "ndoes"), 1u);  // two swapped neighbours count as one change
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
}

TEST(Nearest, FindsTheWordThatWasMeant) {
  const std::vector<std::string_view> options = {"nodes", "nodelist", "ntasks", "time", "mem"};
  EXPECT_EQ(nearest("ndoes", options), "nodes");
  EXPECT_EQ(nearest("node", options), "nodes");
  EXPECT_EQ(nearest("nodelst", options), "nodelist");
  EXPECT_EQ(nearest("tiem", options), "time");
  EXPECT_EQ(did_you_mean("ntask", options), "did you mean ntasks?");
}

TEST(Nearest, IsEmptyIfNoWordIsNear) {
  const std::vector<std::string_view> options = {"nodes", "time", "-x"};
  EXPECT_EQ(nearest("exclusive", options), "");
  EXPECT_EQ(nearest("", options), "");
  EXPECT_EQ(nearest("q", options), "");  // any letter is one change away from "q"
  EXPECT_EQ(nearest(std::string(100'000, 'n'), options), "");
  EXPECT_EQ(did_you_mean("exclusive", options), "");
  EXPECT_EQ(did_you_mean("nodes", {}), "");
  EXPECT_EQ(nearest("n9", {"n1", "n2", "n10"}), "") << "a name with another number is no near name";
  EXPECT_EQ(nearest("h10", {"h200", "h100"}), "h100");
  EXPECT_EQ(nearest("node-7", {"nod-7", "node-8"}), "nod-7");
}

}  // namespace
}  // namespace cox
