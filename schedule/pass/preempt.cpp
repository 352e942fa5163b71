#include "schedule/pass/preempt.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <tuple>
#include <utility>

#include "schedule/place/fitting.h"
#include "schedule/place/place.h"
#include "schedule/queue/order.h"

namespace cox::schedule {
namespace {

struct Candidate {
  const GangParts* shares = nullptr;
  std::int64_t cost = 0;
  std::int32_t tier = 0;
  JobId id;
  double useful = 0;  // units it frees for the preemptor
};

// Victims as positions in the candidates, in their order.
struct Choice {
  std::vector<std::size_t> victims;
  std::size_t victims_count = 0;
  std::int64_t cost = 0;
  std::int64_t tiers = 0;
  std::vector<std::int64_t> ages;  // negated ids, sorted: the smaller, the younger

  auto badness() const { return std::tie(cost, victims_count, tiers, ages); }
};

Choice choice_of(const std::vector<Candidate>& candidates, std::vector<std::size_t> victims) {
  Choice choice;
  for (const std::size_t i : victims) {
    choice.cost += candidates[i].cost;
    choice.tiers += candidates[i].tier;
    choice.ages.push_back(-candidates[i].id.value);
  }
  std::ranges::sort(choice.ages);
  choice.victims_count = victims.size();
  choice.victims = std::move(victims);
  return choice;
}

// What of one share the preemptor can use on its node, in the unit that it is short of.
double useful_units(const ResolvedRequest& need, const NodePart& share) {
  if (need.gpus > 0)
    return static_cast<double>(std::min<std::int64_t>(std::popcount(share.gpus), need.gpus));
  return static_cast<double>(std::min(share.cpus, need.tasks_even() * need.cpus_per_task));
}

bool holds_licence_of(const ResolvedRequest& need, const GangParts& shares) {
  return std::ranges::any_of(shares.licences, [&](const Count& held) {
    return std::ranges::find(need.licences, held.kind, &Count::kind) != need.licences.end();
  });
}

std::vector<Candidate> candidates_for(const ResolvedRequest& need,
                                      std::span<const VictimCandidate> yielding) {
  std::vector<Candidate> candidates;
  for (const VictimCandidate& one : yielding) {
    const GangParts& shares = *one.running->yielded();
    const RunningJob& job = one.running->job;
    Candidate candidate{&shares, one.cost, job.tier, job.id, 0};
    bool touches = holds_licence_of(need, shares);
    for (const NodePart& share : shares) {
      if (!std::ranges::binary_search(need.usable, share.node)) continue;
      touches = true;
      candidate.useful += useful_units(need, share);
    }
    if (touches) candidates.push_back(candidate);
  }
  return candidates;
}

// The same question with fewer nodes: those that no candidate touches never change, so only the
// roomiest of them matter. Not so when nodes of the gang are tied to each other.
ResolvedRequest reduced(const ResolvedRequest& need, const Nodes& nodes, const Room& room,
                        const std::vector<Candidate>& candidates) {
  if (need.is_bound()) return need;
  std::vector<bool> touched(static_cast<std::size_t>(nodes.size()), false);
  for (const Candidate& candidate : candidates)
    for (const NodePart& share : *candidate.shares)
      touched[static_cast<std::size_t>(share.node)] = true;
  ResolvedRequest smaller = need;
  smaller.usable.clear();
  std::vector<std::pair<std::int64_t, NodeAt>> others;
  for (const NodeAt at : need.usable) {
    if (touched[static_cast<std::size_t>(at)] || std::ranges::binary_search(need.required, at)) {
      smaller.usable.push_back(at);
    } else if (const auto tasks = tasks_that_fit(need, room, at); tasks > 0) {
      others.emplace_back(-tasks, at);
    }
  }
  std::ranges::sort(others);
  for (std::size_t i = 0; i < others.size() && std::cmp_less(i, need.nodes); ++i)
    smaller.usable.push_back(others[i].second);
  std::ranges::sort(smaller.usable);
  return smaller;
}

// Tries sets of victims on one scratch room. `room` is as it is when all of `chosen` have ended.
class Search {
 public:
  Search(const ResolvedRequest& need, const Room& room, const std::vector<Candidate>& candidates)
      : need_(need), room_(room), candidates_(candidates) {}

