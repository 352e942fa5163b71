#include "schedule/place/elastic.h"

#include <algorithm>
#include <array>

#include "schedule/place/matcher.h"
#include "schedule/place/place.h"

namespace cox::schedule {

std::vector<std::int64_t> larger_sizes(const ResolvedRequest& need) {
  const Request& request = *need.request;
  std::vector<std::int64_t> sizes;
  const auto most = std::min(request.nodes_most, std::ssize(need.usable));
  if (request.sizes.empty())
    for (std::int64_t size = need.nodes + 1; size <= most; ++size) sizes.push_back(size);
  for (const std::int64_t size : request.sizes)
    if (size > need.nodes && size <= most) sizes.push_back(size);
  return sizes;
}

std::optional<GangParts> largest_home(const ResolvedRequest& least, const Matcher& matcher,
                                      const Nodes& nodes, const LimitUse& limits,
                                      const RunningJob& job, const Room& room) {
  auto found = place(least, nodes, room);
  if (!found) return std::nullopt;
  const std::vector<std::int64_t> sizes = larger_sizes(least);
  std::size_t fit = 0;
  for (std::size_t beyond = sizes.size(); fit < beyond;) {
    const std::size_t middle = fit + (beyond - fit) / 2;
    const ResolvedRequest larger = matcher.sized(least, sizes[middle]);
    const std::array<JobId, 1> itself{job.id};
    const bool allowed =
        limits.allows(job.id, *job.limits, *least.request, larger.nodes, larger.tasks,
                      least.whole) &&
        limits.leaves_room(*job.limits, *least.request, larger.nodes, larger.tasks, itself);
    auto home = allowed ? place(larger, nodes, room) : std::nullopt;
    if (home) {
      found = std::move(home);
      fit = middle + 1;
    } else {
      beyond = middle;
    }
  }
  return found;
}

}  // namespace cox::schedule
