#include "schedule/pass/pass.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "common/base/check.h"
#include "schedule/place/elastic.h"
#include "schedule/place/place.h"
#include "schedule/queue/order.h"

namespace cox::schedule {
namespace {

// Work is counted in nodes looked at; what else takes time, in so many of those.
constexpr std::int64_t placement_work = 32;  // a node of a gang that is placed from a ranking
constexpr std::int64_t settle_work = 4;      // a node, when a need is worked out
constexpr std::int64_t release_work = 16;    // a running job, in a timeline

constexpr std::pair<std::int32_t, std::int32_t> lowest_standing{
    std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::min()};

std::optional<Boot> end_of(const PendingJob& job, std::optional<Boot> begin) {
  if (!job.time_limit || !begin) return std::nullopt;
  return *begin + *job.time_limit;
}

bool share_a_node(const GangParts& a, const GangParts& b) {
  return std::ranges::any_of(a, [&b](const NodePart& share) {
    return std::ranges::binary_search(b, share.node, {}, &NodePart::node);
  });
}

}  // namespace

Pass::Pass(Engine& engine, Boot now)
    : engine_(engine),
      now_(now),
      before_(engine.free().room()),
      unclaimed_(before_),
      coming_(before_) {
  if (engine_.stopping_count() > 0)
    for (const auto& [id, running] : engine_.running()) {
      if (running.job.stopping) coming_.give_back(*running.held());
      if (running.frees_cpus_soon()) coming_.give_back(*running.cpus);
    }
  keep_claims();
  find_suspended();
  settle_leaving();
  fair_shares_ = engine_.quotas().fair_shares(engine_.limit_use(), leaving_);
}

Pass::~Pass() {
  undo();
}

void Pass::undo() {
  if (std::exchange(undone_, true)) return;
  for (const NodeAt at : changed_) engine_.free().set_least(at, before_, before_);
  engine_.free().set_licences_of(before_);
  for (const JobId id : limits_held_) engine_.settle_limits(id);
  // Nor does it count against the limit until the next pass, unless it was kept anew.
  for (const JobId id : refused_)
    if (!is_placed(id)) engine_.drop_claim(id);
}

bool Pass::is_stopping(const Running& running) const {
  return running.job.stopping || victims_.contains(running.job.id);
}

PendingJob Pass::job_at(const QueueCursor::At& at) const {
  PendingJob job;
  job.id = at.key->id;
  job.tier = at.kind->tier;
  job.rank = at.kind->rank;
  job.priority = at.key->priority;
  job.fair_share = at.key->fair_share;
  job.account = at.kind->account;
  job.eligible = at.key->eligible;
  job.request = at.queue->request;
  job.limits = at.queue->limits;
  job.copies = at.key->copies;
  job.time_limit = at.kind->time_limit;
  job.time_min = at.kind->time_min;
  job.fill_min = at.kind->fill_min;
  job.may_preempt = at.kind->may_preempt;
  return job;
}

// Of its alternatives those that could ever fit; the first when none does.
Pass::Needs Pass::needs_of(const PendingJob& job) {
  Needs needs;
  const ResolvedRequest* first = nullptr;
  const std::int64_t settled_before = matcher().settled_so_far();
  for (const Request* one = &*job.request; one != nullptr;
       one = one->otherwise ? &**one->otherwise : nullptr) {
    const ResolvedRequest& need = need_now(*one, job.time_limit);
    if (first == nullptr) first = &need;
    if (need.ever_fits) needs.push_back(&need);
  }
  if (needs.empty()) needs.push_back(first);
  const std::int64_t settled = matcher().settled_so_far() - settled_before;
  engine_.note_work(settle_work * settled * nodes().size());
  return needs;
}

Decision Pass::judge_next(const QueueCursor::At& at) {
  Decision decision;
  decision.job = job_at(at);
  if (const auto known = waiting_kinds_.find(at.queue->number); known != waiting_kinds_.end()) {
    decision.need = known->second.need;
    decision.outcome = known->second.outcome;
    decision.others_first = known->second.others_first;
    return decision;
  }
  judge(decision);
  if (decision.only_waits())
    waiting_kinds_[at.queue->number] = {decision.need, decision.outcome, decision.others_first};
  return decision;
}

std::vector<Decision> Pass::run_and_explain(const ExplainDepth& telling) {
  if (!telling.asked) return run_part(std::numeric_limits<std::int64_t>::max());
  tells_ = true;
  std::vector<Decision> decisions;
  judge_claims(decisions);
  judge_guaranteed(decisions);
  const auto is_told = [&](JobId id) {
    return decisions.size() < telling.jobs_with_reason || id == telling.also;
  };
  std::optional<const Kind*> kind_also;  // sought when those behind are passed over
  bool is_also_judged = false;
  QueueCursor walk(engine_.line());
  for (auto at = walk.front(); at.kind != nullptr || begin_second_round(); at = walk.front()) {
    if (at.kind == nullptr) {
      walk = QueueCursor(engine_.line());
      continue;
    }
    judge_resumes(at.kind->standing());
    if (is_put_off(at)) {
      walk.skip_kind();
      continue;
    }
    const bool told = is_told(at.key->id);
    if (!told && !kind_also)
      kind_also = telling.also ? engine_.line().kind_with(*telling.also) : nullptr;
    const bool all_told = !told && (*kind_also == nullptr || is_also_judged);
    if (all_told && engine_.suspended_count() == 0) break;
    is_also_judged = is_also_judged || at.key->id == telling.also;
    if (!told && waiting_kinds_.contains(at.queue->number)) {
      at.kind == *kind_also ? walk.next() : walk.skip_kind();
      continue;
    }
    if (!is_placed(at.key->id)) {
      Decision decision = judge_next(at);
      note_placed(decision);
      const bool again = starts_another(decision);
      if (told || !decision.only_waits()) decisions.push_back(std::move(decision));
      if (again) continue;
    }
    walk.next();
  }
  judge_resumes(lowest_standing);
  for (const auto& [id, job] : engine_.held())
    if (is_told(id)) decisions.emplace_back().job = job;
  return decisions;
}

std::vector<Decision> Pass::run_part(std::int64_t work_max) {
  std::vector<Decision> decisions;
  started_first_.clear();  // they are jobs of their own by now
  if (!std::exchange(claims_judged_, true)) {
    judge_claims(decisions);
    judge_guaranteed(decisions);
  }
  const std::int64_t work_before = engine_.work();
  copies_started_ = 0;  // likewise
  QueueCursor walk(engine_.line(), judged_to_,
                   is_amid_copies_ ? QueueCursor::From::Place : QueueCursor::From::Behind);
  for (auto at = walk.front(); at.kind != nullptr || begin_second_round(); at = walk.front()) {
    if (at.kind == nullptr) {
      walk = QueueCursor(engine_.line());
      continue;
    }
    judge_resumes(at.kind->standing());
    const bool is_passed_over = is_put_off(at) || waiting_kinds_.contains(at.queue->number);
    if (engine_.work() - work_before >= work_max) return decisions;
    if (is_passed_over) {
      walk.skip_kind();
      continue;
    }
    judged_to_ = QueuePlace{at.kind->standing(), *at.key};
    is_amid_copies_ = false;
    if (!is_placed(at.key->id)) {  // those were judged before
      Decision decision = judge_next(at);
      note_decided(decision);
      note_placed(decision);
      is_amid_copies_ = starts_another(decision);
      if (!decision.only_waits()) decisions.push_back(std::move(decision));
    }
    if (!is_amid_copies_) walk.next();
  }
  judge_resumes(lowest_standing);
  over_ = true;
  return decisions;
}

void Pass::note_decided(const Decision& decision) {
  if (decision.outcome == Outcome::Starts || decision.outcome == Outcome::Preempts)
    decided_jobs_.insert(decision.job.id);
  for (const Move& move : decision.moves) decided_jobs_.insert(move.job);
}

// A job that stands for several has more to start.
void Pass::note_placed(const Decision& decision) {
  const bool starts = decision.outcome == Outcome::Starts;
  const bool has_place =
      decision.outcome == Outcome::Promised || decision.outcome == Outcome::Preempts;
  if (has_place || (starts && decision.job.copies == 1)) placed_.insert(decision.job.id);
}

void Pass::go_on(Boot now) {
  now_ = now;
  settle_leaving();
  above_share_as_of_.reset();
}

void Pass::set_aside() {
  aside_ = engine_.free().room();
  for (const NodeAt at : changed_) engine_.free().set_least(at, before_, before_);
  engine_.free().set_licences_of(before_);
  engine_.free().follow(aside_followed_, [](NodeAt) {});
}

void Pass::take_up() {
  const auto note = [this](NodeAt at) { changed_.push_back(at); };
  if (!engine_.free().follow(aside_followed_, note))
    for (NodeAt at = 0; at < before_.size(); ++at) note(at);
  std::ranges::sort(changed_);
  changed_.erase(std::unique(changed_.begin(), changed_.end()), changed_.end());
  for (const NodeAt at : changed_) engine_.free().set_least(at, *aside_, *aside_);
  engine_.free().set_licences_of(*aside_);
  aside_.reset();
}

void Pass::judge(Decision& decision) {
  Needs needs = needs_of(decision.job);
  decision.need = needs.front();
  engine_.note_work(placement_work * decision.need->nodes);
  const bool is_open = decision.need->ever_fits;
  if (!is_open) needs = needs_once_open(decision.job);
  if (needs.empty()) {
    decision.outcome = Outcome::Unavailable;
    return;
  }
  std::erase_if(needs,
                [&](const ResolvedRequest* need) { return !is_allowed(decision.job, *need); });
  if (needs.empty()) {
    decision.outcome = Outcome::Limited;
    return;
  }
  if (!is_open) return judge_closed(decision, needs);
  if (judge_now(decision, needs)) return;
  decision.need = needs.front();
  std::erase_if(needs,
                [&](const ResolvedRequest* need) { return !leaves_room(decision.job, *need); });
  if (needs.empty()) {
    decision.outcome = Outcome::Limited;
    return;
  }
  decision.need = needs.front();
  wait(decision, needs, needs);
}

bool Pass::judge_now(Decision& decision, const Needs& needs) {
  for (const auto way : {&Pass::start, &Pass::promise, &Pass::preempt, &Pass::move_others})
    for (const ResolvedRequest* need : needs) {
      decision.need = need;
      if (!(this->*way)(decision)) continue;
      hold_limits(decision);
      return true;
    }
  return false;
}

bool Pass::fits_unclaimed(const Needs& needs) {
  return std::ranges::any_of(needs, [&](const ResolvedRequest* need) {
    const auto [known, is_new] = fits_unclaimed_.try_emplace(need, false);
    if (is_new) known->second = fits(*need, unclaimed_);
    return known->second;
  });
}

void Pass::take_unclaimed(const GangParts& shares) {
  unclaimed_.take(shares);
  fits_unclaimed_.clear();
}

void Pass::wait(Decision& decision, const Needs& needs_now, const Needs& needs) {
  ++waiting_tried_;
  engine_.note_work(std::ssize(decision.need->usable));
  // It makes no difference to what is decided, and every node must be looked at.
  decision.others_first = tells_ && fits_unclaimed(needs_now);
  decision.outcome = decision.others_first ? Outcome::Behind : Outcome::NoRoom;
  // Whoever passes can be made to give way, so nothing is reserved.
  if (preempts_inside_tier(engine_.settings().order)) return;
  if (!reservations_)
    reservations_.emplace(nodes(), engine_.settings().backfill, timeline(), matcher().idle(),
                          free());
  reservations_->note_waiting();
  if (reservations_->may_add(decision.job.account)) reserve(decision, needs);
}

// As place_allowed() in the free room, without looking at every node again.
std::optional<GangParts> Pass::place_now(const ResolvedRequest& need, std::optional<Boot> end) {
  if (reservations_ && reservations_->nobody_passes()) return std::nullopt;
  if (!free().has_licences(need.licences)) return std::nullopt;
  if (!Ranking::settles(need) && !engine_.fits_now(need)) return std::nullopt;
  if (!Ranking::serves(need)) return place_allowed_now(need.usable, need, end);
  const std::vector<NodeAt> nodes = engine_.best_now(need);
  if (nodes.empty() && Ranking::settles(need)) return std::nullopt;
  if (nodes.empty() || (reservations_ && !reservations_->ignores(end)))
    return place_allowed_now(engine_.holding_now(need), need, end);
  return even_shares(need, this->nodes(), free(), nodes);
}

// The most nodes that fit, of an elastic gang of which the fewest do.
std::optional<GangParts> Pass::place_larger(const PendingJob& job, const ResolvedRequest& need,
                                            std::optional<Boot> end) {
  const std::vector<std::int64_t> sizes = larger_sizes(need);
  if (sizes.empty()) return std::nullopt;
  // Where parts must be even, they are the same in each size.
  const bool is_even = need.tasks_per_node_max <= need.tasks_even();
  const std::vector<NodeAt> some = is_even ? engine_.holding_now(need) : need.usable;
  std::optional<GangParts> found;
  std::size_t fit = 0;
  for (std::size_t beyond = sizes.size(); fit < beyond;) {
    const std::size_t middle = fit + (beyond - fit) / 2;
    const ResolvedRequest larger = matcher().sized(need, sizes[middle]);
    const bool allowed = is_allowed(job, larger) && leaves_room(job, larger);
    auto shares = allowed ? place_allowed_now(some, larger, end) : std::nullopt;
    if (shares) {
      found = std::move(shares);
      fit = middle + 1;
    } else {
      beyond = middle;
    }
  }
  return found;
}

bool Pass::start(Decision& decision) {
  std::optional<GangParts> shares;
  if (!leaves_room(decision.job, *decision.need)) return false;
  const ResolvedRequest& now = need_now(*decision.need->request, decision.job.time_limit);
  if (now.ever_fits) shares = place_now(now, end_of(decision.job, now_));
  if (!shares) shares = place_shortened(decision);
  if (!shares) return false;
  if (decision.time_limit) decision.job.time_limit = decision.time_limit;
  const auto end = end_of(decision.job, now_);
  if (auto larger = place_larger(decision.job, *decision.need, end)) shares = std::move(larger);
  decision.outcome = Outcome::Starts;
  decision.shares = std::move(*shares);
  decision.expected = now_;
  take_free(decision.shares);
  coming_.take(decision.shares);
  take_unclaimed(decision.shares);
  if (reservations_) {
    reservations_->started(decision.shares, end);
  } else if (end) {
    decided_.push_back({*end, decision.shares, Held::Both});
  }
  return true;
}

void Pass::take_free(const GangParts& shares) {
  engine_.free().take(shares);
  for (const NodePart& share : shares) changed_.push_back(share.node);
}

bool Pass::promise(Decision& decision) {
  if (engine_.stopping_count() == 0 && victims_.empty()) return false;
  if (!leaves_room(decision.job, *decision.need)) return false;
  // When it will begin is not known for certain, so behind a reservation it counts as endless.
  auto shares = place_allowed(decision.need->usable, *decision.need, coming_, std::nullopt);
  if (!shares) return false;
  decision.outcome = Outcome::Promised;
  decision.shares = std::move(*shares);
  decision.expected = gone_by(decision.shares);
  if (reservations_) reservations_->promised(decision.shares, std::nullopt);
  keep_for(decision, end_of(decision.job, decision.expected));
  return true;
}

// Nothing, if it fits at no time that is known.
void Pass::reserve(Decision& decision, const Needs& needs) {
  engine_.note_work(release_work * std::ssize(running()) + std::ssize(decision.need->usable));
  std::vector<Stretch> stretches;
  for (const ResolvedRequest* need : needs)
    std::ranges::move(stretches_of(*need->request, decision.job.time_limit),
                      std::back_inserter(stretches));
  std::erase_if(stretches, [](const Stretch& stretch) { return !stretch.need->ever_fits; });
  if (stretches.empty() || waits_in_vain(decision.job, stretches)) return;
  decision.outcome = Outcome::Reserved;
  reservations_->add(decision.job, stretches, now_);
  decision.need = reservations_->all().back().need;
  decision.expected = reservations_->all().back().at;
}

// `some`: the nodes that may hold a part now.
std::optional<GangParts> Pass::place_allowed_now(std::span<const NodeAt> some,
                                                 const ResolvedRequest& need,
                                                 std::optional<Boot> end) {
  if (!reservations_ || reservations_->may_move()) return place_allowed(some, need, free(), end);
  engine_.note_work(2 * std::ssize(some));
  auto shares = place_among(some, need, nodes(), reservations_->spare_now(end));
  if (shares && !reservations_->allows(*shares, end)) shares.reset();
  return shares;
}

// On the nodes that are least bad, really free ones first; behind a reservation only what does not
// delay it.
std::optional<GangParts> Pass::place_allowed(std::span<const NodeAt> some,
                                             const ResolvedRequest& need, const Room& room,
                                             std::optional<Boot> end) {
  engine_.note_work((reservations_ ? 3 : 1) * std::ssize(some));
  const std::array<const Room*, 1> preferred{&free()};
  if (!reservations_) return place_among(some, need, nodes(), room, preferred);
  auto shares = place_among(some, need, nodes(), reservations_->open(room, end), preferred);
  if (!shares || reservations_->allows(*shares, end)) return shares;
  shares = place_among(some, need, nodes(), reservations_->spare(room, end), preferred);
  if (shares && !reservations_->allows(*shares, end)) shares.reset();
  return shares;
}

// Promises the room: part of it may be free already, and stays so.
void Pass::keep_for(const Decision& decision, std::optional<Boot> end) {
  keep(decision.shares);
  if (end && !reservations_) decided_.push_back({*end, decision.shares, Held::Promised});
}

void Pass::keep(const GangParts& shares) {
  coming_.take(shares);
  for (const NodePart& share : shares) set_free_least(share.node);
}

void Pass::set_free_least(NodeAt at) {
  engine_.free().set_least(at, unclaimed_, coming_);
  changed_.push_back(at);
}

Room Pass::free_for(const Decision& decision) const {
  Room room = free();
  if (decision.outcome != Outcome::Promised && decision.outcome != Outcome::Preempts) return room;
  Room coming = coming_;
  coming.give_back(decision.shares);
  for (const NodePart& share : decision.shares) room.set_least(share.node, unclaimed_, coming);
  return room;
}

// When the stopping attempts on these nodes are gone; empty when one of them does not say.
std::optional<Boot> Pass::gone_by(const GangParts& shares) const {
  Boot latest = now_;
  for (const auto& [id, running] : running()) {
    if (!is_stopping(running)) continue;
    if (running.job.suspends && !running.job.stopping) continue;  // who suspends does so at once
    if (!share_a_node(*running.shares, shares)) continue;
    if (victims_.contains(id) || !running.job.ends_by) return std::nullopt;
    latest = std::max(latest, *running.job.ends_by);
  }
  return latest;
}

Timeline Pass::timeline() const {
  std::vector<Release> releases = decided_;
  for (const auto& [id, running] : running()) {
    if (has_started(id)) continue;
    if (running.frees_cpus_soon() || (victims_.contains(id) && running.job.suspends)) {
      releases.push_back({now_, running.cpus, Held::Actually});
    } else if (is_stopping(running)) {
      // A victim of this pass, or one that does not say when, may be gone at any moment.
      const bool says = !victims_.contains(id) && running.job.ends_by;
      releases.push_back({says ? *running.job.ends_by : now_, running.held(), Held::Actually});
    } else if (running.job.ends_by) {
      releases.push_back({*running.job.ends_by, running.shares, Held::Both});
    }
  }
  return Timeline(nodes(), unclaimed_, coming_, std::move(releases));
}

}  // namespace cox::schedule
