// Who waits for whom: an index over the dependencies that are not met, so that the begin or the end
// of a job finds those that wait for it at once, however many wait for others. Cluster keeps it
// beside the rows, and it follows from them; judge_dependants.cpp asks it whom to judge next.
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

// What somebody waits for: that a job has begun, or that it has ended; or a task of an array, or
// all of its tasks; or any of those tasks of it that the waiting job stands for itself.
struct Awaited {
  JobId job;
  std::int64_t task = -1;  // of the array; -1: all of them, or the job is none
  bool end = false;
  JobId partners_of{};
  auto operator<=>(const Awaited&) const = default;
};

// REQUIRES: the job is what is awaited.
bool has_come(const Awaited& what, const Job& job);

Awaited awaited_by(const Job& waiting, const Dependency& term);

// Whoever is a singleton waits for the earlier jobs of its name.
struct JobName {
  std::string user;
  std::string job;
  auto operator<=>(const JobName&) const = default;
};
JobName name_of(const Job& job);

bool is_singleton(const Job& job);  // and earlier ones may be left

// One of what it depends on is enough.
bool takes_any(const JobSpec& spec);
// Whether what it depends on can never come true.
bool is_hopeless(const Job& job);

// The jobs of a name in the order in which they were submitted: of an array all tasks at once,
// whichever rows they have become since.
using SubmittedAs = std::pair<JobId, JobId>;
SubmittedAs submitted_as(const Job& job);

class Dependants {
 public:
  using HasCome = std::function<bool(const Awaited&)>;

  // The job is new, or its row has changed. `has_come` is asked of what it waits for.
  // REQUIRES: names are followed once there is a singleton.
  void put(const Job& job, const HasCome& has_come);

  // From the first singleton on all jobs that have not ended are known by their names.
  bool follows_names() const { return follows_names_; }
  void follow_names(const std::vector<const Job*>& unfinished);
  // REQUIRES: names are followed.
  bool has_unfinished(const JobName& name) const { return names_.contains(name); }

  // A job whose dependencies are to be judged, since something of them has come. It is there until
  // its row says so.
  std::optional<JobId> due() const;

  // REQUIRES: a singleton. None of its name is left before it.
  bool is_first(const Job& job) const;

  // All of that name that have not ended.
  const std::set<SubmittedAs>& unfinished_of(const JobName& name) const;

  // Somebody waits for it, so memory may not forget it. Who waits in vain waits for nobody.
  bool is_awaited(JobId id) const;  // of an array any of its tasks, or all

 private:
  struct Named {
    std::set<SubmittedAs> unfinished;
    std::set<SubmittedAs> waiting;  // singletons of these
    bool is_due() const {
      return !waiting.empty() && waiting.begin()->first == unfinished.begin()->first;
    }
  };

  void let_go(JobId waiting);
  void note_come(JobId job, std::int64_t task_least, std::int64_t task_most,
                 const HasCome& has_come);
  void put_name(const Job& job);

  std::map<Awaited, std::set<JobId>> waiting_;
  std::map<JobId, std::vector<Awaited>> wishes_;  // of who waits
  std::set<Awaited> come_;                        // of what is awaited
  bool follows_names_ = false;
  std::map<JobName, Named> names_;
  std::set<JobName> names_due_;
};

}  // namespace cox
