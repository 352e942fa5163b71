// One scheduling pass over an engine: the rooms, and what was decided so far. It judges the jobs in
// line one after the other; each decision takes its room at once, so the next job sees what is
// left. When it ends, the engine's room is as it was: what was decided becomes fact only when the
// owner of the engine says so.
//
// A long pass may be made in parts, between which the owner makes true what was decided and other
// facts change. The pass goes on where it stood and knows nothing of room that came free since, so
// that it gives away too little rather than too much; the next pass sees it.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "schedule/model/explain_depth.h"
#include "schedule/pass/backfill.h"
#include "schedule/pass/consolidate.h"
#include "schedule/pass/engine.h"
#include "schedule/pass/reclaim.h"

namespace cox::schedule {

enum class Outcome : std::uint8_t {
  Starts,       // now
  Promised,     // when attempts that are stopping are gone
  Preempts,     // when its victims are gone
  Reserved,     // one of the first that fit nowhere yet: a place is kept for it
  Behind,       // there is room, but it is promised to or reserved for others
  NoRoom,       // after the reserved ones, and it does not fit either
  Limited,      // a limit that it counts against has no more for it
  NotOpen,      // the advance reservation that it is in is not open for it now
  Unavailable,  // does not fit on the nodes that are available, were they idle
  Held,
};

struct Decision {
  PendingJob job;
  Outcome outcome = Outcome::Held;
  // The engine's, of the alternative that was decided on, or of the first; null when Held.
  const ResolvedRequest* need = nullptr;
  GangParts shares;            // Starts, Promised, Preempts
  std::vector<JobId> victims;  // Preempts
  std::vector<Move> moves;     // Preempts: of the victims that go on elsewhere, or smaller
  std::optional<Boot> expected;
  std::optional<Milliseconds> time_limit;  // Starts: shortened
  bool fills = false;                      // Starts: it saves at that limit
  bool others_first = false;               // there is room, were it not for those before it

  // And nothing later in the pass makes room for another of its kind.
  bool only_waits() const {
    return outcome == Outcome::Behind || outcome == Outcome::NoRoom ||
           outcome == Outcome::Limited || outcome == Outcome::NotOpen ||
           outcome == Outcome::Unavailable;
  }
};

// A suspended job that does not go on yet.
struct SuspendedWait {
  JobId job;
  std::optional<Boot> expected;
  bool others_first = false;  // its CPUs are free, were it not for those before it
};

// When others will give way for a job that waits.
struct LaterPreemption {
  Boot at;
  std::vector<JobId> victims;
  GangParts place;
  Room left;  // once they are gone, and it has its place
};

class Pass final : public PausedPass {
 public:
  Pass(Engine& engine, Boot now);
  ~Pass();
  Pass(const Pass&) = delete;
  Pass& operator=(const Pass&) = delete;

  // All that was decided, and of so many how they wait. REQUIRES: not in parts.
  std::vector<Decision> run_and_explain(const ExplainDepth& telling);

  // Elastic gangs that have saved and go on with more nodes, when nobody waits for the room.
  std::vector<Move> grow();

  // The next part: until so much work is done, and one job or kind at least. What was decided.
  std::vector<Decision> run_part(std::int64_t work_max);
  bool is_over() const { return over_; }
  // Suspended jobs that go on, decided since this was last asked.
  std::vector<JobId> take_resumes() { return std::exchange(resumes_, {}); }

  // After what happened to the engine since the part before. REQUIRES: the nodes stay, and nobody
  // took room but by what this pass decided; the free room stayed as the pass had it.
  void go_on(Boot now);
  // Around a use of the free room as it was before the pass.
  void set_aside();
  void take_up();
  bool has_decided(JobId id) const override { return decided_jobs_.contains(id); }
  void note_split(JobId id) override;  // which is not judged again
  void undo() override;

