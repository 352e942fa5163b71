#include "schedule/queue/lifetimes.h"

#include <algorithm>
#include <cmath>

namespace cox::schedule {
namespace {

constexpr double first_edge_s = 10;
// each bin is longer by this factor; the last begins after three years
constexpr double growth = 1.3;

// These values were chosen on Muri's traces; larger and smaller ones do about as well
// (bench/generalise.md).
constexpr double hazard_before = 0.05;
constexpr double hazard_before_jobs = 5;  // `hazard_before` counts like the hazard of so many jobs
// Jobs with less weight than this are left out.
constexpr double near_weight_min = 0.02;

double seconds(Milliseconds time) {
  return static_cast<double>(time.count()) / 1000;
}

}  // namespace

double Lifetimes::edge_s(std::size_t bin) {
  return bin == 0 ? 0 : first_edge_s * std::pow(growth, static_cast<double>(bin - 1));
}

std::size_t Lifetimes::bin_of(Milliseconds service) {
  const double over_first = seconds(service) / first_edge_s;
  if (over_first < 1) return 0;
  const auto bin = 1 + static_cast<std::size_t>(std::log(over_first) / std::log(growth));
  return std::min(bin, bins - 1);
}

// A job of which no end is known counts only in the bins that it has passed.
void Lifetimes::Counts::add(const Life& life, double weight) {
  for (std::size_t bin = 0; bin < life.bin; ++bin) came[bin] += weight;
  if (!life.ends_in_bin) return;
  came[life.bin] += weight;
  ended[life.bin] += weight;
}

void Lifetimes::put(JobId id, std::int64_t units, Life life) {
  fresh_s_.clear();
  if (by_units_[units].emplace(id, life).second) all_.add(life, 1);
}

void Lifetimes::set_weights(const LifetimeWeights& weights) {
  weights_ = weights;
  fresh_s_.clear();
}

void Lifetimes::drop(JobId id, std::int64_t units, bool living) {
  fresh_s_.clear();
  const auto lives = by_units_.find(units);
  if (lives == by_units_.end()) return;
  const auto life = lives->second.find(id);
  if (life == lives->second.end() || life->second.living != living) return;
  all_.add(life->second, -1);
  lives->second.erase(life);
  if (lives->second.empty()) by_units_.erase(lives);
}

void Lifetimes::learn_ended(JobId id, std::int64_t units, Milliseconds service) {
  learn_ended_in(id, units, bin_of(service));
}

std::vector<Lifetimes::Ended> Lifetimes::ended() const {
  std::vector<Ended> all;
  for (const auto& [id, units] : ended_)
    all.push_back({id, units, static_cast<std::int64_t>(by_units_.at(units).at(id).bin)});
  return all;
}

void Lifetimes::restore_ended(const std::vector<Ended>& ended) {
  for (const Ended& one : ended)
    learn_ended_in(one.id, one.units, static_cast<std::size_t>(one.bin));
}

void Lifetimes::learn_ended_in(JobId id, std::int64_t units, std::size_t bin) {
  drop(id, units, true);
  if (const auto known = ended_.find(id); known != ended_.end()) drop(id, known->second, false);
  put(id, units, {bin, true, false});
  ended_[id] = units;
  if (ended_.size() <= ended_max) return;
  const auto [oldest, its_units] = *ended_.begin();
  drop(oldest, its_units, false);
  ended_.erase(oldest);
}

void Lifetimes::forget_living() {
  for (const auto& [id, units] : living_) drop(id, units, true);
  living_.clear();
}

void Lifetimes::note_living(JobId id, std::int64_t units, Milliseconds service,
                            std::optional<Milliseconds> left) {
  if (ended_.contains(id)) return;
  living_.emplace_back(id, units);
  put(id, units, {bin_of(service + left.value_or(Milliseconds{0})), left.has_value(), true});
}

Lifetimes::Counts Lifetimes::just_before(Lives::const_iterator at, const Lives& lives) const {
  Counts counts;
  const double decay = std::exp(-1 / weights_.near_jobs);
  for (double weight = 1; weight > near_weight_min && at != lives.begin(); weight *= decay)
    counts.add((--at)->second, weight);
  return counts;
}

double Lifetimes::cost_of_end(JobId id, std::int64_t units, Milliseconds service,
                              std::optional<Milliseconds> left) const {
  const auto unit_count = static_cast<double>(std::max<std::int64_t>(units, 1));
  if (left) return unit_count * std::max(seconds(*left), 1.0);
  static const Lives nobody;
  const auto known = by_units_.find(units);
  const Lives& lives = known == by_units_.end() ? nobody : known->second;
  const auto at = lives.lower_bound(id);
  if (service > Milliseconds{0})
    return unit_count * time_for_end_s(just_before(at, lives), service);
  const JobId before = at == lives.begin() ? JobId{} : std::prev(at)->first;
  const auto [fresh, added] = fresh_s_.try_emplace({units, before}, 0);
  if (added) fresh->second = time_for_end_s(just_before(at, lives), service);
  return unit_count * fresh->second;
}

double Lifetimes::time_for_end_s(const Counts& near, Milliseconds service) const {
  double lives_on = 1;
  double ends = 0;
  double time_s = 0;
  double best = 0;
  double from_s = seconds(service);
  for (std::size_t bin = bin_of(service); bin < bins; ++bin) {
    const double of_all = (hazard_before * hazard_before_jobs + all_.ended[bin]) /
                          (hazard_before_jobs + all_.came[bin]);
    const double hazard =
        (weights_.all_jobs * of_all + near.ended[bin]) / (weights_.all_jobs + near.came[bin]);
    const double width_s = std::max(edge_s(bin + 1) - from_s, 1.0);
    // on average a job that ends in a bin ends half way
    time_s += lives_on * width_s * (1 - hazard / 2);
    ends += lives_on * hazard;
    lives_on *= 1 - hazard;
    best = std::max(best, ends / time_s);
    from_s = edge_s(bin + 1);
  }
  return 1 / best;
}

}  // namespace cox::schedule
