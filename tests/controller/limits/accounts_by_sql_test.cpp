// Tests requests to change accounts that an administrator writes into the table cox.request by SQL,
// with one or several lines each.
#include <gtest/gtest.h>

#include <span>

#include "common/base/limits.h"
#include "tests/controller/accounts_story.h"

namespace cox {
namespace {

TEST_F(AccountsStory, RequestsBySqlAreCheckedLikeSacctmgrCommandsAndAnsweredOnce) {
  database->tables.asked = {{7, "admin", "add account physics fairshare=10"},
                            {8, "admin", "add account physics"},
                            {9, "admin", "add account 'unclosed"}};
  pass(std::chrono::seconds{1});
  pass(std::chrono::seconds{1});
  ASSERT_EQ(store.tables().answered.size(), 3u);
  EXPECT_EQ(store.tables().answered[0].lines,
            (std::vector<std::string>{" Adding Account(s)", "  physics"}));
  EXPECT_TRUE(store.tables().answered[1].refused);
  EXPECT_EQ(store.tables().answered[2].lines.front(), "a quotation mark is not closed");
  EXPECT_EQ(view("physics", "").association.shares, 10);
}

TEST_F(AccountsStory, LinesOfOneSqlRequestBuildOnEachOtherAndAreAppliedInOneTurn) {
  database->tables.asked = {
      {7, "admin",
       "\n  add qos night priority=5\n add account physics fairshare=10 qos=night\n\n"
       "add account lattice parent=physics\r\nadd user ada account=lattice defaultqos=night\n"
       "modify account physics set fairshare=20\ndelete qos standby\n"},
      {8, "admin", "add account biology\ndelete account biology\nadd account biology fairshare=3"}};
  database->tables.qos.push_back({"standby", 0, PreemptMode::Cancel, 0, {}, {}, {}});
  restart();
  pass(std::chrono::seconds{1});
  pass(std::chrono::seconds{1});
  ASSERT_EQ(store.tables().answered.size(), 2u);
  const RequestAnswered& answer = store.tables().answered.front();
  EXPECT_FALSE(answer.refused) << joined(answer.lines, "\n");
  EXPECT_EQ(
      joined(answer.lines, "\n"),
      " Adding QOS(s)\n  night\n Adding Account(s)\n  physics\n Adding Account(s)\n  lattice\n"
      " Adding User(s)\n  ada\n  Account = lattice\n Modified account associations...\n"
      "  physics\n Deleting QOS(s)...\n  standby");
  EXPECT_EQ(view("physics", "").association.shares, 20);
  EXPECT_EQ(view("lattice", "ada").association.default_qos, "night");
  EXPECT_EQ(view("biology", "").association.shares, 3);
}

TEST_F(AccountsStory, LinesOfOneSqlRequestAreAppliedTogetherOrNotAtAll) {
  tree();
  database->tables.asked = {
      {7, "admin", "modify account physics set fairshare=77\nadd user bob account=physcs"},
      {8, "admin", "modify account physics set fairshare=77\nadd account 'unclosed\n"},
      {9, "admin", "add qos night\nadd qos night\nadd account x"}};
  pass(std::chrono::seconds{1});
  pass(std::chrono::seconds{1});
  const auto& answers = store.tables().answered;
  ASSERT_GE(answers.size(), 3u);
  const auto last = std::span(answers).last(3);
  for (const RequestAnswered& one : last) EXPECT_TRUE(one.refused) << one.id;
  EXPECT_EQ(joined(last[0].lines, "\n"),
            "line 2 (\"add user bob account=physcs\"): there is no account \"physcs\"\n"
            "did you mean physics?; nothing was changed: all 2 lines are done, or none");
  EXPECT_EQ(last[1].lines.front(),
            "line 2 (\"add account 'unclosed\"): a quotation mark is not closed");
  EXPECT_EQ(last[2].lines.front(),
            "line 2 (\"add qos night\"): Nothing new added: QOS night already exists");
  EXPECT_EQ(view("physics", "").association.shares, 10);
  EXPECT_EQ(sacctmgr("add qos night"), " Adding QOS(s)\n  night") << "nothing of it is left";
}

TEST_F(AccountsStory, AnSqlRequestHasNoMoreLinesThanItsLimit) {
  const auto lines = [](std::size_t count) {
    std::string text;
    for (std::size_t i = 0; i < count; ++i) text += "add account a" + std::to_string(i) + "\n";
    return text;
  };
  database->tables.asked = {{7, "admin", lines(limits::accounting_lines_max + 1)},
                            {8, "admin", lines(limits::accounting_lines_max)}};
  pass(std::chrono::seconds{1});
  pass(std::chrono::seconds{1});
  ASSERT_EQ(store.tables().answered.size(), 2u);
  EXPECT_EQ(store.tables().answered[0].lines.front(), "it has 1001 lines; the limit is 1000");
  EXPECT_FALSE(store.tables().answered[1].refused);
  EXPECT_EQ(store.tables().answered[1].lines.size(), 2 * limits::accounting_lines_max);
}

}  // namespace
}  // namespace cox
