#include "schedule/pass/pass_rooms.h"

#include <algorithm>

#include "schedule/place/place.h"

namespace cox::schedule {

PassRooms::PassRooms(Engine& engine)
    : engine_(engine),
      before_(engine.ground().free().room()),
      unclaimed_(before_),
      coming_(before_) {
  if (engine_.counts().stopping() == 0) return;
  for (const auto& [id, running] : engine_.running()) {
    if (running.job.stopping) add_coming(*running.held());
    if (running.frees_cpus_soon()) add_coming(*running.cpus);
  }
}

Room PassRooms::free_for(const Decision& decision) const {
  Room room = free();
  if (decision.outcome != Outcome::Promised && decision.outcome != Outcome::Preempts) return room;
  Room coming = coming_;
  coming.give_back(decision.shares);
  for (const NodePart& share : decision.shares) room.set_least(share.node, unclaimed_, coming);
  return room;
}

bool PassRooms::fits_unclaimed(const Needs& needs) {
  return std::ranges::any_of(needs, [&](const ResolvedRequest* need) {
    const auto [known, is_new] = fits_unclaimed_.try_emplace(need, false);
    if (is_new) known->second = fits(*need, unclaimed_);
    return known->second;
  });
}

void PassRooms::take(const GangParts& shares) {
  engine_.ground().free().take(shares);
  for (const NodePart& share : shares) changed_.push_back(share.node);
  coming_.take(shares);
  take_unclaimed(shares);
}

void PassRooms::take_kept(const GangParts& shares) {
  take_unclaimed(shares);
  for (const NodePart& share : shares) set_free_least(share.node);
}

void PassRooms::keep(const GangParts& shares) {
  coming_.take(shares);
  for (const NodePart& share : shares) set_free_least(share.node);
}

void PassRooms::stash() {
  stashed_ = free();
  for (const NodeAt at : changed_) engine_.ground().free().set_least(at, before_, before_);
  engine_.ground().free().set_licences_of(before_);
  engine_.ground().free().follow(stashed_followed_, [](NodeAt) {});
}

void PassRooms::restore() {
  const auto note = [this](NodeAt at) { changed_.push_back(at); };
  if (!engine_.ground().free().follow(stashed_followed_, note))
    for (NodeAt at = 0; at < before_.size(); ++at) note(at);
  std::ranges::sort(changed_);
  changed_.erase(std::unique(changed_.begin(), changed_.end()), changed_.end());
  for (const NodeAt at : changed_) engine_.ground().free().set_least(at, *stashed_, *stashed_);
  engine_.ground().free().set_licences_of(*stashed_);
  stashed_.reset();
}

void PassRooms::undo() {
  for (const NodeAt at : changed_) engine_.ground().free().set_least(at, before_, before_);
  engine_.ground().free().set_licences_of(before_);
}

void PassRooms::take_unclaimed(const GangParts& shares) {
  unclaimed_.take(shares);
  fits_unclaimed_.clear();
}

void PassRooms::set_free_least(NodeAt at) {
  engine_.ground().free().set_least(at, unclaimed_, coming_);
  changed_.push_back(at);
}

}  // namespace cox::schedule
