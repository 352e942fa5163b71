// The reads of the store: histories and jobs that memory has forgotten, on a connection of their
// own, so that a long listing holds up no turn. One at a time, in order; a connection that dies is
// made again and the read repeated. Used by PostgresStore alone, and passive like its connection.
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
  bool and_rows = false;  // of the array with this id
};
struct ReadTask {  // becomes a ReadJob, as the next
  JobId array;
  std::int64_t task = 0;
};
struct ReadRequest {  // becomes a ReadJob once the job is known
  std::string request_id;
};
struct ReadAccounting {
  ListAccounting ask;
};
struct ReadRuns {  // what a ReadAccounting becomes once its jobs are known
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
  std::deque<PgRead> waiting_;  // the first is being read when the connection is busy
  int refusals_ = 0;            // of the first one
};

}  // namespace cox
