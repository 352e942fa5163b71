#include "common/base/hostlist.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <utility>

#include "common/base/limits.h"
#include "common/base/text.h"

namespace cox {
namespace {

// The most digits of a number. In a host name, a longer run of digits counts as text; in a bracket
// it is refused. So numbers fit into 64 bits.
constexpr std::size_t digits_max = 18;
// The deepest nesting of brackets; "n[1[2-3],5]" has depth 2.
constexpr int bracket_depth_max = 4;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool is_name_character(char c) {
  return is_digit(c) || is_letter(c) || c == '-' || c == '_' || c == '.';
}

// REQUIRES: at most digits_max digits.
std::int64_t to_number(std::string_view digits) {
  std::int64_t number = 0;
  for (const char c : digits) number = number * 10 + (c - '0');
  return number;
}

std::string pad(std::int64_t number, std::size_t width) {
  std::string digits = std::to_string(number);
  if (digits.size() < width) digits.insert(0, width - digits.size(), '0');
  return digits;
}

// ---- compress --------------------------------------------------------------------------------

struct NumberedName {
  std::string_view prefix;
  std::string_view digits;  // the number at the end; empty: there is none
};

NumberedName split_number(std::string_view name) {
  std::size_t begin = name.find_last_not_of("0123456789") + 1;  // 0 if all are digits: npos + 1
  if (name.size() - begin > digits_max) begin = name.size();
  return {name.substr(0, begin), name.substr(begin)};
}

// "7" or "07-12" inside a bracket. The numbers of a range are padded to the width of the first.
struct Range {
  std::size_t width = 0;
  std::int64_t first = 0;
  std::int64_t last = 0;
};

bool continues(const Range& range, std::string_view digits) {
  return to_number(digits) == range.last + 1 && pad(range.last + 1, range.width) == digits;
}

std::string bracket(std::string_view prefix, const std::vector<Range>& ranges) {
  std::string text(prefix);
  const bool alone = ranges.size() == 1 && ranges[0].first == ranges[0].last;
  if (!alone) text += '[';
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    if (i > 0) text += ',';
    text += pad(ranges[i].first, ranges[i].width);
    if (ranges[i].last > ranges[i].first) text += '-' + pad(ranges[i].last, ranges[i].width);
  }
  if (!alone) text += ']';
  return text;
}

// Returns one item of a hostlist, such as "n[1-3,7]": the names from index `begin` on that share a
// prefix. Sets `begin` to the index after them.
std::string compress_item(const std::vector<std::string>& names, std::size_t& begin) {
  const NumberedName first = split_number(names[begin]);
  if (first.digits.empty()) return names[begin++];
  std::vector<Range> ranges;
  for (; begin < names.size(); ++begin) {
    const NumberedName name = split_number(names[begin]);
    if (name.digits.empty() || name.prefix != first.prefix) break;
    if (!ranges.empty() && continues(ranges.back(), name.digits)) {
      ++ranges.back().last;
    } else {
      const std::int64_t number = to_number(name.digits);
      ranges.push_back({name.digits.size(), number, number});
    }
  }
  return bracket(first.prefix, ranges);
}

// ---- expand ----------------------------------------------------------------------------------

// Parses one hostlist from left to right. Each method returns the refusal, if any.
class HostlistReader {
 public:
  explicit HostlistReader(std::string_view text) : text_(text) {}

  Failure read() {
    if (text_.empty()) return refuse("names no node", 0);
    while (true) {
      if (Failure failure = read_item()) return failure;
      if (position_ == text_.size()) return std::nullopt;
      ++position_;  // the comma
    }
  }

  std::vector<std::string> take() { return std::move(names_); }

 private:
  // Reads one item, which ends at a comma outside of brackets, and appends its names: every
  // combination of the entries of its brackets.
  Failure read_item() {
    const std::size_t begin = position_;
    std::vector<std::string> item = {""};
    while (position_ < text_.size() && text_[position_] != ',') {
      const char c = text_[position_];
      if (c == '[') {
        if (Failure failure = read_bracket(item, 1, 1)) return failure;
      } else if (is_name_character(c)) {
        append(item, c);
      } else {
        return refuse(c == ']' ? "closes a bracket that was not opened"
                               : "has a character that node names cannot have",
                      position_);
      }
      if (Failure failure = check_lengths(item, begin)) return failure;
    }
    if (position_ == begin) return refuse("has an empty name", begin);
    if (names_.size() + item.size() > limits::hostlist_nodes_max) return refuse_too_many();
    for (std::string& name : item) {
      if (!is_host_name(name))
        return refuse("stands for " + quoted(name) + ", which is not a node name", begin);
      names_.push_back(std::move(name));
    }
    return std::nullopt;
  }

