#include "schedule/pass/consolidate.h"

#include <algorithm>
#include <array>

#include "schedule/place/place.h"

namespace cox::schedule {
namespace {

class Moving {
 public:
  Moving(const ResolvedRequest& need, const NeedOfRunning& need_of, const Nodes& nodes,
         const Room& room)
      : need_(need), need_of_(need_of), nodes_(nodes), room_(room) {}

  // Tries to move these jobs away. Returns the moves if the gang then fits and each of the jobs
  // finds a new place; the largest job chooses first.
  std::optional<Consolidation> with(std::vector<const Running*> leaving) {
    Room after = room_;
    for (const Running* one : leaving) after.give_back(*one->shares);
    const std::array<const Room*, 1> preferred{&room_};
    auto place_of_gang = place(need_, nodes_, after, preferred);
    if (!place_of_gang) return std::nullopt;
    after.take(*place_of_gang);
    Consolidation found{std::move(*place_of_gang), {}};
    std::ranges::stable_sort(leaving, std::ranges::greater{},
                             [](const Running* one) { return one->job.loss_per_second_units; });
    for (const Running* one : leaving) {
      const ResolvedRequest& wish = need_of_(one->job);
      auto home = place(wish, nodes_, after);
      if (!home) return std::nullopt;
      after.take(*home);
      found.moves.push_back({one->job.id, std::move(*home)});
    }
    return found;
  }

 private:
  const ResolvedRequest& need_;
  const NeedOfRunning& need_of_;
  const Nodes& nodes_;
  const Room& room_;
};

}  // namespace

std::optional<Consolidation> consolidate(const ResolvedRequest& need, const NeedOfRunning& need_of,
                                         const Nodes& nodes, const Room& room,
                                         std::span<const VictimCandidate> movable) {
  Moving moving(need, need_of, nodes, room);
  std::vector<VictimCandidate> cheapest(movable.begin(), movable.end());
  std::ranges::stable_sort(cheapest, {}, &VictimCandidate::cost);
  if (cheapest.size() > movable_tried_max) cheapest.resize(movable_tried_max);
  Room without_them = room;
  for (const VictimCandidate& one : cheapest) without_them.give_back(*one.running->shares);
  if (!fits(need, without_them)) return std::nullopt;
  for (const VictimCandidate& one : cheapest)
    if (auto found = moving.with({one.running})) return found;
  std::erase_if(cheapest,
                [&](const VictimCandidate& one) { return !fits(need_of(one.running->job), room); });
  const auto chosen = choose_victims(need, nodes, room, cheapest);
  if (!chosen || chosen->size() > moves_max) return std::nullopt;
  std::vector<const Running*> leaving;
  for (const VictimCandidate& one : cheapest)
    if (std::ranges::find(*chosen, one.running) != chosen->end()) leaving.push_back(one.running);
  return moving.with(std::move(leaving));
}

}  // namespace cox::schedule
