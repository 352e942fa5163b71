#include "simulate/trace/quotas.h"

#include <algorithm>

namespace cox::simulate {
namespace {

bool is_same(const TresCount& a, const TresCount& b) {
  return a.what == b.what && a.name == b.name && a.type == b.type;
}

// Each thing that any of these lists counts, once and without a count.
std::vector<TresCount> things_in(const Accounts& accounts,
                                 const std::vector<TresList Owner::*>& lists) {
  std::vector<TresCount> things;
  for (const Owner& owner : accounts.all())
    for (const auto list : lists)
      for (TresCount thing : owner.*list) {
        thing.count = 0;
        const auto same = [&thing](const TresCount& other) { return is_same(thing, other); };
        if (!owner.is_user && std::ranges::none_of(things, same)) things.push_back(thing);
      }
  return things;
}

std::int64_t count_in(const TresList& list, const TresCount& thing, std::int64_t otherwise,
                      std::int64_t cpus) {
  for (const TresCount& one : list)
    if (is_same(one, thing)) return one.count * (one.what == Tres::Cpus ? cpus : 1);
  return otherwise;
}

class Building {
 public:
  Building(const Accounts& accounts, std::int64_t cpus) : accounts_(accounts.all()), cpus_(cpus) {
    out_.limits.resize(accounts_.size());
  }

  void add(const TresCount& thing, bool is_owed);
  Quotas built() && { return std::move(out_); }

 private:
  schedule::Quota quota_of(const Owner& owner, const TresCount& thing) const;

  const std::vector<Owner>& accounts_;
  std::int64_t cpus_;
  std::int32_t ids_ = 0;
  Quotas out_;
};

schedule::Quota Building::quota_of(const Owner& owner, const TresCount& thing) const {
  schedule::Quota quota;
  quota.what = thing;
  quota.guarantee = count_in(owner.guarantee, thing, 0, cpus_);
  quota.deserved = count_in(owner.deserved, thing, 0, cpus_);
  quota.most = count_in(owner.most, thing, schedule::limit_none, cpus_);
  quota.shares = owner.shares;
  return quota;
}

// A limit for each account; its users, which come behind it, have it too.
void Building::add(const TresCount& thing, bool is_owed) {
  std::vector<std::int32_t> positions(accounts_.size(), -1);
  std::vector<schedule::Limits> own(accounts_.size());
  for (std::size_t i = 0; i < accounts_.size(); ++i) {
    const Owner& owner = accounts_[i];
    const auto above = static_cast<std::size_t>(std::max(owner.parent, 0));
    if (i > 0) own[i] = own[above];
    if (!owner.is_user) {
      schedule::Quota quota = quota_of(owner, thing);
      quota.limit = ids_++;
      quota.parent = owner.parent < 0 ? -1 : positions[above];
      TresCount most = thing;
      most.count = quota.most;
      own[i].push_back({quota.limit, most});
      positions[i] = static_cast<std::int32_t>(out_.all.size());
      if (is_owed) out_.all.push_back(std::move(quota));
    }
  }
  for (std::size_t i = 0; i < own.size(); ++i)
    out_.limits[i].insert(out_.limits[i].end(), own[i].begin(), own[i].end());
}

}  // namespace

Quotas quotas_of(const Accounts& accounts, std::int64_t cpus) {
  Building building(accounts, cpus);
  const auto owed = things_in(accounts, {&Owner::guarantee, &Owner::deserved});
  for (const TresCount& thing : owed) building.add(thing, true);
  for (const TresCount& thing : things_in(accounts, {&Owner::most})) {
    const auto same = [&thing](const TresCount& other) { return is_same(thing, other); };
    if (std::ranges::none_of(owed, same)) building.add(thing, false);
  }
  return std::move(building).built();
}

}  // namespace cox::simulate
