// Checks that limits are never exceeded. Whenever a job starts, the use under each limit that binds
// it is at most that limit. Lowering a limit below the use stops no job, but no other job starts
// until the use is below it again. Likewise checks the limits at submission, the number of running
// tasks of an array, and the hours of partitions.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tests/sim/books.h"
#include "tests/sim/scene.h"
#include "tests/sim/usage_judge.h"

namespace cox::sim {

class LimitsJudge {
 public:
  LimitsJudge(Scene& scene, const Books& books, const UsageJudge& usage)
      : scene_(scene), books_(books), usage_(usage) {}

  void see(const Change& change, Wall at);  // call it after Books::fold(change)

 private:
  // A limit that binds a job, as it is now.
  struct Bound {
    std::string owner;  // owner and name of the limit: "QOS standard: GrpTRES"
    TresCount most;
    // true: limits the decayed usage plus what the running jobs will use up to their time limits;
    // false: limits what is in use now.
    bool timed = false;
    // The limit counts the jobs of this association and of all below it.
    const Association* account = nullptr;
    std::string qos;  // if there is no account: the limit counts the jobs of this QOS
  };
  using Bounds = std::vector<Bound>;

  void submitted(const Job& job);
  void check_size(const std::string& owner, const TresList& most,
                  const std::optional<std::int64_t>& most_s, const JobSpec& spec);
  void check_submitted(const std::string& owner, const std::optional<std::int64_t>& most,
                       const JobSpec& spec, const Qos* qos, bool of_user,
                       const Association* association);
  void started(const Attempt& attempt, Wall at);
  void check_array(const Job& job);
  void check_partition(const Attempt& attempt, const Job& job, Wall at);
  void check_bound(const Bound& bound, const Attempt& attempt, Wall at);

  Bounds bounds_of(const Attempt& attempt, Wall at) const;
  void add_qos(Bounds& bounds, const Qos& qos, const JobSpec& spec) const;
  void add_associations(Bounds& bounds, const std::vector<const Qos*>& binding, const JobSpec& spec,
                        const std::set<std::string>& open) const;
  void add_quotas(Bounds& bounds, const Attempt& attempt, const JobSpec& spec,
                  const std::set<std::string>& open) const;
  std::int64_t quota_of(const Association& account, const TresCount& resource,
                        const std::set<std::string>& open) const;
  std::int64_t count_of(const Bound& bound, const Attempt& attempt) const;
  std::int64_t count_on_node(const TresCount& what, const JobSpec* spec,
                             const NodeGrant& grant) const;
  const JobSpec& spec_of(const Attempt& attempt) const {
    return *books_.jobs.at(attempt.key.job).spec;
  }

  Scene& scene_;
  const Books& books_;
  const UsageJudge& usage_;
};

}  // namespace cox::sim
