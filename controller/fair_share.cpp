#include "controller/fair_share.h"

#include "controller/usage.h"
#include "schedule/fair_tree.h"

namespace cox {
namespace {

struct Tree {
  std::vector<const Association*> associations;  // as the nodes; the root first
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

// What runs counts at least a period, so that a burst of short jobs is reckoned with at once.
void add_running(const Cluster& cluster, Now now, Tree& tree) {
  for (const JobId id : cluster.live()) {
    const JobEntry& entry = *cluster.job(id);
    const Association* one = cluster.accounts().of(*entry.job.spec);
    if (one == nullptr) continue;
    for (const TresUsage& used :
         usage_of(cluster, *entry.live_attempt(), now.wall, cluster.config().usage.period))
      if (used.tres == billing_tres) tree.nodes[tree.at.at(one->id)].usage += used.seconds;
  }
}

}  // namespace

std::map<AssociationId, FairShare> fair_shares(const Cluster& cluster, Now now) {
  std::map<AssociationId, FairShare> all;
  const Association* root = cluster.accounts().account(std::string(root_account));
  if (root == nullptr) return all;
  Tree tree;
  plant(cluster.accounts(), *root, -1, tree);
  const Milliseconds half_life = cluster.config().usage.half_life;
  for (std::size_t i = 0; i < tree.nodes.size(); ++i)
    tree.nodes[i].usage = used_by(*tree.associations[i], billing_tres, now.wall, half_life);
  add_running(cluster, now, tree);
  for (std::size_t i = tree.nodes.size(); i-- > 1;)
    tree.nodes[static_cast<std::size_t>(tree.nodes[i].parent)].usage += tree.nodes[i].usage;
  const std::vector<double> factors = schedule::fair_tree(tree.nodes);
  std::map<std::int32_t, double> shares_of_levels;
  for (const schedule::FairNode& node : tree.nodes)
    shares_of_levels[node.parent] += static_cast<double>(node.shares);
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    const schedule::FairNode& node = tree.nodes[i];
    FairShare& one = all[tree.associations[i]->id];
    one.usage = node.usage;
    one.usage_part = tree.nodes[0].usage > 0 ? node.usage / tree.nodes[0].usage : 0;
    const double level = shares_of_levels[node.parent];
    one.shares_part = level > 0 ? static_cast<double>(node.shares) / level : 0;
    if (node.parent >= 0)
      one.shares_part *=
          all.at(tree.associations[static_cast<std::size_t>(node.parent)]->id).shares_part;
    one.factor = factors[i];
  }
  return all;
}

}  // namespace cox
