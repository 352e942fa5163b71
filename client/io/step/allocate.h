// Requests an allocation for salloc and srun, waits for it and gives it back, over one connection.
// Signals come from the caller's signalfd. If the user interrupts the wait, the request is
// cancelled.
#pragma once

#include <string>

#include "client/command.h"
#include "client/step/allocation.h"
#include "common/base/backoff.h"
#include "common/base/result.h"
#include "common/io/clock.h"
#include "common/io/link.h"

namespace cox {

// 128 + SIGINT: the exit code if the user interrupted salloc or srun while it gave the allocation
// back.
inline constexpr int exit_not_given_back = 130;

class Allocator {
 public:
  // `program` is the name in front of all messages: "salloc" or "srun".
  Allocator(Poller& poller, Connection& controller, int signals, std::string program)
      : poller_(poller), controller_(controller), signals_(signals), program_(std::move(program)) {}

  // Requests the allocation and waits until its nodes are ready. Returns a Refusal if it is not
  // granted; a job that was queued for it is then cancelled.
  Result<JobDetail> acquire(const AllocationPlan& plan);

  // Returns the state of the job as soon as it changes, or after `wait`. Nothing if the controller
  // does not answer.
  std::optional<JobDetail> wait_for_change(JobId id, std::int64_t known_change_count,
                                           Milliseconds wait);

  // Gives the allocation back. While the controller does not answer, it retries until the user
  // interrupts it. If the allocation was not given back, advises the user how to do so and returns
  // false.
  [[nodiscard]] bool give_back(JobId id, std::int32_t exit_code, std::int32_t exit_signal);

  Result<std::string> cluster_name();
  AddressOfNode addresses();  // of all nodes; empty: the controller does not answer
  // Returns whether the user ended the wait for the allocation. The user has then been informed of
  // the result.
  bool was_interrupted() const { return interrupted_; }

 private:
  std::optional<Answer> exchange(const Question& question, Milliseconds timeout, bool stop_early);
  bool is_interrupted();
  void pause(Milliseconds time);  // waits `time`, or until the user interrupts
  void say(const std::string& text) const;
  void complain(const std::string& text) const;
  Result<JobDetail> wait_for(const AllocationPlan& plan, JobId id);
  Refusal revoked(JobId id, std::string why);

  Poller& poller_;
  Connection& controller_;
  int signals_;
  std::string program_;
  bool quiet_ = false;
  bool interrupted_ = false;
  std::int64_t number_ = allocation_numbers;
  Backoff retry_{Milliseconds{1'000}, Milliseconds{8'000}, random_seed()};

  // First number of these requests, far from the numbers of srun's other requests on the same
  // connection.
  static constexpr std::int64_t allocation_numbers = std::int64_t{1} << 40;
};

}  // namespace cox
