// Makes one message of every kind with a value in each field. Their frames are the first inputs
// (seeds) for fuzzing the codec. The kinds come from the Message variant, so a new one is included
// by itself.
#pragma once

#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "common/base/shared.h"
#include "common/messages/messages.h"

namespace cox::fuzz {

// Visits the fields of a struct, and sets each to a value other than its default where possible.
class Filler {
 public:
  template <class... Field>
  void operator()(Field&... fields) {
    (fill(fields), ...);
  }

  template <class T>
  void fill(T& v) {
    if constexpr (std::is_same_v<T, bool>) {
      v = true;
    } else if constexpr (std::is_arithmetic_v<T>) {
      v = 1;
    } else if constexpr (!std::is_enum_v<T>) {
      fill_class(v);
    }
  }

 private:
  void fill_class(std::string& v) { v = "a"; }
  void fill_class(UuidText& v) { v = "a"; }
  template <class T>
  void fill_class(MostlyEmpty<T>& v) {
    fill(v.change());
  }
  void fill_class(ArrayTasks& v) { v = ArrayTasks({1}); }
  template <class Tag, class Rep>
  void fill_class(Id<Tag, Rep>& v) {
    v = Id<Tag, Rep>{1};
  }
  template <class Clock, class Duration>
  void fill_class(std::chrono::time_point<Clock, Duration>& v) {
    v += Duration{1};
  }
  template <class T>
  void fill_class(std::vector<T>& v) {
    if (v.empty()) v.emplace_back();
    for (T& each : v) fill(each);
  }
  template <class T>
  void fill_class(std::optional<T>& v) {
    fill(v.emplace());
  }
  template <class T>
  void fill_class(Shared<T>& v) {
    fill(v.change());
  }
  template <class... T>
  void fill_class(std::variant<T...>& v) {
    std::visit([this](auto& one) { this->fill(one); }, v);
  }
  template <class T>
  void fill_class(T& v) {
    v.fields(*this);
  }
};

// Adds `whole` to the messages once for each alternative of its variant `part`, with its fields
// set.
template <class Whole, class... T>
void add_each(Whole whole, std::variant<T...> Whole::*part, std::vector<Message>& messages) {
  const auto add = [&](auto one) {
    whole.*part = std::move(one);
    Filler{}.fill(whole);
    messages.emplace_back(whole);
  };
  (add(T{}), ...);
}

template <class... T>
void add_each(const std::variant<T...>&, std::vector<Message>& messages) {
  const auto add = [&]<class One>(One one) {
    if constexpr (std::is_same_v<One, Request> || std::is_same_v<One, Reply>) {
      add_each(std::move(one), &One::body, messages);
    } else {
      Filler{}.fill(one);
      messages.emplace_back(std::move(one));
    }
  };
  (add(T{}), ...);
}

inline std::vector<Message> every_message() {
  std::vector<Message> messages;
  add_each(Message{}, messages);
  return messages;
}

}  // namespace cox::fuzz
