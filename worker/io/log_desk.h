// Answers `cox logs`. Clients send {job, attempt, rank, stream} to the worker of the node, never a
// path. The file and its user follow from the attempt's launch file; if that is gone, from the
// controller's reply to ShowJob. A process of that user reads the file (log_readers.h).
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/base/time.h"
#include "common/cluster/config.h"
#include "common/io/link.h"
#include "worker/attempt_output.h"
#include "worker/io/log_readers.h"
#include "worker/io/processes.h"

namespace cox {

class LogDesk {
 public:
  struct Answer {
    PeerId peer;
    Reply reply;
  };

  // `controller`: how to connect to the controller. The desk has its own connection, so that its
  // requests do not delay heartbeats.
  LogDesk(const WorkerConfig& config, Connection::Options controller, const Processes& processes);

  void add_to(Poller& poller);
  void ask(const PeerId& peer, std::int64_t number, const ReadLog& ask, Boot now);
  // Does the work that is due, without blocking, and returns finished answers. The worker's loop
  // calls it in every round.
  std::vector<Answer> work(Boot now);

 private:
  struct Waiting {  // a request that waits for the controller's record of the job
    PeerId peer;
    std::int64_t number = 0;
    ReadLog ask;
    Boot since{};
  };

  void look_up(AttemptKey key);
  void remember(AttemptKey key, AttemptOutput output);
  void read(const PeerId& peer, std::int64_t number, ReadLog ask, Boot now);
  void refuse(const PeerId& peer, std::int64_t number, Refused why);
  void request_job(Boot now);
  void receive_from_controller(Boot now);
  void take_job(const Reply& reply, Boot now);
  void refuse_overdue(Boot now);

  std::string node_;
  Connection::Options controller_;
  const Processes& processes_;
  LogReaders readers_;
  std::map<AttemptKey, AttemptOutput> outputs_;  // a cache, bounded
  std::vector<Waiting> waiting_;
  std::map<std::int64_t, std::pair<PeerId, std::int64_t>> reading_;  // by ticket
  std::int64_t next_ticket_ = 1;
  Poller* poller_ = nullptr;
  // Open while requests are sent to the controller, and 60 s longer.
  std::unique_ptr<Connection> connection_;
  std::optional<JobId> requested_job_;
  std::int64_t request_number_ = 0;  // number of the newest request to the controller
  Boot requested_at_{};
  std::vector<Answer> answers_;
};

}  // namespace cox
