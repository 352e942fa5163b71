// Aligned columns and colours for people.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cox {

enum class Colour : std::uint8_t { None, Green, Yellow, Red, Blue, Dim, Bold };

std::string coloured(std::string_view text, Colour colour, bool on);

// Columns as they appear: code points that are not continuation bytes.
std::size_t display_width(std::string_view text);

struct Cell {
  std::string text;
  Colour colour = Colour::None;
  Cell(std::string t) : text(std::move(t)) {}
  Cell(const char* t) : text(t) {}
  Cell(std::string_view t) : text(t) {}
  Cell(std::string t, Colour c) : text(std::move(t)), colour(c) {}
};

class Table {
 public:
  explicit Table(std::vector<std::string> heads) : heads_(std::move(heads)) {}
  // Numbers stand to the right.
  Table& right(std::size_t column);
  // REQUIRES: as many cells as heads.
  void row(std::vector<Cell> cells);
  // In so many columns, if need be by cutting the last column, but not below a head of 16: a line
  // that the terminal breaks cannot be read. 0: as long as they are.
  std::string text(bool colour, std::size_t width = 0) const;

 private:
  std::string line(const std::vector<Cell>& cells, const std::vector<std::size_t>& widths,
                   bool colour) const;

  std::vector<std::string> heads_;
  std::vector<std::size_t> right_;
  std::vector<std::vector<Cell>> rows_;
};

// Lines of "name  value", the names padded to one width. Empty values are left out.
std::string named_lines(const std::vector<std::pair<std::string, std::string>>& lines, bool colour);

}  // namespace cox
