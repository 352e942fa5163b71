#include "controller/state/node_health.h"

#include <algorithm>
#include <cmath>

#include "common/base/limits.h"
#include "common/base/text.h"
#include "common/job/job_ref.h"
#include "common/job/save_words.h"

namespace cox {
namespace {

constexpr double half = 0.5;

// Compares the score rounded to a whole number, which is how users see it.
bool has_reached(double score, std::int64_t mark) {
  return mark > 0 && score >= static_cast<double>(mark) - half;
}

// Returns whether `at` is less than `span` ago. A time in the future was recorded by another clock,
// or before the clock was set back. How long ago it was is unknown, so the result is false.
bool was_within(Milliseconds span, Wall at, Wall now) {
  return at <= now && now - at < span;
}

Milliseconds suspect_after(const ControllerConfig& config) {
  constexpr Milliseconds least{2'000};  // a busy machine may delay a heartbeat by so much
  return std::min(config.node_timeout, std::max(least, missed_beats_to_suspect * config.heartbeat));
}

// The first words of the note of a node that could not read a checkpoint, and of the reason of the
// hold for it.
constexpr std::string_view unread_begins = "its checkpoint cannot be read";

// Returns the nodes on which the checkpoint was saved and that have not tried to read it.
std::vector<std::string> unasked_savers(const JobEntry& entry, const ResumeFrom& from) {
  std::vector<std::string> unasked;
  for (const Attempt& attempt : entry.attempts)
    if (attempt.key.attempt == from.attempt && from.job == JobId{})
      for (const AttemptNode& part : attempt.nodes)
        if (std::ranges::find(entry.job.avoid_nodes, part.grant.node) ==
            entry.job.avoid_nodes.end())
          unasked.push_back(part.grant.node);
  return unasked;
}

// REQUIRES: the attempt was to resume.
std::string unread_text(const JobEntry& entry, const Attempt& attempt, const std::string& note) {
  const ResumeFrom& from = *attempt.resume;
  const std::string id = command_id(entry.job);
  const auto unasked = unasked_savers(entry, from);
  std::string text = std::string(unread_begins) + " on " + joined(entry.job.avoid_nodes, ", ") +
                     " (step " + std::to_string(from.step) + note.substr(unread_begins.size()) +
                     ")";
  if (!unasked.empty()) text += "; " + joined(unasked, ", ") + " saved it and was not asked";
  text += "; put the files back, and `cox release " + id + "` tries again";
  if (from.job == JobId{})
    text += "; `cox release --begin-anew " + id + "` starts it without its checkpoints";
  return text;
}

// Returns whether the node's worker refused the launch, and the node has no known fault.
bool refused(const Cluster& cluster, const AttemptNode& part, const Job& job) {
  const Node* node = cluster.node(part.grant.node);
  return part.phase == NodePhase::Gone && part.revision > 0 && !part.note.empty() &&
         std::ranges::find(job.avoid_nodes, part.grant.node) != job.avoid_nodes.end() &&
         node != nullptr && node->responding && node->drained_by != DrainedBy::HealthCheck;
}

}  // namespace

bool takes_work(const Node& node) {
  return node.responding && !node.drained;
}

std::int64_t beats_required(const Node& node, const ControllerConfig& config, Wall now) {
  std::int64_t factor = 1;
  for (const Wall at : node.returned)
    if (was_within(return_remembered, at, now))
      factor = std::min(2 * factor, return_beats_factor_max);
  return config.return_beats * factor;
}

void note_return(Node& node, Wall now) {
  std::erase_if(node.returned, [now](Wall at) { return at > now; });
  node.returned.push_back(now);
  if (node.returned.size() > limits::node_returns_kept_max)
    node.returned.erase(node.returned.begin());
}

std::int64_t good_beats_with(std::int64_t before, std::int64_t last, std::int64_t confirmed) {
  const bool is_unreported = confirmed < 0;
  if (is_unreported || (confirmed != 0 && confirmed == last)) return before + 1;
  return 0;
}

JobId culprit_of(const Job& job) {
  return job.array_job == JobId{} ? job.id : job.array_job;
}

bool note_failure(Node& node, JobId culprit, Wall now) {
  const auto known = std::ranges::find_if(node.failures, [&](const NodeFailure& one) {
    return one.job == culprit && (culprit != JobId{} || was_within(node_loss_apart, one.at, now));
  });
  if (known != node.failures.end()) return false;
  for (NodeFailure& one : node.failures)
    one.at = std::min(one.at, now);  // a time in the future is from before the clock was set back
  node.failures.push_back({culprit, now});
  if (node.failures.size() > limits::node_failures_kept_max)
    node.failures.erase(node.failures.begin());
  return true;
}

bool forgive(Node& node, JobId culprit) {
  return std::erase_if(node.failures, [&](const NodeFailure& one) { return one.job == culprit; }) >
         0;
}

double failure_score(const Node& node, Wall now) {
  double score = 0;
  for (const NodeFailure& one : node.failures) {
    const auto age = std::max(now - one.at, Milliseconds{0});
    score += std::exp2(-static_cast<double>(age.count()) /
                       static_cast<double>(failure_half_life.count()));
  }
  return score;
}

bool is_to_be_avoided(const Node& node, const ControllerConfig& config, Wall now) {
  return has_reached(failure_score(node, now), config.failures_to_avoid);
}

bool is_to_be_drained(const Node& node, const ControllerConfig& config, Wall now) {
  return has_reached(failure_score(node, now), config.failures_to_drain);
}

bool may_drain_one_more(const std::map<std::string, Node>& nodes) {
  const auto drained = std::ranges::count_if(
      nodes, [](const auto& one) { return one.second.drained_by == DrainedBy::Failures; });
  return drained < std::max<std::ptrdiff_t>(1, std::ssize(nodes) / 4);
}

std::string unread_note(const std::string& refusal) {
  return std::string(unread_begins) + ": " + refusal;
}

bool is_held_for_unread(const Job& job) {
  return job.held && job.held_why->starts_with(unread_begins);
}

std::optional<std::string> why_launch_fails_everywhere(const Cluster& cluster, const Job& job,
                                                       const Attempt& attempt) {
  const auto failed = std::ranges::find_if(
      attempt.nodes, [&](const AttemptNode& part) { return refused(cluster, part, job); });
  if (failed == attempt.nodes.end()) return std::nullopt;
  const auto& avoided = job.avoid_nodes;
  const bool is_unread = attempt.resume && failed->note.starts_with(unread_begins);
  const std::string text =
      is_unread ? unread_text(*cluster.job(job.id), attempt, failed->note)
                : "launch failed on " + joined(avoided, ", ") + ": " + failed->note;
  if (avoided.size() >= launch_failed_nodes_max) return text;
  if (avoided.size() < 2) return std::nullopt;
  const auto is_left = [&](const auto& one) {
    return takes_work(one.second) && std::ranges::find(avoided, one.first) == avoided.end();
  };
  if (std::ranges::any_of(cluster.nodes().all(), is_left)) return std::nullopt;
  const auto& attempts = cluster.job(job.id)->attempts;
  const auto same_elsewhere = [&](const Attempt& one) {
    return std::ranges::any_of(one.nodes, [&](const AttemptNode& node) {
      return node.grant.node != failed->grant.node && node.note == failed->note;
    });
  };
  if (std::ranges::none_of(attempts, same_elsewhere)) return std::nullopt;
  return text;
}

void note_contact(NodeContact& live, const ControllerConfig& config, Boot now) {
  if (live.last_contact != Boot{} && now - live.last_contact > suspect_after(config))
    live.silence_ended = now;
  live.last_contact = now;
}

std::optional<std::string> folder_fault_of(const Cluster& cluster, const Attempt& attempt) {
  const bool saves = attempt.resume || declares_saves(*cluster.job(attempt.key.job)->job.spec);
  for (const RankStatus& r : attempt.ranks) {
    const bool exited = r.phase == RankPhase::Exited;
    const bool well =
        exited && r.exit_signal == 0 && (r.exit_code == 0 || r.exit_code == exit_code_saved);
    const auto has_it = [&](const AttemptNode& n) {
      return r.rank >= n.grant.first_rank && r.rank - n.grant.first_rank < n.grant.ranks;
    };
    const auto node = std::ranges::find_if(attempt.nodes, has_it);
    if (well || node == attempt.nodes.end()) continue;
    const std::string& name = node->grant.node;
    if (r.save_unknown)
      return "node " + name + " could not read or write what rank " + std::to_string(r.rank) +
             " saved";
    if (exited && (saves || !r.saved.empty()) && !cluster.soft().contact(name).shares_checkpoints)
      return "node " + name + " does not see the checkpoint folder";
  }
  return std::nullopt;
}

std::optional<std::string> node_fault_of(const Cluster& cluster, const Attempt& attempt, Boot now) {
  const ControllerConfig& config = cluster.config();
  // If processes survived SIGKILL and the controller no longer counts them, they may still run.
  // Then the job must not start again, so no fault of a node excuses it.
  const auto was_given_up = [&](const AttemptNode& n) {
    return n.note == kill_failed ||
           (n.phase == NodePhase::Gone && cluster.soft().contact(n.grant.node).ends_foreign);
  };
  if (std::ranges::any_of(attempt.nodes, was_given_up)) return std::nullopt;
  for (const AttemptNode& n : attempt.nodes) {
    const NodeContact& live = cluster.soft().contact(n.grant.node);
    if (n.phase != NodePhase::Gone && now - live.last_contact > suspect_after(config))
      return "node " + n.grant.node + " is silent";
    if (live.silence_ended != Boot{} && now - live.silence_ended < config.fault_settle)
      return "node " + n.grant.node + " was silent until a moment ago";
    if (!live.unfit.empty()) return "node " + n.grant.node + " is unfit: " + live.unfit;
  }
  return folder_fault_of(cluster, attempt);
}

bool too_many_are_silent(const Cluster& cluster) {
  const auto silent = std::ranges::count_if(cluster.nodes().all(),
                                            [](const auto& one) { return !one.second.responding; });
  return silent > std::max<std::ptrdiff_t>(1, std::ssize(cluster.nodes().all()) / 4);
}

Milliseconds lost_after(const ControllerConfig& c) {
  constexpr std::int64_t million = 1'000'000;
  const Milliseconds there = c.lease + c.lease_grace + c.kill_wait;
  // Twice the drift: the node's clock may be slow, and the controller's fast.
  const std::int64_t drift = (there.count() * 2 * c.clock_drift_ppm + million - 1) / million;
  return there + c.lease_margin + Milliseconds{drift};
}

bool is_briefly_silent(const Node& node, const NodeContact& live, Boot now) {
  return !node.responding && live.silent_since != Boot{} &&
         now - live.silent_since < reserved_through_silence;
}

}  // namespace cox
