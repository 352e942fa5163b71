// The queue positions of jobs of one class, in order. Used by PendingQueue (pending_queue.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <vector>

#include "common/base/ids.h"
#include "common/base/time.h"

namespace cox::schedule {

struct QueueKey {
  double priority = 0;
  Wall eligible;
  JobId id;
  std::int64_t copies = 1;  // this and the members below are not part of the order
  double fair_share = 0;
  double own = 0;  // the priority until the job has waited for max_age_of()
  friend bool operator<(const QueueKey& a, const QueueKey& b) {
    if (a.priority != b.priority) return a.priority > b.priority;
    if (a.eligible != b.eligible) return a.eligible < b.eligible;
    return a.id < b.id;
  }
};

// A sorted set of keys, with the functions of std::set that its users need. The keys are in sorted
// blocks of at most 128, without the 48 bytes that std::set takes beside each key. Any change makes
// iterators and pointers to keys invalid.
class QueueKeys {
  using Block = std::vector<QueueKey>;

 public:
  class const_iterator {
   public:
    using value_type = QueueKey;
    using reference = const QueueKey&;
    using pointer = const QueueKey*;
    using difference_type = std::ptrdiff_t;
    using iterator_category = std::forward_iterator_tag;

    const_iterator() = default;
    reference operator*() const { return (*block_)[place_]; }
    pointer operator->() const { return &**this; }
    const_iterator& operator++() {
      if (++place_ == block_->size()) {
        ++block_;
        place_ = 0;
      }
      return *this;
    }
    const_iterator operator++(int) {
      const const_iterator before = *this;
      ++*this;
      return before;
    }
    bool operator==(const const_iterator&) const = default;

   private:
    friend class QueueKeys;
    const_iterator(std::vector<Block>::const_iterator block, std::size_t place)
        : block_(block), place_(place) {}

    std::vector<Block>::const_iterator block_{};
    std::size_t place_ = 0;
  };

  void insert(const QueueKey& key);  // CHECKs that the set has no key at this position
  void erase(const QueueKey& key);   // CHECKs that the set has the key; so does at()
  const QueueKey& at(const QueueKey& key) const;

  const_iterator begin() const { return {blocks_.begin(), 0}; }
  const_iterator end() const { return {blocks_.end(), 0}; }
  // Return the position of the first key that is not before `key`, or that is behind it.
  const_iterator lower_bound(const QueueKey& key) const;
  const_iterator upper_bound(const QueueKey& key) const;
  bool empty() const { return blocks_.empty(); }

 private:
  std::vector<Block> blocks_;  // none is empty
};

}  // namespace cox::schedule
