// What runs as the ranks of an attempt: a training gang in steps, in many manners, good and bad.
// Its ranks step together (a barrier), agree on the step at which they save, and sit on machines
// that may lose them at any moment.
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
  SavesAndExits75,  // asked to save, all ranks save the same step, report and exit 75
  SavesAndExits0,   // likewise, but exit 0
  ReportsByExit75,  // likewise, and only the exit code says so
  IgnoresSignals,
  RankDiesWhenAsked,
  RankExits0WhenAsked,
  AllExit0WhenAsked,  // done is done
};

struct Behaviour {
  Manner manner = Manner::SavesAndExits75;
  std::int64_t steps = 20;
  Milliseconds step_time{500};
  std::int64_t save_every = 0;       // of its own will; 0: never
  std::int64_t fail_at = 0;          // rank 0 exits with 1 at this step; 0: never
  std::int64_t exit_75_at = 0;       // all ranks do at this step, saved or not; 0: never
  bool fails_with_its_peers = true;  // else it hangs when one is lost
  // Rank 0 asks for a requeue of its job when it is asked to save, as submitit does; may be empty.
  std::function<void(JobId)> ask_for_requeue = {};
};

// The machine a rank sits on.
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
  void rank_killed(std::int32_t rank);              // from outside: it is dead
  void rank_stands(std::int32_t rank, bool still);  // stopped where it is, or goes on
  void save_answered(std::int32_t rank, bool saved);

 private:
  struct Rank {
    RankHost* host = nullptr;
    bool running = false;
    bool awaits_answer = false;
    bool stands = false;
    std::vector<std::function<void()>> held;  // what it would have done meanwhile
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
  bool rank0_speaks_;
  std::vector<Rank> ranks_;
  std::int64_t step_;
  bool stepping_ = false;  // the barrier was passed once
  bool leaving_ = false;   // exits have begun
  bool save_wanted_ = false;
  bool saves_to_leave_ = false;
  bool save_failed_ = false;
};

}  // namespace cox::sim
