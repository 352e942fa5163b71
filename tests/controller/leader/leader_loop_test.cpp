// Tests the leadership of one controller: each test feeds LeaderLoop events and checks the actions
// that it requests.
#include "controller/leader/leader_loop.h"

#include <gtest/gtest.h>

#include <array>

namespace cox {
namespace {

struct ActionText {
  std::string operator()(const LeaderLoop::AskLease&) const { return "ask"; }
  std::string operator()(const LeaderLoop::OpenStore&) const { return "open"; }
  std::string operator()(const LeaderLoop::CloseStore&) const { return "close"; }
  std::string operator()(const LeaderLoop::CheckDatabase&) const { return "check"; }
  std::string operator()(const LeaderLoop::Start&) const { return "start"; }
  std::string operator()(const LeaderLoop::Stop& stop) const {
    return stop.in_order ? "stop in order" : "stop";
  }
  std::string operator()(const LeaderLoop::RefuseAll& refuse) const {
    return "refuse[" + refuse.leader + "|" + refuse.hindrance + "]";
  }
  std::string operator()(const LeaderLoop::Resign&) const { return "resign"; }
  std::string operator()(const LeaderLoop::Exit& exit) const {
    return exit.failed ? "exit failed" : exit.restarts ? "exit to restart" : "exit";
  }
  std::string operator()(const LeaderLoop::Log& line) const {
    constexpr std::array levels{"info ", "warning ", "error "};
    return levels.at(static_cast<std::size_t>(line.level)) + line.text;
  }
};

class LeaderLoopTest : public ::testing::Test {
 protected:
  using State = LeaderLoop::State;

