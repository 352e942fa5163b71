// The columns of sacct, by Slurm's names and in its order; and tables of such columns, for sstat
// too. Pure.
#pragma once

#include <cstdlib>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "client/slurm/records/record_rows.h"
#include "common/base/result.h"

namespace cox {

struct RecordColumn {
  std::string_view name;  // also cut short, in any case
  int width = 10;         // below 0: to the left
  bool is_number = false;
  // Nothing: it is not known, or does not apply.
  std::string (*text)(const RecordRow& row, const RecordOptions& options) = nullptr;
};
std::span<const RecordColumn> record_columns();

// "jobid,state%20,nodelist%-256": places in a list of names, with the widths that are asked for.
struct ColumnWish {
  std::size_t at = 0;
  int width = 0;
};
struct ColumnNames {
  std::vector<std::string_view> names;
  std::vector<int> widths;  // as many
};
Result<std::vector<ColumnWish>> read_format(const std::vector<std::string>& formats,
                                            const ColumnNames& columns);

// Returns the names and widths of a table of columns.
template <class Columns>
ColumnNames column_names(const Columns& columns) {
  ColumnNames all;
  for (const auto& column : columns) {
    all.names.push_back(column.name);
    all.widths.push_back(column.width);
  }
  return all;
}

// What --helpformat says of them.
std::string names_text(const std::vector<std::string_view>& names);

// One line as the layout says; `cells` in the order of the columns.
struct LaidCell {
  std::string text;
  int width = 0;
  bool is_number = false;
};
std::string record_line(const std::vector<LaidCell>& cells, const RecordLayout& layout);
// Names, and what is drawn below them.
std::string record_heads(const std::vector<LaidCell>& names, const RecordLayout& layout);

}  // namespace cox
