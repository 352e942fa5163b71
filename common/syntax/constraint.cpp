#include "common/syntax/constraint.h"

#include <algorithm>

namespace cox {
namespace {

std::string join(const std::vector<std::string>& parts, char separator) {
  std::string text;
  for (const std::string& part : parts) {
    if (&part != &parts.front()) text += separator;
    text += part;
  }
  return text;
}

std::string in_parentheses(const std::string& text) {
  return "(" + text + ")";
}

// Returns each list of `all_of` as a text: "a", or "(a|b)" if the list has several entries.
std::vector<std::string> clause_texts(const FeatureTerm& term) {
  std::vector<std::string> texts;
  for (const auto& any_of : term.all_of)
    texts.push_back(any_of.size() == 1 ? any_of.front() : in_parentheses(join(any_of, '|')));
  return texts;
}

// Returns the demands of one alternative, which & joins: "a", "(a|b)", "a*2" or "(a&b)*2".
std::vector<std::string> demand_texts(const GangFeatures& gang) {
  std::vector<std::string> texts = clause_texts(gang.every);
  for (const CountedFeatures& counted : gang.some) {
    const std::vector<std::string> clauses = clause_texts(counted.term);
    const std::string term =
        clauses.size() == 1 ? clauses.front() : in_parentheses(join(clauses, '&'));
    texts.push_back(term + "*" + std::to_string(counted.nodes));
  }
  return texts;
}

// Formats one alternative. If a count such as a*2 is joined with other demands, the text is in
// brackets, as Slurm requires.
std::string single_text(const GangFeatures& gang) {
  if (gang.some.empty() && gang.every.all_of.size() == 1) return join(gang.every.all_of[0], '|');
  const std::vector<std::string> demands = demand_texts(gang);
  const std::string text = join(demands, '&');
  return gang.some.empty() || demands.size() == 1 ? text : "[" + text + "]";
}

}  // namespace

bool FeatureTerm::node_satisfies(const std::vector<std::string>& sorted_features) const {
  const auto has = [&](std::string_view feature) {
    return std::binary_search(sorted_features.begin(), sorted_features.end(), feature);
  };
  return std::all_of(all_of.begin(), all_of.end(), [&](const std::vector<std::string>& any_of) {
    return std::any_of(any_of.begin(), any_of.end(), [&](const std::string& entry) {
      return is_excluded_feature(entry) ? !has(feature_in(entry)) : has(entry);
    });
  });
}

bool is_excluded_feature(std::string_view entry) {
  return entry.starts_with('!');
}

std::string_view feature_in(std::string_view entry) {
  return is_excluded_feature(entry) ? entry.substr(1) : entry;
}

std::int64_t GangFeatures::counted_nodes() const {
  std::int64_t sum = 0;
  for (const CountedFeatures& counted : some) sum += counted.nodes;
  return sum;
}

std::string format_constraint(const Constraint& constraint) {
  const auto& alternatives = constraint.alternatives;
  if (alternatives.empty()) return {};
  if (alternatives.size() == 1) return single_text(alternatives.front());
  std::vector<std::string> texts;
  for (const GangFeatures& gang : alternatives) {
    const std::vector<std::string> demands = demand_texts(gang);
    texts.push_back(demands.size() == 1 ? demands.front() : in_parentheses(join(demands, '&')));
  }
  return "[" + join(texts, '|') + "]";
}

}  // namespace cox
