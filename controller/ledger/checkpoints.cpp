#include "controller/ledger/checkpoints.h"

#include <algorithm>

#include "common/base/check.h"
#include "common/base/limits.h"
#include "common/job/job_ref.h"
#include "controller/state/counted.h"

namespace cox {

std::string checkpoint_dir_of(const Cluster& cluster, JobId id, const std::string& identity) {
  return cluster.config().checkpoint_root + "/" + std::to_string(id.value) +
         (identity.empty() ? "" : "-" + identity);
}
namespace {

constexpr Milliseconds watch_interval{60'000};
// At most so many checkpoints are pruned on each round, so that no turn takes long. The next round
// continues.
constexpr int pruned_per_watch_max = 1'000;
// The first words of the reason of a hold for a damaged source. is_held_for_source() recognises the
// hold by them.
constexpr const char* held_for_source_begins = "the checkpoint from which it begins, ";

bool is_sound(const Checkpoint& c) {
  return !c.damaged && !c.pruned;
}

// Returns a node that shares the checkpoint folder and obeys this controller, to remove files of
// the job; empty: there is none now. While the list of such nodes stays the same, the same job gets
// the same node.
std::string node_to_remove(const Cluster& cluster, JobId id) {
  std::vector<const std::string*> able;
  for (const auto& [name, node] : cluster.nodes().all()) {
    const NodeContact& live = cluster.soft().contact(name);
    if (node.responding && live.obeys_us && live.shares_checkpoints) able.push_back(&name);
  }
  return able.empty() ? "" : *able[static_cast<std::size_t>(id.value) % able.size()];
}

void ask_to_remove(Reaction& r, const Checkpoint& c, const std::string& identity) {
  const std::string node = node_to_remove(r.cluster(), c.key.job);
  if (node.empty()) return;
  r.send_to_node(node, RemoveCheckpoint{r.cluster().term(), c.key, c.step,
                                        checkpoint_dir_of(r.cluster(), c.key.job, identity)});
}

void prune(Reaction& r, Checkpoint c, const std::string& identity) {
  c.pruned = true;
  ask_to_remove(r, c, identity);
  r.put(std::move(c));
}

Milliseconds kept_after_end(const Cluster& cluster, JobState state) {
  return state == JobState::Completed ? cluster.config().checkpoints_kept_completed
                                      : cluster.config().checkpoints_kept_ended;
}

// Prunes checkpoints of ended jobs that have been kept long enough.
void prune_what_is_old(Reaction& r) {
  std::vector<KeptCheckpoint> old;
  for (const auto& [key, kept] : r.cluster().checkpoints().kept()) {
    if (kept.checkpoint.pruned || r.cluster().checkpoints().is_begun_from(kept.checkpoint.key.job))
      continue;
    if (r.now().wall - kept.ended < kept_after_end(r.cluster(), kept.state)) continue;
    old.push_back(kept);
    if (old.size() == pruned_per_watch_max) break;
  }
  for (const KeptCheckpoint& kept : old) prune(r, kept.checkpoint, kept.identity);
}

bool has_files_of(const Cluster& cluster, AttemptKey key) {
  const auto at = cluster.checkpoints().kept().lower_bound({key.job, key.attempt, 0});
  if (at != cluster.checkpoints().kept().end() && at->second.checkpoint.key == key) return true;
  const JobEntry* e = cluster.job(key.job);
  return e != nullptr &&
         std::ranges::any_of(e->checkpoints, [&](const Checkpoint& c) { return c.key == key; });
}

}  // namespace

void prune_old_checkpoints(Reaction& r, JobId id) {
  const JobEntry& e = *r.cluster().job(id);
  std::vector<Checkpoint> sound;
  std::ranges::copy_if(e.checkpoints, std::back_inserter(sound), is_sound);
  const auto keep = static_cast<std::size_t>(r.cluster().config().checkpoints_kept);
  const std::string identity = e.job.identity;
  for (std::size_t i = 0; i + keep < sound.size(); ++i)
    if (!r.cluster().checkpoints().is_begun_from(id, sound[i].step)) prune(r, sound[i], identity);
}

void commit_checkpoint(Reaction& r, const Checkpoint& c, const std::string& by) {
  const JobId id = c.key.job;
  const auto has = [&](const Checkpoint& known) {
    return known.key == c.key && known.step == c.step;
  };
  if (std::ranges::any_of(r.cluster().job(id)->checkpoints, has)) return;
  // Not added if the job has a newer committed step: this older one would be pruned at once.
  const Checkpoint* newest = r.cluster().job(id)->newest_checkpoint();
  if (newest != nullptr && newest->step >= c.step) return;
  r.add(c);
  r.note(id, "checkpoint",
         "step " + std::to_string(c.step) + " committed: " + counted(c.bytes, "byte") + " in " +
             counted(c.files, "file") + " by " + by,
         "controller");
  prune_old_checkpoints(r, id);
}

namespace {

// Returns the job's checkpoints that are not pruned, also if memory has forgotten the job.
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

enum class Damaged : std::uint8_t { Pruned, Kept };

// Prunes the checkpoints of an ended job but the newest. Does nothing if the job has not ended, or
// if an unfinished job begins from a checkpoint of it.
void keep_newest_of_ended(Reaction& r, JobId id, Damaged damaged) {
  const JobEntry* e = r.cluster().job(id);
  const bool is_over = e == nullptr || is_final(e->job.state);
  if (!is_over || r.cluster().checkpoints().is_begun_from(id)) return;
  std::vector<KeptCheckpoint> all = unpruned_of(r.cluster(), id);
  if (damaged == Damaged::Kept)
    std::erase_if(all, [](const KeptCheckpoint& one) { return one.checkpoint.damaged; });
  if (all.empty()) return;
  const bool keeps_one = kept_after_end(r.cluster(), all.front().state) > Milliseconds{0};
  const auto newest = keeps_one ? find_checkpoint(r.cluster(), id, -1) : std::nullopt;
  for (const KeptCheckpoint& one : all)
    if (!newest || key_of(one.checkpoint) != key_of(newest->checkpoint))
      prune(r, one.checkpoint, one.identity);
}

}  // namespace

void settle_checkpoints_of_ended(Reaction& r, JobId id) {
  keep_newest_of_ended(r, id, Damaged::Pruned);
  const JobId source = r.cluster().job(id)->job.spec->resume_from.job;
  // Damaged checkpoints of the source are not pruned: a node that does not see the files also
  // reports them as damaged.
  if (source != JobId{}) keep_newest_of_ended(r, source, Damaged::Kept);
}

void remove_empty_folder(Reaction& r, const Attempt& attempt) {
  const StopWhy why = attempt.stop.why;
  const bool may_be_lost = why == StopWhy::NodeLost || why == StopWhy::LaunchUndone;
  if (starts_without_go(attempt.nodes.size()) && !may_be_lost) return;
  const std::string node = node_to_remove(r.cluster(), attempt.key.job);
  if (node.empty()) return;
  const std::string& identity = r.cluster().job(attempt.key.job)->job.identity;
  r.send_to_node(node, RemoveCheckpoint{r.cluster().term(), attempt.key, -1,
                                        checkpoint_dir_of(r.cluster(), attempt.key.job, identity)});
}

namespace {

std::optional<KeptCheckpoint> find_source(const Cluster& cluster, const ResumeFrom& from) {
  auto found = find_checkpoint(cluster, from.job, from.step);
  if (found && found->checkpoint.key.attempt != from.attempt) found.reset();
  return found;
}

void hold_for_source(Reaction& r, JobId id, const ResumeFrom& from, const std::string& node) {
  const std::string why = held_for_source_begins + source_text(from) +
                          ", is gone or does not verify; submit it again with another "
                          "--resume-from";
  r.edit(id, [&](Job& job) {
    job.held = true;
    job.held_why = why;
  });
  r.note(id, "hold", why, "node " + node);
}

}  // namespace

void hold_for_damaged_source(Reaction& r, const Attempt& attempt, const std::string& node) {
  if (const auto found = find_source(r.cluster(), *attempt.resume)) {
    Checkpoint damaged = found->checkpoint;
    damaged.damaged = true;
    r.put(std::move(damaged));
  }
  hold_for_source(r, attempt.key.job, *attempt.resume, node);
}

void hold_if_source_is_gone(Reaction& r, JobId id, const std::string& node) {
  const JobEntry& e = *r.cluster().job(id);
  const ResumeSource& source = e.job.spec->resume_from;
  const ResumeFrom from{source.attempt, source.step, source.job};
  if (from.job == JobId{} || e.newest_checkpoint() != nullptr) return;
  if (!find_source(r.cluster(), from)) hold_for_source(r, id, from, node);
}

bool is_held_for_source(const Job& job) {
  return job.held && job.held_why->starts_with(held_for_source_begins);
}

Failure check_release(const Job& job) {
  if (!is_held_for_source(job)) return std::nullopt;
  return Refusal{"job " + shown_id(job) + " would be held again at once: " + *job.held_why,
                 "`cox cancel " + command_id(job) + "` ends it"};
}

std::string damaged_text(const JobEntry& entry) {
  const Checkpoint* newest = entry.newest_checkpoint();
  const auto damaged = std::ranges::find_if(entry.checkpoints.rbegin(), entry.checkpoints.rend(),
                                            &Checkpoint::damaged);
  const bool is_newer =
      damaged != entry.checkpoints.rend() && (newest == nullptr || damaged->step > newest->step);
  return is_newer ? "its checkpoint of step " + std::to_string(damaged->step) + " is damaged" : "";
}

std::string next_begin_text(const JobEntry& entry) {
  const std::string damaged = damaged_text(entry);
  const std::string because = damaged.empty() ? "" : damaged + ", so ";
  const ResumeSource& from = entry.job.spec->resume_from;
  if (const Checkpoint* newest = entry.newest_checkpoint())
    return because + "it is to resume from step " + std::to_string(newest->step) +
           ", if that verifies";
  if (from.job == JobId{}) return because + "it begins anew";
  return because + "it is to begin from " + source_text({from.attempt, from.step, from.job}) +
         ", if that verifies";
}

std::string source_text(const ResumeFrom& from) {
  const std::string step = "step " + std::to_string(from.step);
  return from.job == JobId{} ? step : step + " of job " + std::to_string(from.job.value);
}

void on_checkpoint_removed(Reaction& r, const CheckpointRemoved& report) {
  const auto& all = r.cluster().checkpoints().kept();
  const auto known = all.find({report.key.job, report.key.attempt, report.step});
  if (known == all.end() || !known->second.checkpoint.pruned) return;
  Checkpoint removed = known->second.checkpoint;
  const std::string identity = known->second.identity;
  removed.removed = r.now().wall;
  r.put(std::move(removed));
  // The folder of a live attempt stays: its ranks save into it.
  const JobEntry* e = r.cluster().job(report.key.job);
  const bool is_live =
      e != nullptr && e->live_attempt() != nullptr && e->live_attempt()->key == report.key;
  if (is_live || has_files_of(r.cluster(), report.key)) return;
  r.send_to_node(report.node,
                 RemoveCheckpoint{r.cluster().term(), report.key, -1,
                                  checkpoint_dir_of(r.cluster(), report.key.job, identity)});
}

void watch_checkpoints(Reaction& r) {
  Boot& watched = r.soft_state().checkpoints_watched;
  if (watched != Boot{} && r.now().boot - watched < watch_interval) return;
  watched = r.now().boot;
  prune_what_is_old(r);
  int asked = 0;
  for (const auto& [key, kept] : r.cluster().checkpoints().kept()) {
    if (!kept.checkpoint.pruned) continue;
    ask_to_remove(r, kept.checkpoint, kept.identity);
    if (++asked == pruned_per_watch_max) return;
  }
}

namespace {

// Returns the job's checkpoint of this step, or its newest if `step` is -1. `damaged`: searches the
// damaged ones, not the sound ones.
std::optional<KeptCheckpoint> find_kept(const Cluster& cluster, JobId id, std::int64_t step,
                                        bool damaged) {
  std::optional<KeptCheckpoint> found;
  for (KeptCheckpoint& kept : unpruned_of(cluster, id)) {
    const Checkpoint& c = kept.checkpoint;
    if (c.damaged != damaged || (step >= 0 && c.step != step)) continue;
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

Failure resolve_resume(const Cluster& cluster, JobSpec& spec) {
  ResumeSource& from = spec.resume_from;
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
  from.step = found->checkpoint.step;
  from.attempt = found->checkpoint.key.attempt;
  from.identity = found->identity;
  from.ranks = found->ranks;
  return std::nullopt;
}

namespace {

CheckpointView view_of(const Cluster& cluster, const KeptCheckpoint& kept) {
  const Checkpoint& c = kept.checkpoint;
  CheckpointView view{c, kept.job_name, kept.user_name, kept.state, kept.ended, {}, ""};
  if (kept.ended != Wall{} && !c.pruned && !cluster.checkpoints().is_begun_from(c.key.job))
    view.kept_until = kept.ended + kept_after_end(cluster, kept.state);
  view.folder = checkpoint_dir_of(cluster, c.key.job, kept.identity) + "/attempt-" +
                std::to_string(c.key.attempt.value) + "/step-" + std::to_string(c.step);
  return view;
}

// Returns all checkpoints of the job, in the order of attempts and steps.
std::vector<CheckpointView> views_of_job(const Cluster& cluster, JobId id) {
  KeptCheckpoints of_job;
  const auto& all = cluster.checkpoints().kept();
  for (auto at = all.lower_bound({id, AttemptNumber{}, 0});
       at != all.end() && at->second.checkpoint.key.job == id; ++at)
    of_job.insert(*at);
  if (const JobEntry* e = cluster.job(id))
    for (const Checkpoint& c : e->checkpoints) of_job[key_of(c)] = kept_of(*e, c);
  std::vector<CheckpointView> views;
  for (const auto& [key, kept] : of_job) views.push_back(view_of(cluster, kept));
  return views;
}

// Returns the first job with an id above `after` that has checkpoints.
std::optional<JobId> next_with_checkpoints(const Cluster& cluster, JobId after) {
  std::optional<JobId> next;
  const auto& all = cluster.checkpoints().kept();
  if (const auto at = all.lower_bound({JobId{after.value + 1}, AttemptNumber{}, 0});
      at != all.end())
    next = at->second.checkpoint.key.job;
  for (const auto& [id, entry] : cluster.jobs().all_above(after)) {
    if (next && *next <= id) break;
    if (!entry.checkpoints.empty()) return id;
  }
  return next;
}

void list_live_folders(const Cluster& cluster, CheckpointList& list) {
  for (const JobId id : cluster.jobs().live()) {
    const JobEntry& e = *cluster.job(id);
    if (e.live_attempt() == nullptr) continue;
    list.live_folders.push_back(checkpoint_dir_of(cluster, id, e.job.identity) + "/attempt-" +
                                std::to_string(e.live_attempt()->key.attempt.value));
  }
}

}  // namespace

CheckpointList list_checkpoints(const Cluster& cluster, const ListCheckpoints& ask) {
  CheckpointList list;
  list.root = cluster.config().checkpoint_root;
  const auto append = [&](JobId id) {
    for (CheckpointView& view : views_of_job(cluster, id))
      list.checkpoints.push_back(std::move(view));
  };
  for (const JobId id : ask.ids) append(id);
  if (!ask.ids.empty()) return list;
  list_live_folders(cluster, list);
  for (auto id = next_with_checkpoints(cluster, ask.after); id;
       id = next_with_checkpoints(cluster, *id)) {
    list.more = list.checkpoints.size() >= limits::page_rows_max;
    if (list.more) break;
    append(*id);
  }
  return list;
}

namespace {

// Refuses to remove checkpoints. REQUIRES: an unfinished job begins from a checkpoint of `source`.
Refusal is_still_needed(const Cluster& cluster, JobId source) {
  std::vector<const Job*> jobs;
  for (const JobId id : cluster.jobs().unfinished())
    if (const Job& job = cluster.job(id)->job; job.spec->resume_from.job == source)
      jobs.push_back(&job);
  CHECK(!jobs.empty());
  const Job& first = *jobs.front();
  const ResumeSource& from = first.spec->resume_from;
  const std::int64_t others = std::ssize(jobs) - 1;
  return {"job " + command_id(first) + ", which has not ended, begins from " +
              source_text({from.attempt, from.step, from.job}) +
              (others == 0 ? "" : "; " + counted(others, "other job") + " too"),
          "cancel it first (`cox cancel " + command_id(first) + "`), or wait for its end"};
}

}  // namespace

Acted remove_checkpoints(Reaction& r, const Caller& caller, const RemoveCheckpoints& ask) {
  const std::string what = std::to_string(ask.id.value);
  const auto refuse = [&](std::string fact, std::string hint) {
    return Acted{{{what, "", Refusal{std::move(fact), std::move(hint)}}}};
  };
  std::vector<KeptCheckpoint> wanted = unpruned_of(r.cluster(), ask.id);
  std::erase_if(wanted, [&](const KeptCheckpoint& kept) {
    return ask.step >= 0 && kept.checkpoint.step != ask.step;
  });
  if (wanted.empty())
    return refuse("job " + what + " has no checkpoint" +
                      (ask.step < 0 ? "" : " of step " + std::to_string(ask.step)),
                  "'cox checkpoints' lists all checkpoints");
  if (caller.uid != wanted.front().uid && caller.uid != r.cluster().config().owner_uid)
    return refuse("job " + what + " belongs to " + wanted.front().user_name, "");
  const JobEntry* e = r.cluster().job(ask.id);
  if (e != nullptr && is_live(e->job.state))
    return refuse("job " + what + " is running and may have to resume from its checkpoints",
                  "cancel it first, or wait for its end");
  if (r.cluster().checkpoints().is_begun_from(ask.id))
    return Acted{{{what, "", is_still_needed(r.cluster(), ask.id)}}};
  std::int64_t bytes = 0;
  for (const KeptCheckpoint& kept : wanted) {
    bytes += kept.checkpoint.bytes;
    prune(r, kept.checkpoint, kept.identity);
  }
  return Acted{{{what,
                 counted(std::ssize(wanted), "checkpoint") + " with " + counted(bytes, "byte") +
                     " will be removed",
                 {}}}};
}

}  // namespace cox
