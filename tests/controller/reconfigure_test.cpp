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

TEST_F(ReconfigureStory, RequestsThatNoTurnHasTakenAreReturnedAtTheEnd) {
  Caller caller;
  caller.uid = config.owner_uid;
  controller->receive({"client", caller, Message{Request{7, Administer{}}}}, now);
  const auto waiting = controller->take_waiting_requests();
  ASSERT_EQ(waiting.size(), 1U);
  EXPECT_EQ(std::get<Request>(waiting[0].message).number, 7);
  settle();
  EXPECT_TRUE(sent.empty()) << "it is not carried out any more";
  EXPECT_TRUE(controller->take_waiting_requests().empty());
}

}  // namespace
}  // namespace cox
