#include "controller/change/crontabs.h"

#include <algorithm>

#include "common/base/check.h"

namespace cox {

Crontabs::Crontabs(std::vector<Crontab> crontabs, std::vector<CronLine> lines) {
  for (Crontab& one : crontabs) crontabs_[one.uid] = std::move(one);
  for (CronLine& line : lines) {
    by_job_[line.job] = key_of(line);
    lines_[key_of(line)] = std::move(line);
  }
}

void Crontabs::apply(const CrontabPut& change) {
  crontabs_[change.crontab.uid] = change.crontab;
}

void Crontabs::apply(const CrontabRemoved& change) {
  CHECK(lines_of(change.uid).empty());
  CHECK(crontabs_.erase(change.uid) == 1);
}

void Crontabs::apply(const CronLinePut& change) {
  CHECK(crontabs_.contains(change.line.uid));
  const CronLineKey key = key_of(change.line);
  if (const auto before = lines_.find(key); before != lines_.end())
    by_job_.erase(before->second.job);
  lines_[key] = change.line;
  CHECK(by_job_.emplace(change.line.job, key).second);
}

void Crontabs::apply(const CronLineRemoved& change) {
  const auto gone = lines_.find(change.key);
  CHECK(gone != lines_.end());
  by_job_.erase(gone->second.job);
  lines_.erase(gone);
}

const Crontab* Crontabs::of(std::uint32_t uid) const {
  const auto at = crontabs_.find(uid);
  return at == crontabs_.end() ? nullptr : &at->second;
}

const Crontab* Crontabs::of_user(const std::string& user_name) const {
  const auto at = std::ranges::find_if(
      crontabs_, [&](const auto& each) { return each.second.user_name == user_name; });
  return at == crontabs_.end() ? nullptr : &at->second;
}

std::vector<CronLine> Crontabs::lines_of(std::uint32_t uid) const {
  std::vector<CronLine> lines;
  for (auto at = lines_.lower_bound({uid, 0}); at != lines_.end() && at->first.first == uid; ++at)
    lines.push_back(at->second);
  return lines;
}

const CronLine* Crontabs::line_of(JobId job) const {
  const auto at = by_job_.find(job);
  return at == by_job_.end() ? nullptr : &lines_.at(at->second);
}

}  // namespace cox
