// COX_FIELDS is the only list of a struct's fields. `COX_FIELDS(nodes, tasks);` in a struct defines
// two members:
//
//   value.fields(visit)   calls visit(nodes, tasks): once, with all fields, in the list's order
//   field_names           "nodes, tasks"
//
// Messages, `--json`, snapshots, rows of cox.job and the fields that submission rules may read are
// made from the list. Messages and the columns of cox.job depend on its order, so a new field goes
// to the end. If the list lacks a member of the struct, code that uses the list does not compile
// (member_count.h).
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <type_traits>

#include "common/base/member_count.h"

#define COX_FIELDS(...)                                   \
  template <class Visitor>                                \
  void fields(Visitor&& visitor) {                        \
    ::cox::check_field_count<decltype(*this), Visitor>(); \
    visitor(__VA_ARGS__);                                 \
  }                                                       \
  template <class Visitor>                                \
  void fields(Visitor&& visitor) const {                  \
    ::cox::check_field_count<decltype(*this), Visitor>(); \
    visitor(__VA_ARGS__);                                 \
  }                                                       \
  static constexpr std::string_view field_names = #__VA_ARGS__

namespace cox {

// Returns the number of fields in T's list.
template <class T>
constexpr std::size_t field_count() {
  std::size_t count = T::field_names.empty() ? 0 : 1;
  for (const char each : T::field_names) count += each == ',' ? 1 : 0;
  return count;
}

// Checks at compile time that the list of Self has all members. Each use of the list with a visitor
// makes this check; a list without a use is not checked.
template <class Self, class Visitor>
constexpr void check_field_count() {
  using T = std::remove_cvref_t<Self>;
  static_assert(field_count<T>() == member_count<T>(), "COX_FIELDS must list every member");
}

constexpr std::string_view same_name(std::string_view field) {
  return field;
}

// Splits "nodes, tasks" into "nodes" and "tasks", and applies `rename` to each name.
template <std::size_t count>
constexpr auto split_field_names(std::string_view all, std::string_view rename(std::string_view)) {
  std::array<std::string_view, count> names{};
  for (std::string_view& name : names) {
    const std::string_view field = all.substr(0, all.find(','));
    all.remove_prefix(field.size() == all.size() ? field.size() : field.size() + 2);
    name = rename(field);
  }
  return names;
}

// Calls visit(name, field) for each field, in the order of the list.
template <auto rename = same_name, class T, class Visit>
void each_field(T& value, Visit&& visit) {
  value.fields([&](auto&... field) {
    [[maybe_unused]] static constexpr auto names =
        split_field_names<field_count<T>()>(T::field_names, rename);
    [[maybe_unused]] std::size_t at = 0;
    (visit(names[at++], field), ...);
  });
}

}  // namespace cox
