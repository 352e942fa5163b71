// The formats of Slurm's lists: columns by letters (-o "%i|%.8j %t") or by names (-O "JobID:10,
// Name:.8,State:|"), each with its width, its alignment and the text after it. As in Slurm, an
// unknown letter is printed as it was written; unknown letters and names are reported. Pure.
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

// How columns are shown: time and time zone, units, lengths, and a function that looks up the name
// of a group.
struct FieldView {
  Screen screen;
  std::string time_style;        // SLURM_TIME_FORMAT
  std::string cluster;           // name of this cluster
  bool convert_units = true;     // print 2048M as 2G
  std::size_t tasks_bytes = 64;  // most bytes of an array's task list; 0: no limit
  std::function<std::string(std::uint32_t gid)> group_name;
};

// Which texts of a column Slurm does not cut, although they are aligned to the right and too long:
// its head, the texts below it, or both. Nodes: lists of nodes, but not a "(reason)" in their
// place.
enum class Uncut : std::uint8_t { None, Head, Text, Both, Nodes };

// Whether sinfo puts nodes or partitions that differ in this column into separate rows.
// NodesIfExact: only with --exact.
enum class Apart : std::uint8_t { Never, Partitions, Nodes, NodesIfExact };

using SortKey = std::variant<std::int64_t, double, std::string>;

template <class Row>
struct Field {
  char letter = 0;        // in -o and -S; 0: none
  std::string_view name;  // in -O; empty: none
  std::string_view head;
  std::string (*text)(const Row& row, const FieldView& view) = nullptr;
  SortKey (*key)(const Row& row) = nullptr;  // null: no sorting by this column
  Uncut uncut = Uncut::None;
  Apart apart = Apart::Never;
};

// The columns that squeue and sinfo -o "%all" show, by letter and in this order.
inline constexpr std::string_view all_letters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

// A column in a parsed -o or -O.
struct FieldPlace {
  int field = -1;  // index in the table of Fields; -1: unknown letter or name
  bool to_right = false;
  std::int64_t width = 0;  // 0: as long as the text; negative: text and a blank
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
bool same_field_name(std::string_view a, std::string_view b);  // ignores case

// Pads the text to the width of the column. Cuts a longer text if the column is aligned to the
// left, or if `may_cut` is set.
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
