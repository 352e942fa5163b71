// Result<T> is a value, or a Refusal that explains to a person the fact, the limit and the next
// step. Functions that may refuse something return it; exceptions never cross our functions.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "common/base/check.h"
#include "common/base/fields.h"

namespace cox {

struct Refusal {
  std::string fact;  // what is wrong, with the limit that was exceeded
  std::string hint;  // what the person can do; may be empty

  COX_FIELDS(fact, hint);
  bool operator==(const Refusal&) const = default;
};

// Reason: Refusal, or a type derived from it that says more.
template <class T, class Reason = Refusal>
class [[nodiscard]] Result {
 public:
  Result(T value) : content_(std::in_place_index<0>, std::move(value)) {}
  Result(Reason refusal) : content_(std::in_place_index<1>, std::move(refusal)) {}

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
  const Reason& refusal() const {
    CHECK(!ok());
    return std::get<1>(content_);
  }

 private:
  std::variant<T, Reason> content_;
};

// The outcome of an action without a value: empty if it succeeded.
using Failure = std::optional<Refusal>;

}  // namespace cox
