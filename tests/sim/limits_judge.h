// Limits are never exceeded: whenever a job starts, what then runs under each limit that binds it
// is no more than the limit is at that moment. Whoever lowers a limit below what runs stops nobody;
// nobody else starts until it is above again. Likewise what waits or runs when a job is submitted,
// the tasks of an array that run at once, and the hours of partitions.
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

  void see(const Change& change, Wall at);  // the books have it

 private:
  // A limit that binds a job, as it is now.
  struct Bound {
    std::string owner;  // whose, and which of his: "QOS standard: GrpTRES"
    TresCount most;
    // Of what was used lately besides, until their time limits; else of what runs.
    bool timed = false;
    const Association* account = nullptr;  // whose use of late counts
    std::string qos;                       // or of which tier
  };
  using Bounds = std::vector<Bound>;

  void submitted(const Job& job);
  void judge_size(const std::string& owner, const TresList& most,
                  const std::optional<std::int64_t>& most_s, const JobSpec& spec);
  void judge_submitted(const std::string& owner, const std::optional<std::int64_t>& most,
                       const JobSpec& spec, const Qos* qos, bool of_user,
                       const Association* association);
  void started(const Attempt& attempt, Wall at);
  void judge_array(const Job& job);
  void judge_partition(const Attempt& attempt, const Job& job, Wall at);
  void judge_bound(const Bound& bound, const Attempt& attempt, Wall at);

  Bounds bounds_of(const Attempt& attempt, Wall at) const;
  void add_qos(Bounds& bounds, const Qos& qos, const JobSpec& spec) const;
  void add_associations(Bounds& bounds, const std::vector<const Qos*>& binding, const JobSpec& spec,
                        const std::set<std::string>& open) const;
  void add_quotas(Bounds& bounds, const Attempt& attempt, const JobSpec& spec,
                  const std::set<std::string>& open) const;
  std::int64_t owed(const Association& account, const TresCount& thing,
                    const std::set<std::string>& open) const;
  std::int64_t count_of(const Bound& bound, const Attempt& attempt) const;
  std::int64_t count_on_node(const TresCount& what, const JobSpec* asked,
                             const NodeGrant& grant) const;
  const JobSpec& spec_of(const Attempt& attempt) const {
    return *books_.jobs.at(attempt.key.job).spec;
  }

  Scene& scene_;
  const Books& books_;
  const UsageJudge& usage_;
};

}  // namespace cox::sim
