// Clients that submit jobs: each has a connection with one request in flight. All run in one
// thread. The scenarios use them.
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

  // Sends requests until `requests` have been answered. Each client sends its next request as soon
  // as its last one is answered. Returns the milliseconds that each took, in the order of the
  // replies. A refusal ends the program.
  std::vector<double> run(std::int64_t requests,
                          const std::function<decltype(Request::body)()>& next);

  // Sends one request of the first client, and returns the reply.
  decltype(Reply::body) ask(decltype(Request::body) question);

  // Waits until the controller has no queued and no running job.
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

// Returns a gang job of one task that runs `command`, with output to /dev/null and a small
// environment.
SubmitJob small_job(std::vector<std::string> command);
// Returns a job like that of small_job(), but with a batch script that does nothing.
SubmitJob script_job();
// Returns a request with `count` copies of the job.
SubmitJobs bulk_of(const SubmitJob& one, std::int64_t count);

}  // namespace cox::bench
