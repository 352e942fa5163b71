#include "schedule/pass/pass_backfill.h"

#include <algorithm>
#include <utility>

namespace cox::schedule {
namespace {

bool share_a_node(const GangParts& a, const GangParts& b) {
  return std::ranges::any_of(a, [&b](const NodePart& share) {
    return std::ranges::binary_search(b, share.node, {}, &NodePart::node);
  });
}

}  // namespace

Reservations& PassBackfill::begin() {
  if (!reservations_)
    reservations_.emplace(facts_.nodes(), facts_.settings().backfill, timeline(),
                          facts_.matcher().idle(), rooms_.free());
  return *reservations_;
}

void PassBackfill::note_start(const GangParts& shares, std::optional<Boot> end) {
  if (!end) note_endless(shares);
  if (reservations_) {
    reservations_->started(shares, end);
  } else if (end) {
    releases_.push_back({*end, shares, Held::Both});
  }
}

void PassBackfill::note_resume(const Running& running, std::optional<Boot> end,
                               std::span<const GangParts* const> suspended) {
  if (reservations_) {
    reservations_->resumed(*running.cpus, running.rest, end, suspended);
  } else if (end) {
    releases_.push_back({*end, running.shares, Held::Both});
  }
}

void PassBackfill::note_promise(const GangParts& shares, const PendingJob& job,
                                std::optional<Boot> begin) {
  if (!job.time_limit) note_endless(shares);
  if (reservations_) {
    reservations_->promised(shares, std::nullopt);
  } else if (const auto end = end_if_begun(job, begin)) {
    releases_.push_back({*end, shares, Held::Promised});
  }
}

Room PassBackfill::open_coming() const {
  return reservations_ ? reservations_->open(rooms_.coming(), std::nullopt) : rooms_.coming();
}

std::optional<Boot> PassBackfill::gone_by(const GangParts& shares) const {
  Boot latest = facts_.now();
  for (const auto& [id, running] : facts_.running()) {
    if (!decided_.is_stopping(running)) continue;
    // the job only has to be suspended, which happens at once
    if (running.job.suspends && !running.job.stopping) continue;
    if (!share_a_node(*running.shares, shares)) continue;
    if (decided_.is_victim(id) || !running.job.ends_by) return std::nullopt;
    latest = std::max(latest, *running.job.ends_by);
  }
  return latest;
}

Room PassBackfill::beside_endless() const {
  Room room = facts_.matcher().idle();
  for (const GangParts& shares : endless_) room.take(shares);
  for (const auto& [id, running] : facts_.running()) {
    if (decided_.has_started(id) || running.job.ends_by || running.job.time_left) continue;
    if (running.job.suspended || (decided_.is_victim(id) && running.job.suspends)) {
      room.take(*running.rest);
    } else if (!decided_.is_stopping(running)) {
      room.take(*running.shares);
    }
  }
  if (reservations_)
    for (const Claim& claim : reservations_->claims())
      if (!claim.until) room.take(claim.shares);
  return room;
}

Timeline PassBackfill::timeline() const {
  std::vector<Release> releases = releases_;
  const Boot now = facts_.now();
  for (const auto& [id, running] : facts_.running()) {
    if (decided_.has_started(id)) continue;
    const bool is_victim = decided_.is_victim(id);
    if (running.frees_cpus_soon() || (is_victim && running.job.suspends)) {
      releases.push_back({now, running.cpus, Held::Actually});
    } else if (decided_.is_stopping(running)) {
      // A victim of this pass, or a stopping job without a known end, may end at any moment, so its
      // room counts as released now.
      const bool has_end = !is_victim && running.job.ends_by;
      releases.push_back({has_end ? *running.job.ends_by : now, running.held(), Held::Actually});
    } else if (running.job.ends_by) {
      releases.push_back({*running.job.ends_by, running.shares, Held::Both});
    }
  }
  return Timeline(facts_.nodes(), rooms_.unclaimed(), rooms_.coming(), std::move(releases));
}

}  // namespace cox::schedule
