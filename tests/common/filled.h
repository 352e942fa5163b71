// Structs in which every field is set, and to something else than its default: what golden frames
// are made of. A field's value follows from its place in its own struct alone, so that one that is
// added at the end of any struct changes no other.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "common/base/ids.h"
#include "common/base/shared.h"
#include "common/base/time.h"
#include "common/messages/protocol.h"

namespace cox::test {

class Filler {
 public:
  template <class... Field>
  void operator()(Field&... fields) {
    (fill(fields), ...);
  }

 private:
  template <class T>
  void fill(T& v) {
    ++place_;
    set(v);
  }

  void set(std::string& v) { v = "field " + std::to_string(place_); }
  void set(bool& v) { v = !v; }
  template <class T>
  void set(std::vector<T>& v) {
    v = std::vector<T>(2);
    for (T& element : v) set(element);
  }
  template <class T>
  void set(std::optional<T>& v) {
    set(v.emplace());
  }
  template <class T>
  void set(Shared<T>& v) {
    set(v.change());
  }
  template <class Tag, class Rep>
  void set(Id<Tag, Rep>& v) {
    set(v.value);
  }
  template <class C, class D>
  void set(std::chrono::time_point<C, D>& v) {
    v = std::chrono::time_point<C, D>{Milliseconds{number()}};
  }
  template <class... T>
  void set(std::variant<T...>&) {}  // whoever asks has chosen and filled what it holds
  template <class T>
  void set(T& v) {
    if constexpr (std::is_enum_v<T>) {
      v = last_of(T{});
    } else if constexpr (std::is_floating_point_v<T>) {
      v = number() + 0.5;
    } else if constexpr (std::is_integral_v<T>) {
      v = static_cast<T>(number());
    } else {
      T::fields(v, Filler{});
    }
  }

  // Beyond the small numbers that defaults are.
  int number() const { return 1000 + place_; }

  int place_ = 0;
};

template <class T>
T filled() {
  T v{};
  T::fields(v, Filler{});
  return v;
}

}  // namespace cox::test
