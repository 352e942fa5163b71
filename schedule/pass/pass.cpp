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

bool share_a_node(const Shares& a, const Shares& b) {
  return std::ranges::any_of(a, [&b](const Share& share) {
    return std::ranges::binary_search(b, share.node, {}, &Share::node);
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

PendingJob Pass::job_at(const LineWalk::At& at) const {
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
  const Need* first = nullptr;
  const std::int64_t settled_before = matcher().settled_so_far();
  for (const Request* one = &*job.request; one != nullptr;
       one = one->otherwise ? &**one->otherwise : nullptr) {
    const Need& need = need_now(*one, job.time_limit);
    if (first == nullptr) first = &need;
    if (need.ever_fits) needs.push_back(&need);
  }
  if (needs.empty()) needs.push_back(first);
  const std::int64_t settled = matcher().settled_so_far() - settled_before;
  engine_.note_work(settle_work * settled * nodes().size());
  return needs;
}

Verdict Pass::judge_next(const LineWalk::At& at) {
  Verdict verdict;
  verdict.job = job_at(at);
  if (const auto known = waiting_kinds_.find(at.queue->number); known != waiting_kinds_.end()) {
    verdict.need = known->second.need;
    verdict.outcome = known->second.outcome;
    verdict.others_first = known->second.others_first;
    return verdict;
  }
  judge(verdict);
  if (verdict.only_waits())
    waiting_kinds_[at.queue->number] = {verdict.need, verdict.outcome, verdict.others_first};
  return verdict;
}

std::vector<Verdict> Pass::judge_and_tell(const Telling& telling) {
  if (!telling.asked) return judge_some(std::numeric_limits<std::int64_t>::max());
  tells_ = true;
  std::vector<Verdict> verdicts;
  judge_claims(verdicts);
  judge_guaranteed(verdicts);
  const auto is_told = [&](JobId id) {
    return verdicts.size() < telling.jobs_with_reason || id == telling.also;
  };
  std::optional<const Kind*> kind_also;  // sought when those behind are passed over
  bool is_also_judged = false;
  LineWalk walk(engine_.line());
  for (auto at = walk.front(); at.kind != nullptr || begin_second_round(); at = walk.front()) {
    if (at.kind == nullptr) {
      walk = LineWalk(engine_.line());
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
      Verdict verdict = judge_next(at);
      note_placed(verdict);
      const bool again = starts_another(verdict);
      if (told || !verdict.only_waits()) verdicts.push_back(std::move(verdict));
      if (again) continue;
    }
    walk.next();
  }
  judge_resumes(lowest_standing);
  for (const auto& [id, job] : engine_.held())
    if (is_told(id)) verdicts.emplace_back().job = job;
  return verdicts;
}

std::vector<Verdict> Pass::judge_some(std::int64_t work_max) {
  std::vector<Verdict> verdicts;
  started_first_.clear();  // they are jobs of their own by now
  if (!std::exchange(claims_judged_, true)) {
    judge_claims(verdicts);
    judge_guaranteed(verdicts);
  }
  const std::int64_t work_before = engine_.work();
  copies_started_ = 0;  // likewise
  LineWalk walk(engine_.line(), judged_to_,
                is_amid_copies_ ? LineWalk::From::Place : LineWalk::From::Behind);
  for (auto at = walk.front(); at.kind != nullptr || begin_second_round(); at = walk.front()) {
    if (at.kind == nullptr) {
      walk = LineWalk(engine_.line());
      continue;
    }
    judge_resumes(at.kind->standing());
    const bool is_passed_over = is_put_off(at) || waiting_kinds_.contains(at.queue->number);
    if (engine_.work() - work_before >= work_max) return verdicts;
    if (is_passed_over) {
      walk.skip_kind();
      continue;
    }
    judged_to_ = LinePlace{at.kind->standing(), *at.key};
    is_amid_copies_ = false;
    if (!is_placed(at.key->id)) {  // those were judged before
      Verdict verdict = judge_next(at);
      note_decided(verdict);
      note_placed(verdict);
      is_amid_copies_ = starts_another(verdict);
      if (!verdict.only_waits()) verdicts.push_back(std::move(verdict));
    }
    if (!is_amid_copies_) walk.next();
  }
  judge_resumes(lowest_standing);
  over_ = true;
  return verdicts;
}

void Pass::note_decided(const Verdict& verdict) {
  if (verdict.outcome == Outcome::Starts || verdict.outcome == Outcome::Preempts)
    decided_jobs_.insert(verdict.job.id);
  for (const Move& move : verdict.moves) decided_jobs_.insert(move.job);
}

// A job that stands for several has more to start.
void Pass::note_placed(const Verdict& verdict) {
  const bool starts = verdict.outcome == Outcome::Starts;
  const bool has_place =
      verdict.outcome == Outcome::Promised || verdict.outcome == Outcome::Preempts;
  if (has_place || (starts && verdict.job.copies == 1)) placed_.insert(verdict.job.id);
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

void Pass::judge(Verdict& verdict) {
  Needs needs = needs_of(verdict.job);
  verdict.need = needs.front();
  engine_.note_work(placement_work * verdict.need->nodes);
  const bool is_open = verdict.need->ever_fits;
  if (!is_open) needs = needs_once_open(verdict.job);
  if (needs.empty()) {
    verdict.outcome = Outcome::Unavailable;
    return;
  }
  std::erase_if(needs, [&](const Need* need) { return !is_allowed(verdict.job, *need); });
  if (needs.empty()) {
    verdict.outcome = Outcome::Limited;
    return;
  }
  if (!is_open) return judge_closed(verdict, needs);
  if (judge_now(verdict, needs)) return;
  verdict.need = needs.front();
  std::erase_if(needs, [&](const Need* need) { return !leaves_room(verdict.job, *need); });
  if (needs.empty()) {
    verdict.outcome = Outcome::Limited;
    return;
  }
  verdict.need = needs.front();
  wait(verdict, needs, needs);
}

bool Pass::judge_now(Verdict& verdict, const Needs& needs) {
  for (const auto way : {&Pass::start, &Pass::promise, &Pass::preempt, &Pass::move_others})
    for (const Need* need : needs) {
      verdict.need = need;
      if (!(this->*way)(verdict)) continue;
      hold_limits(verdict);
      return true;
    }
  return false;
}

bool Pass::fits_unclaimed(const Needs& needs) {
  return std::ranges::any_of(needs, [&](const Need* need) {
    const auto [known, is_new] = fits_unclaimed_.try_emplace(need, false);
    if (is_new) known->second = fits(*need, unclaimed_);
    return known->second;
  });
}

void Pass::take_unclaimed(const Shares& shares) {
  unclaimed_.take(shares);
  fits_unclaimed_.clear();
}

void Pass::wait(Verdict& verdict, const Needs& needs_now, const Needs& needs) {
  ++waiting_tried_;
  engine_.note_work(std::ssize(verdict.need->usable));
  // It makes no difference to what is decided, and every node must be looked at.
  verdict.others_first = tells_ && fits_unclaimed(needs_now);
  verdict.outcome = verdict.others_first ? Outcome::Behind : Outcome::NoRoom;
  // Whoever passes can be made to give way, so nothing is reserved.
  if (preempts_inside_tier(engine_.settings().order)) return;
  if (!reservations_)
    reservations_.emplace(nodes(), engine_.settings().backfill, timeline(), matcher().idle(),
                          free());
  reservations_->note_waiting();
  if (reservations_->may_add(verdict.job.account)) reserve(verdict, needs);
}

// As place_allowed() in the free room, without looking at every node again.
std::optional<Shares> Pass::place_now(const Need& need, std::optional<Boot> end) {
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
std::optional<Shares> Pass::place_larger(const PendingJob& job, const Need& need,
                                         std::optional<Boot> end) {
  const std::vector<std::int64_t> sizes = larger_sizes(need);
  if (sizes.empty()) return std::nullopt;
  // Where parts must be even, they are the same in each size.
  const bool is_even = need.tasks_per_node_max <= need.tasks_even();
  const std::vector<NodeAt> some = is_even ? engine_.holding_now(need) : need.usable;
  std::optional<Shares> found;
  std::size_t fit = 0;
  for (std::size_t beyond = sizes.size(); fit < beyond;) {
    const std::size_t middle = fit + (beyond - fit) / 2;
    const Need larger = matcher().sized(need, sizes[middle]);
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

bool Pass::start(Verdict& verdict) {
  std::optional<Shares> shares;
  if (!leaves_room(verdict.job, *verdict.need)) return false;
  const Need& now = need_now(*verdict.need->request, verdict.job.time_limit);
  if (now.ever_fits) shares = place_now(now, end_of(verdict.job, now_));
  if (!shares) shares = place_shortened(verdict);
  if (!shares) return false;
  if (verdict.time_limit) verdict.job.time_limit = verdict.time_limit;
  const auto end = end_of(verdict.job, now_);
  if (auto larger = place_larger(verdict.job, *verdict.need, end)) shares = std::move(larger);
  verdict.outcome = Outcome::Starts;
  verdict.shares = std::move(*shares);
  verdict.expected = now_;
  take_free(verdict.shares);
  coming_.take(verdict.shares);
  take_unclaimed(verdict.shares);
  if (reservations_) {
    reservations_->started(verdict.shares, end);
  } else if (end) {
    decided_.push_back({*end, verdict.shares, Held::Both});
  }
  return true;
}

void Pass::take_free(const Shares& shares) {
  engine_.free().take(shares);
  for (const Share& share : shares) changed_.push_back(share.node);
}

bool Pass::promise(Verdict& verdict) {
  if (engine_.stopping_count() == 0 && victims_.empty()) return false;
  if (!leaves_room(verdict.job, *verdict.need)) return false;
  // When it will begin is not known for certain, so behind a reservation it counts as endless.
  auto shares = place_allowed(verdict.need->usable, *verdict.need, coming_, std::nullopt);
  if (!shares) return false;
  verdict.outcome = Outcome::Promised;
  verdict.shares = std::move(*shares);
  verdict.expected = gone_by(verdict.shares);
  if (reservations_) reservations_->promised(verdict.shares, std::nullopt);
  keep_for(verdict, end_of(verdict.job, verdict.expected));
  return true;
}

// Nothing, if it fits at no time that is known.
void Pass::reserve(Verdict& verdict, const Needs& needs) {
  engine_.note_work(release_work * std::ssize(running()) + std::ssize(verdict.need->usable));
  std::vector<Stretch> stretches;
  for (const Need* need : needs)
    std::ranges::move(stretches_of(*need->request, verdict.job.time_limit),
                      std::back_inserter(stretches));
  std::erase_if(stretches, [](const Stretch& stretch) { return !stretch.need->ever_fits; });
  if (stretches.empty() || waits_in_vain(verdict.job, stretches)) return;
  verdict.outcome = Outcome::Reserved;
  reservations_->add(verdict.job, stretches, now_);
  verdict.need = reservations_->all().back().need;
  verdict.expected = reservations_->all().back().at;
}

// `some`: the nodes that may hold a part now.
std::optional<Shares> Pass::place_allowed_now(std::span<const NodeAt> some, const Need& need,
                                              std::optional<Boot> end) {
  if (!reservations_ || reservations_->may_move()) return place_allowed(some, need, free(), end);
  engine_.note_work(2 * std::ssize(some));
  auto shares = place_among(some, need, nodes(), reservations_->spare_now(end));
  if (shares && !reservations_->allows(*shares, end)) shares.reset();
  return shares;
}

// On the nodes that are least bad, really free ones first; behind a reservation only what does not
// delay it.
std::optional<Shares> Pass::place_allowed(std::span<const NodeAt> some, const Need& need,
                                          const Room& room, std::optional<Boot> end) {
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
void Pass::keep_for(const Verdict& verdict, std::optional<Boot> end) {
  keep(verdict.shares);
  if (end && !reservations_) decided_.push_back({*end, verdict.shares, Held::Promised});
}

void Pass::keep(const Shares& shares) {
  coming_.take(shares);
  for (const Share& share : shares) set_free_least(share.node);
}

void Pass::set_free_least(NodeAt at) {
  engine_.free().set_least(at, unclaimed_, coming_);
  changed_.push_back(at);
}

Room Pass::free_for(const Verdict& verdict) const {
  Room room = free();
  if (verdict.outcome != Outcome::Promised && verdict.outcome != Outcome::Preempts) return room;
  Room coming = coming_;
  coming.give_back(verdict.shares);
  for (const Share& share : verdict.shares) room.set_least(share.node, unclaimed_, coming);
  return room;
}

// When the stopping attempts on these nodes are gone; empty when one of them does not say.
std::optional<Boot> Pass::gone_by(const Shares& shares) const {
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
