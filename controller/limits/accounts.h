// The tree of accounts with the users in them, in memory. Cluster has one Accounts object; only
// Cluster::apply changes it. Pure.
//
// The root account always exists. As long as no account has a user, jobs need no account, and the
// limits of accounts bind no job.
#pragma once

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "common/base/result.h"
#include "common/cluster/association.h"
#include "common/job/job.h"

namespace cox {

class Accounts {
 public:
  // Adds the association or replaces the one with its id. REQUIRES: its parent account exists.
  void put(Association association);
  // REQUIRES: the association exists; if it is an account, no user or account is in it.
  void remove(AssociationId id);

  const std::map<AssociationId, Association>& all() const { return all_; }
  AssociationId next() const;  // returns an id greater than every id that was ever put
  bool are_used() const { return !of_users_.empty(); }

  const Association* at(AssociationId id) const;
  const Association* account(const std::string& name) const;
  const Association* find(const std::string& account, const std::string& user,
                          const std::string& partition) const;
  // Returns the user's association in the account: the one for the first of these partitions
  // ("a,b") that has one, else the one for all partitions. Null: the user has none there.
  const Association* of(const std::string& account, const std::string& user,
                        const std::string& partition) const;
  const Association* of(const JobSpec& spec) const {
    return of(spec.account, spec.user_name, spec.partition);
  }
  // Returns the account of the user's jobs that name none; empty: the user has no default account.
  std::string default_of(const std::string& user) const;
  std::vector<const Association*> of_user(const std::string& user) const;
  // Returns the accounts and users directly in the account, by name.
  std::vector<const Association*> children(const std::string& account) const;
  // Returns the association, its account and all parent accounts, up to the root.
  std::vector<const Association*> chain(const Association& from) const;
  // True also if both are the same account.
  bool is_below(const std::string& account, const std::string& above) const;
  // Returns whether the user is a coordinator of the account or of a parent of it.
  bool is_coordinator(const std::string& user, const std::string& account) const;
  bool is_coordinator(const std::string& user) const;  // of any account

  // Return the values for jobs charged to the association: its own, or, if it has none, those of
  // the nearest account above that has some.
  std::vector<std::string> qos_of(const Association& association) const;  // empty: any
  std::string default_qos_of(const Association& association) const;       // empty: none
  AssociationLimits limits_of(const Association& association) const;
  // Returns whether GrpTRESMins or GrpWall limits the association or an account above it.
  bool counts_time(const Association& association) const;

 private:
  using Key = std::tuple<std::string, std::string, std::string>;
  static Key key_of(const Association& association);

  std::map<AssociationId, Association> all_;
  std::map<Key, AssociationId> by_name_;
  // By account: its users and accounts, by name.
  std::map<std::string, std::map<std::string, AssociationId>> parts_;
  std::map<std::string, std::set<AssociationId>> of_users_;
  AssociationId last_;
};

// Returns the QOS of a job that names none. If `named` (the configured default) is not empty, it is
// that; else "standard", or the first of `allowed` if "standard" is not in it. An empty `allowed`
// allows any QOS.
std::string qos_unasked(const std::string& named, const std::vector<std::string>& allowed);

}  // namespace cox
