#include "schedule/pass/gang_placer.h"

#include <algorithm>
#include <array>
#include <utility>

#include "schedule/place/elastic.h"
#include "schedule/place/place.h"

namespace cox::schedule {

// Gives the same result as place_in() in the free room, but without examining every node.
std::optional<GangParts> GangPlacer::place_now(const ResolvedRequest& need,
                                               std::optional<Boot> end) {
  Ground& ground = facts_.ground();
  const Reservations* reservations = backfill_.reservations();
  if (reservations && reservations->allows_no_backfill()) return std::nullopt;
  if (!rooms_.free().has_licences(need.licences)) return std::nullopt;
  if (!Ranking::settles(need) && !ground.fits_now(need)) return std::nullopt;
  if (!Ranking::serves(need)) return place_free(need.usable, need, end);
  const std::vector<NodeAt> nodes = ground.best_now(need);
  if (nodes.empty() && Ranking::settles(need)) return std::nullopt;
  if (nodes.empty() || (reservations && !reservations->ignores(end)))
    return place_free(ground.holding_now(need), need, end);
  return even_shares(need, facts_.nodes(), rooms_.free(), nodes);
}

std::optional<GangParts> GangPlacer::place_shortened(Decision& decision) {
  const PendingJob& job = decision.job;
  const Request& request = *decision.need->request;
  for (const Milliseconds limit : shorter_limits(job, request)) {
    const ResolvedRequest& need = facts_.need_now(request, limit);
    if (!need.ever_fits) continue;
    if (auto shares = place_now(need, facts_.now() + limit)) {
      decision.need = &need;
      decision.time_limit = limit;
      decision.fills = !job.time_min || limit < *job.time_min;
      return shares;
    }
  }
  return std::nullopt;
}

// Returns the times, longest first, until a reservation begins (of backfill or in advance) or the
// job's own advance reservation ends.
std::vector<Milliseconds> GangPlacer::shorter_limits(const PendingJob& job,
                                                     const Request& request) const {
  std::vector<Milliseconds> limits;
  if (!job.time_min && !job.fill_min) return limits;
  const Milliseconds least = std::min(job.time_min.value_or(Milliseconds::max()),
                                      job.fill_min.value_or(Milliseconds::max()));
  const auto add = [&](Boot end) {
    const Milliseconds until = end - facts_.now();
    if (until >= least && until > Milliseconds{0} && (!job.time_limit || until < *job.time_limit))
      limits.push_back(until);
  };
  if (const Reservations* reservations = backfill_.reservations())
    for (const Reserved& reserved : reservations->all())
      if (reserved.at) add(*reserved.at);
  for (const AdvanceReservation& one : facts_.advance().all())
    for (const auto& occurrence : one.occurrences)
      add(one.name == request.reservation ? occurrence.end : occurrence.begin);
  std::ranges::sort(limits, std::ranges::greater{});
  const auto repeated = std::ranges::unique(limits);
  limits.erase(repeated.begin(), repeated.end());
  return limits;
}

std::optional<GangParts> GangPlacer::place_larger(const PendingJob& job,
                                                  const ResolvedRequest& need,
                                                  std::optional<Boot> end) {
  const std::vector<std::int64_t> sizes = larger_sizes(need);
  if (sizes.empty()) return std::nullopt;
  // If every node must get the same number of tasks, the part of a node is equally large in every
  // size. So nodes without room for such a part can be left out.
  const bool is_even = need.tasks_per_node_max <= need.tasks_even();
  const std::vector<NodeAt> some = is_even ? facts_.ground().holding_now(need) : need.usable;
  std::optional<GangParts> found;
  std::size_t fit = 0;
  for (std::size_t beyond = sizes.size(); fit < beyond;) {
    const std::size_t middle = fit + (beyond - fit) / 2;
    const ResolvedRequest larger = facts_.matcher().sized(need, sizes[middle]);
    const bool allowed = limits_.allows(job, larger) && limits_.leaves_room(job, larger);
    auto shares = allowed ? place_free(some, larger, end) : std::nullopt;
    if (shares) {
      found = std::move(shares);
      fit = middle + 1;
    } else {
      beyond = middle;
    }
  }
  return found;
}

// `some`: the nodes that may hold a part of the gang now.
std::optional<GangParts> GangPlacer::place_free(std::span<const NodeAt> some,
                                                const ResolvedRequest& need,
                                                std::optional<Boot> end) {
  Reservations* reservations = backfill_.reservations();
  if (!reservations || reservations->may_move()) return place_in(rooms_.free(), some, need, end);
  facts_.ground().note_work(2 * std::ssize(some));
  auto shares = place_among(some, need, facts_.nodes(), reservations->spare_now(end, some));
  if (shares && !reservations->allows(*shares, end)) shares.reset();
  return shares;
}

std::optional<GangParts> GangPlacer::place_in(const Room& room, std::span<const NodeAt> some,
                                              const ResolvedRequest& need,
                                              std::optional<Boot> end) {
  const Reservations* reservations = backfill_.reservations();
  const Nodes& nodes = facts_.nodes();
  facts_.ground().note_work((reservations ? 3 : 1) * std::ssize(some));
  const std::array<const Room*, 1> preferred{&rooms_.free()};
  if (!reservations) return place_among(some, need, nodes, room, preferred);
  auto shares = place_among(some, need, nodes, reservations->open(room, end), preferred);
  if (!shares || reservations->allows(*shares, end)) return shares;
  shares = place_among(some, need, nodes, reservations->spare(room, end), preferred);
  if (shares && !reservations->allows(*shares, end)) shares.reset();
  return shares;
}

}  // namespace cox::schedule
