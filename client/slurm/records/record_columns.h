// The columns of sacct, with Slurm's names and in Slurm's order, and the parser of --format and the
// layout of lines, which sstat uses as well. Pure.
#pragma once

#include <cstdlib>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "client/slurm/records/record_rows.h"
#include "common/base/result.h"

namespace cox {

struct RecordColumn {
  std::string_view name;  // users may shorten it, in any case
  int width = 10;         // negative: aligned to the left
  bool is_number = false;
  // Returns an empty text if the value is unknown or does not apply.
  std::string (*text)(const RecordRow& row, const SacctOptions& options) = nullptr;
};
std::span<const RecordColumn> record_columns();

// The column that is computed from the steps of a job.
inline constexpr std::string_view derived_exit_column = "DerivedExitCode";
// Returns the highest exit code of the ended steps of the row's job, and its signal.
std::pair<std::int32_t, std::int32_t> derived_exit_of(const RecordRow& row);
// Returns how many seconds the job has waited since it was eligible: until its start, until its end
// if it never started, or until now.
std::int64_t planned_s(const RecordRow& row, const SacctOptions& options);

// A column of a --format like "jobid,state%20,nodelist%-256": the index of its name in ColumnNames,
// and its width (negative: aligned to the left).
struct ColumnChoice {
  std::size_t at = 0;
  int width = 0;
};
struct ColumnNames {
  std::vector<std::string_view> names;
  std::vector<int> widths;  // default width of each name
};
Result<std::vector<ColumnChoice>> read_format(const std::vector<std::string>& formats,
                                              const ColumnNames& columns);

// Returns the names and default widths of the columns.
template <class Columns>
ColumnNames column_names(const Columns& columns) {
  ColumnNames all;
  for (const auto& column : columns) {
    all.names.push_back(column.name);
    all.widths.push_back(column.width);
  }
  return all;
}

// Returns what --helpformat prints: the names of columns, four on a line.
std::string names_text(const std::vector<std::string_view>& names);

// A cell of a line, with the width of its column. record_line() formats a line of cells.
struct LaidCell {
  std::string text;
  int width = 0;
  bool is_number = false;
};
std::string record_line(const std::vector<LaidCell>& cells, const RecordLayout& layout);
// Returns the line with the names of the columns and, unless the layout is parsable, the rule of
// dashes below it. Empty with --noheader.
std::string record_heads(const std::vector<LaidCell>& names, const RecordLayout& layout);

}  // namespace cox
