#include "schedule/queue/queue_keys.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "common/base/check.h"

namespace cox::schedule {
namespace {

constexpr std::size_t block_keys_max = 128;

// Returns the first of these blocks whose last key is not before `key`.
auto first_block_to(auto& blocks, const QueueKey& key) {
  return std::ranges::partition_point(blocks,
                                      [&](const auto& block) { return block.back() < key; });
}

}  // namespace

void QueueKeys::insert(const QueueKey& key) {
  auto block = first_block_to(blocks_, key);
  if (block == blocks_.end()) {
    // Most new jobs come last. Their blocks are filled, not split into halves.
    if (blocks_.empty() || blocks_.back().size() == block_keys_max) blocks_.emplace_back();
    blocks_.back().push_back(key);
    return;
  }
  // A key between two blocks goes to one that has room. So blocks stay full if many jobs move to
  // the same position, as all do that have waited long enough.
  const bool is_between = block != blocks_.begin() && key < block->front();
  if (is_between && std::prev(block)->size() < block_keys_max) {
    std::prev(block)->push_back(key);
    return;
  }
  if (block->size() == block_keys_max && is_between) {
    block = blocks_.emplace(block);
  } else if (block->size() == block_keys_max) {
    const auto half = block->begin() + block_keys_max / 2;
    Block second(half, block->end());
    block->erase(half, block->end());
    block = blocks_.insert(std::next(block), std::move(second));
    if (key < block->front()) --block;
  }
  const auto place = std::lower_bound(block->begin(), block->end(), key);
  CHECK(place == block->end() || key < *place);
  block->insert(place, key);
}

void QueueKeys::erase(const QueueKey& key) {
  const auto block = first_block_to(blocks_, key);
  CHECK(block != blocks_.end());
  const auto place = std::lower_bound(block->begin(), block->end(), key);
  CHECK(!(key < *place));
  block->erase(place);
  const auto next = std::next(block);
  if (block->empty()) {
    blocks_.erase(block);
  } else if (next != blocks_.end() && block->size() + next->size() <= block_keys_max / 2) {
    block->insert(block->end(), next->begin(), next->end());
    blocks_.erase(next);
  }
}

const QueueKey& QueueKeys::at(const QueueKey& key) const {
  const const_iterator found = lower_bound(key);
  CHECK(found != end() && !(key < *found));
  return *found;
}

QueueKeys::const_iterator QueueKeys::lower_bound(const QueueKey& key) const {
  const auto block = first_block_to(blocks_, key);
  if (block == blocks_.end()) return end();
  const auto place = std::lower_bound(block->begin(), block->end(), key);
  return {block, static_cast<std::size_t>(place - block->begin())};
}

QueueKeys::const_iterator QueueKeys::upper_bound(const QueueKey& key) const {
  const_iterator found = lower_bound(key);
  if (found != end() && !(key < *found)) ++found;
  return found;
}

}  // namespace cox::schedule
