#include "schedule/snapshot.h"

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
                                     kind.time_limit, kind.may_preempt, false});
  for (const auto& [id, job] : engine.held()) input.world.pending.push_back(job);
  for (const auto& [id, kept] : engine.kept()) input.claims.push_back({id, kept.placement});
  return input;
}

std::unique_ptr<Engine> engine_from(const Input& input) {
  auto engine = std::make_unique<Engine>(input.world.nodes, input.settings);
  engine->know_usual(Usual(input.usual));
  for (const RunningJob& job : input.world.running) engine->add(job);
  // A claim of whoever is in line already is found when the job is added.
  for (const Claimed& claim : input.claims) engine->claim_home(claim.job, claim.placement);
  for (const PendingJob& job : input.world.pending) engine->add(job);
  return engine;
}

}  // namespace cox::schedule
