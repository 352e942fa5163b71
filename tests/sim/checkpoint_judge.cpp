#include "tests/sim/checkpoint_judge.h"

#include <algorithm>

namespace cox::sim {
namespace {

std::string text_of_step(AttemptKey key, std::int64_t step) {
  return "step " + std::to_string(step) + " of " + text_of(key);
}

}  // namespace

void CheckpointJudge::see(const Change& change, Wall turn_at) {
  turn_at_ = turn_at;
  std::visit([this](const auto& c) { see_one(c); }, change);
}

void CheckpointJudge::restore_from(const CheckpointJudge& then) {
  for (const auto& [id, all] : checkpoints_)
    for (const Checkpoint& c : all)
      if (c.pruned) lost_.insert({c.key, c.step});
  checkpoints_ = then.checkpoints_;
}

Checkpoint* CheckpointJudge::find(AttemptKey key, std::int64_t step) {
  auto& all = checkpoints_[key.job];
  const auto is_it = [&](const Checkpoint& c) { return c.key == key && c.step == step; };
  const auto found = std::ranges::find_if(all, is_it);
  return found == all.end() ? nullptr : &*found;
}

const Checkpoint* CheckpointJudge::newest_sound(JobId id) const {
  const Checkpoint* newest = nullptr;
  const auto it = checkpoints_.find(id);
  if (it == checkpoints_.end()) return nullptr;
  for (const auto& c : it->second)
    if (!c.damaged && !c.pruned && !c.set_aside && (newest == nullptr || c.step > newest->step))
      newest = &c;
  return newest;
}

// ---- resuming ----------------------------------------------------------------------------------

// Returns whether an attempt of the job may begin with this: with its newest sound checkpoint, or a
// newer damaged one, which is looked at again. A job that has a checkpoint never begins anew unless
// its owner has set all of them aside.
bool CheckpointJudge::is_due(const Job& job, const std::optional<ResumeFrom>& resume) const {
  const Checkpoint* sound = newest_sound(job.id);
  bool has_any = false;
  if (const auto all = checkpoints_.find(job.id); all != checkpoints_.end())
    for (const Checkpoint& c : all->second) {
      if (c.pruned || c.set_aside) continue;
      has_any = true;
      if (resume == ResumeFrom{c.key.attempt, c.step} &&
          (sound == nullptr || c.step >= sound->step))
        return true;
    }
  if (has_any) return false;
  const ResumeSource& from = job.spec->resume_from;
  if (from.job == JobId{}) return !resume;
  return resume == ResumeFrom{from.attempt, from.step, from.job};
}

void CheckpointJudge::see_one(const JobChanged& change) {
  if (is_final(change.job.state) && !is_final(change.state_left))
    ended_[change.job.id] = scene_.agenda.now();
}

void CheckpointJudge::see_one(const AttemptAdded& change) {
  const Attempt& attempt = change.attempt;
  const auto job = books_.jobs.find(attempt.key.job);
  if (job == books_.jobs.end() || is_due(job->second, attempt.resume)) return;
  violated("attempt " + text_of(attempt.key) + " does not resume from its newest checkpoint");
}

void CheckpointJudge::see_one(const CheckpointAdded& change) {
  checkpoints_[change.checkpoint.key.job].push_back(change.checkpoint);
}

// ---- keeping -----------------------------------------------------------------------------------

bool CheckpointJudge::begins_from(const Job& job, const Checkpoint& checkpoint) const {
  const ResumeSource& from = job.spec->resume_from;
  const bool names_it = from.job == checkpoint.key.job && from.attempt == checkpoint.key.attempt &&
                        from.step == checkpoint.step;
  return names_it && !is_final(job.state) && newest_sound(job.id) == nullptr;
}

// Returns whether the job ended too short a time ago for a prune for its age, and the clock of the
// turn's controller, which decided that, is wrong by years.
bool CheckpointJudge::is_too_young_to_prune(const Job& job) const {
  const auto ended = ended_.find(job.id);
  if (!is_final(job.state) || ended == ended_.end()) return false;
  const Milliseconds kept = job.state == JobState::Completed
                                ? books_.config.checkpoints_kept_completed
                                : books_.config.checkpoints_kept_ended;
  return scene_.is_years_off(turn_at_) && scene_.agenda.now() - ended->second < kept;
}

void CheckpointJudge::check_prune(const Checkpoint& checkpoint) {
  const std::string what = text_of_step(checkpoint.key, checkpoint.step) + " is pruned though ";
  for (const auto& [id, job] : books_.jobs) {
    const bool is_own = id == checkpoint.key.job;
    if (is_own && !is_final(job.state) && newest_sound(id) == &checkpoint)
      violated(what + "its job may resume from it");
    if (is_own && is_too_young_to_prune(job))
      violated(what + "its job ended shortly before, by a clock that is not years off");
    if (!is_own && begins_from(job, checkpoint)) violated(what + text_of(id) + " begins from it");
  }
}

void CheckpointJudge::see_one(const CheckpointChanged& change) {
  const Checkpoint& changed = change.checkpoint;
  Checkpoint* known = find(changed.key, changed.step);
  if (known == nullptr) return;
  if (changed.pruned && !known->pruned && !changed.damaged) check_prune(*known);
  *known = changed;
}

void CheckpointJudge::removed(AttemptKey key, std::int64_t step) {
  const Checkpoint* known = find(key, step);
  if (known != nullptr && !known->pruned && !is_lost(key, step))
    violated("the files of " + text_of_step(key, step) + " are removed though it is kept");
}

}  // namespace cox::sim
