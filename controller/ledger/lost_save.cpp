#include "controller/ledger/lost_save.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "common/job/save_words.h"
#include "controller/feed/save_time.h"
#include "controller/ledger/outcome.h"
#include "controller/state/counted.h"

namespace cox {
namespace {

// At most so many groups of ranks are named in one text.
constexpr std::size_t savers_shown_max = 8;
constexpr std::int64_t no_step = -1;

// Consecutive ranks whose newest saves are of the same training step, or one node of a job step.
struct Saver {
  std::string label;
  std::int32_t first_rank = 0;
  std::int32_t last_rank = 0;
  std::int64_t step = no_step;
};

std::int64_t newest_beyond(const std::vector<SavedStep>& saved, std::int64_t committed) {
  std::int64_t newest = no_step;
  for (const SavedStep& one : saved)
    if (one.step > committed) newest = std::max(newest, one.step);
  return newest;
}

// Checkpoints that were set aside count only if the attempt itself has saved them.
std::int64_t newest_committed(const JobEntry& entry, AttemptKey key) {
  std::int64_t newest = no_step;
  for (const Checkpoint& c : entry.checkpoints)
    if (!c.set_aside || c.key == key) newest = std::max(newest, c.step);
  return newest;
}

// Returns the ranks that must report a training step before it becomes a checkpoint, in groups with
// the same newest step.
std::vector<Saver> savers_of(const JobEntry& entry, const Attempt& attempt) {
  const bool rank0 = entry.job.spec->checkpoint_by == CheckpointBy::Rank0;
  const std::int64_t committed = newest_committed(entry, attempt.key);
  std::vector<Saver> savers;
  for (const RankStatus& rank : attempt.ranks) {
    if (rank0 && rank.rank != 0) continue;
    const std::int64_t step = newest_beyond(rank.saved, committed);
    const bool alike = !savers.empty() && savers.back().step == step;
    if (alike) {
      savers.back().last_rank = rank.rank;
    } else {
      savers.push_back({"", rank.rank, rank.rank, step});
    }
  }
  return savers;
}

// Returns one group for each node of the job's srun steps, since these nodes report what the tasks
// save for the job. Srun steps that saved nothing are left out: not every step of a script has
// something to save.
std::vector<Saver> savers_of_steps(const JobEntry& entry, const Attempt& attempt) {
  const std::int64_t committed = newest_committed(entry, attempt.key);
  std::vector<Saver> savers;
  for (const Step& step : entry.steps) {
    const auto has_saved = [&](const StepNode& node) {
      return newest_beyond(node.saved, committed) != no_step;
    };
    if (std::ranges::none_of(step.nodes, has_saved)) continue;
    for (const StepNode& node : step.nodes)
      savers.push_back({"node " + node.node + " of job step " + std::to_string(step.key.number), 0,
                        0, newest_beyond(node.saved, committed)});
  }
  return savers;
}

std::string label_of(const Saver& saver) {
  if (!saver.label.empty()) return saver.label;
  if (saver.first_rank == saver.last_rank) return "rank " + std::to_string(saver.first_rank);
  return "ranks " + std::to_string(saver.first_rank) + " to " + std::to_string(saver.last_rank);
}

std::string savers_text(const std::vector<Saver>& savers, std::int64_t committed) {
  if (savers.empty()) return "nothing was saved";
  const std::string none = committed == no_step
                               ? " reported no save"
                               : " reported no save after step " + std::to_string(committed);
  std::string text;
  for (std::size_t i = 0; i < savers.size() && i < savers_shown_max; ++i)
    text += (text.empty() ? "" : ", ") + label_of(savers[i]) +
            (savers[i].step == no_step ? none : " saved step " + std::to_string(savers[i].step));
  if (savers.size() > savers_shown_max) text += ", and so on (cox.rank lists all)";
  return text;
}

// Returns "the grace of 30 s" if a node has reported that its processes were still running when
// their time to save ended; otherwise "".
std::string ended_grace(const Attempt& attempt) {
  for (const AttemptNode& n : attempt.nodes)
    if (std::string grace = ended_grace_in(n.note); !grace.empty()) return grace;
  return "";
}

// Returns that the save took longer than the job's grace, and how many of the ranks (or of the
// nodes of job steps) had reported it; "" if no node's grace has ended.
std::string late_save_text(const std::vector<Saver>& savers, const Attempt& attempt) {
  const std::string grace = ended_grace(attempt);
  if (grace.empty()) return "";
  std::int64_t newest = no_step;
  for (const Saver& one : savers) newest = std::max(newest, one.step);
  const bool by_node = std::ranges::any_of(savers, [](const Saver& s) { return !s.label.empty(); });
  std::int64_t all = 0;
  std::int64_t reported = 0;
  for (const Saver& one : savers) {
    if (by_node && one.label.empty()) continue;  // the script, whose steps save
    const std::int64_t count = one.last_rank - one.first_rank + 1;
    all += count;
    if (newest != no_step && one.step == newest) reported += count;
  }
  return "the save" + (newest == no_step ? "" : " of step " + std::to_string(newest)) +
         " took longer than " + grace + ", at whose end " + std::to_string(reported) + " of " +
         counted(all, by_node ? "node" : "rank") + " had reported it; ";
}

// Returns what gives the next save more time; "" if the time was long enough.
std::string more_time_text(const Attempt& attempt, const Qos& qos) {
  if (ended_grace(attempt).empty()) return "";
  const bool at_limit =
      attempt.stop.why == StopWhy::TimeLimit || attempt.stop.why == StopWhy::Deadline;
  return "; a save that takes longer needs " +
         std::string(at_limit ? "an earlier --signal=SIGNAL@SECONDS, or " : "") +
         "a longer GraceTime of QOS " + qos.name + " (`cox show qos`)";
}

// Returns, as text, how much CPU or GPU time the attempt has used since its last checkpoint: work
// that must be done again. Returns "not known" if a node has reported the newest save late.
std::string loss_text(const JobEntry& entry, const Attempt& attempt) {
  Wall since = attempt.went;
  for (const Checkpoint& c : entry.checkpoints)
    if (c.key == attempt.key) since = std::max(since, c.committed);
  // A node has reported that save only after the attempt's end, and not when it was made.
  if (entry.ended_attempt() != nullptr && since >= attempt.ended) return "not known";
  double gpu_seconds = 0;
  double cpu_seconds = 0;
  for (const AttemptNode& n : attempt.nodes) {
    const Wall end = n.given_back == Wall{} ? attempt.ended : n.given_back;
    const Milliseconds unsaved =
        std::min(run_time(attempt, end), std::max(end - since, Milliseconds{0}));
    const double seconds = static_cast<double>(unsaved.count()) / 1000;
    gpu_seconds += static_cast<double>(n.grant.gpus.size()) * seconds;
    cpu_seconds += static_cast<double>(n.grant.cpus) * seconds;
  }
  const bool has_gpus = std::ranges::any_of(
      attempt.nodes, [](const AttemptNode& n) { return !n.grant.gpus.empty(); });
  return std::to_string(std::llround(has_gpus ? gpu_seconds : cpu_seconds)) +
         (has_gpus ? " GPU-seconds" : " CPU-seconds");
}

// Returns whether the job reports its saves to Coxswain. A job with only --signal may save in a way
// of its own, as submitit does; for such a job the result is true once it has reported a step.
bool saves_through_us(const JobEntry& entry) {
  if (declares_saves(*entry.job.spec)) return true;
  const auto reported = [](const RankStatus& rank) { return !rank.saved.empty(); };
  return !entry.checkpoints.empty() || std::ranges::any_of(entry.attempts, [&](const Attempt& a) {
    return std::ranges::any_of(a.ranks, reported);
  });
}

// Returns whether the attempt was asked to save and did not. If a rank or a node fails meanwhile,
// the wait for the save ends and `ask_checkpoint` is reset; then the reason to stop shows that it
// was asked.
bool was_asked_in_vain(const JobEntry& entry, const Attempt& attempt, const Qos& qos) {
  if (attempt.saves_set_aside) return false;  // its owner wants an older checkpoint, or none
  const JobSpec& spec = *entry.job.spec;
  const StopWhy why = attempt.stop.why;
  const bool by_person = why == StopWhy::Requeue && spec.checkpoint_signal != 0;
  const bool at_limit = (why == StopWhy::TimeLimit || why == StopWhy::Deadline) &&
                        (saves_at_limit(spec) || spec.signal.number != 0);
  const bool may_be_asked =
      at_limit || (qos.requests_save() && (why == StopWhy::Preempt || by_person ||
                                           why == StopWhy::Migrate || why == StopWhy::Drain));
  const bool asked = attempt.stop.ask_checkpoint ||
                     (may_be_asked && first_failed(spec, attempt) != nullptr) ||
                     !cut_short_in(attempt.stop.detail).empty();
  const auto answers = [&](const Checkpoint& c) {
    return c.key == attempt.key && c.committed >= attempt.stop_asked;
  };
  return asked && saves_through_us(entry) && std::ranges::none_of(entry.checkpoints, answers);
}

}  // namespace

std::optional<std::string> lost_save_text(const JobEntry& entry, const Attempt& attempt,
                                          const Qos& qos) {
  if (attempt.went == Wall{}) return std::nullopt;
  const auto has_saved = [](const Saver& one) { return one.step != no_step; };
  std::vector<Saver> savers = savers_of(entry, attempt);
  std::vector<Saver> of_steps = savers_of_steps(entry, attempt);
  // If steps of srun save, the batch script itself need not.
  if (!of_steps.empty() && std::ranges::none_of(savers, has_saved)) savers.clear();
  for (Saver& one : of_steps) savers.push_back(std::move(one));
  const bool saved = std::ranges::any_of(savers, has_saved);
  if (!saved && !was_asked_in_vain(entry, attempt, qos)) return std::nullopt;
  const std::string fault = cut_short_in(attempt.stop.detail);
  return lost_save_begins + (fault.empty() ? "" : fault + "; ") + late_save_text(savers, attempt) +
         savers_text(savers, newest_committed(entry, attempt.key)) +
         "; lost: " + loss_text(entry, attempt) + more_time_text(attempt, qos);
}

}  // namespace cox
