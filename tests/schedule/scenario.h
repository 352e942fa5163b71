// Scenarios as text: a world in, a plan out, both readable.
//
//   node n1 cpus=4 mem=1000 gpus=h100:4 features=fast,ib down        (n1,n2 for several alike)
//   node n1 gpus=h100:8 islands=4,4        (so many GPUs joined to each other)
//   runs 17 on n1:4 n2:2 tier=1 ends=600 loss=100 weight=2 milli=250
//            ran=20 exempt=60 preempted=900,300 stopping firm saved mem=100
//            suspends suspending still left=60 resumed=20
//            (NODE:CPUS, NODE:CPUS:GPU+GPU; preempted so many seconds ago)
//   wants 20 nodes=2 tasks=8 each=4 cpus=1 mem=500 gpus=2 type=h100 tier=2 limit=60 at=5 held
//            partition=n1,n2 list=n1 avoid=n2 but=n3 wholemem feature=[a|b] exclusive
//            peaceful priority=9
//            milli=250 type=h200|h100,a100 gres=fpga:u280:1 licences=matlab:2 level=leaf joined
//            switches=1 patience=60 most=4 sizes=2,4 least=30 copies=3 mincpus=4 contiguous
//   also nodes=2 gpus=1               (of the job before: one more component, on nodes of its own)
//   reserves maint nodes=n1,n2 from=600 to=900 again=86400,2 flex overrules
//            (again: so many seconds later, so many times more)
//   account physics under=science guarantee=2 deserved=4 most=8 shares=3 of=cpus
//            (before its jobs; under: else the root; of: cpus or h100)
// A waiting or running job may say account=physics. A waiting one may say charged=7, the account
// whose first has a reservation, and share=5, what of its priority is its account's.
// A waiting or running job may say in=maint; magnet=maint: in it, or else in none.
//
// Both may say limits=cpus:4,jobs:2,gpus:8,h100:8,fpga:1,matlab:1: all that name one count against
// it together; a running job then says with gpus=2 type=h100 what it has on each node.
//
// Both may say rank=1. A node may also say gres=fpga:u280:2 in=spine1/leaf2 weight=5, and a
// running job elastic=1-4. Of types, those between bars are as good as each other. `least` is the
// shortest time limit that will do, `fills` the shortest hole that it fills.
//
// A running job that `suspends` gives way by standing still; it was asked to when it is
// `suspending` and does when it is `still`, with `left` of its time limit. Running jobs may be
// preempted unless `firm`, and moved if `saved`; `loss` is in unit-seconds. Times are in seconds.
// A plan reads:  20 starts on n1:4 n2:4 | 17 gives way to 20 | 21 waits: Priority
#pragma once

#include <string>

#include "schedule/model/plan.h"
#include "schedule/model/scheduler_input.h"

namespace cox::schedule {

inline constexpr Boot start_of_time = boot_from_ms(1'000'000);
inline constexpr Now at_start{start_of_time, wall_from_ms(1'000'000)};

SchedulerInput world_from(const std::string& text);

// Every line of the plan, in its order, joined with newlines.
std::string text_of(const Plan& plan);

inline bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// Returns the plan of a new engine that has been given the whole world, with all explanations.
Plan make_plan(const SchedulerInput& world, Now now, const Settings& settings = {});

// make_plan on the text, as text.
std::string plan_for(const std::string& world, const Settings& settings = {});

const PendingExplanation& waiting_of(const Plan& plan, std::int64_t job);

// Panics (EXPECT) when the plan over-commits a node, grants a device twice, starts a job that is
// not pending, with a shape it did not ask for or where others have reserved, or leaves a pending
// job out.
void verify(const SchedulerInput& world, const Plan& plan, Boot now = start_of_time);

}  // namespace cox::schedule
