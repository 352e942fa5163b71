// Parses a constraint from left to right. The value that was read so far is always a list of
// alternatives, so each operator is a small function of such lists.
#include <algorithm>
#include <cstddef>
#include <utility>

#include "common/base/count_format.h"
#include "common/base/limits.h"
#include "common/base/text.h"
#include "common/syntax/constraint.h"

namespace cox {
namespace {

using Alternatives = std::vector<GangFeatures>;

constexpr std::string_view operators = "&|,()[]*!";

// Returns whether the value is one alternative without counts, so a demand on every node. | and *
// can be applied only to such a value.
bool is_plain(const Alternatives& value) {
  return value.size() == 1 && value.front().some.empty();
}

template <class T>
void sort_unique(std::vector<T>& values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

FeatureTerm both(const FeatureTerm& a, const FeatureTerm& b) {
  FeatureTerm term = a;
  term.all_of.insert(term.all_of.end(), b.all_of.begin(), b.all_of.end());
  sort_unique(term.all_of);
  return term;
}

// Returns the term "a or b", multiplied out: (a1&a2)|(b1&b2) is (a1|b1)&(a1|b2)&(a2|b1)&(a2|b2).
FeatureTerm either(const FeatureTerm& a, const FeatureTerm& b) {
  FeatureTerm term;
  for (const auto& a_clause : a.all_of) {
    for (const auto& b_clause : b.all_of) {
      term.all_of.push_back(a_clause);
      auto& clause = term.all_of.back();
      clause.insert(clause.end(), b_clause.begin(), b_clause.end());
      sort_unique(clause);
    }
  }
  sort_unique(term.all_of);
  return term;
}

GangFeatures both(const GangFeatures& a, const GangFeatures& b) {
  GangFeatures gang{both(a.every, b.every), a.some};
  gang.some.insert(gang.some.end(), b.some.begin(), b.some.end());
  return gang;
}

void add(GangFeatures gang, Alternatives& alternatives) {
  if (std::find(alternatives.begin(), alternatives.end(), gang) == alternatives.end())
    alternatives.push_back(std::move(gang));
}

class ConstraintReader {
 public:
  explicit ConstraintReader(std::string_view text) : text_(text) {}

  Result<Constraint> read() {
    if (Failure failure = check_text()) return *std::move(failure);
    Result<Alternatives> value = read_sequence('\0');
    if (!value) return value.refusal();
    return Constraint{*std::move(value)};
  }

 private:
  Failure check_text() const {
    if (text_.size() > limits::constraint_bytes_max)
      return refuse("is longer than " + std::to_string(limits::constraint_bytes_max) + " bytes");
    if (!is_utf8(text_)) return refuse("is not valid UTF-8");
    if (has_control_characters(text_)) return refuse("has a control character (shown as ?)");
    if (const std::size_t blank = text_.find(' '); blank != std::string_view::npos)
      return refuse_at("has a blank", blank);
    return std::nullopt;
  }

  // Reads operands and operators up to the character `closing`, and that too; '\0' means the end of
  // the text.
  Result<Alternatives> read_sequence(char closing) {
    const std::size_t begin = position_;
    if (++depth_ > limits::constraint_depth_max)
      return refuse_at(
          "has brackets in more than " + std::to_string(limits::constraint_depth_max) + " others",
          begin);
    Result<Alternatives> value = read_operand();
    while (value) {
      if (position_ == text_.size()) {
        if (closing != '\0') return refuse_at("opens a bracket that is never closed", begin - 1);
        break;
      }
      const std::size_t at = position_;
      const char c = text_[position_++];
      if (c == closing) break;
      if (c != '&' && c != ',' && c != '|') return refuse_at("needs & or | here", at);
      const Result<Alternatives> right = read_operand();
      if (!right) return right.refusal();
      if (c != '|')
        value = all(*value, *right, at);
      else if (closing == ']')
        value = one(*std::move(value), *right, at);
      else
        value = any(*value, *right, at);
    }
    --depth_;
    return value;
  }

  // Reads a feature or an expression in brackets, and the count "*N" after it if there is one.
  Result<Alternatives> read_operand() {
    Result<Alternatives> value = read_group();
    if (!value || position_ == text_.size() || text_[position_] != '*') return value;
    const std::size_t at = position_++;
    if (!is_plain(*value))
      return refuse_at("has a count for something that is already counted or is a choice", at);
    const std::size_t end = std::min(text_.find_first_of(operators, position_), text_.size());
    const auto nodes =
        parse_count(text_.substr(position_, end - position_), 1, limits::nodes_per_job_max);
    if (!nodes) return refuse_at("has a wrong count: " + nodes.refusal().fact, position_);
    position_ = end;
    return Alternatives{GangFeatures{{}, {{std::move(value->front().every), *nodes}}}};
  }

  Result<Alternatives> read_group() {
    const char c = position_ < text_.size() ? text_[position_] : '\0';
    if (c == '(' || c == '[') {
      ++position_;
      return read_sequence(c == '(' ? ')' : ']');
    }
    return read_feature();
  }

  // Reads "a" or "!a". This text becomes an entry of a FeatureTerm.
  Result<Alternatives> read_feature() {
    const std::size_t begin = position_;
    if (position_ < text_.size() && text_[position_] == '!') ++position_;
    const std::size_t name_at = position_;
    position_ = std::min(text_.find_first_of(operators, name_at), text_.size());
    const std::string_view feature = text_.substr(name_at, position_ - name_at);
    if (feature.empty() && name_at > begin)
      return refuse_at("has a ! without the name of a feature after it", begin,
                       "write ! before each name, like !a&!b");
    if (feature.empty()) return refuse_at("needs the name of a feature", begin);
    if (feature.size() > limits::word_bytes_max)
      return refuse_at(
          "has a name longer than " + std::to_string(limits::word_bytes_max) + " bytes", name_at);
    if (++words_ > limits::constraint_words_max)
      return refuse("names more than " + std::to_string(limits::constraint_words_max) +
                    " features");
    const std::string entry(text_.substr(begin, position_ - begin));
    return Alternatives{GangFeatures{{{{entry}}}, {}}};
  }

  // Applies the operator &: joins each alternative of the left side with each one of the right
  // side.
  Result<Alternatives> all(const Alternatives& left, const Alternatives& right, std::size_t at) {
    if (left.size() * right.size() > limits::constraint_alternatives_max)
      return refuse_too_many_alternatives(at);
    Alternatives product;
    for (const GangFeatures& a : left) {
      for (const GangFeatures& b : right) {
        add(both(a, b), product);
        if (product.back().every.all_of.size() > limits::constraint_clauses_max)
          return refuse_too_many_clauses(at);
      }
    }
    return product;
  }

  // Applies the operator | outside of [ ]: each node may choose a side of its own.
  Result<Alternatives> any(const Alternatives& left, const Alternatives& right, std::size_t at) {
    if (!is_plain(left) || !is_plain(right))
      return refuse_at("offers a choice between counts outside of [ ]", at,
                       "write choices of the whole job in brackets, like [a*2|b*4]");
    const FeatureTerm& a = left.front().every;
    const FeatureTerm& b = right.front().every;
    if (a.all_of.size() * b.all_of.size() > limits::constraint_clauses_max)
      return refuse_too_many_clauses(at);
    return Alternatives{GangFeatures{either(a, b), {}}};
  }

  // Applies the operator | within [ ]: the whole gang chooses one side.
  Result<Alternatives> one(Alternatives left, const Alternatives& right, std::size_t at) {
    for (const GangFeatures& gang : right) add(gang, left);
    if (left.size() > limits::constraint_alternatives_max) return refuse_too_many_alternatives(at);
    return left;
  }

  Refusal refuse_too_many_alternatives(std::size_t at) const {
    return refuse_at(
        "offers more than " + std::to_string(limits::constraint_alternatives_max) + " choices", at,
        "offer fewer, or write more than one job");
  }
  Refusal refuse_too_many_clauses(std::size_t at) const {
    return refuse_at("has more than " + std::to_string(limits::constraint_clauses_max) +
                         " demands when it is multiplied out",
                     at, "ask for less");
  }
  Refusal refuse_at(const std::string& what, std::size_t at,
                    const std::string& hint = features_hint) const {
    return refuse(what + " (at character " + std::to_string(at + 1) + ")", hint);
  }
  Refusal refuse(const std::string& what, const std::string& hint = features_hint) const {
    return {"constraint " + quoted(text_) + " " + what, hint};
  }

  inline static const std::string features_hint =
      "write features like a&b, a|b, !a, (a|b)&c, [a|b] or [a*2&b*4]";

  std::string_view text_;
  std::size_t position_ = 0;
  std::size_t depth_ = 0;
  std::size_t words_ = 0;
};

}  // namespace

Result<Constraint> parse_constraint(std::string_view text) {
  if (text.empty()) return Constraint{};
  return ConstraintReader(text).read();
}

}  // namespace cox
