// A value that its copies share and nobody changes: copying one is counting one. For what many rows
// have in common, such as the specification of a thousand equal jobs.
#pragma once

#include <memory>
#include <utility>

namespace cox {

template <class T>
class Shared {
 public:
  Shared() : value_(none()) {}
  Shared(T value) : value_(std::make_shared<const T>(std::move(value))) {}

  const T& operator*() const { return *value_; }
  const T* operator->() const { return value_.get(); }
  // One of its own, for whoever is still making it.
  T& change() {
    auto own = std::make_shared<T>(*value_);
    value_ = own;
    return *own;
  }

  bool is(const Shared& other) const { return value_ == other.value_; }
  friend bool operator==(const Shared& a, const Shared& b) {
    return a.value_ == b.value_ || *a.value_ == *b.value_;
  }

 private:
  static const std::shared_ptr<const T>& none() {
    static const auto one = std::make_shared<const T>();
    return one;
  }

  std::shared_ptr<const T> value_;
};

}  // namespace cox
