#include "schedule/queue/lifetimes.h"

#include <algorithm>
#include <cmath>

namespace cox::schedule {
namespace {

constexpr double first_edge_s = 10;
constexpr double growth = 1.3;  // the last bin begins after three years

// Chosen on Muri's traces, where each has a broad plateau: bench/measured.md.
constexpr int near_max = 12;
constexpr double near_decay = 3;  // each next one counts for less by this power of e
constexpr double hazard_before = 0.05;
constexpr double hazard_before_jobs = 5;  // what is believed before anybody ended counts so much
constexpr double all_jobs = 0.4;          // the hazard of all, beside those just before

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

// Whoever lives has not been through its bin yet.
void Lifetimes::Counts::add(const Life& life, double weight) {
  for (std::size_t bin = 0; bin < life.bin; ++bin) came[bin] += weight;
  if (!life.ended) return;
  came[life.bin] += weight;
  ended[life.bin] += weight;
}

void Lifetimes::put(JobId id, std::int64_t units, Life life) {
  fresh_s_.clear();
  if (by_units_[units].emplace(id, life).second) all_.add(life, 1);
}

void Lifetimes::drop(JobId id, std::int64_t units, bool ended) {
  fresh_s_.clear();
  const auto lives = by_units_.find(units);
  if (lives == by_units_.end()) return;
  const auto life = lives->second.find(id);
  if (life == lives->second.end() || life->second.ended != ended) return;
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

void Lifetimes::know_ended(const std::vector<Ended>& ended) {
  for (const Ended& one : ended)
    learn_ended_in(one.id, one.units, static_cast<std::size_t>(one.bin));
}

void Lifetimes::learn_ended_in(JobId id, std::int64_t units, std::size_t bin) {
  drop(id, units, false);
  if (const auto known = ended_.find(id); known != ended_.end()) drop(id, known->second, true);
  put(id, units, {bin, true});
  ended_[id] = units;
  if (ended_.size() <= ended_max) return;
  const auto [oldest, its_units] = *ended_.begin();
  drop(oldest, its_units, true);
  ended_.erase(oldest);
}

void Lifetimes::forget_living() {
  for (const auto& [id, units] : living_) drop(id, units, false);
  living_.clear();
}

void Lifetimes::note_living(JobId id, std::int64_t units, Milliseconds service) {
  if (ended_.contains(id)) return;
  living_.emplace_back(id, units);
  put(id, units, {bin_of(service), false});
}

Lifetimes::Counts Lifetimes::just_before(Lives::const_iterator at, const Lives& lives) {
  Counts counts;
  for (int rank = 0; rank < near_max && at != lives.begin(); ++rank)
    counts.add((--at)->second, std::exp(-rank / near_decay));
  return counts;
}

double Lifetimes::cost_of_end(JobId id, std::int64_t units, Milliseconds service) const {
  const auto unit_count = static_cast<double>(std::max<std::int64_t>(units, 1));
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
    const double hazard = (all_jobs * of_all + near.ended[bin]) / (all_jobs + near.came[bin]);
    const double width_s = std::max(edge_s(bin + 1) - from_s, 1.0);
    time_s += lives_on * width_s * (1 - hazard / 2);  // who ends there does so half way
    ends += lives_on * hazard;
    lives_on *= 1 - hazard;
    best = std::max(best, ends / time_s);
    from_s = edge_s(bin + 1);
  }
  return 1 / best;
}

}  // namespace cox::schedule
