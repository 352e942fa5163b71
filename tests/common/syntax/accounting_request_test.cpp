// Tests how the words of sacctmgr commands are parsed.
#include "common/syntax/accounting_request.h"

#include <gtest/gtest.h>

#include "common/base/limits.h"
#include "common/base/text.h"

namespace cox {
namespace {

using Words = std::vector<std::string>;

// Returns the parsed command as "VERB ENTITY [CONDITIONS] [set SETTINGS]", such as "add account
// [name=physics fairshare=10]", or its refusal as "fact; hint".
std::string parsed(const Words& words) {
  const auto request = parse_accounting(words);
  if (!request) return request.refusal().fact + "; " + request.refusal().hint;
  std::string text;
  text += request->verb == AccountingVerb::Add      ? "add "
          : request->verb == AccountingVerb::Modify ? "modify "
                                                    : "delete ";
  text += request->entity == AccountingEntity::Account ? "account"
          : request->entity == AccountingEntity::User  ? "user"
          : request->entity == AccountingEntity::Qos   ? "qos"
                                                       : "coordinator";
  const auto show = [&](const std::vector<AccountingSetting>& settings) {
    for (const AccountingSetting& one : settings)
      text += " " + one.name + one.change + "(" + one.value + ")";
  };
  show(request->where);
  if (!request->set.empty()) text += " set";
  show(request->set);
  return text;
}

std::string parsed(const std::string& text) {
  return parsed(*split_words(text));
}

constexpr auto too_little =
    "the request is incomplete; write it like: add account physics, modify user ada set maxjobs=5";

}  // namespace

TEST(AccountingRequest, AcceptsAbbreviatedVerbsAndEntities) {
  EXPECT_EQ(parsed("add account physics"), "add account name=(physics)");
  EXPECT_EQ(parsed("CREATE Acct physics"), "add account name=(physics)");
  EXPECT_EQ(parsed("a a p"), "add account name=(p)");
  EXPECT_EQ(parsed("mod users ada set x=1"), "modify user name=(ada) set x=(1)");
  EXPECT_EQ(parsed("update qos q set x=1"), "modify qos name=(q) set x=(1)");
  EXPECT_EQ(parsed("del user ada"), "delete user name=(ada)");
  EXPECT_EQ(parsed("remove accounts p"), "delete account name=(p)");
}

TEST(AccountingRequest, TakesOnePairOfQuotesOffAValue) {
  EXPECT_EQ(parsed(Words{"add", "account", "p", "parent=\"root\"", "description='of spins'"}),
            "add account name=(p) parent=(root) description=(of spins)");
  EXPECT_EQ(parsed(Words{"delete", "user", "'ada'", "account=\"'p'\"", "partition=\"\""}),
            "delete user name=(ada) account=('p') partition=()");
  EXPECT_EQ(parsed(Words{"add", "account", "\"", "parent=\"root", "organization=a\"b\""}),
            "add account name=(\") parent=(\"root) organization=(a\"b\")");
}

// What Slurm 22.05 takes and refuses was asked with `modify WHAT where name=NOBODY set WORD=1`.
TEST(AccountingRequest, CompletesNamesThatAreCutShortAsSlurmDoes) {
  const auto name_in = [](const char* entity, const std::string& cut) {
    const auto request = parse_accounting({"modify", entity, "x", "set", cut + "=1"});
    return request ? request->set.at(0).name : request.refusal().fact;
  };
  for (const auto& [cut, whole] : {std::pair{"s", "shares"},
                                   {"Share", "shares"},
                                   {"fa", "fairshare"},
                                   {"desc", "description"},
                                   {"d", "description"},
                                   {"org", "organization"},
                                   {"MaxJob", "maxjobs"},
                                   {"maxs", "maxsubmitjobs"},
                                   {"maxw", "maxwalldurationperjob"},
                                   {"maxtresm", "maxtresmins"},
                                   {"grpj", "grpjobs"},
                                   {"GrpSub", "grpsubmitjobs"},
                                   {"grpw", "grpwall"},
                                   {"par", "parent"},
                                   {"q", "qos"},
                                   {"defaultq", "defaultqos"},
                                   {"grptres", "grptres"}})
    EXPECT_EQ(name_in("account", cut), whole);
  for (const char* cut : {"g", "gr", "max", "maxt", "maxtr", "def", "p"})
    EXPECT_EQ(name_in("account", cut), cut) << "too short to be one name";
  for (const auto& [cut, whole] : {std::pair{"prio", "priority"},
                                   {"preemptm", "preemptmode"},
                                   {"preempte", "preemptexempttime"},
                                   {"gra", "gracetime"},
                                   {"maxj", "maxjobsperuser"},
                                   {"maxsubmitj", "maxsubmitjobsperuser"},
                                   {"maxtresperu", "maxtresperuser"},
                                   {"maxtresp", "maxtresperjob"},
                                   {"maxw", "maxwalldurationperjob"},
                                   {"usagef", "usagefactor"}})
    EXPECT_EQ(name_in("qos", cut), whole);
  for (const char* cut : {"pr", "pree", "grpt", "maxt", "maxsubmitp", "min", "us"})
    EXPECT_EQ(name_in("qos", cut), cut) << "too short to be one name";
  EXPECT_EQ(name_in("user", "de"), "de") << "users have no description";
  EXPECT_EQ(name_in("user", "defaulta"), "defaultaccount");
  EXPECT_EQ(parsed("delete user where na=ada acc=p part=main"),
            "delete user name=(ada) account=(p) partition=(main)");
  EXPECT_EQ(parse_accounting({"delete", "user", "ada", "clus=c"})->clusters, Words{"c"});
}

TEST(AccountingRequest, SeparatesConditionsFromSettings) {
  EXPECT_EQ(parsed("modify user where Names=ada Account=physics set MaxJobs=5 Qos+=a qos-=b =c"),
            "modify user name=(ada) account=(physics) set maxjobs=(5) qos+(a) qos-(b) =(c)");
  EXPECT_EQ(parsed("modify user set x=1 where ada"), "modify user name=(ada) set x=(1)");
  EXPECT_EQ(parsed("add user ada cluster=c clusters=d fairshare=1"),
            "add user name=(ada) fairshare=(1)");
  EXPECT_EQ(parse_accounting({"delete", "user", "ada", "cluster=C,d", "Clusters="})->clusters,
            (std::vector<std::string>{"c", "d", ""}));
  EXPECT_EQ(parsed("add user ada set fairshare=1=2"), "add user name=(ada) fairshare=(1=2)");
}

TEST(AccountingRequest, RefusesIncompleteCommands) {
  EXPECT_EQ(parsed(""), too_little);
  EXPECT_EQ(parsed("add"), too_little);
  EXPECT_EQ(parsed("add user"), too_little);
  EXPECT_EQ(parsed("modify user ada"),
            "it does not say what to set; modify WHAT NAME set LIMIT=VALUE");
  EXPECT_EQ(parsed("delete user ada set x=1"), "delete takes no set; write: delete WHAT NAME");
}

TEST(AccountingRequest, RefusesUnknownWordsAndNamesTheNearest) {
  EXPECT_EQ(parsed("ad user ada"), "add user name=(ada)");
  EXPECT_EQ(parsed("modfy user ada"),
            "\"modfy\" is not a command that changes accounts; did you mean modify?");
  EXPECT_EQ(
      parsed(Words{"", "user", "ada"}),
      "\"\" is not a command that changes accounts; possible: add, create, modify, update, delete, "
      "remove; sacctmgr also has show, list, dump and load");
  EXPECT_EQ(parsed("add zzzzzzzz ada"),
            "\"zzzzzzzz\" is not a kind of record here; possible: account, accounts, acct, user, "
            "users, qos, coordinator, coordinators");
}

TEST(AccountingRequest, AcceptsCoordinatorsAndRefusesShowCommands) {
  EXPECT_EQ(parsed("add coordinator ada account=physics"),
            "add coordinator name=(ada) account=(physics)");
  EXPECT_EQ(parsed("delete CO names=ada account=physics"),
            "delete coordinator name=(ada) account=(physics)");
  const std::string shows = "this command changes accounts and shows nothing";
  for (const char* words : {"show user", "SH user", "list qos", "l"})
    EXPECT_EQ(parsed(words).substr(0, shows.size()), shows) << words;
  EXPECT_NE(parsed(Words{"", "b"}).substr(0, shows.size()), shows);
}

TEST(AccountingRequest, HasLimitsOfWordsAndLength) {
  Words words = {"add", "user"};
  words.resize(limits::accounting_words_max, "a");
  EXPECT_TRUE(parse_accounting(words));
  words.push_back("a");
  EXPECT_EQ(parsed(words), "it has " + std::to_string(words.size()) + " words; the limit is " +
                               std::to_string(limits::accounting_words_max) +
                               "; split it into several requests");
  Words long_word = {"add", "user", std::string(limits::wish_bytes_max, 'a')};
  EXPECT_TRUE(parse_accounting(long_word));
  long_word.back() += "a";
  EXPECT_EQ(parsed(long_word), "a word has " + std::to_string(limits::wish_bytes_max + 1) +
                                   " bytes; the limit is " +
                                   std::to_string(limits::wish_bytes_max) + "; make it shorter");
}

TEST(AccountingRequest, RefusesUnprintableCharacters) {
  for (const std::string bad : {"a\x01", "a\xff"})
    EXPECT_EQ(parsed(Words{"add", "user", bad}),
              quoted(bad) + " has characters that cannot be printed; leave them out");
}

TEST(SplitWords, KeepsQuotedWordsTogether) {
  EXPECT_EQ(*split_words("  a  b\t\nc "), (Words{"a", "b", "c"}));
  EXPECT_EQ(*split_words("x='a b' \"c 'd'\" e'f'g ''"), (Words{"x=a b", "c 'd'", "efg", ""}));
  EXPECT_EQ(*split_words(""), Words{});
  for (const char* open : {"'", "a \"b'", "'a\""})
    EXPECT_EQ(split_words(open).refusal().fact, "a quotation mark is not closed") << open;
}

TEST(SplitWords, SplitsWordsThatItQuotedIntoTheSameWords) {
  EXPECT_EQ(quoted_words({"a", "", "b c", "d\"e", "f'g", "h'\" i"}),
            "a \"\" \"b c\" 'd\"e' \"f'g\" 'h'\"'\"'\" i'");
  for (const std::string word : {"", "a", "a b", "a\tb", "a\nb", "'", "\"", "a'b\"c", "\"'\"'"})
    EXPECT_EQ(*split_words(quoted_words({word, word})), (Words{word, word})) << word;
}

}  // namespace cox
