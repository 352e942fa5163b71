// A read of rows that only the store has, and the peer that waits for the reply. A reaction
// requests it (Reaction::reads); controller_reads.cpp passes it to the store and replies.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <variant>

#include "controller/change/event.h"

namespace cox {

// Names a job by its id; or a task of the array with this id; or several tasks of the array that
// are one row.
struct JobSelector {
  JobId job;
  std::int64_t task = -1;
  std::string tasks = {};
};

struct HistoryWanted {
  JobSelector of;
  std::int64_t after_sequence = 0;
  bool whole_array = false;  // the history of all tasks of the array, not only of one row
};

struct JobWanted {
  JobSelector of;
  // Set if a worker asks for the job: its request. A worker may see only jobs of its node.
  std::shared_ptr<PeerMessage> worker = {};
};

struct LogWanted {
  JobSelector of;
  LocateLog log;
};

// The reply to a submission that an earlier one with the same request id has carried out.
struct SubmissionWanted {
  std::int64_t jobs_asked = 0;  // 0: a SubmitJob; else the number of jobs of a SubmitJobs
};

// A job that has left memory, and on which a job that is submitted or changed depends. The request
// (`again`) is handled again once the job has been read.
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

// Returns the job that the read is about; JobId{}: no single job.
JobId job_of(const WantedRead& read);

}  // namespace cox