  // REQUIRES: all candidates together make room.
  Choice greedy(const Nodes& nodes) {
    std::vector<std::size_t> by_value(candidates_.size());
    for (std::size_t i = 0; i < by_value.size(); ++i) by_value[i] = i;
    std::ranges::stable_sort(by_value, [this](std::size_t a, std::size_t b) {
      return cost_for_useful(a) < cost_for_useful(b);
    });
    Fitting fitting(need_, nodes, room_);
    std::vector<std::size_t> chosen;
    for (const std::size_t i : by_value) {
      if (has_room(fitting)) break;
      give_back(i, fitting);
      chosen.push_back(i);
    }
    prune(chosen, fitting);
    for (const std::size_t i : chosen) room_.take(*candidates_[i].shares);
    return choice_of(candidates_, std::move(chosen));
  }

  // Branch and bound below `best`: each candidate in turn is a victim or is not.
  Choice exact(Choice best) {
    best_ = std::move(best);
    all_ = room_;
    for (const Candidate& candidate : candidates_) all_.give_back(*candidate.shares);
    branch(0, 0);
    return best_;
  }

 private:
  double cost_for_useful(std::size_t i) const {
    return static_cast<double>(candidates_[i].cost) / std::max(candidates_[i].useful, 1e-3);
  }

  bool has_room(const Fitting& fitting) const {
    return fitting.enough() && (fitting.is_exact() || fits(need_, room_));
  }

  void give_back(std::size_t i, Fitting& fitting) {
    room_.give_back(*candidates_[i].shares);
    fitting.nodes_changed(*candidates_[i].shares, room_);
  }

  // Drops the dearest first.
  void prune(std::vector<std::size_t>& chosen, Fitting& fitting) {
    std::vector<std::size_t> dearest = chosen;
    std::ranges::stable_sort(dearest, [this](std::size_t a, std::size_t b) {
      return candidates_[a].cost > candidates_[b].cost;
    });
    std::vector<bool> needless(candidates_.size(), false);
    for (const std::size_t i : dearest) {
      room_.take(*candidates_[i].shares);
      fitting.nodes_changed(*candidates_[i].shares, room_);
      needless[i] = has_room(fitting);
      if (!needless[i]) give_back(i, fitting);
    }
    std::erase_if(chosen, [&needless](std::size_t i) { return needless[i]; });
  }

  void branch(std::size_t next, std::int64_t cost) {
    if (std::tuple(cost, chosen_.size()) > std::tuple(best_.cost, best_.victims_count)) return;
    if (fits(need_, room_)) {
      Choice found = choice_of(candidates_, chosen_);
      if (found.badness() < best_.badness()) best_ = std::move(found);
      return;
    }
    if (next == candidates_.size() || !fits(need_, all_)) return;
    const Candidate& candidate = candidates_[next];
    room_.give_back(*candidate.shares);
    chosen_.push_back(next);
    branch(next + 1, cost + candidate.cost);
    chosen_.pop_back();
    room_.take(*candidate.shares);
    all_.take(*candidate.shares);
    branch(next + 1, cost);
    all_.give_back(*candidate.shares);
  }

