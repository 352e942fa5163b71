// Tests the settings of accounts and QOSs: the field that each name sets, and the values that each
// accepts.
#include "controller/accounting/accounting_fields.h"

#include <gtest/gtest.h>

#include "common/base/limits.h"
#include "common/base/text.h"
#include "common/cluster/scheduling_settings.h"

namespace cox {
namespace {

using Settings = std::vector<std::pair<std::string, std::string>>;

template <class Row>
Row row_with(const Settings& settings, Row row = {}) {
  for (const auto& [name, value] : settings) {
    const Failure failure = set_field(row, {name, '=', value});
    EXPECT_FALSE(failure) << name << ": " << (failure ? failure->fact : "");
  }
  return row;
}

template <class Row>
std::string refusal_for(const std::string& name, const std::string& value, Row row = {}) {
  const Failure failure = set_field(row, {name, '=', value});
  return failure ? failure->fact + " / " + failure->hint : "";
}

const TresCount four_cpus{Tres::Cpus, "", "", 4};

TEST(AccountingFields, EachNameSetsItsOwnFieldOfAQosAndMinusOneClearsIt) {
  Qos expected;
  expected.tier = 7;
  expected.preempt_mode = PreemptMode::Suspend;
  expected.grace_ms = 90'000;
  expected.preempt_weight = 5;
  expected.preempt_exempt_time_s = 600;
  expected.limits.grp_tres = {four_cpus};
  expected.limits.kept_tres = {{Tres::Nodes, "", "", 2}};
  expected.limits.grp_jobs = 3;
  expected.limits.grp_submit_jobs = 9;
  expected.limits.grp_tres_mins = {{Tres::Cpus, "", "", 600}};
  expected.limits.grp_wall_s = 60'000'000 * 60LL;
  expected.limits.max_tres_per_user = {{Tres::Cpus, "", "", 3}};
  expected.limits.max_jobs_per_user = 2;
  expected.limits.max_submit_jobs_per_user = 8;
  expected.limits.max_tres_per_job = {{Tres::Cpus, "", "", 2}};
  expected.limits.min_tres_per_job = {{Tres::Cpus, "", "", 1}};
  expected.limits.max_wall_s = 5400;
  const Settings long_names{{"priority", "7"},           {"preemptmode", "SUSPEND"},
                            {"gracetime", "90"},         {"preemptweight", "5"},
                            {"preemptexempttime", "10"}, {"grptres", "cpu=4"},
                            {"kepttres", "node=2"},      {"grpjobs", "3"},
                            {"grpsubmitjobs", "9"},      {"grptresmins", "cpu=600"},
                            {"grpwall", "60000000"},     {"maxtresperuser", "cpu=3"},
                            {"maxjobsperuser", "2"},     {"maxsubmitjobsperuser", "8"},
                            {"maxtresperjob", "cpu=2"},  {"mintresperjob", "cpu=1"},
                            {"maxwall", "1:30:00"}};
  EXPECT_EQ(row_with<Qos>(long_names), expected);
  const Qos by_short_names = row_with<Qos>({{"grpsubmit", "9"},
                                            {"maxtrespu", "cpu=3"},
                                            {"maxjobspu", "2"},
                                            {"maxsubmitpu", "8"},
                                            {"maxtres", "cpu=2"},
                                            {"mintres", "cpu=1"}});
  EXPECT_EQ(by_short_names.limits.grp_submit_jobs, 9);
  EXPECT_EQ(by_short_names.limits.max_tres_per_user, expected.limits.max_tres_per_user);
  EXPECT_EQ(by_short_names.limits.max_jobs_per_user, 2);
  EXPECT_EQ(by_short_names.limits.max_submit_jobs_per_user, 8);
  EXPECT_EQ(by_short_names.limits.max_tres_per_job, expected.limits.max_tres_per_job);
  EXPECT_EQ(by_short_names.limits.min_tres_per_job, expected.limits.min_tres_per_job);
  Qos bare;
  bare.tier = 7;
  bare.preempt_mode = PreemptMode::Suspend;
  bare.grace_ms = 90'000;
  for (const char* none : {"-1", ""}) {
    Settings taken_away;
    for (const auto& [name, value] : long_names)
      if (name != "priority" && name != "preemptmode" && name != "gracetime" &&
          (name != "preemptweight" || *none != '\0'))
        taken_away.emplace_back(name, none);
    Qos row = expected;
    if (*none == '\0') row.preempt_weight.reset();
    EXPECT_EQ(row_with<Qos>(taken_away, row), bare) << "by \"" << none << '"';
  }
}

TEST(AccountingFields, EachNameSetsItsOwnFieldOfAnAssociationAndMinusOneClearsIt) {
  Association account;
  account.account = "physics";
  account.parent = "root";
  Association expected = account;
  expected.shares = 12;
  expected.limits.grp_tres = {four_cpus, {Tres::Cpus, "", "", 8, "nights"}};
  expected.limits.guarantee = {{Tres::Cpus, "", "", 1}};
  expected.limits.deserved = {{Tres::Cpus, "", "", 2}};
  expected.limits.grp_jobs = 3;
  expected.limits.grp_submit_jobs = 9;
  expected.limits.grp_tres_mins = {{Tres::Cpus, "", "", 600}};
  expected.limits.grp_wall_s = 600;
  expected.limits.max_tres_per_job = {{Tres::Cpus, "", "", 5}};
  expected.limits.max_tres_mins_per_job = {{Tres::Cpus, "", "", 60}};
  expected.limits.max_jobs = 2;
  expected.limits.max_submit_jobs = 8;
  expected.limits.max_wall_s = 3600;
  expected.qos = {"a", "b"};
  expected.default_qos = "b";
  expected.description = "all of it";
  expected.organization = "the faculty";
  const Settings settings{{"fairshare", "12"},
                          {"grptres", "cpu=4,cpu=8@nights"},
                          {"guarantee", "cpu=1"},
                          {"deserved", "cpu=2"},
                          {"grpjobs", "3"},
                          {"grpsubmitjobs", "9"},
                          {"grptresmins", "cpu=600"},
                          {"grpwall", "10"},
                          {"maxtres", "cpu=5"},
                          {"maxtresmins", "cpu=60"},
                          {"maxjobs", "2"},
                          {"maxsubmitjobs", "8"},
                          {"maxwall", "60"},
                          {"qos", "a,b,a"},
                          {"defaultqos", "b"},
                          {"description", "all of it"},
                          {"organization", "the faculty"}};
  EXPECT_EQ(row_with(settings, account), expected);
  EXPECT_EQ(row_with({{"shares", "12"},
                      {"grptres", "cpu=4,cpu=8@nights"},
                      {"guarantee", "cpu=1"},
                      {"deserved", "cpu=2"},
                      {"grpjobs", "3"},
                      {"grpsubmit", "9"},
                      {"grptresmins", "cpu=600"},
                      {"grpwall", "10:00"},
                      {"maxtresperjob", "cpu=5"},
                      {"maxtresminsperjob", "cpu=60"},
                      {"maxjobs", "2"},
                      {"maxsubmit", "8"},
                      {"maxwalldurationperjob", "60"},
                      {"qoslevel", "a,b"},
                      {"defaultqos", "b"},
                      {"description", "all of it"},
                      {"organization", "the faculty"}},
                     account),
            expected);
  Settings taken_away;
  for (const auto& [name, value] : settings) taken_away.emplace_back(name, "-1");
  EXPECT_EQ(row_with(taken_away, expected), account);
}

TEST(AccountingFields, SettingsOfQosAndAccountsAreAcceptedUpToTheirLimits) {
  EXPECT_EQ(row_with<Qos>({{"priority", "1000000"}}).tier, 1'000'000);
  EXPECT_NE(refusal_for<Qos>("priority", "1000001"), "");
  EXPECT_EQ(row_with<Qos>({{"priority", "0"}}).tier, 0);
  EXPECT_EQ(row_with<Qos>({{"gracetime", "604800"}}).grace_ms, 604'800'000);
  EXPECT_NE(refusal_for<Qos>("gracetime", "604801"), "");
  EXPECT_EQ(row_with<Qos>({{"preemptexempttime", "365-0"}}).preempt_exempt_time_s, 365 * 86'400);
  EXPECT_EQ(refusal_for<Qos>("preemptexempttime", "365-0:0:1"),
            "preemptexempttime is longer than 365 days, the limit / set a shorter time");
  EXPECT_NE(refusal_for<Qos>("preemptexempttime", "soon"), "");
  EXPECT_EQ(row_with<Qos>({{"preemptweight", "1"}}).preempt_weight, 1);
  EXPECT_EQ(row_with<Qos>({{"preemptweight", std::to_string(preempt_weight_max)}}).preempt_weight,
            preempt_weight_max);
  EXPECT_NE(refusal_for<Qos>("preemptweight", std::to_string(preempt_weight_max + 1)), "");
  EXPECT_NE(refusal_for<Qos>("preemptweight", "0"), "");
  EXPECT_EQ(row_with<Qos>({{"grpjobs", "1000000000"}}).limits.grp_jobs, 1'000'000'000);
  EXPECT_EQ(refusal_for<Qos>("grpjobs", "1000000001").substr(0, 47),
            "grpjobs: \"1000000001\" is not a whole number fro");
  EXPECT_EQ(row_with<Qos>({{"grpwall", "1000000000"}}).limits.grp_wall_s, 60'000'000'000);
  EXPECT_EQ(row_with<Qos>({{"grpwall", "1"}}).limits.grp_wall_s, 60);
  EXPECT_EQ(row_with<Qos>({{"preemptmode", "cancel"}}).preempt_mode, PreemptMode::Cancel);
  EXPECT_EQ(row_with<Qos>({{"preemptmode", "off"}}).preempt_mode, PreemptMode::Off);
  EXPECT_EQ(row_with<Qos>({{"preemptmode", "requeue"}}).preempt_mode, PreemptMode::Requeue);
  EXPECT_EQ(refusal_for<Qos>("preemptmode", "gang"),
            "\"gang\" is not a preempt mode / possible: checkpoint, requeue, cancel, off, "
            "suspend");
  const std::string longest(limits::word_bytes_max, 'x');
  EXPECT_EQ(row_with<Association>({{"description", longest}}).description, longest);
  EXPECT_EQ(refusal_for<Association>("description", longest + "x"),
            "description has " + std::to_string(limits::word_bytes_max + 1) +
                " bytes; the limit is " + std::to_string(limits::word_bytes_max) +
                " / make it shorter");
}

TEST(AccountingFields, AWallTimeLimitIsAtLeastAMinuteOrUnlimited) {
  const auto wall = [](const std::string& value) {
    Qos qos;
    qos.limits.max_wall_s = 1;
    return row_with<Qos>({{"maxwall", value}}, qos).limits.max_wall_s;
  };
  EXPECT_EQ(wall("1"), 60);
  EXPECT_EQ(wall("UNLIMITED"), std::nullopt);
  for (const char* name : {"maxwall", "grpwall"})
    EXPECT_EQ(refusal_for<Qos>(name, "0"), std::string(name) +
                                               " must be at least 1 minute / set a "
                                               "longer time, or UNLIMITED");
  EXPECT_EQ(refusal_for<Qos>("maxwall", "soon").substr(0, 9), "maxwall: ");
}

TEST(AccountingFields, SharesAreANumberOrThoseOfTheParent) {
  const Association as_parent = row_with<Association>({{"fairshare", "parent"}});
  EXPECT_TRUE(as_parent.shares_of_parent);
  EXPECT_TRUE(row_with<Association>({{"fairshare", "Parent"}}).shares_of_parent);
  EXPECT_FALSE(row_with({{"fairshare", "2"}}, as_parent).shares_of_parent);
  EXPECT_EQ(row_with<Association>({{"fairshare", "0"}}).shares, 0);
  EXPECT_EQ(row_with<Association>({{"fairshare", "5"}, {"fairshare", "-1"}}).shares, 1);
  const std::int64_t most = limits::fair_shares_max;
  EXPECT_EQ(row_with<Association>({{"shares", std::to_string(most)}}).shares, most);
  EXPECT_EQ(refusal_for<Association>("shares", std::to_string(most + 1)),
            "shares: \"" + std::to_string(most + 1) + "\" is not a whole number from 0 to " +
                std::to_string(most) + " / give a number, or parent");
}

TEST(AccountingFields, EachTresOfAListIsReplacedOrRemovedByItself) {
  const auto replaced_tres = [](const std::string& before, const std::string& value) {
    return format_tres(
        row_with<Association>({{"grptres", before}, {"grptres", value}}).limits.grp_tres);
  };
  EXPECT_EQ(replaced_tres("cpu=4,mem=10", "cpu=5"), "mem=10M,cpu=5");
  EXPECT_EQ(replaced_tres("cpu=4,mem=10", "cpu=-1"), "mem=10M");
  EXPECT_EQ(replaced_tres("cpu=4,mem=10,node=1", "cpu=-1,node=2,mem=-1"), "node=2");
  EXPECT_EQ(replaced_tres("cpu=4,cpu=8@nights", "cpu=-1"), "cpu=8@nights");
  EXPECT_EQ(replaced_tres("cpu=4,cpu=8@nights", "cpu=-1@nights"), "cpu=4");
  EXPECT_EQ(replaced_tres("cpu=4,cpu=8@nights", "cpu=9@nights"), "cpu=4,cpu=9@nights");
  EXPECT_EQ(replaced_tres("cpu=4,cpu=8@nights", ""), "");
  EXPECT_NE(refusal_for<Association>("maxtres", "cpu=-1@nights"), "") << "no hours in that list";
  EXPECT_NE(refusal_for<Association>("grptres", "cpu"), "");
  std::string all;
  for (std::size_t i = 0; i < limits::tres_per_list_max; ++i)
    all += (i == 0 ? "gres/a" : ",gres/a") + std::to_string(i) + "=1";
  const Association full = row_with<Association>({{"grptres", all}});
  EXPECT_EQ(full.limits.grp_tres.size(), limits::tres_per_list_max);
  EXPECT_EQ(refusal_for("grptres", "cpu=1", full), "grptres counts more than " +
                                                       std::to_string(limits::tres_per_list_max) +
                                                       " resources / count fewer");
}

TEST(AccountingFields, QuotasAreSetOnlyForAccountsBelowTheRootAndCountOnlyResourcesOfNodes) {
  Association root, user, account;
  root.account = "root";
  user.account = account.account = "physics";
  user.user_name = "ada";
  account.parent = "root";
  for (const Association& one : {root, user})
    EXPECT_EQ(
        refusal_for("deserved", "cpu=1", one),
        "deserved can be set only for accounts below the root / set it for an account: modify "
        "account NAME set deserved=...");
  const std::string of_none =
      " counts only resources of nodes, not license/matlab / use cpu, mem, node, gres/NAME or "
      "gres/NAME:TYPE";
  EXPECT_EQ(refusal_for("guarantee", "license/matlab=1", account), "guarantee" + of_none);
  EXPECT_EQ(refusal_for<Qos>("kepttres", "license/matlab=1"), "kepttres" + of_none);
  EXPECT_EQ(refusal_for("guarantee", "cpu=1,node=1,cpu=2@nights", account), "");
}

TEST(AccountingFields, QosAreAddedToAListOnceAndTheirRemovalKeepsTheOrder) {
  Association one;
  const auto qos = [&](char change, const std::string& value) {
    EXPECT_FALSE(set_field(one, {"qos", change, value}));
    return joined(one.qos, ",");
  };
  EXPECT_EQ(qos('=', "b,a"), "b,a");
  EXPECT_EQ(qos('+', "c,a"), "b,a,c");
  EXPECT_EQ(qos('-', "a,d"), "b,c");
  EXPECT_EQ(qos('+', "-1"), "b,c");
  EXPECT_EQ(qos('=', "d"), "d");
  EXPECT_EQ(qos('=', ""), "");
  std::string all = "q0";
  for (std::size_t i = 1; i < limits::accounting_words_max; ++i) all += ",q" + std::to_string(i);
  qos('=', all);
  EXPECT_EQ(one.qos.size(), limits::accounting_words_max);
  EXPECT_EQ(set_field(one, {"qos", '+', "more"})->fact,
            "qos has more than " + std::to_string(limits::accounting_words_max) + " names");
}

TEST(AccountingFields, AnUnknownSettingIsRefusedWithTheNearestNameOrAllNames) {
  EXPECT_EQ(refusal_for<Association>("maxjob", "1"),
            "unknown setting \"maxjob\" / did you mean maxjobs?");
  EXPECT_EQ(refusal_for<Qos>("colour", "1"),
            "unknown setting \"colour\" / possible: priority, preemptmode, "
            "gracetime, preemptweight, preemptexempttime, grptres, kepttres, grpjobs, "
            "grpsubmitjobs, grpsubmit, grptresmins, grpwall, maxtresperuser, maxtrespu, "
            "maxjobsperuser, maxjobspu, maxsubmitjobsperuser, maxsubmitpu, maxtres, "
            "maxtresperjob, mintres, mintresperjob, maxwall, maxwalldurationperjob");
}

TEST(AccountingFields, TakeValuesRemovesASettingAndReturnsEachValueOnce) {
  std::vector<AccountingSetting> settings{
      {"name", '=', "a,,b"}, {"shares", '=', "1"}, {"names", '=', "b,c"}, {"rawusage", '=', "0"}};
  EXPECT_EQ(take_values(settings, {"name", "names"}), (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(settings.size(), 2U);
  EXPECT_TRUE(*take_reset(settings));
  EXPECT_EQ(settings, (std::vector<AccountingSetting>{{"shares", '=', "1"}}));
  EXPECT_FALSE(*take_reset(settings));
  std::vector<AccountingSetting> wrong{{"rawusage", '=', "1"}};
  EXPECT_EQ(take_reset(wrong).refusal().hint, "it can only be set to 0");
}

TEST(AccountingFields, AnAccountingNameHasBoundedLengthAndOnlyCharactersOfHostNames) {
  const std::string longest(limits::account_bytes_max, 'x');
  EXPECT_FALSE(check_accounting_name("a user", longest));
  EXPECT_EQ(check_accounting_name("a user", longest + "x")->fact,
            "a user has " + std::to_string(longest.size() + 1) + " bytes; the limit is " +
                std::to_string(longest.size()));
  EXPECT_EQ(check_accounting_name("a QOS", "a b")->hint, "use letters, digits, '.', '_' and '-'");
}

}  // namespace
}  // namespace cox
