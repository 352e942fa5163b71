#include "controller/io/postgres/pg_binary.h"

#include <bit>
#include <utility>

#include "common/base/check.h"
#include "controller/io/postgres/pg_array.h"
#include "controller/io/postgres/pg_time.h"

namespace cox {
namespace {

// Numbers of built-in types, which never change (pg_type.dat of PostgreSQL).
enum BuiltIn : PgOid {
  BoolOid = 16,
  Int8Oid = 20,
  Int2Oid = 21,
  Int4Oid = 23,
  TextOid = 25,
  JsonOid = 114,
  Float8Oid = 701,
  TimestampTzOid = 1184,
  UuidOid = 2950,
  JsonbOid = 3802,
};

constexpr std::size_t length_bytes = 4;

// Numbers are big-endian.
template <class Number>
void write_at(char* to, Number number) {
  for (std::size_t i = 0; i < sizeof number; ++i)
    to[i] = static_cast<char>(static_cast<std::uint64_t>(number) >> (8 * (sizeof number - 1 - i)));
}

template <class Number>
void append(std::string& to, Number number) {
  char bytes[sizeof number];
  write_at(bytes, number);
  to.append(bytes, sizeof number);
}

// Sets the length of a value that begins at `begin`, behind its length, and ends with the text.
void set_length(std::string& in, std::size_t begin) {
  write_at(in.data() + begin - length_bytes, static_cast<std::int32_t>(in.size() - begin));
}

// An array with elements has one dimension, which begins with the index 1.
void append_array_head(std::string& to, PgOid element, std::size_t size) {
  append<std::int32_t>(to, size == 0 ? 0 : 1);
  append<std::int32_t>(to, 0);  // no NULLs
  append(to, element);
  if (size == 0) return;
  append(to, static_cast<std::int32_t>(size));
  append<std::int32_t>(to, 1);
}

// The bytes of a number of this type.
int bytes_of(PgOid type) {
  switch (type) {
    case BoolOid: return 1;
    case Int2Oid: return 2;
    case Int4Oid: return 4;
    case Int8Oid: return 8;
  }
  CHECK(false && "the column is not one of numbers");
}

std::string uuid_bytes(std::string_view text) {
  std::string digits = "\\x";
  for (const char c : text)
    if (c != '-') digits += c;
  return bytes_of_hex(digits);
}

}  // namespace

PgRowTypes::PgRowTypes(const PgRows& rows) {
  const auto oid = [&rows](int row, const char* column) {
    return static_cast<PgOid>(rows.number(row, column));
  };
  for (int row = 0; row < rows.size(); ++row) {
    PgRowType& type = types_[std::string(*rows.cell(row, "row_type"))];
    type.oid = oid(row, "row_oid");
    type.columns.push_back({oid(row, "column_oid"), oid(row, "element"),
                            rows.cell(row, "is_enum") == "t",
                            std::string(*rows.cell(row, "column_name"))});
  }
}

const PgRowType& PgRowTypes::of(std::string_view name) const {
  const auto type = types_.find(name);
  CHECK(type != types_.end());
  return type->second;
}

PgRowWriter::PgRowWriter(const PgRowType& type) : type_(&type) {}

// Writes what precedes a value, except its length. Returns the type of the value.
PgOid PgRowWriter::begin_value() {
  if (bytes_.empty()) append_array_head(bytes_, type_->oid, 1);  // array() sets the size
  if (column_ == 0 && array_begin_ == 0 && row_begin_ == 0) {
    append<std::int32_t>(bytes_, 0);  // end_row() sets the length
    row_begin_ = bytes_.size();
    append(bytes_, static_cast<std::int32_t>(type_->columns.size()));
  }
  CHECK(column_ < type_->columns.size());
  const PgRowType::Column& column = type_->columns[column_];
  if (array_begin_ == 0) append(bytes_, column.oid);
  return column.element;
}

void PgRowWriter::end_value() {
  if (array_begin_ == 0) ++column_;
}

void PgRowWriter::fixed(std::uint64_t value, int bytes) {
  append<std::int32_t>(bytes_, bytes);
  for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8)
    bytes_ += static_cast<char>(value >> shift);
  end_value();
}

void PgRowWriter::column(std::string_view name) {
  while (column_ < type_->columns.size() && type_->columns[column_].name != name) null();
  CHECK(column_ < type_->columns.size());
}

void PgRowWriter::null() {
  begin_value();
  append<std::int32_t>(bytes_, -1);
  end_value();
}

void PgRowWriter::number(std::int64_t value) {
  const int bytes = bytes_of(begin_value());
  const std::int64_t end = bytes == 8 ? 0 : std::int64_t{1} << (8 * bytes - 1);
  CHECK(bytes == 8 || (-end <= value && value < end));
  fixed(static_cast<std::uint64_t>(value), bytes);
}

void PgRowWriter::real(double value) {
  CHECK(begin_value() == Float8Oid);
  fixed(std::bit_cast<std::uint64_t>(value), sizeof value);
}

void PgRowWriter::time(Wall value) {
  using namespace std::chrono;
  // A timestamptz counts microseconds from the beginning of the year 2000.
  constexpr sys_days first{year{2000} / January / 1};
  CHECK(begin_value() == TimestampTzOid);
  const microseconds since{kept_time(value).time_since_epoch() - first.time_since_epoch()};
  fixed(static_cast<std::uint64_t>(since.count()), sizeof(std::int64_t));
}

void PgRowWriter::text(std::string_view value) {
  const PgOid type = begin_value();
  append<std::int32_t>(bytes_, 0);
  const std::size_t begin = bytes_.size();
  if (type == JsonbOid) bytes_ += '\1';  // the version of the format
  if (type == UuidOid)
    bytes_ += uuid_bytes(value);
  else
    bytes_ += value;
  CHECK(type == TextOid || type == JsonOid || type == JsonbOid || type == UuidOid ||
        type_->columns[column_].is_enum);
  set_length(bytes_, begin);
  end_value();
}

void PgRowWriter::begin_array(std::size_t size) {
  const PgOid element = begin_value();
  CHECK(array_begin_ == 0);
  append<std::int32_t>(bytes_, 0);
  array_begin_ = bytes_.size();
  append_array_head(bytes_, element, size);
}

void PgRowWriter::end_array() {
  set_length(bytes_, std::exchange(array_begin_, 0));
  end_value();
}

void PgRowWriter::end_row() {
  while (column_ < type_->columns.size()) null();
  set_length(bytes_, std::exchange(row_begin_, 0));
  column_ = 0;
  ++rows_;
}

std::string PgRowWriter::array() && {
  CHECK(column_ == 0);
  if (rows_ == 0) append_array_head(bytes_, type_->oid, 0);
  constexpr std::size_t size_at = 3 * length_bytes;
  if (rows_ > 0) write_at(bytes_.data() + size_at, rows_);
  return std::move(bytes_);
}

std::string_view row_type_of(std::string_view query_text) {
  constexpr std::string_view begin = "$1::cox.";
  const std::size_t at = query_text.find(begin);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = query_text.substr(at + begin.size());
  const std::size_t end = rest.find("[]");
  if (end == std::string_view::npos || end != rest.find_first_not_of("abcdefghijklmnopqrstuvwxyz_"))
    return {};
  return rest.substr(0, end);
}

}  // namespace cox
