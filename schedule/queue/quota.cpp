#include "schedule/queue/quota.h"

#include <algorithm>
#include <utility>

#include "common/base/check.h"

namespace cox::schedule {
namespace {

std::size_t index(std::int32_t position) {
  return static_cast<std::size_t>(position);
}

// One of the accounts that share an amount.
struct Part {
  std::int64_t shares = 1;
  std::int64_t demand = 0;
  std::int64_t guarantee = 0;
  std::int64_t deserved = 0;
  std::int64_t gets = 0;
};

std::int64_t part_of(std::int64_t amount, std::int64_t of, std::int64_t all) {
  return static_cast<std::int64_t>(static_cast<double>(amount) * static_cast<double>(of) /
                                   static_cast<double>(all));
}

// Raises what each part gets to its goal (guarantee or deserved amount), but not above what it
// wants. If too little is left, each gets the same proportion of what it lacks.
void fill_up(std::vector<Part>& parts, std::int64_t Part::*goal, std::int64_t& left) {
  std::int64_t lacking = 0;
  const auto lack = [goal](const Part& part) {
    return std::max<std::int64_t>(std::min(part.*goal, part.demand) - part.gets, 0);
  };
  for (const Part& part : parts) lacking += lack(part);
  const std::int64_t there_is = std::min(left, lacking);
  for (Part& part : parts) {
    const std::int64_t more =
        there_is == lacking ? lack(part) : part_of(there_is, lack(part), lacking);
    part.gets += more;
    left -= more;
  }
}

// Divides what is left by shares among the parts that want more. What a part does not want goes to
// the others. Parts without shares get equal parts of what remains.
void share_out(std::vector<Part>& parts, bool with_shares, std::int64_t& left) {
  const auto shares_of = [&](const Part& part) { return with_shares ? part.shares : 1; };
  std::vector<Part*> open;
  for (Part& part : parts)
    if (part.gets < part.demand && (part.shares > 0) == with_shares) open.push_back(&part);
  std::ranges::stable_sort(open, {}, [&](const Part* part) {
    return static_cast<double>(part->demand - part->gets) / static_cast<double>(shares_of(*part));
  });
  std::int64_t shares = 0;
  for (const Part* part : open) shares += shares_of(*part);
  for (Part* part : open) {  // sorted: the parts that need least per share come first
    const std::int64_t own = part_of(left, shares_of(*part), shares);
    const std::int64_t more = std::min(own, part->demand - part->gets);
    part->gets += more;
    left -= more;
    shares -= shares_of(*part);
  }
}

void share(std::vector<Part>& parts, std::int64_t there_is) {
  fill_up(parts, &Part::guarantee, there_is);
  fill_up(parts, &Part::deserved, there_is);
  share_out(parts, true, there_is);
  share_out(parts, false, there_is);
}

// Returns for each position the positions of its children.
std::vector<std::vector<std::int32_t>> parts_of(std::span<const Quota> all) {
  std::vector<std::vector<std::int32_t>> parts(all.size());
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].parent >= 0) parts[index(all[i].parent)].push_back(static_cast<std::int32_t>(i));
  return parts;
}

std::int64_t gpu_milli_of(const NodeResources& total, const std::string& type) {
  std::int64_t milli = 0;
  for (const GpuDevice& device : total.gpus)
    if (type.empty() || device.type == type) milli += gpu_whole;
  return milli;
}

std::int64_t gres_of(const NodeResources& total, const TresCount& what) {
  std::int64_t count = 0;
  for (const GresCount& gres : total.gres)
    if (gres.name == what.name && (what.type.empty() || gres.type == what.type))
      count += gres.count;
  return count;
}

}  // namespace

std::vector<std::int64_t> divide(std::span<const Quota> all, std::span<const std::int64_t> demands,
                                 std::int64_t there_is) {
  const auto below = parts_of(all);
  // A parent does not want for its children what exceeds their maximum quotas. What it wants in
  // addition to the children belongs to jobs that are charged to it directly.
  std::vector<std::int64_t> total_demands(demands.begin(), demands.end());
  std::vector<std::int64_t> own(demands.begin(), demands.end());
  for (std::size_t i = all.size(); i-- > 0;) {
    for (const std::int32_t part : below[i]) own[i] -= demands[index(part)];
    own[i] = std::max<std::int64_t>(own[i], 0);
    total_demands[i] = own[i];
    for (const std::int32_t part : below[i]) total_demands[i] += total_demands[index(part)];
    total_demands[i] = std::min(total_demands[i], all[i].most);
  }
  std::vector<std::int64_t> gets(all.size(), 0);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].parent < 0) gets[i] = there_is;
    if (below[i].empty()) continue;
    std::vector<Part> parts;
    for (const std::int32_t part : below[i]) {
      const Quota& quota = all[index(part)];
      parts.push_back(
          {quota.shares, total_demands[index(part)], quota.guarantee, quota.deserved, 0});
    }
    parts.push_back({1, own[i], 0, 0, 0});
    share(parts, gets[i]);
    for (std::size_t k = 0; k < below[i].size(); ++k) gets[index(below[i][k])] = parts[k].gets;
  }
  return gets;
}

