// A pool of requests in which equal requests are one object, so that they are compared by address.
#pragma once

#include <unordered_map>
#include <unordered_set>

#include "schedule/model/request.h"

namespace cox::schedule {

std::size_t hash_of(const Request& request);

class RequestPool {
 public:
  Shared<Request> shared(const Shared<Request>& request) {
    if (addresses_.contains(&*request)) return request;
    const std::size_t hash = hash_of(*request);
    const auto [begin, end] = known_.equal_range(hash);
    for (auto it = begin; it != end; ++it)
      if (it->second == request) return it->second;
    addresses_.insert(&*request);
    return known_.emplace(hash, request)->second;
  }

  std::size_t size() const { return known_.size(); }
  void forget_all() {
    known_.clear();
    addresses_.clear();
  }

 private:
  std::unordered_multimap<std::size_t, Shared<Request>> known_;
  std::unordered_set<const Request*> addresses_;  // addresses of the requests in `known_`
};

}  // namespace cox::schedule
