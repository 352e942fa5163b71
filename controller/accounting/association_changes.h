// The changes that one request of sacctmgr makes to accounts and users, collected while it is
// decided: each is applied to a copy of the accounts at once, so that the next one sees it. Used by
// accounting_accounts.cpp and accounting_users.cpp, which decide the requests. Pure.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/syntax/accounting_request.h"
#include "controller/accounting/accounting.h"

namespace cox {

class AssociationChanges {
 public:
  AssociationChanges(const Cluster& cluster, AccountingBooks& books)
      : cluster_(cluster), accounts_(books.accounts), qos_(books.qos), next_(accounts_.next()) {}

  const Cluster& cluster() const { return cluster_; }
  const Accounts& accounts() const { return accounts_; }

  // ---- what the request does
  void say(std::string line) { ruling_.lines.push_back(std::move(line)); }
  void put(Association association);
  // Removes a user of an account. Refused while the user has jobs there.
  Failure remove_user(const Association& one);
  // Removes an account without users; the account above gets its usage.
  void remove_account(const std::string& name);
  AssociationId take_id();
  // Remembers a name that the request does not change: one to add that is there already, or one to
  // change or delete that is not.
  void skip(Refusal why) { skipped_.push_back(std::move(why)); }
  // Remembers an account of which the request sets a quota: the answer warns of quotas that cannot
  // have their effect. Refuses quotas that contradict each other.
  Failure check_new_quotas(const Association& one, const std::vector<AccountingSetting>& set);
  // Returns the changes and the lines. A request that names only what it cannot change is refused
  // in Slurm's words: "Nothing modified".
  Result<AccountingRuling> ruling(const AccountingRequest& request);

  // ---- what it may do
  Failure set_all(Association& one, const std::vector<AccountingSetting>& set) const;
  Failure check_qos(const Association& one) const;
  Failure check_room(std::size_t more) const;

 private:
  const Association* above(const Association& one) const;
  std::vector<std::string> qos_from_above(const Association& one) const;
  std::string qos_unasked(const Association& one, const std::vector<std::string>& allowed) const;
  Failure set_qos(Association& one, const AccountingSetting& setting) const;
  void remove(AssociationId id);
  const std::map<AssociationId, std::vector<std::string>>& jobs();
  Failure check_no_jobs(const Association& one);
  void keep_usage(const Association& gone);

  const Cluster& cluster_;
  Accounts& accounts_;  // all accounts, with the changes that the request has made so far
  const std::map<std::string, Qos>& qos_;
  AssociationId next_;
  std::optional<std::map<AssociationId, std::vector<std::string>>> jobs_;
  AccountingRuling ruling_;
  std::vector<Refusal> skipped_;
  std::vector<std::string> quotas_set_;
};

// Decide a request about accounts, or about users.
Failure decide_accounts(AssociationChanges& changes, const AccountingRequest& request);
Failure decide_users(AssociationChanges& changes, const AccountingRequest& request);

}  // namespace cox
