// The store's reads for requests: histories, accounting, jobs that are no longer in memory. They
// use a connection of their own, so that a long listing delays no turn. Reads run one at a time, in
// order. If the connection is lost, it is opened again and the read is repeated. Used only by
// PostgresStore, which polls it when its socket is ready or wake_at() has come; it starts no
// thread.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "controller/change/store.h"
#include "controller/io/postgres/pg_connection.h"
#include "controller/io/postgres/pg_queries.h"

namespace cox {

struct ReadHistory {
  JobId job;
  std::int64_t after_sequence = 0;
};
struct ReadArrayHistory {
  JobId array;
  std::int64_t after_sequence = 0;
};
struct ReadJob {
  JobId job;
  bool and_rows = false;  // also read all rows of the array with this id
};
struct ReadTask {  // reads the id of the task's row, and is then replaced by a ReadJob of that row
  JobId array;
  std::int64_t task = 0;
};
// Reads the id of the job with this request id, and is then replaced by a ReadJob of that job.
struct ReadRequest {
  std::string request_id;
};
struct ReadAccounting {
  ListAccounting ask;
};
// The second half of a ReadAccounting: its jobs are read, and now their runs and steps are.
struct ReadRuns {
  ListAccounting ask;
  std::vector<JobRecord> jobs;
};
struct ReadQos {};
struct ReadRequests {};
struct PgRead {
  std::int64_t ticket = 0;
  std::variant<ReadHistory, ReadArrayHistory, ReadJob, ReadTask, ReadRequest, ReadAccounting,
               ReadRuns, ReadQos, ReadRequests>
      what;
};

class PgReader {
 public:
  explicit PgReader(PgServers& servers) : connection_(servers, store_query_names()) {}

  void ask(PgRead read) { waiting_.push_back(std::move(read)); }
  std::vector<StoreEvent> poll(Boot now);
  const PgConnection& connection() const { return connection_; }
  std::optional<Boot> wake_at() const;

 private:
  std::optional<StoreEvent> on_answer(PgAnswer answer, Boot now);
  std::optional<StoreEvent> on_rows(const PgRead& read, const std::vector<PgRows>& rows);
  std::optional<StoreEvent> give_up_or_repeat(const std::string& message);

  PgConnection connection_;
  Backoff backoff_ = connection_backoff();
  // In order; while the connection is busy, the first one is being read.
  std::deque<PgRead> waiting_;
  int refusals_ = 0;  // how many times the database has refused the first read
};

}  // namespace cox
