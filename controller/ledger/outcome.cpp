#include "controller/ledger/outcome.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "common/base/check.h"

namespace cox {
namespace {

bool exited_with(const RankStatus& r, std::int32_t code) {
  return r.phase == RankPhase::Exited && r.exit_signal == 0 && r.exit_code == code;
}

// Returns whether the attempt saved after the request to stop. With --checkpoint-by=rank0, another
// node may receive the request first, and rank 0 saves before its own node receives it. So anything
// that rank 0 has saved counts; at worst a few training steps are repeated.
bool saved_after_stop(const Job& job, const Attempt& a,
                      const std::vector<Checkpoint>& checkpoints) {
  // Checkpoints saved by srun steps count, too: they are the job's, whose script may still exit
  // with 0.
  const auto since = [&](const Checkpoint& c) {
    return c.key == a.key && a.stop_asked != Wall{} && c.committed >= a.stop_asked;
  };
  if (job.spec->form != JobForm::Gang && std::ranges::any_of(checkpoints, since)) return true;
  if (job.spec->checkpoint_by == CheckpointBy::Rank0 && a.nodes.size() > 1 && !a.ranks.empty() &&
      !a.ranks.front().saved.empty())
    return true;
  return std::ranges::any_of(a.ranks, [](const RankStatus& r) {
    return std::ranges::any_of(r.saved, &SavedStep::after_stop);
  });
}

// Returns whether a job step may have been stopped: it saved after the request to stop, or ended
// after it and failed, or had been asked to stop. On a job of several nodes the script may still
// exit with 0 before its own node receives the request.
bool stopped_a_step(const Attempt& a, const std::vector<Step>& steps) {
  const auto saved = [](const StepNode& node) {
    return std::ranges::any_of(node.saved, &SavedStep::after_stop);
  };
  return std::ranges::any_of(steps, [&](const Step& step) {
    if (step.key.attempt != a.key || a.stop_asked == Wall{}) return false;
    const bool ended_after = step.ended == Wall{} || step.ended >= a.stop_asked;
    const bool failed = step.exit_code != 0 || step.exit_signal != 0;
    const bool may_be_asked = step.asked_to_stop || step.ended == Wall{};
    return std::ranges::any_of(step.nodes, saved) ||
           (ended_after && (failed || (may_be_asked && a.nodes.size() > 1)));
  });
}

bool was_ordered_to_stop(const Attempt& a) {
  return a.stop.why != StopWhy::None && a.stop.why != StopWhy::JobEnded;
}

// The proof that a job's work is done. COMPLETED takes one.
class Finished {
 public:
  // Returns the proof: each rank that was to run has exited with 0, and either the job said that it
  // is finished, or no rank was asked to stop and none saved to be run again. nullopt: there is
  // none. If it is not known whether a rank was asked, it was if the attempt was ordered to stop.
  static std::optional<Finished> of(const Job& job, const Attempt& a, const Known& known) {
    const std::int32_t ranks = all_ranks(*job.spec, a.nodes);
    const auto zero = [](const RankStatus& r) { return exited_with(r, 0); };
    if (ranks == 0 || std::ssize(a.ranks) != ranks || !std::ranges::all_of(a.ranks, zero))
      return std::nullopt;
    if (a.finished) return Finished();
    const bool is_ordered = was_ordered_to_stop(a);
    const auto asked = [&](const RankStatus& r) { return r.asked_to_stop.value_or(is_ordered); };
    if (std::ranges::any_of(a.ranks, asked)) return std::nullopt;
    if (is_ordered &&
        (saved_after_stop(job, a, known.checkpoints) || stopped_a_step(a, known.steps)))
      return std::nullopt;
    return Finished();
  }

