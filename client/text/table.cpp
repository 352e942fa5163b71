#include "client/text/table.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "common/base/check.h"
#include "common/base/text.h"

namespace cox {
namespace {

constexpr std::string_view gap = "  ";

std::string_view code(Colour colour) {
  switch (colour) {
    case Colour::None: return "";
    case Colour::Green: return "\033[32m";
    case Colour::Yellow: return "\033[33m";
    case Colour::Red: return "\033[31m";
    case Colour::Blue: return "\033[34m";
    case Colour::Dim: return "\033[2m";
    case Colour::Bold: return "\033[1m";
  }
  CHECK(false && "unknown Colour");
}

}  // namespace

std::string coloured(std::string_view text, Colour colour, bool on) {
  std::string shown = printable(text);
  if (!on || colour == Colour::None || shown.empty()) return shown;
  return std::string(code(colour)) + shown + "\033[0m";
}

Table::Table(std::vector<std::string> heads) {
  CHECK(!heads.empty());
  for (std::string& head : heads) {
    const std::size_t width = display_width(head);
    columns_.push_back({std::move(head), false, 0, false, 0, width});
  }
}

Table& Table::right(std::size_t column) {
  columns_.at(column).right = true;
  return *this;
}

Table& Table::shrinks(std::size_t column, std::size_t least) {
  columns_.at(column).least = least;
  return *this;
}

Table& Table::names(std::size_t column, std::size_t least) {
  columns_.at(column).is_name = true;
  return shrinks(column, least);
}

Table& Table::leaves(std::size_t column, int order) {
  CHECK(column + 1 < columns_.size());
  columns_.at(column).leaves = order;
  return *this;
}

Table& Table::wraps() {
  wraps_ = true;
  return *this;
}

void Table::row(std::vector<Cell> cells) {
  CHECK(cells.size() == columns_.size());
  for (std::size_t i = 0; i < cells.size(); ++i) {
    cells[i].text = printable(cells[i].text);  // before its width is measured
    columns_[i].natural = std::max(columns_[i].natural, display_width(cells[i].text));
  }
  rows_.push_back(std::move(cells));
}

// ---- column widths ------------------------------------------------------------------------------

namespace {

constexpr std::size_t last_width_least = 16;
// Other columns are cut until the last one has this width,
constexpr std::size_t last_width_good = 40;
// but for that no column is cut to less than this width.
constexpr std::size_t shrunk_width_good = 24;
constexpr std::size_t first_number_width_max = 48;
constexpr std::size_t date_bytes = std::string_view("2026-11-26 10:00:00").size();

// Returns the width, in columns, of the text cut after its first number or date, including the ".."
// of the cut. Returns 0 if the text has no digit.
std::size_t width_with_number(std::string_view text) {
  constexpr std::string_view digits = "0123456789";
  const std::size_t begin = text.find_first_of(digits);
  if (begin == std::string_view::npos) return 0;
  std::size_t end = text.find_first_not_of(digits, begin);
  if (end == begin + 4 && text[end] == '-') end = begin + date_bytes;
  if (end >= text.size()) end = std::string_view::npos;
  if (end == std::string_view::npos) return display_width(text);
  return display_width(text.substr(0, end)) + 2;
}

}  // namespace

std::size_t Table::least_of_last() const {
  std::size_t least = std::min(last_width_least, columns_.back().natural);
  for (const auto& cells : rows_) {
    const std::size_t width = width_with_number(cells.back().text);
    if (width <= first_number_width_max) least = std::max(least, width);
  }
  return least;
}

// Returns the width of the table if of its columns only `shown` are shown, each cut to its least
// width, and names to shrunk_width_good.
std::size_t Table::width_of(const Places& shown) const {
  std::size_t width = gap.size() * (shown.size() - 1) + least_of_last();
  for (std::size_t i = 0; i + 1 < shown.size(); ++i) {
    const Column& column = columns_[shown[i]];
    const std::size_t least =
        column.is_name ? std::max(column.least, shrunk_width_good) : column.least;
    width += least == 0 ? column.natural : std::min(column.natural, least);
  }
  return width;
}

Table::Places Table::columns_within(std::size_t width) const {
  Places shown(columns_.size());
  std::iota(shown.begin(), shown.end(), std::size_t{0});
  while (width > 0 && width_of(shown) > width) {
    auto next = shown.end();
    for (auto each = shown.begin(); each != shown.end(); ++each) {
      const int order = columns_[*each].leaves;
      if (order > 0 && (next == shown.end() || order < columns_[*next].leaves)) next = each;
    }
    if (next == shown.end()) break;
    shown.erase(next);
  }
  return shown;
}

// Returns the widths of the columns `shown` in a table of `width` columns. Cuts columns, but not
// below shrunk_width_good, until the last column has last_width_good. If the last column then has
// less than its least width, cuts the others down to their least widths. The last column gets what
// is left.
std::vector<std::size_t> Table::widths_within(const Places& shown, std::size_t width) const {
  std::vector<std::size_t> widths;
  for (const std::size_t at : shown) widths.push_back(columns_[at].natural);
  if (width == 0) return widths;
  std::size_t before = gap.size() * (shown.size() - 1);
  for (std::size_t i = 0; i + 1 < shown.size(); ++i) before += widths[i];
  const auto make_room = [&](std::size_t last, std::size_t floor) {
    for (const bool names : {false, true})
      for (std::size_t i = 0; i + 1 < shown.size(); ++i) {
        const Column& column = columns_[shown[i]];
        const std::size_t least = std::max(column.least, floor);
        if (column.least == 0 || column.is_name != names) continue;
        if (before + last <= width || widths[i] <= least) continue;
        const std::size_t cut = std::min(widths[i] - least, before + last - width);
        widths[i] -= cut;
        before -= cut;
      }
  };
  make_room(std::min(widths.back(), last_width_good), shrunk_width_good);
  make_room(least_of_last(), 0);
  widths.back() = std::max(least_of_last(), width - std::min(width, before));
  return widths;
}

// ---- the text of a table ---------------------------------------------------------------------

std::string Table::line(const std::vector<Cell>& cells, const Places& shown,
                        const std::vector<std::size_t>& widths, bool colour) const {
  std::string out;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const Cell& cell = cells[shown[i]];
    const std::size_t fill = widths[i] - std::min(widths[i], display_width(cell.text));
    const bool to_right = columns_[shown[i]].right;
    const bool last = i + 1 == shown.size();
    if (to_right) out.append(fill, ' ');
    out += coloured(cell.text, cell.colour, colour);
    if (!to_right && !last) out.append(fill, ' ');
    if (!last) out += gap;
  }
  while (!out.empty() && out.back() == ' ') out.pop_back();
  return out + "\n";
}

