// An immutable value that its copies share, so that a copy costs only one reference count. Used for
// values that many rows have in common, such as the specification of a thousand equal jobs. A
// Shared takes 8 bytes, where std::shared_ptr takes 16.
#pragma once

#include <atomic>
#include <concepts>
#include <cstdint>
#include <utility>

namespace cox {

template <class T>
class Shared {
 public:
  Shared() : Shared(none()) {}
  Shared(T value) : held_(new Held{std::move(value)}) {}
  template <std::convertible_to<T> Value>
  requires(!std::same_as<Value, T> && !std::same_as<Value, Shared>) Shared(Value value)
      : held_(new Held{T(std::move(value))}) {}
  Shared(const Shared& other) : held_(other.held_) { ++held_->count; }
  // A moved-from object may only be assigned to or destroyed.
  Shared(Shared&& other) noexcept : held_(std::exchange(other.held_, nullptr)) {}
  Shared& operator=(Shared other) noexcept {
    std::swap(held_, other.held_);
    return *this;
  }
  ~Shared() {
    if (held_ != nullptr && --held_->count == 0) delete held_;
  }

  const T& operator*() const { return held_->value; }
  const T* operator->() const { return &held_->value; }
  // Gives this object a copy of the value of its own, and returns that copy for changes. Objects
  // that shared the value keep the old one.
  T& change() {
    *this = Shared(T(**this));
    return held_->value;
  }

  bool is(const Shared& other) const { return held_ == other.held_; }
  friend bool operator==(const Shared& a, const Shared& b) { return a.is(b) || *a == *b; }

 private:
  struct Held {
    T value;
    std::atomic<std::int64_t> count{1};  // of the objects that share the value
  };
  static const Shared& none() {
    static const Shared one{T()};
    return one;
  }

  Held* held_;
};

}  // namespace cox
