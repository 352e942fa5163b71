#include "controller/ledger/checkpoints.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "common/base/check.h"
#include "common/base/limits.h"
#include "common/job/job_ref.h"
#include "controller/ledger/may_delete.h"
#include "controller/ledger/resume.h"
#include "controller/state/counted.h"

namespace cox {

std::string checkpoint_dir_of(const Cluster& cluster, JobId id, const std::string& identity) {
  return cluster.config().checkpoint_root + "/" + std::to_string(id.value) +
         (identity.empty() ? "" : "-" + identity);
}

std::string folder_of(const Cluster& cluster, const KeptCheckpoint& kept) {
  const Checkpoint& c = kept.checkpoint;
  return checkpoint_dir_of(cluster, c.key.job, kept.identity) + "/attempt-" +
         std::to_string(c.key.attempt.value) + "/step-" + std::to_string(c.step);
}

namespace {

constexpr Milliseconds watch_interval{60'000};
// At most so many checkpoints are pruned on each round, so that no turn takes long. The next round
// continues.
constexpr std::size_t pruned_per_watch_max = 1'000;

bool is_sound(const Checkpoint& c) {
  return !c.damaged && !c.pruned && !c.set_aside;
}

}  // namespace

std::string node_for_files(const Cluster& cluster, JobId id) {
  std::vector<const std::string*> able;
  for (const auto& [name, node] : cluster.nodes().all()) {
    const NodeContact& live = cluster.soft().contact(name);
    if (node.responding && live.obeys_us && live.shares_checkpoints) able.push_back(&name);
  }
  return able.empty() ? "" : *able[static_cast<std::size_t>(id.value) % able.size()];
}

namespace {

void ask_to_remove(Reaction& r, const Checkpoint& c, const std::string& identity) {
  const std::string node = node_for_files(r.cluster(), c.key.job);
  if (node.empty()) return;
  r.send_to_node(node, RemoveCheckpoint{r.cluster().term(), c.key, c.step,
                                        checkpoint_dir_of(r.cluster(), c.key.job, identity)});
}

void prune(Reaction& r, Checkpoint c, const std::string& identity, const MayDelete&) {
  c.pruned = true;
  ask_to_remove(r, c, identity);
  r.put(std::move(c));
}

// Returns how many checkpoints of an ended job are kept. A job that did not complete may have
// failed because of its newest one.
std::int64_t kept_number(const Cluster& cluster, JobState state) {
  if (kept_after_end(cluster, state) == Milliseconds{0}) return 0;
  return state == JobState::Completed ? 1 : cluster.config().checkpoints_kept;
}

// Prunes checkpoints of ended jobs that have been kept long enough.
void prune_what_is_old(Reaction& r) {
  std::vector<std::pair<KeptCheckpoint, MayDelete>> old;
  for (const auto& [key, kept] : r.cluster().checkpoints().kept()) {
    if (kept.checkpoint.pruned) continue;
    if (const auto may = MayDelete::by_age(r.cluster(), kept, r.now().wall))
      old.emplace_back(kept, *may);
    if (old.size() == pruned_per_watch_max) break;
  }
  for (const auto& [kept, may] : old) prune(r, kept.checkpoint, kept.identity, may);
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
  const std::int64_t keep = r.cluster().config().checkpoints_kept;
  const std::string identity = e.job.identity;
  for (const Checkpoint& c : sound) {
    const auto may = MayDelete::as_surplus(sound, keep, c);
    if (may && !r.cluster().checkpoints().is_begun_from(id, c.step)) prune(r, c, identity, *may);
  }
}

namespace {

// Records once in the job's history that a step which every rank has reported has no file.
void note_without_file(Reaction& r, const Checkpoint& c) {
  if (!r.soft_state().edit(c.key.job).without_file.emplace(c.key.attempt, c.step).second) return;
  const std::string step = "step-" + std::to_string(c.step);
  r.note(c.key.job, "checkpoint",
         step + " is no checkpoint: no rank has saved a file in " + step + "/rank-R", "controller");
}

// Records once for an attempt that a save does not count, because another saver has reported the
// same training step.
void note_saved_twice(Reaction& r, const Checkpoint& c, const std::string& why) {
  AttemptNumber& noted = r.soft_state().edit(c.key.job).saved_twice;
  if (std::exchange(noted, c.key.attempt) == c.key.attempt) return;
  r.note(c.key.job, "checkpoint",
         why +
             "; their files have the same names: run each training as a "
             "job of its own, for example as a task of a job array",
         "controller");
}

std::string saver_text(std::int32_t job_step) {
  return job_step < 0 ? "the job itself" : "job step " + std::to_string(job_step);
}

// Returns another saver that has reported the training step of `c` in the same attempt, from any of
// its nodes. Nothing: there is none.
std::optional<std::int32_t> other_saver(const JobEntry& e, const Checkpoint& c) {
  for (const Step& step : e.steps)
    if (step.key.attempt == c.key && step.key.number != c.job_step &&
        std::ranges::any_of(step.nodes,
                            [&](const StepNode& node) { return has_saved(node.saved, c.step); }))
      return step.key.number;
  const Attempt* live = e.live_attempt();
  if (c.job_step < 0 || live == nullptr || live->key != c.key) return std::nullopt;
  const bool by_ranks = std::ranges::any_of(
      live->ranks, [&](const RankStatus& rank) { return has_saved(rank.saved, c.step); });
  return by_ranks ? std::optional(-1) : std::nullopt;
}

// An attempt that goes on to commit has proven the checkpoint from which it resumed.
void prove_source(Reaction& r, AttemptKey key) {
  const JobEntry& e = *r.cluster().job(key.job);
  const auto attempt = std::ranges::find(e.attempts, key, &Attempt::key);
  if (attempt == e.attempts.end() || !attempt->resume || attempt->resume->job != JobId{}) return;
  const auto source = std::ranges::find_if(e.checkpoints, [&](const Checkpoint& c) {
    return c.by_exit && c.key.attempt == attempt->resume->attempt &&
           c.step == attempt->resume->step;
  });
  if (source == e.checkpoints.end()) return;
  Checkpoint proven = *source;
  proven.by_exit = false;
  r.put(std::move(proven));
}

}  // namespace

namespace {

// Returns what the history says about a new checkpoint.
std::string committed_text(const Checkpoint& c, const std::string& by) {
  const std::string what = "step " + std::to_string(c.step) +
                           " committed: " + counted(c.bytes, "byte") + " in " +
                           counted(c.files, "file") + " by " + by;
  if (c.set_aside) return what + "; set aside, since the job is to go on without it";
  if (!c.by_exit) return what;
  return what +
         "; it rests on exit code 75 without a report (`cox checkpoint done`), so older "
         "checkpoints are kept until a job has resumed from it and saved";
}

}  // namespace

void commit_checkpoint(Reaction& r, Checkpoint c, const std::string& by) {
  const JobId id = c.key.job;
  const auto& all = r.cluster().job(id)->checkpoints;
  const auto known = std::ranges::find_if(
      all, [&](const Checkpoint& one) { return one.key == c.key && one.step == c.step; });
  const std::string step = "step " + std::to_string(c.step);
  if (known != all.end()) {
    // The saver of a checkpoint that the previous version committed is not known.
    if (known->job_step >= 0 && known->job_step != c.job_step)
      note_saved_twice(r, c,
                       step + " of " + saver_text(c.job_step) + " does not count, since " +
                           saver_text(known->job_step) + " has saved it before");
    return;
  }
  // Not added if the job has a newer committed step: this older one would be pruned at once.
  const Checkpoint* newest = r.cluster().job(id)->newest_checkpoint();
  if (newest != nullptr && newest->step >= c.step) return;
  if (c.files == 0) return note_without_file(r, c);
  if (const auto other = other_saver(*r.cluster().job(id), c))
    return note_saved_twice(r, c,
                            step + " is no checkpoint, since " + saver_text(c.job_step) + " and " +
                                saver_text(*other) + " have both saved it");
  const auto& attempts = r.cluster().job(id)->attempts;
  const auto saved_it = std::ranges::find(attempts, c.key, &Attempt::key);
  c.set_aside = saved_it != attempts.end() && saved_it->saves_set_aside;
  prove_source(r, c.key);
  r.add(c);
  r.note(id, "checkpoint", committed_text(c, by), "controller");
  prune_old_checkpoints(r, id);
}

namespace {

// Prunes the checkpoints of an ended job but the newest, see kept_number(). Does nothing if the job
// has not ended, or if an unfinished job begins from a checkpoint of it.
void keep_newest_of_ended(Reaction& r, JobId id) {
  const JobEntry* e = r.cluster().job(id);
  const bool is_over = e == nullptr || is_final(e->job.state);
  if (!is_over || r.cluster().checkpoints().is_begun_from(id)) return;
  const std::vector<KeptCheckpoint> all = unpruned_of(r.cluster(), id);
  if (all.empty()) return;
  const std::int64_t keep = kept_number(r.cluster(), all.front().state);
  std::vector<Checkpoint> settled;
  for (const KeptCheckpoint& one : all)
    if (keep == 0 || is_sound(one.checkpoint)) settled.push_back(one.checkpoint);
  std::ranges::sort(settled, {}, &Checkpoint::step);
  for (const Checkpoint& c : settled)
    if (const auto may = MayDelete::as_surplus(settled, keep, c))
      prune(r, c, all.front().identity, *may);
}

}  // namespace

void settle_checkpoints_of_ended(Reaction& r, JobId id) {
  keep_newest_of_ended(r, id);
  const JobId source = r.cluster().job(id)->job.spec->resume_from.job;
  if (source != JobId{}) keep_newest_of_ended(r, source);
}

void remove_empty_folder(Reaction& r, const Attempt& attempt) {
  const StopWhy why = attempt.stop.why;
  const bool may_be_lost = why == StopWhy::NodeLost || why == StopWhy::LaunchUndone;
  if (starts_without_go(attempt.nodes.size()) && !may_be_lost) return;
  const std::string node = node_for_files(r.cluster(), attempt.key.job);
  if (node.empty()) return;
  const std::string& identity = r.cluster().job(attempt.key.job)->job.identity;
  r.send_to_node(node, RemoveCheckpoint{r.cluster().term(), attempt.key, -1,
                                        checkpoint_dir_of(r.cluster(), attempt.key.job, identity)});
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
  std::size_t asked = 0;
  for (const auto& [key, kept] : r.cluster().checkpoints().kept()) {
    if (!kept.checkpoint.pruned) continue;
    ask_to_remove(r, kept.checkpoint, kept.identity);
    if (++asked == pruned_per_watch_max) return;
  }
}

namespace {

CheckpointView view_of(const Cluster& cluster, const KeptCheckpoint& kept) {
  const Checkpoint& c = kept.checkpoint;
  CheckpointView view{c, kept.job_name, kept.user_name, kept.state, kept.ended, {}, ""};
  if (kept.ended != Wall{} && !c.pruned && !cluster.checkpoints().is_begun_from(c.key.job))
    view.kept_until = kept.ended + kept_after_end(cluster, kept.state);
  view.folder = folder_of(cluster, kept);
  view.array_job = kept.array_job;
  view.array_task = kept.array_task;
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
  for (const auto& [id, e] : cluster.jobs().all()) {
    const Attempt* live = e.live_attempt();
    const Attempt* saver = live != nullptr ? live : e.ended_attempt();
    if (saver == nullptr) continue;
    list.live_folders.push_back(checkpoint_dir_of(cluster, id, e.job.identity) + "/attempt-" +
                                std::to_string(saver->key.attempt.value));
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
  const ResumeSource from = source_now(cluster, *first.spec);
  const std::int64_t others = std::ssize(jobs) - 1;
  return {"job " + command_id(first) + ", which has not ended, begins from " +
              source_text({from.attempt, from.step, from.job}) +
              (others == 0 ? "" : "; " + counted(others, "other job") + " too"),
          "cancel it first (`cox cancel " + command_id(first) + "`), or wait for its end"};
}

}  // namespace

Acted remove_checkpoints(Reaction& r, const Caller& caller, const RemoveCheckpoints& ask) {
  const JobEntry* e = r.cluster().job(ask.id);
  const std::string what = e == nullptr ? std::to_string(ask.id.value) : shown_id(e->job);
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
  const auto may = MayDelete::by_word_of(r.cluster(), caller, wanted.front());
  if (!may) return refuse("job " + what + " belongs to " + wanted.front().user_name, "");
  if (e != nullptr && is_live(e->job.state))
    return refuse("job " + what + " is running and may have to resume from its checkpoints",
                  "cancel it first, or wait for its end");
  if (r.cluster().checkpoints().is_begun_from(ask.id))
    return Acted{{{what, "", is_still_needed(r.cluster(), ask.id)}}};
  std::int64_t bytes = 0;
  for (const KeptCheckpoint& kept : wanted) {
    bytes += kept.checkpoint.bytes;
    prune(r, kept.checkpoint, kept.identity, *may);
  }
  return Acted{{{what,
                 counted(std::ssize(wanted), "checkpoint") + " with " + counted(bytes, "byte") +
                     " will be removed",
                 {}}}};
}

}  // namespace cox
