// Result<T>: a value, or a Refusal that tells a person the fact, the limit and the next step.
// Used everywhere something may be refused; exceptions never cross our functions.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "common/base/check.h"

namespace cox {

struct Refusal {
  std::string fact;  // what is wrong, with the limit it ran into
  std::string hint;  // the next step; may be empty

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.fact, self.hint);
  }
  bool operator==(const Refusal&) const = default;
};

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : content_(std::in_place_index<0>, std::move(value)) {}
  Result(Refusal refusal) : content_(std::in_place_index<1>, std::move(refusal)) {}

  bool ok() const { return content_.index() == 0; }
  explicit operator bool() const { return ok(); }
  const T& value() const& {
    CHECK(ok());
    return std::get<0>(content_);
  }
  T& value() & {
    CHECK(ok());
    return std::get<0>(content_);
  }
  T&& value() && {
    CHECK(ok());
    return std::get<0>(std::move(content_));
  }
  const T& operator*() const& { return value(); }
  T& operator*() & { return value(); }
  const T* operator->() const { return &value(); }
  T* operator->() { return &value(); }
  const Refusal& refusal() const {
    CHECK(!ok());
    return std::get<1>(content_);
  }

 private:
  std::variant<T, Refusal> content_;
};

// The outcome of something that yields no value: empty when it went well.
using Failure = std::optional<Refusal>;

}  // namespace cox
