// The limits of QOS and of associations: their numbers for the engine, their names for users, and
// the checks at submission. Cluster has one LimitRegistry, computed from the QOS, the accounts and
// the jobs. A QOS overrides an association, as in Slurm: if the QOS limits a resource of all its
// jobs, or of each user's, no association limits that resource too.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "common/base/result.h"
#include "common/cluster/qos.h"
#include "common/job/job.h"
#include "controller/limits/accounts.h"
#include "controller/limits/hours.h"
#include "controller/limits/partitions.h"
#include "schedule/model/explain_depth.h"
#include "schedule/model/limit.h"
#include "schedule/queue/limit_use.h"

namespace cox {

// The QOS whose limits bind a job: those of its partitions, and its own last.
using Binding = std::vector<const Qos*>;

// Which resources of a preempted job become free: none, only its CPUs (it is suspended), or all.
enum class PreemptionYield : std::uint8_t { Never, CpusAlone, Wholly };
// Returns the least that becomes free when the job is preempted, over all partitions in which it
// may run. `qos`: the job's own.
PreemptionYield preempted_jobs(const Partitions& partitions, const Qos& qos);
inline bool frees(PreemptionYield preempted_jobs, const TresCount& what) {
  return preempted_jobs == PreemptionYield::Wholly ||
         (preempted_jobs == PreemptionYield::CpusAlone && what.what == Tres::Cpus);
}

class LimitRegistry {
 public:
  // Returns the limits that a running job counts against. All jobs of one user with the same QOS
  // and account share one list; if a limit counts time, they must have the same time limit too.
  // `everywhere`: those QOS of the binding that bind the job in every one of its partitions. Only
  // these override the limits of associations.
  const Shared<schedule::Limits>& of(const Binding& binding, const Binding& everywhere,
                                     PreemptionYield preempted_jobs, const JobSpec& spec,
                                     const Accounts& accounts);
  // Returns a list with a limit of `tasks_most` running tasks of the array in front, followed by
  // `limits`.
  const Shared<schedule::Limits>& of_array(const Shared<schedule::Limits>& limits, JobId array,
                                           std::int64_t tasks_most);
  // Called when a QOS or an account has changed: lists are made anew from now on. Lists returned
  // before keep the old limits.
  void forget_lists() {
    lists_.clear();
    array_lists_.clear();
    quota_tres_.reset();
    types_counted_.reset();
  }
  // Sets the named hours that are open now. Limits of accounts may apply only during named hours.
  void set_open_hours(std::set<std::string> open) {
    open_hours_ = std::move(open);
    forget_lists();
  }
  void forget_array(JobId array) { array_lists_.erase(array); }

  // Returns the pending reason and the text of a limit. REQUIRES: the limit is in a list that of()
  // has returned.
  schedule::LimitName name_of(const schedule::Limit& limit) const;
  // Returns the named hours during which the limit has another value; empty: its value is always
  // the same.
  std::set<std::string> hours_of(const schedule::Limit& limit) const;

  // A limit on past usage (GrpTRESMins, GrpWall), by the number that the engine has for it.
  struct Timed {
    std::int32_t limit = 0;
    std::string qos;  // the QOS that has the limit; empty: the association has it
    AssociationId association;
    TresCount what;  // the resource; Tres::Jobs means run time (GrpWall)
  };
  const std::vector<Timed>& timed() const { return timed_; }

  // Returns the quotas of all accounts: for each resource that any account has a quota of, one
  // tree, in which each account comes directly before those below it.
  std::vector<schedule::Quota> quotas(const Accounts& accounts);

  // Sets which QOS keep resources (kept_tres) from jobs of QOS with lower tiers. Lists returned
  // before keep the old limits.
  void set_tiers(const std::map<std::string, Qos>& all);
  // Returns what each kept_tres keeps, by the number of its limit in the engine. EngineFeed charges
  // what the nodes have of the resource against that limit, as a negative use.
  const std::map<std::int32_t, TresCount>& kept_limits() const { return kept_limits_; }

  // Returns whether any limit counts GPUs by type. Then each request must be for one type of GPU.
  bool counts_gpu_types(const Accounts& accounts, const std::map<std::string, Qos>& all);

  // Adds `by` jobs (negative: removes them) to the counts of pending and running jobs of the QOS in
  // `binding` and of the job's associations.
  void count_submitted(const Binding& binding, const JobSpec& spec, const Accounts& accounts,
                       std::int64_t by);
  void forget_submitted() { submitted_.clear(); }
  std::int64_t submitted(const Qos& qos) const;
  std::int64_t submitted(const Qos& qos, const std::string& user) const;
  std::int64_t submitted(AssociationId association) const;
  // Returns the submitted jobs of the QOS or association by user, most jobs first, at most three
  // users: "ada 3, bob 2".
  std::string submitters(const Qos& qos) const;
  std::string submitters(AssociationId association) const;