  static constexpr Milliseconds second{1'000};
  const Boot start = boot_from_ms(100'000);

  static LeaderLoop::LeaseAnswer leads(const std::string& since) {
    return {true, true, since, "ctl1", "", "", {}};
  }

  static LeaderLoop::LeaseAnswer another_leads(const std::string& since) {
    return {false, true, since, "ctl2", "", "", {}};
  }

  static LeaderLoop::StoreRefused refused() { return {{"no room", "make some"}}; }

  // Returns the actions that LeaderLoop requests after this event, as one text.
  std::string on(const LeaderLoop::Event& event) { return on(event, start); }

  std::string on(const LeaderLoop::Event& event, Boot now) {
    std::string text;
    for (const auto& action : loop.on(event, now)) {
      text += (text.empty() ? "" : ", ") + std::visit(ActionText{}, action);
      if (const auto* open = std::get_if<LeaderLoop::OpenStore>(&action)) opened_with = open->known;
    }
    return text;
  }

  void begin_to_lead(const std::string& since) {
    EXPECT_EQ(on(leads(since)), "open");
    EXPECT_EQ(on(LeaderLoop::StoreOpened{}), "ask");
    EXPECT_EQ(on(leads(since)), "start");
  }

  // The controller gets the lease, but the store refuses to open. Returns the actions a second
  // later, once it is known whether the database is away.
  std::string one_refusal(bool is_away) {
    EXPECT_EQ(on(leads("noon")), "open");
    EXPECT_EQ(on(refused()), "");
    EXPECT_EQ(on(leads("noon"), start + second), "ask, check");
    return on(LeaderLoop::DatabaseChecked{is_away}, start + second);
  }

  LeaderLoop loop{{Term{}, TurnNumber{}, JobId{500}, Wall{}, false, {}}};
  LastKnownState opened_with;
};

TEST_F(LeaderLoopTest, AStandbyTakesOverWhenItGetsTheLease) {
  EXPECT_EQ(on(LeaderLoop::LeaseAnswer{}), "") << "it may lead in a moment";
  EXPECT_EQ(on(another_leads("one")), "info standing by leader=\"ctl2\", refuse[ctl2|]");
  EXPECT_EQ(on(another_leads("one")), "refuse[ctl2|]") << "the log has it already";
  EXPECT_EQ(on(leads("noon")), "open");
  EXPECT_EQ(loop.state(), State::Opening);
  EXPECT_EQ(opened_with.next_job, JobId{500});
  EXPECT_EQ(on(leads("noon")), "") << "it opens already";
  EXPECT_EQ(on(LeaderLoop::StoreOpened{}), "ask") << "opening may have taken longer than the lease";
  EXPECT_EQ(on(LeaderLoop::LeaseAnswer{}), "");
  EXPECT_EQ(on(leads("noon")), "start");
  EXPECT_EQ(loop.state(), State::Leading);
  EXPECT_EQ(loop.since(), "noon");
  EXPECT_EQ(on(LeaderLoop::ControllerStatus{false}), "");
  EXPECT_EQ(on(leads("noon")), "");
}

TEST_F(LeaderLoopTest, AStandbyLogsWhyItCannotLead) {
  LeaderLoop::LeaseAnswer newer = another_leads("one");
  newer.hindrance = "too old";
  EXPECT_EQ(on(newer),
            "warning standing by leader=\"ctl2\" cannot_lead=\"too old\", refuse[ctl2|too old]");
  LeaderLoop::LeaseAnswer away{};
  away.trouble = "no route";
  EXPECT_EQ(on(away), "info cannot ask who leads message=\"no route\"");
  EXPECT_EQ(on(away), "");
}

TEST_F(LeaderLoopTest, AControllerTriesAgainWhenTheStoreIsRefused) {
  EXPECT_EQ(loop.wake_at(), std::nullopt);
  EXPECT_EQ(on(leads("noon")), "open");
  EXPECT_EQ(on(refused()), "");
  EXPECT_EQ(loop.state(), State::Refused);
  EXPECT_EQ(loop.wake_at(), start + second);
  EXPECT_EQ(on(leads("noon"), start + Milliseconds{999}), "refuse[|it cannot lead yet: no room]");
  EXPECT_EQ(on(leads("noon"), start + second), "ask, check");
  EXPECT_EQ(on(LeaderLoop::DatabaseChecked{false}), "warning cannot lead yet message=\"no room\"");
  EXPECT_EQ(loop.state(), State::StandingBy);
  begin_to_lead("noon");
}

TEST_F(LeaderLoopTest, AControllerEndsWhenAReachableDatabaseRefusesThreeTimes) {
  const std::string again = "warning cannot lead yet message=\"no room\"";
  const std::string last = "error no room; make some, resign, exit failed";
  EXPECT_EQ(one_refusal(false), again);
  EXPECT_EQ(one_refusal(false), again);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(one_refusal(true), again) << "it is away: it may come back";
  EXPECT_EQ(one_refusal(false), last);
  EXPECT_EQ(loop.state(), State::Ended);
  EXPECT_EQ(on(leads("noon")), "");
}

TEST_F(LeaderLoopTest, OnlyRefusalsOfTheStoreInARowAreCounted) {
  one_refusal(false);
  one_refusal(false);
  begin_to_lead("noon");
  EXPECT_EQ(on(another_leads("one")), "stop");
  on(LeaderLoop::ControllerStopped{false, false, {}});
  one_refusal(false);
  one_refusal(false);
  EXPECT_EQ(loop.state(), State::StandingBy);
}

TEST_F(LeaderLoopTest, AControllerDoesNotLeadIfAnotherLedWhileItOpened) {
  EXPECT_EQ(on(leads("noon")), "open");
  EXPECT_EQ(on(LeaderLoop::StoreOpened{}), "ask");
  EXPECT_EQ(on(another_leads("one")), "info standing by leader=\"ctl2\", refuse[ctl2|]");
  EXPECT_EQ(loop.state(), State::Confirming) << "the store stays open";
  EXPECT_EQ(on(leads("two")), "ask, close");
  EXPECT_EQ(loop.state(), State::StandingBy);
  begin_to_lead("two");
}

TEST_F(LeaderLoopTest, ALeaderStopsWhenItLosesTheLease) {
  begin_to_lead("noon");
  EXPECT_EQ(on(another_leads("one")), "stop");
  EXPECT_EQ(on(LeaderLoop::ControllerStopped{false, false, {}}),
            "warning another controller leads, ask");
  EXPECT_EQ(loop.state(), State::StandingBy);
  begin_to_lead("two");
  EXPECT_EQ(on(leads("three")), "stop") << "another leadership, though it is its own";
}

TEST_F(LeaderLoopTest, ALeaderEndsWhenItIsSupersededWithinItsOwnLeadership) {
  begin_to_lead("noon");
  EXPECT_EQ(on(LeaderLoop::ControllerStatus{true}), "stop");
  on(LeaderLoop::ControllerStopped{true, false, {}});
  EXPECT_EQ(on(leads("noon")),
            "error superseded by a controller with the same name, or by an older database; "
            "it ends, exit failed");
  EXPECT_EQ(loop.state(), State::Ended);
}

TEST_F(LeaderLoopTest, AControllerLeadsAgainAfterAnotherLeadershipSupersededIt) {
  begin_to_lead("noon");
  on(LeaderLoop::ControllerStatus{true});
  on(LeaderLoop::ControllerStopped{true, false, {}});
  begin_to_lead("two");
}

TEST_F(LeaderLoopTest, AControllerLeadsAgainOnADatabaseThatWentBackInTime) {
  begin_to_lead("noon");
  EXPECT_EQ(on(LeaderLoop::ControllerStatus{true}), "stop");
  EXPECT_EQ(on(LeaderLoop::ControllerStopped{true, true, {}}),
            "warning the database may have lost committed turns, ask");
  begin_to_lead("noon");
}

TEST_F(LeaderLoopTest, WhatAControllerKnowsPassesFromOneLeadershipToTheNext) {
  begin_to_lead("noon");
  on(another_leads("one"));
  on(LeaderLoop::ControllerStopped{
      false, false, {Term{3}, TurnNumber{40}, JobId{600}, Wall{}, true, {JobId{7}}}});
  LeaderLoop::LeaseAnswer later = leads("two");
  later.known = {Term{3}, TurnNumber{41}, JobId{610}, Wall{}, false, {}};
  EXPECT_EQ(on(later), "open");
  EXPECT_EQ(opened_with.term, Term{3});
  EXPECT_EQ(opened_with.turn, TurnNumber{40}) << "nobody knows more of a term than its leader";
  EXPECT_EQ(opened_with.jobs, std::vector{JobId{7}});
  EXPECT_EQ(opened_with.next_job, JobId{610});
}

// ---- asked to end ------------------------------------------------------------------------------

TEST_F(LeaderLoopTest, AStandbyEndsWhenAsked) {
  EXPECT_EQ(on(LeaderLoop::EndRequested{}), "resign, info asked to end, exit");
  EXPECT_EQ(on(LeaderLoop::EndRequested{}), "") << "once is enough";
  EXPECT_EQ(on(leads("noon")), "");
}

TEST_F(LeaderLoopTest, AControllerEndsWhenAskedWhileItOpensTheStore) {
  on(leads("noon"));
  EXPECT_EQ(on(LeaderLoop::EndRequested{}), "resign, info asked to end, exit");
  EXPECT_EQ(on(LeaderLoop::StoreOpened{}), "close");
}

TEST_F(LeaderLoopTest, AControllerEndsWhenAskedAfterTheStoreWasRefused) {
  on(leads("noon"));
  on(refused());
  EXPECT_EQ(on(LeaderLoop::EndRequested{}),
            "ask, warning cannot lead yet message=\"no room\", resign, info asked to end, exit");
}

TEST_F(LeaderLoopTest, AControllerEndsWhenAskedBeforeItsLeaseIsConfirmed) {
  on(leads("noon"));
  on(LeaderLoop::StoreOpened{});
  EXPECT_EQ(on(LeaderLoop::EndRequested{}), "close, resign, info asked to end, exit");
}

TEST_F(LeaderLoopTest, ALeaderEndsInOrderWhenAsked) {
  begin_to_lead("noon");
  EXPECT_EQ(on(LeaderLoop::EndRequested{}), "stop in order");
  EXPECT_EQ(on(LeaderLoop::ControllerStopped{false, false, {}}), "resign, info asked to end, exit");
  EXPECT_EQ(loop.state(), State::Ended);
}

TEST_F(LeaderLoopTest, ALeaderEndsInOrderToRestart) {
  begin_to_lead("noon");
  EXPECT_EQ(on(LeaderLoop::EndRequested{true}), "stop in order");
  EXPECT_EQ(on(LeaderLoop::ControllerStopped{false, false, {}}),
            "resign, info restarts with the settings of its file, exit to restart");
}

}  // namespace
}  // namespace cox
