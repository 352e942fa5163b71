// The part of Supervision for checkpoints on one node: a task reports that it has saved a training
// step, the supervisor seals its files, and the status reports the sealed step. Tasks are the job's
// ranks, or those of a job step.
#include <algorithm>
#include <string>

#include "common/base/limits.h"
#include "common/job/save_words.h"
#include "worker/supervisor/supervision.h"

namespace cox {

using namespace supervisor;

namespace {

// A report of a job step's end may arrive so much later than the order for the job step after it.
constexpr Milliseconds end_report_delay_max{5'000};
constexpr const char* resumes_by_command =
    "; a job step gets $COX_RESUME_FROM only if a step with the same command line has saved it";

// Inserts in the order of training steps. Two seals may run at once, so the newer step may come
// first.
void insert(std::vector<SavedStep>& all, const SavedStep& saved) {
  if (has_saved(all, saved.step)) return;
  all.insert(std::ranges::upper_bound(all, saved.step, {}, &SavedStep::step), saved);
  if (all.size() > limits::saved_steps_max) all.erase(all.begin());
}

std::string task_text(const Saver& saver) {
  const std::string rank = "rank " + std::to_string(saver.rank);
  return saver.job_step < 0 ? rank : rank + " of job step " + std::to_string(saver.job_step);
}

}  // namespace

// Returns the training steps that the task has saved. Null: the task is not on this node.
std::vector<SavedStep>* Supervision::saved_by(const Saver& saver) {
  if (saver.job_step < 0) {
    RankStatus* rank = find_rank(saver.rank);
    return rank == nullptr ? nullptr : &rank->saved;
  }
  const auto tasks = step_tasks_.find(saver.job_step);
  const bool is_here =
      tasks != step_tasks_.end() &&
      std::ranges::find(tasks->second.ranks, saver.rank) != tasks->second.ranks.end();
  return is_here ? &saved_by_steps_[saver] : nullptr;
}

void Supervision::handle(const SaveRequested& asked, Now) {
  AnswerSave answer;
  answer.token = asked.token;
  answer.saved.step = asked.step;
  answer.refused = refuse_save(asked);
  // With Rank0, only rank 0 reports checkpoints.
  const bool rank0 = launch_.spec.checkpoint_by == CheckpointBy::Rank0;
  if (answer.refused || (rank0 && asked.saver.rank != 0)) {
    after_publish_.push_back(answer);
    return;
  }
  const auto same = std::ranges::find_if(
      seals_, [&](const PendingSeal& s) { return s.saver == asked.saver && s.step == asked.step; });
  if (same != seals_.end()) {
    same->tokens.push_back(asked.token);
    return;
  }
  PendingSeal pending;
  pending.saver = asked.saver;
  pending.step = asked.step;
  pending.tokens = {asked.token};
  pending.after_stop = status_.stop != StopWhy::None;
  const std::vector<SavedStep>& saved = *saved_by(asked.saver);
  const auto known = std::ranges::find(saved, asked.step, &SavedStep::step);
  if (known != saved.end()) pending.sealed = *known;
  begin_seal(std::move(pending));
}

std::optional<Refusal> Supervision::refuse_save(const SaveRequested& asked) {
  const std::string task = task_text(asked.saver);
  const std::string step = "step " + std::to_string(asked.step);
  const std::vector<SavedStep>* saved = saved_by(asked.saver);
  if (saved == nullptr)
    return Refusal{task + " does not run on this node", "give --rank, or do not change COX_RANK"};
  const RankStatus* rank = asked.saver.job_step < 0 ? find_rank(asked.saver.rank) : nullptr;
  const StepStatus* of = asked.saver.job_step < 0 ? nullptr : find_step(asked.saver.job_step);
  const bool runs = rank != nullptr ? rank->phase == RankPhase::Running
                                    : of != nullptr && of->phase != StepPhase::Gone;
  if (!runs) return Refusal{task + " is not running", ""};
  if (launch_.job_checkpoint_dir.empty())
    return Refusal{"this cluster has no checkpoint folder",
                   "set controller.checkpoint_root in coxswain.toml"};
  if (asked.step < 0) return Refusal{step + " is below 0", "count steps from 0"};
  if (!has_saved(*saved, asked.step) && !saved->empty() && asked.step < saved->back().step)
    return Refusal{step + " comes after step " + std::to_string(saved->back().step) +
                       ", which is already saved",
                   "steps only go up within an attempt"};
  if (const auto resumed = resumed_step(); resumed && asked.step <= *resumed)
    return Refusal{step + " is not above step " + std::to_string(*resumed) +
                       ", from which the job has resumed",
                   "steps only go up: continue them, and save a step above it" +
                       std::string(asked.saver.job_step < 0 ? "" : resumes_by_command)};
  if (auto beside = refuse_beside(asked)) return beside;
  std::size_t pending = 0;
  for (const PendingSeal& seal : seals_)
    if (seal.saver == asked.saver) pending += seal.tokens.size();
  if (pending < seals_per_rank_max) return std::nullopt;
  return Refusal{task + " has " + std::to_string(pending) + " checkpoints being sealed, the limit",
                 "wait for an answer before reporting the next"};
}

// Returns the step of the job's own checkpoint from which this attempt resumed.
std::optional<std::int64_t> Supervision::resumed_step() const {
  if (!launch_.resume || launch_.resume->job != JobId{}) return std::nullopt;
  return launch_.resume->step;
}

bool Supervision::has_saves(std::int32_t job_step) const {
  const auto is_sealed = [&](const auto& one) {
    return one.first.job_step == job_step && !one.second.empty();
  };
  const auto is_pending = [&](const PendingSeal& s) { return s.saver.job_step == job_step; };
  return std::ranges::any_of(saved_by_steps_, is_sealed) || std::ranges::any_of(seals_, is_pending);
}

// Returns another job step that has saved, or is saving, and that ran on this node at the same time
// as this one, which runs. (If two job steps share no node, only the controller sees both: see
// controller/ledger/parallel_saves.h.)
std::optional<std::int32_t> Supervision::saver_beside(std::int32_t job_step) {
  const Boot began = step_tasks_.at(job_step).ordered;
  std::set<std::int32_t> others;
  for (const auto& [saver, saved] : saved_by_steps_) others.insert(saver.job_step);
  others.erase(job_step);
  for (const std::int32_t other : others) {
    const auto gone = savers_gone_.find(other);
    const bool is_beside =
        gone == savers_gone_.end() || gone->second > began + end_report_delay_max;
    if (is_beside && has_saves(other)) return other;
  }
  return std::nullopt;
}

// Refuses a save of a job step beside another one that saves: the job resumes from one checkpoint,
// which would be that of one of them. Also refuses a training step that does not count, since
// another job step has saved it or a newer one.
std::optional<Refusal> Supervision::refuse_beside(const SaveRequested& asked) {
  const std::int32_t job_step = asked.saver.job_step;
  if (const auto saver = job_step < 0 ? std::nullopt : saver_beside(job_step)) {
    if (refused_beside_in(notes_).empty()) add_note(refused_beside_note(job_step, *saver));
    return Refusal{"job step " + std::to_string(*saver) +
                       " has saved in this attempt and runs or ran beside this job step: a job has "
                       "one checkpoint, so only one of the job steps that run at the same time may "
                       "save",
                   "run each training as a job of its own, for example as a task of a job array"};
  }
  const std::string step = "step " + std::to_string(asked.step);
  if (const auto other = other_saver(asked))
    return Refusal{step + " was already saved by " + task_text(*other),
                   "only one job step of a job can save the same training steps"};
  if (asked.saver.job_step == complete_save_.job_step || asked.step > complete_save_.step)
    return std::nullopt;
  return Refusal{step + " is not above step " + std::to_string(complete_save_.step) +
                     ", which job step " + std::to_string(complete_save_.job_step) + " has saved",
                 "steps only go up within a job: count on from there, or run this part as a job of "
                 "its own"};
}

// Returns a task of the same rank, but of another job step, that has saved this training step.
// Saved files have the rank in their names, so the two tasks would overwrite each other's files.
std::optional<Saver> Supervision::other_saver(const SaveRequested& asked) {
  const auto is_other = [&](const Saver& saver) {
    return saver.rank == asked.saver.rank && saver.job_step != asked.saver.job_step;
  };
  for (const auto& [saver, saved] : saved_by_steps_)
    if (is_other(saver) && has_saved(saved, asked.step)) return saver;
  for (const PendingSeal& seal : seals_)
    if (is_other(seal.saver) && seal.step == asked.step) return seal.saver;
  const RankStatus* rank = asked.saver.job_step < 0 ? nullptr : find_rank(asked.saver.rank);
  if (rank != nullptr && has_saved(rank->saved, asked.step)) return Saver{-1, asked.saver.rank};
  return std::nullopt;
}

// Seals the newest step of a rank that exited with exit_code_saved. Does nothing for a rank that
// reports its saves, since one that it has not reported may be incomplete; nor after SIGTERM, which
// may have interrupted a save.
void Supervision::seal_at_exit(const RankStatus& rank) {
  const Saver saver{-1, rank.rank};
  const bool reports = !rank.saved.empty() || is_sealing(saver);
  if (ending_ < Ending::Terminated && !reports) {
    PendingSeal pending;
    pending.saver = saver;
    pending.after_stop = status_.stop != StopWhy::None;
    return begin_seal(pending);
  }
  if (ending_ >= Ending::Terminated && std::ranges::none_of(rank.saved, &SavedStep::after_stop))
    add_note("rank " + std::to_string(rank.rank) + " exited with 75 after SIGTERM and had not " +
             "reported a save (`cox checkpoint done`), so what it saved last does not count");
}

void Supervision::begin_seal(PendingSeal pending) {
  pending.number = next_seal_++;
  Seal seal;
  seal.number = pending.number;
  seal.rank = pending.saver.rank;
  seal.step = pending.step;
  const std::vector<SavedStep>& saved = *saved_by(pending.saver);
  seal.above_step = saved.empty() ? resumed_step().value_or(-1) : saved.back().step;
  seal.must_have_files = must_have_files(pending);
  seal.is_of_job_step = pending.saver.job_step >= 0;
  seal.is_repeat = pending.sealed.has_value();
  seals_.push_back(std::move(pending));
  before_publish_.push_back(seal);
}

// Returns whether the step would have no file at all if this task had none: no other task saves it,
// or all others have reported it without files. A checkpoint without a file is none. (If other
// nodes have ranks, too, the controller decides.)
bool Supervision::must_have_files(const PendingSeal& pending) {
  if (launch_.spec.checkpoint_by == CheckpointBy::Rank0) return true;
  const std::int32_t job_step = pending.saver.job_step;
  StepTasks tasks{{}, all_ranks(launch_.spec, launch_.nodes)};
  for (const RankStatus& rank : status_.ranks) tasks.ranks.push_back(rank.rank);
  if (job_step >= 0) tasks = step_tasks_.at(job_step);
  if (std::ssize(tasks.ranks) != tasks.all) return false;
  return std::ranges::all_of(tasks.ranks, [&](std::int32_t rank) {
    if (rank == pending.saver.rank) return true;
    for (const SavedStep& saved : *saved_by({job_step, rank}))
      if (pending.step && saved.step == *pending.step) return saved.files == 0;
    return false;
  });
}

void Supervision::handle(const Sealed& sealed, Now now) {
  const auto found = std::ranges::find(seals_, sealed.number, &PendingSeal::number);
  if (found == seals_.end()) return;  // abandoned
  const PendingSeal pending = std::move(*found);
  seals_.erase(found);
  AnswerSave answer;
  if (pending.sealed) answer.saved = *pending.sealed;
  if (sealed.saved) {
    answer.saved = *sealed.saved;
    answer.saved.after_stop = pending.after_stop;
    answer.saved.by_exit = !pending.step;
    record_save(pending, answer.saved);
  }
  // If the files of a repeated report cannot be read now, that is no proof that they have changed.
  if (sealed.refused && !(pending.sealed && sealed.save_unknown)) {
    add_note(task_text(pending.saver) + ": " + sealed.refused->fact);
    answer.refused = sealed.refused;
    answer.may_retry = sealed.may_retry;
  }
  if (!pending.sealed) note_unknown(pending.saver, sealed.refused && sealed.save_unknown);
  for (const std::int64_t token : pending.tokens) {
    answer.token = token;
    after_publish_.push_back(answer);
  }
  settle_exits(now);
}

// Returns the newest training step that a task on this node has saved or is saving; -1: none.
std::int64_t Supervision::newest_save() const {
  std::int64_t newest = -1;
  const auto consider = [&](const std::vector<SavedStep>& saved) {
    for (const SavedStep& one : saved) newest = std::max(newest, one.step);
  };
  for (const RankStatus& rank : status_.ranks) consider(rank.saved);
  for (const auto& [saver, saved] : saved_by_steps_) consider(saved);
  for (const PendingSeal& seal : seals_) newest = std::max(newest, seal.step.value_or(-1));
  return newest;
}

void Supervision::record_save(const PendingSeal& pending, const SavedStep& saved) {
  std::vector<SavedStep>* all = saved_by(pending.saver);
  if (all == nullptr) return;  // the end of its job step was acknowledged while it was sealed
  insert(*all, saved);
  if (saved.step > finished_after_) status_.finished = is_finished_ = false;
  report_saved(pending.saver.job_step);
}

// Notes whether it is unknown what each rank has saved. For a batch script the reports of its tasks
// on this node count, too: it ends with the exit code of its srun.
void Supervision::note_unknown(const Saver& saver, bool unknown) {
  const auto is_over = [&](const Saver& other) {
    return other == saver || other.job_step != saver.job_step;
  };
  if (unknown)
    unread_.insert(saver);
  else
    std::erase_if(unread_, is_over);
  for (RankStatus& rank : status_.ranks)
    rank.save_unknown = std::ranges::any_of(
        unread_, [&](const Saver& one) { return one.job_step >= 0 || one.rank == rank.rank; });
}

// Puts into the status of a job step the training steps that all its tasks on this node have saved.
// If rank 0 saves for all, only rank 0 counts.
void Supervision::report_saved(std::int32_t job_step) {
  StepStatus* status = job_step < 0 ? nullptr : find_step(job_step);
  if (status == nullptr) return;
  const bool rank0 = launch_.spec.checkpoint_by == CheckpointBy::Rank0;
  std::vector<std::int32_t> speakers = step_tasks_.at(job_step).ranks;
  if (rank0) speakers = {0};
  status->saved.clear();
  for (SavedStep each : saved_by_steps_[Saver{job_step, speakers.front()}]) {
    bool complete = true;
    for (std::size_t i = 1; i < speakers.size(); ++i) {
      const auto& saved = saved_by_steps_[Saver{job_step, speakers[i]}];
      const auto same = std::ranges::find(saved, each.step, &SavedStep::step);
      complete = complete && same != saved.end();
      if (!complete) break;
      each.bytes += same->bytes;
      each.files += same->files;
      each.after_stop = each.after_stop || same->after_stop;
    }
    if (!complete) continue;
    status->saved.push_back(each);
    const bool saves_alone = rank0 || std::ssize(speakers) == step_tasks_.at(job_step).all;
    if (saves_alone && each.files > 0 && each.step > complete_save_.step)
      complete_save_ = {job_step, each.step};
  }
}

// Ends the job's time to save. If the job saves and has not, this is noted. (A shorter time,
// because the lease has ended, is not the job's grace.)
void Supervision::end_grace(Now now) {
  const auto has_saved = [](const RankStatus& rank) { return !rank.saved.empty(); };
  const bool saves = declares_saves(launch_.spec) || launch_.resume || !seals_.empty() ||
                     !saved_by_steps_.empty() || std::ranges::any_of(status_.ranks, has_saved);
  if (saves && !lease_ended_ && lacks_save()) add_note(grace_ended_note(order_.grace_ms));
  terminate(now);
}

// Returns whether a rank or a job step runs on this node that has not saved since the order to
// stop. A batch script whose job steps have saved need not.
bool Supervision::lacks_save() const {
  const auto since_stop = [](const std::vector<SavedStep>& saved) {
    return std::ranges::any_of(saved, &SavedStep::after_stop);
  };
  if (has_live_steps())
    return std::ranges::any_of(status_.steps, [&](const StepStatus& step) {
      return step.phase != StepPhase::Gone && !since_stop(step.saved);
    });
  const auto lacks = [&](const RankStatus& rank) {
    return rank.phase != RankPhase::Exited && !since_stop(rank.saved);
  };
  return std::ranges::any_of(status_.ranks, lacks) &&
         std::ranges::none_of(saved_by_steps_,
                              [&](const auto& one) { return since_stop(one.second); });
}

bool Supervision::is_sealing(const Saver& saver) const {
  return std::ranges::find(seals_, saver, &PendingSeal::saver) != seals_.end();
}

}  // namespace cox
