// The crontabs of all users in the controller's memory, and the current job of each line. Part of
// Cluster, which updates it when changes are applied. Pure.
//
// cron.h handles the requests of users and submits the next job of a line.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "controller/change/change.h"

namespace cox {

class Crontabs {
 public:
  Crontabs() = default;
  Crontabs(std::vector<Crontab> crontabs, std::vector<CronLine> lines);

  void apply(const CrontabPut& change);
  void apply(const CrontabRemoved& change);
  void apply(const CronLinePut& change);
  void apply(const CronLineRemoved& change);

  const Crontab* of(std::uint32_t uid) const;                  // null: no crontab
  const Crontab* of_user(const std::string& user_name) const;  // null: no crontab
  std::vector<CronLine> lines_of(std::uint32_t uid) const;     // in text order
  const std::map<CronLineKey, CronLine>& lines() const { return lines_; }
  // Returns the line whose current job this is; null: there is none.
  const CronLine* line_of(JobId job) const;

 private:
  std::map<std::uint32_t, Crontab> crontabs_;
  std::map<CronLineKey, CronLine> lines_;
  std::map<JobId, CronLineKey> by_job_;
};

}  // namespace cox
