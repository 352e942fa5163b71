// One scheduling pass over an engine. It decides on the queued jobs one after the other. Each
// decision takes its room at once, so the next job gets what is left. When the pass ends, the
// engine is as before; a decision becomes a fact only when the owner of the engine carries it out.
//
// A long pass may be made in parts. Between two parts the owner carries out the decisions, and
// other facts change. The pass continues where it was and ignores room that has become free since.
// So it uses too little room rather than too much; the next pass uses the rest.
//
// The state of a pass has a class per subject: rooms (pass_rooms.h), decided jobs (decided_jobs.h),
// limits, quotas, reservations (pass_backfill.h), victims, suspended jobs, and the queue position
// (pass_cursor.h). The decisions are in Pass.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "schedule/model/explain_depth.h"
#include "schedule/pass/closed_kinds.h"
#include "schedule/pass/gang_placer.h"
#include "schedule/pass/resume_queue.h"
#include "schedule/pass/victim_search.h"

namespace cox::schedule {

class Pass final : public PausedPass {
 public:
  Pass(Engine& engine, Boot now);
  ~Pass();
  Pass(const Pass&) = delete;
  Pass& operator=(const Pass&) = delete;

  // Makes the whole pass. Returns the decisions that change something, and those on waiting jobs
  // that are to be explained. REQUIRES: no part of this pass was made before.
  std::vector<Decision> run_and_explain(const ExplainDepth& depth);
  // Makes the next part, until `work_max` (in nodes examined) is done and at least one job or class
  // was decided on. Returns the decisions that change something.
  std::vector<Decision> run_part(std::int64_t work_max);
  bool is_over() const { return stage_ == Stage::Over; }
  // Returns the suspended jobs to resume that were decided since the last call.
  std::vector<JobId> take_resumes() { return resumes_.take_resumes(); }
  // Returns the elastic gangs that save and continue on more nodes. None while any job waits.
  std::vector<Move> grow();

  // Prepares the next part after facts have changed. REQUIRES: the nodes are the same, no job took
  // room except by decisions of this pass, and the free room is as the pass left it.
  void go_on(Boot now);
  // Between stash_room() and restore_room() the engine has the free room that it had before the
  // pass.
  void stash_room() { rooms_.stash(); }
  void restore_room() { rooms_.restore(); }
  bool has_decided(JobId id) const override { return decided_.has_changed(id); }
  void note_split(JobId id) override { decided_.note_split(id); }
  void undo() override;

  // The state of the pass, for explanations after it.
  const PassFacts& facts() const { return facts_; }
  const PassRooms& rooms() const { return rooms_; }
  const DecidedJobs& decided() const { return decided_; }
  const QuotaRound& quotas() const { return quotas_; }
  VictimSearch& victims() { return victims_; }
  const std::vector<SuspendedWait>& suspended_jobs() const { return resumes_.suspended_jobs(); }
  // Null if no job had to wait.
  const Reservations* reservations() const { return backfill_.reservations(); }

 private:
  enum class Stage : std::uint8_t { Claims, Queue, Over, Undone };

  // The queue.
  void keep_claims();
  void evaluate_claims(std::vector<Decision>& decisions);
  void evaluate_claim(Decision& decision, const GangParts& shares);
  void evaluate_guaranteed(std::vector<Decision>& decisions);
  std::int64_t start_within_guarantee(const PendingQueue::At& at, std::vector<Decision>& decisions);
  bool starts_within_guarantee(Decision& decision);
  std::vector<Decision> evaluate_queue(std::int64_t work_max, const ExplainDepth& depth);
  PendingQueue::At front();
  bool is_put_off(const PendingQueue::At& at);
  void skip(const PendingQueue::At& at);

  // One job.
  Decision evaluate_next(const PendingQueue::At& at);
  void evaluate(Decision& decision);
  void evaluate_closed(Decision& decision, const Needs& once_open);
  bool evaluate_now(Decision& decision, const Needs& needs);
  bool start(Decision& decision);
  bool promise(Decision& decision);
  bool preempt(Decision& decision);
  void shrink(Decision& decision, const Victims& victims, Room after);
  bool move_others(Decision& decision);
  void wait(Decision& decision, const Needs& needs_now, const Needs& needs);
  void reserve(Decision& decision, const Needs& needs);
  const ResolvedRequest* need_in_time(const Decision& decision, std::span<const Stretch> stretches);

  PassFacts facts_;
  PassRooms rooms_;
  DecidedJobs decided_;
  QuotaRound quotas_;
  PassLimits limits_;
  PassBackfill backfill_;
  GangPlacer placer_;
  VictimSearch victims_;
  ClosedKinds closed_;
  ResumeQueue resumes_;
  PassCursor cursor_;
  Stage stage_ = Stage::Claims;
  std::size_t moves_tried_ = 0;  // number of jobs that had to wait or for which others were moved
  bool explains_ = false;        // whether explanations are wanted
};

}  // namespace cox::schedule
