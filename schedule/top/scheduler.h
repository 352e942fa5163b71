// The scheduler: an Engine with the facts, and the passes that decide by them. Pure: facts and a
// time in, a Plan out. Nothing of a plan is true until the owner has carried it out and updated the
// engine.
//
//   order → place → (room that is coming free) → preempt → timeline and backfill → Plan
//
// A pass judges the queued jobs by partition tier (`rank`), tier, priority, eligible time and id.
//   1. A job that fits now starts. Behind a job with a reservation it starts only if it cannot
//      delay that job: it ends before the reserved time, or uses only what is spare then.
//   2. If a job fits once the attempts that are already stopping are gone, that room is kept for
//      it. Nothing more is preempted for it.
//   3. If a job fits when jobs of lower tiers are preempted, the cheapest victims whose end lets
//      the whole gang start are stopped, and their room is claimed for it.
//   4. Of the other jobs the first get a reservation (`Settings::backfill` says how many), at a
//      time that follows from time limits. Every waiting job has a pending reason with numbers.
// A suspended job is judged before the queued jobs of its rank and tier. It resumes where it is, as
// soon as its CPUs are free.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "schedule/model/explain_depth.h"
#include "schedule/model/plan.h"
#include "schedule/model/scheduler_input.h"
#include "schedule/pass/engine.h"

namespace cox::schedule {

class Pass;

class Scheduler {
 public:
  explicit Scheduler(std::vector<SchedulerNode> nodes, Settings settings = {});
  ~Scheduler();
  Scheduler(const Scheduler&) = delete;  // a pass refers to the engine
  Scheduler& operator=(const Scheduler&) = delete;

  // To add and remove facts, and to look them up.
  Engine& engine() { return engine_; }
  const Engine& engine() const { return engine_; }

  // Makes a whole pass.
  Plan plan(Now now, ExplainDepth telling);
  // Returns what a pass would decide if this job were queued too, and why the job would wait. The
  // job is not added.
  Plan plan_with(const PendingJob& job, Now now, TitleOf title_of = {}, LimitOf limit_of = {});

  // Makes a part of a pass, so that a long pass delays no answer. Its work is about `work_max`,
  // counted in nodes looked at. The owner carries out each part before it asks for the next, which
  // continues the pass whatever facts have changed. Only after a change that the pass cannot allow
  // for (see Engine::pause) does the next part begin a new pass. Each such restart doubles the
  // work of a part, so that a pass reaches the end of the queue however often that happens.
  Plan plan_part(Now now, std::int64_t work_max);
  // Whether a pass in parts has begun and is not over.
  bool is_passing() const { return pass_ != nullptr || restarts_ > 0; }

 private:
  void drop_undone_pass();

  Engine engine_;
  std::unique_ptr<Pass> pass_;  // between two parts
  int restarts_ = 0;            // of the pass that is not over
};

}  // namespace cox::schedule
