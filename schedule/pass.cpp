#include "schedule/pass.h"

#include <algorithm>
#include <array>

#include "common/check.h"
#include "schedule/place.h"

namespace cox::schedule {
namespace {

std::optional<Boot> end_of(const PendingJob& job, std::optional<Boot> begin) {
  if (!job.time_limit || !begin) return std::nullopt;
  return *begin + *job.time_limit;
}

bool share_a_node(const Shares& a, const Shares& b) {
  return std::ranges::any_of(a, [&b](const Share& share) {
    return std::ranges::binary_search(b, share.node, {}, &Share::node);
  });
}

}  // namespace

Pass::Pass(const Nodes& nodes, const Queue& queue, Boot now)
    : now_(now), nodes_(nodes), matcher_(nodes_), unclaimed_(matcher_.idle()) {
  running_.reserve(queue.running.size());
  for (const RunningJob& job : queue.running) {
    running_.push_back({&job, shares_of(nodes_, job.grants), job.stopping});
    unclaimed_.take(running_.back().shares);
  }
  coming_ = unclaimed_;
  free_ = unclaimed_;
  for (const Running& running : running_) {
    if (!running.stopping) continue;
    anything_stopping_ = true;
    coming_.give_back(running.shares);
  }
}

Verdict Pass::judge(const PendingJob& job) {
  Verdict verdict;
  verdict.job = &job;
  if (job.held) return verdict;
  verdict.need = &matcher_.need(job, Availability::Required);
  Known& like = known(*verdict.need);
  if (!like.ever_fits) {
    verdict.outcome = Outcome::Unavailable;
    return verdict;
  }
  if (waits_like_another(verdict, like)) return verdict;
  if (start(verdict) || promise(verdict) || preempt(verdict)) {
    ++decisions_;
    return verdict;
  }
  verdict.others_first = fits(*verdict.need, nodes_, unclaimed_);
  verdict.outcome = verdict.others_first ? Outcome::Behind : Outcome::NoRoom;
  like.waited = &job;
  like.outcome = verdict.outcome;
  like.others_first = verdict.others_first;
  if (!reservation_) {
    reserve(verdict);
    ++decisions_;  // the next of its like is no longer the first
  } else {
    like.decisions = decisions_;
  }
  return verdict;
}

Pass::Known& Pass::known(const Need& need) {
  const auto [it, is_new] = known_.try_emplace(&need);
  if (is_new) it->second.ever_fits = fits(need, nodes_, matcher_.idle());
  return it->second;
}

bool Pass::waits_like_another(Verdict& verdict, const Known& known) const {
  if (known.decisions != decisions_) return false;
  const PendingJob& job = *verdict.job;
  const PendingJob& other = *known.waited;
  if (job.time_limit != other.time_limit) return false;
  verdict.outcome = known.outcome;
  verdict.others_first = known.others_first;
  return true;
}

// As place_allowed() in the free room, without looking at every node again.
std::optional<Shares> Pass::place_now(const Need& need, std::optional<Boot> end) {
  const bool alone = need.nodes == 1 && need.required.empty() && !need.required_missing;
  if (reservation_ || !alone) return place_allowed(need, free_, end);
  Known& like = known(need);
  if (!like.ranking) {
    like.ranking.emplace(need, nodes_, free_);
    like.ranked = taken_.size();
  }
  for (; like.ranked < taken_.size(); ++like.ranked)
    like.ranking->node_changed(taken_[like.ranked], free_);
  const auto at = like.ranking->best();
  if (!at) return std::nullopt;
  return shares_alone(need, nodes_, free_, *at);
}

bool Pass::start(Verdict& verdict) {
  const auto end = end_of(*verdict.job, now_);
  auto shares = place_now(*verdict.need, end);
  if (!shares) return false;
  verdict.outcome = Outcome::Starts;
  verdict.shares = std::move(*shares);
  verdict.expected = now_;
  free_.take(verdict.shares);
  coming_.take(verdict.shares);
  unclaimed_.take(verdict.shares);
  for (const Share& share : verdict.shares) taken_.push_back(share.node);
  if (end) decided_.push_back({*end, verdict.shares, Held::Both});
  if (reservation_) reservation_->let_past(verdict.shares, end);
  return true;
}

bool Pass::promise(Verdict& verdict) {
  if (!anything_stopping_) return false;
  // When it will begin is not known for certain, so behind a reservation it counts as endless.
  auto shares = place_allowed(*verdict.need, coming_, std::nullopt);
  if (!shares) return false;
  verdict.outcome = Outcome::Promised;
  verdict.shares = std::move(*shares);
  verdict.expected = gone_by(verdict.shares);
  if (reservation_) reservation_->let_past(verdict.shares, std::nullopt);
  keep_for(verdict, end_of(*verdict.job, verdict.expected));
  return true;
}

bool Pass::preempt(Verdict& verdict) {
  if (!verdict.job->may_preempt) return false;
  const Room room = reservation_ ? reservation_->open(coming_) : coming_;
  const auto victims = choose_victims(*verdict.need, nodes_, room, running_);
  if (!victims) return false;
  Room after = room;
  for (const std::size_t victim : *victims) after.give_back(running_[victim].shares);
  const std::array<const Room*, 1> preferred{&free_};
  auto shares = place(*verdict.need, nodes_, after, preferred);
  CHECK(shares.has_value());  // victims are chosen only when they make room
  const Shares freed = outlasting_shadow(*victims);
  if (reservation_ && !reservation_->allows(*shares, std::nullopt, freed)) return false;
  verdict.outcome = Outcome::Preempts;
  verdict.shares = std::move(*shares);
  verdict.victims = *victims;
  for (const std::size_t victim : *victims) {
    running_[victim].stopping = true;
    coming_.give_back(running_[victim].shares);
  }
  anything_stopping_ = true;
  if (reservation_) reservation_->let_past(verdict.shares, std::nullopt, freed);
  keep_for(verdict, std::nullopt);
  return true;
}

void Pass::reserve(Verdict& verdict) {
  verdict.outcome = Outcome::Reserved;
  Need need = *verdict.need;
  need.job = verdict.job;  // shared needs name the first of their like
  reservation_.emplace(nodes_, std::move(need), timeline(), now_, matcher_.idle(), free_);
  verdict.expected = reservation_->shadow();
}

// Best fit, really free nodes first; behind a reservation only what does not delay it.
std::optional<Shares> Pass::place_allowed(const Need& need, const Room& room,
                                          std::optional<Boot> end) {
  const std::array<const Room*, 1> preferred{&free_};
  if (!reservation_) return place(need, nodes_, room, preferred);
  auto shares = place(need, nodes_, reservation_->open(room), preferred);
  if (!shares || reservation_->allows(*shares, end)) return shares;
  return place(need, nodes_, reservation_->spare(room), preferred);
}

// Promises the room: part of it may be free already, and stays so.
void Pass::keep_for(const Verdict& verdict, std::optional<Boot> end) {
  coming_.take(verdict.shares);
  free_.limit_to(coming_);
  for (auto& [need, known] : known_) known.ranking.reset();  // it may have changed anywhere
  if (end) decided_.push_back({*end, verdict.shares, Held::Promised});
}

// When the stopping attempts on these nodes are gone; empty when one of them does not say.
std::optional<Boot> Pass::gone_by(const Shares& shares) const {
  Boot latest = now_;
  for (const Running& running : running_) {
    if (!running.stopping || !share_a_node(running.shares, shares)) continue;
    if (!running.job->stopping || !running.job->ends_by) return std::nullopt;
    latest = std::max(latest, *running.job->ends_by);
  }
  return latest;
}

// What the victims would still have held at the reserved job's time.
Shares Pass::outlasting_shadow(const std::vector<std::size_t>& victims) const {
  Shares shares;
  if (!reservation_ || !reservation_->shadow()) return shares;
  for (const std::size_t victim : victims) {
    const Running& running = running_[victim];
    if (running.job->ends_by && *running.job->ends_by <= *reservation_->shadow()) continue;
    shares.insert(shares.end(), running.shares.begin(), running.shares.end());
  }
  return shares;
}

Timeline Pass::timeline() const {
  std::vector<Release> releases = decided_;
  for (const Running& running : running_) {
    if (running.stopping) {
      // A victim of this pass, or one that does not say when, may be gone at any moment.
      const bool says = running.job->stopping && running.job->ends_by;
      releases.push_back({says ? *running.job->ends_by : now_, running.shares, Held::Actually});
    } else if (running.job->ends_by) {
      releases.push_back({*running.job->ends_by, running.shares, Held::Both});
    }
  }
  return Timeline(nodes_, unclaimed_, coming_, std::move(releases));
}

}  // namespace cox::schedule
