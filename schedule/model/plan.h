// What a scheduling pass decides: the values that a Scheduler returns (scheduler.h). Nothing of a
// plan takes effect until the owner of the Scheduler has carried it out and updated the Engine.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/base/fields.h"
#include "common/base/ids.h"
#include "common/base/time.h"
#include "common/job/job.h"
#include "common/job/resources.h"

namespace cox::schedule {

struct Start {
  JobId job;
  Placement placement;
  // A time limit shorter than the job asked for, so that the job ends before a reservation.
  std::optional<Milliseconds> time_limit;
  bool fills = false;  // at `time_limit` the job saves unfinished and is requeued
};

struct Preemption {
  JobId victim;
  JobId preemptor;
  double loss_unit_seconds = 0;     // work that is lost, in GPU-seconds or CPU-seconds
  double restart_unit_seconds = 0;  // cost of stopping and restarting, in the same unit
  bool suspends = false;            // the victim is suspended in place and loses no work
  // If the victim continues at once, on other nodes or with another size: its new number of nodes.
  // That place is claimed for it. A job that grows is its own preemptor.
  std::optional<std::int64_t> continues_on_nodes;
};

// A place that is reserved for one job. For a preemptor: the room of its victims and the room of
// the place that is already free. For a job that moves: its new nodes.
struct Claimed {
  JobId job;
  Placement placement;

  COX_FIELDS(job, placement);
};

// Why a job does not start or is not resumed now.
struct PendingExplanation {
  JobId job;
  WaitReason reason = WaitReason::None;
  std::string detail;              // the explanation in one line, with numbers
  std::vector<std::string> lines;  // the whole explanation, for `cox why`
  std::optional<Boot> expected_start;
  std::vector<std::string> nodes;  // where the job is expected to start, as far as known
  bool complete = false;           // `lines` include the changes with which the job would start
  bool at_the_earliest = false;    // jobs before it in the queue may delay `expected_start`
};

struct Plan {
  // several entries for a job that stands for several tasks (PendingJob::copies)
  std::vector<Start> starts;
  std::vector<Preemption> preemptions;
  std::vector<Claimed> claims;  // one for each preemptor and each job that moves
  std::vector<JobId> resumes;   // suspended jobs to resume, since their CPUs are free again
  // Why jobs do not start or resume now; for as many jobs as ExplainDepth asked for.
  std::vector<PendingExplanation> waiting;
};

}  // namespace cox::schedule
