#include "simulate/run/entitlement.h"

#include <algorithm>

namespace cox::simulate {
namespace {

double shares_of(const Owner& owner) {
  return owner.of_parent ? 1 : static_cast<double>(owner.shares);
}

// Divides `left` among these owners by shares. Owners that ask for least per share come first: what
// they do not take goes to the others.
void divide(const std::vector<Owner>& owners, const std::vector<OwnerDemand>& demand,
            std::vector<std::size_t>& among, double left, std::vector<double>& entitled) {
  const auto by_shares = [&](std::size_t at) {
    return demand[at].total / std::max(shares_of(owners[at]), 1e-9);
  };
  std::ranges::stable_sort(among, {}, by_shares);
  double shares = 0;
  for (const std::size_t at : among) shares += shares_of(owners[at]);
  for (const std::size_t at : among) {
    const double own = shares_of(owners[at]);
    entitled[at] = shares > 0 ? std::min(demand[at].total, left * own / shares) : 0;
    left -= entitled[at];
    shares -= own;
  }
}

}  // namespace

std::vector<double> entitled_to(const std::vector<Owner>& owners,
                                const std::vector<OwnerDemand>& demand) {
  std::vector<std::vector<std::size_t>> below(owners.size());
  for (std::size_t i = 1; i < owners.size(); ++i)
    if (demand[i].total > 0) below[static_cast<std::size_t>(owners[i].parent)].push_back(i);
  std::vector<double> entitled(owners.size(), 0);
  entitled[0] = demand[0].held;
  for (std::size_t i = 0; i < owners.size(); ++i)
    if (entitled[i] > 0 && !below[i].empty())
      divide(owners, demand, below[i], entitled[i], entitled);
  return entitled;
}

}  // namespace cox::simulate
