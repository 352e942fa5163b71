// Places heterogeneous gangs: every component on nodes of its own, all of them or nothing.
#include <algorithm>
#include <deque>
#include <numeric>
#include <utility>

#include "common/base/check.h"
#include "schedule/place/place.h"

namespace cox::schedule {
namespace {

using NodesOf = std::vector<std::vector<NodeAt>>;  // by component, ascending

bool is_required_by_another(const ResolvedRequest& need, std::size_t component, NodeAt at) {
  for (std::size_t i = 0; i < need.components.size(); ++i)
    if (i != component && std::ranges::binary_search(need.components[i].required, at)) return true;
  return false;
}

bool holds(const ResolvedRequest& component, const Room& room, NodeAt at) {
  return std::ranges::binary_search(component.usable, at) &&
         tasks_that_fit(component, room, at) >= component.tasks_even();
}

// The owner of each node while nodes are divided among the components.
class Division {
 public:
  Division(const ResolvedRequest& need, const Room& room, std::span<const NodeAt> some)
      : need_(need),
        able_(need.components.size()),
        owner_(static_cast<std::size_t>(room.size()), nobody) {
    for (std::size_t i = 0; i < able_.size(); ++i)
      for (const NodeAt at : some)
        if (holds(need.components[i], room, at) && !is_required_by_another(need, i, at))
          able_[i].push_back(at);
  }

  bool divide() {
    for (std::size_t i = 0; i < able_.size(); ++i) {
      const ResolvedRequest& component = need_.components[i];
      for (const NodeAt at : component.required) {
        if (!std::ranges::binary_search(able_[i], at)) return false;
        owner(at) = static_cast<int>(i);
      }
      for (auto n = std::ssize(component.required); n < component.nodes; ++n)
        if (!give_one_more(i)) return false;
    }
    return true;
  }

  NodesOf nodes_of() const {
    NodesOf all(able_.size());
    for (std::size_t i = 0; i < able_.size(); ++i)
      for (const NodeAt at : able_[i])
        if (owner_[static_cast<std::size_t>(at)] == static_cast<int>(i)) all[i].push_back(at);
    return all;
  }

 private:
  static constexpr int nobody = -1;

  // While a node is sought for one component: the node that another component would give up for it,
  // and the component that would get that node.
  struct Loss {
    std::size_t to = 0;
    NodeAt node = 0;
  };

  int& owner(NodeAt at) { return owner_[static_cast<std::size_t>(at)]; }

  bool give_one_more(std::size_t component) {
    std::vector<std::optional<Loss>> losses(able_.size());
    std::deque<std::size_t> pending_components{component};
    for (; !pending_components.empty(); pending_components.pop_front()) {
      const std::size_t one = pending_components.front();
      for (const NodeAt at : able_[one]) {
        if (owner(at) == nobody) {
          hand_along(component, one, at, losses);
          return true;
        }
        const auto other = static_cast<std::size_t>(owner(at));
        const bool is_known = other == component || losses[other];
        if (is_known || std::ranges::binary_search(need_.components[other].required, at)) continue;
        losses[other] = Loss{one, at};
        pending_components.push_back(other);
      }
    }
    return false;
  }

  // Gives the free node to component `one`, which found it. The node that `one` gives up goes to
  // the next component, and so on until `component` has one node more.
  void hand_along(std::size_t component, std::size_t one, NodeAt free,
                  const std::vector<std::optional<Loss>>& losses) {
    owner(free) = static_cast<int>(one);
    while (one != component) {
      const Loss& loss = *losses[one];
      owner(loss.node) = static_cast<int>(loss.to);
      one = loss.to;
    }
  }

  const ResolvedRequest& need_;
  NodesOf able_;
  std::vector<int> owner_;  // by node: the component that has it
};

GangParts joined_up(const ResolvedRequest& need, std::vector<GangParts> placed) {
  GangParts all{{}, need.gres, need.licences};
  for (std::size_t i = 0; i < placed.size(); ++i)
    for (NodePart& share : placed[i].parts) {
      share.component = static_cast<std::int32_t>(i);
      all.parts.push_back(share);
    }
  std::ranges::sort(all.parts, {}, &NodePart::node);
  return all;
}

// Places one component after the other on the best nodes. Empty if one finds none among the nodes
// that are left.
std::optional<GangParts> place_in_turn(std::span<const NodeAt> some, const ResolvedRequest& need,
                                       const Nodes& nodes, const Room& room,
                                       std::span<const Room* const> preferred) {
  std::vector<std::size_t> order(need.components.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) {
    return std::ssize(need.components[i].usable) - need.components[i].nodes;
  });
  std::vector<bool> taken(static_cast<std::size_t>(nodes.size()), false);
  std::vector<GangParts> placed(need.components.size());
  for (const std::size_t i : order) {
    const ResolvedRequest& component = need.components[i];
    std::vector<NodeAt> left;
    for (const NodeAt at : some)
      if (!taken[static_cast<std::size_t>(at)] && !is_required_by_another(need, i, at) &&
          std::ranges::binary_search(component.usable, at))
        left.push_back(at);
    auto shares = place_among(left, component, nodes, room, preferred);
    if (!shares) return std::nullopt;
    for (const NodePart& share : *shares) taken[static_cast<std::size_t>(share.node)] = true;
    placed[i] = std::move(*shares);
  }
  return joined_up(need, std::move(placed));
}

}  // namespace

std::int64_t tasks_of_components(const ResolvedRequest& need, const Room& room, NodeAt at) {
  const bool any = std::ranges::any_of(need.components, [&](const ResolvedRequest& component) {
    return holds(component, room, at);
  });
  return any ? need.tasks_even() : 0;
}

bool components_fit(const ResolvedRequest& need, const Room& room) {
  return Division(need, room, need.usable).divide();
}

std::optional<GangParts> place_components(std::span<const NodeAt> some, const ResolvedRequest& need,
                                          const Nodes& nodes, const Room& room,
                                          std::span<const Room* const> preferred) {
  if (need.required_missing) return std::nullopt;
  if (auto placed = place_in_turn(some, need, nodes, room, preferred)) return placed;
  Division division(need, room, some);
  if (!division.divide()) return std::nullopt;
  const NodesOf divided = division.nodes_of();
  std::vector<GangParts> placed(divided.size());
  for (std::size_t i = 0; i < placed.size(); ++i) {
    auto shares = place_among(divided[i], need.components[i], nodes, room, preferred);
    CHECK(shares.has_value());
    placed[i] = std::move(*shares);
  }
  return joined_up(need, std::move(placed));
}

}  // namespace cox::schedule
