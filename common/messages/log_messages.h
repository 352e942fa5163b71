// The requests of clients about the output of ranks, and the replies. The controller returns which
// node has the output; the worker there reads it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "common/base/fields.h"
#include "common/base/ids.h"
#include "common/job/attempt.h"

namespace cox {

// Reads a part of the output of one rank. Sent to the worker of the node that LogPlace names. Job,
// attempt, rank and stream determine the file, and the worker reads it as the job's user.
struct ReadLog {
  static constexpr int tag = 59;
  AttemptKey key;
  std::int32_t rank = 0;
  bool error_stream = false;
  // A client sets the path only for a worker of the previous version; other workers ignore it. The
  // worker sets it for its child process that reads the file.
  std::string path;
  std::int64_t offset = 0;
  std::int64_t bytes_max = 0;
  COX_FIELDS(key, rank, error_stream, path, offset, bytes_max);
};

struct LocateLog {
  static constexpr int tag = 60;
  JobId id;
  AttemptNumber attempt;  // 0: the newest
  std::int32_t rank = 0;
  bool error_stream = false;
  std::int64_t task = -1;  // as in ShowJob
  std::string tasks{};     // likewise
  COX_FIELDS(id, attempt, rank, error_stream, task, tasks);
};

struct LogPlace {
  static constexpr int tag = 87;
  AttemptNumber attempt;
  std::string node;
  std::string endpoint;  // of its worker
  std::string key;    // CURVE public key (Z85) of the endpoint; empty: it is local and needs none
  std::string path;   // path of the output file
  bool live = false;  // the attempt still runs, so the file may grow
  std::int32_t ranks = 0;
  // Where the attempt's part of the file begins and ends, in bytes. Without `to` it ends with the
  // file.
  std::int64_t from = 0;
  std::optional<std::int64_t> to;
  JobId job;  // the job of the request; for a task of an array, the task's own id
  COX_FIELDS(attempt, node, endpoint, key, path, live, ranks, from, to, job);
};

struct LogChunk {
  static constexpr int tag = 88;
  std::string data;
  std::int64_t next_offset = 0;
  bool missing = false;  // there is no such file yet
  COX_FIELDS(data, next_offset, missing);
};

}  // namespace cox
