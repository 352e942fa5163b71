#include "simulate/trace/quotas.h"

#include <algorithm>

namespace cox::simulate {
namespace {

bool is_same(const TresCount& a, const TresCount& b) {
  return a.what == b.what && a.name == b.name && a.type == b.type;
}

// Returns each resource once that any account has in one of these lists, with a count of 0.
std::vector<TresCount> resources_in(const Accounts& accounts,
                                    const std::vector<TresList Owner::*>& lists) {
  std::vector<TresCount> resources;
  for (const Owner& owner : accounts.all())
    for (const auto list : lists)
      for (TresCount resource : owner.*list) {
        resource.count = 0;
        const auto same = [&resource](const TresCount& other) { return is_same(resource, other); };
        if (!owner.is_user && std::ranges::none_of(resources, same)) resources.push_back(resource);
      }
  return resources;
}

std::int64_t count_in(const TresList& list, const TresCount& resource, std::int64_t otherwise,
                      std::int64_t cpus) {
  for (const TresCount& one : list)
    if (is_same(one, resource)) return one.count * (one.what == Tres::Cpus ? cpus : 1);
  return otherwise;
}

class Building {
 public:
  Building(const Accounts& accounts, std::int64_t cpus) : accounts_(accounts.all()), cpus_(cpus) {
    out_.limits.resize(accounts_.size());
  }

  void add(const TresCount& resource, bool has_quota);
  Quotas built() && { return std::move(out_); }

 private:
  schedule::Quota quota_of(const Owner& owner, const TresCount& resource) const;

  const std::vector<Owner>& accounts_;
  std::int64_t cpus_;
  std::int32_t ids_ = 0;
  Quotas out_;
};

schedule::Quota Building::quota_of(const Owner& owner, const TresCount& resource) const {
  schedule::Quota quota;
  quota.what = resource;
  quota.guarantee = count_in(owner.guarantee, resource, 0, cpus_);
  quota.deserved = count_in(owner.deserved, resource, 0, cpus_);
  quota.most = count_in(owner.most, resource, schedule::limit_none, cpus_);
  quota.shares = owner.shares;
  return quota;
}

// Adds a limit for each account. The users of the account, which come after it, count against it
// too.
void Building::add(const TresCount& resource, bool has_quota) {
  std::vector<std::int32_t> positions(accounts_.size(), -1);
  std::vector<schedule::Limits> own(accounts_.size());
  for (std::size_t i = 0; i < accounts_.size(); ++i) {
    const Owner& owner = accounts_[i];
    const auto above = static_cast<std::size_t>(std::max(owner.parent, 0));
    if (i > 0) own[i] = own[above];
    if (!owner.is_user) {
      schedule::Quota quota = quota_of(owner, resource);
      quota.limit = ids_++;
      quota.parent = owner.parent < 0 ? -1 : positions[above];
      TresCount most = resource;
      most.count = quota.most;
      own[i].push_back({quota.limit, most});
      positions[i] = static_cast<std::int32_t>(out_.all.size());
      if (has_quota) out_.all.push_back(std::move(quota));
    }
  }
  for (std::size_t i = 0; i < own.size(); ++i)
    out_.limits[i].insert(out_.limits[i].end(), own[i].begin(), own[i].end());
}

}  // namespace

Quotas quotas_of(const Accounts& accounts, std::int64_t cpus) {
  Building building(accounts, cpus);
  const auto with_quota = resources_in(accounts, {&Owner::guarantee, &Owner::deserved});
  for (const TresCount& resource : with_quota) building.add(resource, true);
  for (const TresCount& resource : resources_in(accounts, {&Owner::most})) {
    const auto same = [&resource](const TresCount& other) { return is_same(resource, other); };
    if (std::ranges::none_of(with_quota, same)) building.add(resource, false);
  }
  return std::move(building).built();
}

}  // namespace cox::simulate
