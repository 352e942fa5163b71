// Counts the members of a struct at compile time, for comparison with the list of its fields
// (fields.h). The count is the largest number of values that can initialise the struct. For
// aggregates only.
#pragma once

#include <cstddef>
#include <utility>

#include "common/base/shared.h"

namespace cox {

template <class T>
inline constexpr bool is_shared = false;
template <class T>
inline constexpr bool is_shared<Shared<T>> = true;

// Converts to a value of any type, in unevaluated code only. There is no conversion to Shared:
// its constructor takes an AnyValue already, and both together would be ambiguous.
struct AnyValue {
  template <class T>
  requires(!is_shared<T>) operator T() const;
};

template <class T, std::size_t... place>
constexpr bool takes_values(std::index_sequence<place...>) {
  return requires {
    T{(static_cast<void>(place), AnyValue{})...};
  };
}

// Returns the number of the struct's own members; a base class counts as one.
template <class T, std::size_t count = 0>
constexpr std::size_t own_member_count() {
  if constexpr (takes_values<T>(std::make_index_sequence<count + 1>()))
    return own_member_count<T, count + 1>();
  else
    return count;
}

// Returns the number of members that COX_FIELDS must list. A struct names its base class `Base`.
// It sets `unlisted_members` to the number of members that are deliberately not listed.
template <class T>
constexpr std::size_t member_count() {
  std::size_t count = own_member_count<T>();
  if constexpr (requires { typename T::Base; }) count += member_count<typename T::Base>() - 1;
  if constexpr (requires { T::unlisted_members; }) count -= T::unlisted_members;
  return count;
}

}  // namespace cox
