// Clients of a controller: connections that submit, one request in flight each, all in one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "common/cluster/config.h"
#include "common/io/link.h"

namespace cox::bench {

class Submitters {
 public:
  Submitters(const ClientConfig& config, int clients);

  // Every client sends its next request as soon as its last is answered, until `requests` have been
  // answered. A refusal ends the program. Milliseconds of each, in the order of the answers.
  std::vector<double> run(std::int64_t requests,
                          const std::function<decltype(Request::body)()>& next);

  // One exchange of the first client.
  decltype(Reply::body) ask(decltype(Request::body) question);

  // Until the controller counts no job that waits or runs.
  void wait_until_idle();
  void wait_until_ended(JobId id);

 private:
  struct Client {
    std::unique_ptr<Connection> connection;
    std::int64_t sent_ns = 0;
    std::int64_t number = 0;
  };
  bool take(Client& client, decltype(Reply::body)& body);
  void wait(Milliseconds time);
  void send(Client& client, decltype(Request::body) question);

  std::unique_ptr<Poller> poller_;
  std::vector<Client> clients_;
  std::int64_t numbers_ = 0;
};

// A gang job of one task: `command`, output nowhere, a small environment.
SubmitJob small_job(std::vector<std::string> command);
// The same as a batch script that does nothing.
SubmitJob script_job();
// So many of it in one request.
SubmitJobs bulk_of(const SubmitJob& one, std::int64_t count);

}  // namespace cox::bench
