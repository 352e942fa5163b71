// The program that the ranks of an attempt run: a gang that trains in steps. It may end in several
// manners, good and bad. Its ranks step together (a barrier) and agree on the step at which they
// save. Their machines may lose them at any moment.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "common/job/attempt.h"
#include "tests/sim/judge.h"
#include "tests/sim/scene.h"
#include "tests/sim/storage.h"

namespace cox::sim {

enum class Manner {
  SavesAndExits75,  // when asked to save, all ranks save the same step, report it and exit with 75
  SavesAndExits0,   // when asked to save, all ranks save the same step, report it and exit with 0
  // When asked to save, all ranks save the same step, and only exit code 75 reports it.
  ReportsByExit75,
  IgnoresSignals,
  RankDiesWhenAsked,
  RankExits0WhenAsked,
  AllExit0WhenAsked,  // when asked to save, all ranks exit with 0 as if the work were done
};

struct Behaviour {
  Manner manner = Manner::SavesAndExits75;
  std::int64_t steps = 20;
  Milliseconds step_time{500};
  std::int64_t save_every = 0;       // saves unasked after this number of training steps; 0: never
  std::int64_t fail_at = 0;          // rank 0 exits with 1 at this step; 0: never
  std::int64_t exit_75_at = 0;       // all ranks exit with 75 at this step, saved or not; 0: never
  bool fails_with_its_peers = true;  // false: the other ranks hang when one is lost
  // Rank 0 asks for a requeue of its job when it is asked to save, as submitit does; may be empty.
  std::function<void(JobId)> ask_for_requeue = {};
};

// The machine that a rank runs on.
class RankHost {
 public:
  virtual ~RankHost() = default;
  virtual void rank_exits(AttemptKey key, std::int32_t rank, std::int32_t code,
                          std::int32_t signal) = 0;
  virtual void rank_asks_to_save(AttemptKey key, std::int32_t rank, std::int64_t step) = 0;
};

class Gang {
 public:
  Gang(Scene& scene, Judge& judge, Storage& storage, Behaviour behaviour, const LaunchSpec& launch);

  void rank_started(std::int32_t rank, RankHost& host);
  void rank_signalled(std::int32_t rank, std::int32_t signal);
  void rank_killed(std::int32_t rank);  // killed from outside
  // still: the rank was stopped by SIGSTOP; otherwise it was continued
  void rank_frozen(std::int32_t rank, bool still);
  void save_answered(std::int32_t rank, bool saved);

 private:
  struct Rank {
    RankHost* host = nullptr;
    bool running = false;
    bool awaits_answer = false;
    bool stands = false;
    std::vector<std::function<void()>> held;  // what a stopped rank does when it continues
  };

  bool all_running() const;
  void do_when_it_runs(std::int32_t rank, std::function<void()> what);
  bool speaks(std::int32_t rank) const { return !rank0_speaks_ || rank == 0; }
  bool asks_to_save(std::int32_t signal) const;
  void step_later();
  void step();
  void save();
  void save_rank(std::int32_t rank);
  void settle_save();
  void asked_to_stop(std::int32_t rank);
  void exit_later(std::int32_t rank, std::int32_t code, std::int32_t signal, Milliseconds delay);
  void exit_now(std::int32_t rank, std::int32_t code, std::int32_t signal);
  void all_exit(std::int32_t code);
  void peers_notice();

  Scene& scene_;
  Judge& judge_;
  Storage& storage_;
  Behaviour behaviour_;
  AttemptKey key_;
  std::string identity_;         // of the job
  std::int32_t save_signal_;     // --checkpoint-signal; 0: none
  std::int32_t warning_signal_;  // --signal; 0: none
  bool is_only_warned_;          // --signal before the time limit is no request to stop
  bool rank0_speaks_;
  std::vector<Rank> ranks_;
  std::int64_t step_;
  bool stepping_ = false;  // all ranks have met once, and do training steps
  bool leaving_ = false;   // exits have begun
  bool save_wanted_ = false;
  bool saves_to_leave_ = false;
  bool save_failed_ = false;
};

}  // namespace cox::sim
