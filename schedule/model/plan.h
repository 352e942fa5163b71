// The brain's face: World in, Plan out. Pure; one call is one scheduling pass.
//
//   order → place → (room that is being freed) → preempt → timeline/backfill → Plan
//
// For each pending job, by rank, then by tier, then by priority, then by eligible time, then by id
// (a suspended job stands in front of those of its rank and tier, and goes on where it is when its
// CPUs are free):
//   1. It fits now: a start. Below a job that holds a reservation, only if it cannot delay
//      that one: it ends before the reserved time, or uses only what is spare then.
//   2. It fits once attempts that are already stopping are gone: that room is kept for it. Nothing
//      more is preempted for it.
//   3. It fits if lower tiers give way: the cheapest set of victims that provably lets the whole
//      gang start; the freed room is kept for it.
//   4. Else the first such jobs, as many as Settings says, get a reservation (the time from time
//      limits); all get a reason with numbers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/base/ids.h"
#include "common/base/shared.h"
#include "common/base/time.h"
#include "common/cluster/scheduling_settings.h"
#include "common/job/job.h"
#include "common/job/resources.h"
#include "common/resources/gres.h"
#include "common/resources/licence.h"
#include "common/resources/tres.h"

namespace cox::schedule {

using Settings = SchedulingSettings;

struct WorldNode {
  std::string name;
  NodeResources total;
  std::vector<std::string> features;  // sorted
  std::vector<std::string> domains;   // of the topology that it is in, the outermost first
  bool available = true;              // responding and not drained
  std::string unavailable_why;        // "drained: bad fan", "not responding"
  std::int64_t weight = 1;            // of nodes that would do the lighter are taken first
};

// An advance reservation: nodes that are kept for some jobs for a time, again and again. Who may be
// in it is judged by whoever tells of it; here a job is in it when its request names it.
struct AdvanceReservation {
  struct Occurrence {
    Boot begin;
    Boot end;
    bool operator==(const Occurrence&) const = default;
  };
  std::string name;
  std::vector<std::string> nodes;
  std::vector<Occurrence> occurrences;  // the next few, in order, apart from each other
  bool flex = false;        // its jobs may also run outside of it, before it and after it
  bool overrules = false;   // where another has the same nodes, its jobs are barred and these not
  std::string for_whom;     // told to people: "maintenance", "users alice, bob"
  bool is_silence = false;  // no reservation: the node is silent, and expected back at the end
  bool recurs = false;      // it comes again after the last of `occurrences`, at the same distances
  bool operator==(const AdvanceReservation&) const = default;
};

// What a job asks for. Jobs that ask for the same share one in memory, and a pass settles it once.
struct Request {
  std::int64_t nodes = 1;           // at least 1
  std::int64_t tasks = 1;           // ≥ nodes
  std::int64_t nodes_most = 0;      // elastic: as many as help, each with as many tasks; 0: fixed
  std::vector<std::int64_t> sizes;  // these numbers of nodes alone, ascending; empty: all between
  std::int64_t tasks_per_node = 0;  // 0: spread by room, as few nodes as asked
  std::int64_t cpus_per_task = 1;
  std::int64_t min_cpus = 0;  // fewest CPUs of its part on each node; 0: not asked (min_cpus.h)
  std::int64_t memory_mb_per_node = 0;
  std::vector<std::string> gpu_types;  // any of these; empty: of whatever type
  std::int64_t gpus_per_node = 0;
  std::int32_t gpu_milli = gpu_whole;  // of each of its GPUs; below the whole: of one GPU a node
  bool joined_gpus = false;            // those of a node are joined to each other
  std::vector<GresCount> gres;         // on each node
  std::vector<LicenceCount> licences;  // of the cluster
  bool exclusive = false;
  bool contiguous = false;                   // its nodes must be consecutive (contiguous.h)
  std::int64_t switches = 0;                 // on at most so many leaf switches; 0: on any number
  Milliseconds switches_wait{0};             // since eligible, then on any number; 0: never
  std::string topology_level;                // all in one domain of this level; empty: nearby
  std::vector<std::string> partition_nodes;  // empty: all
  std::string partition_gone;                // not empty: the name of one that is no longer there
  std::vector<std::string> nodelist;         // all of these
  std::vector<std::string> avoid;
  std::vector<std::string> exclude;  // none of these
  bool whole_memory = false;         // all of each node's; the number above is then the most it is
  std::string constraint;            // one alternative of common/syntax/constraint.h
  std::string reservation;           // an advance one that it is in; empty: none
  // Of a heterogeneous job: what each of its components asks for, on nodes of its own. Then of the
  // above the request has the numbers of nodes and tasks, of all together, and the licences, the
  // GRES (which are the same for all), what it avoids and its reservation. Empty: it is alike.
  std::vector<Shared<Request>> components;
  // The request to try if this one does not fit: with GPUs of another type, another alternative of
  // the constraint, or nodes without the preferred features.
  std::optional<Shared<Request>> otherwise;
  bool operator==(const Request&) const = default;
};

// A limit that a job counts against: all that do may have no more than `most` of it together.
struct Limit {
  std::int32_t id = 0;
  TresCount most;
  std::int64_t seconds = 0;  // of time: the job counts what it asks for, so many seconds of it

