// The jobs in the controller's memory, and indexes that follow from them. Part of Cluster, which
// alone changes it. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <ranges>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "common/base/id_map.h"
#include "controller/change/arrays.h"
#include "controller/job/job_entry.h"

namespace cox {

class JobTable {
 public:
  // Return the jobs as pairs of id and entry, in the order of ids: all, or those above an id.
  auto all() const { return std::views::transform(jobs_, with_entry); }
  auto all_above(JobId id) const {
    return std::views::transform(std::ranges::subrange(jobs_.upper_bound(id), jobs_.end()),
                                 with_entry);
  }
  const JobEntry* find(JobId id) const;  // null: memory does not have the job
  JobId next_id() const { return next_id_; }
  // The ids of jobs that are not in a final state, in order.
  auto unfinished() const { return std::views::keys(unfinished_); }
  bool is_unfinished(JobId id) const { return unfinished_.contains(id); }
  // Counts each task of an array as one.
  std::int64_t unfinished_count() const { return unfinished_count_; }
  const Arrays& arrays() const { return arrays_; }
  const std::set<JobId>& live() const { return live_; }  // jobs with a live attempt
  // Jobs that are not eligible before a time, after requeues (requeue.h); each with that time.
  const std::map<JobId, Boot>& retrying() const { return retrying_; }
  Boot retry_after(const JobEntry& entry) const;  // that time; Boot{}: no such wait
  // Ended jobs in memory, sorted by the time of their end, the earliest first. All tasks of an
  // array count as ended when its last task has ended.
  const std::set<std::pair<Wall, JobId>>& ended() const { return ended_; }
  bool has_end(JobId id) const { return ended_with_.contains(id); }  // the job is in ended()
  // Jobs with a live attempt on the node.
  std::vector<JobId> on_node(const std::string& node) const;
  std::optional<JobId> of_request(const std::string& request_id) const;

  // For Cluster.
  void clear();  // called before a load; ids excluded by never_issue() stay excluded
  // REQUIRES: jobs come in the order of ids; index() is called for each after all are loaded.
  JobEntry& load(Job job);
  JobEntry& add(Job job);       // CHECKs that the job has the next id
  JobEntry& entry(JobId id);    // CHECKs that memory has the job
  void index(JobEntry& entry);  // updates the indexes; called after the job's rows have changed
  // Sets how many of the row's jobs count as unfinished.
  void count(JobEntry& entry, std::int64_t jobs);
  void forget(JobId id);  // CHECKs that the job has ended
  void set_retry_after(JobEntry& entry, Boot at);
  // Makes all ids that are issued from now on, also after the next load, higher than `id`.
  void never_issue(JobId id);
  void set_next_id(JobId stored);
  // If the array's limit on running tasks (ArrayTaskThrottle) has changed, returns the other
  // unfinished rows of the array, which it limits, too.
  std::vector<JobId> others_limited_by(const Job& before, const Job& after) const;

 private:
  using Jobs = IdMap<std::unique_ptr<JobEntry>>;
  static std::pair<JobId, const JobEntry&> with_entry(const Jobs::const_iterator::value_type& at) {
    return {at.first, *at.second};
  }

  void index_end(const JobEntry& entry);
  void index_reopened(const JobEntry& entry);
  void put_end(JobId id, Wall ended);
  void remove_end(JobId id);

  Jobs jobs_;
  JobId next_id_{1};
  JobId above_issued_{1};  // one above the highest id that never_issue() was called with
  struct Nothing {};
  IdMap<Nothing, 64> unfinished_;
  std::int64_t unfinished_count_ = 0;
  Arrays arrays_;
  std::set<JobId> live_;
  std::map<std::string, std::set<JobId>> live_on_;  // by node
  std::map<JobId, Boot> retrying_;
  std::set<std::pair<Wall, JobId>> ended_;
  std::map<JobId, Wall> ended_with_;  // the times in `ended_`, by job
  // Key: the id of the request that submitted the job.
  std::unordered_map<std::string, JobId> requests_;
};

}  // namespace cox
