// Tables with aligned columns and colours, for people to read. Columns shrink, wrap or are left out
// on a narrow screen. Pure; client/show and client/setup print with them.
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
  // Aligns this column to the right; for numbers.
  Table& right(std::size_t column);
  // Allows this column to be cut, down to `least` columns of the terminal, before the last column
  // of the table is cut.
  Table& shrinks(std::size_t column, std::size_t least);
  // Allows this column to be cut like shrinks(), but for names by which people tell rows apart:
  // other columns are left out and cut first.
  Table& names(std::size_t column, std::size_t least);
  // Allows this column to be left out, if the screen is still too narrow after cutting. The column
  // with the lowest `order` is left out first. The last column of the table always stays.
  Table& leaves(std::size_t column, int order);
  // Wraps the last column into further lines instead of cutting it.
  Table& wraps();
  // Adds a row. REQUIRES: as many cells as the table has heads.
  void row(std::vector<Cell> cells);
  // Returns the table. Its lines fit into `width` columns of the terminal if possible, since lines
  // that the terminal wraps are unreadable. The last column is not cut to less than 16 columns, nor
  // before the end of its first number or date. Width 0: no limit.
  std::string text(bool colour, std::size_t width = 0) const;

 private:
  struct Column {
    std::string head;
    bool right = false;
    std::size_t least = 0;    // least width, from shrinks(); 0: the column is never cut
    bool is_name = false;     // from names()
    int leaves = 0;           // the order in leaves(); 0: the column is never left out
    std::size_t natural = 0;  // width of its widest cell
  };
  using Places = std::vector<std::size_t>;  // indexes of columns, in the order of the table

  std::size_t width_of(const Places& shown) const;
  std::size_t least_of_last() const;
  Places columns_within(std::size_t width) const;
  std::vector<std::size_t> widths_within(const Places& shown, std::size_t width) const;
  std::string line(const std::vector<Cell>& cells, const Places& shown,
                   const std::vector<std::size_t>& widths, bool colour) const;
  std::string lines(std::vector<Cell> cells, const Places& shown,
                    const std::vector<std::size_t>& widths, bool colour) const;
  // Returns the rows with the cells of the columns `shown` cut to the widths. Does not cut a last
  // column that wraps.
  std::vector<std::vector<Cell>> cut_rows(const Places& shown,
                                          const std::vector<std::size_t>& widths) const;

  std::vector<Column> columns_;
  std::vector<std::vector<Cell>> rows_;
  bool wraps_ = false;
};

// Returns lines "name  value", with the names padded to one width. Leaves out empty values.
std::string named_lines(const std::vector<std::pair<std::string, std::string>>& lines, bool colour);

}  // namespace cox
