// Whom the jobs of a trace are charged to: accounts with what is theirs, and users in them. Read
// from the lines that make them at a site: a script for sacctmgr, or what `sacctmgr dump` wrote,
// with the two words that are ours, guarantee= and deserved=. What limits one job, or jobs that
// wait, is no part of it. Pure; the first line that cannot be read is refused.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/result.h"
#include "common/resources/tres.h"
#include "common/syntax/accounting_request.h"
#include "simulate/trace/trace.h"

namespace cox::simulate {

using OwnerAt = std::int32_t;  // position among the owners

// An account, or a user of one.
struct Owner {
  std::string name;
  OwnerAt parent = -1;  // the account it is part of, before it in the list; -1: the root
  std::int64_t shares = 1;
  bool of_parent = false;  // fairshare=parent
  bool is_user = false;
  TresList guarantee;
  TresList deserved;
  TresList most;  // GrpTRES
};

class Accounts {
 public:
  Accounts();  // the root alone

  Failure apply(const AccountingRequest& request);
  const std::vector<Owner>& all() const { return all_; }  // the root first

  // The user in the account it names, else in the user's default account. Users that an account
  // does not know are put there, with one share. Refused: an account that is not there, a user
  // who names none and has none.
  Result<OwnerAt> charged(const TraceJob& job);

 private:
  using Settings = std::vector<AccountingSetting>;
  Failure add_account(const Settings& settings);
  Failure add_user(const Settings& settings);
  Failure modify(const AccountingRequest& request);
  Failure modify_user(const AccountingRequest& request);
  OwnerAt user_in(OwnerAt account, const std::string& name);

  std::vector<Owner> all_;
  std::map<std::string, OwnerAt> accounts_;
  std::map<std::pair<OwnerAt, std::string>, OwnerAt> users_;  // by account
  std::map<std::string, OwnerAt> default_accounts_;           // of users
};

Result<Accounts> read_accounts(std::string_view text);

// Of each job whom it is charged to.
Result<std::vector<OwnerAt>> charge(Accounts& accounts, const std::vector<TraceJob>& jobs);

}  // namespace cox::simulate
