// Aligned columns and colours for people.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "client/text/display_width.h"

namespace cox {

enum class Colour : std::uint8_t { None, Green, Yellow, Red, Blue, Dim, Bold };

std::string coloured(std::string_view text, Colour colour, bool on);

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
  explicit Table(std::vector<std::string> heads);
  // Numbers stand to the right.
  Table& right(std::size_t column);
  // Lets this column be cut to `least` characters on a narrow screen, before the last one is cut.
  Table& shrinks(std::size_t column, std::size_t least);
  // Lets this column be left out if the screen is still too narrow. Columns of a lower order go
  // first; the last column always stays.
  Table& leaves(std::size_t column, int order);
  // The last column goes on in further lines, instead of being cut.
  Table& wraps();
  // REQUIRES: as many cells as heads.
  void row(std::vector<Cell> cells);
  // Fits lines into `width` columns if possible: lines that the terminal wraps are unreadable. The
  // last column keeps at least 16 columns and its first number or date. Width 0: no limit.
  std::string text(bool colour, std::size_t width = 0) const;

 private:
  struct Column {
    std::string head;
    bool right = false;
    std::size_t least = 0;  // 0: it is not cut
    int leaves = 0;         // 0: it stays
    std::size_t natural = 0;
  };
  using Places = std::vector<std::size_t>;  // of columns, from the left

  std::size_t width_of(const Places& shown) const;
  std::size_t least_of_last() const;
  Places columns_within(std::size_t width) const;
  std::vector<std::size_t> widths_within(const Places& shown, std::size_t width) const;
  std::string line(const std::vector<Cell>& cells, const Places& shown,
                   const std::vector<std::size_t>& widths, bool colour) const;
  std::string lines(std::vector<Cell> cells, const Places& shown,
                    const std::vector<std::size_t>& widths, bool colour) const;

  std::vector<Column> columns_;
  std::vector<std::vector<Cell>> rows_;
  bool wraps_ = false;
};

// Lines of "name  value", the names padded to one width. Empty values are left out.
std::string named_lines(const std::vector<std::pair<std::string, std::string>>& lines, bool colour);

}  // namespace cox
