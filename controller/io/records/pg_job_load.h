// The jobs of a controller that starts, as load_jobs and load_specs hand them out in pieces. Many
// ask for the same as others, which is most of what a row holds: it is read once for all that have
// one digest of it. For postgres_store.cpp, and for standby_job_reader.cpp, which reads them before
// they are wanted: then only the rows that have changed since are read again.
//
//   begin() ─▶ begun() ─▶ go_on() … false ─▶ jobs() | keep() ─▶ begin() …
//
// A row is known to be as it was by the number of the transaction that wrote it. Such numbers say
// nothing on another timeline. Rows that are gone, and those that no longer count, leave none
// behind: so what is kept is counted too, and if the count is wrong all is read.
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
  // What begins it, in a transaction that sees one picture: the last statements of a run. What was
  // read before and not kept is forgotten. `timeline`: of the connection.
  std::vector<PgStatement> begin(Wall ended_since, std::int64_t timeline);
  void begun(const PgRows& counted);  // of the first of them
  // Runs what comes next; false: there is nothing, and all of it is there.
  bool go_on(PgConnection& connection, Boot now);

  // Have attempts, and not ended or not before then.
  std::vector<JobId> that_ran() const;
  std::vector<Job> jobs() &&;  // by id
  void keep();
  std::size_t kept() const { return kept_.size(); }  // jobs

 private:
  using Group = std::size_t;  // of those that ask for the same
  struct Row {
    Job job;
    Group group = 0;
  };
  struct Asked {
    JobId first;  // whose row has it
    std::optional<Shared<JobSpec>> spec;
  };
  enum class Step { Jobs, Specs };

  void forget();
  void drop_unkept();
  void fetch(PgConnection& connection, Boot now);
  void take(const PgRows& rows);
  void take_specs(const PgRows& rows);
  bool is_complete();
  bool is_past(const Job& job) const { return job.ended != Wall{} && job.ended < ended_since_; }
  bool stands(const Row& kept) const;
  std::vector<Row*> by_id();
  Group group_of(std::uint32_t uid, std::string digest, JobId id);

  // Kept, as a picture showed them.
  std::vector<Row> kept_;
  std::size_t groups_kept_ = 0;
  std::int64_t timeline_ = 0;
  std::string lacks_;  // from which transaction on; empty: nothing is kept
  Wall kept_since_{};  // of what has ended

  // Being read.
  Step step_ = Step::Jobs;
  Wall ended_since_{};
  std::int64_t count_ = 0;
  std::string would_lack_;
  bool all_fetched_ = false;  // what the cursor reads
  std::vector<Row> fresh_;
  std::vector<JobId> fresh_ids_;  // by id

  std::vector<Asked> groups_;
  std::map<std::pair<std::uint32_t, std::string>, Group> known_;
  std::unordered_map<std::int64_t, Group> wanted_;  // by the id of the first
};

}  // namespace cox
