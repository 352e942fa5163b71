// Writes values of our rows to PostgreSQL and reads them, column by column. One function for each
// row type visits its columns (like job_columns in pg_jobs.cpp), and serves both directions:
//
//   RowBatch       writes rows into one parameter, an array of the table's row type
//   RowReader      fills values from the rows of a SELECT, by the names of the columns
#pragma once

#include <charconv>
#include <concepts>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/check.h"
#include "common/base/ids.h"
#include "common/base/time.h"
#include "common/cluster/advance_reservation.h"
#include "common/cluster/event_trigger.h"
#include "common/cluster/node.h"
#include "common/cluster/partition.h"
#include "common/cluster/qos.h"
#include "common/job/attempt.h"
#include "common/job/job.h"
#include "common/job/job_state.h"
#include "common/resources/tres.h"
#include "controller/io/postgres/pg_array.h"
#include "controller/io/postgres/pg_binary.h"
#include "controller/io/postgres/pg_rows.h"
#include "controller/io/postgres/pg_time.h"

namespace cox {

using PgText = std::optional<std::string>;  // absent: NULL

struct PgStatement {
  std::string query;  // a file of sql/queries
  std::vector<PgText> parameters;
  std::optional<std::string> batch = {};  // the only parameter, if it is a binary array of rows
};

using SendStatement = std::function<void(const PgStatement&)>;
// Passes statements to its argument, in order.
using MakeStatements = std::function<void(const SendStatement&)>;

// ---- values to text, for parameters that are no rows

inline PgText pg_text(bool v) {
  return v ? "t" : "f";
}
template <std::integral T>
PgText pg_text(T v) {
  return std::to_string(v);
}
inline PgText pg_text(const std::string& v) {
  return v;
}
inline PgText pg_text(Wall v) {
  return v == Wall{} ? PgText{} : timestamp_text(v);
}
template <class Tag, class Rep>
PgText pg_text(Id<Tag, Rep> v) {
  return std::to_string(v.value);
}
template <class E>
requires std::is_enum_v<E> PgText pg_text(E v) {
  return std::string(name(v));
}
template <class T>
PgText pg_text(const std::vector<T>& v) {
  PgArrayText array;
  for (const T& element : v) array.add(pg_text(element).value());
  return array.text();
}

// ---- values to columns of a row

template <std::integral T>
void pg_write(PgRowWriter& to, T v) {
  to.number(static_cast<std::int64_t>(v));
}
inline void pg_write(PgRowWriter& to, double v) {
  to.real(v);
}
inline void pg_write(PgRowWriter& to, const std::string& v) {
  to.text(v);
}
inline void pg_write(PgRowWriter& to, Wall v) {
  v == Wall{} ? to.null() : to.time(v);
}
template <class Tag, class Rep>
void pg_write(PgRowWriter& to, Id<Tag, Rep> v) {
  pg_write(to, v.value);
}
template <class E>
requires std::is_enum_v<E>
void pg_write(PgRowWriter& to, E v) {
  to.text(name(v));
}
template <class T>
void pg_write(PgRowWriter& to, const std::optional<T>& v) {
  v ? pg_write(to, *v) : to.null();
}
template <class T>
void pg_write(PgRowWriter& to, const std::vector<T>& v) {
  to.begin_array(v.size());
  for (const auto& element : v) pg_write(to, static_cast<const T&>(element));
  to.end_array();
}
template <class T>
void pg_write(PgRowWriter& to, const MostlyEmpty<T>& v) {
  pg_write(to, *v);
}
inline void pg_write(PgRowWriter& to, const UuidText& v) {
  to.text(v.text());
}
inline void pg_write(PgRowWriter& to, const ArrayTasks& v) {
  to.text(format_array_tasks(v));
}
inline void pg_write(PgRowWriter& to, const TresList& v) {
  to.text(format_tres(v));
}

// ---- text to values

inline void pg_parse(std::string_view text, bool& v) {
  v = text == "t";
}
template <std::integral T>
void pg_parse(std::string_view text, T& v) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), v);
  CHECK(error == std::errc{} && end == text.data() + text.size());
}
inline void pg_parse(std::string_view text, double& v) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), v);
  CHECK(error == std::errc{} && end == text.data() + text.size());
}
inline void pg_parse(std::string_view text, std::string& v) {
  v = text;
}
inline void pg_parse(std::string_view text, Wall& v) {
  v = wall_from_timestamp(text);
}
template <class Tag, class Rep>
void pg_parse(std::string_view text, Id<Tag, Rep>& v) {
  pg_parse(text, v.value);
}
inline void pg_parse(std::string_view text, ArrayTasks& v) {
  v = text.empty() ? ArrayTasks() : parse_array_tasks(text).value();
}
// REQUIRES: the text has the form of TRES (cox.is_tres checks it). If a count in it is too large,
// leaves `v` as it is.
inline void pg_parse(std::string_view text, TresList& v) {
  if (auto parsed = parse_tres_by_hours(text)) v = std::move(*parsed);
}
// Each last_of() returns the last value of an enumeration; pg_parse() searches for a name up to it.
constexpr JobState last_of(JobState) {
  return JobState::Deadline;
}
constexpr JobForm last_of(JobForm) {
  return JobForm::Allocation;
}
constexpr CheckpointBy last_of(CheckpointBy) {
  return CheckpointBy::Rank0;
}
constexpr DependencyKind last_of(DependencyKind) {
  return DependencyKind::AfterCorr;
}
constexpr NodePhase last_of(NodePhase) {
  return NodePhase::Gone;
}
constexpr DrainedBy last_of(DrainedBy) {
  return DrainedBy::PrologEpilog;
}
constexpr RankPhase last_of(RankPhase) {
  return RankPhase::Exited;
}
constexpr StopWhy last_of(StopWhy) {
  return StopWhy::Deadline;
}
constexpr PreemptMode last_of(PreemptMode) {
  return PreemptMode::Suspend;
}
constexpr PartitionState last_of(PartitionState) {
  return PartitionState::Inactive;
}
constexpr Recurrence last_of(Recurrence) {
  return Recurrence::Weekend;
}
constexpr Distribution last_of(Distribution) {
  return Distribution::Arbitrary;
}
constexpr TriggerEvent last_of(TriggerEvent) {
  return TriggerEvent::ControllerStarted;
}
constexpr StepPhase last_of(StepPhase) {
  return StepPhase::Gone;
}
template <class E>
requires std::is_enum_v<E>
void pg_parse(std::string_view text, E& v) {
  for (int i = 0; i <= static_cast<int>(last_of(E{})); ++i)
    if (name(static_cast<E>(i)) == text) {
      v = static_cast<E>(i);
      return;
    }
  CHECK(false && "the database holds a name this program does not know");
}
template <class T>
void pg_parse(std::string_view text, std::optional<T>& v) {
  pg_parse(text, v.emplace());
}
template <class T>
void pg_parse(std::string_view text, std::vector<T>& v) {
  v.clear();
  for (const std::string& element : array_elements(text)) {
    T value{};
    pg_parse(element, value);
    v.push_back(std::move(value));
  }
}
template <class T>
void pg_parse(std::string_view text, MostlyEmpty<T>& v) {
  T value;
  pg_parse(text, value);
  v = std::move(value);
}
inline void pg_parse(std::string_view text, UuidText& v) {
  v = text;
}

