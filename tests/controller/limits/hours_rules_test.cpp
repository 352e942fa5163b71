// Limits for hours of the week: which may be combined, and the most that they ever allow.
#include <gtest/gtest.h>

#include "common/resources/tres.h"
#include "common/syntax/week_hours.h"
#include "controller/limits/accounts.h"
#include "controller/limits/hours.h"

namespace cox {
namespace {

// Days and nights cover the whole week and do not overlap.
NamedHours the_hours() {
  return {{"days", *parse_week_hours("08:00-18:00")},
          {"nights", *parse_week_hours("18:00-08:00")},
          {"weekends", *parse_week_hours("Sat, Sun")}};
}

TEST(HoursRules, TheHighestLimitOfAnyHoursCountsIfSomeLimitAlwaysHolds) {
  const auto most = [](const std::string& list) {
    return format_tres(most_ever(*parse_tres_by_hours(list), the_hours()));
  };
  EXPECT_EQ(most(""), "");
  EXPECT_EQ(most("cpu=4"), "cpu=4");
  EXPECT_EQ(most("cpu=4,cpu=8@nights"), "cpu=8@nights");
  EXPECT_EQ(most("cpu=8,cpu=4@nights"), "cpu=8");
  EXPECT_EQ(most("cpu=8@nights"), "") << "by day there is no limit";
  EXPECT_EQ(most("cpu=8@nights,cpu=9@weekends"), "");
  EXPECT_EQ(most("cpu=8@nights,cpu=3@days"), "cpu=8@nights");
  EXPECT_EQ(most("cpu=2@nights,cpu=3@days"), "cpu=3@days");
  EXPECT_EQ(most("cpu=1@days,cpu=7@weekends,cpu=3@nights"), "cpu=7@weekends");
  EXPECT_EQ(most("cpu=5@gone"), "") << "hours that are no longer configured are never open";
  EXPECT_EQ(most("cpu=4,cpu=5@gone"), "cpu=4");
  EXPECT_EQ(most("node=1,cpu=2,node=3@days,cpu=1@nights"), "cpu=2,node=3@days");
  EXPECT_EQ(most("gres/gpu=1,gres/gpu:h100=2@days"), "gres/gpu=1") << "a type is another TRES";
}

// Returns the refusal of a new list of limits that replaces an old one.
std::string refused(const std::string& list, const std::string& before,
                    TresList AssociationLimits::*field = &AssociationLimits::grp_tres,
                    const NamedHours& hours = the_hours()) {
  AssociationLimits old_limits, new_limits;
  old_limits.*field = *parse_tres_by_hours(before);
  new_limits.*field = *parse_tres_by_hours(list);
  const Failure failure = check_hours(hours, new_limits, old_limits);
  return failure ? failure->fact + " / " + failure->hint : "";
}

TEST(HoursRules, HoursForTheSameTresMustNotOverlap) {
  const std::string together =
      "GrpTRES has cpu for hours nights and for hours weekends, which overlap / name hours that do "
      "not overlap";
  EXPECT_EQ(refused("cpu=1,cpu=2@days,cpu=3@nights", ""), "") << "one ends when the other begins";
  EXPECT_EQ(refused("cpu=2@nights,cpu=3@weekends", ""), together);
  EXPECT_EQ(refused("cpu=2@nights,node=3@weekends", ""), "") << "for two TRES";
  EXPECT_EQ(refused("cpu=2@nights,cpu=3@weekends", "cpu=2@nights"), together);
  EXPECT_EQ(refused("cpu=3@weekends,cpu=2@nights", "cpu=2@nights"), together);
  EXPECT_EQ(refused("cpu=2@nights,cpu=3@weekends", "cpu=2@nights,cpu=3@weekends"), "")
      << "it is as it was";
  EXPECT_EQ(refused("cpu=2@nights,cpu=3@weekends,node=1", "cpu=2@nights,cpu=3@weekends"), "")
      << "the new limit is for another TRES";
}

TEST(HoursRules, NamedHoursMustBeConfigured) {
  EXPECT_EQ(refused("cpu=1@nigts", ""), "unknown hours \"nigts\" / did you mean nights?");
  EXPECT_EQ(refused("cpu=1@xyz", ""),
            "unknown hours \"xyz\" / known hours: days, nights, weekends");
  EXPECT_EQ(refused("cpu=1@xyz", "", &AssociationLimits::grp_tres, {}),
            "unknown hours \"xyz\" / define them in [hours] of coxswain.toml");
  EXPECT_EQ(refused("cpu=1@xyz,node=1", "cpu=1@xyz"), "") << "it was named before";
  EXPECT_EQ(refused("cpu=1@nights,cpu=2@xyz", "cpu=2@xyz"), "") << "the times of xyz are unknown";
  EXPECT_NE(refused("cpu=1@xyz", "", &AssociationLimits::guarantee), "");
  EXPECT_NE(refused("cpu=1@xyz", "", &AssociationLimits::deserved), "");
  EXPECT_EQ(refused("cpu=2@nights,cpu=3@weekends", "", &AssociationLimits::guarantee).substr(0, 20),
            "Guarantee has cpu fo");
  EXPECT_EQ(refused("cpu=2@nights,cpu=3@weekends", "", &AssociationLimits::deserved).substr(0, 19),
            "Deserved has cpu fo");
}

TEST(HoursRules, TheHoursOfATresAreThoseThatItsListNames) {
  const TresList list = *parse_tres_by_hours("cpu=1,cpu=2@days,cpu=3@nights,node=1@weekends");
  EXPECT_EQ(hours_in(list, {Tres::Cpus, "", "", 0}), (std::set<std::string>{"days", "nights"}));
  EXPECT_EQ(hours_in(list, {Tres::Nodes, "", "", 0}), std::set<std::string>{"weekends"});
  EXPECT_TRUE(hours_in(list, {Tres::MemoryMb, "", "", 0}).empty());
}

TEST(HoursRules, AccountsWithLimitsForHoursAreFoundWhenTheHoursBeginOrEnd) {
  Accounts accounts;
  const auto add = [&](const std::string& account, const std::string& list,
                       TresList AssociationLimits::*field) {
    Association one;
    one.id = accounts.next();
    one.account = account;
    if (account != "root") one.parent = "root";
    if (field != nullptr) one.limits.*field = *parse_tres_by_hours(list);
    accounts.put(one);
  };
  add("root", "", nullptr);
  add("a", "cpu=1@nights", &AssociationLimits::grp_tres);
  add("b", "cpu=1@days", &AssociationLimits::grp_tres);
  add("c", "cpu=1", &AssociationLimits::grp_tres);
  using Names = std::set<std::string>;
  EXPECT_EQ(accounts_limited_by(accounts, {"nights"}), Names{"a"});
  EXPECT_EQ(accounts_limited_by(accounts, {"nights", "days"}), (Names{"a", "b"}));
  EXPECT_EQ(accounts_limited_by(accounts, {"weekends"}), Names{});
  add("d", "cpu=1@weekends", &AssociationLimits::guarantee);
  EXPECT_EQ(accounts_limited_by(accounts, {"weekends"}), Names{"root"})
      << "a guarantee changes what all others may use";
  add("e", "cpu=1@nights", &AssociationLimits::deserved);
  EXPECT_EQ(accounts_limited_by(accounts, {"nights"}), (Names{"a", "root"}));
}

}  // namespace
}  // namespace cox
