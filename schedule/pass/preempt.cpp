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
  const Running* running = nullptr;
  const GangParts* shares = nullptr;
  std::int64_t cost = 0;
  std::int32_t tier = 0;
  JobId id;
  double useful = 0;  // GPUs (or CPUs) that it frees and the preemptor can use
};

// A set of victims, as ascending positions in the candidates, and what it costs.
struct Choice {
  std::vector<std::size_t> victims;
  std::size_t victims_count = 0;
  std::int64_t cost = 0;
  std::int64_t tiers = 0;
  std::vector<std::int64_t> ages;  // negated ids, sorted: smaller means younger

  auto badness() const { return std::tie(cost, victims_count, tiers, ages); }
};

auto rank_of(const Candidate& candidate) {
  return std::tuple(candidate.cost, candidate.tier, -candidate.id.value);
}

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

// Returns what the preemptor can use of a share on its node, in GPUs; if it needs none, in CPUs.
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

// The candidates that free something that the preemptor can use, and what follows from all of them.
struct Field {
  std::vector<Candidate> candidates;
  std::vector<bool> touched;  // by node: whether a candidate holds something there
  Room all;                   // the room if all candidates have ended
};

Field field_for(const ResolvedRequest& need, const Room& room,
                std::span<const VictimCandidate> yielding) {
  Field field{{}, std::vector<bool>(static_cast<std::size_t>(room.size()), false), room};
  std::vector<bool> usable(field.touched);
  for (const NodeAt at : need.usable) usable[static_cast<std::size_t>(at)] = true;
  for (const VictimCandidate& one : yielding) {
    const GangParts& shares = *one.running->freed_by_preemption();
    const RunningJob& job = one.running->job;
    Candidate candidate{one.running, &shares, one.cost, job.tier, job.id, 0};
    bool touches = holds_licence_of(need, shares);
    for (const NodePart& share : shares) {
      if (!usable[static_cast<std::size_t>(share.node)]) continue;
      touches = true;
      candidate.useful += useful_units(need, share);
    }
    if (!touches) continue;
    for (const NodePart& share : shares) field.touched[static_cast<std::size_t>(share.node)] = true;
    field.all.give_back(shares);
    field.candidates.push_back(candidate);
  }
  return field;
}

