#include "schedule/timeline.h"

#include <algorithm>

#include "schedule/fitting.h"
#include "schedule/place.h"

namespace cox::schedule {
namespace {

constexpr auto earlier = [](const auto& a, const auto& b) { return a.at < b.at; };

}  // namespace

void Timeline::Rooms::changed(const Shares& shares) {
  for (const Share& share : shares) both.set_least(share.node, actual, unpromised);
}

void Timeline::Rooms::release(const Release& release) {
  if (release.held != Held::Promised) actual.give_back(*release.shares);
  if (release.held != Held::Actually) unpromised.give_back(*release.shares);
  changed(*release.shares);
}

void Timeline::Rooms::pass(const Shares& claimed, bool begins) {
  for (Room* room : {&actual, &unpromised}) begins ? room->take(claimed) : room->give_back(claimed);
  changed(claimed);
}

Timeline::Timeline(const Nodes& nodes, Room actual, Room unpromised, std::vector<Release> releases)
    : nodes_(nodes),
      now_{std::move(actual), std::move(unpromised), {}},
      releases_(std::move(releases)) {
  now_.both = now_.actual;
  now_.both.limit_to(now_.unpromised);
}

std::vector<Timeline::ClaimEdge> Timeline::claim_edges() const {
  std::vector<ClaimEdge> edges;
  for (std::size_t i = 0; i < claims_.size(); ++i) {
    edges.push_back({claims_[i].from, true, i});
    if (claims_[i].until) edges.push_back({*claims_[i].until, false, i});
  }
  std::ranges::stable_sort(edges, earlier);
  return edges;
}

// Goes from one change of the room to the next. `fitting` tells without looking at every node
// whether the gang fits at that moment; only then are the claims after it looked at.
std::optional<Timeline::Fit> Timeline::earliest(const Need& need, Boot now,
                                                std::optional<Milliseconds> lasts) {
  sort_releases();
  Rooms rooms = now_;
  Fitting fitting(need, nodes_, rooms.both);
  const std::vector<ClaimEdge> edges = claim_edges();
  std::size_t next_release = 0;
  std::size_t next_edge = 0;
  for (Boot at = now;;) {
    for (; next_release < releases_.size() && releases_[next_release].at <= at; ++next_release) {
      rooms.release(releases_[next_release]);
      fitting.nodes_changed(*releases_[next_release].shares, rooms.both);
    }
    for (; next_edge < edges.size() && edges[next_edge].at <= at; ++next_edge) {
      const Shares& shares = claims_[edges[next_edge].claim].shares;
      rooms.pass(shares, edges[next_edge].begins);
      fitting.nodes_changed(shares, rooms.both);
    }
    const auto end = lasts ? std::optional(at + *lasts) : std::nullopt;
    const Claim* bar = nullptr;
    if (fitting.enough()) {
      bar = last_that_bars(need, at, end);
      if (bar == nullptr)
        if (auto shares = place(need, nodes_, during(rooms.both, at, end)))
          return Fit{at, std::move(*shares), std::move(rooms.both)};
    }
    std::optional<Boot> next;
    if (next_release < releases_.size()) next = releases_[next_release].at;
    if (next_edge < edges.size() && (!next || edges[next_edge].at < *next))
      next = edges[next_edge].at;
    if (!next) return std::nullopt;
    at = bar != nullptr ? std::max(*next, bar->from) : *next;
  }
}

// Goes from one change of the room to the next, as earliest() does.
std::optional<Timeline::Fit> Timeline::earliest_of(const Shares& place, Boot now,
                                                   std::optional<Milliseconds> lasts) {
  sort_releases();
  Rooms rooms = now_;
  const std::vector<ClaimEdge> edges = claim_edges();
  std::size_t next_release = 0;
  std::size_t next_edge = 0;
  for (Boot at = now;;) {
    for (; next_release < releases_.size() && releases_[next_release].at <= at; ++next_release)
      rooms.release(releases_[next_release]);
    for (; next_edge < edges.size() && edges[next_edge].at <= at; ++next_edge)
      rooms.pass(claims_[edges[next_edge].claim].shares, edges[next_edge].begins);
    const auto end = lasts ? std::optional(at + *lasts) : std::nullopt;
    if (rooms.both.covers(place) && during(rooms.both, at, end).covers(place))
      return Fit{at, place, std::move(rooms.both)};
    std::optional<Boot> next;
    if (next_release < releases_.size()) next = releases_[next_release].at;
    if (next_edge < edges.size() && (!next || edges[next_edge].at < *next))
      next = edges[next_edge].at;
    if (!next) return std::nullopt;
    at = *next;
  }
}

// The last claim that begins between and leaves no room for the gang: any stay over it is in vain.
const Claim* Timeline::last_that_bars(const Need& need, Boot at, std::optional<Boot> end) const {
  const Claim* last = nullptr;
  for (const Claim& claim : claims_)
    if (claim.from > at && claim.during(at, end) && (last == nullptr || claim.from > last->from))
      if (!fits(need, claim.beside)) last = &claim;
  return last;
}

// The least room there is in that time: now, and whenever a claim begins.
Room Timeline::during(const Room& room, Boot at, std::optional<Boot> end) const {
  Room least = room;
  for (const Claim& claim : claims_)
    if (claim.from > at && claim.during(at, end)) least.limit_to(claim.beside);
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
  claims_.push_back({std::move(fit.shares), fit.at, until, std::move(fit.room), std::move(beside)});
}

void Timeline::sort_releases() {
  const auto added = releases_.begin() + sorted_count_;
  std::stable_sort(added, releases_.end(), earlier);
  std::inplace_merge(releases_.begin(), added, releases_.end(), earlier);
  sorted_count_ = std::ssize(releases_);
}

void Timeline::hold_after(const Shares& shares, std::optional<Boot> end) {
  at_claims_before(end, [&](const Claim&, Room& room) { room.take(shares); });
}

void Timeline::start(const Shares& shares, std::optional<Boot> end) {
  now_.actual.take(shares);
  now_.unpromised.take(shares);
  now_.changed(shares);
  if (end) releases_.push_back({*end, shares, Held::Both});
  hold_after(shares, end);
}

void Timeline::promise(const Shares& shares, std::optional<Boot> end) {
  now_.unpromised.take(shares);
  now_.changed(shares);
  if (end) releases_.push_back({*end, shares, Held::Promised});
  hold_after(shares, end);
}

std::optional<Boot> Timeline::end_of(const Shared<Shares>& held,
                                     std::optional<Boot> otherwise) const {
  for (const Release& release : releases_)
    if (release.held == Held::Both && release.shares.is(held)) return release.at;
  return otherwise;
}

// REQUIRES: its end is as end_of() says.
void Timeline::stop(const Freed& freed, Boot now) {
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

void Timeline::move_claim(std::size_t claim, Shares shares) {
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
