// The crontabs of all users in the controller's memory, and which job stands for which line. Part
// of Cluster, which changes it as changes are applied. Pure.
//
// What people do with crontabs, and how a line's next job comes, is in cron.h.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "controller/change.h"

namespace cox {

class Crontabs {
 public:
  Crontabs() = default;
  Crontabs(std::vector<Crontab> crontabs, std::vector<CronLine> lines);

  void apply(const CrontabPut& change);
  void apply(const CrontabRemoved& change);
  void apply(const CronLinePut& change);
  void apply(const CronLineRemoved& change);

  const Crontab* of(std::uint32_t uid) const;                  // null: the user has none
  const Crontab* of_user(const std::string& user_name) const;  // likewise
  std::vector<CronLine> lines_of(std::uint32_t uid) const;     // in the order of the text
  const std::map<CronLineKey, CronLine>& lines() const { return lines_; }
  const CronLine* line_of(JobId job) const;  // null: it stands for none

 private:
  std::map<std::uint32_t, Crontab> crontabs_;
  std::map<CronLineKey, CronLine> lines_;
  std::map<JobId, CronLineKey> by_job_;
};

}  // namespace cox
