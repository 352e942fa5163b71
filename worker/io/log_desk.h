// Answers `cox logs`: clients ask the worker of the node for {job, attempt, rank, stream} and never
// for a path. The worker knows the file and its user from what it launched; of an attempt whose
// folder is gone it asks the controller. A process of that user reads the file (log_readers.h).
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

  // controller: how the worker reaches it. A connection of the desk's own keeps these questions
  // from coming between heartbeats and their answers.
  LogDesk(const WorkerConfig& config, Connection::Options controller, const Processes& processes);

  void add_to(Poller& poller);
  void ask(const PeerId& peer, std::int64_t number, const ReadLog& ask, Boot now);
  // Does what is due. Call it in every round.
  std::vector<Answer> work(Boot now);

 private:
  struct Waiting {  // for what the controller knows of the attempt
    PeerId peer;
    std::int64_t number = 0;
    ReadLog ask;
    Boot since{};
  };

  void look_up(AttemptKey key);
  void remember(AttemptKey key, AttemptOutput output);
  void read(const PeerId& peer, std::int64_t number, ReadLog ask, Boot now);
  void refuse(const PeerId& peer, std::int64_t number, Refused why);
  void ask_controller(Boot now);
  void hear_controller(Boot now);
  void take_job(const Reply& reply, Boot now);
  void give_up(Boot now);

  std::string node_;
  Connection::Options controller_;
  const Processes& processes_;
  LogReaders readers_;
  std::map<AttemptKey, AttemptOutput> known_;
  std::vector<Waiting> waiting_;
  std::map<std::int64_t, std::pair<PeerId, std::int64_t>> reading_;  // by ticket
  std::int64_t next_ticket_ = 1;
  Poller* poller_ = nullptr;
  std::unique_ptr<Connection> connection_;  // only while something is asked
  std::optional<JobId> asked_job_;
  std::int64_t question_ = 0;  // number of the newest
  Boot asked_{};
  std::vector<Answer> answers_;
};

}  // namespace cox