// ---- rows

// The rows of one statement whose only parameter is an array of rows.
class RowBatch {
 public:
  RowBatch(const PgRowTypes& types, const char* query);

  // Adds the next column of the row. REQUIRES: all our columns of the table are added, in the order
  // of the table.
  template <class T>
  void operator()(std::string_view name, const T& value) {
    writer_.column(name);
    pg_write(writer_, value);
  }
  // Adds a column whose value the table generates.
  void generated(const char* name) {
    writer_.column(name);
    writer_.null();
  }
  void end_row() { writer_.end_row(); }
  bool empty() const { return writer_.rows() == 0; }
  std::size_t bytes() const { return writer_.bytes(); }
  PgStatement statement() && { return {query_, {}, std::move(writer_).array()}; }

 private:
  const char* query_;
  PgRowWriter writer_;
};

class RowReader {
 public:
  explicit RowReader(const PgRows& rows) : rows_(rows) {}
  // Goes to the next row; the first call, to the first row. False: there are no more.
  bool next() {
    column_ = 0;
    return ++row_ < rows_.size();
  }
  // Reads a column of the row into `value`. If the column is NULL, leaves `value` as it is.
  template <class T>
  void operator()(std::string_view name, T& value) {
    if (const auto text = rows_.cell(row_, next_column(name))) pg_parse(*text, value);
  }
  void generated(const char*) {}

 private:
  int next_column(std::string_view name);

  const PgRows& rows_;
  // The number of each column, in the order in which the row's columns are read. Found by name in
  // the first row, and reused for the others.
  std::vector<int> columns_;
  std::size_t column_ = 0;
  int row_ = -1;
};

}  // namespace cox
