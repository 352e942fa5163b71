// What clients ask of the output of ranks, and are answered: the controller knows where it is, the
// worker there has it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "common/base/ids.h"
#include "common/job/attempt.h"

namespace cox {

// To a worker: a piece of one rank's output. Job, attempt, rank and stream name the file; the
// worker knows its path and reads it as the job's user.
struct ReadLog {
  static constexpr int tag = 59;
  AttemptKey key;
  std::int32_t rank = 0;
  bool error_stream = false;
  // From clients only for workers of the version before; a worker does not look at it. The worker
  // fills it in for the process that reads the file.
  std::string path;
  std::int64_t offset = 0;
  std::int64_t bytes_max = 0;
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.key, self.rank, self.error_stream, self.path, self.offset, self.bytes_max);
  }
};

struct LocateLog {
  static constexpr int tag = 60;
  JobId id;
  AttemptNumber attempt;  // 0: the newest
  std::int32_t rank = 0;
  bool error_stream = false;
  std::int64_t task = -1;  // as in ShowJob
  std::string tasks{};     // likewise
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.id, self.attempt, self.rank, self.error_stream, self.task, self.tasks);
  }
};

struct LogPlace {
  static constexpr int tag = 87;
  AttemptNumber attempt;
  std::string node;
  std::string endpoint;  // of its worker
  std::string key;       // CURVE public key (Z85); empty: none needed
  std::string path;      // the file, patterns filled in
  bool live = false;     // more may come
  std::int32_t ranks = 0;
  // The attempt's part of the file, in bytes. No end: the file's own.
  std::int64_t from = 0;
  std::optional<std::int64_t> to;
  JobId job;  // the one that was meant: a task of an array has its own id
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.attempt, self.node, self.endpoint, self.key, self.path, self.live, self.ranks,
          self.from, self.to, self.job);
  }
};

struct LogChunk {
  static constexpr int tag = 88;
  std::string data;
  std::int64_t next_offset = 0;
  bool missing = false;  // there is no such file yet
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.data, self.next_offset, self.missing);
  }
};

}  // namespace cox
