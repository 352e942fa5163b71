#include "controller/attempt/saves.h"

#include <algorithm>

#include "common/job/save_words.h"
#include "controller/attempt/steps.h"
#include "controller/job/requeue.h"
#include "controller/ledger/checkpoints.h"
#include "controller/ledger/lost_save.h"
#include "controller/ledger/parallel_saves.h"
#include "controller/state/counted.h"

namespace cox {
namespace {

// Replaces the text about the lost save in the outcome of the ended attempt, now that `node` has
// reported what its ranks saved.
void correct_lost_save(Reaction& r, JobId id, const std::string& node) {
  const JobEntry& e = *r.cluster().job(id);
  Attempt attempt = *e.ended_attempt();
  const std::string before = lost_save_in(attempt.outcome);
  if (before.empty()) return;
  const auto lost = lost_save_text(e, attempt, r.cluster().accounting().qos_of(e));
  if (lost == before) return;
  attempt.outcome.resize(attempt.outcome.size() - before.size());
  if (lost)
    attempt.outcome += *lost;
  else if (attempt.outcome.ends_with("; "))
    attempt.outcome.resize(attempt.outcome.size() - 2);
  const std::string what = "node " + node + " has reported late what attempt " +
                           std::to_string(attempt.key.attempt.value) + " saved: ";
  r.put(std::move(attempt));
  r.note(id, "lost_save", what + lost.value_or("its save did become a checkpoint"), "node " + node);
}

// The job's last attempt has saved, so it no longer counts as one without progress. `was_held`:
// because of too many such attempts.
void count_progress(Reaction& r, JobId id, bool was_held) {
  const JobEntry& e = *r.cluster().job(id);
  const ControllerConfig& config = r.cluster().config();
  r.set_retry_after(id, retry_after_of(e, config, r.now()));
  if (!was_held || is_held_by_requeues(e, config)) return;
  r.edit(id, [](Job& job) {
    job.held = false;
    job.held_why = std::string();
  });
  r.note(id, "release", "its last attempt did save a new checkpoint", "controller");
}

}  // namespace

RankStatus* reported_rank(const AttemptNode& node, Attempt& attempt, std::int32_t rank) {
  const auto place = std::int64_t{rank} - node.grant.first_rank;
  if (place < 0 || place >= node.grant.ranks) return nullptr;
  if (static_cast<std::size_t>(rank) >= attempt.ranks.size()) return nullptr;
  RankStatus& known = attempt.ranks[static_cast<std::size_t>(rank)];
  return known.phase == RankPhase::Exited ? nullptr : &known;
}

void commit_saves(Reaction& r, const Attempt& attempt) {
  if (attempt.ranks.empty()) return;
  const JobId id = attempt.key.job;
  const bool rank0 = r.cluster().job(id)->job.spec->checkpoint_by == CheckpointBy::Rank0;
  const std::size_t speakers = rank0 ? 1 : attempt.ranks.size();
  for (const auto& candidate : attempt.ranks.front().saved) {
    Checkpoint c{attempt.key, candidate.step, 0, 0, r.moment_of(id), false, false};
    bool complete = true;
    for (std::size_t i = 0; i < speakers; ++i) {
      complete = complete && has_saved(attempt.ranks[i].saved, candidate.step);
      for (const auto& s : attempt.ranks[i].saved) {
        if (s.step != candidate.step) continue;
        c.bytes += s.bytes;
        c.files += s.files;
        c.by_exit = c.by_exit || s.by_exit;
      }
    }
    if (complete) commit_checkpoint(r, c, counted(static_cast<std::int64_t>(speakers), "rank"));
  }
}

void take_late_saves(Reaction& r, const std::string& node, const AttemptStatus& status) {
  const JobId id = status.key.job;
  const JobEntry* e = r.cluster().job(id);
  const Attempt* ended = e == nullptr ? nullptr : e->ended_attempt();
  if (ended == nullptr || ended->key != status.key) return;
  Attempt attempt = *ended;
  const auto is_it = [&](const AttemptNode& n) { return n.grant.node == node; };
  const auto part = std::ranges::find_if(attempt.nodes, is_it);
  if (part == attempt.nodes.end() || status.revision <= part->revision) return;
  part->revision = status.revision;
  const std::string refused = refused_beside_in(status.note);
  const bool is_refusal_new = !refused.empty() && refused_beside_in(part->note).empty();
  if (is_refusal_new) part->note += "; " + refused;
  for (const RankStatus& rank : status.ranks)
    if (RankStatus* known = reported_rank(*part, attempt, rank.rank)) known->saved = rank.saved;
  const auto has_committed = [&] {
    return std::ranges::find(e->checkpoints, status.key, &Checkpoint::key) != e->checkpoints.end();
  };
  const bool had_committed = has_committed();
  const ControllerConfig& config = r.cluster().config();
  const bool was_held = e->job.held && !e->job.held_why->empty() && is_held_by_requeues(*e, config);
  r.put(attempt);
  commit_saves(r, attempt);
  commit_late_saves_of_steps(r, node, status);
  correct_lost_save(r, id, node);
  const bool is_first = !had_committed && has_committed();
  if (is_first) count_progress(r, id, was_held);
  if (is_first || is_refusal_new) hold_for_parallel_saves(r, id);
}

bool awaits_report(const Cluster& cluster, const std::string& node, AttemptKey key,
                   std::int64_t revision) {
  const JobEntry* e = cluster.job(key.job);
  if (e == nullptr) return false;
  const Attempt* live = e->live_attempt();
  const Attempt* attempt = live != nullptr ? live : e->ended_attempt();
  if (attempt == nullptr || attempt->key != key) return false;
  return std::ranges::any_of(attempt->nodes, [&](const AttemptNode& n) {
    return n.grant.node == node && n.phase == NodePhase::Gone && revision > n.revision;
  });
}

}  // namespace cox
