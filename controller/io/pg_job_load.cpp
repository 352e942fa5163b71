#include "controller/io/pg_job_load.h"

#include <algorithm>

#include "controller/io/pg_records.h"

namespace cox {

void PgJobLoad::take(const PgRows& rows) {
  for (JobOfDigest& one : jobs_of_digests_from(rows)) {
    groups_.push_back(group_of(one.uid, std::move(one.spec_digest), one.job.id));
    jobs_.push_back(std::move(one.job));
  }
}

PgJobLoad::Group PgJobLoad::group_of(std::uint32_t uid, std::string digest, JobId id) {
  const Group next = first_.size();
  const bool is_alone = digest.empty();  // its specification has been changed by hand, or is old
  const Group group =
      is_alone ? next : known_.try_emplace({uid, std::move(digest)}, next).first->second;
  if (group == next) first_.push_back(id);
  return group;
}

void PgJobLoad::take_specs(const PgRows& rows) {
  for (Job& job : jobs_from(rows)) specs_.emplace(job.id.value, std::move(job.spec));
}

std::vector<JobId> PgJobLoad::that_ran(Wall ended_since) const {
  std::vector<JobId> ran;
  for (const Job& job : jobs_)
    if (job.attempt.value > 0 && (!is_final(job.state) || job.ended >= ended_since))
      ran.push_back(job.id);
  return ran;
}

std::vector<Job> PgJobLoad::jobs() && {
  std::vector<std::pair<JobId, std::size_t>> order;
  order.reserve(jobs_.size());
  for (std::size_t i = 0; i < jobs_.size(); ++i) order.emplace_back(jobs_[i].id, i);
  std::ranges::sort(order);
  std::vector<Job> sorted;
  sorted.reserve(jobs_.size());
  for (const auto& [id, i] : order) {
    sorted.push_back(std::move(jobs_[i]));
    sorted.back().spec = specs_.at(first_[groups_[i]].value);
  }
  return sorted;
}

}  // namespace cox