  // For explaining afterwards.
  Boot now() const { return now_; }
  const Nodes& nodes() const { return engine_.nodes(); }
  const Settings& settings() const { return engine_.settings(); }
  Matcher& matcher() { return engine_.matcher(); }
  AdvanceReservations& advance() { return engine_.advance(); }
  // If it started now and stayed for so long. REQUIRES: of a job in line, or an alternative of one.
  const ResolvedRequest& need_now(const Request& request, std::optional<Milliseconds> lasts) {
    return engine_.need_at(request, now_, lasts);
  }
  // At another moment.
  const ResolvedRequest& need_at(const Request& request, Boot at,
                                 std::optional<Milliseconds> lasts) {
    return engine_.need_at(request, at, lasts);
  }
  // If it started now, of a request that nobody made.
  const ResolvedRequest& need_of(const Request& request, std::optional<Milliseconds> lasts) {
    return engine_.need_of(request, now_, lasts);
  }
  // From now on, of each of the alternatives, for as long as advance reservations are known.
  std::vector<Stretch> stretches_of(const Request& request, std::optional<Milliseconds> lasts);
  const std::map<JobId, Running>& running() const { return engine_.running(); }
  const LimitUse& limit_use() const { return engine_.limit_use(); }
  // As the quotas stand, for who asks for this.
  Reclaim reclaim(const PendingJob& job, const ResolvedRequest& need) const {
    return Reclaim(standings(), job, need);
  }
  Reclaim::QuotaState standings() const {
    return {engine_.quotas(), limit_use(), fair_shares_, leaving_};
  }
  std::int64_t fair_share(std::int32_t position) const {
    return fair_shares_[static_cast<std::size_t>(position)];
  }
  const Quotas& quotas() const { return engine_.quotas(); }
  bool is_stopping(const Running& running) const;
  const std::vector<SuspendedWait>& standing_still() const { return standing_still_; }
  // In an earlier part: it runs by now, and is reckoned with already.
  bool has_started(JobId id) const { return decided_jobs_.contains(id) && !victims_.contains(id); }
  const Room& unclaimed() const { return unclaimed_; }
  const Room& free() const { return engine_.free(); }
  // Free for this job: what was promised to it is not kept from it.
  Room free_for(const Decision& decision) const;
  // The first moment at which enough will give way for it that are spared as yet, as far as is
  // known now. REQUIRES: it waits.
  std::optional<LaterPreemption> may_preempt_later(const Decision& decision);
  // Were all gone that would give way for it now, whatever is kept for others.
  Room room_if_all_yield(const Decision& decision);
  // Null when nobody had to wait.
  const Reservations* reservations() const { return reservations_ ? &*reservations_ : nullptr; }

 private:
  // How a kind waits; nothing later in the pass makes room for another of it.
  struct Waits {
    const ResolvedRequest* need = nullptr;
    Outcome outcome = Outcome::NoRoom;
    bool others_first = false;
  };

  using Needs = std::vector<const ResolvedRequest*>;

  PendingJob job_at(const QueueCursor::At& at) const;
  Needs needs_of(const PendingJob& job);
  Needs needs_once_open(const PendingJob& job);
  const ResolvedRequest& need_later(const ResolvedRequest& need, std::optional<Milliseconds> lasts);
  const ResolvedRequest& need_anew(const RunningJob& job);
  bool is_barred(const GangParts& shares, const Request& request,
                 std::optional<Milliseconds> lasts);
  void keep_claims();
  void judge_claims(std::vector<Decision>& decisions);
  void find_suspended();
  void judge_resumes(std::pair<std::int32_t, std::int32_t> least);  // rank and tier
  void judge_resume(const Running& running);
  std::vector<const GangParts*> held_by_suspended() const;
  Decision judge_next(const QueueCursor::At& at);
  bool starts_another(const Decision& decision);
  void note_decided(const Decision& decision);
  void note_placed(const Decision& decision);
  void judge_claimed(Decision& decision, const GangParts& shares);
  void judge(Decision& decision);
  void judge_closed(Decision& decision, const Needs& once_open);
  bool waits_in_vain(const PendingJob& job, std::span<const Stretch> stretches) const;
  void wait(Decision& decision, const Needs& needs_now, const Needs& needs);
  bool fits_unclaimed(const Needs& needs);
  void take_unclaimed(const GangParts& shares);
  std::optional<GangParts> place_now(const ResolvedRequest& need, std::optional<Boot> end);
  std::optional<GangParts> place_shortened(Decision& decision);
  std::vector<Milliseconds> shorter_limits(const PendingJob& job, const Request& request) const;
  std::optional<GangParts> place_larger(const PendingJob& job, const ResolvedRequest& need,
                                        std::optional<Boot> end);
  bool is_allowed(const PendingJob& job, const ResolvedRequest& need) const;
  bool leaves_room(const PendingJob& job, const ResolvedRequest& need,
                   std::span<const JobId> without = {}) const;
  void note_leaving(JobId stopping, std::int64_t times = 1);
  bool is_put_off(const QueueCursor::At& at);
  bool is_placed(JobId id) const { return claims_.contains(id) || placed_.contains(id); }
  bool begin_second_round();
  std::int32_t account_of(const PendingJob& job);
  bool may_start(const PendingJob& job);
  void settle_leaving();
  void judge_guaranteed(std::vector<Decision>& decisions);
  std::int64_t start_within_guarantee(const QueueCursor::At& at, std::vector<Decision>& decisions);
  bool starts_within_guarantee(Decision& decision);
  bool judge_now(Decision& decision, const Needs& needs);
  bool somebody_yields_by_tier(const PendingJob& job) const;
  const std::vector<const Running*>& above_share();
  std::optional<VictimCandidate> yielding(const Decision& decision, const Running& running,
                                          const std::optional<Reclaim>& reclaim,
                                          std::set<JobId>& reclaimed, Boot at) const;
  YieldingBy yielding_to(const Decision& decision, const std::optional<Reclaim>& reclaim, Boot at);
  std::optional<std::vector<JobId>> victims_for(const Decision& decision, Boot at);
  std::optional<std::vector<JobId>> victims_among(const Decision& decision,
                                                  const std::optional<Reclaim>& by_quota, Boot at);
  std::optional<LaterPreemption> preempts_at(const Decision& later, Boot at);
  Room open_by(const Decision& decision, Boot at) const;
  Room open_once_gone() const;
  std::int64_t yields_up_to(const Decision& decision) const;
  void hold_limits(const Decision& decision);
  bool start(Decision& decision);
  bool promise(Decision& decision);
  bool preempt(Decision& decision);
  bool move_others(Decision& decision);
  void stop(const std::vector<JobId>& victims);
  void shrink(Decision& decision, Room after);
  void reserve(Decision& decision, const Needs& needs);

