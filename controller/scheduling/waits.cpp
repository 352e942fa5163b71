#include "controller/scheduling/waits.h"

#include <algorithm>
#include <cstdlib>

#include "common/base/limits.h"
#include "controller/admit/dependencies.h"
#include "controller/feed/engine_input.h"
#include "controller/scheduling/ineligible.h"

namespace cox {
namespace {

Wall expected_start(const PendingReason& pending, Now now) {
  if (!pending.expected_start) return Wall{};
  return now.wall + (*pending.expected_start - now.boot);
}

bool has_same_content(const JobWait& row, const JobWait& next) {
  constexpr std::int64_t same_moment_ms = 1'000;
  const bool known = row.expected_start != Wall{};
  return row.reason == next.reason && row.detail == next.detail && row.lines == next.lines &&
         known == (next.expected_start != Wall{}) &&
         std::abs((row.expected_start - next.expected_start).count()) < same_moment_ms;
}

// Puts the priority into the row without the part that depends on age, so that the row stays
// correct while the job waits.
void note_priority(JobWait& row, const Cluster& cluster, const JobEntry& e) {
  const SchedulingSettings& settings = cluster.config().scheduling;
  const bool is_sum = settings.order == OrderPolicy::Multifactor;
  row.priority = is_sum ? 0 : e.priority;
  for (const PriorityFactor& factor : priority_factors(cluster, e, e.job.eligible))
    row.priority += factor.value;
  row.priority_of_age = is_sum ? static_cast<double>(settings.priority.age) : 0;
  row.age_full_s = is_sum ? settings.priority.max_age / std::chrono::seconds{1} : 0;
}

// Returns the row of cox.job_wait to store for the pending reason; nullopt if the stored row
// already has the same. If the new reason has no full explanation, a stored one is kept as long as
// it is true.
std::optional<JobWait> row_to_write(const Cluster& cluster, JobId id, const PendingReason& pending,
                                    Now now) {
  const JobWait* row = cluster.waits().of(id);
  JobWait next = row != nullptr ? *row : JobWait{};
  next.job = id;
  next.reason = name(pending.reason);
  const bool less = pending.lines.empty() &&
                    (pending.detail.empty() || row == nullptr || row->detail == pending.detail);
  if (row != nullptr && less && row->reason == next.reason) return std::nullopt;
  next.detail = pending.detail;
  next.lines = pending.lines;
  next.expected_start = expected_start(pending, now);
  if (row != nullptr && has_same_content(*row, next)) return std::nullopt;
  note_priority(next, cluster, *cluster.job(id));
  next.last_evaluated = now.wall;
  if (row == nullptr) next.first_evaluated = now.wall;
  if (next.first_estimate == Wall{} && next.expected_start != Wall{}) {
    next.first_estimate = next.expected_start;
    next.first_estimate_made = now.wall;
  }
  return next;
}

void set_reason(JobWait& row, const Ineligible& why) {
  row.reason = name(why.reason);
  row.detail = why.detail;
  row.lines = {ineligible_text(why)};
  row.expected_start = why.until.value_or(Wall{});
}

void put_never_satisfied(Reaction& r, JobId id, std::string detail) {
  const JobWait* known = r.cluster().waits().of(id);
  JobWait row = known != nullptr ? *known : JobWait{};
  row.job = id;
  set_reason(row, never_satisfied(r.cluster().job(id)->job, std::move(detail)));
  row.last_evaluated = r.now().wall;
  if (known == nullptr) row.first_evaluated = r.now().wall;
  r.put(std::move(row));
}

// For a job that the newest pass did not explain: returns the row to store in place of the stored
// explanation, which is out of date; nullopt if the stored row has only the reason and stays true.
std::optional<JobWait> row_of_unexplained(const Cluster& cluster, const JobEntry& e,
                                          const JobWait& row, Now now) {
  JobWait next = row;
  const auto ineligible = why_ineligible(cluster, e.job, now);
  set_reason(next, ineligible.value_or(Ineligible{WaitReason::Priority, "", ""}));
  if (!ineligible) next.lines.clear();
  if (has_same_content(row, next)) return std::nullopt;
  next.last_evaluated = now.wall;
  return next;
}

std::optional<JobWait> next_row(const Cluster& cluster, JobId id, Now now) {
  // The row of a job that can never start does not change.
  if (is_never_satisfied(cluster.waits().of(id))) return std::nullopt;
  const JobEntry* e = cluster.job(id);
  if (e == nullptr || e->job.state != JobState::Pending) return std::nullopt;
  const PendingReason& pending = cluster.soft().pending_reason_of(id);
  if (pending.reason != WaitReason::None) return row_to_write(cluster, id, pending, now);
  const JobWait* row = cluster.waits().of(id);
  return row == nullptr ? std::nullopt : row_of_unexplained(cluster, *e, *row, now);
}

}  // namespace

void record_never_starts(Reaction& r, JobId id) {
  if (is_never_satisfied(r.cluster().waits().of(id))) return;
  put_never_satisfied(r, id, dependencies_text(r.cluster(), r.cluster().job(id)->job));
}

void split_never_satisfied(Reaction& r, JobId row, JobId part) {
  const JobWait* stored = r.cluster().waits().of(row);
  if (!is_never_satisfied(stored)) return;
  const std::string detail = stored->detail;
  for (const JobId id : {row, part}) {
    const Job& job = r.cluster().job(id)->job;
    const bool known = std::ranges::all_of(job.dependencies, [&](const Dependency& term) {
      return !term.never || r.cluster().job(term.on) != nullptr;
    });
    put_never_satisfied(r, id, known ? dependencies_text(r.cluster(), job) : detail);
  }
}

bool keep_waits(Reaction& r) {
  std::vector<JobWait> rows;
  const auto add = [&](JobId id) {
    if (rows.size() == limits::wait_rows_per_turn_max) return;
    if (auto row = next_row(r.cluster(), id, r.now())) rows.push_back(std::move(*row));
  };
  for (const auto& [id, pending] : r.cluster().soft().pending_reasons()) add(id);
  for (const auto& [id, row] : r.cluster().waits().all())
    if (!r.cluster().soft().pending_reasons().contains(id)) add(id);
  const bool all = rows.size() < limits::wait_rows_per_turn_max;
  for (JobWait& row : rows) r.put(std::move(row));
  return all;
}

}  // namespace cox
