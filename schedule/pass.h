// The scratch state of one scheduling pass: the rooms, and what was decided so far. plan.cpp asks
// it to judge one pending job after the other, in order; each verdict takes its room at once, so
// the next job sees what is left.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "schedule/backfill.h"
#include "schedule/need.h"
#include "schedule/nodes.h"
#include "schedule/preempt.h"
#include "schedule/ranking.h"
#include "schedule/room.h"

namespace cox::schedule {

enum class Outcome : std::uint8_t {
  Starts,       // now
  Promised,     // when attempts that are stopping are gone
  Preempts,     // when its victims are gone
  Reserved,     // the first that fits nowhere yet
  Behind,       // there is room, but it is promised to or reserved for others
  NoRoom,       // after the reserved one, and it does not fit either
  Unavailable,  // does not fit on the nodes that are available, were they idle
  Held,
};

struct Verdict {
  const PendingJob* job = nullptr;
  Outcome outcome = Outcome::Held;
  const Need* need = nullptr;        // the pass's; null when Held
  Shares shares;                     // Starts, Promised, Preempts
  std::vector<std::size_t> victims;  // Preempts: positions in running()
  std::optional<Boot> expected;
  bool others_first = false;  // there is room, were it not for those before it
};

class Pass {
 public:
  // REQUIRES: `nodes` and `queue` outlive this.
  Pass(const Nodes& nodes, const Queue& queue, Boot now);

  Verdict judge(const PendingJob& job);

  // For explaining afterwards.
  Boot now() const { return now_; }
  const Nodes& nodes() const { return nodes_; }
  Matcher& matcher() { return matcher_; }
  const std::vector<Running>& running() const { return running_; }
  const Room& unclaimed() const { return unclaimed_; }
  const Room& free() const { return free_; }
  const std::optional<Reservation>& reservation() const { return reservation_; }

 private:
  // What is remembered of jobs that need the same: most of a long queue needs what another did.
  struct Known {
    bool ever_fits = false;  // on the available nodes, were they idle
    std::optional<Ranking> ranking;
    std::size_t ranked = 0;  // so much of taken_ is in the ranking
    // The last that had to wait. While decisions_ is the same, so is the verdict on its like.
    const PendingJob* waited = nullptr;
    std::int64_t decisions = -1;
    Outcome outcome = Outcome::NoRoom;
    bool others_first = false;
  };

  Known& known(const Need& need);
  bool waits_like_another(Verdict& verdict, const Known& known) const;
  std::optional<Shares> place_now(const Need& need, std::optional<Boot> end);
  bool start(Verdict& verdict);
  bool promise(Verdict& verdict);
  bool preempt(Verdict& verdict);
  void reserve(Verdict& verdict);

  std::optional<Shares> place_allowed(const Need& need, const Room& room, std::optional<Boot> end);
  void keep_for(const Verdict& verdict, std::optional<Boot> end);
  std::optional<Boot> gone_by(const Shares& shares) const;
  Shares outlasting_shadow(const std::vector<std::size_t>& victims) const;
  Timeline timeline() const;

  Boot now_;
  const Nodes& nodes_;
  Matcher matcher_;
  std::vector<Running> running_;
  bool anything_stopping_ = false;
  Room unclaimed_;                // free now, whoever may be promised it
  Room coming_;                   // free and promised to nobody, once all that is stopping is gone
  Room free_;                     // free now and promised to nobody
  std::vector<Release> decided_;  // starts and promises of this pass with known ends
  std::optional<Reservation> reservation_;
  std::unordered_map<const Need*, Known> known_;
  std::vector<NodeAt> taken_;   // nodes of free_ that starts have taken from, in order
  std::int64_t decisions_ = 0;  // starts, promises, preemptions and reservations
};

}  // namespace cox::schedule