 private:
  Finished() = default;
};

// Returns why the attempt was stopped. If all its ranks exited with 0 after that, adds that this
// does not complete the job.
std::string stop_text(const Attempt& a) {
  const auto zero = [](const RankStatus& r) { return exited_with(r, 0); };
  if (a.ranks.empty() || !std::ranges::all_of(a.ranks, zero)) return a.stop.detail;
  return a.stop.detail +
         "; exit code 0 after a request to stop is no success (`cox checkpoint finished` says that "
         "the work is done)";
}

Outcome completed(const Finished&, std::string why) {
  return {Trigger::EndedCompleted, 0, 0, std::move(why)};
}

// Returns a rank that exited with 75 (saved, run again); null: none did.
const RankStatus* asks_to_run_again(const Attempt& a) {
  const auto rank = std::ranges::find_if(
      a.ranks, [](const RankStatus& r) { return exited_with(r, exit_code_saved); });
  return rank == a.ranks.end() ? nullptr : &*rank;
}

// Returns why an attempt that nobody ordered to stop has not completed though no rank failed.
std::string not_known_text(const Job& job, const Attempt& a) {
  const auto exited = std::ranges::count(a.ranks, RankPhase::Exited, &RankStatus::phase);
  const std::int32_t ranks = all_ranks(*job.spec, a.nodes);
  if (exited == ranks) return "its ranks exited with 0 after they had been asked to stop";
  return "how it ended is not known: the exits of " + std::to_string(exited) + " of " +
         std::to_string(ranks) + " ranks were reported";
}

Outcome requeue_or(const Job& job, Trigger otherwise, const std::string& why,
                   std::int32_t exit_code = 0) {
  if (job.spec->requeue) return {Trigger::Requeued, 0, 0, why};
  return {otherwise, exit_code, 0, why + "; not requeued because of --no-requeue"};
}

// Returns that the job is requeued if this attempt has a checkpoint, or if that is not known;
// otherwise that it has failed, since it would only do the same work again. REQUIRES: the job
// declared that it can save.
Outcome saved_or_failed(const Job& job, const Attempt& a, const RankStatus& rank,
                        const std::vector<Checkpoint>& checkpoints) {
  const auto is_of_attempt = [&](const Checkpoint& c) { return c.key == a.key; };
  if (std::ranges::any_of(checkpoints, is_of_attempt)) {
    return requeue_or(job, Trigger::EndedFailed, "it saved and asked to run again",
                      exit_code_saved);
  }
  if (std::ranges::any_of(a.ranks, &RankStatus::save_unknown))
    return requeue_or(job, Trigger::EndedFailed,
                      exit_text(rank) +
                          " (saved), but its node could not read or write the files, "
                          "so whether it has saved is not known",
                      exit_code_saved);
  return {Trigger::EndedFailed, exit_code_saved, 0,
          exit_text(rank) + " (saved), but no checkpoint of this attempt is committed"};
}

}  // namespace

std::string exit_text(const RankStatus& r) {
  std::string text = "rank " + std::to_string(r.rank) + " ";
  if (r.exit_signal != 0) return text + "was ended by signal " + std::to_string(r.exit_signal);
  return text + "exited with " + std::to_string(r.exit_code);
}

std::string failure_text(const RankStatus& r) {
  if (!exited_with(r, exit_code_saved)) return exit_text(r);
  return exit_text(r) +
         ", which means \"saved\" only for a job that declares that it can save: "
         "--checkpoint-signal, --signal, --checkpoint-by=rank0 or --requeue-on-timeout (see "
         "docs/checkpointing.md)";
}

bool declares_saving(const JobSpec& spec) {
  return spec.checkpoint_signal != 0 || spec.signal.number != 0 || spec.requeue_on_timeout ||
         spec.checkpoint_by == CheckpointBy::Rank0;
}

const RankStatus* first_failed(const JobSpec& spec, const Attempt& a) {
  const RankStatus* first = nullptr;
  const bool saves = declares_saving(spec);
  for (const auto& r : a.ranks) {
    const bool well = exited_with(r, 0) || (saves && exited_with(r, exit_code_saved));
    if (r.phase != RankPhase::Exited || well) continue;
    if (first == nullptr || r.ended < first->ended) first = &r;
  }
  return first;
}

namespace {

// Returns the outcome of an allocation, with the exit code that its client (salloc, srun) reported
// when it gave the allocation back.
Outcome outcome_of_allocation(const Job& job, const std::string& detail) {
  const bool well = job.exit_code == 0 && job.exit_signal == 0;
  return {well ? Trigger::EndedCompleted : Trigger::EndedFailed, job.exit_code, job.exit_signal,
          detail};
}

}  // namespace

Outcome outcome_of(const Job& job, const Attempt& a, PreemptMode mode, const Known& known) {
  const std::string& detail = a.stop.detail;
  if (a.stop.why == StopWhy::Cancel) return {Trigger::EndedCancelled, 0, 0, detail};
  if (a.went == Wall{}) return {Trigger::Requeued, 0, 0, detail};
  const auto finished = Finished::of(job, a, known);
  switch (a.stop.why) {
    case StopWhy::None:
    case StopWhy::JobEnded: {
      if (job.spec->form == JobForm::Allocation) return outcome_of_allocation(job, detail);
      if (const RankStatus* failed = first_failed(*job.spec, a))
        return {Trigger::EndedFailed, failed->exit_code, failed->exit_signal,
                failure_text(*failed)};
      if (const RankStatus* rank = asks_to_run_again(a))
        return saved_or_failed(job, a, *rank, known.checkpoints);
      if (finished) return completed(*finished, "all ranks exited with 0");
      return requeue_or(job, Trigger::EndedNodeFail, not_known_text(job, a));
    }
    // The job's exit code was recorded when its first rank failed. The exits of ranks that were
    // stopped because of that do not count.
    case StopWhy::RankFailed: return {Trigger::EndedFailed, job.exit_code, job.exit_signal, detail};
    case StopWhy::OutOfMemory:
      return {Trigger::EndedOutOfMemory, job.exit_code, job.exit_signal, detail};
    case StopWhy::TimeLimit:
      if (finished) return completed(*finished, "all ranks exited with 0 in time");
      if (job.spec->requeue_on_timeout) return requeue_or(job, Trigger::EndedTimeout, stop_text(a));
      return {Trigger::EndedTimeout, 0, 0, stop_text(a)};
    case StopWhy::Deadline:
      if (finished) return completed(*finished, "all ranks exited with 0 in time");
      return {Trigger::EndedDeadline, 0, 0, stop_text(a)};
    case StopWhy::Requeue: return {Trigger::Requeued, 0, 0, detail};
    case StopWhy::Preempt:
      if (finished) return completed(*finished, "it had completed when it was asked to stop");
      if (mode == PreemptMode::Cancel)
        return {Trigger::EndedPreempted, 0, 0, detail + "; its QOS cancels preempted jobs"};
      return requeue_or(job, Trigger::EndedPreempted, stop_text(a));
    case StopWhy::Drain:
    case StopWhy::Migrate:
    case StopWhy::LeaseEnded:
    case StopWhy::NodeLost:
    case StopWhy::LaunchUndone:
      if (finished) return completed(*finished, "it had completed when it was asked to stop");
      return requeue_or(job, Trigger::EndedNodeFail, stop_text(a));
    case StopWhy::Cancel: break;
  }
  CHECK(false && "unknown StopWhy");
}

}  // namespace cox
