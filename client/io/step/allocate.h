// An allocation, for salloc and srun: asked for, waited for and given back, over one connection.
// Signals come from the caller's signalfd: whoever is interrupted while it waits gives up its
// place.
#pragma once

#include <string>

#include "client/command.h"
#include "client/step/allocation.h"
#include "common/base/backoff.h"
#include "common/base/result.h"
#include "common/io/clock.h"
#include "common/io/link.h"

namespace cox {

// 128 + SIGINT, as shells count: the user interrupted the return of an allocation.
inline constexpr int exit_not_given_back = 130;

class Allocator {
 public:
  // `program`: whose name stands before what is said, "salloc" or "srun".
  Allocator(Poller& poller, Connection& controller, int signals, std::string program)
      : poller_(poller), controller_(controller), signals_(signals), program_(std::move(program)) {}

  // Until its nodes are ready. A Refusal: it was not given, and does not wait any more.
  Result<JobDetail> acquire(const AllocationPlan& plan);

  // What has become of it, at once when that has changed; nothing: nobody answers, or no news yet.
  std::optional<JobDetail> news(JobId id, std::int64_t known_change_count, Milliseconds wait);

  // Gives the allocation back. As long as it cannot be given back now, it tries again; the user may
  // interrupt that. Returns false if it was not given back, and says how to do so.
  [[nodiscard]] bool give_back(JobId id, std::int32_t exit_code, std::int32_t exit_signal);

  Result<std::string> cluster_name();
  // The user ended the wait for the allocation; the result was already printed.
  bool was_interrupted() const { return interrupted_; }

 private:
  std::optional<Answer> exchange(const Question& question, Milliseconds timeout, bool stop_early);
  bool is_interrupted();
  void pause(Milliseconds time);  // until a signal of the user's
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
  Backoff again_{Milliseconds{1'000}, Milliseconds{8'000}, random_seed()};

  // Beside those that srun's own questions bear on the same connection.
  static constexpr std::int64_t allocation_numbers = std::int64_t{1} << 40;
};

}  // namespace cox
