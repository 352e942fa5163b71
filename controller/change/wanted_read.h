// A question that only the store can answer, and who waits for the answer. A reaction asks it
// (Reaction::reads); the turn's owner passes it on and replies (controller_reads.cpp).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <variant>

#include "controller/change/event.h"

namespace cox {

// A job, a task of the array with this id, or several tasks of it: exactly those of one row.
struct JobMeant {
  JobId job;
  std::int64_t task = -1;
  std::string tasks = {};
};

struct HistoryWanted {
  JobMeant of;
  std::int64_t after_sequence = 0;
  bool whole_array = false;  // of all tasks of the array
};

struct JobWanted {
  JobMeant of;
  std::shared_ptr<PeerMessage> worker =
      {};  // who asks, if only jobs of its node may be shown to it
};

struct LogWanted {
  JobMeant of;
  LocateLog log;
};

// What has become of a submission that came before, under the same request id.
struct SubmissionWanted {
  std::int64_t jobs_asked = 0;  // 0: it was of one job, by itself
};

// A job that ended long ago, on which one that is submitted or changed depends. The request is
// judged again once it is known.
struct RecallWanted {
  JobId job;
  std::shared_ptr<PeerMessage> again;
};

struct WantedRead {
  PeerName peer;
  std::int64_t number = 0;  // of the request
  std::variant<HistoryWanted, JobWanted, LogWanted, SubmissionWanted, RecallWanted, ListAccounting>
      what;
};

// Whom it is about; JobId{}: no single job.
JobId job_of(const WantedRead& read);

}  // namespace cox
