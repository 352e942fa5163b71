// A map with job ids as keys, in their order. Ids are issued one after another, so the map keeps
// the values of neighbouring ids together in a block. For a long run of ids it takes little more
// memory than the values, while std::map takes 48 bytes more for each.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <utility>

#include "common/base/check.h"
#include "common/base/ids.h"

namespace cox {

// A block has room for the values of `ids_of_block` ids. A value stays where it is until erase().
template <class T, std::size_t ids_of_block = 16>
class IdMap {
  static_assert(ids_of_block <= 64);  // a bit of Block::used for each
  struct Block {
    std::uint64_t used = 0;
    std::array<T, ids_of_block> values{};
  };
  using Blocks = std::map<std::uint64_t, Block>;

 public:
  class const_iterator {
   public:
    using value_type = std::pair<JobId, const T&>;
    using reference = value_type;
    using difference_type = std::ptrdiff_t;
    using iterator_category = std::input_iterator_tag;  // dereferencing makes a new pair
    using iterator_concept = std::forward_iterator_tag;

    const_iterator() = default;
    reference operator*() const {
      const auto place = static_cast<std::size_t>(std::countr_zero(left_));
      return {JobId{static_cast<std::int64_t>(block_->first * ids_of_block + place)},
              block_->second.values[place]};
    }
    const_iterator& operator++() {
      left_ &= left_ - 1;
      if (left_ == 0) enter(std::next(block_));
      return *this;
    }
    const_iterator operator++(int) {
      const const_iterator before = *this;
      ++*this;
      return before;
    }
    bool operator==(const const_iterator&) const = default;

   private:
    friend class IdMap;
    using At = typename Blocks::const_iterator;
    const_iterator(At block, At end) : end_(end) { enter(block); }
    void enter(At block) {
      block_ = block;
      left_ = block == end_ ? 0 : block->second.used;
    }

    At block_{}, end_{};
    std::uint64_t left_ = 0;  // a bit for each value of the block from this one on
  };

  // Adds a value. CHECKs that the id has none.
  T& add(JobId id, T value) {
    Block& block = blocks_[number(id)];
    CHECK((block.used & bit(id)) == 0);
    block.used |= bit(id);
    ++size_;
    return block.values[place(id)] = std::move(value);
  }
  // CHECKs that the id has a value; so do the two at().
  void erase(JobId id) {
    at(id) = T{};
    --size_;
    const auto block = blocks_.find(number(id));
    block->second.used &= ~bit(id);
    if (block->second.used == 0) blocks_.erase(block);
  }
  void clear() { *this = {}; }

  const T* find(JobId id) const {  // null: the id has no value
    const auto block = blocks_.find(number(id));
    const bool has = block != blocks_.end() && (block->second.used & bit(id)) != 0;
    return has ? &block->second.values[place(id)] : nullptr;
  }
  bool contains(JobId id) const { return find(id) != nullptr; }
  const T& at(JobId id) const {
    const T* found = find(id);
    CHECK(found != nullptr);
    return *found;
  }
  T& at(JobId id) { return const_cast<T&>(std::as_const(*this).at(id)); }

  const_iterator begin() const { return {blocks_.begin(), blocks_.end()}; }
  const_iterator end() const { return {blocks_.end(), blocks_.end()}; }
  // Returns the position of the first id above `id`, which need not be in the map.
  const_iterator upper_bound(JobId id) const {
    auto at = const_iterator(blocks_.lower_bound(number(id)), blocks_.end());
    while (at != end() && (*at).first <= id) ++at;
    return at;
  }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

 private:
  static std::uint64_t number(JobId id) {
    return static_cast<std::uint64_t>(id.value) / ids_of_block;
  }
  static std::size_t place(JobId id) { return static_cast<std::uint64_t>(id.value) % ids_of_block; }
  static std::uint64_t bit(JobId id) { return std::uint64_t{1} << place(id); }

  Blocks blocks_;  // each has a value; key: the ids of the block divided by `ids_of_block`
  std::size_t size_ = 0;
};

}  // namespace cox
