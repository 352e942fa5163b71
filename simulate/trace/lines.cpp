#include "simulate/trace/lines.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "common/base/check.h"
#include "common/base/text.h"

namespace cox::simulate {
namespace {

constexpr std::size_t columns_max = 256;

template <class Number>
std::optional<Number> parse(std::string_view word) {
  Number number{};
  const char* end = word.data() + word.size();
  const auto [stopped, error] = std::from_chars(word.data(), end, number);
  if (error != std::errc{} || stopped != end || word.empty()) return std::nullopt;
  return number;
}

// Splits a line into cells. Quoted cells may contain commas, and "" for a quote. Empty if a quote
// is not closed or there are too many cells.
std::optional<std::vector<std::string>> split(std::string_view line) {
  std::vector<std::string> cells(1);
  bool inside = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '"') {
      const bool doubled = inside && i + 1 < line.size() && line[i + 1] == '"';
      if (doubled) cells.back() += line[++i];
      if (!doubled) inside = !inside;
    } else if (c == ',' && !inside) {
      if (cells.size() == columns_max) return std::nullopt;
      cells.emplace_back();
    } else {
      cells.back() += c;
    }
  }
  if (inside) return std::nullopt;
  return cells;
}

}  // namespace

std::optional<std::string_view> Lines::next() {
  if (rest_.empty()) return std::nullopt;
  const std::size_t end = std::min(rest_.find('\n'), rest_.size());
  std::string_view line = rest_.substr(0, end);
  rest_.remove_prefix(std::min(end + 1, rest_.size()));
  ++number_;
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

std::optional<std::int64_t> whole_number(std::string_view word) {
  return parse<std::int64_t>(word);
}

std::optional<double> finite_number(std::string_view word) {
  const auto number = parse<double>(word);
  if (!number || !std::isfinite(*number)) return std::nullopt;
  return number;
}

Milliseconds from_seconds(double seconds) {
  CHECK(seconds >= 0 && seconds <= seconds_max);
  return Milliseconds{std::llround(seconds * 1000)};
}

Refusal at_line(std::size_t number, const std::string& fact) {
  return {"line " + std::to_string(number) + ": " + fact, ""};
}

Result<CsvTable> CsvTable::open(std::string_view text,
                                std::initializer_list<std::string_view> needed) {
  CsvTable table(text);
  auto line = table.lines_.next();
  if (line && line->starts_with("\xEF\xBB\xBF")) line->remove_prefix(3);
  auto columns = line ? split(*line) : std::nullopt;
  if (!columns) return at_line(1, "this is not a header of comma-separated columns");
  table.columns_ = std::move(*columns);
  for (const std::string_view column : needed)
    if (std::ranges::find(table.columns_, column) == table.columns_.end())
      return at_line(1, "the header has no column " + std::string(column));
  return table;
}

bool CsvTable::next() {
  while (!problem_) {
    const auto line = lines_.next();
    if (!line) return false;
    if (line->empty()) continue;
    auto cells = split(*line);
    if (cells && cells->size() == columns_.size()) {
      cells_ = std::move(*cells);
      return true;
    }
    record_problem(cells ? "has " + std::to_string(cells->size()) +
                               " columns, and the header has " + std::to_string(columns_.size())
                         : std::string("has an unclosed quote, or too many columns"));
  }
  return false;
}

void CsvTable::record_problem(const std::string& fact) {
  if (!problem_) problem_ = at_line(lines_.number(), fact);
}

std::string_view CsvTable::text(std::string_view column) const {
  const auto found = std::ranges::find(columns_, column);
  if (found == columns_.end()) return {};
  return cells_[static_cast<std::size_t>(found - columns_.begin())];
}

std::int64_t CsvTable::whole_number_in(std::string_view column, std::int64_t least,
                                       std::int64_t most) {
  const auto number = whole_number(text(column));
  if (number && *number >= least && *number <= most) return *number;
  record_problem(std::string(column) + " is " + quoted(text(column)) +
                 "; it must be a whole number from " + std::to_string(least) + " to " +
                 std::to_string(most));
  return least;
}

double CsvTable::number(std::string_view column, double most) {
  const auto number = finite_number(text(column));
  if (number && *number >= 0 && *number <= most) return *number;
  record_problem(std::string(column) + " is " + quoted(text(column)) +
                 "; it must be a number from 0 to " +
                 std::to_string(static_cast<std::int64_t>(most)));
  return 0;
}

Milliseconds CsvTable::seconds(std::string_view column) {
  return from_seconds(number(column, seconds_max));
}

Milliseconds CsvTable::milliseconds(std::string_view column) {
  return from_seconds(number(column, seconds_max * 1000) / 1000);
}

}  // namespace cox::simulate
