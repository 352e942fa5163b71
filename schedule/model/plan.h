// What a scheduling pass decides: the values that a Scheduler returns (scheduler.h). Nothing of a
// plan is true until the owner of the Scheduler has carried it out and updated the Engine.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/base/ids.h"
#include "common/base/time.h"
#include "common/job/job.h"
#include "common/job/resources.h"

namespace cox::schedule {

struct Start {
  JobId job;
  Placement placement;
  std::optional<Milliseconds> time_limit;  // shortened, so that it ends before a reservation
  bool fills = false;  // it will not be done by then: it saves at the limit and is requeued
};

struct Preemption {
  JobId victim;
  JobId preemptor;
  double loss_unit_seconds = 0;     // work that is lost, in GPU-seconds or CPU-seconds
  double restart_unit_seconds = 0;  // and what stopping and starting again costs
  bool suspends = false;            // the victim is suspended where it is, and loses no work
  // If the victim continues at once, elsewhere or with another size: its new number of nodes. That
  // place is claimed for it. A job that grows is its own preemptor.
  std::optional<std::int64_t> goes_on_with;
};

// A place that is kept for a job: for a preemptor, the room of its victims together with what is
// free of the place already; for a job that moves, its new nodes.
struct Claimed {
  JobId job;
  Placement placement;
};

// Why a job does not start now, or is not resumed now.
struct PendingExplanation {
  JobId job;
  WaitReason reason = WaitReason::None;
  std::string detail;              // one line with numbers
  std::vector<std::string> lines;  // the whole explanation, for `cox why`
  std::optional<Boot> expected_start;
  std::vector<std::string> nodes;  // where it is expected to start, as far as that is known
  bool complete = false;           // `lines` also has the changes that would let it start
  bool at_the_earliest = false;    // jobs before it may delay `expected_start`
};

struct Plan {
  std::vector<Start> starts;  // several for one job, if it stands for several (copies)
  std::vector<Preemption> preemptions;
  std::vector<Claimed> claims;  // one for each preemptor
  std::vector<JobId> resumes;   // suspended jobs whose CPUs are free again
  std::vector<PendingExplanation>
      waiting;  // jobs that do not start or resume now, as far as explained
};

}  // namespace cox::schedule