 private:
  enum class Of : std::uint8_t {
    Qos,
    QosUser,
    Association,
    AssociationUser,
    AssociationFirm,  // FirmLimit
    Array,
    Kept,  // kept_tres: what a QOS keeps from jobs of lower tiers
  };
  struct Owner {
    Of of = Of::Qos;
    std::string text;  // "QOS standard"
    std::string user;  // of QosUser alone
    bool timed = false;
  };
  struct OfArray {
    Shared<schedule::Limits> limits;  // the array's list before the limit on running tasks is added
    std::int64_t tasks_most = 0;
    Shared<schedule::Limits> list;
  };
  struct Kept {
    std::string qos;
    std::int32_t tier = 0;
    TresCount what;
  };
  using ListKey =
      std::tuple<std::string, std::string, AssociationId, std::int64_t, PreemptionYield>;
  using SubmittedKey = std::tuple<std::string, std::string, AssociationId>;

  schedule::LimitName limit_name(const schedule::Limit& limit) const;
  std::int32_t id_of(const Owner& owner, const TresCount& what);
  const std::vector<TresCount>& tres_with_quotas(const Accounts& accounts);
  void add_quotas(schedule::Limits& list, const Association& own, PreemptionYield preempted_jobs,
                  const Accounts& accounts);
  void add_kept(schedule::Limits& list, const Qos& own);
  schedule::Limit& add(schedule::Limits& list, const Owner& owner, TresCount most);
  void add_qos(schedule::Limits& list, const Qos& qos, const JobSpec& spec);
  void add_associations(schedule::Limits& list, const Binding& everywhere, const JobSpec& spec,
                        const Accounts& accounts);
  void add_timed(schedule::Limits& list, const Qos& qos, const JobSpec& spec);
  void add_timed(schedule::Limits& list, const Association& one, const Binding& everywhere,
                 const JobSpec& spec);
  void add_minutes(schedule::Limits& list, const Owner& owner, const Timed& whose, TresCount most,
                   const JobSpec& spec);

  std::set<std::string> open_hours_;
  // hours_of(), by the engine's number of the limit.
  std::map<std::int32_t, std::set<std::string>> hours_of_;
  std::map<ListKey, Shared<schedule::Limits>> lists_;
  std::map<JobId, OfArray> array_lists_;
  std::map<std::tuple<Of, std::string, std::string, std::string, bool>, std::int32_t> ids_;
  std::vector<Owner> owners_;  // by id
  std::vector<Timed> timed_;
  std::optional<std::vector<TresCount>> quota_tres_;  // quota_tres()
  std::optional<bool> types_counted_;
  std::vector<Kept> kept_;
  std::map<std::int32_t, TresCount> kept_limits_;
  // With an empty user: the number of all users' jobs.
  std::map<SubmittedKey, std::int64_t> submitted_;
  std::string submitters(const std::string& qos, AssociationId association) const;
};

// Returns the resources that any account has a quota of, with count 0 and no hours.
std::vector<TresCount> quota_tres(const Accounts& accounts);
// How much of a resource the non-preemptible jobs of an account may have: no more than the account
// is owed, because such jobs could not give back what is lent to them.
struct FirmLimit {
  const Association* account = nullptr;
  std::int64_t most = 0;
};
// Returns the firm limits on `tres` of the accounts from `own` up to the root. `open`: the hours
// that are open; null: takes the highest quota of any hours.
std::vector<FirmLimit> firm_limits(const Accounts& accounts, const Association& own,
                                   const TresCount& tres, const std::set<std::string>* open);

// Returns "account physics", "user ada in account physics"
std::string text_of(const Association& association);

// Returns whether the list has an entry for this resource, whatever its count.
bool has_tres(const TresList& list, const TresCount& tres);

// The source of the time limit of a job that did not ask for one: "time_limit_max of partition
// gpu"; empty: the job asked for one, or has none.
using TimeFrom = std::string;

// Refuse a job that the limits of the QOS, or of its association and those above it, never let run.
// REQUIRES: defaults for its size and time limit are filled in. `whole`: for a job with exclusive
// nodes, what a limit in minutes counts of each node.
Failure check_qos_limits(const Qos& qos, const ParsedSpec& spec, const TimeFrom& from,
                         const schedule::Whole& whole = std::nullopt);
Failure check_association_limits(const Qos& qos, PreemptionYield preempted_jobs,
                                 const Accounts& accounts, const NamedHours& hours,
                                 const ParsedSpec& spec, const TimeFrom& from,
                                 const schedule::Whole& whole = std::nullopt);
// Adds `jobs` to `more` for the job's association and all associations above it. Negative: the jobs
// leave these associations.
void count_submitted(std::map<AssociationId, std::int64_t>& more, const Accounts& accounts,
                     const JobSpec& spec, std::int64_t jobs);
// Refuse jobs beyond GrpSubmitJobs and the like. `more`: the jobs that the request adds so far,
// those of this specification included.
Failure check_submit_limits(const Qos& qos, const LimitRegistry& in_use, const ParsedSpec& spec,
                            std::int64_t more);
Failure check_submit_limits(const Accounts& accounts, const LimitRegistry& in_use,
                            const ParsedSpec& spec,
                            const std::map<AssociationId, std::int64_t>& more);

}  // namespace cox
