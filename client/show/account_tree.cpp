#include "client/show/account_tree.h"

namespace cox {
namespace {

void add_below(const AssociationList& list, const std::string& account, std::size_t depth,
               std::vector<AccountTreeEntry>& tree) {
  for (const bool users : {true, false})
    for (const AssociationView& view : list.associations) {
      const Association& one = view.association;
      const bool part = users ? !one.is_account() && one.account == account
                              : one.is_account() && !one.is_root() && one.parent == account;
      if (!part) continue;
      tree.push_back({&view, depth});
      if (!users) add_below(list, one.account, depth + 1, tree);
    }
}

}  // namespace

std::vector<AccountTreeEntry> accounts_in_tree_order(const AssociationList& list) {
  std::vector<AccountTreeEntry> tree;
  for (const AssociationView& view : list.associations)
    if (view.association.is_root()) tree.push_back({&view, 0});
  add_below(list, std::string(root_account), 1, tree);
  return tree;
}

bool are_siblings(const Association& one, const Association& other) {
  const std::string& parent = one.is_account() ? one.parent : one.account;
  if (other.is_account()) return !other.is_root() && other.parent == parent;
  return other.account == parent;
}

double usage_among_siblings(const AssociationList& list, const Association& one, double usage) {
  double all = 0;
  for (const AssociationView& other : list.associations)
    all += are_siblings(one, other.association) ? other.usage : 0;
  return all > 0 ? usage / all : 0;
}

}  // namespace cox
