// Slurm's Fair Tree (fair_tree.shtml): ranks users by how little they have used of their shares.
// Siblings are ordered by the ratio of their part of the shares to their part of the usage, the
// greatest first. All users below a node come before all users below the next one. So no user of an
// account that used more than its share ranks above a user of one that used less. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace cox::schedule {

struct FairNode {
  std::int32_t parent = -1;  // position of the parent, which comes earlier; -1: the root (first)
  std::int64_t shares = 1;
  bool of_parent = false;  // Slurm's Fairshare=parent (see usage_of() and standing_under())
  double usage = 0;        // decayed usage, including that of everything below the node
  bool is_user = false;
};

// Returns for each user its rank, counted from the last, divided by the number of users; 1 for the
// first. 0 for accounts.
std::vector<double> fair_tree(std::span<const FairNode> nodes);

}  // namespace cox::schedule