  // Not of what all may have, but of what they leave free, as a negative number: room that is kept
  // for others, so that who takes another's room is not kept back by it.
  bool is_of_room() const { return most.count < 0; }
  bool operator==(const Limit&) const = default;
};
using Limits = std::vector<Limit>;  // each id once

inline constexpr std::int64_t limit_none = std::numeric_limits<std::int64_t>::max() / 4;

// What an account has of something, by the limit that its jobs count against (quota.h).
struct Quota {
  std::int32_t limit = 0;
  std::int32_t parent = -1;    // position of the account it is part of; -1: the root, for all
  TresCount what;              // without a count; of all in a tree the same
  std::int64_t guarantee = 0;  // always its own
  std::int64_t deserved = 0;   // its own while it asks for it
  std::int64_t most = limit_none;
  std::int64_t shares = 1;  // of what nobody deserves
  bool operator==(const Quota&) const = default;
};

// A live attempt. Its grants hold room, stopping or not. A stopping one gives back single nodes on
// which nothing of it is left; limits count it whole until it is over.
struct RunningJob {
  JobId id;
  std::int32_t tier = 0;
  Boot began;  // this attempt, but for the time it stood still; if it is suspended, truly
  Milliseconds ran_before{0};  // in earlier ones; if it is suspended, in this one too
  Placement grants;
  bool stopping = false;     // its room is coming free
  bool preemptable = false;  // may be asked to give way
  bool movable = false;      // has saved, and would go on elsewhere
  bool requeued = true;      // is in line again once it has given way
  Shared<Request> request;
  std::optional<Boot> ends_by;              // from its time limit (a stopping one: from its grace)
  double loss_per_second_units = 0;         // GPUs, or CPUs when it has none
  std::optional<Boot> unsaved_since;        // its last committed checkpoint, or its start
  std::int64_t preempt_weight = 1;          // of its tier: what it loses counts so many times
  std::optional<Milliseconds> exempt_time;  // before which it gives way to nobody; else as settings
  std::vector<Boot> preempted;              // when it was asked to give way before, oldest first
  bool suspends = false;        // gives way by standing still, or does: its CPUs alone come free
  bool suspended = false;       // is to stand still
  bool stands_still = false;    // and does: its CPUs are free for others
  bool resumable = false;       // and can be told to go on
  std::optional<Boot> resumed;  // went on last: exempt again from then
  std::optional<Milliseconds> time_left{};  // of its time limit, which stands still as well
  Shared<Limits> limits{};
  std::int32_t rank = 0;   // as of one that waits
  bool held = false;       // by a person: it does not go on, and nothing is kept for it
  Placement given_back{};  // what it was granted besides, and holds no more
};

struct PendingJob {
  JobId id;
  std::int32_t tier = 0;
  double priority = 0;       // inside the tier: the higher first (order.h tells it)
  double fair_share = 0;     // of the priority, what is its account's
  std::int64_t account = 0;  // which has a reservation of its own; 0: none
  Milliseconds ran{0};       // in earlier attempts
  Wall eligible;
  Shared<Request> request;
  std::optional<Milliseconds> time_limit;
  std::optional<Milliseconds> time_min;  // a limit as short will do, if it starts sooner for it
  // It may fill a hole before a reservation that is at least so long, and saves at its end.
  std::optional<Milliseconds> fill_min;
  bool may_preempt = true;
  bool held = false;
  Shared<Limits> limits{};  // equal ones need not be one in memory, and had better be
  std::int32_t rank = 0;    // who is looked at first, before the tier; nobody gives way for it
  std::int64_t copies = 1;  // it stands for so many jobs alike, each of which may start
};

class Nodes;

struct SchedulerInput {
  std::vector<WorldNode> nodes;
  std::vector<RunningJob> running;
  std::vector<PendingJob> pending;
  std::vector<AdvanceReservation> reservations = {};
  std::vector<Quota> quotas = {};
};

struct Start {
  JobId job;
  Placement placement;
  std::optional<Milliseconds> time_limit;  // shortened, so that it fits before a reservation
  bool fills = false;  // and is not done by then: it is to save in time, and goes on later
};

struct Preemption {
  JobId victim;
  JobId preemptor;
  double loss_unit_seconds = 0;     // GPU-seconds (or CPU-seconds) that are lost
  double restart_unit_seconds = 0;  // and for which it then does nothing, to stop and start again
  bool suspends = false;            // it stands still where it is, and loses nothing
  // It goes on at a place of its own, which is claimed for it: another one, or of other size. Of a
  // gang that grows the preemptor is itself.
  std::optional<std::int64_t> goes_on_with;  // nodes
};

// A place that is kept for a job: what its victims leave, with what is free of it already; or the
// new home of one that moves.
struct Claimed {
  JobId job;
  Placement placement;
};

struct PendingExplanation {
  JobId job;
  WaitReason reason = WaitReason::None;
  std::string detail;              // one line with numbers
  std::vector<std::string> lines;  // all of it, for `cox why`
  std::optional<Boot> expected_start;
  std::vector<std::string> nodes;  // where it would start, as far as that is settled
  bool complete = false;           // also what change would let it start was sought
  bool at_the_earliest = false;    // expected_start: but for those before it, who may draw it out
};

struct Plan {
  std::vector<Start> starts;  // of a job that stands for several, one for each that does
  std::vector<Preemption> preemptions;
  std::vector<Claimed> claims;  // one of each preemptor
  std::vector<JobId> resumes;   // suspended jobs whose CPUs are free again: they go on
  std::vector<PendingExplanation>
      waiting;  // those that do not start now, or do not go on, as far as told
};

// How people know a job. Told to them, and nothing is decided by it.
struct JobTitle {
  std::string user;     // whose it is; empty: not known
  std::string id = {};  // as they write it: of a task of an array 17_4; empty: by its number
  bool operator==(const JobTitle&) const = default;
};
using TitleOf = std::function<JobTitle(JobId)>;

// What a limit is, and Slurm's code for who waits for it. Told to people alone, as above.
struct LimitName {
  WaitReason reason = WaitReason::Resources;
  std::string text;             // "account physics: GrpTRES gres/gpu"
  std::string owner{};          // "account physics"
  std::optional<Wall> turns{};  // by hours of the week: it may be another one from then on
};
using LimitOf = std::function<LimitName(const Limit&)>;

// Telling why jobs wait costs more than deciding that they do, and the more of it the dearer. Of so
// many in line the one line is told, and of ten times as many the reason alone; of fewer all of it,
// and of fewer still what change would let them start, which is tried out. Of the one that is
// named, everything. Of those behind nothing is told: they stand behind others, and are not even
// judged, so such a plan is for telling and not to be made true.
struct ExplainDepth {
  static constexpr std::size_t all = std::numeric_limits<std::size_t>::max();
  bool asked = true;
  std::size_t jobs = all;
  std::optional<JobId> also;
  std::size_t jobs_in_full = all;
  std::size_t jobs_with_changes = all;
  std::size_t jobs_with_reason = all;
  TitleOf title_of = {};
  LimitOf limit_of = {};

  static ExplainDepth everything() { return {}; }
  static ExplainDepth nothing() {
    return {false, 0, {}, 0, 0, 0, {}, {}};
  }  // Plan::waiting stays empty
  static ExplainDepth first(std::size_t jobs, std::optional<JobId> also, TitleOf title_of = {}) {
    constexpr std::size_t jobs_in_full_max = 8;
    return {true,
            jobs,
            also,
            std::min(jobs, jobs_in_full_max),
            std::min<std::size_t>(jobs, 1),
            jobs > all / 10 ? all : jobs * 10,
            std::move(title_of),
            {}};
  }
};

// Of a world that is told at once; whoever plans again and again keeps an Engine. Tells everything.
Plan make_plan(const SchedulerInput& world, Now now, const Settings& settings = {});

// Whether it could ever run on these nodes if all were idle and available: empty, or the fact
// and what to do, for a refusal at submission.
std::optional<std::string> impossible(const Nodes& nodes, const Request& request);

}  // namespace cox::schedule
