#include "schedule/queue/fair_tree.h"

#include <algorithm>
#include <limits>

#include "common/base/check.h"

namespace cox::schedule {
namespace {

class Ranking {
 public:
  explicit Ranking(std::span<const FairNode> nodes)
      : nodes_(nodes), children_(nodes.size()), level_(nodes.size()), factors_(nodes.size()) {
    for (std::int32_t at = 1; at < std::ssize(nodes_); ++at) {
      children_[index(standing_under(at))].push_back(at);
      users_ += nodes_[index(at)].is_user;
    }
    for (auto& siblings : children_) resolve_level(siblings);
  }

  std::vector<double> factors() && {
    left_ = users_;
    rank_ = users_;
    if (!children_.empty()) rank_below(children_.front(), false);
    return std::move(factors_);
  }

 private:
  using Siblings = std::vector<std::int32_t>;

  static std::size_t index(std::int32_t at) { return static_cast<std::size_t>(at); }

  // Returns the account below which the node is ranked. An account with of_parent
  // (Fairshare=parent) passes its children on to its own parent.
  std::int32_t standing_under(std::int32_t at) const {
    const std::int32_t parent = nodes_[index(at)].parent;
    CHECK(parent >= 0 && parent < at);
    return passed_on(parent);
  }
  std::int32_t passed_on(std::int32_t account) const {
    while (account > 0 && nodes_[index(account)].of_parent) account = nodes_[index(account)].parent;
    return account;
  }

  // A user with of_parent (Fairshare=parent) counts with the values of its account, so such users
  // tie.
  double usage_of(std::int32_t at) const {
    const FairNode& node = nodes_[index(at)];
    return node.is_user && node.of_parent ? nodes_[index(node.parent)].usage : node.usage;
  }
  std::int64_t shares_of(std::int32_t at) const {
    const FairNode& node = nodes_[index(at)];
    return node.is_user && node.of_parent ? nodes_[index(node.parent)].shares : node.shares;
  }

  void resolve_level(Siblings& siblings) {
    std::erase_if(siblings, [&](std::int32_t at) {
      return !nodes_[index(at)].is_user && nodes_[index(at)].of_parent;
    });
    double shares = 0;
    double usage = 0;
    for (const std::int32_t at : siblings) {
      shares += static_cast<double>(shares_of(at));
      usage += usage_of(at);
    }
    for (const std::int32_t at : siblings) {
      const double share = shares > 0 ? static_cast<double>(shares_of(at)) / shares : 0;
      const double used = usage > 0 ? usage_of(at) / usage : 0;
      level_[index(at)] = used > 0 ? share / used : std::numeric_limits<double>::infinity();
      if (shares_of(at) == 0) level_[index(at)] = 0;
    }
    order(siblings);
  }

  // Orders siblings by level value. A user comes before an account with the same value.
  void order(Siblings& siblings) const {
    std::ranges::stable_sort(siblings, [&](std::int32_t a, std::int32_t b) {
      if (level_[index(a)] != level_[index(b)]) return level_[index(a)] > level_[index(b)];
      return nodes_[index(a)].is_user && !nodes_[index(b)].is_user;
    });
  }

  // Ranks all users below these siblings. If `first_ties`, the first user ties with the user ranked
  // before.
  void rank_below(const Siblings& siblings, bool first_ties) {
    for (std::size_t i = 0; i < siblings.size();) {
      const std::int32_t at = siblings[i];
      const bool ties = i == 0 ? first_ties : level_[index(siblings[i - 1])] == level_[index(at)];
      if (nodes_[index(at)].is_user) {
        if (!ties) rank_ = left_;
        factors_[index(at)] = static_cast<double>(rank_) / static_cast<double>(users_);
        --left_;
        ++i;
        continue;
      }
      const bool after_user = i > 0 && nodes_[index(siblings[i - 1])].is_user;
      rank_below(merged(siblings, i), ties && (i == 0 || after_user));
    }
  }

  // Returns the children of all accounts that tie with the one at `i`, as one level.
  Siblings merged(const Siblings& siblings, std::size_t& i) const {
    const double level = level_[index(siblings[i])];
    Siblings all;
    for (; i < siblings.size() && level_[index(siblings[i])] == level; ++i) {
      const Siblings& children = children_[index(siblings[i])];
      all.insert(all.end(), children.begin(), children.end());
    }
    order(all);
    return all;
  }

  std::span<const FairNode> nodes_;
  std::vector<Siblings> children_;
  std::vector<double> level_;  // part of the shares / part of the usage, among siblings
  std::vector<double> factors_;
  std::int64_t users_ = 0;
  std::int64_t left_ = 0;
  std::int64_t rank_ = 0;
};

}  // namespace

std::vector<double> fair_tree(std::span<const FairNode> nodes) {
  return Ranking(nodes).factors();
}

}  // namespace cox::schedule
