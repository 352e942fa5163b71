#include "schedule/place/ranking.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace cox::schedule {
namespace {

// Values of Ranking::fits_of_ that are not positions.
constexpr std::int32_t not_evaluated = -1;
constexpr std::int32_t does_not_fit = -2;

// What each of these steps adds to work(), in nodes examined.
constexpr std::int64_t evaluation_work = 4;
constexpr std::int64_t entry_work = 4;  // for adding to the heap or removing from it

}  // namespace

Ranking::Ranking(const ResolvedRequest& need, NodeGroups& alike) : need_(need), groups_(alike) {
  groups_.distinguish(need.usable);
}

bool Ranking::is_before(const Entry& a, const Entry& b) const {
  const Badness& of_a = fits_[static_cast<std::size_t>(a.fits)].badness;
  const Badness& of_b = fits_[static_cast<std::size_t>(b.fits)].badness;
  return std::tie(of_a, a.first) < std::tie(of_b, b.first);
}

void Ranking::push(std::int32_t fits, NodeAt first) {
  fits_[static_cast<std::size_t>(fits)].first = first;
  heap_.push_back({fits, first});
  std::ranges::push_heap(heap_, [this](const Entry& a, const Entry& b) { return is_before(b, a); });
  work_ += entry_work;
}

Ranking::Entry Ranking::pop() {
  std::ranges::pop_heap(heap_, [this](const Entry& a, const Entry& b) { return is_before(b, a); });
  const Entry entry = heap_.back();
  heap_.pop_back();
  work_ += entry_work;
  return entry;
}

void Ranking::catch_up() {
  if (forgotten_ != groups_.forgotten()) {
    forgotten_ = groups_.forgotten();
    seen_ = groups_.lowered_groups().size();
    fits_of_.clear();
    fits_.clear();
    heap_.clear();
    fits_of_.resize(static_cast<std::size_t>(groups_.groups()), not_evaluated);
    for (GroupAt group = 0; group < groups_.groups(); ++group) consider(group);
    return;
  }
  fits_of_.resize(static_cast<std::size_t>(groups_.groups()), not_evaluated);
  for (; seen_ < groups_.lowered_groups().size(); ++seen_)
    consider(groups_.lowered_groups()[seen_]);
}

// Updates the heap after the first node of the group has changed.
void Ranking::consider(GroupAt group) {
  const std::set<NodeAt>& nodes = groups_.nodes_of(group);
  std::int32_t& fits = fits_of_[static_cast<std::size_t>(group)];
  if (nodes.empty() || fits == does_not_fit) return;
  const NodeAt first = *nodes.begin();
  if (fits == not_evaluated) fits = evaluate(group, first);
  if (fits == does_not_fit) return;
  const NodeAt known = fits_[static_cast<std::size_t>(fits)].first;
  if (known < 0 || first < known) push(fits, first);
}

std::int32_t Ranking::evaluate(GroupAt group, NodeAt at) {
  work_ += evaluation_work;
  const std::int64_t tasks = need_.tasks_even();
  const Room& room = groups_.room();
  if (!std::ranges::binary_search(need_.usable, at)) return does_not_fit;
  if (tasks_that_fit(need_, room, at) < tasks) return does_not_fit;
  Badness badness = badness_of(need_, groups_.nodes(), room, at, tasks);
  badness.leaf_free = groups_.leaf_free_of(at);
  badness.node = 0;
  fits_.push_back({group, -1, badness});
  return static_cast<std::int32_t>(fits_.size()) - 1;
}

// Takes nodes of the entry's group as long as they come before all other groups.
void Ranking::take(const Entry& entry, std::vector<NodeAt>& found) {
  Fits& fits = fits_[static_cast<std::size_t>(entry.fits)];
  const std::set<NodeAt>& nodes = groups_.nodes_of(fits.group);
  fits.first = -1;
  auto node = nodes.lower_bound(entry.first);
  do {
    found.push_back(*node++);
  } while (node != nodes.end() && std::cmp_less(found.size(), need_.nodes) &&
           (heap_.empty() || is_before({entry.fits, *node}, heap_.front())));
  if (node != nodes.end()) push(entry.fits, *node);
}

void Ranking::drop_outdated() {
  if (heap_.size() <= 64 + 2 * fits_.size()) return;
  heap_.clear();
  for (std::size_t i = 0; i < fits_.size(); ++i)
    if (fits_[i].first >= 0) push(static_cast<std::int32_t>(i), fits_[i].first);
}

std::vector<NodeAt> Ranking::best() {
  catch_up();
  drop_outdated();
  std::vector<NodeAt> found;
  std::vector<Entry> taken;
  while (!heap_.empty() && std::cmp_less(found.size(), need_.nodes)) {
    const Entry entry = pop();
    Fits& fits = fits_[static_cast<std::size_t>(entry.fits)];
    if (entry.first != fits.first) continue;
    const std::set<NodeAt>& nodes = groups_.nodes_of(fits.group);
    const auto first = nodes.lower_bound(entry.first);
    if (first == nodes.end()) {
      fits.first = -1;  // the group is empty here; consider() adds it again when it gets nodes
    } else if (*first != entry.first) {
      push(entry.fits, *first);
    } else {
      take(entry, found);
      taken.push_back(entry);
    }
  }
  // Restores the heap: the found nodes stay free until the caller takes them.
  for (auto entry = taken.rbegin(); entry != taken.rend(); ++entry) push(entry->fits, entry->first);
  if (std::cmp_less(found.size(), need_.nodes)) return {};
  std::ranges::sort(found);
  return found;
}

std::vector<NodeAt> Ranking::all() {
  catch_up();
  std::vector<NodeAt> found;
  for (const Fits& fits : fits_) {
    const std::set<NodeAt>& nodes = groups_.nodes_of(fits.group);
    found.insert(found.end(), nodes.begin(), nodes.end());
  }
  work_ += std::ssize(fits_) + std::ssize(found);
  std::ranges::sort(found);
  return found;
}

}  // namespace cox::schedule
