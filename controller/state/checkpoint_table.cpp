#include "controller/state/checkpoint_table.h"

#include <algorithm>

namespace cox {

KeptCheckpoint kept_of(const JobEntry& e, const Checkpoint& c) {
  const JobSpec& spec = *e.job.spec;
  KeptCheckpoint kept{c,        e.job.identity, spec.name,  spec.user_name,
                      spec.uid, e.job.state,    e.job.ended};
  for (const Attempt& attempt : e.attempts)
    if (attempt.key == c.key) kept.ranks = all_ranks(spec, attempt.nodes);
  if (spec.checkpoint_by == CheckpointBy::Rank0) kept.ranks = 1;
  kept.array_job = e.job.array_job;
  kept.array_task = e.job.array_task;
  return kept;
}

bool CheckpointTable::is_begun_from(JobId source) const {
  const auto at = begun_from_.lower_bound({source, 0, JobId{}});
  return at != begun_from_.end() && std::get<0>(*at) == source;
}

bool CheckpointTable::is_begun_from(JobId source, std::int64_t step) const {
  const auto at = begun_from_.lower_bound({source, step, JobId{}});
  return at != begun_from_.end() && std::get<0>(*at) == source && std::get<1>(*at) == step;
}

void CheckpointTable::clear() {
  kept_.clear();
  begun_from_.clear();
}

void CheckpointTable::load_kept(std::vector<KeptCheckpoint> kept, const JobTable& jobs) {
  for (KeptCheckpoint& one : kept) {
    const JobEntry* e = jobs.find(one.checkpoint.key.job);
    const bool is_known = e != nullptr && std::ranges::any_of(e->checkpoints, [&](const auto& c) {
                            return key_of(c) == key_of(one.checkpoint);
                          });
    if (!is_known) kept_.insert_or_assign(key_of(one.checkpoint), std::move(one));
  }
}

void CheckpointTable::index(const Job& job) {
  const ResumeSource& from = job.spec->resume_from;
  if (from.job == JobId{}) return;
  if (is_final(job.state)) {
    forget(job);
  } else {
    begun_from_.insert({from.job, from.step, job.id});
  }
}

void CheckpointTable::forget(const Job& job) {
  const ResumeSource& from = job.spec->resume_from;
  begun_from_.erase({from.job, from.step, job.id});
}

bool CheckpointTable::put_kept(const Checkpoint& changed) {
  const auto kept = kept_.find(key_of(changed));
  if (kept == kept_.end()) return false;
  kept->second.checkpoint = changed;
  if (changed.removed != Wall{}) kept_.erase(kept);
  return true;
}

}  // namespace cox
