// The facts that a pass decides by: nodes, running jobs, pending jobs, advance reservations and
// quotas. Plain values; their owner passes them to an Engine (engine.h) and updates them there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/base/fields.h"
#include "common/base/ids.h"
#include "common/base/shared.h"
#include "common/base/time.h"
#include "common/cluster/scheduling_settings.h"
#include "common/job/job.h"
#include "common/job/resources.h"
#include "schedule/model/limit.h"
#include "schedule/model/request.h"

namespace cox::schedule {

using Settings = SchedulingSettings;

struct SchedulerNode {
  std::string name;
  NodeResources total;
  std::vector<std::string> features;  // sorted
  std::vector<std::string> domains;   // its domain of each topology level, the outermost first
  bool available = true;              // the node responds and is not drained
  std::string unavailable_why;        // for example "drained: bad fan" or "not responding"
  std::int64_t weight = 1;  // of the nodes that fit, those with the smallest weight are taken first

  COX_FIELDS(name, total, features, available, domains, unavailable_why, weight);
};

// An advance reservation: nodes that are reserved for certain jobs for a time, once or repeatedly.
// The owner of the scheduler decides which jobs may use it. A job uses it if its request names it.
struct AdvanceReservation {
  struct Occurrence {
    Boot begin;
    Boot end;
    COX_FIELDS(begin, end);
    bool operator==(const Occurrence&) const = default;
  };
  std::string name;
  std::vector<std::string> nodes;
  std::vector<Occurrence> occurrences;  // the next few occurrences, in order, without overlap
  bool flex = false;       // its jobs may also run outside it, before it begins and after it ends
  bool overrules = false;  // on nodes that several reservations have, only jobs of this one may run
  std::string users_text;  // its users, as text: "maintenance", "users alice, bob"
  bool is_silence = false;  // not a reservation, but a silent node that is expected back at the end
  bool recurs = false;      // repeats after the last of `occurrences`, at the same intervals

  COX_FIELDS(is_silence, recurs, name, nodes, occurrences, flex, overrules, users_text);
  bool operator==(const AdvanceReservation&) const = default;
};

// An attempt that is not over. Its grants hold room until it is over, also while it stops. A
// stopping attempt may give back single nodes earlier; limits count the whole attempt until it is
// over.
struct RunningJob {
  JobId id;
  std::int32_t tier = 0;
  Boot began;  // start of this attempt, plus the time it was suspended; not updated while suspended
  Milliseconds ran_before{0};  // run time of earlier attempts; while suspended, of this one too
  Placement grants;
  bool stopping = false;  // has been asked to stop: its room will soon be free
  bool preemptable = false;
  bool movable = false;  // has a checkpoint and may continue on other nodes
  bool requeued = true;  // a preemption requeues the job; false: it ends the job
  Shared<Request> request;
  std::optional<Boot> ends_by;  // end of its time limit; of a stopping job, end of its grace time
  // what each unsaved second costs: the job's GPUs; without GPUs, its CPUs
  double loss_per_second_units = 0;
  std::optional<Boot> unsaved_since;  // time of its last committed checkpoint, or of its start
  std::int64_t preempt_weight = 1;    // factor of its tier for the work that a preemption loses
  // how long the job runs at least before it may be preempted; empty: as in the settings
  std::optional<Milliseconds> exempt_time;
  std::vector<Boot> preempted;  // times of its earlier preemptions, oldest first
  bool suspends = false;        // is suspended when preempted: then only its CPUs become free
  bool suspended = false;       // has been asked to suspend, and may have done so
  bool is_suspended = false;    // has suspended: its CPUs are free for other jobs
  bool resumable = false;       // has suspended, and can be resumed since its nodes respond
  std::optional<Boot> resumed;  // when it was last resumed; its exempt time begins again then
  std::optional<Milliseconds> time_left{};  // while suspended: what is left of its time limit
  Shared<Limits> limits{};
  std::int32_t partition_tier = 0;  // Slurm's PriorityTier, as in PendingJob
  bool held = false;       // suspended by a user: not resumed, and nothing is reserved for it
  Placement given_back{};  // grants on nodes that it has given back; no longer in `grants`
  std::optional<Boot> done_by{};  // when it will have ended, by the progress that it reports

  static constexpr std::size_t unlisted_members = 1;  // request
  COX_FIELDS(given_back, suspends, suspended, is_suspended, resumable, resumed, time_left, requeued,
             preempt_weight, exempt_time, preempted, id, tier, began, ran_before, grants, stopping,
             preemptable, movable, ends_by, loss_per_second_units, unsaved_since, limits,
             partition_tier, held, done_by);
};

struct PendingJob {
  JobId id;
  std::int32_t tier = 0;
  double priority = 0;       // orders the jobs of one tier, higher first (order.h)
  double fair_share = 0;     // the part of `priority` that comes from its account
  std::int64_t account = 0;  // number of the account, whose first job gets a reservation; 0: none
  Milliseconds ran{0};       // run time of the job's earlier attempts
  Wall eligible;
  Shared<Request> request;
  std::optional<Milliseconds> time_limit;
  std::optional<Milliseconds> time_min;  // a shorter limit that the job accepts to start sooner
  // The job may start in a gap before a reservation if the gap is at least this long; at its end it
  // saves and is requeued.
  std::optional<Milliseconds> fill_min;
  bool may_preempt = true;
  bool held = false;
  // jobs with equal limits should share one object, which makes passes faster
  Shared<Limits> limits{};
  // Slurm's PriorityTier: ordered before `tier`; gives no right to preempt
  std::int32_t partition_tier = 0;
  std::int64_t copies = 1;  // number of equal array tasks that this job stands for; each may start
  // run time that it still needs, by the progress that its earlier attempts reported
  std::optional<Milliseconds> work_left{};

  static constexpr std::size_t unlisted_members = 1;  // request
  COX_FIELDS(copies, fair_share, account, time_min, fill_min, ran, id, tier, priority, eligible,
             time_limit, may_preempt, held, limits, partition_tier, work_left);
};

struct SchedulerInput {
  std::vector<SchedulerNode> nodes;
  std::vector<RunningJob> running;
  std::vector<PendingJob> pending;
  std::vector<AdvanceReservation> reservations = {};
  std::vector<Quota> quotas = {};
};

// Returns the shortest time limit that the job accepts; empty if it has no limit.
std::optional<Milliseconds> shortest_limit(const PendingJob& job);

}  // namespace cox::schedule
