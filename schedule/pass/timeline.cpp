#include "schedule/pass/timeline.h"

#include <algorithm>

#include "schedule/place/fitting.h"
#include "schedule/place/place.h"

namespace cox::schedule {
namespace {

constexpr Milliseconds for_good = Milliseconds::max();

constexpr auto earlier = [](const auto& a, const auto& b) { return a.at < b.at; };

}  // namespace

void Timeline::Rooms::changed(const GangParts& shares) {
  for (const NodePart& share : shares) both.set_least(share.node, actual, unpromised);
}

// If `apart` is false, both rooms change alike, so it is enough to update the smaller of them.
void Timeline::Rooms::take(const GangParts& shares) {
  if (!apart) return both.take(shares);
  actual.take(shares);
  unpromised.take(shares);
  changed(shares);
}

void Timeline::Rooms::give_back(const GangParts& shares) {
  if (!apart) return both.give_back(shares);
  actual.give_back(shares);
  unpromised.give_back(shares);
  changed(shares);
}

void Timeline::Rooms::release(const Release& release) {
  if (release.held == Held::Both) return give_back(*release.shares);
  (release.held == Held::Actually ? actual : unpromised).give_back(*release.shares);
  changed(*release.shares);
}

Timeline::Timeline(const Nodes& nodes, Room actual, Room unpromised, std::vector<Release> releases)
    : nodes_(nodes),
      now_{std::move(actual), std::move(unpromised), {}},
      releases_(std::move(releases)) {
  now_.both = now_.actual;
  now_.both.limit_to(now_.unpromised);
}

void Timeline::add_edge(ClaimEdge edge) {
  edges_.insert(std::ranges::upper_bound(edges_, edge, earlier), edge);
}

Timeline::Rooms Timeline::rooms_now() const {
  const auto is_for_both = [](const Release& release) { return release.held == Held::Both; };
  if (!std::ranges::all_of(releases_, is_for_both)) return now_;
  return {{}, {}, now_.both, false};
}

Boot Timeline::not_before(const ResolvedRequest& need, Boot now,
                          std::optional<Milliseconds> lasts) const {
  const auto known = answers_.find(&need);
  if (known == answers_.end()) return now;
  Boot first = now;
  for (const Answer& answer : known->second)
    if (answer.lasts <= lasts.value_or(for_good)) first = std::max(first, answer.at);
  return first;
}

void Timeline::note_answer(const ResolvedRequest& need, std::optional<Milliseconds> lasts,
                           Boot at) {
  std::vector<Answer>& answers = answers_[&need];
  const auto same = std::ranges::find(answers, lasts.value_or(for_good), &Answer::lasts);
  if (same != answers.end()) {
    same->at = at;
  } else {
    answers.push_back({lasts.value_or(for_good), at});
  }
}

// Steps from one change of the room to the next. At each, `fitting` shows without examining every
// node whether the gang may fit; only if so are later claims examined.
std::optional<Timeline::Fit> Timeline::earliest(const ResolvedRequest& need, Boot now,
                                                std::optional<Milliseconds> lasts,
                                                std::optional<Boot> until) {
  sort_releases();
  const Boot first = not_before(need, now, lasts);
  Rooms rooms = rooms_now();
  std::size_t next_release = 0;
  for (; next_release < releases_.size() && releases_[next_release].at <= first; ++next_release)
    rooms.release(releases_[next_release]);
  for (const Claim& claim : claims_)
    if (claim.from <= first && (!claim.until || *claim.until > first)) rooms.take(claim.shares);
  auto next_edge = std::ranges::upper_bound(edges_, ClaimEdge{first}, earlier);
  Fitting fitting(need, nodes_, rooms.both);
  FitsBeside fits_beside(claims_.size());
  for (Boot at = first; !until || at < *until;) {
    for (; next_release < releases_.size() && releases_[next_release].at <= at; ++next_release) {
      rooms.release(releases_[next_release]);
      fitting.nodes_changed(*releases_[next_release].shares, rooms.both);
    }
    for (; next_edge != edges_.end() && next_edge->at <= at; ++next_edge) {
      const GangParts& shares = claims_[next_edge->claim].shares;
      next_edge->begins ? rooms.take(shares) : rooms.give_back(shares);
      fitting.nodes_changed(shares, rooms.both);
    }
    const auto end = lasts ? std::optional(at + *lasts) : std::nullopt;
    const Claim* bar = nullptr;
    if (fitting.enough()) {
      bar = last_that_bars(need, at, end, fits_beside);
      const std::vector<NodeAt> some = bar == nullptr ? fitting.holding() : std::vector<NodeAt>{};
      if (bar == nullptr)
        if (auto shares = place_among(some, need, nodes_, during(rooms.both, some, at, end))) {
          note_answer(need, lasts, at);
          return Fit{at, std::move(*shares), std::move(rooms.both)};
        }
    }
    std::optional<Boot> next;
    if (next_release < releases_.size()) next = releases_[next_release].at;
    if (next_edge != edges_.end() && (!next || next_edge->at < *next)) next = next_edge->at;
    if (!next) return std::nullopt;
    at = bar != nullptr ? std::max(*next, bar->from) : *next;
  }
  return std::nullopt;
}

// Steps from one change of the room to the next, like earliest().
std::optional<Timeline::Fit> Timeline::earliest_of(const GangParts& place, Boot now,
                                                   std::optional<Milliseconds> lasts) {
  sort_releases();
  Rooms rooms = rooms_now();
  std::size_t next_release = 0;
  auto next_edge = edges_.begin();
  std::vector<NodeAt> some;
  for (const NodePart& part : place) some.push_back(part.node);
  for (Boot at = now;;) {
    for (; next_release < releases_.size() && releases_[next_release].at <= at; ++next_release)
      rooms.release(releases_[next_release]);
    for (; next_edge != edges_.end() && next_edge->at <= at; ++next_edge) {
      const GangParts& shares = claims_[next_edge->claim].shares;
      next_edge->begins ? rooms.take(shares) : rooms.give_back(shares);
    }
    const auto end = lasts ? std::optional(at + *lasts) : std::nullopt;
    if (rooms.both.covers(place) && during(rooms.both, some, at, end).covers(place))
      return Fit{at, place, std::move(rooms.both)};
    std::optional<Boot> next;
    if (next_release < releases_.size()) next = releases_[next_release].at;
    if (next_edge != edges_.end() && (!next || next_edge->at < *next)) next = next_edge->at;
    if (!next) return std::nullopt;
    at = *next;
  }
}

// Visits the claims that begin in (after, before), the last one first, until `visit` returns true.
template <class Visit>
void Timeline::each_claim_from_last(Boot after, std::optional<Boot> before, Visit visit) const {
  auto edge = before ? std::ranges::lower_bound(edges_, ClaimEdge{*before}, earlier) : edges_.end();
  while (edge != edges_.begin() && (--edge)->at > after)
    if (edge->begins && visit(claims_[edge->claim])) return;
}

// Returns the last claim that begins between `at` and `end` and leaves no room for the gang; null
// if there is none. The gang cannot be running when that claim begins.
const Claim* Timeline::last_that_bars(const ResolvedRequest& need, Boot at, std::optional<Boot> end,
                                      FitsBeside& known) const {
  const Claim* last = nullptr;
  each_claim_from_last(at, end, [&](const Claim& claim) {
    std::optional<bool>& fits_beside = known[static_cast<std::size_t>(&claim - claims_.data())];
    if (!fits_beside) fits_beside = fits(need, claim.beside);
    if (!*fits_beside) last = &claim;
    return last != nullptr;
  });
  return last;
}

// Returns the least room between `at` and `end` on the nodes `some`: of `room` and of what is left
// whenever a claim begins. Other nodes keep what they have in `room`.
Room Timeline::during(const Room& room, std::span<const NodeAt> some, Boot at,
                      std::optional<Boot> end) const {
  Room least = room;
  each_claim_from_last(at, end, [&](const Claim& claim) {
    for (const NodeAt node : some) least.set_least(node, least, claim.beside);
    return false;
  });
  return least;
}

template <class Change>
void Timeline::at_claims_from(Boot end, Change change) {
  for (Claim& claim : claims_) {
    if (claim.from < end) continue;
    change(claim.then);
    change(claim.beside);
  }
}

template <class Change>
void Timeline::at_claims_before(std::optional<Boot> end, Change change) {
  for (Claim& claim : claims_) {
    if (end && claim.from >= *end) continue;
    change(claim, claim.then);
    change(claim, claim.beside);
  }
}

void Timeline::claim(Fit fit, std::optional<Boot> until) {
  at_claims_before(until, [&](Claim& other, Room& room) {
    if (other.from >= fit.at) room.take(fit.shares);
  });
  Room beside = fit.room;
  beside.take(fit.shares);
  add_edge({fit.at, true, claims_.size()});
  if (until) add_edge({*until, false, claims_.size()});
  claims_.push_back({std::move(fit.shares), fit.at, until, std::move(fit.room), std::move(beside)});
}

void Timeline::sort_releases() {
  const auto added = releases_.begin() + sorted_count_;
  std::stable_sort(added, releases_.end(), earlier);
  std::inplace_merge(releases_.begin(), added, releases_.end(), earlier);
  sorted_count_ = std::ssize(releases_);
}

void Timeline::hold_after(const GangParts& shares, std::optional<Boot> end) {
  at_claims_before(end, [&](const Claim&, Room& room) { room.take(shares); });
}

void Timeline::start(const GangParts& shares, std::optional<Boot> end) {
  now_.actual.take(shares);
  now_.unpromised.take(shares);
  now_.changed(shares);
  if (end) releases_.push_back({*end, shares, Held::Both});
  hold_after(shares, end);
}

void Timeline::resume(const GangParts& cpus, const Shared<GangParts>& rest,
                      std::optional<Boot> end) {
  start(cpus, end);
  if (!end) return;
  answers_.clear();
  releases_.push_back({*end, rest, Held::Both});
  at_claims_from(*end, [&](Room& room) { room.give_back(*rest); });
}

void Timeline::promise(const GangParts& shares, std::optional<Boot> end) {
  now_.unpromised.take(shares);
  now_.changed(shares);
  if (end) releases_.push_back({*end, shares, Held::Promised});
  hold_after(shares, end);
}

// The CPUs are taken at once, also those that other jobs still hold: until these end, the node has
// a negative amount.
void Timeline::keep(const GangParts& cpus) {
  const Room last = this->last();
  GangParts kept = cpus;
  for (NodePart& share : kept.parts)
    share.cpus = std::clamp<std::int64_t>(last[share.node].cpus, 0, share.cpus);
  now_.unpromised.take(kept);
  now_.changed(kept);
  for (Claim& claim : claims_) {
    GangParts beside = kept;
    for (NodePart& share : beside.parts)
      share.cpus = std::clamp<std::int64_t>(claim.beside[share.node].cpus, 0, share.cpus);
    claim.then.take(beside);
    claim.beside.take(beside);
  }
}

std::optional<Boot> Timeline::end_of(const Shared<GangParts>& held,
                                     std::optional<Boot> otherwise) const {
  for (const Release& release : releases_)
    if (release.held == Held::Both && release.shares.is(held)) return release.at;
  return otherwise;
}

// REQUIRES: `freed.end` is the result of end_of().
void Timeline::stop(const Freed& freed, Boot now) {
  answers_.clear();
  const auto its_end = std::ranges::find_if(releases_, [&](const Release& release) {
    return release.held == Held::Both && release.shares.is(freed.held);
  });
  if (its_end != releases_.end()) {
    if (its_end - releases_.begin() < sorted_count_) --sorted_count_;
    releases_.erase(its_end);
  }
  now_.unpromised.give_back(*freed.shares);
  now_.changed(*freed.shares);
  releases_.push_back({now, freed.shares, Held::Actually});
  at_claims_before(freed.end, [&](const Claim&, Room& room) { room.give_back(*freed.shares); });
  if (freed.end) at_claims_from(*freed.end, [&](Room& room) { room.take(freed.stays); });
}

void Timeline::move_claim(std::size_t claim, GangParts shares) {
  answers_.clear();
  Claim& moved = claims_[claim];
  moved.shares = std::move(shares);
  moved.beside = moved.then;
  moved.beside.take(moved.shares);
}

Room Timeline::last() {
  sort_releases();
  Rooms rooms = now_;
  for (const Release& release : releases_) rooms.release(release);
  return rooms.both;
}

}  // namespace cox::schedule
