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
  // What a job counts against while it runs: the same list for all of a user in a QOS.
  const Shared<schedule::Limits>& of(const Qos& qos, const std::string& user);
  // The same, and so many tasks of an array at once.
  const Shared<schedule::Limits>& of_array(const Shared<schedule::Limits>& limits, JobId array,
                                           std::int64_t tasks_most);
  // A QOS has changed: lists handed out are as it was.
  void forget_lists() {
    lists_.clear();
    array_lists_.clear();
  }
  void forget_array(JobId array) { array_lists_.erase(array); }

  // REQUIRES: one of a list handed out.
  schedule::LimitName name_of(const schedule::Limit& limit) const;

  // Jobs that wait or run.
  void count_submitted(const JobSpec& spec, std::int64_t by);
  std::int64_t submitted(const std::string& qos) const;
  std::int64_t submitted(const std::string& qos, const std::string& user) const;

 private:
  struct Owner {
    std::string qos;
    std::string user;  // empty: all of them
    JobId array{};     // else a limit of this array alone
  };
  struct OfArray {
    Shared<schedule::Limits> limits;  // of its QOS
    std::int64_t tasks_most = 0;
    Shared<schedule::Limits> list;
  };
  void add(schedule::Limits& list, const Owner& owner, TresCount most);

  std::map<std::pair<std::string, std::string>, Shared<schedule::Limits>> lists_;
  std::map<JobId, OfArray> array_lists_;
  std::map<std::tuple<std::string, std::string, std::string, JobId>, std::int32_t> ids_;
  std::vector<Owner> owners_;                                              // by id
  std::map<std::pair<std::string, std::string>, std::int64_t> submitted_;  // user empty: of all
};

// Whether a job of this size may ever run in the QOS, and whether there may be so many more of it.
// REQUIRES: its size and time limit are settled.
Failure check_qos_limits(const Qos& qos, const JobSpec& spec);
Failure check_submit_limits(const Qos& qos, const QosLimitsInUse& in_use, const JobSpec& spec,
                            std::int64_t more);

}  // namespace cox
