// The tree of accounts as lists show it: each account, its users behind it, then the accounts in
// it. Pure.
#pragma once

#include <cstddef>
#include <vector>

#include "common/messages/messages.h"

namespace cox {

struct InTree {
  const AssociationView* view = nullptr;
  std::size_t depth = 0;  // of the root: 0
};

// Pointers into `list`. What hangs on no account of the list is left out.
std::vector<InTree> tree_of(const AssociationList& list);

}  // namespace cox
