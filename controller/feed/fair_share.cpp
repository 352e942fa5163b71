#include "controller/feed/fair_share.h"

#include "controller/state/usage.h"
#include "schedule/queue/fair_tree.h"

namespace cox {
namespace {

struct Tree {
  // The association of each node of `nodes`, in the same order; the root first.
  std::vector<const Association*> associations;
  std::vector<schedule::FairNode> nodes;
  std::map<AssociationId, std::size_t> at;
};

void plant(const Accounts& accounts, const Association& one, std::int32_t parent, Tree& tree) {
  const auto here = static_cast<std::int32_t>(tree.nodes.size());
  tree.at[one.id] = tree.nodes.size();
  tree.associations.push_back(&one);
  tree.nodes.push_back({parent, one.shares, one.shares_of_parent, 0, !one.is_account()});
  if (!one.is_account()) return;
  for (const Association* part : accounts.children(one.account)) plant(accounts, *part, here, tree);
}

// Adds the usage of running jobs. Each job counts for at least one period of recomputation, so that
// a burst of short jobs counts at once.
void add_running(const Cluster& cluster, Now now, Tree& tree) {
  for (const JobId id : cluster.jobs().live()) {
    const JobEntry& entry = *cluster.job(id);
    const Association* one = cluster.accounting().accounts().of(*entry.job.spec);
    if (one == nullptr) continue;
    for (const TresUsage& used :
         usage_of(cluster, *entry.live_attempt(), now.wall, cluster.config().usage.period))
      if (used.tres == billing_tres) tree.nodes[tree.at.at(one->id)].usage += used.seconds;
  }
}

std::size_t index(std::int32_t at) {
  return static_cast<std::size_t>(at);
}

bool passes_on(const schedule::FairNode& node) {
  return node.of_parent && !node.is_user;
}

// Returns the part of the cluster that each node is entitled to. An account with fairshare=parent
// has no shares of its own: its children compete on its level, and its part is the sum of theirs. A
// user with fairshare=parent has the part of the account.
std::vector<double> shares_parts(const std::vector<schedule::FairNode>& nodes) {
  std::vector<std::int32_t> standing_under(nodes.size(), -1);
  std::vector<double> level(nodes.size(), 0);
  const auto is_of_level = [&](std::size_t i) { return !nodes[i].of_parent; };
  for (std::size_t i = 1; i < nodes.size(); ++i) {
    std::int32_t above = nodes[i].parent;
    while (above > 0 && passes_on(nodes[index(above)])) above = nodes[index(above)].parent;
    standing_under[i] = above;
    if (is_of_level(i)) level[index(above)] += static_cast<double>(nodes[i].shares);
  }
  std::vector<double> parts(nodes.size(), 0);
  if (!parts.empty()) parts[0] = 1;
  for (std::size_t i = 1; i < nodes.size(); ++i) {
    const std::size_t above = index(standing_under[i]);
    if (is_of_level(i) && level[above] > 0)
      parts[i] = parts[above] * static_cast<double>(nodes[i].shares) / level[above];
  }
  for (std::size_t i = nodes.size(); i-- > 1;)
    if (passes_on(nodes[index(nodes[i].parent)]) && !(nodes[i].is_user && nodes[i].of_parent))
      parts[index(nodes[i].parent)] += parts[i];
  for (std::size_t i = 1; i < nodes.size(); ++i)
    if (nodes[i].is_user && nodes[i].of_parent) parts[i] = parts[index(nodes[i].parent)];
  return parts;
}

}  // namespace

std::map<AssociationId, FairShare> fair_shares(const Cluster& cluster, Now now) {
  std::map<AssociationId, FairShare> all;
  const Association* root = cluster.accounting().accounts().account(std::string(root_account));
  if (root == nullptr) return all;
  Tree tree;
  plant(cluster.accounting().accounts(), *root, -1, tree);
  const Milliseconds half_life = cluster.config().usage.half_life;
  for (std::size_t i = 0; i < tree.nodes.size(); ++i)
    tree.nodes[i].usage = used_by(*tree.associations[i], billing_tres, now.wall, half_life);
  add_running(cluster, now, tree);
  for (std::size_t i = tree.nodes.size(); i-- > 1;)
    tree.nodes[static_cast<std::size_t>(tree.nodes[i].parent)].usage += tree.nodes[i].usage;
  const std::vector<double> factors = schedule::fair_tree(tree.nodes);
  const std::vector<double> parts = shares_parts(tree.nodes);
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    const schedule::FairNode& node = tree.nodes[i];
    FairShare& one = all[tree.associations[i]->id];
    one.usage = node.usage;
    one.usage_part = tree.nodes[0].usage > 0 ? node.usage / tree.nodes[0].usage : 0;
    one.shares_part = parts[i];
    one.factor = factors[i];
  }
  return all;
}

}  // namespace cox
