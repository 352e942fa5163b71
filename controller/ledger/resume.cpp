#include "controller/ledger/resume.h"

#include <algorithm>

#include "common/base/text.h"
#include "common/job/job_ref.h"

namespace cox {
namespace {

// The first words of the reason of a hold for a damaged source. is_held_for_source() recognises the
// hold by them.
constexpr const char* held_for_source_begins = "the checkpoint from which it begins, ";

}  // namespace

std::vector<KeptCheckpoint> unpruned_of(const Cluster& cluster, JobId id) {
  std::vector<KeptCheckpoint> found;
  if (const JobEntry* e = cluster.job(id))
    for (const Checkpoint& c : e->checkpoints)
      if (!c.pruned) found.push_back(kept_of(*e, c));
  const auto& all = cluster.checkpoints().kept();
  for (auto at = all.lower_bound({id, AttemptNumber{}, 0});
       at != all.end() && at->second.checkpoint.key.job == id; ++at)
    if (!at->second.checkpoint.pruned) found.push_back(at->second);
  return found;
}

namespace {

// Returns the job's checkpoint of this step, or its newest that is not set aside if `step` is -1.
// `damaged`: searches the damaged ones, not the sound ones.
std::optional<KeptCheckpoint> find_kept(const Cluster& cluster, JobId id, std::int64_t step,
                                        bool damaged) {
  std::optional<KeptCheckpoint> found;
  for (KeptCheckpoint& kept : unpruned_of(cluster, id)) {
    const Checkpoint& c = kept.checkpoint;
    if (c.damaged != damaged || (step < 0 ? c.set_aside : c.step != step)) continue;
    if (!found || c.step >= found->checkpoint.step) found = std::move(kept);
  }
  return found;
}

// Refuses to resume from a job without such a checkpoint. REQUIRES: the source has no sound
// checkpoint.
Refusal no_source(const Cluster& cluster, const ResumeSource& from) {
  const std::string job = std::to_string(from.job.value);
  const std::string list = "'cox checkpoints " + job + "' lists those it has";
  if (from.job >= cluster.jobs().next_id())
    return {"there never was a job " + job + " to resume from",
            "'cox checkpoints' lists the checkpoints of all jobs"};
  if (const auto damaged = find_kept(cluster, from.job, from.step, true))
    return {"the checkpoint of step " + std::to_string(damaged->checkpoint.step) + " of job " +
                job + " is damaged",
            list + "; resume from another, or leave --resume-from out"};
  const std::string fact = "job " + job + " has no checkpoint" +
                           (from.step < 0 ? "" : " of step " + std::to_string(from.step)) +
                           " to resume from";
  const JobEntry* e = cluster.job(from.job);
  const bool keeps_completed = cluster.config().checkpoints_kept_completed > Milliseconds{0};
  if (keeps_completed || (e != nullptr && e->job.state != JobState::Completed)) return {fact, list};
  if (e == nullptr) return {fact, list + "; those of a COMPLETED job were removed when it ended"};
  return {
      fact + ": it is COMPLETED, and the checkpoints of a COMPLETED job are removed when it ends",
      "'cox checkpoints' lists those of other jobs; an administrator can keep those of "
      "COMPLETED jobs (checkpoints_kept_completed)"};
}

}  // namespace

std::optional<KeptCheckpoint> find_checkpoint(const Cluster& cluster, JobId id, std::int64_t step) {
  return find_kept(cluster, id, step, false);
}

namespace {

ResumeSource source_of(const KeptCheckpoint& kept) {
  const Checkpoint& c = kept.checkpoint;
  return {c.key.job, c.step, c.key.attempt, kept.identity, kept.ranks};
}

}  // namespace

Failure resolve_resume(const Cluster& cluster, JobSpec& spec) {
  ResumeSource& from = spec.resume_from;
  std::erase(spec.stored_options, resume_newest_stored);
  if (from.job == JobId{}) {
    from = {};
    return std::nullopt;
  }
  const auto found = find_checkpoint(cluster, from.job, from.step);
  if (!found) return no_source(cluster, from);
  if (found->uid != spec.uid)
    return Refusal{"job " + std::to_string(from.job.value) + " belongs to " + found->user_name +
                       "; a job resumes only from a checkpoint of the same user",
                   ""};
  if (from.step < 0) spec.stored_options.emplace_back(resume_newest_stored);
  from = source_of(*found);
  return std::nullopt;
}

ResumeSource source_now(const Cluster& cluster, const JobSpec& spec) {
  const ResumeSource& from = spec.resume_from;
  if (!resumes_from_newest(spec)) return from;
  const auto newest = find_checkpoint(cluster, from.job, -1);
  // Another identity: a restored database has issued the id again, to another job.
  return newest && newest->identity == from.identity ? source_of(*newest) : from;
}

void renew_source(Reaction& r, JobId id) {
  const JobEntry& e = *r.cluster().job(id);
  if (!resumes_from_newest(*e.job.spec) || e.checkpoint_to_resume() != nullptr) return;
  ParsedSpec spec = *e.job.spec;
  spec.resume_from = source_now(r.cluster(), spec);
  r.respecify(id, std::move(spec));
}

namespace {

ResumeFrom resume_from(const ResumeSource& source) {
  return {source.attempt, source.step, source.job};
}

std::optional<KeptCheckpoint> find_source(const Cluster& cluster, const ResumeFrom& from) {
  auto found = find_checkpoint(cluster, from.job, from.step);
  if (found && found->checkpoint.key.attempt != from.attempt) found.reset();
  return found;
}

// Returns whether the other job's checkpoint from which a start of the job would begin now is
// sound. True if it does not begin from another job.
bool has_source(const Cluster& cluster, const JobSpec& spec) {
  const ResumeSource source = source_now(cluster, spec);
  return source.job == JobId{} || find_source(cluster, resume_from(source));
}

void hold_for_source(Reaction& r, JobId id, const ResumeFrom& from, const std::string& node) {
  const JobSpec& spec = *r.cluster().job(id)->job.spec;
  const std::string next =
      has_source(r.cluster(), spec)
          ? "it can begin from " + source_text(resume_from(source_now(r.cluster(), spec)))
          : "submit it again with another --resume-from";
  const std::string why =
      held_for_source_begins + source_text(from) + ", is gone or does not verify; " + next;
  r.edit(id, [&](Job& job) {
    job.held = true;
    job.held_why = why;
  });
  r.note(id, "hold", why, "node " + node);
}

void hold_for_damaged_source(Reaction& r, const Attempt& attempt, const std::string& node) {
  if (const auto found = find_source(r.cluster(), *attempt.resume)) {
    Checkpoint damaged = found->checkpoint;
    damaged.damaged = true;
    r.put(std::move(damaged));
  }
  hold_for_source(r, attempt.key.job, *attempt.resume, node);
}

void hold_if_none_is_usable(Reaction& r, JobId id, const std::string& fact,
                            const std::string& node) {
  const JobEntry& e = *r.cluster().job(id);
  if (e.job.held) return;
  AttemptNumber last_run;
  for (const Attempt& a : e.attempts)
    if (a.went != Wall{}) last_run = std::max(last_run, a.key.attempt);
  std::vector<std::string> steps;
  for (const Checkpoint& c : e.checkpoints) {
    if (c.pruned || c.set_aside) continue;
    // One that the job has not tried since it ran, or since it was released, is left.
    if (!c.damaged || c.damaged_in < last_run || c.damaged_in == AttemptNumber{}) return;
    steps.push_back(std::to_string(c.step));
  }
  const bool is_one = steps.size() == 1;
  const std::string why = (is_one ? "its checkpoint of step " : "its checkpoints of steps ") +
                          joined(steps, ", ") + (is_one ? " is" : " are") + " damaged (" + fact +
                          "); `cox release --begin-anew " + command_id(e.job) +
                          "` starts it without " + (is_one ? "it" : "them");
  r.edit(id, [&](Job& job) {
    job.held = true;
    job.held_why = why;
  });
  r.note(id, "hold", why, "node " + node);
}

}  // namespace

void note_damaged(Reaction& r, const Attempt& attempt, const std::string& node,
                  const std::string& fact) {
  const JobId id = attempt.key.job;
  if (attempt.resume->job != JobId{}) return hold_for_damaged_source(r, attempt, node);
  const auto& all = r.cluster().job(id)->checkpoints;
  const auto found = std::ranges::find_if(all, [&](const Checkpoint& c) {
    return c.key.attempt == attempt.resume->attempt && c.step == attempt.resume->step;
  });
  if (found == all.end() || found->damaged_in == attempt.key.attempt) return;
  Checkpoint c = *found;
  c.damaged = true;
  c.damaged_in = attempt.key.attempt;
  r.put(c);
  r.note(id, "checkpoint",
         "the checkpoint of step " + std::to_string(c.step) + " is damaged and is skipped",
         "node " + node);
  hold_if_none_is_usable(r, id, fact, node);
}

void look_again(Reaction& r, JobId id) {
  const std::vector<Checkpoint> all = r.cluster().job(id)->checkpoints;
  for (Checkpoint c : all) {
    if (!c.damaged || c.pruned || c.damaged_in == AttemptNumber{}) continue;
    c.damaged_in = AttemptNumber{};
    r.put(std::move(c));
  }
}

namespace {

// Refuses to resume the job from this step, of which it has no checkpoint.
Refusal no_own_checkpoint(const JobEntry& e, std::int64_t step) {
  std::vector<std::string> steps;
  for (const Checkpoint& c : e.checkpoints) steps.push_back(std::to_string(c.step));
  const std::string job = "job " + shown_id(e.job);
  if (steps.empty())
    return {job + " has no checkpoints", "requeue it without --from; it then begins anew"};
  return {job + " has no checkpoint of step " + std::to_string(step),
          "it has those of step " + joined(steps, ", ")};
}

Refusal held_again(const Job& job) {
  return {"job " + shown_id(job) + " would be held again at once: " + *job.held_why,
          "`cox cancel " + command_id(job) + "` ends it"};
}

// Lets what nodes may still report as saved by the job's ended attempt be set aside too.
void set_late_saves_aside(Reaction& r, JobId id) {
  const JobEntry& e = *r.cluster().job(id);
  if (e.attempts.empty() || e.live_attempt() != nullptr) return;
  Attempt ended = e.attempts.back();
  ended.saves_set_aside = true;
  r.put(std::move(ended));
}

}  // namespace

Failure set_checkpoints_aside(Reaction& r, const Job& job) {
  const std::string what = "job " + shown_id(job);
  if (job.state != JobState::Pending)
    return Refusal{what + " is not pending", "--begin-anew is for a job that waits for its start"};
  if (!has_source(r.cluster(), *job.spec)) {
    if (is_held_for_source(job)) return held_again(job);
    const ResumeFrom source = resume_from(source_now(r.cluster(), *job.spec));
    return Refusal{source_text(source) + ", from which " + what + " begins, is gone",
                   "submit it again without --resume-from"};
  }
  const std::vector<Checkpoint> all = r.cluster().job(job.id)->checkpoints;
  for (Checkpoint c : all) {
    if (c.pruned) continue;
    c.set_aside = true;
    r.put(std::move(c));
  }
  set_late_saves_aside(r, job.id);
  return std::nullopt;
}

Failure resume_next_from(Reaction& r, JobId id, std::int64_t step, const std::string& actor) {
  const JobEntry& e = *r.cluster().job(id);
  const std::vector<Checkpoint> all = e.checkpoints;
  // The last one is that of the newest attempt that saved the step.
  const auto chosen = std::ranges::find(all.rbegin(), all.rend(), step, &Checkpoint::step);
  if (chosen == all.rend()) return no_own_checkpoint(e, step);
  std::vector<std::string> aside;
  for (auto c = all.rbegin(); c != chosen; ++c) {
    if (c->set_aside) continue;
    Checkpoint unwanted = *c;
    unwanted.set_aside = true;
    aside.insert(aside.begin(), std::to_string(c->step));
    r.put(std::move(unwanted));
  }
  Checkpoint wanted = *chosen;
  wanted.set_aside = false;
  wanted.damaged_in = AttemptNumber{};
  r.put(std::move(wanted));
  set_late_saves_aside(r, id);
  r.note(id, "checkpoint",
         "it is to resume from step " + std::to_string(step) +
             (aside.empty() ? "" : "; set aside, files kept: step " + joined(aside, ", ")),
         actor);
  return std::nullopt;
}

namespace {

// Returns whether the attempt resumed from this checkpoint of its job, and a rank failed before the
// attempt had committed another one.
bool failed_from(const JobEntry& e, const Attempt& a, const Checkpoint& c) {
  const bool resumed = a.resume && a.resume->job == JobId{} && a.resume->attempt == c.key.attempt &&
                       a.resume->step == c.step;
  return resumed && a.stop.why == StopWhy::RankFailed &&
         std::ranges::find(e.checkpoints, a.key, &Checkpoint::key) == e.checkpoints.end();
}

// Returns how many failures from this checkpoint in a row set it aside. Whether the save was
// complete is less sure if it rests on an exit code alone.
int failures_max(const Checkpoint& c) {
  return c.by_exit ? 1 : 2;
}

// Returns whether the job's newest attempts that ran have failed from this checkpoint so often.
bool fails_too_often(const JobEntry& e, const Checkpoint& c) {
  int failed = 0;
  for (auto a = e.attempts.rbegin(); a != e.attempts.rend() && failed < failures_max(c); ++a) {
    if (a->went == Wall{}) continue;
    if (!failed_from(e, *a, c)) return false;
    ++failed;
  }
  return failed == failures_max(c);
}

}  // namespace

void set_failing_checkpoint_aside(Reaction& r, JobId id) {
  const JobEntry& e = *r.cluster().job(id);
  const std::vector<Checkpoint> all = e.checkpoints;
  if (e.attempts.empty() || e.attempts.back().went == Wall{}) return;
  const auto failing =
      std::ranges::find_if(all, [&](const Checkpoint& c) { return fails_too_often(e, c); });
  if (failing == all.end() || failing->set_aside) return;
  const auto is_usable = [](const Checkpoint& c) { return !c.damaged && !c.set_aside; };
  const auto older = std::find_if(std::reverse_iterator(failing), all.rend(), is_usable);
  if (older == all.rend()) return;
  Checkpoint aside = *failing;
  aside.set_aside = true;
  const std::string step = std::to_string(aside.step);
  const std::string what =
      aside.by_exit ? "an attempt failed from step " + step + ", which rests on exit code 75 alone,"
                    : "two attempts in a row failed from step " + step;
  r.put(std::move(aside));
  r.note(id, "checkpoint",
         what + " before saving another; the next resumes from step " +
             std::to_string(older->step) + " (`cox requeue --from " + step + " " +
             command_id(e.job) + "` takes step " + step + " again)",
         "controller");
}

void note_verified(Reaction& r, const Attempt& attempt) {
  if (!attempt.resume || attempt.resume->job != JobId{}) return;
  const ResumeFrom from = *attempt.resume;
  const JobId id = attempt.key.job;
  const std::vector<Checkpoint> all = r.cluster().job(id)->checkpoints;
  for (Checkpoint c : all) {
    if (!c.damaged || c.key.attempt != from.attempt || c.step != from.step) continue;
    c.damaged = false;
    c.damaged_in = AttemptNumber{};
    r.note(id, "checkpoint", "the checkpoint of step " + std::to_string(c.step) + " verifies now",
           "controller");
    r.put(std::move(c));
  }
}

bool is_held_for_source(const Job& job) {
  return job.held && job.held_why->starts_with(held_for_source_begins);
}

Failure check_release(const Cluster& cluster, const JobEntry& entry) {
  if (!is_held_for_source(entry.job) || entry.checkpoint_to_resume() != nullptr ||
      has_source(cluster, *entry.job.spec))
    return std::nullopt;
  return held_again(entry.job);
}

std::string skipped_text(const JobEntry& entry, std::int64_t step) {
  for (auto c = entry.checkpoints.rbegin(); c != entry.checkpoints.rend(); ++c)
    if (c->damaged && !c->pruned && !c->set_aside && c->step > step)
      return "its checkpoint of step " + std::to_string(c->step) + " is damaged";
  return "";
}

std::string damaged_text(const JobEntry& entry) {
  const Checkpoint* next = entry.checkpoint_to_resume();
  return next == nullptr ? "" : skipped_text(entry, next->step);
}

std::string next_begin_text(const Cluster& cluster, const JobEntry& entry) {
  if (const Checkpoint* next = entry.checkpoint_to_resume()) {
    const std::string damaged = damaged_text(entry);
    return (damaged.empty() ? "" : damaged + ", so ") + "it is to resume from step " +
           std::to_string(next->step) + ", if that verifies";
  }
  const JobSpec& spec = *entry.job.spec;
  const ResumeSource from = source_now(cluster, spec);
  if (from.job == JobId{}) return "it begins anew";
  return "it is to begin from " + source_text(resume_from(from)) +
         (resumes_from_newest(spec) ? " or a newer checkpoint of that job" : "") +
         ", if that verifies";
}

std::string source_text(const ResumeFrom& from) {
  const std::string step = "step " + std::to_string(from.step);
  return from.job == JobId{} ? step : step + " of job " + std::to_string(from.job.value);
}

}  // namespace cox
