#include "controller/state/job_table.h"

#include <algorithm>

#include "common/base/check.h"

namespace cox {

const JobEntry* JobTable::find(JobId id) const {
  const std::unique_ptr<JobEntry>* found = jobs_.find(id);
  return found == nullptr ? nullptr : found->get();
}

std::vector<JobId> JobTable::on_node(const std::string& node) const {
  const auto it = live_on_.find(node);
  if (it == live_on_.end()) return {};
  return {it->second.begin(), it->second.end()};
}

std::optional<JobId> JobTable::of_request(const std::string& request_id) const {
  const auto it = requests_.find(request_id);
  if (it == requests_.end()) return std::nullopt;
  return it->second;
}

void JobTable::clear() {
  const JobId above_issued = above_issued_;
  *this = {};
  above_issued_ = above_issued;
}

JobEntry& JobTable::load(Job job) {
  JobEntry& e = *jobs_.add(job.id, std::make_unique<JobEntry>());
  e.job = std::move(job);
  // Before any index(), which needs all rows of the array.
  if (is_of_array(e.job)) arrays_.put(e.job);
  return e;
}

JobEntry& JobTable::add(Job job) {
  CHECK(job.id == next_id_);
  next_id_.value += 1;
  JobEntry& e = *jobs_.add(job.id, std::make_unique<JobEntry>());
  e.job = std::move(job);
  return e;
}

JobEntry& JobTable::entry(JobId id) {
  return *jobs_.at(id);
}

void JobTable::index(JobEntry& e) {
  const JobId id = e.job.id;
  if (is_of_array(e.job)) arrays_.put(e.job);
  if (is_final(e.job.state)) {
    if (unfinished_.contains(id)) unfinished_.erase(id);
    // A user may requeue the job after its end; it then need not wait for retry_after.
    set_retry_after(e, Boot{});
    index_end(e);
  } else {
    if (!unfinished_.contains(id)) unfinished_.add(id, {});
    index_reopened(e);
  }
  if (is_live(e.job.state)) {
    live_.insert(id);
  } else {
    live_.erase(id);
  }
  if (!e.job.request_id.empty()) requests_[e.job.request_id] = id;
  if (e.attempts.empty()) return;
  const bool live = e.live_attempt() != nullptr;
  for (const auto& n : e.attempts.back().nodes) {
    if (live) {
      live_on_[n.grant.node].insert(id);
    } else {
      live_on_[n.grant.node].erase(id);
    }
  }
}

void JobTable::count(JobEntry& e, std::int64_t jobs) {
  unfinished_count_ += jobs - e.counted;
  e.counted = static_cast<std::int32_t>(jobs);
}

void JobTable::forget(JobId id) {
  const Job& job = entry(id).job;
  CHECK(is_final(job.state));
  requests_.erase(job.request_id);
  remove_end(id);
  if (is_of_array(job)) arrays_.forget(job);
  jobs_.erase(id);
}

void JobTable::set_retry_after(JobEntry& e, Boot at) {
  e.waits_to_retry = at != Boot{};
  if (e.waits_to_retry) {
    retrying_[e.job.id] = at;
  } else {
    retrying_.erase(e.job.id);
  }
}

Boot JobTable::retry_after(const JobEntry& e) const {
  return e.waits_to_retry ? retrying_.at(e.job.id) : Boot{};
}

void JobTable::never_issue(JobId id) {
  above_issued_ = std::max(above_issued_, JobId{id.value + 1});
  next_id_ = std::max(next_id_, above_issued_);
}

void JobTable::set_next_id(JobId stored) {
  next_id_ = std::max(above_issued_, stored);
}

std::vector<JobId> JobTable::others_limited_by(const Job& before, const Job& after) const {
  std::vector<JobId> others;
  if (before.array_limit == after.array_limit) return others;
  for (const JobId id : arrays_.unfinished(before.array_job))
    if (id != before.id) others.push_back(id);
  return others;
}

// Records the end of a job. All tasks of an array get the end of the last one, so that memory
// forgets them together and can report the results of all until then.
void JobTable::index_end(const JobEntry& e) {
  if (!is_of_array(e.job)) return put_end(e.job.id, e.job.ended);
  if (!arrays_.is_over(e.job.array_job) || ended_with_.contains(e.job.id)) return;
  const auto rows = arrays_.rows(e.job.array_job);
  Wall latest{};
  for (const JobId id : rows) latest = std::max(latest, entry(id).job.ended);
  for (const JobId id : rows) put_end(id, latest);
}

// Removes the end of a job that was requeued after it, so that memory forgets neither the job nor
// the other tasks of its array.
void JobTable::index_reopened(const JobEntry& e) {
  if (!ended_with_.contains(e.job.id)) return;
  if (!is_of_array(e.job)) return remove_end(e.job.id);
  for (const JobId id : arrays_.rows(e.job.array_job)) remove_end(id);
}

void JobTable::put_end(JobId id, Wall ended) {
  remove_end(id);
  ended_with_[id] = ended;
  ended_.emplace(ended, id);
}

void JobTable::remove_end(JobId id) {
  const auto known = ended_with_.find(id);
  if (known == ended_with_.end()) return;
  ended_.erase({known->second, id});
  ended_with_.erase(known);
}

}  // namespace cox
