// Fair Tree, as Slurm has it (fair_tree.shtml): users ranked by who has had least of what is
// theirs. Level by level: who has the greatest share of its level beside what it used of it comes
// first, and all below it before all below its siblings. So no user of an account that had more
// than its share outranks one of an account that had less. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace cox::schedule {

struct FairNode {
  std::int32_t parent = -1;  // before it in the list; -1: the root, which is the first
  std::int64_t shares = 1;
  bool of_parent = false;  // counts as its parent's sibling; a user: as its account
  double usage = 0;        // of it and of all below it
  bool is_user = false;
};

// Of each user its rank from the last, over the number of users: 1 for the first. Of others 0.
std::vector<double> fair_tree(std::span<const FairNode> nodes);

}  // namespace cox::schedule
