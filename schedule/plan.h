// The brain's face: World in, Plan out. Pure; one call is one scheduling pass.
//
//   order → place → (room that is being freed) → preempt → timeline/backfill → Plan
//
// For each pending job, by tier, then by priority, then by eligible time, then by id:
//   1. It fits now: a start. Below a job that holds a reservation, only if it cannot delay
//      that one: it ends before the reserved time, or uses only what is spare then.
//   2. It fits once attempts that are already stopping are gone: that room is kept for it. Nothing
//      more is preempted for it.
//   3. It fits if lower tiers give way: the cheapest set of victims that provably lets the whole
//   gang
//      start; the freed room is kept for it.
//   4. Else the first such jobs, as many as Settings says, get a reservation (the time from time
//      limits); all get a reason with numbers.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "common/ids.h"
#include "common/job.h"
#include "common/resources.h"
#include "common/scheduling_settings.h"
#include "common/shared.h"
#include "common/time.h"

namespace cox::schedule {

using Settings = SchedulingSettings;

struct WorldNode {
  std::string name;
  NodeResources total;
  std::vector<std::string> features;  // sorted
  bool available = true;              // responding and not drained
  std::string unavailable_why;        // "drained: bad fan", "not responding"
};

// What a job asks for. Jobs that ask for the same share one in memory, and a pass settles it once.
struct Request {
  std::int64_t nodes = 1;           // at least 1
  std::int64_t tasks = 1;           // ≥ nodes
  std::int64_t tasks_per_node = 0;  // 0: spread by room, as few nodes as asked
  std::int64_t cpus_per_task = 1;
  std::int64_t memory_mb_per_node = 0;
  std::vector<std::string> gpu_types;  // any of these; empty: of whatever type
  std::int64_t gpus_per_node = 0;
  std::int32_t gpu_milli = gpu_whole;  // of each of its GPUs; below the whole: of one GPU a node
  bool exclusive = false;
  std::vector<std::string> partition_nodes;  // empty: all
  std::string partition_gone;                // not empty: the name of one that is no longer there
  std::vector<std::string> nodelist;         // all of these
  std::vector<std::string> avoid;
  std::string constraint;
  bool operator==(const Request&) const = default;
};

// A live attempt. Its grants hold room, stopping or not, until it is over.
struct RunningJob {
  JobId id;
  std::int32_t tier = 0;
  Boot began;                  // this attempt
  Milliseconds ran_before{0};  // in earlier ones, as far as it was saved
  Placement grants;
  bool stopping = false;                    // its room is coming free
  bool preemptable = false;                 // may be asked to give way
  bool movable = false;                     // has saved, and would go on elsewhere
  Shared<Request> request;                  // of a movable one
  std::optional<Boot> ends_by;              // from its time limit (a stopping one: from its grace)
  double loss_per_second_units = 0;         // GPUs, or CPUs when it has none
  std::optional<Boot> unsaved_since;        // its last committed checkpoint, or its start
  std::int64_t preempt_weight = 1;          // of its tier: what it loses counts so many times
  std::optional<Milliseconds> exempt_time;  // before which it gives way to nobody; else as settings
  std::vector<Boot> preempted;              // when it was asked to give way before, oldest first
};

struct PendingJob {
  JobId id;
  std::int32_t tier = 0;
  double priority = 0;  // inside the tier: the higher first (order.h tells it)
  Wall eligible;
  Shared<Request> request;
  std::optional<Milliseconds> time_limit;
  bool may_preempt = true;
  bool held = false;
};

class Nodes;

struct World {
  std::vector<WorldNode> nodes;
  std::vector<RunningJob> running;
  std::vector<PendingJob> pending;
};

struct Start {
  JobId job;
  Placement placement;
};

struct Preemption {
  JobId victim;
  JobId preemptor;
  double loss_unit_seconds = 0;     // GPU-seconds (or CPU-seconds) that are lost
  double restart_unit_seconds = 0;  // and for which it then does nothing, to stop and start again
  bool moves = false;               // to a place of its own, which is claimed for it too
};

// A place that is kept for a job: what its victims leave, with what is free of it already; or the
// new home of one that moves.
struct Claimed {
  JobId job;
  Placement placement;
};

struct Waiting {
  JobId job;
  WaitReason reason = WaitReason::None;
  std::string detail;              // one line with numbers
  std::vector<std::string> lines;  // all of it, for `cox why`
  std::optional<Boot> expected_start;
};

struct Plan {
  std::vector<Start> starts;
  std::vector<Preemption> preemptions;
  std::vector<Claimed> claims;   // one of each preemptor
  std::vector<Waiting> waiting;  // every pending job that does not start now
};

// Telling why jobs wait costs more than deciding that they do. Of so many in line, and of one more,
// everything is told; of the others that were judged the reason alone.
struct Telling {
  bool asked = true;
  std::size_t jobs = std::numeric_limits<std::size_t>::max();
  std::optional<JobId> also;

  static Telling everything() { return {}; }
  static Telling nothing() { return {false, 0, {}}; }  // Plan::waiting stays empty
  static Telling first(std::size_t jobs, std::optional<JobId> also) { return {true, jobs, also}; }
};

// Of a world that is told at once; whoever plans again and again keeps an Engine. Tells everything.
Plan make_plan(const World& world, Now now, const Settings& settings = {});

// Whether it could ever run on these nodes if all were idle and available: empty, or the fact
// and what to do, for a refusal at submission.
std::optional<std::string> impossible(const Nodes& nodes, const Request& request);

}  // namespace cox::schedule
