#include "schedule/pass/backfill.h"

#include <algorithm>
#include <array>

#include "common/base/check.h"
#include "schedule/place/place.h"

namespace cox::schedule {
namespace {

// Number of suspended jobs whose CPUs are reserved from a known time on. Each costs two copies of
// the cluster's room.
constexpr std::size_t resumes_timed_max = 16;

bool over_by(std::optional<Boot> end, Boot time) {
  return end && *end <= time;
}

}  // namespace

Reservations::Reservations(const Nodes& nodes, Backfill policy, Timeline timeline, const Room& idle,
                           const Room& free)
    : nodes_(nodes), policy_(policy), timeline_(std::move(timeline)), idle_(idle), free_(free) {}

bool Reservations::may_add(std::int64_t account) const {
  if (held_ || policy_.reservations == 0 || unreserved_ == unreserved_max) return false;
  if (std::cmp_less(reserved_.size(), policy_.reservations)) return true;
  return account != 0 && reserved_.size() < accounts_max &&
         std::ranges::find(reserved_, account, &Reserved::account) == reserved_.end();
}

bool Reservations::is_full(const std::map<std::int64_t, std::int64_t>& accounts) const {
  if (!waits_) return false;
  if (reserved_.size() >= accounts_max) return !may_add(0);
  return std::ranges::none_of(accounts, [this](const auto& one) { return may_add(one.first); });
}

std::optional<Timeline::Fit> Reservations::estimate(std::span<const Stretch> stretches,
                                                    std::optional<Milliseconds> lasts) const {
  Timeline timeline(timeline_);  // a copy, since earliest() changes the timeline
  if (held_) timeline.start(held_->shares, std::nullopt);
  std::optional<Timeline::Fit> fit;
  for (const Stretch& stretch : stretches)
    if (!fit || stretch.from < fit->at)
      if (auto other = timeline.earliest(*stretch.need, stretch.from, lasts, stretch.until);
          other && (!fit || other->at < fit->at))
        fit = std::move(other);
  return fit;
}

Reservations::Added Reservations::add(const PendingJob& job, std::span<const Stretch> stretches,
                                      Boot now) {
  Reserved reserved{job.id, job.account, stretches.front().need, {}};
  std::optional<Timeline::Fit> fit;
  for (const Stretch& stretch : stretches) {
    if (fit && fit->at <= stretch.from) continue;
    auto other = timeline_.earliest(*stretch.need, std::max(now, stretch.from), job.time_limit,
                                    stretch.until);
    if (!other || (fit && fit->at <= other->at)) continue;
    fit = std::move(other);
    reserved.need = stretch.need;
  }
  if (!fit || fit->at - now > window) {
    ++unreserved_;
    return fit ? Added::TooLate : Added::Unknown;
  }
  windows_.clear();
  reserved.at = fit->at;
  reserved.claim = timeline_.claims().size();
  std::optional<Boot> until;
  if (job.time_limit) until = fit->at + *job.time_limit;
  timeline_.claim(std::move(*fit), until);
  reserved_.push_back(reserved);
  return Added::Reserved;
}

void Reservations::hold(const PendingJob& job, const ResolvedRequest& need) {
  windows_.clear();
  const Room last = timeline_.last();
  const std::array<const Room*, 2> preferred{&free_, &last};
  auto shares = place(need, nodes_, idle_, preferred);
  CHECK(shares.has_value());
  reserved_.push_back({job.id, job.account, &need, {}});
  held_ = HeldPlace{&need, std::move(*shares), idle_};
}

bool Reservations::ignores(std::optional<Boot> end) const {
  return !allows_no_backfill() && !held_ && kept_.empty() &&
         std::ranges::all_of(timeline_.claims(),
                             [&](const Claim& claim) { return over_by(end, claim.from); });
}

Room Reservations::open(const Room& room, std::optional<Boot> end) const {
  return may_move() ? room : spare(room, end);
}

Room Reservations::spare(const Room& room, std::optional<Boot> end) const {
  Room spare = room;
  for (const Claim& claim : timeline_.claims())
    if (!over_by(end, claim.from)) spare.limit_to(claim.beside);
  if (held_) spare.hold_back(held_->shares);
  for (const GangParts& cpus : kept_) spare.hold_back(cpus);
  return spare;
}

// Claim::beside is the room that is left beside all claims that hold room when the claim begins.
// The room of the job's own claim and of claims made after it is added back.
Room Reservations::spare_beside(JobId job, const Room& room, std::optional<Boot> end) const {
  const auto own = std::ranges::find(reserved_, job, &Reserved::job);
  if (own == reserved_.end()) return spare(room, end);
  const std::span<const Claim> claims(timeline_.claims());
  const std::size_t before = own->at ? own->claim : claims.size();
  Room spare = room;
  for (const Claim& claim : claims.first(before)) {
    if (over_by(end, claim.from)) continue;
    Room beside = claim.beside;
    for (const Claim& later : claims.subspan(before))
      if (later.from <= claim.from && !over_by(later.until, claim.from))
        beside.give_back(later.shares);
    spare.limit_to(beside);
  }
  for (const GangParts& cpus : kept_) spare.hold_back(cpus);
  return spare;
}

std::vector<bool> Reservations::claims_before(std::optional<Boot> end) const {
  std::vector<bool> before;
  for (const Claim& claim : timeline_.claims()) before.push_back(!over_by(end, claim.from));
  return before;
}

const Room& Reservations::spare_now(std::optional<Boot> end, std::span<const NodeAt> some) {
  std::vector<bool> claims = claims_before(end);
  auto window = std::ranges::find(windows_, claims, &Window::claims);
  const bool is_whole = held_ || !kept_.empty();
  if (window == windows_.end()) {
    Room room = is_whole ? spare(free_, end) : free_;
    const std::vector<bool> limited(static_cast<std::size_t>(room.size()), is_whole);
    windows_.push_back({std::move(claims), std::move(room), limited});
    window = std::prev(windows_.end());
  }
  for (const NodeAt at : some)
    if (!window->limited[static_cast<std::size_t>(at)]) limit(*window, at);
  return window->room;
}

void Reservations::limit(Window& window, NodeAt at) {
  window.room.set_least(at, free_, free_);
  for (std::size_t i = 0; i < window.claims.size(); ++i)
    if (window.claims[i]) window.room.set_least(at, window.room, timeline_.claims()[i].beside);
  window.limited[static_cast<std::size_t>(at)] = true;
}

bool Reservations::allows(const GangParts& shares, std::optional<Boot> end,
                          std::span<const Freed> freed) const {
  if (allows_no_backfill()) return false;
  for (const Claim& claim : timeline_.claims())
    if (!over_by(end, claim.from) && !leaves(claim, shares, freed)) return false;
  if (!held_) return true;
  Room room = held_->idle;
  room.take(shares);
  return fits(*held_->need, room);
}

bool Reservations::leaves(const Claim& claim, const GangParts& shares,
                          std::span<const Freed> freed) const {
  Room room = claim.then;
  for (const Freed& one : freed)
    if (over_by(one.end, claim.from)) {
      room.take(one.stays);
    } else {
      room.give_back(*one.shares);
    }
  if (!room.covers(shares)) return false;
  room.take(shares);
  return room.covers(claim.shares) || (may_move() && fits(*reserved_.front().need, room));
}

void Reservations::started(const GangParts& shares, std::optional<Boot> end) {
  timeline_.start(shares, end);
  if (held_) held_->idle.take(shares);
  settle();
  if (held_ || may_move() || !kept_.empty()) return windows_.clear();
  for (Window& window : windows_)
    for (const NodePart& share : shares) limit(window, share.node);
}

void Reservations::promised(const GangParts& shares, std::optional<Boot> end) {
  windows_.clear();
  timeline_.promise(shares, end);
  if (held_) held_->idle.take(shares);
  settle();
}

void Reservations::stopped(std::span<const Freed> freed, Boot now) {
  windows_.clear();
  for (const Freed& one : freed) timeline_.stop(one, now);
}

std::optional<Boot> Reservations::add_resume(const GangParts& cpus, Boot now,
                                             std::optional<Milliseconds> lasts) {
  windows_.clear();
  std::optional<Timeline::Fit> fit;
  if (resumes_timed_ < resumes_timed_max) fit = timeline_.earliest_of(cpus, now, lasts);
  if (!fit) {
    timeline_.keep(cpus);
    kept_.push_back(cpus);
    return std::nullopt;
  }
  ++resumes_timed_;
  const Boot at = fit->at;
  timeline_.claim(std::move(*fit), lasts ? std::optional(at + *lasts) : std::nullopt);
  return at;
}

bool Reservations::is_kept_in_vain(std::span<const GangParts* const> suspended) const {
  if (!held_) return false;
  Room room = held_->idle;
  for (const GangParts* rest : suspended) room.take(*rest);
  return !fits(*held_->need, room);
}

bool Reservations::lets_resume(const GangParts& cpus, std::optional<Boot> end,
                               std::span<const GangParts* const> suspended) const {
  for (const Claim& claim : timeline_.claims())
    if (!over_by(end, claim.from) && !leaves(claim, cpus, {})) return false;
  const bool respects_held = held_ && !is_kept_in_vain(suspended);
  if (!respects_held && kept_.empty()) return true;
  Room beside = free_;
  if (respects_held) beside.hold_back(held_->shares);
  for (const GangParts& kept : kept_) beside.hold_back(kept);
  if (!beside.covers(cpus)) return false;
  if (!respects_held) return true;
  Room room = held_->idle;
  room.take(cpus);
  return fits(*held_->need, room);
}

void Reservations::resumed(const GangParts& cpus, const Shared<GangParts>& rest,
                           std::optional<Boot> end, std::span<const GangParts* const> suspended) {
  windows_.clear();
  timeline_.resume(cpus, rest, end);
  if (held_ && !is_kept_in_vain(suspended)) held_->idle.take(cpus);
  settle();
}

// If a job was allowed on the place of the only reservation, moves that reservation to another
// place at the same time.
void Reservations::settle() {
  if (!may_move() || timeline_.claims().empty()) return;
  const Claim& claim = timeline_.claims().front();
  if (claim.then.covers(claim.shares)) return;
  auto moved = place(*reserved_.front().need, nodes_, claim.then);
  CHECK(moved.has_value());
  timeline_.move_claim(0, std::move(*moved));
}

}  // namespace cox::schedule
