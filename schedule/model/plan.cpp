#include "schedule/model/plan.h"

#include "schedule/pass/engine.h"

namespace cox::schedule {

Plan make_plan(const SchedulerInput& world, Now now, const Settings& settings) {
  Engine engine(world.nodes, settings);
  engine.set_reservations(world.reservations);
  engine.set_quotas(world.quotas);
  for (const RunningJob& job : world.running) engine.add(job);
  for (const PendingJob& job : world.pending) {
    engine.learn(*job.request);
    engine.add(job);
  }
  return engine.plan(now, ExplainDepth::everything());
}

}  // namespace cox::schedule
