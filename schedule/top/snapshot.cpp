#include "schedule/top/snapshot.h"

#include <algorithm>

namespace cox::schedule {

namespace {

PendingJob job_in_line(const Engine& engine, const Kind& kind, const QueueKey& key,
                       const PendingQueue::Queue& queue) {
  PendingJob job;
  job.id = key.id;
  job.tier = kind.tier;
  job.rank = kind.rank;
  job.priority = key.own;  // who has waited for long is preferred again where it is replayed
  job.fair_share = key.fair_share;
  job.account = kind.account;
  if (const auto it = engine.resuming().find(key.id); it != engine.resuming().end())
    job.ran = it->second.ran;
  job.eligible = key.eligible;
  job.copies = key.copies;
  job.request = queue.request;
  job.limits = queue.limits;
  job.time_limit = kind.time_limit;
  job.time_min = kind.time_min;
  job.fill_min = kind.fill_min;
  job.may_preempt = kind.may_preempt;
  return job;
}

}  // namespace

Input input_of(Engine& engine, Now now, const TitleOf& title_of) {
  Input input;
  input.now = now;
  input.settings = engine.settings();
  input.usual = engine.usual();
  input.ended = engine.ended();
  input.charged = engine.limit_use().charged();
  for (NodeAt at = 0; at < engine.nodes().size(); ++at)
    input.world.nodes.push_back(*engine.nodes()[at].node);
  input.world.reservations = engine.advance().all();
  input.world.quotas = engine.quotas_set();
  for (const auto& [id, running] : engine.running()) input.world.running.push_back(running.job);
  for (const auto& [kind, queue] : engine.line().kinds())
    for (const QueueKey& key : queue.jobs)
      input.world.pending.push_back(job_in_line(engine, kind, key, queue));
  for (const auto& [id, job] : engine.held()) input.world.pending.push_back(job);
  for (const auto& [id, kept] : engine.kept()) input.claims.push_back({id, kept.placement});
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
  engine.know_usual(DemandProfile(input.usual));
  engine.know_ended(input.ended);
  for (std::size_t i = 0; i < input.charged.size(); ++i)
    engine.charge_limit(static_cast<std::int32_t>(i), input.charged[i]);
  engine.set_reservations(input.world.reservations);
  engine.set_quotas(input.world.quotas);
  for (const RunningJob& job : input.world.running) engine.add(job);
  for (const PendingJob& job : input.world.pending) engine.add(job);
  for (const Claimed& claim : input.claims) {
    const auto job = std::ranges::find(input.world.pending, claim.job, &PendingJob::id);
    if (job == input.world.pending.end()) {
      engine.claim_home(claim.job, claim.placement);
    } else if (!job->held) {
      engine.claim(*job, claim.placement);
    }
  }
  return scheduler;
}

}  // namespace cox::schedule
