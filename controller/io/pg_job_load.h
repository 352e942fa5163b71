// The jobs of a controller that starts, as load_jobs and load_specs hand them out in pieces. Many
// ask for the same as others, which is most of what a row holds: it is read once for all that have
// one digest of it. For postgres_store.cpp.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "common/job.h"
#include "controller/io/pg_rows.h"

namespace cox {

class PgJobLoad {
 public:
  void take(const PgRows& rows);  // of fetch_jobs
  // Have attempts, and not ended or not before then.
  std::vector<JobId> that_ran(Wall ended_since) const;
  // Whose rows have what they all ask for: load_specs reads these.
  const std::vector<JobId>& specs_wanted() const { return first_; }
  void take_specs(const PgRows& rows);  // of fetch_specs
  // By id. REQUIRES: all of both has been taken.
  std::vector<Job> jobs() &&;

 private:
  using Group = std::size_t;  // of those that ask for the same
  Group group_of(std::uint32_t uid, std::string digest, JobId id);

  std::vector<Job> jobs_;
  std::vector<Group> groups_;  // of each of them
  std::map<std::pair<std::uint32_t, std::string>, Group> known_;
  std::vector<JobId> first_;                                 // by group
  std::unordered_map<std::int64_t, Shared<JobSpec>> specs_;  // by the id of the first
};

}  // namespace cox
