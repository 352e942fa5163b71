// The orders that -S asks for, by the letters of -o: "P,t,-p". Pure.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "client/slurm/field_format.h"

namespace cox {

template <class Row>
struct RowOrder {
  SortKey (*key)(const Row& row) = nullptr;
  bool backwards = false;
};

// Each letter by itself, as Slurm reads them, and the word "cluster"; `unknown` gets the last one
// that nothing is sorted by.
template <class Row>
std::vector<RowOrder<Row>> read_order(std::string_view letters, std::span<const Field<Row>> fields,
                                      std::string& unknown) {
  std::vector<RowOrder<Row>> orders;
  constexpr std::string_view cluster = "cluster";  // all are of one
  bool backwards = false;
  for (std::size_t i = 0; i < letters.size(); ++i) {
    const char letter = letters[i];
    if (letter == ',' || letter == '+' || letter == '-') {
      backwards = letter == '-';
      continue;
    }
    if (same_field_name(letters.substr(i, cluster.size()), cluster)) {
      i += cluster.size() - 1;
      continue;
    }
    const auto field = std::ranges::find_if(
        fields, [&](const auto& each) { return each.letter == letter && each.key != nullptr; });
    if (field == fields.end())
      unknown = std::string(1, letter);
    else
      orders.push_back({field->key, std::exchange(backwards, false)});
  }
  return orders;
}

// Rows that are alike stay as they stand. Keys are made once a row.
template <class Row>
void sort_rows(std::vector<Row>& rows, const std::vector<RowOrder<Row>>& orders) {
  struct Keyed {
    std::vector<SortKey> keys;
    Row row;
  };
  std::vector<Keyed> keyed;
  keyed.reserve(rows.size());
  for (Row& row : rows) {
    std::vector<SortKey> keys;
    for (const auto& order : orders) keys.push_back(order.key(row));
    keyed.push_back({std::move(keys), std::move(row)});
  }
  std::ranges::stable_sort(keyed, [&](const Keyed& a, const Keyed& b) {
    for (std::size_t i = 0; i < orders.size(); ++i)
      if (a.keys[i] != b.keys[i]) return (a.keys[i] < b.keys[i]) != orders[i].backwards;
    return false;
  });
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = std::move(keyed[i].row);
}

}  // namespace cox
