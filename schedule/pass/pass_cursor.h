// The position of a pass in the queue. It is kept between two parts of a pass.
//
// Jobs of one class do not differ in anything that decides whether and where they fit. If one of
// them has to wait, nothing later in the pass makes room for the others, so they are skipped. If no
// job of a kind can start any more, the kind is closed: all its classes are skipped. A queued job
// may stand for several equal ones, its copies. Its turn lasts until all copies have started or one
// has to wait.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "schedule/pass/decision.h"
#include "schedule/queue/pending_queue.h"

namespace cox::schedule {

class PassCursor {
 public:
  // The decision about a job that waits; it holds for all jobs of its class.
  struct Waits {
    const ResolvedRequest* need = nullptr;
    Outcome outcome = Outcome::NoRoom;
    bool others_first = false;
    bool has_no_known_start = false;
  };

  explicit PassCursor(const PendingQueue& queue) : queue_(queue) {}

  // Continues where the last part ended. By then the owner has split off the copies that were
  // started. REQUIRES for all functions below: a part has begun.
  void begin_part();
  // Goes back to the first job of the queue.
  void begin_second_round();

  PendingQueue::At front() const { return walk_->front(); }
  void next() { walk_->next(); }
  void skip_class() { walk_->skip_class(); }
  // Skips the front job and all others of its kind, for the rest of the pass.
  void close_kind();
  // Moves to the next job, unless another copy of this one may start.
  void advance();

  // Begins the turn of the job at the front.
  void begin_turn(const PendingQueue::At& at);
  void note(const PendingQueue::At& at, const Decision& decision);
  // Ends the turn before all copies have started; the others get a turn in the second round.
  void break_off_turn(JobId id);
  // Returns whether this part has begun a turn, put a class off or closed a kind. Otherwise the
  // next part would do the same again.
  bool has_moved() const { return has_moved_; }
  // Records that this many copies of the job were started before its turn, to fill a guarantee.
  void note_started_first(JobId id, std::int64_t copies) { started_first_[id] = copies; }

  // Returns the decision about waiting jobs of this class; null if none had to wait so far.
  const Waits* waits_of(const PendingQueue::At& at) const;
  bool has_waiting_jobs() const { return !waiting_classes_.empty() || !closed_kinds_.empty(); }

 private:
  bool starts_another(const Decision& decision);

  const PendingQueue& queue_;
  std::optional<QueueCursor> walk_;  // of this part
  std::optional<QueuePlace> evaluated_to_;
  // Place: the same job again, since another copy may start
  QueueCursor::From from_ = QueueCursor::From::Behind;
  bool has_moved_ = false;
  std::int64_t copies_started_ = 0;  // copies of the job at the front, in this part
  // copies started before their job's turn, in this part
  std::map<JobId, std::int64_t> started_first_;
  std::unordered_map<std::int64_t, Waits> waiting_classes_;  // key: PendingQueue::Queue::number
  std::unordered_set<std::int64_t> closed_kinds_;            // of PendingQueue::Kind::number
};

}  // namespace cox::schedule
