// The facts that the scheduler decides by: nodes, running jobs, pending jobs, advance reservations
// and quotas. Plain values; their owner hands them to an Engine (engine.h) and updates them there.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

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
  bool available = true;              // responding and not drained
  std::string unavailable_why;        // "drained: bad fan", "not responding"
  std::int64_t weight = 1;            // of nodes that would do, the lighter are taken first
};

// An advance reservation: nodes that are kept for certain jobs for a time, once or repeatedly. The
// owner of the scheduler decides which jobs may use it; a job is in it if its request names it.
struct AdvanceReservation {
  struct Occurrence {
    Boot begin;
    Boot end;
    bool operator==(const Occurrence&) const = default;
  };
  std::string name;
  std::vector<std::string> nodes;
  std::vector<Occurrence> occurrences;  // the next few, in order, without overlap
  bool flex = false;        // its jobs may also run outside it, before it begins and after it ends
  bool overrules = false;   // on nodes of several reservations, only this one's jobs may run
  std::string for_whom;     // shown to people: "maintenance", "users alice, bob"
  bool is_silence = false;  // not a reservation: a silent node, expected back at the end
  bool recurs = false;      // repeats after the last of `occurrences`, at the same intervals
  bool operator==(const AdvanceReservation&) const = default;
};

// A live attempt. Its grants hold room until it is over, also while it stops. A stopping attempt
// may give single nodes back early; limits count the whole attempt until it is over.
struct RunningJob {
  JobId id;
  std::int32_t tier = 0;
  Boot began;  // of this attempt, moved on by the time it was suspended; not moved while suspended
  Milliseconds ran_before{0};  // in earlier attempts; while suspended, in this attempt as well
  Placement grants;
  bool stopping = false;  // its room is coming free
  bool preemptable = false;
  bool movable = false;  // has a checkpoint, and would continue on other nodes
  bool requeued = true;  // is queued again after it was preempted
  Shared<Request> request;
  std::optional<Boot> ends_by;              // by its time limit; of a stopping job, by its grace
  double loss_per_second_units = 0;         // its GPUs, or its CPUs if it has no GPU
  std::optional<Boot> unsaved_since;        // its last committed checkpoint, or its start
  std::int64_t preempt_weight = 1;          // factor of its tier on the work that is lost
  std::optional<Milliseconds> exempt_time;  // not preempted before; empty: as in the settings
  std::vector<Boot> preempted;              // when it was preempted before, oldest first
  bool suspends = false;        // is suspended when preempted: then only its CPUs come free
  bool suspended = false;       // was asked to suspend
  bool stands_still = false;    // has suspended: its CPUs are free for others
  bool resumable = false;       // has suspended, and can be resumed
  std::optional<Boot> resumed;  // when it was resumed last; it is exempt again from then on
  std::optional<Milliseconds> time_left{};  // of its time limit, while it is suspended
  Shared<Limits> limits{};
  std::int32_t rank = 0;   // as in PendingJob
  bool held = false;       // suspended by a person: not resumed, and no room is kept for it
  Placement given_back{};  // nodes it was granted and has given back
};

struct PendingJob {
  JobId id;
  std::int32_t tier = 0;
  double priority = 0;       // within its tier, higher first (order.h)
  double fair_share = 0;     // the part of `priority` that comes from its account
  std::int64_t account = 0;  // an account whose first job has a reservation; 0: none
  Milliseconds ran{0};       // in earlier attempts
  Wall eligible;
  Shared<Request> request;
  std::optional<Milliseconds> time_limit;
  std::optional<Milliseconds> time_min;  // a shorter limit that will do, to start sooner
  // The shortest gap before a reservation in which it starts, saves at the end and is requeued.
  std::optional<Milliseconds> fill_min;
  bool may_preempt = true;
  bool held = false;
  Shared<Limits> limits{};  // equal limits should be shared, but need not be
  std::int32_t rank = 0;    // ordered before the tier; nobody is preempted because of it
  std::int64_t copies = 1;  // the number of equal jobs it stands for; each of them may start
};

struct SchedulerInput {
  std::vector<SchedulerNode> nodes;
  std::vector<RunningJob> running;
  std::vector<PendingJob> pending;
  std::vector<AdvanceReservation> reservations = {};
  std::vector<Quota> quotas = {};
};

// The least time that the job would do with; empty: it has no limit.
std::optional<Milliseconds> shortest_limit(const PendingJob& job);

}  // namespace cox::schedule
