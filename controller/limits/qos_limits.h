// The limits of QOS and of associations: as the engine counts them, as admission judges them, and
// in words. Cluster keeps one of these; it follows from the QOS, the accounts and the jobs there
// are. A QOS goes before an association: what it limits of all its jobs, or of each user's, no
// association does besides (Slurm's order).
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

// The QOS whose limits bind a job: of its partitions, and its own.
using Binding = std::vector<const Qos*>;

// What comes back when preemption asks for it.
enum class PreemptionYield : std::uint8_t { Never, CpusAlone, Wholly };
// Wherever it comes to run. `qos`: its own.
PreemptionYield gives_way(const Partitions& partitions, const Qos& qos);
inline bool gives_back(PreemptionYield gives_way, const TresCount& what) {
  return gives_way == PreemptionYield::Wholly ||
         (gives_way == PreemptionYield::CpusAlone && what.what == Tres::Cpus);
}

class LimitRegistry {
 public:
  // What a job counts against while it runs: the same list for all of a user in these QOS and an
  // account; where time counts, of those with its time limit. `everywhere`: those of the binding
  // that bind it in whichever of its partitions it runs; what they limit, no association does.
  const Shared<schedule::Limits>& of(const Binding& binding, const Binding& everywhere,
                                     PreemptionYield gives_way, const JobSpec& spec,
                                     const Accounts& accounts);
  // The same, and so many tasks of an array at once.
  const Shared<schedule::Limits>& of_array(const Shared<schedule::Limits>& limits, JobId array,
                                           std::int64_t tasks_most);
  // A QOS or an account has changed: lists handed out are as it was.
  void forget_lists() {
    lists_.clear();
    array_lists_.clear();
    things_.reset();
    types_counted_.reset();
  }
  // By which limits of accounts count.
  void set_open_hours(std::set<std::string> open) {
    open_hours_ = std::move(open);
    forget_lists();
  }
  void forget_array(JobId array) { array_lists_.erase(array); }

  // REQUIRES: one of a list handed out.
  schedule::LimitName name_of(const schedule::Limit& limit) const;
  // The hours with which it may be another one; empty: it is the same at all times.
  std::set<std::string> hours_of(const schedule::Limit& limit) const;

  // A limit of what was used lately, by the engine's number.
  struct Timed {
    std::int32_t limit = 0;
    std::string qos;            // whose; empty: the association's
    AssociationId association;  // else
    TresCount what;             // jobs: their time
  };
  const std::vector<Timed>& timed() const { return timed_; }

  // What accounts have of the things that any of them has a quota of.
  std::vector<schedule::Quota> quotas(const Accounts& accounts);

  // Tiers that keep room for their jobs; lists handed out are as they were.
  void set_tiers(const std::map<std::string, Qos>& all);
  // By the engine's number, what is kept. There, what there is of it is charged as less than none.
  const std::map<std::int32_t, TresCount>& kept_limits() const { return kept_limits_; }

  // Whether anything of this counts GPUs by type, so that requests have to say which.
  bool counts_gpu_types(const Accounts& accounts, const std::map<std::string, Qos>& all);

  // Jobs that wait or run.
  void count_submitted(const Binding& binding, const JobSpec& spec, const Accounts& accounts,
                       std::int64_t by);
  void forget_submitted() { submitted_.clear(); }
  std::int64_t submitted(const Qos& qos) const;
  std::int64_t submitted(const Qos& qos, const std::string& user) const;
  std::int64_t submitted(AssociationId association) const;
  // The same by user: "ada 3, bob 2", whoever has most first.
  std::string submitters(const Qos& qos) const;
  std::string submitters(AssociationId association) const;

 private:
  enum class Of : std::uint8_t {
    Qos,
    QosUser,
    Association,
    AssociationUser,
    AssociationFirm,  // of its work that never gives way
    Array,
    Kept,  // for a tier
  };
  struct Owner {
    Of of = Of::Qos;
    std::string text;  // "QOS standard"
    std::string user;  // QosUser
    bool timed = false;
  };
  struct OfArray {
    Shared<schedule::Limits> limits;  // of its QOS
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
  const std::vector<TresCount>& things(const Accounts& accounts);
  void add_quotas(schedule::Limits& list, const Association& own, PreemptionYield gives_way,
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
  std::map<std::int32_t, std::set<std::string>> hours_of_;  // by the engine's number
  std::map<ListKey, Shared<schedule::Limits>> lists_;
  std::map<JobId, OfArray> array_lists_;
  std::map<std::tuple<Of, std::string, std::string, std::string, bool>, std::int32_t> ids_;
  std::vector<Owner> owners_;  // by id
  std::vector<Timed> timed_;
  std::optional<std::vector<TresCount>> things_;  // that accounts have quotas of
  std::optional<bool> types_counted_;
  std::vector<Kept> kept_;
  std::map<std::int32_t, TresCount> kept_limits_;
  std::map<SubmittedKey, std::int64_t> submitted_;  // user empty: of all
  std::string submitters(const std::string& qos, AssociationId association) const;
};

// What any account has a quota of, without a count.
std::vector<TresCount> quota_things(const Accounts& accounts);
// How much of it the work of an account may have that does not give way: what each account on its
// way is owed. `open`: the hours that are; null: the most that any hours give.
struct FirmLimit {
  const Association* account = nullptr;
  std::int64_t most = 0;
};
std::vector<FirmLimit> firm_limits(const Accounts& accounts, const Association& own,
                                   const TresCount& thing, const std::set<std::string>* open);

// "account physics", "user ada in account physics"
std::string text_of(const Association& association);

// Whether a list counts this, however much of it.
bool has_thing(const TresList& list, const TresCount& thing);

// Where a job has its time limit from that asked for none: "time_limit_max of partition gpu";
// empty: it asked for one, or has none.
using TimeFrom = std::string;

// Whether a job of this size may ever run in the QOS, and for its association, and whether there
// may be so many more of it. REQUIRES: its size and time limit are settled.
// `whole`: of one that has its nodes to itself, what of each is charged by the minute.
Failure check_qos_limits(const Qos& qos, const JobSpec& spec, const TimeFrom& from,
                         const schedule::Whole& whole = std::nullopt);
Failure check_association_limits(const Qos& qos, PreemptionYield gives_way,
                                 const Accounts& accounts, const NamedHours& hours,
                                 const JobSpec& spec, const TimeFrom& from,
                                 const schedule::Whole& whole = std::nullopt);
// Counts so many jobs of this association and of those above it. Negative: they leave it.
void count_submitted(std::map<AssociationId, std::int64_t>& more, const Accounts& accounts,
                     const JobSpec& spec, std::int64_t jobs);
// `more`: of one request, this one with those before it.
Failure check_submit_limits(const Qos& qos, const LimitRegistry& in_use, const JobSpec& spec,
                            std::int64_t more);
Failure check_submit_limits(const Accounts& accounts, const LimitRegistry& in_use,
                            const JobSpec& spec, const std::map<AssociationId, std::int64_t>& more);

}  // namespace cox