  const ResolvedRequest& need_;
  Room room_;
  Room all_;  // when every candidate that is not decided against has ended
  const std::vector<Candidate>& candidates_;
  std::vector<std::size_t> chosen_;
  Choice best_;
};

constexpr double cost_max = 1e15;  // a thousand such victims still sum exactly

std::int64_t whole(double cost) {
  return std::llround(std::clamp(std::isfinite(cost) ? cost : cost_max, 0.0, cost_max));
}

double milliseconds(Milliseconds time) {
  return static_cast<double>(time.count());
}

}  // namespace

std::int64_t loss_unit_ms(const RunningJob& job, Boot now) {
  if (!job.unsaved_since || job.suspends) return 0;
  return whole(job.loss_per_second_units * milliseconds(now - *job.unsaved_since));
}

std::int64_t restart_unit_ms(const Settings& settings, const RunningJob& job) {
  if (job.suspends) return 0;
  return whole(job.loss_per_second_units * milliseconds(settings.preempt_restart_cost));
}

std::int64_t cost_unit_ms(const Settings& settings, const RunningJob& job, Boot now) {
  constexpr auto most = static_cast<std::int64_t>(cost_max);
  const std::int64_t lost = loss_unit_ms(job, now) + restart_unit_ms(settings, job);
  const std::int64_t cost =
      std::min(std::clamp<std::int64_t>(job.preempt_weight, 1, preempt_weight_max) * lost, most);
  if (!budget_spent_until(settings, job, now)) return cost;
  return std::min(std::max<std::int64_t>(cost, 1) * budget_spent_price, most);
}

namespace {

Boot runs_since(const RunningJob& job) {
  return std::max(job.began, job.resumed.value_or(job.began));
}

}  // namespace

Boot exempt_until(const Settings& settings, const RunningJob& job) {
  return runs_since(job) + job.exempt_time.value_or(settings.preempt_exempt_time);
}

std::optional<Boot> budget_spent_until(const Settings& settings, const RunningJob& job, Boot now) {
  const std::int64_t budget = settings.preempt_budget;
  if (budget <= 0 || std::ssize(job.preempted) < budget) return std::nullopt;
  const Boot back = job.preempted.end()[-budget] + settings.preempt_budget_window;
  if (back <= now) return std::nullopt;
  return back;
}

std::optional<Spared> spared(const Settings& settings, const RunningJob& job, std::int64_t for_tier,
                             Boot now) {
  Spared longest{Sparing::HasJustBegun, exempt_until(settings, job)};
  const auto back = budget_spent_until(settings, job, now);
  if (job.tier >= for_tier && back && *back > longest.until)
    longest = {Sparing::BudgetSpent, *back};
  if (longest.until <= now) return std::nullopt;
  return longest;
}

std::optional<std::int64_t> cost_if_it_yields(const Settings& settings, const PendingJob& to,
                                              const Running& running, Boot now) {
  constexpr double worth_unit = 1e12;
  const RunningJob& job = running.job;
  if (!job.preemptable || job.tier > to.tier) return std::nullopt;
  if (spared(settings, job, to.tier, now)) return std::nullopt;
  if (job.tier < to.tier) return cost_unit_ms(settings, job, now);
  if (!preempts_inside_tier(settings.order)) return std::nullopt;
  if (now - runs_since(job) < settings.order_exempt) return std::nullopt;
  if (!takes_room(settings.order, to.priority, running.priority)) return std::nullopt;
  return std::llround(worth_unit * std::max(job.loss_per_second_units, 1.0) /
                      std::max(-running.priority, 1.0));
}

std::optional<std::vector<JobId>> choose_victims(const ResolvedRequest& need, const Nodes& nodes,
                                                 const Room& room,
                                                 std::span<const VictimCandidate> yielding) {
  std::vector<Candidate> candidates = candidates_for(need, yielding);
  if (candidates.empty()) return std::nullopt;
  const ResolvedRequest smaller = reduced(need, nodes, room, candidates);
  Room all = room;
  for (const Candidate& candidate : candidates) all.give_back(*candidate.shares);
  if (!fits(smaller, all) || fits(smaller, room)) return std::nullopt;
  std::ranges::sort(candidates, {},
                    [](const Candidate& c) { return std::tuple(c.cost, c.tier, -c.id.value); });
  Search search(smaller, room, candidates);
  Choice best = search.greedy(nodes);
  const bool small = !need.is_bound() || std::cmp_less(smaller.usable.size(), bound_exact_max);
  if (small && candidates.size() <= victims_exact_max) best = search.exact(std::move(best));
  std::vector<JobId> victims;
  for (const std::size_t i : best.victims) victims.push_back(candidates[i].id);
  std::ranges::sort(victims);
  return victims;
}

}  // namespace cox::schedule
