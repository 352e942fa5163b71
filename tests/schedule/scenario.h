// Scenarios as readable text, for tests of the scheduler. world_from() parses a world (nodes,
// running and pending jobs, reservations, quotas), and text_of() shows a plan. A world has lines
// like these:
//   node n1 cpus=4 mem=1000 gpus=h100:4 features=fast,ib down        (n1,n2: two equal nodes)
//   node n1 gpus=h100:8 islands=4,4        (the numbers of GPUs that are joined to each other)
//   runs 17 on n1:4 n2:2 tier=1 ends=600 loss=100 weight=2 milli=250
//            ran=20 exempt=60 preempted=900,300 stopping firm saved mem=100
//            suspends suspending still left=60 resumed=20
//            (NODE:CPUS, NODE:CPUS:GPU+GPU; preempted 900 and 300 s ago)
//   wants 20 nodes=2 tasks=8 each=4 cpus=1 mem=500 gpus=2 type=h100 tier=2 limit=60 at=5 held
//            partition=n1,n2 list=n1 avoid=n2 but=n3 wholemem feature=[a|b] exclusive
//            peaceful priority=9
//            milli=250 type=h200|h100,a100 gres=fpga:u280:1 licences=matlab:2 level=leaf joined
//            switches=1 patience=60 most=4 sizes=2,4 least=30 copies=3 mincpus=4 contiguous
//   also nodes=2 gpus=1               (one more component of the job before, on nodes of its own)
//   reserves maint nodes=n1,n2 from=600 to=900 again=86400,2 flex overrules
//            (again=86400,2: recurs twice, each time 86400 s later)
//   account physics under=science guarantee=2 deserved=4 most=8 shares=3 of=cpus
//            (comes before its jobs; without `under` it is below the root; `of` is cpus or h100)
//
// In a scenario, pending jobs (`wants`) and running jobs (`runs`) may also have:
//   account=physics
//   in=maint, or magnet=maint: in this reservation, or else in none
//   limits=cpus:4,jobs:2,gpus:8,h100:8,fpga:1,matlab:1: jobs with the same limit share it.
//     A running job then states its GPUs per node with gpus=2 type=h100.
//   partition_tier=1
// A pending job may also have charged=7, the account whose first job gets a reservation, and
// share=5, the part of its priority from fair share. `least` is its minimum time limit. `fills` is
// the shortest gap before a reservation that it fills. GPU types between bars are equally good. A
// node may have gres=fpga:u280:2 in=spine1/leaf2 weight=5, and a running job elastic=1-4.
//
// Words of a running job in a scenario; all times are in seconds:
//   suspends     its preemption mode is suspend
//   suspending   it is being suspended
//   still        it is suspended, with left=SECONDS of its time limit
//   firm         it may not be preempted
//   saved        it has a checkpoint, so it may be moved
//   loss=N       a preemption loses N unit-seconds of its work (GPU-seconds, or CPU-seconds)
//
// text_of() shows a plan in lines such as:
//   20 starts on n1:4 n2:4
//   17 preempted by 20
//   21 waits: Priority
#pragma once

#include <string>

#include "schedule/model/plan.h"
#include "schedule/model/scheduler_input.h"

namespace cox::schedule {

inline constexpr Boot start_of_time = boot_from_ms(1'000'000);
inline constexpr Now at_start{start_of_time, wall_from_ms(1'000'000)};

SchedulerInput world_from(const std::string& text);

// Returns the plan as text: one line for each start, preemption, resume and pending job, in the
// order of the plan.
std::string text_of(const Plan& plan);

inline bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// Returns the plan of a new engine that gets the whole world, with all explanations.
Plan make_plan(const SchedulerInput& world, Now now, const Settings& settings = {});

// Parses the world, makes the plan with all explanations, checks it with verify(), and returns it
// as text.
std::string plan_for(const std::string& world, const Settings& settings = {});

const PendingExplanation& waiting_of(const Plan& plan, std::int64_t job);

// Expects that the plan overcommits no node, grants no device twice, starts only pending jobs, each
// in its requested shape and on no node that is reserved for others, and has an entry for every
// pending job.
void verify(const SchedulerInput& world, const Plan& plan, Boot now = start_of_time);

}  // namespace cox::schedule
