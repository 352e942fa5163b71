// Tests `scontrol reconfigure` in the controller: which user may request it, and its effect.
#include <gtest/gtest.h>

#include "tests/controller/bench.h"

namespace cox {
namespace {

class ReconfigureStory : public testing::Test, public Bench {};

TEST_F(ReconfigureStory, TheControllerRestartsIfItsFileIsValid) {
  EXPECT_FALSE(controller->restart_asked());
  const Reply reply = ask(Reconfigure{});
  ASSERT_TRUE(std::holds_alternative<Acted>(reply.body)) << refusal_of(reply);
  EXPECT_FALSE(std::get<Acted>(reply.body).outcomes.at(0).refused);
  EXPECT_TRUE(controller->restart_asked());
}

TEST_F(ReconfigureStory, AReconfigurationWithAMistakeInTheFileIsRefused) {
  wrong_settings = Refusal{"line 3: unknown key \"mian\"", "correct it"};
  EXPECT_EQ(refusal_of(ask(Reconfigure{})), "line 3: unknown key \"mian\"");
  EXPECT_FALSE(controller->restart_asked());
}

TEST_F(ReconfigureStory, OnlyTheClusterOwnerMayReconfigure) {
  EXPECT_EQ(refusal_of(ask_as(2000, Reconfigure{})), "only the cluster's own user may do that");
  EXPECT_FALSE(controller->restart_asked());
}

}  // namespace
}  // namespace cox
