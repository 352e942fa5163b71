// The accounts to which jobs are charged, as in Slurm: a tree of accounts with users in them.
// Each account, and each user in an account, is an association: a row of cox.association, the
// controller's copy in memory, and a reply to clients.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/fields.h"
#include "common/base/ids.h"
#include "common/base/time.h"
#include "common/resources/tres.h"

namespace cox {

using AssociationId = Id<struct AssociationTag, std::int64_t>;  // 0: none

inline constexpr std::string_view root_account = "root";

// Limits of an account, or of a user in an account, with Slurm's names. Nothing, or an empty list:
// no limit.
struct AssociationLimits {
  // For all jobs of the association and of the associations below it, together.
  TresList grp_tres;
  std::optional<std::int64_t> grp_jobs;         // running jobs
  std::optional<std::int64_t> grp_submit_jobs;  // pending and running jobs
  TresList grp_tres_mins;                       // decayed usage, in minutes of each resource
  std::optional<std::int64_t> grp_wall_s;       // decayed usage of wall time
  // Limits for the jobs of each user. If the user's association lacks a limit, that of the nearest
  // account above it applies.
  TresList max_tres_per_job;
  TresList max_tres_mins_per_job;
  std::optional<std::int64_t> max_jobs;
  std::optional<std::int64_t> max_submit_jobs;
  std::optional<std::int64_t> max_wall_s;
  // Quotas of accounts, which Slurm does not have. Other accounts may borrow what an account does
  // not use. `guarantee` is returned to the account within the grace of the borrowing jobs.
  // `deserved` is returned too, but not from jobs of a higher tier (QOS). Up to grp_tres the
  // account may itself borrow.
  TresList guarantee;
  TresList deserved;

  COX_FIELDS(grp_tres, grp_jobs, grp_submit_jobs, grp_tres_mins, grp_wall_s, max_tres_per_job,
             max_tres_mins_per_job, max_jobs, max_submit_jobs, max_wall_s, guarantee, deserved);
  bool operator==(const AssociationLimits&) const = default;
};

struct Association {
  AssociationId id;
  std::string account;
  std::string user_name;  // empty: the association is the account itself
  std::string partition;  // if not empty, only for the user's jobs in this partition
  std::string parent;     // the account above; empty: this is the root account
  std::int64_t shares = 1;
  // fairshare=parent: takes no share of its own in its account, but counts in the account above.
  bool shares_of_parent = false;
  bool is_default = false;  // the user's account for jobs that name no account
  // QOS that its jobs may use; empty: those of the account above; at the root: any.
  std::vector<std::string> qos;
  // QOS of jobs that name none; empty: that of the account above; at the root: `standard`.
  std::string default_qos;
  std::string description;
  std::string organization;
  AssociationLimits limits;
  std::vector<TresUsage> usage;  // usage, decayed until usage_at
  Wall usage_at{};
  std::vector<std::string> coordinators{};  // users who manage this account and those below it

  bool is_account() const { return user_name.empty(); }
  bool is_root() const { return is_account() && parent.empty(); }

  COX_FIELDS(id, account, user_name, partition, parent, shares, shares_of_parent, is_default, qos,
             default_qos, description, organization, limits, usage, usage_at, coordinators);
  bool operator==(const Association&) const = default;
};

}  // namespace cox
