// An index of the dependencies that are not met. When a job begins or ends, it finds the jobs that
// wait for this at once. Part of Cluster, which updates it when a job's row changes;
// update_dependants.cpp takes from it which job to check next.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "common/base/ids.h"
#include "common/job/job.h"

namespace cox {

// The begin or the end that a job waits for: of a job, of one task of an array, of all its tasks,
// or (aftercorr) of any task with the same index as one of the waiting job's.
struct Awaited {
  JobId job;
  std::int64_t task = -1;  // number of the task; -1: all tasks of the array, or `job` is no array
  bool end = false;        // false: the begin
  // For aftercorr: the id of the waiting job, whose tasks wait for their partner tasks.
  JobId partners_of{};
  auto operator<=>(const Awaited&) const = default;
};

// Returns whether the awaited begin or end has happened. REQUIRES: `job` is the awaited job.
bool has_come(const Awaited& what, const Job& job);

// Returns what the job waits for by this dependency.
Awaited awaited_by(const Job& waiting, const Dependency& term);

// A user and a job name. A job with the dependency `singleton` waits for all earlier jobs of the
// same user and name.
struct JobName {
  std::string user;
  std::string job;
  auto operator<=>(const JobName&) const = default;
};
JobName name_of(const Job& job);

// Returns whether the job is pending and its dependency `singleton` is not met yet.
bool is_singleton(const Job& job);

// Returns whether the job waits only for any one of its dependencies (`--dependency=a?b`).
bool takes_any(const ParsedSpec& spec);
bool names_singleton(const DependencyWish& wish);
// Returns whether the job's dependencies can never be met.
bool is_hopeless(const Job& job);

// A sort key: the order in which the jobs of a name were submitted. All rows of an array have the
// array's id as the first part, since its tasks were submitted together.
using SubmittedAs = std::pair<JobId, JobId>;
SubmittedAs submitted_as(const Job& job);

class Dependants {
 public:
  using HasCome = std::function<bool(const Awaited&)>;

  // Adds the job, or updates it to its changed row. `has_come` returns whether something that a job
  // waits for has happened. REQUIRES: follow_names() was called, if the job is a singleton.
  void put(const Job& job, const HasCome& has_come);

  // Jobs are indexed by name only once there has been a job with --dependency=singleton.
  bool follows_names() const { return follows_names_; }
  // Begins to index jobs by name. `unfinished`: all jobs that have not ended.
  void follow_names(const std::vector<const Job*>& unfinished);
  // REQUIRES: follows_names().
  bool has_unfinished(const JobName& name) const { return names_.contains(name); }

  // Returns a job whose dependencies must be checked, since something that it waits for has
  // happened. It is returned until its row has changed accordingly.
  std::optional<JobId> due() const;

  // Returns whether no earlier unfinished job has the same user and name. REQUIRES:
  // is_singleton(job).
  bool is_first(const Job& job) const;

  // Returns all jobs of that name that have not ended.
  const std::set<SubmittedAs>& unfinished_of(const JobName& name) const;

  // Returns whether a job waits for this job, or for tasks of this array; then it must stay in
  // memory. Dependencies that can never be met do not count.
  bool is_awaited(JobId id) const;

 private:
  struct Named {
    std::set<SubmittedAs> unfinished;
    std::set<SubmittedAs> waiting;  // those unfinished jobs that wait as singletons
    bool is_due() const {
      return !waiting.empty() && waiting.begin()->first == unfinished.begin()->first;
    }
  };

  void let_go(JobId waiting);
  void note_come(JobId job, std::int64_t task_least, std::int64_t task_most,
                 const HasCome& has_come);
  void put_name(const Job& job);

  std::map<Awaited, std::set<JobId>> waiting_;
  std::map<JobId, std::vector<Awaited>> wishes_;  // by waiting job
  // Awaited begins and ends that have happened; the jobs that wait for them are due.
  std::set<Awaited> come_;
  bool follows_names_ = false;
  std::map<JobName, Named> names_;
  std::set<JobName> names_due_;
};

}  // namespace cox
