// Whom jobs are charged to, as Slurm has it: a tree of accounts, and users in them. Each account
// and each user of an account is an association: a row of cox.association, the controller's memory
// of it, and what clients are shown.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/ids.h"
#include "common/base/time.h"
#include "common/resources/tres.h"

namespace cox {

using AssociationId = Id<struct AssociationTag, std::int64_t>;  // 0: none

inline constexpr std::string_view root_account = "root";

// By Slurm's names. Nothing, and an empty list: no limit here.
struct AssociationLimits {
  // Of all its jobs together, and of those of the associations below it.
  TresList grp_tres;
  std::optional<std::int64_t> grp_jobs;         // that run
  std::optional<std::int64_t> grp_submit_jobs;  // that wait or run
  TresList grp_tres_mins;                       // used lately, in minutes of each
  std::optional<std::int64_t> grp_wall_s;       // of jobs' time used lately
  // Of the jobs of one user: its own, or those of the nearest account above that has one.
  TresList max_tres_per_job;
  TresList max_tres_mins_per_job;
  std::optional<std::int64_t> max_jobs;
  std::optional<std::int64_t> max_submit_jobs;
  std::optional<std::int64_t> max_wall_s;
  // Ours, of an account: what it always gets back within the grace of who borrows it, and what is
  // its own as long as it asks for it. What it may borrow beyond that ends at its grp_tres.
  TresList guarantee;
  TresList deserved;

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.grp_tres, self.grp_jobs, self.grp_submit_jobs, self.grp_tres_mins, self.grp_wall_s,
          self.max_tres_per_job, self.max_tres_mins_per_job, self.max_jobs, self.max_submit_jobs,
          self.max_wall_s, self.guarantee, self.deserved);
  }
  bool operator==(const AssociationLimits&) const = default;
};

struct Association {
  AssociationId id;
  std::string account;
  std::string user_name;  // empty: the account itself
  std::string partition;  // of a user: for jobs in this one alone; empty: in any
  std::string parent;     // of an account: the one it is part of; empty: it is the root
  std::int64_t shares = 1;
  bool shares_of_parent = false;  // fairshare=parent: as if it stood where its parent stands
  bool is_default = false;        // of a user: the one its jobs are charged to if they do not say
  std::vector<std::string> qos;   // that its jobs may have; empty: as its account, at the root any
  std::string default_qos;        // empty: as its account, at the root `standard`
  std::string description;
  std::string organization;
  AssociationLimits limits;
  std::vector<TresUsage> usage;  // as it was at:
  Wall usage_at{};
  std::vector<std::string> coordinators{};  // users who manage this account and those below it

  bool is_account() const { return user_name.empty(); }
  bool is_root() const { return is_account() && parent.empty(); }

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.id, self.account, self.user_name, self.partition, self.parent, self.shares,
          self.shares_of_parent, self.is_default, self.qos, self.default_qos, self.description,
          self.organization, self.limits, self.usage, self.usage_at, self.coordinators);
  }
  bool operator==(const Association&) const = default;
};

}  // namespace cox
