// Which features the nodes of a gang must have: Slurm's --constraint, in a normal form that is
// quick to judge. The text in a job stays as it was written; whoever decides by it parses it once.
// Pure.
//
//   a&b        every node has both (a comma is Slurm's old way to write &)
//   a|b        every node has one of them, not all the same
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

#include "common/base/result.h"

namespace cox {

// What one node must have.
struct FeatureTerm {
  // Each list must have an entry that is true for the node: "a" if the node has feature a, "!a" if
  // it has not. The lists and their entries are sorted; no list is empty.
  std::vector<std::vector<std::string>> all_of;

  bool empty() const { return all_of.empty(); }  // any node will do

  // REQUIRES: sorted_features is sorted as std::string compares.
  bool node_satisfies(const std::vector<std::string>& sorted_features) const;

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.all_of);
  }
  bool operator==(const FeatureTerm&) const = default;
};

struct CountedFeatures {
  FeatureTerm term;
  std::int64_t nodes = 0;  // at least so many

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.term, self.nodes);
  }
  bool operator==(const CountedFeatures&) const = default;
};

// What one gang must have as a whole.
struct GangFeatures {
  FeatureTerm every;                  // each node of the gang
  std::vector<CountedFeatures> some;  // besides; no node counts for two of them

  std::int64_t counted_nodes() const;  // the gang has at least so many

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.every, self.some);
  }
  bool operator==(const GangFeatures&) const = default;
};

struct Constraint {
  // One of these serves the entire gang; in the order written. Empty: nothing is asked.
  std::vector<GangFeatures> alternatives;

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.alternatives);
  }
  bool operator==(const Constraint&) const = default;
};

// These two take an entry of FeatureTerm. The first returns whether the entry is like "!a", the
// second returns the name of the feature.
bool is_excluded_feature(std::string_view entry);
std::string_view feature_in(std::string_view entry);

// An empty text asks for nothing. A refusal tells the position of what it could not read.
Result<Constraint> parse_constraint(std::string_view text);

// The normal form, multiplied out. parse_constraint reads it back, unless it has become longer than
// what may be asked.
std::string format_constraint(const Constraint& constraint);

}  // namespace cox
