// Loads the jobs of a controller that starts, in pieces, through the cursors of load_jobs and
// load_specs. Most of a row is the job's specification, and many jobs have equal ones, so each is
// read once for all jobs with the same digest. Used by postgres_store.cpp, and by
// standby_job_reader.cpp to read ahead: after keep(), the next load reads only rows that have
// changed.
//
//   begin() ─▶ begun() ─▶ go_on() … false ─▶ jobs() | keep() ─▶ begin() …
//
// Changed rows are found by the number of the transaction that wrote them (xmin). On another
// timeline the numbers mean nothing, so all rows are read. Kept rows that were deleted since, or
// whose jobs ended before `ended_since`, are not found in this way. So the database also counts the
// jobs; if the count differs, all rows are read.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "common/job/job.h"
#include "controller/io/postgres/pg_connection.h"

namespace cox {

class PgJobLoad {
 public:
  // Begins a load of the jobs that have not ended, or that ended at `ended_since` or later. Returns
  // the statements that open the load; the caller runs them last in a transaction with one
  // snapshot. Forgets what an earlier load has read and not kept. `timeline`: of the connection.
  std::vector<PgStatement> begin(Wall ended_since, std::int64_t timeline);
  // Takes the rows that the first statement of begin() has returned.
  void begun(const PgRows& counted);
  // Runs the next statements of the load. Returns false if there are none: all jobs are read.
  bool go_on(PgConnection& connection, Boot now);

  // Returns the jobs that have an attempt and have not ended before `ended_since`, sorted.
  std::vector<JobId> that_ran() const;
  std::vector<Job> jobs() &&;  // returns the jobs that the load has read, sorted by id
  void keep();                 // keeps the jobs that this load has read, for the next load
  std::size_t kept() const { return kept_.size(); }  // number of jobs

 private:
  using Group = std::size_t;  // index in groups_; a group is the jobs with equal specifications
  struct Row {
    Job job;
    Group group = 0;
  };
  struct SpecGroup {
    JobId first;  // the job whose row the specification is read from
    std::optional<Shared<ParsedSpec>> spec;
  };
  enum class Step { Jobs, Specs };

  void forget();
  void drop_unkept();
  void fetch(PgConnection& connection, Boot now);
  void take(const PgRows& rows);
  void take_specs(const PgRows& rows);
  bool is_complete();
  bool is_past(const Job& job) const { return job.ended != Wall{} && job.ended < ended_since_; }
  bool is_current(const Row& kept) const;
  std::vector<Row*> by_id();
  Group group_of(std::uint32_t uid, std::string digest, JobId id);

  // What keep() has kept of the last load.
  std::vector<Row> kept_;
  std::size_t groups_kept_ = 0;
  std::int64_t timeline_ = 0;
  // The number of the oldest transaction whose changes kept_ may lack: rows that it or a later one
  // has written are read again. Empty: nothing is kept.
  std::string lacks_;
  Wall kept_since_{};  // `ended_since` of the load that was kept

  // State of the load in progress.
  Step step_ = Step::Jobs;
  Wall ended_since_{};
  std::int64_t count_ = 0;
  std::string would_lack_;
  bool all_fetched_ = false;  // the cursor has no more rows
  std::vector<Row> fresh_;
  std::vector<JobId> fresh_ids_;  // sorted

  std::vector<SpecGroup> groups_;
  std::map<std::pair<std::uint32_t, std::string>, Group> known_;
  // Key: the id of the group's first job, whose specification is still to be read.
  std::unordered_map<std::int64_t, Group> wanted_;
};

}  // namespace cox
