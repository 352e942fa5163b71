// A request of an administrator about accounts, users or QOS, in the words of Slurm's sacctmgr:
// "add account physics fairshare=10", "modify user where name=ada set maxjobs=5". Both the command
// sacctmgr and SQL (CALL cox.sacctmgr) use these words. controller/accounting/ validates the names
// of settings. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"

namespace cox {

enum class AccountingVerb : std::uint8_t { Add, Modify, Delete };
enum class AccountingEntity : std::uint8_t { Account, User, Qos, Coordinator };

// name=value, name+=value, name-=value
struct AccountingSetting {
  std::string name;  // in lower case; "name" for a word without "="
  char change = '=';
  std::string value;
  bool operator==(const AccountingSetting&) const = default;
};

struct AccountingRequest {
  AccountingVerb verb = AccountingVerb::Add;
  AccountingEntity entity = AccountingEntity::Account;
  // Which accounts, users or QOS are meant; for Add: all settings.
  std::vector<AccountingSetting> where;
  std::vector<AccountingSetting> set;   // for Modify: settings with their new values
  std::vector<std::string> clusters{};  // cluster=a,b: for these alone; empty: not given
  bool operator==(const AccountingRequest&) const = default;
};

// Splits a command line into words as a shell does: blanks inside '...' and "..." do not separate
// words.
Result<std::vector<std::string>> split_words(std::string_view text);
// Joins words to one text, from which split_words() gets the same words.
std::string quoted_words(const std::vector<std::string>& words);
// Takes one pair of quotes off a value, such as "root" in quotes that no shell has taken off.
std::string without_quotes(std::string value);

// Parses the words of a request. Refuses too many words, words that are too long, and an invalid
// request.
Result<AccountingRequest> parse_accounting(const std::vector<std::string>& words);

}  // namespace cox
