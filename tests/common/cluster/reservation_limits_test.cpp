// Tests settings of advance reservations at their limits, and the refusals beyond these limits.
#include <gtest/gtest.h>

#include "common/base/limits.h"
#include "common/base/moment_text.h"
#include "common/cluster/advance_reservation.h"
#include "common/cluster/reservation_flags.h"

namespace cox {
namespace {

const Wall a_monday = *parse_moment("2026-11-23T00:00:00Z");

Result<AdvanceReservation> reserved(std::vector<std::string> settings,
                                    AdvanceReservation before = {}) {
  before.name = "r";
  return with_settings(before, settings, a_monday);
}

// Returns the refusal, as "fact | hint", of a new reservation that has these settings besides the
// mandatory ones.
std::string refusal_with(std::vector<std::string> settings) {
  const auto result = reserved(std::move(settings));
  return result ? "" : result.refusal().fact + " | " + result.refusal().hint;
}

std::string refusal_besides(const std::string& setting) {
  return refusal_with({"Duration=60", "Nodes=n1", "Users=a", setting});
}

AdvanceReservation an_hour_on_two_nodes() {
  AdvanceReservation before = *reserved({"Duration=60", "Nodes=n[1-2]", "Users=a"});
  before.nodes = {"n1", "n2"};
  return before;
}

std::string lasts(const std::string& duration) {
  const auto one = reserved({"Duration=" + duration, "Nodes=n1", "Users=a"});
  return one ? std::to_string((one->end - one->begin).count() / 1'000) : one.refusal().fact;
}

}  // namespace

TEST(ReservationSettings, StartAndEndTimesAreParsedOrRefused) {
  EXPECT_EQ(refusal_with({"StartTime=soon", "Duration=1", "Nodes=n1", "Users=a"}),
            "StartTime: \"soon\" is not a valid time | write it like 2026-12-24T18:00:00Z");
  const auto now =
      reserved({"StartTime=NOW", "EndTime=2026-11-23T00:00:01Z", "Nodes=n1", "Users=a"});
  ASSERT_TRUE(now);
  EXPECT_EQ(now->begin, a_monday);
  EXPECT_EQ(now->end, a_monday + Milliseconds{1'000});
  EXPECT_EQ(refusal_with({"EndTime=now", "Nodes=n1", "Users=a"}),
            "it ends at 2026-11-23T00:00:00Z, before it begins at 2026-11-23T00:00:00Z | give a "
            "later EndTime= or a Duration=");
  EXPECT_EQ(refusal_with({"StartTime=now", "EndTime=2026-11-24T00:00:00Z", "Duration=1", "Nodes=n1",
                          "Users=a"}),
            "StartTime, EndTime and Duration are all given | leave one of them out");
  EXPECT_TRUE(is_reservation_moment("StartTime"));
  EXPECT_TRUE(is_reservation_moment("ENDTIME"));
  EXPECT_FALSE(is_reservation_moment("Duration"));
}

TEST(ReservationSettings, ADurationHasALimitAndTheDefaultIsAYear) {
  EXPECT_EQ(lasts("1"), "60");
  EXPECT_EQ(lasts("365-0"), std::to_string(365 * 24 * 3'600));
  EXPECT_EQ(lasts("0"), std::to_string(365 * 24 * 3'600));
  EXPECT_EQ(lasts("366-0"), std::to_string(366 * 24 * 3'600));
  const auto until = [](const std::string& end) {
    return refusal_with({"EndTime=" + end, "Nodes=n1", "Users=a"});
  };
  EXPECT_EQ(until("2027-11-24T00:00:00Z"), "");
  EXPECT_EQ(until("2027-11-24T00:01:00Z"),
            "it lasts 527041 min; the limit is 366 days | give an earlier EndTime=");
  EXPECT_EQ(until("2027-11-24T01:00:00Z"),
            "it lasts 8785 h; the limit is 366 days | give an earlier EndTime=");
}

TEST(ReservationSettings, ATooDistantBeginIsNotReportedAsALongDuration) {
  EXPECT_EQ(refusal_with({"StartTime=2099-01-01T00:00:00Z", "Duration=10", "Nodes=n1", "Users=a"}),
            "it begins at 2099-01-01T00:00:00Z; it must begin before 2070-03-17T00:00:00Z | give "
            "an earlier StartTime=");
}

TEST(ReservationSettings, AChangeKeepsTheDurationUnlessTheEndOrTheDurationIsGiven) {
  const AdvanceReservation before = an_hour_on_two_nodes();
  const auto spans = [&](const std::vector<std::string>& settings) {
    const auto later = reserved(settings, before);
    if (!later) return later.refusal().fact;
    return moment_text(later->begin) + " " +
           std::to_string((later->end - later->begin).count() / 60'000);
  };
  EXPECT_EQ(spans({"Users=b"}), "2026-11-23T00:00:00Z 60");
  EXPECT_EQ(spans({"EndTime=2026-11-23T02:00:00Z"}), "2026-11-23T00:00:00Z 120");
  EXPECT_EQ(spans({"Duration=5"}), "2026-11-23T00:00:00Z 5");
  EXPECT_EQ(spans({"Duration+=5"}), "2026-11-23T00:00:00Z 65");
  EXPECT_EQ(spans({"Duration-=5"}), "2026-11-23T00:00:00Z 55");
  EXPECT_EQ(spans({"StartTime=2026-11-24T00:00:00Z", "Duration=5"}), "2026-11-24T00:00:00Z 5");
  EXPECT_EQ(spans({"StartTime=2026-11-24T00:00:00Z", "EndTime=2026-11-24T00:07:00Z"}),
            "2026-11-24T00:00:00Z 7");
}

TEST(ReservationSettings, ANewNodeListOrNodeCountReplacesTheFormerChoiceOfNodes) {
  const auto chosen = [](const std::string& setting) {
    AdvanceReservation before = an_hour_on_two_nodes();
    before.node_count = 3;
    before.features = "old";
    before.tres = "cpu=1";
    const auto later = reserved({setting}, before);
    if (!later) return later.refusal().fact;
    return later->nodes_asked + "/" + std::to_string(later->node_count) + "/" + later->features +
           "/" + later->tres;
  };
  EXPECT_EQ(chosen("Nodes=all"), "ALL/0//");
  EXPECT_EQ(chosen("Node=n7"), "n7/0//");
  EXPECT_EQ(chosen("Nodes+=n3"), "n[1-3]/0//");
  EXPECT_EQ(chosen("Nodes-=n2"), "n1/0//");
  EXPECT_EQ(chosen("NodeCount=2"), "/2/old/cpu=1");
  EXPECT_EQ(chosen("NodeCnt+=2"), "/4/old/cpu=1");
  EXPECT_EQ(chosen("Feature=fast&ib"), "/3/fast&ib/cpu=1");
  EXPECT_EQ(chosen("TRES=gres/gpu=8"), "/3/old/gres/gpu=8");
  EXPECT_EQ(chosen("Partition=main"), "n[1-2]/3/old/cpu=1");
  EXPECT_EQ(reserved({"Partition=main"}, an_hour_on_two_nodes())->partition, "main");
}

TEST(ReservationSettings, ANodeCountHasTheLimitOfAJob) {
  const std::string most = std::to_string(limits::nodes_per_job_max);
  EXPECT_EQ(refusal_with({"Duration=60", "NodeCnt=" + most, "Users=a"}), "");
  EXPECT_EQ(refusal_with({"Duration=60", "NodeCnt=" + std::to_string(limits::nodes_per_job_max + 1),
                          "Users=a"}),
            "NodeCnt is \"" + std::to_string(limits::nodes_per_job_max + 1) +
                "\"; it may be 1 to " + most + " | give a number within that range");
  for (const char* features : {"Features=[a|b]", "Features=[a*2]"})
    EXPECT_NE(refusal_with({"Duration=60", features, "NodeCnt=1", "Users=a"})
                  .find(" has alternatives or counts"),
              std::string::npos)
        << features;
}

TEST(ReservationSettings, ListsOfNamesHaveALimit) {
  AdvanceReservation crowded = an_hour_on_two_nodes();
  for (std::size_t i = 1; i < limits::page_rows_max; ++i)
    crowded.users.push_back("u" + std::to_string(i));
  crowded.users.pop_back();
  EXPECT_EQ(crowded.users.size(), limits::page_rows_max - 1);
  EXPECT_TRUE(reserved({"Users+=one"}, crowded));
  EXPECT_TRUE(reserved({"Users+=one,one,a"}, crowded)) << "each name counts once";
  EXPECT_EQ(reserved({"Users+=one,two"}, crowded).refusal().fact,
            "Users has 1001 names; the limit is 1000");
  const std::string longest(limits::word_bytes_max, 'u');
  EXPECT_EQ(refusal_with({"Duration=60", "Nodes=n1", "Users=" + longest}), "");
  for (const std::string& word : {longest + "u", std::string("a\x01"), std::string("a\xff")})
    EXPECT_EQ(refusal_besides("Accounts=" + word).substr(0, 1), "\"") << word;
  const auto lists =
      reserved({"Accounts=Physics", "QOS=Gold,silver", "User=b,,c"}, an_hour_on_two_nodes());
  ASSERT_TRUE(lists);
  EXPECT_EQ(lists->accounts, std::vector<std::string>{"physics"});
  EXPECT_EQ(lists->qos, (std::vector<std::string>{"Gold", "silver"}));
  EXPECT_EQ(lists->users, (std::vector<std::string>{"b", "c"}));
}

TEST(ReservationSettings, TextsHaveALimitOfLength) {
  const std::string longest(limits::wish_bytes_max, ',');
  EXPECT_EQ(refusal_besides("QOS=" + longest), "");
  EXPECT_EQ(refusal_besides("QOS=" + longest + ","),
            "qos has " + std::to_string(limits::wish_bytes_max + 1) + " bytes; the limit is " +
                std::to_string(limits::wish_bytes_max) + " | make it shorter");
}

TEST(ReservationSettings, NodesAreChosenInOneWayOnly) {
  for (const std::string counted : {"NodeCnt=2", "Features=fast", "TRES=cpu=4"})
    EXPECT_EQ(refusal_besides(counted), "Nodes and " + counted.substr(0, counted.find('=')) +
                                            " are both given | leave one of them out");
  EXPECT_EQ(
      refusal_besides("Features+=fast"),
      "Features has a single value, which cannot be added to or taken from | write Features=");
  EXPECT_EQ(refusal_besides("Users+=b"), "");
}

TEST(ReservationFlags, AreSetAndCleared) {
  AdvanceReservation before = an_hour_on_two_nodes();
  const auto flags = [&](const std::string& setting) {
    const auto later = reserved({setting}, before);
    return later ? flags_text(*later) : later.refusal().fact + " | " + later.refusal().hint;
  };
  EXPECT_EQ(flags("Flags=IGNORE_JOBS,+flex"), "FLEX,IGNORE_JOBS");
  before.flex = before.ignore_jobs = true;
  EXPECT_EQ(flags("Flags-=FLEX"), "IGNORE_JOBS");
  EXPECT_EQ(flags("Flags-=+MAINT,-FLEX"), "MAINT,IGNORE_JOBS");
  EXPECT_EQ(flags("Flags=WEEKLY,-DAILY"), "FLEX,IGNORE_JOBS,WEEKLY");
  EXPECT_EQ(flags("Flags=nonsense"),
            "there is no flag \"nonsense\" | possible: MAINT, MAGNETIC, FLEX, OVERLAP, "
            "IGNORE_JOBS, STATIC_ALLOC, REPLACE_DOWN, HOURLY, DAILY, WEEKLY, WEEKDAY, WEEKEND, "
            "PURGE_COMP");
}

TEST(ReservationFlags, SetReplaceDownStaticAllocAndThePurgeAfterAnIdleTime) {
  AdvanceReservation before = an_hour_on_two_nodes();
  before.nodes_asked.clear();
  before.node_count = 2;
  const auto flags = [&](const std::string& setting) {
    const auto later = reserved({setting}, before);
    return later ? flags_text(*later) : later.refusal().fact;
  };
  EXPECT_EQ(flags("Flags=hourly,REPLACE_DOWN,PURGE_COMP=1"),
            "REPLACE_DOWN,HOURLY,PURGE_COMP=00:01:00");
  EXPECT_EQ(flags("Flags=PURGE_COMP"), "PURGE_COMP=00:05:00");
  EXPECT_EQ(flags("Flags=PURGE_COMP=00:01:30"), "PURGE_COMP=00:02:00")
      << "seconds are rounded up to minutes";
  EXPECT_EQ(flags("Flags=PURGE_COMP=0"), "PURGE_COMP=\"0\" is not from 1 minute to 366 days");
  EXPECT_FALSE(flags("Flags=PURGE_COMP=x").empty());
  EXPECT_EQ(flags("Flags=STATIC_ALLOC"), "STATIC");
  EXPECT_EQ(flags("Flags=STATIC"), "STATIC") << "the shown name is accepted";
  EXPECT_EQ(flags("Flags=STATIC_ALLOC,REPLACE_DOWN"),
            "the flag REPLACE_DOWN does not go with Nodes=, MAINT or STATIC_ALLOC");
  before.purge_idle_s = 60;
  EXPECT_EQ(flags("Flags-=PURGE_COMP"), "");
  EXPECT_EQ(flags("Flags=-PURGE_COMP=5"), "") << "Slurm ignores the minutes here";
  EXPECT_EQ(flags("Flags-=purge_comp=00:05:00"), "");
  EXPECT_FALSE(flags("Flags=-PURGE_COMP=x").empty());
}

TEST(ReservationFlags, EachFlagCanBeSetShownAndCleared) {
  for (const ReservationFlag& flag : reservation_flags()) {
    AdvanceReservation r = an_hour_on_two_nodes();
    flag.set(r, true);
    EXPECT_TRUE(flag.is_set(r)) << flag.name;
    const std::vector<std::string> shown = flags_shown(r);
    ASSERT_EQ(shown.size(), 1U) << flag.name;
    EXPECT_TRUE(shown[0].starts_with(flag.shown)) << shown[0];
    flag.set(r, false);
    EXPECT_EQ(flags_text(r), "");
  }
}

// A reservation that recurs must end before it begins again.
TEST(ReservationFlags, RecurringReservationsHaveALimitedDuration) {
  const auto fits = [](const std::string& flag, std::int64_t minutes) {
    return refusal_with(
        {"Duration=" + std::to_string(minutes), "Nodes=n1", "Users=a", "Flags=" + flag});
  };
  const std::vector<std::pair<std::string, std::int64_t>> table = {
      {"HOURLY", 60}, {"DAILY", 1'440}, {"WEEKDAY", 1'440}, {"WEEKEND", 1'440}, {"WEEKLY", 10'080}};
  for (const auto& [flag, most] : table) {
    EXPECT_EQ(fits(flag, most), "") << flag;
    EXPECT_NE(fits(flag, most + 1), "") << flag;
  }
  EXPECT_EQ(
      fits("HOURLY", 61),
      "it lasts 61 min, longer than the time to the next occurrence, which is 1 h | give a shorter "
      "Duration=");
  EXPECT_EQ(fits("DAILY", 2 * 1'440),
            "it lasts 2 days, longer than the time to the next occurrence, which is 24 h | give a "
            "shorter "
            "Duration=");
}

}  // namespace cox
