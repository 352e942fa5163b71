// The binary form of rows, byte by byte, as PostgreSQL's array_recv() and record_recv() read it.
#include "controller/io/postgres/pg_binary.h"

#include <gtest/gtest.h>

#include <limits>

#include "controller/io/postgres/pg_columns.h"

namespace cox {
namespace {

constexpr PgOid row = 90'001, state = 90'002, states = 90'003;
constexpr PgOid int2 = 21, int4 = 23, int8 = 20, text = 25, boolean = 16, times = 1185, time = 1184;

std::string hex_of(const std::string& bytes) {
  return hex_text(bytes).substr(2);
}

PgRowType of(std::vector<PgRowType::Column> columns) {
  return {row, std::move(columns)};
}

// The fields of the only row: what follows the head of the array, the length of the row and the
// number of its columns.
std::string fields_of(PgRowWriter writer) {
  writer.end_row();
  return hex_of(std::move(writer).array().substr(28));
}

TEST(PgRowWriter, writes_the_head_of_the_array_and_the_length_of_each_row) {
  const PgRowType type = of({{boolean, boolean, false}});
  PgRowWriter writer(type);
  for (const bool value : {true, false}) {
    pg_write(writer, value);
    writer.end_row();
  }
  EXPECT_EQ(writer.rows(), 2);
  EXPECT_EQ(hex_of(std::move(writer).array()),
            "00000001"
            "00000000"
            "00015f91"
            "00000002"
            "00000001"
            "0000000d"
            "00000001"
            "00000010"
            "00000001"
            "01"
            "0000000d"
            "00000001"
            "00000010"
            "00000001"
            "00");
  EXPECT_EQ(hex_of(PgRowWriter(type).array()),
            "00000000"
            "00000000"
            "00015f91")
      << "no rows";
}

TEST(PgRowWriter, writes_numbers_up_to_the_bounds_of_their_columns) {
  const PgRowType type = of({{int2, int2, false}, {int4, int4, false}, {int8, int8, false}});
  PgRowWriter least(type), most(type);
  const auto write = [](PgRowWriter& to, auto limit) {
    to.number(limit(std::int16_t{})), to.number(limit(std::int32_t{})),
        to.number(limit(std::int64_t{}));
  };
  write(least, [](auto v) { return std::numeric_limits<decltype(v)>::min(); });
  write(most, [](auto v) { return std::numeric_limits<decltype(v)>::max(); });
  EXPECT_EQ(fields_of(std::move(least)),
            "00000015"
            "00000002"
            "8000"
            "00000017"
            "00000004"
            "80000000"
            "00000014"
            "00000008"
            "8000000000000000");
  EXPECT_EQ(fields_of(std::move(most)),
            "00000015"
            "00000002"
            "7fff"
            "00000017"
            "00000004"
            "7fffffff"
            "00000014"
            "00000008"
            "7fffffffffffffff");
}

TEST(PgRowWriter, writes_null_into_columns_that_it_does_not_know) {
  const PgRowType type = of({{boolean, boolean, false, "site_first"},
                             {boolean, boolean, false, "held"},
                             {boolean, boolean, false, "site_last"}});
  PgRowWriter writer(type);
  writer.column("held");
  pg_write(writer, true);
  EXPECT_EQ(fields_of(std::move(writer)),
            "00000010ffffffff"
            "000000100000000101"
            "00000010ffffffff");
  EXPECT_DEATH(PgRowWriter(type).column("gone"), "CHECK");
}

TEST(PgRowWriterDeathTest, stops_at_a_number_that_its_column_cannot_have) {
  const PgRowType type = of({{int2, int2, false}});
  EXPECT_DEATH(PgRowWriter(type).number(32'768), "CHECK");
  EXPECT_DEATH(PgRowWriter(type).number(-32'769), "CHECK");
}

TEST(PgRowWriter, writes_texts_names_of_states_and_unset_values) {
  const PgRowType type = of({{text, text, false}, {state, state, true}, {text, text, false}});
  PgRowWriter writer(type);
  pg_write(writer, std::string("a\"b"));
  pg_write(writer, JobState::Pending);
  pg_write(writer, std::optional<std::string>{});
  EXPECT_EQ(fields_of(std::move(writer)),
            "00000019"
            "00000003"
            "612262"
            "00015f92"
            "00000007"
            "50454e44494e47"
            "00000019"
            "ffffffff");
}

TEST(PgRowWriter, writes_arrays_also_empty_ones_and_unset_times_in_them) {
  const PgRowType type = of({{states, state, true}, {times, time, false}});
  PgRowWriter writer(type);
  pg_write(writer, std::vector<JobState>{});
  const Wall second_day{std::chrono::sys_days{std::chrono::year{2000} / 1 / 2}.time_since_epoch()};
  pg_write(writer, std::vector<Wall>{second_day, Wall{}});
  EXPECT_EQ(fields_of(std::move(writer)),
            "00015f93"
            "0000000c"
            "00000000"
            "00000000"
            "00015f92"
            "000004a1"
            "00000024"
            "00000001"
            "00000000"
            "000004a0"
            "00000002"
            "00000001"
            "00000008"
            "000000141dd76000"
            "ffffffff");
}

TEST(RowTypeOf, finds_only_an_array_of_rows_as_the_first_parameter) {
  EXPECT_EQ(row_type_of("INSERT INTO cox.job SELECT * FROM unnest($1::cox.job[])"), "job");
  EXPECT_EQ(row_type_of("SELECT unnest($1::cox.job_event[])"), "job_event");
  for (const char* const other : {"", "SELECT $1::bigint[]", "SELECT $2::cox.job[]",
                                  "SELECT $1::cox.job", "SELECT $1::cox.job WHERE x = '[]'"})
    EXPECT_EQ(row_type_of(other), "") << other;
}

}  // namespace
}  // namespace cox
