#include "schedule/queue/pending_queue.h"

#include <algorithm>
#include <set>
#include <utility>

#include "common/base/check.h"

namespace cox::schedule {
namespace {

JobClass class_of(const PendingJob& job) {
  return {{&*job.request, job.tier, job.may_preempt, job.time_limit, job.time_min, job.fill_min,
           job.partition_tier},
          &*job.limits,
          job.account};
}

constexpr auto later_job = [](const auto& a, const auto& b) { return *b.job < *a.job; };

}  // namespace

void PendingQueue::add(const PendingJob& job) {
  const QueueKey key{job.priority, job.eligible, job.id, job.copies, job.fair_share, job.priority};
  insert(class_of(job), job.request, job.limits, key);
}

PendingQueue::Classes::iterator PendingQueue::class_at(const JobClass& job_class) {
  const auto [at, is_new] = classes_.try_emplace(job_class);
  if (!is_new) return at;
  Kind& kind = kinds_[job_class];
  if (kind.number == 0) kind.number = ++last_number_;
  at->second.number = ++last_number_;
  at->second.kind = &kind;
  ++accounts_[job_class.account];
  return at;
}

void PendingQueue::drop_if_empty(Classes::iterator job_class) {
  if (!job_class->second.jobs.empty()) return;
  const JobClass& gone = job_class->first;
  if (job_class->second.kind->heads.empty()) kinds_.erase(gone);
  if (--accounts_[gone.account] == 0) accounts_.erase(gone.account);
  classes_.erase(job_class);
}

void PendingQueue::enter_head(Classes::iterator job_class) {
  Queue& queue = job_class->second;
  if (queue.jobs.empty()) return;
  queue.head = queue.kind->heads.insert({*queue.jobs.begin(), &job_class->first, &queue}).first;
}

void PendingQueue::drop_head(Queue& queue) {
  if (!queue.jobs.empty()) queue.kind->heads.erase(queue.head);
}

void PendingQueue::insert(const JobClass& job_class, const Shared<Request>& request,
                          const Shared<Limits>& limits, QueueKey key) {
  const auto at = class_at(job_class);
  Queue& queue = at->second;
  queue.request = request;
  queue.limits = limits;
  Aging& aging = aging_[job_class.standing()];
  key.priority = aging.includes(key) ? aged_priority_ + key.fair_share : key.own;
  const bool is_first = queue.jobs.empty() || key < *queue.jobs.begin();
  if (is_first) drop_head(queue);
  queue.jobs.insert(key);
  places_.add(key.id, {at, key.priority, key.eligible});
  if (is_first) enter_head(at);
  aging.note(key);
}

const QueueKey& PendingQueue::key_of(JobId id) const {
  const Place& place = places_.at(id);
  return place.job_class->second.jobs.at({place.priority, place.eligible, id});
}

QueueKey PendingQueue::take_out(JobId id) {
  const Classes::iterator job_class = places_.at(id).job_class;
  const QueueKey key = key_of(id);
  Queue& queue = job_class->second;
  const bool is_first = key.id == queue.jobs.begin()->id;
  if (is_first) drop_head(queue);
  queue.jobs.erase(key);
  if (is_first) enter_head(job_class);
  drop_if_empty(job_class);
  places_.erase(id);
  return key;
}

void PendingQueue::remove(JobId id) {
  take_out(id);
}

template <class Change>
void PendingQueue::change_keys(Classes::iterator job_class, const std::vector<JobId>& ids,
                               Change change) {
  if (ids.empty()) return;
  drop_head(job_class->second);
  for (const JobId id : ids) {
    QueueKey key = key_of(id);
    job_class->second.jobs.erase(key);
    change(key);
    job_class->second.jobs.insert(key);
    places_.at(id) = {job_class, key.priority, key.eligible};
  }
  enter_head(job_class);
}

void PendingQueue::set_copies(JobId id, std::int64_t copies) {
  CHECK(copies > 0);
  change_keys(places_.at(id).job_class, {id}, [copies](QueueKey& key) { key.copies = copies; });
}

void PendingQueue::set_request(JobId id, const Shared<Request>& request) {
  JobClass job_class = places_.at(id).job_class->first;
  const Shared<Limits> limits = places_.at(id).job_class->second.limits;
  job_class.request = &*request;
  insert(job_class, request, limits, take_out(id));
}

PendingQueue::At PendingQueue::at(JobId id) const {
  const Place& place = places_.at(id);
  return {&place.job_class->first, &place.job_class->second, &key_of(id)};
}

PendingJob job_of(const PendingQueue::At& at) {
  PendingJob job;
  job.id = at.key->id;
  job.tier = at.job_class->tier;
  job.partition_tier = at.job_class->partition_tier;
  job.priority = at.key->priority;
  job.fair_share = at.key->fair_share;
  job.account = at.job_class->account;
  job.eligible = at.key->eligible;
  job.request = at.queue->request;
  job.limits = at.queue->limits;
  job.copies = at.key->copies;
  job.time_limit = at.job_class->time_limit;
  job.time_min = at.job_class->time_min;
  job.fill_min = at.job_class->fill_min;
  job.may_preempt = at.job_class->may_preempt;
  return job;
}

void PendingQueue::prefer_older_than(const std::function<Wall(Standing)>& since, double priority) {
  const bool has_new_priority = std::exchange(aged_priority_, priority) != priority;
  std::set<Standing> changing;
  for (auto& [standing, aging] : aging_) {
    const std::optional<Wall> before = std::exchange(aging.since, since(standing));
    const bool changes = before && (has_new_priority || *aging.since < *before);
    if (!changes && (!aging.oldest || *aging.oldest > *aging.since)) continue;
    aging.oldest.reset();
    changing.insert(standing);
  }
  if (changing.empty()) return;
  for (auto job_class = classes_.begin(); job_class != classes_.end(); ++job_class) {
    if (!changing.contains(job_class->first.standing())) continue;
    Aging& aging = aging_.at(job_class->first.standing());
    const auto priority_of = [&](const QueueKey& key) {
      return aging.includes(key) ? priority + key.fair_share : key.own;
    };
    std::vector<JobId> changed;
    for (const QueueKey& key : job_class->second.jobs) {
      if (key.priority != priority_of(key)) changed.push_back(key.id);
      aging.note(key);
    }
    change_keys(job_class, changed, [&](QueueKey& key) { key.priority = priority_of(key); });
  }
}

void PendingQueue::prioritise(const std::function<double(const JobClass&, JobId)>& priority) {
  for (auto job_class = classes_.begin(); job_class != classes_.end(); ++job_class) {
    std::vector<JobId> changed;
    std::vector<double> priorities;
    for (const QueueKey& key : job_class->second.jobs) {
      const double next = priority(job_class->first, key.id);
      if (next == key.priority) continue;
      changed.push_back(key.id);
      priorities.push_back(next);
    }
    auto next = priorities.begin();
    change_keys(job_class, changed, [&next](QueueKey& key) { key.own = key.priority = *next++; });
  }
}

QueueCursor::QueueCursor(const PendingQueue& pending, const std::optional<QueuePlace>& place,
                         From from, const std::unordered_set<std::int64_t>& left_out) {
  walks_.reserve(pending.kinds().size());
  for (const auto& [job_kind, kind] : pending.kinds()) {
    if (left_out.contains(kind.number)) continue;
    const Standing standing = job_kind.standing();
    if (place && standing > place->standing) continue;
    Walk& walk = walks_.emplace_back(Walk{standing, kind.heads.begin(), kind.heads.end(), {}});
    if (place && standing == place->standing) begin_at(walk, kind, place->key, from);
    if (walk.is_over()) walks_.pop_back();
  }
  order_.reserve(walks_.size());
  for (Walk& walk : walks_) order_.push_back(&walk);
  std::ranges::make_heap(order_, later);
}

void QueueCursor::begin_at(Walk& walk, const PendingQueue::Kind& kind, const QueueKey& key,
                           From from) {
  walk.untouched = from == From::Place ? kind.heads.lower_bound(key) : kind.heads.upper_bound(key);
  for (auto head = kind.heads.begin(); head != walk.untouched; ++head) {
    const auto& jobs = head->queue->jobs;
    const auto job = from == From::Place ? jobs.lower_bound(key) : jobs.upper_bound(key);
    if (job != jobs.end()) walk.touch({head->job_class, head->queue, job});
  }
}

bool QueueCursor::Walk::is_touched_first() const {
  if (untouched == end) return true;
  return !touched.empty() && *touched.front().job < untouched->first;
}

QueueCursor::Next QueueCursor::Walk::front() const {
  if (is_touched_first()) return touched.front();
  return {untouched->job_class, untouched->queue, untouched->queue->jobs.begin()};
}

QueueCursor::Next QueueCursor::Walk::take_front() {
  const Next next = front();
  if (!is_touched_first()) {
    ++untouched;
    return next;
  }
  std::ranges::pop_heap(touched, later_job);
  touched.pop_back();
  return next;
}

void QueueCursor::Walk::touch(const Next& next) {
  touched.push_back(next);
  std::ranges::push_heap(touched, later_job);
}

bool QueueCursor::later(const Walk* a, const Walk* b) {
  if (a->standing != b->standing) return a->standing < b->standing;
  return b->key() < a->key();
}

PendingQueue::At QueueCursor::front() const {
  if (order_.empty()) return {};
  const Next next = order_.front()->front();
  return {next.job_class, next.queue, &*next.job};
}

QueueCursor::Walk& QueueCursor::first() {
  std::ranges::pop_heap(order_, later);
  return *order_.back();
}

void QueueCursor::sift() {
  if (order_.back()->is_over()) {
    order_.pop_back();
  } else {
    std::ranges::push_heap(order_, later);
  }
}

void QueueCursor::next() {
  Walk& walk = first();
  Next next = walk.take_front();
  if (++next.job != next.queue->jobs.end()) walk.touch(next);
  sift();
}

void QueueCursor::skip_class() {
  first().take_front();
  sift();
}

void QueueCursor::skip_kind() {
  first();
  order_.pop_back();
}

}  // namespace cox::schedule
