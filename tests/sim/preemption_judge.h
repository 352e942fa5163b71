// Between tiers the preemption budget of a job is a price, and never a bar: a job of a higher tier
// does not wait where it would have room if the budgets of jobs of lower tiers were not spent. The
// judge looks only at waiting jobs that nothing but room keeps from starting.
#pragma once

#include <cstdint>

#include "controller/cluster.h"
#include "tests/sim/books.h"
#include "tests/sim/scene.h"

namespace cox::sim {

class PreemptionJudge {
 public:
  PreemptionJudge(Scene& scene, const Books& books);

  // The leader has no turn in flight. Called several times a second.
  void leader_rests(const Cluster& cluster);

 private:
  struct Free {  // on one node
    std::int64_t cpus = 0;
    std::int64_t memory_mb = 0;
    std::int64_t gpus = 0;
  };

  const Job* barred_job(const Cluster& cluster) const;
  bool lacks_only_room(const Job& job) const;
  bool is_free_of_limits(const JobSpec& spec) const;
  bool is_first_in_queue(const Job& job) const;
  bool nothing_is_on_its_way() const;
  bool is_budget_spent(JobId id) const;
  bool may_be_preempted(const Attempt& attempt, std::int32_t for_tier) const;
  // Returns how many nodes the job fits on once victims are gone, be their budgets spent or not.
  std::int64_t nodes_with_room(const Job& job, const Cluster& cluster, bool though_spent) const;
  Free free_on(const Node& node, std::int32_t for_tier, bool though_spent) const;
  std::int32_t tier_of(const Job& job) const { return books_.qos.at(job.spec->qos).tier; }

  Scene& scene_;
  const Books& books_;
  bool is_measured_;
  Milliseconds looked_{0};
  JobId waiting_;  // the job that was barred when the judge looked last
  Milliseconds waited_{0};
};

}  // namespace cox::sim
