// Parses lines, numbers and comma-separated tables of untrusted text. Nothing here copies the text,
// which must outlive it. Errors are Refusals that name the line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "common/base/time.h"

namespace cox::simulate {

// the largest number of tasks, CPUs, GPUs or MB accepted
inline constexpr std::int64_t count_max = 1'000'000'000;
inline constexpr double seconds_max = 1e11;  // three thousand years

class Lines {
 public:
  explicit Lines(std::string_view text) : rest_(text) {}
  // Returns the next line, without its end; empty at the end of the text.
  std::optional<std::string_view> next();
  // number of the line that next() returned last, from 1
  std::size_t number() const { return number_; }

 private:
  std::string_view rest_;
  std::size_t number_ = 0;
};

std::optional<std::int64_t> whole_number(std::string_view word);
std::optional<double> finite_number(std::string_view word);

// Rounds to the nearest millisecond. REQUIRES: 0 ≤ seconds ≤ seconds_max.
Milliseconds from_seconds(double seconds);

Refusal at_line(std::size_t number, const std::string& fact);

// A table with a header. Cells are read by the name of their column. After the first invalid cell,
// problem() has the error and next() returns no more rows. Absent columns are empty.
class CsvTable {
 public:
  static Result<CsvTable> open(std::string_view text,
                               std::initializer_list<std::string_view> needed);
  bool next();
  const Failure& problem() const { return problem_; }
  void record_problem(const std::string& fact);  // records an error in the present row

  std::string_view text(std::string_view column) const;
  bool has(std::string_view column) const { return !text(column).empty(); }
  std::int64_t whole_number_in(std::string_view column, std::int64_t least, std::int64_t most);
  Milliseconds seconds(std::string_view column);
  Milliseconds milliseconds(std::string_view column);

 private:
  explicit CsvTable(std::string_view text) : lines_(text) {}
  double number(std::string_view column, double most);

  Lines lines_;
  std::vector<std::string> columns_;
  std::vector<std::string> cells_;
  Failure problem_;
};

}  // namespace cox::simulate
