// The limits of QOS: as the engine counts them, as admission judges them, and in words. Cluster
// keeps one of these; it follows from the QOS and the jobs there are.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "common/job.h"
#include "common/qos.h"
#include "common/result.h"
#include "schedule/plan.h"

namespace cox {

class QosLimitsInUse {
 public:
  // What a job counts against while it runs: the same list for all of a user whom these QOS bind.
  const Shared<schedule::Limits>& of(const std::vector<const Qos*>& binding,
                                     const std::string& user);
  // A QOS has changed: lists handed out are as it was.
  void forget_lists() { lists_.clear(); }

  // REQUIRES: one of a list handed out.
  schedule::LimitName name_of(const schedule::Limit& limit) const;

  // Jobs that wait or run.
  void count_submitted(const std::string& qos, const std::string& user, std::int64_t by);
  std::int64_t submitted(const std::string& qos) const;
  std::int64_t submitted(const std::string& qos, const std::string& user) const;

 private:
  struct Owner {
    std::string qos;
    std::string user;  // empty: all of them
  };
  void add(schedule::Limits& list, const Owner& owner, TresCount most);

  void add(schedule::Limits& list, const Qos& qos, const std::string& user);

  std::map<std::pair<std::string, std::string>, Shared<schedule::Limits>> lists_;  // by QOS, user
  std::map<std::tuple<std::string, std::string, std::string>, std::int32_t> ids_;
  std::vector<Owner> owners_;                                              // by id
  std::map<std::pair<std::string, std::string>, std::int64_t> submitted_;  // user empty: of all
};

// Whether a job of this size may ever run in the QOS, and whether there may be so many more of it.
// REQUIRES: its size and time limit are settled.
Failure check_qos_limits(const Qos& qos, const JobSpec& spec);
Failure check_submit_limits(const Qos& qos, const QosLimitsInUse& in_use, const JobSpec& spec,
                            std::int64_t more);

}  // namespace cox
