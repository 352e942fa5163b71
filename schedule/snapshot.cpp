#include "schedule/snapshot.h"

#include <algorithm>

namespace cox::schedule {

Input input_of(Engine& engine, Now now) {
  Input input;
  input.now = now;
  input.settings = engine.settings();
  input.usual = engine.usual();
  for (NodeAt at = 0; at < engine.nodes().size(); ++at)
    input.world.nodes.push_back(*engine.nodes()[at].node);
  for (const auto& [id, running] : engine.running()) input.world.running.push_back(running.job);
  for (const auto& [kind, queue] : engine.line().kinds())
    for (const LineKey& key : queue.jobs)
      input.world.pending.push_back({key.id, kind.tier, key.priority, key.eligible, queue.request,
                                     kind.time_limit, kind.time_min, kind.may_preempt, false});
  for (const auto& [id, job] : engine.held()) input.world.pending.push_back(job);
  for (const auto& [id, kept] : engine.kept()) input.claims.push_back({id, kept.placement});
  return input;
}

std::unique_ptr<Engine> engine_from(const Input& input) {
  auto engine = std::make_unique<Engine>(input.world.nodes, input.settings);
  engine->know_usual(Usual(input.usual));
  for (const RunningJob& job : input.world.running) engine->add(job);
  for (const PendingJob& job : input.world.pending) engine->add(job);
  for (const Claimed& claim : input.claims) {
    const auto job = std::ranges::find(input.world.pending, claim.job, &PendingJob::id);
    if (job == input.world.pending.end()) {
      engine->claim_home(claim.job, claim.placement);
    } else if (!job->held) {
      engine->claim(*job, claim.placement);
    }
  }
  return engine;
}

}  // namespace cox::schedule
