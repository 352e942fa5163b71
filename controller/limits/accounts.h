// The tree of accounts with the users in them, in memory. Cluster keeps one of these; it changes
// through Cluster::apply alone. Pure.
//
// There is always the root. As long as no account has a user, nobody needs an account: jobs have
// none, and nothing of this counts.
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
  // A row, new or changed. REQUIRES: of an account: that it is part of one that is there.
  void put(Association association);
  void remove(AssociationId id);  // REQUIRES: it is there, and nothing is part of it

  const std::map<AssociationId, Association>& all() const { return all_; }
  AssociationId next() const;  // greater than all that were ever here
  bool are_used() const { return !of_users_.empty(); }

  const Association* at(AssociationId id) const;
  const Association* account(const std::string& name) const;
  const Association* find(const std::string& account, const std::string& user,
                          const std::string& partition) const;
  // Of the user in the account: the one for the first of these partitions ("a,b") that has one, or
  // for any. Null: there is none.
  const Association* of(const std::string& account, const std::string& user,
                        const std::string& partition) const;
  const Association* of(const JobSpec& spec) const {
    return of(spec.account, spec.user_name, spec.partition);
  }
  // The account that the user's jobs are charged to if they do not say; empty: none.
  std::string default_of(const std::string& user) const;
  std::vector<const Association*> of_user(const std::string& user) const;
  // What is part of an account: accounts and users, by name.
  std::vector<const Association*> children(const std::string& account) const;
  // From it up to the root.
  std::vector<const Association*> chain(const Association& from) const;
  bool is_below(const std::string& account, const std::string& above) const;  // or the same
  // Returns whether the user is a coordinator of the account or of a parent of it.
  bool is_coordinator(const std::string& user, const std::string& account) const;
  bool is_coordinator(const std::string& user) const;  // of any

  // As they hold for jobs charged to it: its own, or those of the nearest account that has some.
  std::vector<std::string> qos_of(const Association& association) const;  // empty: any
  std::string default_qos_of(const Association& association) const;       // empty: none
  AssociationLimits limits_of(const Association& association) const;
  // Whether use of late is limited, of it or of an account above.
  bool counts_time(const Association& association) const;

 private:
  using Key = std::tuple<std::string, std::string, std::string>;
  static Key key_of(const Association& association);

  std::map<AssociationId, Association> all_;
  std::map<Key, AssociationId> by_name_;
  std::map<std::string, std::map<std::string, AssociationId>> parts_;  // accounts in accounts
  std::map<std::string, std::set<AssociationId>> of_users_;
  AssociationId last_;
};

// What a job has that asks for no QOS. `named`: the default that is set, or nothing; `allowed`:
// empty: any.
std::string qos_unasked(const std::string& named, const std::vector<std::string>& allowed);

}  // namespace cox