bool is_of_nodes(const TresCount& what) {
  return what.what != Tres::Jobs && what.what != Tres::Licences;
}

std::int64_t amount_of(const NodeResources& total, const TresCount& what) {
  switch (what.what) {
    case Tres::Nodes: return 1;
    case Tres::Cpus: return total.cpus;
    case Tres::MemoryMb: return total.memory_mb;
    case Tres::GpuMilli: return gpu_milli_of(total, what.type);
    case Tres::Gres: return gres_of(total, what);
    case Tres::Jobs:
    case Tres::Licences: CHECK(false && "nodes have none");
  }
  CHECK(false && "unknown Tres");
}

std::int64_t available_of(const Nodes& nodes, const TresCount& what) {
  std::int64_t sum = 0;
  for (NodeAt at = 0; at < nodes.size(); ++at)
    if (nodes[at].node->available) sum += amount_of(nodes[at].node->total, what);
  return sum;
}

std::int64_t there_is_of(const Nodes& nodes, const TresCount& what) {
  std::int64_t sum = 0;
  for (NodeAt at = 0; at < nodes.size(); ++at) sum += amount_of(nodes[at].node->total, what);
  return sum;
}

// Raises the guarantee and the deserved amount of each account to at least the sums of those of the
// accounts below it.
void Quotas::set(std::vector<Quota> all) {
  all_ = std::move(all);
  position_of_limit_.clear();
  guarantees_below_.assign(all_.size(), 0);
  deserved_below_.assign(all_.size(), 0);
  for (std::size_t i = all_.size(); i-- > 0;) {
    Quota& quota = all_[i];
    CHECK(quota.parent < static_cast<std::int32_t>(i));
    CHECK(position_of_limit_.emplace(quota.limit, static_cast<std::int32_t>(i)).second);
    quota.guarantee = std::max(quota.guarantee, guarantees_below_[i]);
    quota.deserved = std::max({quota.deserved, deserved_below_[i], quota.guarantee});
    if (quota.parent < 0) continue;
    // The sums are at most limit_none, so that any configured numbers can be added up.
    std::int64_t& guarantees = guarantees_below_[index(quota.parent)];
    std::int64_t& deserved = deserved_below_[index(quota.parent)];
    guarantees = std::min(guarantees + std::min(quota.guarantee, limit_none), limit_none);
    deserved = std::min(deserved + std::min(quota.deserved, limit_none), limit_none);
  }
}

void Quotas::set_nodes(const Nodes& nodes) {
  there_is_.assign(all_.size(), 0);
  for (std::size_t i = 0; i < all_.size(); ++i)
    if (all_[i].parent < 0) there_is_[i] = available_of(nodes, all_[i].what);
}

std::vector<std::int64_t> Quotas::fair_shares(const LimitUse& use,
                                              const std::vector<std::int64_t>& leaving) const {
  std::vector<std::int64_t> demands;
  for (std::size_t i = 0; i < all_.size(); ++i)
    demands.push_back(held_of(static_cast<std::int32_t>(i), use, leaving) +
                      use.demand(all_[i].limit));
  std::vector<std::int64_t> fair;
  for (std::size_t begin = 0; begin < all_.size(); begin = fair.size()) {
    std::size_t end = begin + 1;
    while (end < all_.size() && all_[end].parent >= 0) ++end;
    // A tree is consecutive: subtracting its begin gives the positions within it.
    std::vector<Quota> tree(all_.begin() + static_cast<std::ptrdiff_t>(begin),
                            all_.begin() + static_cast<std::ptrdiff_t>(end));
    for (Quota& quota : tree)
      if (quota.parent >= 0) quota.parent -= static_cast<std::int32_t>(begin);
    const auto gets =
        divide(tree, std::span(demands).subspan(begin, end - begin), there_is_[begin]);
    fair.insert(fair.end(), gets.begin(), gets.end());
  }
  return fair;
}

std::int64_t Quotas::held_of(std::int32_t position, const LimitUse& use,
                             const std::vector<std::int64_t>& leaving) const {
  const std::int32_t limit = at(position).limit;
  const std::int64_t leaves = index(limit) < leaving.size() ? leaving[index(limit)] : 0;
  return use.used(limit) - leaves;
}

bool Quotas::has_unmet_guarantee(const LimitUse& use,
                                 const std::vector<std::int64_t>& leaving) const {
  for (std::size_t i = 0; i < all_.size(); ++i) {
    const Quota& quota = all_[i];
    if (quota.parent < 0 || quota.guarantee == 0) continue;
    const auto position = static_cast<std::int32_t>(i);
    if (use.demand(quota.limit) > 0 && held_of(position, use, leaving) < quota.guarantee)
      return true;
  }
  return false;
}

std::int32_t Quotas::position_of_limit(std::int32_t limit) const {
  const auto found = position_of_limit_.find(limit);
  return found == position_of_limit_.end() ? -1 : found->second;
}

std::int32_t Quotas::root_of(std::int32_t position) const {
  while (at(position).parent >= 0) position = at(position).parent;
  return position;
}

}  // namespace cox::schedule
