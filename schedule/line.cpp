#include "schedule/line.h"

#include <algorithm>

#include "common/check.h"

namespace cox::schedule {
namespace {

Kind kind_of(const PendingJob& job) {
  return {&*job.request, job.tier, job.may_preempt, job.time_limit};
}

LineKey key_of(const PendingJob& job) {
  return {job.priority, job.eligible, job.id};
}

}  // namespace

void Line::add(const PendingJob& job) {
  Queue& queue = kinds_[kind_of(job)];
  queue.request = job.request;
  CHECK(queue.jobs.insert(key_of(job)).second);
  ++size_;
}

void Line::remove(const PendingJob& job) {
  const auto kind = kinds_.find(kind_of(job));
  CHECK(kind != kinds_.end());
  CHECK(kind->second.jobs.erase(key_of(job)) == 1);
  if (kind->second.jobs.empty()) kinds_.erase(kind);
  --size_;
}

LineWalk::LineWalk(const Line& line) {
  heads_.reserve(line.kinds().size());
  for (const auto& [kind, queue] : line.kinds())
    heads_.push_back({&kind, queue.jobs.begin(), queue.jobs.end()});
  std::ranges::make_heap(heads_, later);
}

bool LineWalk::later(const Head& a, const Head& b) {
  if (a.kind->tier != b.kind->tier) return a.kind->tier < b.kind->tier;
  return *b.job < *a.job;
}

LineWalk::At LineWalk::front() const {
  if (heads_.empty()) return {};
  return {heads_.front().kind, &*heads_.front().job};
}

void LineWalk::next() {
  std::ranges::pop_heap(heads_, later);
  if (++heads_.back().job == heads_.back().end) {
    heads_.pop_back();
  } else {
    std::ranges::push_heap(heads_, later);
  }
}

void LineWalk::skip_kind() {
  std::ranges::pop_heap(heads_, later);
  heads_.pop_back();
}

}  // namespace cox::schedule