// Reduces the usable nodes. Nodes that no candidate touches never change, so only the roomiest of
// them matter. Gangs whose nodes must be near each other (is_bound()) need all nodes.
ResolvedRequest reduced(const ResolvedRequest& need, const Room& room,
                        const std::vector<bool>& touched) {
  if (need.is_bound()) return need;
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

// Tries sets of victims on one scratch room. Between calls of exact(), `room_` is the room after
// all of `chosen_` have ended; greedy() leaves in it what its victims give back.
class Search {
 public:
  Search(const ResolvedRequest& need, const Room& room, const std::vector<Candidate>& candidates)
      : need_(need), room_(room), candidates_(candidates) {}

  // Returns a choice without needless victims. REQUIRES: all candidates together make room.
  Choice greedy(const Nodes& nodes) {
    std::vector<Offer> offers;
    for (std::size_t i = 0; i < candidates_.size(); ++i)
      offers.push_back({price_of(candidates_[i]), i});
    std::ranges::sort(offers, [this](const Offer& a, const Offer& b) { return is_before(a, b); });
    Fitting fitting(need_, nodes, room_);
    std::vector<std::size_t> chosen;
    for (const Offer& offer : offers) {
      if (has_room(fitting)) break;
      give_back(offer.candidate, fitting);
      chosen.push_back(offer.candidate);
    }
    prune(chosen, fitting);
    return choice_of(candidates_, std::move(chosen));
  }

  // Improves `best` by branch and bound: each candidate in turn is a victim or not.
  Choice exact(Choice best) {
    best_ = std::move(best);
    for (const std::size_t i : best_.victims) room_.take(*candidates_[i].shares);
    all_ = room_;
    for (const Candidate& candidate : candidates_) all_.give_back(*candidate.shares);
    branch(0, 0);
    return best_;
  }

 private:
  struct Offer {
    double price = 0;
    std::size_t candidate = 0;
  };

  static double price_of(const Candidate& candidate) {
    return static_cast<double>(candidate.cost) / std::max(candidate.useful, 1e-3);
  }

  bool is_before(const Offer& a, const Offer& b) const {
    if (a.price != b.price) return a.price < b.price;
    return rank_of(candidates_[a.candidate]) < rank_of(candidates_[b.candidate]);
  }

  bool has_room(const Fitting& fitting) const {
    return fitting.enough() && (fitting.is_exact() || fits(need_, room_));
  }

  void give_back(std::size_t i, Fitting& fitting) {
    room_.give_back(*candidates_[i].shares);
    fitting.nodes_changed(*candidates_[i].shares, room_);
  }

  // Removes needless victims, trying the most expensive first.
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
  Room all_;  // room if all candidates end except those that branch() has ruled out
  const std::vector<Candidate>& candidates_;
  std::vector<std::size_t> chosen_;
  Choice best_;
};

constexpr double cost_max = 1e15;  // a thousand such costs still fit into std::int64_t

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

std::optional<Spared> spared(const Settings& settings, const RunningJob& job, std::int64_t for_tier,
                             Boot now) {
  Spared longest{Sparing::HasJustBegun, exempt_until(settings, job)};
  const auto back = budget_spent_until(settings, job, now);
  if (job.tier >= for_tier && back && *back > longest.until)
    longest = {Sparing::BudgetSpent, *back};
  if (longest.until <= now) return std::nullopt;
  return longest;
}

std::optional<std::int64_t> preemption_cost(const Settings& settings, const PendingJob& to,
                                            const Running& running, Boot now) {
  constexpr double worth_unit = 1e12;
  const RunningJob& job = running.job;
  if (!job.preemptable || job.tier > to.tier) return std::nullopt;
  if (spared(settings, job, to.tier, now)) return std::nullopt;
  if (job.tier < to.tier) return cost_unit_ms(settings, job, now);
  if (!preempts_inside_tier(settings.order)) return std::nullopt;
  if (now - runs_since(job) < settings.order_exempt) return std::nullopt;
  if (to.priority <= running.priority) return std::nullopt;
  return std::llround(worth_unit * std::max(job.loss_per_second_units, 1.0) /
                      std::max(-running.priority, 1.0));
}

std::vector<JobId> ids_of(const Victims& victims) {
  std::vector<JobId> ids;
  ids.reserve(victims.size());
  for (const Running* victim : victims) ids.push_back(victim->job.id);
  return ids;
}

std::optional<Victims> choose_victims(const ResolvedRequest& need, const Nodes& nodes,
                                      const Room& room, std::span<const VictimCandidate> yielding) {
  Field field = field_for(need, room, yielding);
  std::vector<Candidate>& candidates = field.candidates;
  if (candidates.empty()) return std::nullopt;
  const ResolvedRequest smaller = reduced(need, room, field.touched);
  if (!fits(smaller, field.all) || fits(smaller, room)) return std::nullopt;
  const bool is_small = candidates.size() <= victims_exact_max &&
                        (!need.is_bound() || smaller.usable.size() < bound_exact_max);
  if (is_small) std::ranges::sort(candidates, {}, rank_of);
  Search search(smaller, room, candidates);
  Choice best = search.greedy(nodes);
  if (is_small) best = search.exact(std::move(best));
  Victims victims;
  victims.reserve(best.victims.size());
  for (const std::size_t i : best.victims) victims.push_back(candidates[i].running);
  std::ranges::sort(victims, {}, [](const Running* victim) { return victim->job.id; });
  return victims;
}

}  // namespace cox::schedule
