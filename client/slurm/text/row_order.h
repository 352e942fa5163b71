// Sorts rows by the value of -S: letters of columns as in -o, such as "P,t,-p". Pure.
#pragma once

#include <algorithm>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "client/slurm/text/field_format.h"

namespace cox {

template <class Row>
struct RowOrder {
  SortKey (*key)(const Row& row) = nullptr;
  bool backwards = false;
};

// Parses -S as Slurm does: each letter is a column to sort by, also without commas between letters;
// '-' before a letter reverses its order. Skips the word "cluster". `unknown` gets the last letter
// by which rows cannot be sorted.
template <class Row>
std::vector<RowOrder<Row>> read_order(std::string_view letters, std::span<const Field<Row>> fields,
                                      std::string& unknown) {
  std::vector<RowOrder<Row>> orders;
  constexpr std::string_view cluster = "cluster";  // skipped: the same in all rows
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

// Sorts the rows; equal rows keep their order. Computes the keys of each row once and moves each
// row once, since rows are large.
template <class Row>
void sort_rows(std::vector<Row>& rows, const std::vector<RowOrder<Row>>& orders) {
  const std::size_t width = orders.size();
  std::vector<SortKey> keys;
  keys.reserve(rows.size() * width);
  for (const Row& row : rows)
    for (const auto& order : orders) keys.push_back(order.key(row));
  std::vector<std::size_t> places(rows.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  std::ranges::stable_sort(places, [&](std::size_t a, std::size_t b) {
    for (std::size_t i = 0; i < width; ++i) {
      const SortKey& left = keys[a * width + i];
      const SortKey& right = keys[b * width + i];
      if (left != right) return (left < right) != orders[i].backwards;
    }
    return false;
  });
  std::vector<Row> sorted;
  sorted.reserve(rows.size());
  for (const std::size_t place : places) sorted.push_back(std::move(rows[place]));
  rows = std::move(sorted);
}

}  // namespace cox
