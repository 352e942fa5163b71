#include "schedule/pass/pass_cursor.h"

namespace cox::schedule {

void PassCursor::begin_part() {
  started_first_.clear();
  copies_started_ = 0;
  has_moved_ = false;
  walk_.emplace(queue_, evaluated_to_, from_, closed_kinds_);
}

void PassCursor::begin_second_round() {
  evaluated_to_.reset();
  walk_.emplace(queue_, std::nullopt, QueueCursor::From::Behind, closed_kinds_);
}

void PassCursor::close_kind() {
  closed_kinds_.insert(walk_->front().queue->kind->number);
  has_moved_ = true;
  walk_->skip_kind();
}

void PassCursor::advance() {
  if (from_ == QueueCursor::From::Behind) walk_->next();
}

void PassCursor::begin_turn(const PendingQueue::At& at) {
  evaluated_to_ = QueuePlace{at.job_class->standing(), *at.key};
  has_moved_ = true;
  from_ = QueueCursor::From::Behind;
}

void PassCursor::note(const PendingQueue::At& at, const Decision& decision) {
  if (decision.only_waits())
    waiting_classes_[at.queue->number] = {decision.need, decision.outcome, decision.others_first,
                                          decision.has_no_known_start};
  from_ = starts_another(decision) ? QueueCursor::From::Place : QueueCursor::From::Behind;
}

bool PassCursor::starts_another(const Decision& decision) {
  const auto first = started_first_.find(decision.job.id);
  const std::int64_t before = first == started_first_.end() ? 0 : first->second;
  const bool starts = decision.outcome == Outcome::Starts;
  const bool again = starts && ++copies_started_ + before < decision.job.copies;
  if (!again) copies_started_ = 0;
  return again;
}

void PassCursor::break_off_turn(JobId id) {
  if (copies_started_ > 0) started_first_[id] += copies_started_;
  copies_started_ = 0;
  has_moved_ = true;
  from_ = QueueCursor::From::Behind;
}

const PassCursor::Waits* PassCursor::waits_of(const PendingQueue::At& at) const {
  const auto known = waiting_classes_.find(at.queue->number);
  return known == waiting_classes_.end() ? nullptr : &known->second;
}

}  // namespace cox::schedule
