#include "schedule/queue/pending_queue.h"

#include <algorithm>
#include <utility>

#include "common/base/check.h"

namespace cox::schedule {
namespace {

Kind kind_of(const PendingJob& job) {
  return {&*job.request, job.tier,     job.may_preempt, job.time_limit, job.time_min,
          job.fill_min,  &*job.limits, job.rank,        job.account};
}

}  // namespace

void PendingQueue::add(const PendingJob& job) {
  Queue& queue = kinds_[kind_of(job)];
  queue.request = job.request;
  queue.limits = job.limits;
  if (queue.number == 0) queue.number = ++last_number_;
  const QueueKey key = key_of(job);
  CHECK(queue.jobs.insert(key).second);
  if (!is_aged(key) && (!oldest_ || job.eligible < *oldest_)) oldest_ = job.eligible;
  ++size_;
}

std::int64_t PendingQueue::remove(const PendingJob& job) {
  const auto kind = kinds_.find(kind_of(job));
  CHECK(kind != kinds_.end());
  const auto node = kind->second.jobs.extract(key_of(job));
  CHECK(!node.empty());
  given_.erase(job.id);
  if (kind->second.jobs.empty()) kinds_.erase(kind);
  --size_;
  return node.value().copies;
}

std::int64_t PendingQueue::set_copies(const PendingJob& job, std::int64_t copies) {
  Queue& queue = kinds_.at(kind_of(job));
  auto node = queue.jobs.extract(key_of(job));
  CHECK(!node.empty() && copies > 0);
  const std::int64_t before = std::exchange(node.value().copies, copies);
  queue.jobs.insert(std::move(node));
  return before;
}

// As it stands there by now.
QueueKey PendingQueue::key_of(const PendingJob& job) const {
  QueueKey key{job.priority, job.eligible, job.id, job.copies, job.fair_share, 0};
  if (const auto given = given_.find(job.id); given != given_.end()) key.priority = given->second;
  key.own = key.priority;
  if (is_aged(key)) key.priority = aged_priority_ + key.fair_share;
  return key;
}

const Kind* PendingQueue::kind_with(JobId id) const {
  for (const auto& [kind, queue] : kinds_)
    if (std::ranges::find(queue.jobs, id, &QueueKey::id) != queue.jobs.end()) return &kind;
  return nullptr;
}

void PendingQueue::prefer_older_than(Wall eligible, double priority) {
  const bool changes = aged_since_ && (priority != aged_priority_ || eligible < *aged_since_);
  aged_since_ = eligible;
  aged_priority_ = priority;
  if (!changes && (!oldest_ || *oldest_ > eligible)) return;
  oldest_.reset();
  for (auto& [kind, queue] : kinds_) {
    std::vector<QueueKey> changed;
    for (const QueueKey& key : queue.jobs) {
      if (key.priority != (is_aged(key) ? priority + key.fair_share : key.own))
        changed.push_back(key);
      if (!is_aged(key) && (!oldest_ || key.eligible < *oldest_)) oldest_ = key.eligible;
    }
    for (QueueKey key : changed) {
      queue.jobs.erase(key);
      key.priority = is_aged(key) ? priority + key.fair_share : key.own;
      queue.jobs.insert(key);
    }
  }
}

void PendingQueue::prioritise(const std::function<double(const Kind&, JobId)>& priority) {
  for (auto& [kind, queue] : kinds_) {
    bool changed = false;
    std::vector<QueueKey> keys(queue.jobs.begin(), queue.jobs.end());
    for (QueueKey& key : keys) {
      const double before = std::exchange(key.priority, priority(kind, key.id));
      if (key.priority == before) continue;
      key.own = key.priority;
      given_[key.id] = key.priority;
      changed = true;
    }
    if (changed) queue.jobs = std::set<QueueKey>(keys.begin(), keys.end());
  }
}

QueueCursor::QueueCursor(const PendingQueue& line, const std::optional<QueuePlace>& place,
                         From from) {
  heads_.reserve(line.kinds().size());
  for (const auto& [kind, queue] : line.kinds()) {
    auto first = queue.jobs.begin();
    if (place && kind.standing() > place->standing) continue;
    if (place && kind.standing() == place->standing)
      first = from == From::Place ? queue.jobs.lower_bound(place->key)
                                  : queue.jobs.upper_bound(place->key);
    if (first != queue.jobs.end()) heads_.push_back({kind.standing(), &kind, &queue, first});
  }
  std::ranges::make_heap(heads_, later);
}

bool QueueCursor::later(const Head& a, const Head& b) {
  if (a.standing != b.standing) return a.standing < b.standing;
  return *b.job < *a.job;
}

QueueCursor::At QueueCursor::front() const {
  if (heads_.empty()) return {};
  return {heads_.front().kind, heads_.front().queue, &*heads_.front().job};
}

void QueueCursor::next() {
  std::ranges::pop_heap(heads_, later);
  if (++heads_.back().job == heads_.back().queue->jobs.end()) {
    heads_.pop_back();
  } else {
    std::ranges::push_heap(heads_, later);
  }
}

void QueueCursor::skip_kind() {
  std::ranges::pop_heap(heads_, later);
  heads_.pop_back();
}

}  // namespace cox::schedule
