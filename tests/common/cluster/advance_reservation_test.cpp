// Tests the settings of advance reservations as users write them, which users may use a
// reservation, and at which times it recurs.
#include "common/cluster/advance_reservation.h"

#include <gtest/gtest.h>

#include "common/base/moment_text.h"
#include "common/cluster/reservation_flags.h"

namespace cox {
namespace {

const Wall monday = *parse_moment("2026-11-23T00:00:00Z");
constexpr Milliseconds hour = std::chrono::hours{1};

Result<AdvanceReservation> made(std::vector<std::string> settings, AdvanceReservation before = {}) {
  before.name = "r";
  return with_settings(before, settings, monday);
}

std::string refused(const std::vector<std::string>& settings) {
  const auto result = made(settings);
  return result.ok() ? "" : result.refusal().fact + " | " + result.refusal().hint;
}

JobSpec spec_of(const std::string& user, const std::string& account, const std::string& qos) {
  JobSpec spec;
  spec.user_name = user;
  spec.account = account;
  spec.qos = qos;
  return spec;
}

}  // namespace

TEST(AdvanceReservation, is_made_of_settings_in_any_case) {
  const auto r = made({"starttime=2026-11-23T10:00:00Z", "DURATION=2:00:00", "Nodes=n[1-2]",
                       "users=alice,bob", "Flags=MAINT,daily"});
  ASSERT_TRUE(r.ok()) << r.refusal().fact;
  EXPECT_EQ(r->begin, monday + 10 * hour);
  EXPECT_EQ(r->end, monday + 12 * hour);
  EXPECT_EQ(r->nodes_asked, "n[1-2]");
  EXPECT_EQ(r->users, (std::vector<std::string>{"alice", "bob"}));
  EXPECT_EQ(flags_text(*r), "MAINT,DAILY");
  EXPECT_EQ(access_text(*r), "maintenance, users alice, bob");
}

TEST(AdvanceReservation, begins_now_and_lasts_a_year_by_default) {
  const auto r = made({"Duration=UNLIMITED", "NodeCnt=2", "Accounts=physics"});
  ASSERT_TRUE(r.ok());
  EXPECT_EQ(r->begin, monday);
  EXPECT_EQ(r->end, monday + 365 * 24 * hour);
}

TEST(AdvanceReservation, changes_only_the_given_settings) {
  const auto before = made({"Duration=60", "Nodes=n1", "Users=alice,bob", "Flags=FLEX,OVERLAP"});
  const auto later = made(
      {"StartTime=2026-11-24T00:00:00Z", "Users+=carol", "Users-=alice", "Flags=-FLEX,MAGNETIC"},
      *before);
  ASSERT_TRUE(later.ok());
  EXPECT_EQ(later->end - later->begin, hour) << "the duration does not change";
  EXPECT_EQ(later->users, (std::vector<std::string>{"bob", "carol"}));
  EXPECT_EQ(flags_text(*later), "MAGNETIC,OVERLAP");
}

TEST(AdvanceReservation, gains_and_loses_nodes_and_time) {
  auto before = *made({"Duration=60", "Nodes=n[1-2]", "Users=alice"});
  before.nodes = {"n1", "n2"};
  EXPECT_EQ(made({"Nodes+=n4"}, before)->nodes_asked, "n[1-2,4]");
  EXPECT_EQ(made({"Nodes-=n1"}, before)->nodes_asked, "n2");
  EXPECT_EQ(made({"NodeCnt+=1"}, before)->node_count, 3);
  EXPECT_EQ(made({"NodeCnt-=1"}, before)->node_count, 1);
  const auto longer = made({"Duration+=30"}, before);
  EXPECT_EQ(longer->end - longer->begin, hour + std::chrono::minutes{30});
  EXPECT_EQ(made({"Nodes-=n[1-2]"}, before).refusal().fact, "the reservation would have no node");
  EXPECT_EQ(made({"Nodes-=n3"}, before).refusal().fact, "\"n3\" is not among its Nodes");
  EXPECT_EQ(made({"Users-=ada"}, before).refusal().fact, "\"ada\" is not among its Users");
  EXPECT_EQ(made({"Users-=ada"}, before).refusal().hint, "possible: alice");
  EXPECT_EQ(made({"NodeCnt-=2"}, before).refusal().fact, "it has 2 nodes");
  EXPECT_FALSE(made({"Duration-=60"}, before).ok());
  EXPECT_FALSE(made({"StartTime+=1"}, before).ok());
}

TEST(AdvanceReservation, refuses_contradictory_settings) {
  EXPECT_EQ(made({"Duration=60", "Users=a", "Nodes=n3", "NodeCnt=2"}).refusal().fact,
            "Nodes and NodeCnt are both given");
  EXPECT_EQ(made({"Duration=60", "Nodes=n3", "Users=a", "user=b"}).refusal().fact,
            "Users is given twice");
}

TEST(AdvanceReservation, accepts_flags_in_several_settings) {
  const auto both =
      made({"Duration=60", "Nodes=n1", "Users=a", "Flags=MAINT", "Flags=IGNORE_JOBS"});
  ASSERT_TRUE(both.ok()) << both.refusal().fact;
  EXPECT_TRUE(both->maint && both->ignore_jobs);
}

TEST(AdvanceReservation, accepts_a_node_count_with_an_empty_node_list) {
  const auto before = made({"Duration=60", "Users=a", "Nodes=n[1-2]"});
  for (const std::vector<std::string>& settings :
       {std::vector<std::string>{"NodeCnt=1", "Nodes="}, {"Nodes=", "NodeCnt=1"}}) {
    const auto after = made(settings, *before);
    ASSERT_TRUE(after.ok()) << after.refusal().fact;
    EXPECT_EQ(after->node_count, 1);
    EXPECT_EQ(after->nodes_asked, "");
  }
  EXPECT_EQ(made({"Nodes="}, *before).refusal().fact, "it names no nodes");
}

TEST(AdvanceReservation, recurs_in_one_way_only) {
  const std::vector<std::string> like{"Duration=60", "Nodes=n1", "Users=a"};
  const auto with = [&](const std::string& flags, AdvanceReservation before = {}) {
    auto settings = like;
    settings.push_back(flags);
    return made(settings, std::move(before));
  };
  EXPECT_EQ(
      with("Flags=DAILY,FLEX,WEEKLY").refusal().fact,
      "the flags DAILY and WEEKLY are both given, but a reservation can recur in only one way");
  EXPECT_FALSE(with("Flags+=WEEKEND,WEEKDAY").ok());
  EXPECT_TRUE(with("Flags=DAILY,DAILY").ok());
  const auto daily = with("Flags=DAILY");
  EXPECT_EQ(flags_text(*with("Flags=WEEKLY", *daily)), "WEEKLY")
      << "the new recurrence replaces the old one";
  EXPECT_EQ(flags_text(*with("Flags=-DAILY,WEEKLY", *daily)), "WEEKLY");
  EXPECT_EQ(flags_text(*with("Flags-=DAILY", *daily)), "");
}

TEST(AdvanceReservation, begins_on_a_day_of_its_recurrence) {
  const auto on = [](const std::string& begin, const std::string& flag) {
    const auto r = made({"StartTime=" + begin, "Duration=60", "Nodes=n1", "Users=a", flag});
    EXPECT_EQ(r->end - r->begin, hour);
    return moment_text(r->begin);
  };
  EXPECT_EQ(on("2026-11-29T10:00:00Z", "Flags=WEEKDAY"), "2026-11-30T10:00:00Z")
      << "2026-11-29 is a Sunday";
  EXPECT_EQ(on("2026-11-28T10:00:00Z", "Flags=WEEKDAY"), "2026-11-30T10:00:00Z") << "a Saturday";
  EXPECT_EQ(on("2026-11-27T10:00:00Z", "Flags=WEEKDAY"), "2026-11-27T10:00:00Z");
  EXPECT_EQ(on("2026-11-23T10:00:00Z", "Flags=WEEKEND"), "2026-11-28T10:00:00Z") << "a Monday";
  EXPECT_EQ(on("2026-11-20T10:00:00Z", "Flags=DAILY"), "2026-11-23T10:00:00Z")
      << "the first begin has passed";
}

TEST(AdvanceReservation, refuses_unknown_settings_and_names_the_nearest) {
  EXPECT_NE(refused({"Node5=n1"}).find("did you mean Nodes?"), std::string::npos);
  EXPECT_NE(refused({"Flags=MAIMT"}).find("did you mean MAINT?"), std::string::npos);
  EXPECT_NE(refused({"Nodes"}).find("is not NAME=VALUE"), std::string::npos);
  EXPECT_NE(refused({"Nodes=n1", "Users=a"}).find("give Duration="), std::string::npos);
  EXPECT_NE(refused({"Duration=60", "Users=a"}).find("names no nodes"), std::string::npos);
  EXPECT_NE(refused({"Duration=60", "Nodes=n1"}).find("it names no users"), std::string::npos);
  EXPECT_NE(refused({"NodeCnt=0", "Duration=60"}).find("it may be 1 to"), std::string::npos);
  EXPECT_NE(refused({"TRES=license/matlab=1"}).find("licences cannot be reserved"),
            std::string::npos);
  EXPECT_NE(refused({"Features=[a|b]"}).find("alternatives"), std::string::npos);
  EXPECT_NE(refused({"Duration=25:00:00", "Nodes=n1", "Users=a", "Flags=DAILY"})
                .find("25 h, longer than the time to the next occurrence, which is 24 h"),
            std::string::npos);
  EXPECT_NE(refused({"EndTime=2026-11-22T00:00:00Z", "Nodes=n1", "Users=a"}).find("before it"),
            std::string::npos);
}

TEST(AdvanceReservation, is_usable_by_listed_users_and_accounts) {
  AdvanceReservation r;
  EXPECT_FALSE(may_use(r, spec_of("alice", "", "standard"))) << "no user is listed";
  r.users = {"alice", "bob"};
  EXPECT_TRUE(may_use(r, spec_of("alice", "", "standard")));
  EXPECT_FALSE(may_use(r, spec_of("carol", "", "standard")));
  r.qos = {"critical"};
  EXPECT_FALSE(may_use(r, spec_of("alice", "", "standard")))
      << "the user and the QOS must both match";
  EXPECT_TRUE(may_use(r, spec_of("alice", "", "critical")));
  r.users = {"-mallory"};
  EXPECT_TRUE(may_use(r, spec_of("carol", "", "critical")));
  EXPECT_FALSE(may_use(r, spec_of("mallory", "", "critical")));
}

TEST(AdvanceReservation, recurs_at_the_same_time_of_day) {
  AdvanceReservation r;
  r.begin = monday + 4 * 24 * hour;  // a Friday
  r.end = r.begin + hour;
  const auto begins = [&](Recurrence recurrence, Wall now) {
    r.recurrence = recurrence;
    std::vector<std::int64_t> days;
    for (const Occurrence& one : occurrences_of(r, now, 3)) {
      EXPECT_EQ(one.end - one.begin, hour);
      days.push_back((one.begin - monday) / (24 * hour));
    }
    return days;
  };
  using Days = std::vector<std::int64_t>;
  EXPECT_EQ(begins(Recurrence::None, monday), (Days{4}));
  EXPECT_EQ(begins(Recurrence::None, r.end), Days{});
  EXPECT_EQ(begins(Recurrence::Daily, monday), (Days{4, 5, 6}));
  EXPECT_EQ(begins(Recurrence::Daily, r.end), (Days{5, 6, 7}));
  EXPECT_EQ(begins(Recurrence::Weekly, r.end), (Days{11, 18, 25}));
  EXPECT_EQ(begins(Recurrence::Weekday, monday), (Days{4, 7, 8}));
  EXPECT_EQ(begins(Recurrence::Weekend, monday), (Days{5, 6, 12}));
  EXPECT_EQ(begins(Recurrence::Daily, monday + 400 * 24 * hour), (Days{400, 401, 402}));
}

TEST(AdvanceReservation, overlaps_another_if_they_have_a_common_moment) {
  AdvanceReservation daily;
  daily.begin = monday + 8 * hour;
  daily.end = monday + 9 * hour;
  daily.recurrence = Recurrence::Daily;
  AdvanceReservation once;
  once.begin = monday + (3 * 24 + 9) * hour;
  once.end = once.begin + 20 * hour;
  EXPECT_FALSE(first_overlap(daily, once, monday)) << "one ends when the other begins";
  once.begin -= Milliseconds{1};
  const auto met = first_overlap(once, daily, monday);
  ASSERT_TRUE(met.has_value());
  EXPECT_EQ(met->begin, monday + (3 * 24 + 8) * hour);
}

TEST(AdvanceReservation, overlaps_another_however_far_ahead) {
  AdvanceReservation hourly;
  hourly.begin = monday + 21 * 24 * hour;
  hourly.end = hourly.begin + hour / 4;
  hourly.recurrence = Recurrence::Hourly;
  AdvanceReservation later = hourly;
  later.recurrence = Recurrence::None;
  later.begin += 14 * 24 * hour;
  later.end += 14 * 24 * hour;
  EXPECT_TRUE(first_overlap(hourly, later, monday)) << "they meet in five weeks";
  later.begin += hour / 2;
  later.end += hour / 2;
  EXPECT_FALSE(first_overlap(hourly, later, monday)) << "between two occurrences";
  AdvanceReservation before = later;
  before.begin = monday;
  before.end = monday + 24 * hour;
  EXPECT_FALSE(first_overlap(hourly, before, monday)) << "before the first occurrence";
  AdvanceReservation weekend = hourly;
  weekend.begin = monday + 10 * hour;
  weekend.end = monday + 11 * hour;
  weekend.recurrence = Recurrence::Weekend;
  AdvanceReservation weekday = weekend;
  weekday.recurrence = Recurrence::Weekday;
  EXPECT_FALSE(first_overlap(weekend, weekday, monday));
  weekday.recurrence = Recurrence::Weekly;
  EXPECT_FALSE(first_overlap(weekend, weekday, monday)) << "a Monday";
  weekday.begin += 5 * 24 * hour;
  weekday.end += 5 * 24 * hour;
  EXPECT_TRUE(first_overlap(weekend, weekday, monday)) << "a Saturday";
}

}  // namespace cox
