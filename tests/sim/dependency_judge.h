// Checks the invariants of dependencies. A job starts only after its dependencies are met, as
// committed. Its list of dependencies only gets shorter. It ends for a dependency only if that can
// never be met. No job stays PENDING long after its dependencies are decided. The judge derives
// what happened from the rows of the jobs depended on.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "common/syntax/dependency.h"
#include "tests/sim/books.h"
#include "tests/sim/scene.h"

namespace cox::sim {

class DependencyJudge {
 public:
  DependencyJudge(Scene& scene, const Books& books) : scene_(scene), books_(books) {}

  void see(const Change& change, Wall at);  // call it before Books::fold(change)
  void restore_from(const DependencyJudge& then);
  // Checks that no job stays PENDING long after its dependencies were decided. Call it when a turn
  // is committed and none is in flight.
  void check_overdue();

 private:
  enum class Fate { Open, Met, Never };

  void see_one(const JobAdded& change, Wall at);
  void see_one(const JobChanged& change, Wall at);
  void see_one(const AttemptAdded& change, Wall at);
  void see_one(const EventAdded& change, Wall at);
  template <class Other>
  void see_one(const Other&, Wall) {}

  void split_off(const Job& part);
  void check_dependencies(const Job& job, const std::vector<Dependency>& before, Wall at);
  std::vector<Dependency> dependencies_of(const Job& job) const;
  // Returns what the rows show of one dependency of the job. If the job's row stands for several
  // tasks of an array, all of them count.
  Fate fate_of(const Job& job, const Dependency& term, Wall at) const;
  Fate fate_of_whole(const Job& job, Wall at) const;
  Fate fate_by_name(const Job& job, JobId older_than) const;
  std::vector<const Job*> awaited_by(const Job& job, const Dependency& term) const;
  Wall may_follow(const std::vector<const Job*>& awaited, const Dependency& term) const;
  bool waits_for_requeued(const Job& job) const;
  bool is_decided(const Job& job, const Dependency& term, Wall at) const;
  void violated(const Job& job, const std::string& what) {
    scene_.story.violated(text_of(job.id) + " " + what);
  }

  Scene& scene_;
  const Books& books_;
  std::map<JobId, Wall> begun_;       // when each job first began, or ended without having begun
  std::map<JobId, int> fired_;        // how often the job's dependencies were reported as met
  std::set<JobId> requeued_by_user_;  // jobs that a user requeued after their end
  std::map<JobId, Milliseconds> overdue_since_;
};

}  // namespace cox::sim
