// Puts accounts into the order of a tree: each account, then its users, then its child accounts.
// Pure.
#pragma once

#include <cstddef>
#include <vector>

#include "common/messages/messages.h"

namespace cox {

struct AccountTreeEntry {
  const AssociationView* view = nullptr;
  std::size_t depth = 0;  // levels below the root account, which has 0
};

// Returns the associations of `list` in the order of the tree, as pointers into `list`. Leaves out
// associations whose account is not in the list.
std::vector<AccountTreeEntry> accounts_in_tree_order(const AssociationList& list);

}  // namespace cox
