#include "schedule/top/snapshot.h"

#include <algorithm>

namespace cox::schedule {

namespace {

// Returns the job with the priority that it has without its age; a replay adds the age again.
PendingJob job_as_put(const Engine& engine, const QueueKey& key) {
  PendingJob job = engine.pending(key.id);
  job.priority = key.own;
  return job;
}

}  // namespace

Input input_of(Engine& engine, Now now, const TitleOf& title_of) {
  Input input;
  input.now = now;
  input.settings = engine.settings();
  input.usual = engine.usual();
  input.ended = engine.ended();
  input.waits = engine.waits().all();
  input.charged = engine.limit_use().charged();
  for (NodeAt at = 0; at < engine.nodes().size(); ++at)
    input.world.nodes.push_back(*engine.nodes()[at].node);
  input.world.reservations = engine.ground().advance().all();
  input.world.quotas = engine.quotas_set();
  for (const auto& [id, running] : engine.running()) input.world.running.push_back(running.job);
  for (const auto& [job_class, queue] : engine.queue().classes())
    for (const QueueKey& key : queue.jobs) input.world.pending.push_back(job_as_put(engine, key));
  for (const auto& [id, job] : engine.held()) input.world.pending.push_back(job);
  for (const auto& [id, kept] : engine.claims()) input.claims.push_back({id, kept.placement});
  if (!title_of) return input;
  for (const RunningJob& job : input.world.running) input.titles[job.id] = title_of(job.id);
  for (const PendingJob& job : input.world.pending) input.titles[job.id] = title_of(job.id);
  return input;
}

TitleOf titles_in(const Input& input) {
  return [&titles = input.titles](JobId id) {
    const auto title = titles.find(id);
    return title == titles.end() ? JobTitle{} : title->second;
  };
}

std::unique_ptr<Scheduler> scheduler_from(const Input& input) {
  auto scheduler = std::make_unique<Scheduler>(input.world.nodes, input.settings);
  Engine& engine = scheduler->engine();
  engine.set_usual(DemandProfile(input.usual));
  engine.restore_ended(input.ended);
  engine.restore_waits(input.waits);
  for (std::size_t i = 0; i < input.charged.size(); ++i)
    engine.charge_limit(static_cast<std::int32_t>(i), input.charged[i]);
  engine.set_reservations(input.world.reservations);
  engine.set_quotas(input.world.quotas);
  for (const RunningJob& job : input.world.running) engine.put(job);
  for (const PendingJob& job : input.world.pending) engine.put(job);
  for (const Claimed& claim : input.claims) engine.claim(claim.job, claim.placement);
  return scheduler;
}

}  // namespace cox::schedule
