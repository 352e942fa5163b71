// The accounts and users that the jobs of a trace are charged to. They are read from the lines that
// create them at a site: a script for sacctmgr, or the output of `sacctmgr dump`, with guarantee=
// and deserved= as extensions. Limits on single jobs or on waiting jobs are ignored. Pure; the
// first line that cannot be parsed is refused.
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

using OwnerAt = std::int32_t;  // position in Accounts::all()

// An account, or a user of one.
struct Owner {
  std::string name;
  OwnerAt parent = -1;  // its account, which comes earlier in the list; -1: the root
  std::int64_t shares = 1;
  bool of_parent = false;  // fairshare=parent
  bool is_user = false;
  TresList guarantee;
  TresList deserved;
  TresList most;  // GrpTRES
};

class Accounts {
 public:
  Accounts();  // only the root

  Failure apply(const AccountingRequest& request);
  const std::vector<Owner>& all() const { return all_; }  // the root first

  // Returns the owner that the job is charged to: the user in the named account, or in the user's
  // default account. A user unknown to the account is added with one share. Refused if the account
  // does not exist, or if none is named and the user has no default account.
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
  std::map<std::string, OwnerAt> default_accounts_;           // by user
};

Result<Accounts> read_accounts(std::string_view text);

// Returns the owner that each job is charged to.
Result<std::vector<OwnerAt>> charge(Accounts& accounts, const std::vector<TraceJob>& jobs);

}  // namespace cox::simulate