std::vector<std::vector<Cell>> Table::cut_rows(const Places& shown,
                                               const std::vector<std::size_t>& widths) const {
  std::vector<std::vector<Cell>> rows = rows_;
  for (std::size_t i = 0; i + (wraps_ ? 1 : 0) < shown.size(); ++i) {
    if (columns_[shown[i]].natural <= widths[i]) continue;
    std::vector<std::string> texts;
    for (const std::vector<Cell>& cells : rows) texts.push_back(cells[shown[i]].text);
    texts = cut_apart(texts, widths[i]);
    for (std::size_t row = 0; row < rows.size(); ++row) rows[row][shown[i]].text = texts[row];
  }
  return rows;
}

// Returns a row of the table as one or more lines, with the last cell wrapped to its width.
std::string Table::lines(std::vector<Cell> cells, const Places& shown,
                         const std::vector<std::size_t>& widths, bool colour) const {
  if (!wraps_) return line(cells, shown, widths, colour);
  Cell& last = cells.back();
  std::string out;
  for (const std::string& part : wrapped_to_width(last.text, widths.back())) {
    last.text = part;
    out += line(cells, shown, widths, colour);
    for (Cell& cell : cells) cell.text.clear();
  }
  return out;
}

std::string Table::text(bool colour, std::size_t width) const {
  const Places shown = columns_within(width);
  const std::vector<std::size_t> widths = widths_within(shown, width);
  std::vector<Cell> heads;
  for (const Column& column : columns_) heads.emplace_back(column.head, Colour::Bold);
  std::string out = line(heads, shown, widths, colour);
  for (std::vector<Cell>& cells : cut_rows(shown, widths))
    out += lines(std::move(cells), shown, widths, colour);
  return out;
}

std::string named_lines(const std::vector<std::pair<std::string, std::string>>& lines,
                        bool colour) {
  std::size_t width = 0;
  for (const auto& [name, value] : lines)
    if (!value.empty()) width = std::max(width, display_width(name));
  std::string out;
  for (const auto& [name, value] : lines) {
    if (value.empty()) continue;
    out += coloured(name, Colour::Dim, colour);
    out.append(width - display_width(name) + gap.size(), ' ');
    out += printable(value) + "\n";
  }
  return out;
}

}  // namespace cox