  void append(std::vector<std::string>& texts, char c) {
    for (std::string& text : texts) text += c;
    ++position_;
  }

  Failure check_lengths(const std::vector<std::string>& texts, std::size_t begin) const {
    const auto is_long = [](const std::string& text) {
      return text.size() > limits::word_bytes_max;
    };
    if (std::none_of(texts.begin(), texts.end(), is_long)) return std::nullopt;
    return refuse("has a name longer than " + std::to_string(limits::word_bytes_max) + " bytes",
                  begin);
  }

  // Reads a bracket, from its '[', and replaces `texts` by every combination of a text and an entry
  // of the bracket. Each combination will occur in `times` names. `depth` counts the open brackets.
  Failure read_bracket(std::vector<std::string>& texts, std::size_t times, int depth) {
    const std::size_t begin = position_++;
    if (depth > bracket_depth_max)
      return refuse("has more than " + std::to_string(bracket_depth_max) + " brackets in brackets",
                    begin);
    std::vector<std::string> entries;
    while (true) {
      if (Failure failure = read_entry(entries, texts.size() * times, depth)) return failure;
      if (position_ == text_.size()) return refuse("opens a bracket that is never closed", begin);
      const char c = text_[position_];
      if (c != ',' && c != ']') return refuse("needs ',' or ']' in a bracket", position_);
      ++position_;
      if (c == ']') break;
    }
    texts = depth == 1 && another_bracket_follows() ? inner_first(texts, entries)
                                                    : product_of(texts, entries);
    return std::nullopt;
  }

  bool another_bracket_follows() const {
    const std::size_t at = text_.find_first_of(",[", position_);
    return at != std::string_view::npos && text_[at] == '[';
  }

  static std::vector<std::string> product_of(const std::vector<std::string>& texts,
                                             const std::vector<std::string>& entries) {
    std::vector<std::string> product;
    product.reserve(texts.size() * entries.size());
    for (const std::string& text : texts)
      for (const std::string& entry : entries) product.push_back(text + entry);
    return product;
  }

  // Expands in Slurm's order, which matters from three brackets on: in "a[1-2]b[3-4]c[5-6]" the
  // last bracket counts fastest, then the first, then the second.
  static std::vector<std::string> inner_first(const std::vector<std::string>& texts,
                                              const std::vector<std::string>& entries) {
    std::vector<std::string> product;
    product.reserve(texts.size() * entries.size());
    for (const std::string& entry : entries)
      for (const std::string& text : texts) product.push_back(text + entry);
    return product;
  }

  // Reads one entry of a bracket: a range, or digits and brackets ("1[2-3]" stands for 12 and
  // 13).
  Failure read_entry(std::vector<std::string>& entries, std::size_t times, int depth) {
    const std::size_t begin = position_;
    const std::size_t behind_digits =
        std::min(text_.find_first_not_of("0123456789", position_), text_.size());
    if (behind_digits == text_.size() || text_[behind_digits] != '[')
      return read_range(entries, times);
    std::vector<std::string> products = {""};
    while (position_ < text_.size() && (is_digit(text_[position_]) || text_[position_] == '[')) {
      if (is_digit(text_[position_]))
        append(products, text_[position_]);
      else if (Failure failure = read_bracket(products, times, depth + 1))
        return failure;
      if (Failure failure = check_lengths(products, begin)) return failure;
    }
    if (is_too_many(entries.size() + products.size(), times)) return refuse_too_many();
    std::move(products.begin(), products.end(), std::back_inserter(entries));
    return std::nullopt;
  }

