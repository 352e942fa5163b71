// Tests what the controller does about advance reservations whose nodes become unusable, and about
// idle ones.
#include <gtest/gtest.h>

#include "common/base/limits.h"
#include "common/base/moment_text.h"
#include "common/base/text.h"
#include "tests/controller/bench.h"

namespace cox {
namespace {

class ReservationUpkeep : public testing::Test, public Bench {
 protected:
  using Names = std::vector<std::string>;
  void SetUp() override {
    for (const std::string& name : all) node(name, 2);
  }
  // Creates a reservation of one node for 45 minutes with these settings. Returns its nodes, or the
  // refusal.
  std::string made(const std::string& name, Names settings) {
    settings.insert(settings.end(), {"NodeCnt=1", "Users=ada", "Duration=45"});
    const Reply reply = ask(ActOnReservation{ReservationVerb::Create, name, settings});
    if (std::holds_alternative<Refused>(reply.body)) return refusal_of(reply);
    return nodes_of(name);
  }
  const AdvanceReservation& reservation(const std::string& name) {
    return controller->cluster().reservations().all().at(name);
  }
  std::string nodes_of(const std::string& name) { return joined(reservation(name).nodes, ","); }
  void drain(const std::string& name) { ask(ActOnNodes{true, {name}, "bad fan"}); }
  JobId submit_in(const std::string& name) {
    return submit({.time_limit_s = 1200, .with = [&](JobSpec& spec) { spec.reservation = name; }});
  }
  void wait(std::int64_t seconds) { pass_with_beats(std::chrono::seconds{seconds}, all); }

  const Names all = {"n1", "n2", "n3"};
};

TEST_F(ReservationUpkeep, AReservationByNodeCountTakesNoNodesThatAreDownOrDrained) {
  drain("n1");
  drain("n2");
  EXPECT_EQ(made("first", {}), "n3");
  EXPECT_EQ(made("second", {}),
            "too few nodes: of 3 that match, 1 is reserved then (first) and 0 run jobs that end "
            "after it begins at " +
                moment_text(now.wall) + ", 2 are down or drained; still missing: 1 node");
  EXPECT_EQ(made("maintenance", {"Flags=MAINT"}), "n3") << "usable nodes first";
}

TEST_F(ReservationUpkeep, UnusableNodesAreReplacedOnceNoJobOfTheReservationRunsThere) {
  ASSERT_EQ(made("moves", {}), "n1");
  ASSERT_EQ(made("stays", {"Flags=STATIC_ALLOC"}), "n2");
  const JobId job = submit_in("moves");
  ready(job);
  drain("n1");
  drain("n2");
  wait(31);
  EXPECT_EQ(nodes_of("moves"), "n1") << "its job still runs there";
  finish(job, 0);
  const JobId waits = submit_in("moves");
  EXPECT_EQ(state(waits), "PENDING");
  wait(31);
  EXPECT_EQ(nodes_of("moves"), "n3");
  EXPECT_EQ(state(waits), "CONFIGURING");
  EXPECT_EQ(nodes_of("stays"), "n2");
  EXPECT_EQ(reservation("moves").changed_by, "controller");
}

TEST_F(ReservationUpkeep, WithoutOtherNodesAReservationKeepsItsNodes) {
  ASSERT_EQ(made("r", {"Flags=REPLACE_DOWN"}), "n1");
  for (const std::string& name : all) drain(name);
  wait(31);
  EXPECT_EQ(nodes_of("r"), "n1");
  ask(ActOnNodes{false, {"n2"}, ""});
  wait(31);
  EXPECT_EQ(nodes_of("r"), "n2");
}

TEST_F(ReservationUpkeep, AnOccurrenceEndsAfterItsPurgeCompIdleTime) {
  made("hourly", {"Flags=HOURLY,PURGE_COMP=1"});
  made("once", {"Flags=PURGE_COMP=1"});
  made("used", {"Flags=PURGE_COMP=1"});
  const Wall begin = reservation("hourly").begin;
  ready(submit_in("used"));
  wait(60);
  EXPECT_EQ(reservation("hourly").begin, begin) << "it was first seen idle after 30 s";
  wait(60);
  EXPECT_EQ(reservation("hourly").begin, begin + std::chrono::hours{1});
  EXPECT_FALSE(controller->cluster().reservations().all().contains("once"));
  EXPECT_TRUE(controller->cluster().reservations().all().contains("used"));
}

TEST_F(ReservationUpkeep, OneTurnChecksABoundedNumberOfReservations) {
  const std::size_t count = 2 * limits::reservations_kept_up_max + 1;
  for (std::size_t i = 0; i < count; ++i)
    made("r" + std::to_string(100 + i), {"Flags=PURGE_COMP=1,OVERLAP"});
  const auto seen_idle = [&] { return controller->cluster().soft().idle_reservations.size(); };
  wait(29);
  std::vector<std::size_t> seen;
  for (int i = 0; i < 4; ++i) {
    wait(1);
    seen.push_back(seen_idle());
  }
  EXPECT_EQ(seen, (std::vector<std::size_t>{limits::reservations_kept_up_max,
                                            2 * limits::reservations_kept_up_max, count, count}));
}

TEST_F(ReservationUpkeep, ANewReservationOfTheSameNameBeginsANewIdleTime) {
  ASSERT_EQ(made("again", {"Flags=PURGE_COMP=1"}), "n1");
  wait(45);
  ask(ActOnReservation{ReservationVerb::Delete, "again", {}});
  ASSERT_FALSE(controller->cluster().reservations().all().contains("again"));
  wait(60);
  ASSERT_EQ(made("again", {"Flags=PURGE_COMP=1"}), "n1");
  wait(55);
  EXPECT_TRUE(controller->cluster().reservations().all().contains("again"));
  wait(60);
  EXPECT_FALSE(controller->cluster().reservations().all().contains("again"));
}

TEST_F(ReservationUpkeep, ANodeThatIsSilentForAShortTimeIsNotReplaced) {
  ASSERT_EQ(made("r", {}), "n1");
  pass_with_beats(std::chrono::seconds{40}, {"n2", "n3"});
  EXPECT_EQ(nodes_of("r"), "n1");
  pass_with_beats(std::chrono::minutes{2}, {"n2", "n3"});
  EXPECT_EQ(nodes_of("r"), "n2");
}

TEST_F(ReservationUpkeep, NodesWithJobsOfTheReservationAreKeptFirst) {
  const Names asked = {"TRES=cpu=4", "Users=ada", "Duration=45"};
  ask(ActOnReservation{ReservationVerb::Create, "r", asked});
  ASSERT_EQ(nodes_of("r"), "n1,n2");
  const JobId first = submit_in("r");
  const JobId second = submit(
      {.tasks = 2, .time_limit_s = 1200, .with = [](JobSpec& spec) { spec.reservation = "r"; }});
  ready(first);
  ready(second);
  ASSERT_EQ(nodes(first), "n1");
  ASSERT_EQ(nodes(second), "n2");
  finish(first, 0);
  ask(ActOnReservation{ReservationVerb::Update, "r", {"TRES=cpu=2"}});
  EXPECT_EQ(nodes_of("r"), "n2");
  drain("n2");
  ask(ActOnReservation{ReservationVerb::Update, "r", {"TRES=cpu=4"}});
  EXPECT_EQ(nodes_of("r"), "n1,n2") << "it keeps a drained node as long as its job runs there";
}

}  // namespace
}  // namespace cox
