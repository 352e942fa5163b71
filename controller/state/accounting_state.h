// Accounts and QOS in the controller's memory, and the limits of jobs that follow from them. Part
// of Cluster; only Cluster changes it. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "controller/change/store.h"
#include "controller/job/per_spec_cache.h"
#include "controller/limits/accounts.h"
#include "controller/limits/qos_limits.h"
#include "controller/state/job_table.h"
#include "controller/state/partition_table.h"

namespace cox {

class AccountingState {
 public:
  // REQUIRES: `jobs` and `partitions` outlive this object.
  AccountingState(const JobTable& jobs, const PartitionTable& partitions)
      : jobs_(jobs), partitions_(partitions) {}

  const Accounts& accounts() const { return accounts_; }
  const std::map<std::string, Qos>& qos() const { return qos_; }
  // Returns the usage by QOS. Only QOS whose jobs have used anything have an entry.
  const std::map<std::string, QosUsage>& qos_usage() const { return qos_usage_; }
  const Qos& qos_of(const JobSpec& spec) const;
  // Returns the job's QOS, with the preemption mode of the job's partition if that sets one.
  const Qos& qos_of(const JobEntry& entry) const;
  // Returns the QOS whose limits bind the job: first those of its partitions, last the job's own.
  std::vector<const Qos*> qos_binding(const JobEntry& entry) const;
  std::vector<const Qos*> qos_binding(
      const ParsedSpec& spec) const;  // the same for a job that is yet to be added
  // Returns the limits that the job counts against while it runs.
  Shared<schedule::Limits> limits_of(const JobEntry& entry) const;
  const LimitRegistry& limits_in_use() const { return limits_in_use_; }
  std::vector<schedule::Quota> quotas() const { return limits_in_use_.quotas(accounts_); }
  // Returns whether any limit or quota names a type of GPU.
  bool counts_gpu_types() const { return limits_in_use_.counts_gpu_types(accounts_, qos_); }
  // Returns the fair-share factor of the association's jobs, from 0 to 1 (fair_share.h). EngineFeed
  // computes it.
  double fair_share_of(AssociationId id) const;
  // Returns the unfinished jobs of these accounts and of the accounts below them.
  std::vector<JobId> jobs_of(const std::set<std::string>& accounts) const;

  // For Cluster.
  void load(Snapshot& snapshot);
  void put(const Association& association) { accounts_.put(association); }
  void remove(AssociationId id);
  void put(std::vector<Qos> all);
  void remove_qos(const std::string& name);
  void put(const QosUsage& usage) { qos_usage_[usage.qos] = usage; }
  void keep_fair_shares(std::map<AssociationId, double> all) { fair_shares_ = std::move(all); }
  // Adds `by` to the counts of pending and running jobs of the QOS and associations that bind the
  // job.
  void count_submitted(const ParsedSpec& spec, std::int64_t by);
  void count_all_submitted();  // anew
  // Called when limits have changed: lists of limits are made anew from now on. Lists returned
  // before keep the old limits.
  void forget_limits();
  // Sets the named hours that are open now. Limits of accounts may apply only during named hours.
  void set_open_hours(const std::set<std::string>& open);
  void forget_array(JobId array) { limits_in_use_.forget_array(array); }

 private:
  void qos_changed();

  const JobTable& jobs_;
  const PartitionTable& partitions_;
  Accounts accounts_;
  std::map<std::string, Qos> qos_;
  std::map<std::string, QosUsage> qos_usage_;
  std::map<AssociationId, double> fair_shares_;
  // Caches: QOS with the preemption mode that a partition sets instead of the QOS's own, and
  // limits.
  mutable std::map<std::pair<std::string, PreemptMode>, Qos> qos_by_mode_;
  mutable LimitRegistry limits_in_use_;
  // Limits of jobs that are not in a partition yet.
  mutable PerSpecCache<schedule::Limits> limits_of_specs_;
};

}  // namespace cox
