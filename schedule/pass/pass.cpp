#include "schedule/pass/pass.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "schedule/model/request_chain.h"
#include "schedule/place/place.h"
#include "schedule/queue/order.h"

namespace cox::schedule {
namespace {

// Work is counted in nodes examined, to end a part of a pass. Other work is converted to that unit.
constexpr std::int64_t skip_work = 64;       // work per class that is skipped
constexpr std::int64_t decision_work = 256;  // work per decision on a job
constexpr std::int64_t start_work = 1'024;   // work per job that starts, in addition
constexpr std::int64_t placement_work = 32;  // work per node of a gang that a Ranking places
// work to reserve a place: per running job, whose end may make room, and per usable node
constexpr std::int64_t release_work = 64;
constexpr std::int64_t reserve_work = 8;

// Returns whether the job may run only in advance reservations.
bool is_bound(const Request& request) {
  return std::ranges::none_of(RequestChain(request),
                              [](const Request& one) { return one.reservation.empty(); });
}

// Returns whether the job is explained if the pass has returned this many decisions before it.
bool is_explained(const ExplainDepth& depth, JobId id, std::size_t decided) {
  return depth.enabled && (decided < depth.jobs_with_reason || id == depth.also);
}

// Chooses the queued jobs on which a pass decides only because explanations were requested. It
// decides on every other job unless a job of the same class already waits.
class ExplainedJobs {
 public:
  ExplainedJobs(const ExplainDepth& depth, const PendingQueue& queue) : depth_(depth) {
    if (depth.also && queue.contains(*depth.also)) class_also_ = queue.at(*depth.also).job_class;
  }

  enum class Look : std::uint8_t {
    Decide,   // skip all jobs of its class if one of them waits already
    Explain,  // decide on the job even if another of its class waits already
    // if another job of its class waits, skip only this one: a later one is explained
    Seek,
    Nothing,  // as Decide; neither this job nor a later one is explained
  };
  Look at(const PendingQueue::At& at, std::size_t decided) {
    if (!depth_.enabled) return Look::Decide;
    if (is_explained(depth_, at.key->id, decided)) {
      also_is_evaluated_ = also_is_evaluated_ || at.key->id == depth_.also;
      return Look::Explain;
    }
    if (class_also_ == nullptr || also_is_evaluated_) return Look::Nothing;
    return at.job_class == class_also_ ? Look::Seek : Look::Decide;
  }