  // Reads "7" or "07-12". Each number will occur in `times` names.
  Failure read_range(std::vector<std::string>& numbers, std::size_t times) {
    const std::size_t begin = position_;
    const std::string_view first = read_digits();
    if (first.empty()) {
      if (position_ == text_.size()) return refuse("opens a bracket that is never closed", begin);
      return refuse("needs a number in a bracket", position_);
    }
    std::string_view last = first;
    if (position_ < text_.size() && text_[position_] == '-') {
      ++position_;
      last = read_digits();
      if (last.empty()) return refuse("has a range without an end", begin);
    }
    if (first.size() > digits_max || last.size() > digits_max)
      return refuse("has a number of more than " + std::to_string(digits_max) + " digits", begin);
    const std::int64_t low = to_number(first);
    const std::int64_t high = to_number(last);
    if (high < low) return refuse("has a range that runs backwards", begin);
    if (last.size() < first.size())
      return refuse("has a range whose end has fewer digits than its beginning", begin);
    const auto count = static_cast<std::uint64_t>(high - low) + 1;
    if (count > limits::hostlist_nodes_max || is_too_many(numbers.size() + count, times))
      return refuse_too_many();
    for (std::int64_t i = low; i <= high; ++i) numbers.push_back(pad(i, first.size()));
    return std::nullopt;
  }

  // Returns whether `count` entries, each in `times` names, exceed limits::hostlist_nodes_max
  // together with the names that are read already. REQUIRES: `count` and `times` are at most twice
  // that limit, so that their product fits into 64 bits.
  bool is_too_many(std::size_t count, std::size_t times) const {
    return count * times + names_.size() > limits::hostlist_nodes_max;
  }

  std::string_view read_digits() {
    const std::size_t begin = position_;
    while (position_ < text_.size() && is_digit(text_[position_])) ++position_;
    return text_.substr(begin, position_ - begin);
  }

  Refusal refuse(const std::string& what, std::size_t position) const {
    return {"node list " + quoted(text_) + " " + what + " (at character " +
                std::to_string(position + 1) + ")",
            "write node lists like n1,n2 or n[1-4,07]"};
  }

  Refusal refuse_too_many() const {
    return {"node list " + quoted(text_) + " stands for more than " +
                std::to_string(limits::hostlist_nodes_max) + " nodes",
            "name fewer nodes"};
  }

  std::string_view text_;
  std::size_t position_ = 0;
  std::vector<std::string> names_;
};

}  // namespace

std::string compress_hostlist(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size();) {
    if (!text.empty()) text += ',';
    text += compress_item(names, i);
  }
  return text;
}

Result<std::vector<std::string>> expand_hostlist(std::string_view text) {
  HostlistReader reader(text);
  if (Failure failure = reader.read()) return *std::move(failure);
  return reader.take();
}

bool is_host_name(std::string_view name) {
  if (name.empty() || name.size() > limits::word_bytes_max) return false;
  if (!is_digit(name.front()) && !is_letter(name.front())) return false;
  return std::all_of(name.begin(), name.end(), is_name_character);
}

bool host_name_before(std::string_view a, std::string_view b) {
  std::size_t i = 0;
  std::size_t j = 0;
  const auto skip_zeros = [](std::string_view text, std::size_t at) {
    while (at < text.size() && text[at] == '0') ++at;
    return at;
  };
  const auto skip_digits = [](std::string_view text, std::size_t at) {
    while (at < text.size() && is_digit(text[at])) ++at;
    return at;
  };
  while (i < a.size() && j < b.size()) {
    if (!is_digit(a[i]) || !is_digit(b[j])) {
      if (a[i] != b[j]) return a[i] < b[j];
      ++i, ++j;
      continue;
    }
    // Leading zeros are skipped, so the number with more digits is the larger one.
    const std::size_t a_begin = skip_zeros(a, i);
    const std::size_t b_begin = skip_zeros(b, j);
    i = skip_digits(a, a_begin);
    j = skip_digits(b, b_begin);
    if (i - a_begin != j - b_begin) return i - a_begin < j - b_begin;
    const int order = a.substr(a_begin, i - a_begin).compare(b.substr(b_begin, j - b_begin));
    if (order != 0) return order < 0;
  }
  if (i < a.size() || j < b.size()) return j < b.size();
  return a < b;  // the names differ only in leading zeros
}

void sort_hostnames(std::vector<std::string>& names) {
  std::sort(names.begin(), names.end(), host_name_before);
}

}  // namespace cox
