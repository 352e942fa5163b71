// The checkpoints that no job in memory has, and jobs that begin from those of other jobs.
#include <algorithm>

#include "common/base/check.h"
#include "controller/state/cluster.h"

namespace cox {

KeptCheckpoint kept_of(const JobEntry& e, const Checkpoint& c) {
  const JobSpec& spec = *e.job.spec;
  KeptCheckpoint kept{c,        e.job.identity, spec.name,  spec.user_name,
                      spec.uid, e.job.state,    e.job.ended};
  for (const Attempt& attempt : e.attempts)
    if (attempt.key == c.key) kept.ranks = static_cast<std::int32_t>(attempt.ranks.size());
  if (spec.checkpoint_by == CheckpointBy::Rank0) kept.ranks = 1;
  return kept;
}

bool Cluster::is_begun_from(JobId source) const {
  const auto at = begun_from_.lower_bound({source, 0, JobId{}});
  return at != begun_from_.end() && std::get<0>(*at) == source;
}

bool Cluster::is_begun_from(JobId source, std::int64_t step) const {
  const auto at = begun_from_.lower_bound({source, step, JobId{}});
  return at != begun_from_.end() && std::get<0>(*at) == source && std::get<1>(*at) == step;
}

bool Cluster::take_checkpoint_watch(Boot now, Milliseconds interval) {
  if (checkpoints_watched_ != Boot{} && now - checkpoints_watched_ < interval) return false;
  checkpoints_watched_ = now;
  return true;
}

void Cluster::index_begun_from(const Job& job) {
  const ResumeSource& from = job.spec->resume_from;
  if (from.job == JobId{}) return;
  if (is_final(job.state)) {
    begun_from_.erase({from.job, from.step, job.id});
  } else {
    begun_from_.insert({from.job, from.step, job.id});
  }
}

void Cluster::apply_one(const CheckpointAdded& change, Now) {
  auto& e = entry(change.checkpoint.key.job);
  e.checkpoints.push_back(change.checkpoint);
  std::ranges::sort(e.checkpoints, {},
                    [](const Checkpoint& c) { return std::pair(c.step, c.key.attempt); });
  touch(e);
  running_stale_.insert(e.job.id);
}

void Cluster::load_kept_checkpoints(std::vector<KeptCheckpoint> kept) {
  kept_checkpoints_.clear();
  for (KeptCheckpoint& one : kept) {
    const JobEntry* e = job(one.checkpoint.key.job);
    const bool is_known = e != nullptr && std::ranges::any_of(e->checkpoints, [&](const auto& c) {
                            return key_of(c) == key_of(one.checkpoint);
                          });
    if (!is_known) kept_checkpoints_.insert_or_assign(key_of(one.checkpoint), std::move(one));
  }
}

// Memory forgets the job; its files are still there.
void Cluster::keep_checkpoints_of(const JobEntry& e) {
  for (const Checkpoint& c : e.checkpoints) kept_checkpoints_[key_of(c)] = kept_of(e, c);
}

void Cluster::apply_one(const CheckpointChanged& change, Now) {
  const Checkpoint& changed = change.checkpoint;
  const CheckpointKey key = key_of(changed);
  if (const auto kept = kept_checkpoints_.find(key); kept != kept_checkpoints_.end()) {
    kept->second.checkpoint = changed;
    if (changed.removed != Wall{}) kept_checkpoints_.erase(kept);
    return;
  }
  auto& e = entry(changed.key.job);
  const auto it =
      std::ranges::find_if(e.checkpoints, [&](const Checkpoint& c) { return key_of(c) == key; });
  CHECK(it != e.checkpoints.end());
  *it = changed;
  if (changed.pruned) {
    if (changed.removed == Wall{}) kept_checkpoints_[key] = kept_of(e, changed);
    e.checkpoints.erase(it);
  }
  touch(e);
  running_stale_.insert(e.job.id);
}

}  // namespace cox