 private:
  const ExplainDepth& depth_;
  const JobClass* class_also_ = nullptr;  // class of depth_.also, if that job is queued
  bool also_is_evaluated_ = false;
};

}  // namespace

// The claims come first: the fair shares of quotas count the claims that keep_claims() keeps.
Pass::Pass(Engine& engine, Boot now)
    : facts_(engine, now),
      rooms_(engine),
      quotas_(facts_, decided_),
      limits_(facts_, quotas_),
      backfill_(facts_, rooms_, decided_),
      placer_(facts_, rooms_, backfill_, limits_),
      victims_(facts_, decided_, rooms_, quotas_, backfill_, limits_),
      closed_(facts_, decided_, rooms_, quotas_, backfill_, placer_, victims_),
      resumes_(facts_, decided_, rooms_, quotas_, backfill_),
      cursor_(engine.queue()) {
  keep_claims();
  quotas_.begin();
}

Pass::~Pass() {
  undo();
}

void Pass::undo() {
  if (std::exchange(stage_, Stage::Undone) == Stage::Undone) return;
  rooms_.undo();
  limits_.undo(decided_);
}

void Pass::go_on(Boot now) {
  facts_.set_now(now);
  quotas_.begin_part();
}

std::vector<Decision> Pass::run_part(std::int64_t work_max) {
  return evaluate_queue(work_max, ExplainDepth::nothing());
}

std::vector<Decision> Pass::run_and_explain(const ExplainDepth& depth) {
  explains_ = depth.enabled;
  auto decisions = evaluate_queue(std::numeric_limits<std::int64_t>::max(), depth);
  if (!depth.enabled) return decisions;
  for (const auto& [id, job] : facts_.engine().held())
    if (is_explained(depth, id, decisions.size())) decisions.emplace_back().job = job;
  return decisions;
}

std::vector<Decision> Pass::evaluate_queue(std::int64_t work_max, const ExplainDepth& depth) {
  using Look = ExplainedJobs::Look;
  const Engine& engine = facts_.engine();
  std::vector<Decision> decisions;
  cursor_.begin_part();
  if (stage_ == Stage::Claims) {
    evaluate_claims(decisions);
    evaluate_guaranteed(decisions);
    stage_ = Stage::Queue;
  }
  ExplainedJobs explained(depth, engine.queue());
  const std::int64_t work_before = engine.ground().work();
  for (auto at = front(); at.job_class != nullptr; at = front()) {
    resumes_.evaluate_before(at.job_class->standing());
    const bool is_other_round = is_put_off(at);
    const Look look = is_other_round ? Look::Decide : explained.at(at, decisions.size());
    if (look == Look::Nothing && engine.counts().suspended() == 0) break;
    if (cursor_.has_moved() && engine.ground().work() - work_before >= work_max) return decisions;
    if (is_other_round || (look != Look::Explain && cursor_.waits_of(at) != nullptr)) {
      look == Look::Seek ? cursor_.next() : skip(at);
      continue;
    }
    cursor_.begin_turn(at);
    if (!decided_.is_placed(at.key->id)) {
      Decision decision = evaluate_next(at);
      decided_.note(decision);
      cursor_.note(at, decision);
      if (decision.only_waits() && look == Look::Decide) {
        skip(at);
        continue;
      }
      if (look == Look::Explain || !decision.only_waits()) decisions.push_back(std::move(decision));
    }
    cursor_.advance();
  }
  resumes_.evaluate_all();
  stage_ = Stage::Over;
  return decisions;
}

// Skips the other jobs of this class, and those of its kind if none of them can start any more.
// While jobs are explained, no kind is closed, since each job is explained by its own outcome.
void Pass::skip(const PendingQueue::At& at) {
  facts_.ground().note_work(skip_work);
  if (!explains_ && closed_.closes(at)) return cursor_.close_kind();
  cursor_.skip_class();
}

// Returns the next queued job. At the end of the queue, begins the second round if there is one:
// that of the jobs put off because of quotas.
PendingQueue::At Pass::front() {
  const PendingQueue::At at = cursor_.front();
  if (at.job_class != nullptr || !quotas_.begin_second_round()) return at;
  cursor_.begin_second_round();
  return cursor_.front();
}

bool Pass::is_put_off(const PendingQueue::At& at) {
  const QuotaRound::Turn turn = quotas_.turn_of(at);
  if (turn == QuotaRound::Turn::PutOff) cursor_.break_off_turn(at.key->id);
  return turn != QuotaRound::Turn::Now;
}

Decision Pass::evaluate_next(const PendingQueue::At& at) {
  Decision decision;
  decision.job = job_of(at);
  if (const PassCursor::Waits* waits = cursor_.waits_of(at)) {
    decision.need = waits->need;
    decision.outcome = waits->outcome;
    decision.others_first = waits->others_first;
    decision.has_no_known_start = waits->has_no_known_start;
  } else {
    evaluate(decision);
  }
  return decision;
}

void Pass::evaluate(Decision& decision) {
  const PendingJob& job = decision.job;
  Needs needs = facts_.needs_of(job);
  decision.need = needs.front();
  facts_.ground().note_work(decision_work + placement_work * decision.need->nodes);
  const bool is_open = decision.need->ever_fits;
  if (!is_open) needs = facts_.needs_once_open(job);
  if (needs.empty()) {
    decision.outcome = Outcome::Unavailable;
    return;
  }
  std::erase_if(needs, [&](const ResolvedRequest* need) { return !limits_.allows(job, *need); });
  if (needs.empty()) {
    decision.outcome = Outcome::Limited;
    return;
  }
  if (!is_open) return evaluate_closed(decision, needs);
  if (evaluate_now(decision, needs)) return;
  decision.need = needs.front();
  std::erase_if(needs,
                [&](const ResolvedRequest* need) { return !limits_.leaves_room(job, *need); });
  if (needs.empty()) {
    decision.outcome = Outcome::Limited;
    return;
  }
  decision.need = needs.front();
  wait(decision, needs, needs);
}

// Decides on a job if advance reservations close all nodes that it could use for its whole time
// limit. If the job accepts a shorter limit, it may wait for room on nodes that are open so long.
void Pass::evaluate_closed(Decision& decision, const Needs& once_open) {
  for (const ResolvedRequest* need : once_open) {
    decision.need = need;
    if (start(decision)) return limits_.hold(decision);
  }
  decision.need = once_open.front();
  if (!is_bound(*decision.job.request)) return wait(decision, {}, once_open);
  const auto least = shortest_limit(decision.job);
  Needs open;
  for (const ResolvedRequest* need : once_open)
    if (const ResolvedRequest& now = facts_.need_now(*need->request, least); now.ever_fits)
      open.push_back(&now);
  if (!open.empty()) {
    decision.job.time_limit = least;
    decision.need = open.front();
    return wait(decision, open, open);
  }
  decision.outcome = Outcome::NotOpen;
  for (const Stretch& stretch : facts_.stretches_of(*decision.need->request, least)) {
    if (!stretch.need->ever_fits) continue;
    decision.expected = stretch.from;
    return;
  }
}

bool Pass::evaluate_now(Decision& decision, const Needs& needs) {
  for (const auto way : {&Pass::start, &Pass::promise, &Pass::preempt, &Pass::move_others})
    for (const ResolvedRequest* need : needs) {
      decision.need = need;
      if (!(this->*way)(decision)) continue;
      limits_.hold(decision);
      return true;
    }
  return false;
}

bool Pass::start(Decision& decision) {
  std::optional<GangParts> shares;
  if (!limits_.leaves_room(decision.job, *decision.need)) return false;
  const Boot now = facts_.now();
  const ResolvedRequest& need = facts_.need_now(*decision.need->request, decision.job.time_limit);
  if (need.ever_fits) shares = placer_.place_now(need, end_if_begun(decision.job, now));
  if (!shares) shares = placer_.place_shortened(decision);
  if (!shares) return false;
  if (decision.time_limit) decision.job.time_limit = decision.time_limit;
  const auto end = end_if_begun(decision.job, now);
  if (auto larger = placer_.place_larger(decision.job, *decision.need, end))
    shares = std::move(larger);
  decision.outcome = Outcome::Starts;
  decision.shares = std::move(*shares);
  decision.expected = now;
  rooms_.take(decision.shares);
  backfill_.note_start(decision.shares, end);
  facts_.ground().note_work(start_work);
  return true;
}

bool Pass::promise(Decision& decision) {
  if (facts_.engine().counts().stopping() == 0 && decided_.victim_count() == 0) return false;
  if (!limits_.leaves_room(decision.job, *decision.need)) return false;
  // When the job will begin is uncertain, so beside reservations it must fit as if it had no end.
  auto shares =
      placer_.place_in(rooms_.coming(), decision.need->usable, *decision.need, std::nullopt);
  if (!shares) return false;
  decision.outcome = Outcome::Promised;
  decision.shares = std::move(*shares);
  decision.expected = backfill_.gone_by(decision.shares);
  backfill_.note_promise(decision.shares, decision.job, decision.expected);
  rooms_.keep(decision.shares);
  return true;
}

void Pass::wait(Decision& decision, const Needs& needs_now, const Needs& needs) {
  ++moves_tried_;
  facts_.ground().note_work(std::ssize(decision.need->usable));
  // Only for explanations: no decision depends on it, and it examines every node.
  decision.others_first = explains_ && rooms_.fits_unclaimed(needs_now);
  decision.outcome = decision.others_first ? Outcome::Behind : Outcome::NoRoom;
  // Jobs that pass this one can be preempted for it, so nothing is reserved.
  if (preempts_inside_tier(facts_.settings().order)) return;
  Reservations& reservations = backfill_.begin();
  reservations.note_waiting();
  if (reservations.may_add(decision.job.account)) reserve(decision, needs);
}

// Reserves a place for the job at the earliest time at which it fits. Reserves nothing if it never
// fits, if a job without a time limit is in the way, nor for a job that may run only in advance
// reservations and fits in none that is known: other jobs would wait in vain.
void Pass::reserve(Decision& decision, const Needs& needs) {
  facts_.ground().note_work(release_work * std::ssize(facts_.running()) +
                            reserve_work * std::ssize(decision.need->usable));
  Reservations& reservations = backfill_.begin();
  const PendingJob& job = decision.job;
  std::vector<Stretch> stretches;
  for (const ResolvedRequest* need : needs)
    std::ranges::move(facts_.stretches_of(*need->request, job.time_limit),
                      std::back_inserter(stretches));
  std::erase_if(stretches, [](const Stretch& stretch) { return !stretch.need->ever_fits; });
  if (stretches.empty()) return;
  if (is_bound(*job.request) && !reservations.estimate(stretches, job.time_limit)) return;
  const Reservations::Added added = reservations.add(job, stretches, facts_.now());
  if (added == Reservations::Added::TooLate) return;
  if (added == Reservations::Added::Unknown) {
    const ResolvedRequest* need = need_in_time(decision, stretches);
    decision.has_no_known_start = need == nullptr;
    if (need == nullptr) return;
    reservations.hold(job, *need);
  }
  decision.outcome = Outcome::Reserved;
  decision.need = reservations.all().back().need;
  decision.expected = reservations.all().back().at;
}

// Returns the first need that fits when all jobs with a time limit have ended, or when jobs may be
// preempted later; null if the job may have to wait for ever. REQUIRES: may_add() was true.
const ResolvedRequest* Pass::need_in_time(const Decision& decision,
                                          std::span<const Stretch> stretches) {
  if (victims_.find_later(decision)) return stretches.front().need;
  const Room room = backfill_.beside_endless();
  const auto found = std::ranges::find_if(
      stretches, [&](const Stretch& stretch) { return fits(*stretch.need, room); });
  return found == stretches.end() ? nullptr : found->need;
}

}  // namespace cox::schedule
