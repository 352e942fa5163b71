// Puts accounts into the order of a tree: each account, then its users, then its child accounts.
// Also compares an association with its siblings. Pure.
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

// Returns whether both are directly below the same account. An association is its own sibling.
bool are_siblings(const Association& one, const Association& other);

// Returns the association's part, from 0 to 1, of the use of all associations with the same parent.
double usage_among_siblings(const AssociationList& list, const Association& one, double usage);

}  // namespace cox
