// Dependencies fire exactly once: a job starts only after what it depends on has happened, as it is
// committed; what it still waits for only ever gets less, by what has come; it ends for a
// dependency only when that can never come; and nobody is forgotten. What has happened the judge
// reads off the rows of the jobs that are depended on.
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

  void see(const Change& change, Wall at);  // before the books have it
  void goes_back_to(const DependencyJudge& then);
  // A turn is through and none is under way.
  void comes_to_rest();

 private:
  enum class Fate { Open, Met, Never };

  void see_one(const JobAdded& change, Wall at);
  void see_one(const JobChanged& change, Wall at);
  void see_one(const AttemptAdded& change, Wall at);
  void see_one(const EventAdded& change, Wall at);
  template <class Other>
  void see_one(const Other&, Wall) {}

  void split_off(const Job& part);
  void judge_waits(const Job& job, const std::vector<Dependency>& before, Wall at);
  std::vector<Dependency> wish_of(const Job& job) const;
  // Of the job all that it stands for, if it is of an array.
  Fate fate_of(const Job& job, const Dependency& term, Wall at) const;
  Fate fate_of_whole(const Job& job, Wall at) const;
  Fate fate_by_name(const Job& job, JobId older_than) const;
  std::vector<const Job*> awaited_by(const Job& job, const Dependency& term) const;
  Wall may_follow(const std::vector<const Job*>& awaited, const Dependency& term) const;
  bool waits_for_one_wanted_again(const Job& job) const;
  bool is_decided(const Job& job, const Dependency& term, Wall at) const;
  void violated(const Job& job, const std::string& what) {
    scene_.story.violated(text_of(job.id) + " " + what);
  }

  Scene& scene_;
  const Books& books_;
  std::map<JobId, Wall> begun_;   // for the first time
  std::map<JobId, int> fired_;    // so often it was said
  std::set<JobId> wanted_again_;  // a person requeued them after their end
  std::map<JobId, Milliseconds> overdue_since_;
};

}  // namespace cox::sim
