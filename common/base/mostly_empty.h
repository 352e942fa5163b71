// A string or a list that is empty in most rows. While it is empty it takes 8 bytes and no
// allocation; the string or list itself would take 24 or 32. For members of rows that memory holds
// a million times, such as those of queued jobs.
#pragma once

#include <memory>
#include <utility>

namespace cox {

template <class T>
class MostlyEmpty {
 public:
  MostlyEmpty() = default;
  explicit MostlyEmpty(T value) { *this = std::move(value); }
  MostlyEmpty(const MostlyEmpty& other) { *this = *other; }
  MostlyEmpty(MostlyEmpty&&) noexcept = default;
  MostlyEmpty& operator=(const MostlyEmpty& other) {
    return this == &other ? *this : *this = T(*other);
  }
  MostlyEmpty& operator=(MostlyEmpty&&) noexcept = default;
  MostlyEmpty& operator=(T value) {
    value_ = value.empty() ? nullptr : std::make_unique<T>(std::move(value));
    return *this;
  }
  ~MostlyEmpty() = default;

  const T& operator*() const { return value_ ? *value_ : none(); }
  const T* operator->() const { return &**this; }
  operator const T&() const { return **this; }
  // Returns the value for changes. Allocates it, so a value that may stay empty is better assigned.
  T& change() {
    if (!value_) value_ = std::make_unique<T>();
    return *value_;
  }
  void clear() { value_.reset(); }

  bool empty() const { return !value_ || value_->empty(); }
  auto size() const { return (**this).size(); }
  auto begin() const { return (**this).begin(); }
  auto end() const { return (**this).end(); }
  auto rbegin() const { return (**this).rbegin(); }
  auto rend() const { return (**this).rend(); }
  const auto& front() const { return (**this).front(); }
  const auto& back() const { return (**this).back(); }
  const auto& operator[](std::size_t at) const { return (**this)[at]; }

  friend bool operator==(const MostlyEmpty& a, const MostlyEmpty& b) { return *a == *b; }
  friend bool operator==(const MostlyEmpty& a, const T& b) { return *a == b; }

 private:
  static const T& none() {
    static const T one;
    return one;
  }

  std::unique_ptr<T> value_;
};

template <class T>
inline constexpr bool is_mostly_empty = false;
template <class T>
inline constexpr bool is_mostly_empty<MostlyEmpty<T>> = true;

}  // namespace cox