  std::optional<GangParts> place_allowed(std::span<const NodeAt> some, const ResolvedRequest& need,
                                         const Room& room, std::optional<Boot> end);
  std::optional<GangParts> place_allowed_now(std::span<const NodeAt> some,
                                             const ResolvedRequest& need, std::optional<Boot> end);
  void take_free(const GangParts& shares);
  void keep(const GangParts& shares);
  void keep_for(const Decision& decision, std::optional<Boot> end);
  void set_free_least(NodeAt at);
  std::optional<Boot> gone_by(const GangParts& shares) const;
  std::vector<Freed> freed_by(const std::vector<JobId>& victims) const;
  Timeline timeline() const;

  Engine& engine_;
  Boot now_;
  const Room before_;            // the engine's free room, to be put back
  std::vector<NodeAt> changed_;  // nodes of it that the pass has taken from
  Room unclaimed_;               // free now, whoever may be promised it
  Room coming_;                  // free and promised to nobody, once all that is stopping is gone
  std::set<JobId> victims_;      // of this pass
  std::int64_t victims_tier_max_ = std::numeric_limits<std::int64_t>::min();
  std::vector<JobId> suspended_;  // in line
  std::size_t suspended_judged_ = 0;
  std::vector<JobId> resumes_;
  std::vector<SuspendedWait> standing_still_;
  std::map<JobId, std::int64_t> started_first_;  // so many of it, for its account's guarantee
  std::set<JobId> placed_;                       // now, or once somebody is gone
  // Whose account would have more than its share stands behind all others, in a second round.
  bool second_round_ = false;
  std::unordered_set<std::int64_t> put_off_;  // queues
  std::vector<std::int64_t> fair_shares_;     // by position of the quota, as the pass began
  std::vector<std::int64_t> leaving_;         // by limit, what is held by jobs that are stopping
  std::vector<const Running*> above_share_;   // as of what limits are used and who gives way:
  std::optional<std::pair<std::int64_t, std::size_t>> above_share_as_of_;
  std::vector<JobId> limits_held_;  // jobs that count against limits by what the pass decided
  std::vector<JobId> refused_;      // places that a limit does not allow any more
  std::set<JobId> claims_;          // not judged in line: their place is kept, or they were
  std::vector<Release> decided_;    // starts and promises of this pass with known ends
  std::size_t waiting_tried_ = 0;   // that moves were sought for
  bool tells_ = false;              // somebody wants to know how each waits
  std::unordered_map<const ResolvedRequest*, bool> fits_unclaimed_;  // as long as it stays as it is
  std::optional<Reservations> reservations_;
  std::unordered_map<std::int64_t, Waits> waiting_kinds_;  // by queue

  // Of a pass in parts.
  bool claims_judged_ = false;
  std::optional<QueuePlace> judged_to_;
  bool is_amid_copies_ = false;      // there others of those it stands for are to be judged
  std::int64_t copies_started_ = 0;  // of the job that is judged, since its owner was told last
  bool over_ = false;
  bool undone_ = false;
  std::set<JobId> decided_jobs_;  // that start, have victims, or move
  std::optional<Room> aside_;     // the free room as the pass has it
  Followed aside_followed_;
};

}  // namespace cox::schedule
