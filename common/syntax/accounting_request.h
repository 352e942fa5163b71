// What an administrator wants of accounts, users and tiers, in the words of Slurm's sacctmgr:
// "add account physics fairshare=10", "modify user where name=ada set maxjobs=5". The same words by
// command and by SQL. Names of what is set are known to who judges it. Pure.
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
  std::string name;  // lower case; "name" of plain words
  char change = '=';
  std::string value;
  bool operator==(const AccountingSetting&) const = default;
};

struct AccountingRequest {
  AccountingVerb verb = AccountingVerb::Add;
  AccountingEntity entity = AccountingEntity::Account;
  std::vector<AccountingSetting> where;  // which; of Add all that is said
  std::vector<AccountingSetting> set;    // Modify: what becomes of them
  bool operator==(const AccountingRequest&) const = default;
};

// A command line in words, as a shell makes them: '...' and "..." keep blanks.
Result<std::vector<std::string>> split_words(std::string_view text);
// And back.
std::string quoted_words(const std::vector<std::string>& words);

// Refused: too many words, too long ones, what is no such request.
Result<AccountingRequest> parse_accounting(const std::vector<std::string>& words);

}  // namespace cox
