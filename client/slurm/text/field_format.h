// The formats of Slurm's lists: columns by letters (-o "%i|%.8j %t") or by names (-O "JobID:10,
// Name:.8,State:|"), each with its width, its side and what follows it. What no column has is
// printed as it was written, and told: as Slurm does. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "client/text/screen.h"
#include "common/base/text.h"

namespace cox {

// What columns need to know besides their row.
struct FieldView {
  Screen screen;
  std::string time_style;        // SLURM_TIME_FORMAT
  std::string cluster;           // its name
  bool convert_units = true;     // 2048M is 2G
  std::size_t tasks_bytes = 64;  // so much of an array's tasks is shown; 0: all
  std::function<std::string(std::uint32_t gid)> group_name;
};

// Slurm cuts what stands to the right and is too long, but for some.
enum class Uncut : std::uint8_t { None, Head, Text, Both, Nodes };  // Nodes: but for a (reason)

// Of sinfo's: what differs in it does not share a row.
enum class Apart : std::uint8_t { Never, Partitions, Nodes, NodesIfExact };

using SortKey = std::variant<std::int64_t, double, std::string>;

template <class Row>
struct Field {
  char letter = 0;        // of -o and of -S; 0: none
  std::string_view name;  // of -O; empty: none
  std::string_view head;
  std::string (*text)(const Row& row, const FieldView& view) = nullptr;
  SortKey (*key)(const Row& row) = nullptr;  // nullptr: nothing is sorted by it
  Uncut uncut = Uncut::None;
  Apart apart = Apart::Never;
};

// Those of %all.
inline constexpr std::string_view all_letters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

struct FieldPlace {
  int field = -1;  // its number; -1: none has that letter or name
  bool to_right = false;
  std::int64_t width = 0;  // 0: as long as it is
  std::string suffix;
};

struct FieldLayout {
  std::string prefix;
  std::vector<FieldPlace> places;
  std::vector<std::string> unknown;  // letters or names
};

FieldLayout lay_out_letters(std::string_view format, const std::function<int(char)>& find);
FieldLayout lay_out_names(std::string_view format,
                          const std::function<int(std::string_view)>& find);
bool same_field_name(std::string_view a, std::string_view b);  // in whatever case

// The text in its place; what is there may be cut.
std::string fitted(std::string_view text, const FieldPlace& place, bool may_cut);

template <class Row>
FieldLayout lay_out(std::string_view format, bool by_names, std::span<const Field<Row>> fields) {
  const auto number_of = [&](auto matches) {
    for (std::size_t i = 0; i < fields.size(); ++i)
      if (matches(fields[i])) return static_cast<int>(i);
    return -1;
  };
  if (by_names)
    return lay_out_names(format, [&](std::string_view name) {
      return number_of(
          [&](const auto& each) { return !each.name.empty() && same_field_name(each.name, name); });
    });
  const auto number_of_letter = [&](char letter) {
    return number_of([&](const auto& each) { return letter != 0 && each.letter == letter; });
  };
  if (!same_field_name(format, "%all")) return lay_out_letters(format, number_of_letter);
  std::string all;
  for (const char letter : all_letters)
    if (number_of_letter(letter) >= 0) all += std::string(all.empty() ? "%" : "|%") + letter;
  return lay_out_letters(all, number_of_letter);
}

template <class Row>
std::string head_line(const FieldLayout& layout, std::span<const Field<Row>> fields) {
  std::string line = layout.prefix;
  for (const FieldPlace& place : layout.places) {
    if (place.field >= 0) {
      const auto& field = fields[static_cast<std::size_t>(place.field)];
      line += fitted(field.head, place, field.uncut == Uncut::None || field.uncut == Uncut::Text);
    }
    line += place.suffix;
  }
  return line + "\n";
}

template <class Row>
void add_line(std::string& out, const FieldLayout& layout, std::span<const Field<Row>> fields,
              const Row& row, const FieldView& view) {
  out += layout.prefix;
  for (const FieldPlace& place : layout.places) {
    if (place.field >= 0) {
      const auto& field = fields[static_cast<std::size_t>(place.field)];
      const std::string text = printable(field.text(row, view));
      const bool nodes = field.uncut == Uncut::Nodes && !text.starts_with('(');
      out +=
          fitted(text, place, !nodes && field.uncut != Uncut::Text && field.uncut != Uncut::Both);
    }
    out += place.suffix;
  }
  out += '\n';
}

}  // namespace cox
