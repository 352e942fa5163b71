// Tests the words that the configuration and accounting commands accept for policies, preemption
// modes, backfill and billing weights.
#include <gtest/gtest.h>

#include "common/base/limits.h"
#include "common/cluster/qos.h"
#include "common/cluster/scheduling_settings.h"
#include "common/resources/tres.h"
#include "tests/common/refusal.h"

namespace cox {
namespace {

template <class Policies>
std::string names_of(const Policies& policies) {
  std::string names;
  for (const auto& [name, policy] : policies) names += std::string(name) + " ";
  return names;
}

TEST(SettingsWords, PlacementAndOrderPoliciesHaveTheListedNames) {
  EXPECT_EQ(names_of(placement_policies()), "fgd best_fit packing spreading least_free ");
  EXPECT_EQ(names_of(order_policies()),
            "multifactor fcfs shortest_first least_attained shortest_remaining gittins ");
}

TEST(SettingsWords, BackfillIsAWordOrANumberOfReservations) {
  const auto reservations = [](const char* text) {
    const auto backfill = backfill_from(text);
    return backfill ? backfill->reservations : -1;
  };
  EXPECT_EQ(reservations("none"), 0);
  EXPECT_EQ(reservations("easy"), 1);
  EXPECT_EQ(reservations("conservative"), Backfill::all);
  EXPECT_EQ(reservations("1"), 1);
  EXPECT_EQ(reservations("10000"), 10'000);
  for (const char* wrong : {"10001", "0", "-1", "", "2x", " 2", "Easy"})
    EXPECT_EQ(reservations(wrong), -1) << wrong;
}

TEST(SettingsWords, APreemptionModeIsParsedAsItIsFormatted) {
  using enum PreemptMode;
  for (const auto& [mode, word] : {std::pair{Checkpoint, "checkpoint"},
                                   {Requeue, "requeue"},
                                   {Cancel, "cancel"},
                                   {Off, "off"},
                                   {Suspend, "suspend"}}) {
    EXPECT_EQ(name(mode), word);
    EXPECT_EQ(preempt_mode_from(word), mode);
  }
  EXPECT_EQ(preempt_mode_from("Requeue"), std::nullopt);
  EXPECT_EQ(preempt_mode_from(""), std::nullopt);
}

TEST(SettingsWords, AQosAsksToSaveIfItsModeDoesAndItHasAGraceTime) {
  using enum PreemptMode;
  Qos qos;
  for (const auto& [mode, asks] : {std::pair{Checkpoint, true},
                                   {Off, true},
                                   {Suspend, true},
                                   {Requeue, false},
                                   {Cancel, false}}) {
    qos.preempt_mode = mode;
    qos.grace_ms = 1;
    EXPECT_EQ(qos.requests_save(), asks) << name(mode);
    qos.grace_ms = 0;
    EXPECT_FALSE(qos.requests_save()) << name(mode);
  }
  qos.tier = 2;
  EXPECT_EQ(qos.weight(), 3);
  qos.tier = -2;
  EXPECT_EQ(qos.weight(), 1);
  qos.preempt_weight = 7;
  EXPECT_EQ(qos.weight(), 7);
}

TEST(SettingsWords, BillingWeightsAreParsedAsTheyAreFormatted) {
  const auto again = [](const std::string& text) {
    return format_billing_weights(*parse_billing_weights(text));
  };
  EXPECT_EQ(again(""), "");
  EXPECT_EQ(again("cpu=1,mem=0.25,gres/gpu:h100=1000000"), "cpu=1,mem=0.25,gres/gpu:h100=1000000");
  std::string many = "gres/g0=1";
  for (std::size_t i = 1; i < limits::tres_per_list_max; ++i)
    many += ",gres/g" + std::to_string(i) + "=1";
  EXPECT_EQ(again(many), many);
  expect_refusals({{"cpu", "\"cpu\" is not a valid TRES list"},
                   {"gpu=1", "\"gpu\" is not a TRES"},
                   {many + ",cpu=1", "it weights more than "}},
                  parse_billing_weights);
  for (const char* beyond : {"cpu=-1", "cpu=1000000.001", "cpu=x"}) {
    const auto refused = parse_billing_weights(beyond);
    ASSERT_FALSE(refused.ok()) << beyond;
    EXPECT_NE(refused.refusal().hint, "") << beyond;
  }
}

TEST(SettingsWords, NamesOfHoursAreShortAndPlain) {
  EXPECT_TRUE(is_hours_name("nights-2"));
  EXPECT_TRUE(is_hours_name(std::string(63, 'x')));
  EXPECT_FALSE(is_hours_name(std::string(64, 'x')));
  EXPECT_FALSE(is_hours_name(""));
  EXPECT_FALSE(is_hours_name("a b"));
}

}  // namespace
}  // namespace cox
