// The constraint of Slurm's --constraint: the features that the nodes of a gang must have, in a
// normal form that is quick to check. The job keeps the text as it was written, and beside it the
// parsed form (job_terms.h). Pure.
//
//   a&b        every node has both (a comma is Slurm's old way to write &)
//   a|b        every node has one of them, maybe different ones
//   !a         nodes without a; allowed before one name, in every form. Not part of Slurm's syntax
//   [a|b]      all nodes have a, or all have b
//   a*2&b*4    two nodes have a, four others have b; Slurm writes it [a*2&b*4]
//   (a|b)&c    parentheses group; without them everything is read from left to right, so that
//              a|b&c is (a|b)&c
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/fields.h"
#include "common/base/result.h"

namespace cox {

// The features that one node must have.
struct FeatureTerm {
  // Each inner list must have an entry that is true for the node: "a" if the node has feature a,
  // "!a" if it has not. The lists and their entries are sorted; no inner list is empty.
  std::vector<std::vector<std::string>> all_of;

  bool empty() const { return all_of.empty(); }  // every node satisfies it

  // Returns whether a node with these features satisfies the term. REQUIRES: the features are
  // sorted as std::string compares.
  bool node_satisfies(const std::vector<std::string>& sorted_features) const;

  COX_FIELDS(all_of);
  bool operator==(const FeatureTerm&) const = default;
};

struct CountedFeatures {
  FeatureTerm term;
  std::int64_t nodes = 0;  // at least so many nodes must satisfy the term

  COX_FIELDS(term, nodes);
  bool operator==(const CountedFeatures&) const = default;
};

// The features that the nodes of one gang must have together: one alternative of a constraint.
struct GangFeatures {
  FeatureTerm every;  // each node must satisfy it
  // Numbers of nodes that must satisfy further terms; no node counts twice.
  std::vector<CountedFeatures> some;

  // Sum of the counts in `some`: the gang has at least so many nodes.
  std::int64_t counted_nodes() const;

  COX_FIELDS(every, some);
  bool operator==(const GangFeatures&) const = default;
};

struct Constraint {
  // One of these must hold for the entire gang; they are in the order written. Empty: there is no
  // constraint.
  std::vector<GangFeatures> alternatives;

  COX_FIELDS(alternatives);
  bool operator==(const Constraint&) const = default;
};

// These take an entry of FeatureTerm::all_of. The first returns whether the entry has the form
// "!a", the second returns the name of the feature.
bool is_excluded_feature(std::string_view entry);
std::string_view feature_in(std::string_view entry);

// Parses a constraint; an empty text is no constraint. A refusal has the position of the error.
Result<Constraint> parse_constraint(std::string_view text);

// Writes the normal form. parse_constraint() reads it back, unless the text has become longer than
// limits::constraint_bytes_max.
std::string format_constraint(const Constraint& constraint);

}  // namespace cox
