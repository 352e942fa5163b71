// The stored pending reasons of jobs, and past estimates of starts with the true starts. Part of
// Cluster, which alone changes it. Pure.
#pragma once

#include <deque>
#include <map>
#include <vector>

#include "common/base/check.h"
#include "common/base/ids.h"
#include "controller/change/job_wait.h"

namespace cox {

class WaitRecords {
 public:
  const std::map<JobId, JobWait>& all() const { return waits_; }
  const JobWait* of(JobId id) const {  // null: no pending reason is stored for the job
    const auto it = waits_.find(id);
    return it == waits_.end() ? nullptr : &it->second;
  }
  // The newest estimates, oldest first.
  const std::deque<StartEstimate>& estimates() const { return estimates_; }

  // For Cluster.
  void load(std::vector<JobWait> waits, const std::vector<StartEstimate>& estimates) {
    waits_.clear();
    for (JobWait& wait : waits) put(std::move(wait));
    estimates_.assign(estimates.begin(), estimates.end());
  }
  void put(JobWait wait) { waits_[wait.job] = std::move(wait); }
  void remove(JobId id) { CHECK(waits_.erase(id) == 1); }
  void add(StartEstimate estimate) {
    estimates_.push_back(std::move(estimate));
    if (estimates_.size() > estimates_kept_max) estimates_.pop_front();
  }

 private:
  std::map<JobId, JobWait> waits_;
  std::deque<StartEstimate> estimates_;
};

}  // namespace cox
