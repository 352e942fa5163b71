// Tests that a question with many job ids is divided into requests that the controller accepts.
#include <gtest/gtest.h>

#include "client/io/pages.h"
#include "common/base/limits.h"

namespace cox {
namespace {

std::vector<JobId> ids_up_to(std::size_t count) {
  std::vector<JobId> ids;
  for (std::size_t i = 1; i <= count; ++i) ids.push_back(JobId{static_cast<std::int64_t>(i)});
  return ids;
}

TEST(Portions, OfASmallQuestionAreTheQuestion) {
  ActOnJobs act{JobVerb::Hold, ids_up_to(limits::request_ids_max)};
  ASSERT_EQ(portions_of(act).size(), 1u);
  EXPECT_EQ(std::get<ActOnJobs>(portions_of(act)[0]).ids, act.ids);
  EXPECT_EQ(portions_of(ShowCluster{}).size(), 1u);
  EXPECT_EQ(portions_of(ListJobs{}).size(), 1u);
}

TEST(Portions, HaveTheTasksOfTheirIds) {
  UpdateJobs update;
  update.ids = ids_up_to(limits::request_ids_max + 1);
  update.tasks.assign(update.ids.size(), "");
  update.tasks.back() = "1-3";
  update.names = {"Nice"};
  const auto portions = portions_of(update);
  ASSERT_EQ(portions.size(), 2u);
  EXPECT_EQ(std::get<UpdateJobs>(portions[0]).ids.size(), limits::request_ids_max);
  EXPECT_EQ(std::get<UpdateJobs>(portions[0]).tasks.size(), limits::request_ids_max);
  const auto& last = std::get<UpdateJobs>(portions[1]);
  EXPECT_EQ(last.ids, std::vector{update.ids.back()});
  EXPECT_EQ(last.tasks, std::vector<std::string>{"1-3"});
  EXPECT_EQ(last.names, update.names);
}

TEST(Portions, OfListsAreAsLongAsAPage) {
  ListJobs list;
  list.ids = ids_up_to(2 * limits::page_rows_max + 1);
  EXPECT_EQ(portions_of(list).size(), 3u);
  ListAccounting records;
  records.names.assign(limits::page_rows_max + 1, "train");
  ASSERT_EQ(portions_of(records).size(), 2u);
  EXPECT_EQ(std::get<ListAccounting>(portions_of(records)[1]).names.size(), 1u);
}

// What was done before a portion is refused is still shown.
TEST(Portions, ThatAreNotCarriedOutHaveARefusalForEachJob) {
  const ActOnJobs act{JobVerb::Hold, ids_up_to(2 * limits::request_ids_max + 1)};
  const auto portions = portions_of(act);
  ASSERT_EQ(portions.size(), 3u);
  Acted acted;
  acted.outcomes.push_back({"1", "held", {}});
  add_refused(acted, std::span(portions).subspan(2), {"PostgreSQL is away", "try again"});
  ASSERT_EQ(acted.outcomes.size(), 2u);
  EXPECT_EQ(acted.outcomes[1].what, std::to_string(2 * limits::request_ids_max + 1));
  EXPECT_EQ(acted.outcomes[1].refused->fact, "PostgreSQL is away");
}

}  // namespace
}  // namespace cox
