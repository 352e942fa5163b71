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

}  // namespace cox
