#include "controller/feed/save_time.h"

#include <algorithm>
#include <vector>

namespace cox {
namespace {

constexpr std::size_t saves_counted_max = 16;  // the newest
// The estimate is not exceeded by the known saves, except by the slowest tenth (1/10) of them.
constexpr std::size_t saves_slowest_part = 10;
constexpr Milliseconds save_margin_least{5'000};
constexpr int save_margin_part = 4;  // of the estimate

// Returns whether the ended attempt was asked to save and then to end. A job that was warned by
// --signal may run on until its time limit, so its end says nothing about its save.
bool was_asked_to_save(const JobSpec& spec, const Attempt& a) {
  const bool at_limit = a.stop.why == StopWhy::TimeLimit || a.stop.why == StopWhy::Deadline;
  return a.stop.ask_checkpoint && a.went != Wall{} && a.ended != Wall{} &&
         !(at_limit && spec.signal.number != 0);
}

// Returns the durations from the request to save to the end of the last rank, the newest first. A
// job that used up its grace counts with the whole grace, so the next request comes earlier.
std::vector<Milliseconds> save_durations(const JobEntry& e) {
  std::vector<Milliseconds> durations;
  for (auto a = e.attempts.rbegin(); a != e.attempts.rend(); ++a) {
    if (durations.size() == saves_counted_max) break;
    if (!was_asked_to_save(*e.job.spec, *a)) continue;
    durations.push_back(std::max(a->ended - a->stop_asked, Milliseconds{0}));
  }
  return durations;
}

}  // namespace

bool saves_at_limit(const JobSpec& spec) {
  return spec.checkpoint_signal != 0 && spec.signal.number == 0;
}

Milliseconds grace_after_limit(const Cluster& cluster, const JobSpec& spec) {
  if (!saves_at_limit(spec)) return Milliseconds{0};
  return Milliseconds{cluster.accounting().qos_of(spec).grace_ms};
}

Milliseconds filler_lead(const Cluster& cluster, const JobEntry& e) {
  const Milliseconds grace{cluster.accounting().qos_of(*e.job.spec).grace_ms};
  const Milliseconds whole = grace + cluster.config().kill_wait;
  std::vector<Milliseconds> durations = save_durations(e);
  if (durations.empty()) return whole;
  std::ranges::sort(durations);
  const std::size_t last = durations.size() - 1;
  const Milliseconds estimate = durations.at(last - durations.size() / saves_slowest_part);
  const Milliseconds lead = estimate + save_margin_least + estimate / save_margin_part;
  return lead < grace ? lead : whole;
}

std::optional<Boot> latest_end(const Cluster& cluster, const JobEntry& e) {
  const auto limit = cluster.deadlines().of(e.job.id).limit;
  if (!limit || e.live_attempt() == nullptr || e.live_attempt()->fills) return limit;
  return *limit + grace_after_limit(cluster, *e.job.spec);
}

}  // namespace cox
