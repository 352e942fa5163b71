#include "schedule/place/advance.h"

#include <algorithm>
#include <limits>

#include "schedule/model/late_begin.h"

namespace cox::schedule {
namespace {

std::optional<Boot> end_of(Boot from, std::optional<Milliseconds> lasts) {
  if (!lasts || *lasts >= boot_from_ms(std::numeric_limits<std::int64_t>::max()) - from)
    return std::nullopt;
  return from + *lasts;
}

// Returns whether a job meets an occurrence that is not listed yet: it would begin after the last
// listed occurrence of a reservation that recurs, and is longer than every pause between two listed
// ones.
bool meets_later_one(const AdvanceReservation& reservation, Boot from, std::optional<Boot> until) {
  const auto& all = reservation.occurrences;
  if (!reservation.recurs || all.empty() || from < all.back().end) return false;
  if (!until) return true;
  Milliseconds longest{0};
  for (std::size_t i = 1; i < all.size(); ++i)
    longest = std::max(longest, all[i].begin - all[i - 1].end);
  return all.size() > 1 && *until - from > longest;
}

bool overlaps(const AdvanceReservation& reservation, Boot from, std::optional<Boot> until) {
  const bool meets = std::ranges::any_of(reservation.occurrences, [&](const auto& one) {
    return one.end > from && (!until || one.begin < *until);
  });
  return meets || meets_later_one(reservation, from, until);
}

// Returns whether a job fits in an occurrence. A job that is exactly as long is accepted up to
// late_begin_max after the begin, since it never starts in the first millisecond.
bool lasts_for(const AdvanceReservation& reservation, Boot from, std::optional<Boot> until) {
  return std::ranges::any_of(reservation.occurrences, [&](const auto& one) {
    const Milliseconds late = from - one.begin;
    const Milliseconds may_overrun = late <= late_begin_max ? late : Milliseconds{0};
    return one.begin <= from && from < one.end && until && *until <= one.end + may_overrun;
  });
}

}  // namespace

AdvanceReservations::AdvanceReservations(const Nodes& nodes, std::vector<AdvanceReservation> all)
    : nodes_(nodes), all_(std::move(all)) {
  for (const AdvanceReservation& one : all_) {
    std::vector<bool>& among =
        nodes_of_.emplace_back(std::vector<bool>(static_cast<std::size_t>(nodes.size())));
    for (const std::string& name : one.nodes)
      if (const auto at = nodes.find(name)) among[static_cast<std::size_t>(*at)] = true;
  }
}

AdvanceReservations::Position AdvanceReservations::position_of(const std::string& name) const {
  const auto found = std::ranges::find(all_, name, &AdvanceReservation::name);
  return found == all_.end() ? none : static_cast<Position>(found - all_.begin());
}

const AdvanceReservation* AdvanceReservations::find(const std::string& name) const {
  const Position position = position_of(name);
  return position == none ? nullptr : &all_[position];
}

const Closed* AdvanceReservations::of(const Key& key) {
  const auto [known, is_new] = known_.try_emplace(key);
  if (!is_new) return known->second.get();
  const auto& [own, entirely, closing] = key;
  auto closed = std::make_unique<Closed>();
  closed->entirely = entirely;
  if (own != none) closed->inside = all_[own].flex ? nullptr : &all_[own];
  for (Position i = 0; i < closing.size(); ++i)
    if (closing[i]) closed->by.push_back(&all_[i]);
  for (NodeAt at = 0; at < nodes_.size(); ++at) {
    const bool is_own = own != none && has(own, at);
    bool is_closed = entirely || (closed->inside != nullptr && !is_own);
    // the job may use its reservation's nodes although others close them, but not a silent node
    const bool overrules = is_own && all_[own].overrules;
    for (Position i = 0; i < closing.size(); ++i)
      if (!overrules || all_[i].is_silence) is_closed = is_closed || (closing[i] && has(i, at));
    closed->nodes.push_back(is_closed);
  }
  known->second = std::move(closed);
  return known->second.get();
}

const Closed* AdvanceReservations::closed(const std::string& in, Boot from,
                                          std::optional<Milliseconds> lasts) {
  if (all_.empty() && in.empty()) return nullptr;
  const std::optional<Boot> until = end_of(from, lasts);
  const Position own = in.empty() ? none : position_of(in);
  const bool is_gone = !in.empty() && own == none;
  if (is_gone || (own != none && !all_[own].flex && !lasts_for(all_[own], from, until)))
    return of({own, true, {}});
  std::vector<bool> closing(all_.size());
  bool any = own != none;
  for (Position i = 0; i < all_.size(); ++i) {
    closing[i] = i != own && overlaps(all_[i], from, until);
    any = any || closing[i];
  }
  return any ? of({own, false, std::move(closing)}) : nullptr;
}

const Closed* AdvanceReservations::always_closed(const std::string& in) {
  if (in.empty()) return nullptr;
  const Position own = position_of(in);
  return of({own, own == none, std::vector<bool>(all_.size())});
}

std::optional<Boot> AdvanceReservations::change_after(const std::string& in, Boot at,
                                                      std::optional<Milliseconds> lasts) const {
  constexpr Milliseconds moment{1};
  std::optional<Boot> next;
  const auto consider = [&](Boot moment_at) {
    if (moment_at > at && (!next || moment_at < *next)) next = moment_at;
  };
  const Position own = in.empty() ? none : position_of(in);
  for (Position i = 0; i < all_.size(); ++i)
    for (const auto& one : all_[i].occurrences) {
      consider(one.end);
      if (i == own) {
        consider(one.begin);
        consider(one.begin + late_begin_max + moment);
      }
      if (!lasts || *lasts > one.end - at) continue;
      consider((i == own ? one.end : one.begin) - *lasts + moment);
    }
  return next;
}

bool AdvanceReservations::bars(const GangParts& shares, const std::string& in, Boot from,
                               std::optional<Milliseconds> lasts) {
  const Closed* const now = closed(in, from, lasts);
  return now != nullptr &&
         std::ranges::any_of(shares, [&](const NodePart& share) { return now->has(share.node); });
}

std::optional<Boot> AdvanceReservations::next_edge(Boot after) const {
  std::optional<Boot> next;
  for (const AdvanceReservation& reservation : all_)
    for (const auto& one : reservation.occurrences)
      for (const Boot edge : {one.begin, one.end})
        if (edge > after && (!next || edge < *next)) next = edge;
  return next;
}

std::optional<Milliseconds> lasts_anew(const RunningJob& job) {
  if (job.time_left) return job.time_left;
  if (!job.ends_by) return std::nullopt;
  return std::max(Milliseconds{0}, *job.ends_by - job.began);
}

}  // namespace cox::schedule
