// How the values of our rows are written to and read from PostgreSQL, column by column: a row type
// names its columns once (job_columns in pg_jobs.cpp and its like) and both directions follow.
//
//   RowBatch       collects rows: they become one parameter, an array of the table's row type
//   RowReader      fills values from the rows of a SELECT, by the columns' names
#pragma once

#include <array>
#include <charconv>
#include <concepts>
#include <optional>
#include <string>
#include <string_view>
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
#include "controller/io/postgres/pg_rows.h"

namespace cox {

using PgText = std::optional<std::string>;  // nothing: NULL

struct PgStatement {
  std::string query;  // a file of sql/queries
  std::vector<PgText> parameters;
};

// Times are kept within the years 1 to 9999, which every reader of a timestamptz can show.
std::string timestamp_text(Wall t);
Wall wall_from_timestamp(std::string_view text);

// ---- values to text

inline PgText pg_text(bool v) {
  return v ? "t" : "f";
}
template <std::integral T>
PgText pg_text(T v) {
  return std::to_string(v);
}
inline PgText pg_text(double v) {
  std::array<char, 32> text{};
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), v);
  CHECK(error == std::errc{});
  return std::string(text.data(), end);
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
PgText pg_text(const std::optional<T>& v) {
  return v ? pg_text(*v) : PgText{};
}
template <class T>
PgText pg_text(const std::vector<T>& v) {
  PgArrayText array;
  for (const T& element : v) array.add(pg_text(element));
  return array.text();
}

inline PgText pg_text(const TresList& v) {
  return format_tres(v);
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
// What an administrator wrote has passed cox.is_tres; a count beyond all that can be is none.
inline void pg_parse(std::string_view text, TresList& v) {
  if (auto parsed = parse_tres_by_hours(text)) v = std::move(*parsed);
}
// The last value of each enumeration, for the search of a name.
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

// ---- rows

class RowBatch {
 public:
  // Visits one row's columns: all of the table, in its order.
  template <class T>
  void operator()(const char*, const T& value) {
    rows_text_.add(pg_text(value));
  }
  // One that the table fills in by itself.
  void generated(const char*) { rows_text_.add({}); }
  void end_row() {
    rows_text_.end_row();
    ++rows_;
  }
  std::size_t rows() const { return rows_; }
  std::string text() const { return rows_text_.text(); }

 private:
  PgRowsText rows_text_;
  std::size_t rows_ = 0;
};

class RowReader {
 public:
  explicit RowReader(const PgRows& rows) : rows_(rows) {}
  bool next() {
    column_ = 0;
    return ++row_ < rows_.size();
  }
  // A column that is NULL leaves its value as it was made.
  template <class T>
  void operator()(const char* name, T& value) {
    if (const auto text = rows_.cell(row_, next_column(name))) pg_parse(*text, value);
  }
  void generated(const char*) {}

 private:
  int next_column(const char* name);

  const PgRows& rows_;
  std::vector<int> columns_;  // found by name in the first row, then by position
  std::size_t column_ = 0;
  int row_ = -1;
};

}  // namespace cox
