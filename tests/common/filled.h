// Structs in which every field is set to a value other than its default, for golden frames. A
// field's value depends only on its place in its own struct. So a field added at the end of a
// struct changes no other value.
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
  template <class T>
  void set(MostlyEmpty<T>& v) {
    set(v.change());
  }
  void set(UuidText& v) { v = "field " + std::to_string(place_); }
  template <class Tag, class Rep>
  void set(Id<Tag, Rep>& v) {
    set(v.value);
  }
  template <class C, class D>
  void set(std::chrono::time_point<C, D>& v) {
    v = std::chrono::time_point<C, D>{Milliseconds{number()}};
  }
  template <class... T>
  void set(std::variant<T...>&) {}  // the caller sets the alternative
  void set(ArrayTasks& v) { v = ArrayTasks({number()}); }
  template <class T>
  void set(T& v) {
    if constexpr (std::is_enum_v<T>) {
      v = last_of(T{});
    } else if constexpr (std::is_floating_point_v<T>) {
      v = number() + 0.5;
    } else if constexpr (std::is_integral_v<T>) {
      v = static_cast<T>(number());
    } else {
      v.fields(Filler{});
    }
  }

  // Returns the value of the current field, which is larger than any default.
  int number() const { return 1000 + place_; }

  int place_ = 0;
};

template <class T>
T filled() {
  T v{};
  v.fields(Filler{});
  return v;
}

}  // namespace cox::test
