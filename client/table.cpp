#include "client/table.h"

#include <algorithm>

#include "common/check.h"
#include "common/text.h"

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

std::size_t display_width(std::string_view text) {
  const auto begins = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; };
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), begins));
}

Table& Table::right(std::size_t column) {
  right_.push_back(column);
  return *this;
}

void Table::row(std::vector<Cell> cells) {
  CHECK(cells.size() == heads_.size());
  for (auto& cell : cells) cell.text = printable(cell.text);  // its width is that of what is shown
  rows_.push_back(std::move(cells));
}

std::string Table::line(const std::vector<Cell>& cells, const std::vector<std::size_t>& widths,
                        bool colour) const {
  std::string out;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::size_t fill = widths[i] - display_width(cells[i].text);
    const bool to_right = std::ranges::find(right_, i) != right_.end();
    const bool last = i + 1 == cells.size();
    if (to_right) out.append(fill, ' ');
    out += coloured(cells[i].text, cells[i].colour, colour);
    if (!to_right && !last) out.append(fill, ' ');
    if (!last) out += gap;
  }
  while (!out.empty() && out.back() == ' ') out.pop_back();
  return out + "\n";
}

namespace {

// At a character, and seen to be cut.
std::string cut_to(const std::string& text, std::size_t columns) {
  if (display_width(text) <= columns) return text;
  std::size_t end = 0;
  for (std::size_t seen = 0; end < text.size(); ++end)
    if ((static_cast<unsigned char>(text[end]) & 0xC0) != 0x80 && ++seen + 2 > columns) break;
  return text.substr(0, end) + "..";
}

}  // namespace

std::string Table::text(bool colour, std::size_t width) const {
  std::vector<Cell> heads;
  std::vector<std::size_t> widths;
  for (const auto& head : heads_) {
    heads.emplace_back(head, Colour::Bold);
    widths.push_back(display_width(head));
  }
  for (const auto& cells : rows_)
    for (std::size_t i = 0; i < cells.size(); ++i)
      widths[i] = std::max(widths[i], display_width(cells[i].text));
  constexpr std::size_t last_width_least = 16;
  std::size_t before = 0;  // the last column
  for (std::size_t i = 0; i + 1 < widths.size(); ++i) before += widths[i] + gap.size();
  if (width > 0) widths.back() = std::max(last_width_least, width - std::min(width, before));
  std::string out = line(heads, widths, colour);
  for (std::vector<Cell> cells : rows_) {
    if (width > 0) cells.back().text = cut_to(cells.back().text, widths.back());
    out += line(cells, widths, colour);
  }
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
