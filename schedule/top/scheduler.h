// The scheduler: an Engine with the facts, and the passes over it. Pure: facts and a time go in, a
// Plan comes out. Nothing of a plan takes effect until the owner has carried it out and updated the
// engine.
//
//   queue order → place → (room that will be free) → preempt → timeline and backfill → Plan
//
// A pass decides on the queued jobs by partition tier, tier, priority, eligible time and id.
//   1. A job that fits now starts. Behind a job with a reservation it starts only if it cannot
//      delay that job: it ends before the reserved time, or uses only what is spare then.
//   2. If a job fits once the attempts that are already stopping have ended, that room is reserved
//      for it. Nothing more is preempted for it.
//   3. If a job fits when jobs of lower tiers are preempted, the cheapest victims whose end lets
//      the whole gang start are preempted, and their room is claimed for it.
//   4. Of the other jobs the first get a reservation (`Settings::backfill` limits how many), at a
//      time that follows from time limits. Each queued job has a pending reason with numbers.
// A suspended job comes before the queued jobs of its partition tier and tier. It resumes in place
// as soon as its CPUs are free.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "schedule/engine/engine.h"
#include "schedule/model/explain_depth.h"
#include "schedule/model/plan.h"
#include "schedule/model/scheduler_input.h"

namespace cox::schedule {

class Pass;

class Scheduler {
 public:
  explicit Scheduler(std::vector<SchedulerNode> nodes, Settings settings = {});
  ~Scheduler();
  Scheduler(const Scheduler&) = delete;  // passes keep a reference to the engine
  Scheduler& operator=(const Scheduler&) = delete;

  // The engine, for adding, removing and reading facts.
  Engine& engine() { return engine_; }
  const Engine& engine() const { return engine_; }

  // Makes a whole pass and returns its plan, with the explanations that `depth` asks for.
  Plan plan(Now now, ExplainDepth depth);
  // Returns what a pass would decide if this job were queued too, with its pending reason. The job
  // is not added.
  Plan plan_with(const PendingJob& job, Now now, TitleOf title_of = {}, LimitOf limit_of = {});

  // Makes a part of a pass, so that a long pass delays no reply. A part does work of about
  // `work_max`, in nodes examined. The owner carries out each part before the next call, which then
  // continues the pass although facts have changed. Only if a fact changed that cannot be combined
  // with the pass (Engine::pause) does the next part begin a new pass. Each such restart doubles
  // the work of a part, so a pass reaches the end of the queue however often it is restarted.
  Plan plan_part(Now now, std::int64_t work_max);
  // Returns whether a pass in parts has begun and is not over.
  bool is_passing() const { return pass_ != nullptr || restarts_ > 0; }

 private:
  void drop_undone_pass();

  Engine engine_;
  std::unique_ptr<Pass> pass_;  // the pass that is paused between two parts
  int restarts_ = 0;            // how often the pass in parts has begun anew
};

}  // namespace cox::schedule
