// A request and the alternatives to it, in the order in which they are tried.
//
//   for (const Request& one : RequestChain(*job.request)) ...
#pragma once

#include <cstddef>

#include "schedule/model/request.h"

namespace cox::schedule {

class RequestChain {
 public:
  class Iterator {
   public:
    using value_type = Request;
    using difference_type = std::ptrdiff_t;

    Iterator() = default;
    explicit Iterator(const Request* at) : at_(at) {}
    const Request& operator*() const { return *at_; }
    const Request* operator->() const { return at_; }
    Iterator& operator++() {
      at_ = at_->otherwise ? &**at_->otherwise : nullptr;
      return *this;
    }
    Iterator operator++(int) {
      const Iterator before = *this;
      ++*this;
      return before;
    }
    bool operator==(const Iterator&) const = default;

   private:
    const Request* at_ = nullptr;  // null: the end, behind the last alternative
  };

  // REQUIRES: the request outlives the chain.
  explicit RequestChain(const Request& first) : first_(&first) {}
  Iterator begin() const { return Iterator(first_); }
  Iterator end() const { return Iterator(); }

 private:
  const Request* first_;
};

}  // namespace cox::schedule
