#include "controller/scheduling/waits.h"

// Why jobs wait, kept in the database: the rows of cox.job_wait that say something new.
#include <algorithm>
#include <cstdlib>

#include "common/base/limits.h"
#include "controller/admit/dependencies.h"
#include "controller/scheduling/ineligible.h"
#include "controller/state/engine_input.h"

namespace cox {
namespace {

Wall expected_start(const PendingReason& pending, Now now) {
  if (!pending.expected_start) return Wall{};
  return now.wall + (*pending.expected_start - now.boot);
}

bool says_the_same(const JobWait& row, const JobWait& next) {
  constexpr std::int64_t same_moment_ms = 1'000;
  const bool known = row.expected_start != Wall{};
  return row.reason == next.reason && row.detail == next.detail && row.lines == next.lines &&
         known == (next.expected_start != Wall{}) &&
         std::abs((row.expected_start - next.expected_start).count()) < same_moment_ms;
}

// Its age is left out, so that a row stays right while its job waits.
void note_priority(JobWait& row, const Cluster& cluster, const JobEntry& e) {
  const SchedulingSettings& settings = cluster.config().scheduling;
  const bool is_sum = settings.order == OrderPolicy::Multifactor;
  row.priority = is_sum ? 0 : e.priority;
  for (const PriorityFactor& factor : priority_factors(cluster, e, e.job.eligible))
    row.priority += factor.value;
  row.priority_of_age = is_sum ? static_cast<double>(settings.priority.age) : 0;
  row.age_full_s = is_sum ? settings.priority.max_age / std::chrono::seconds{1} : 0;
}

// Empty: the row says so already. Of a job too far back to be told all of it, what was told when
// somebody asked stays, as long as it is true.
std::optional<JobWait> row_to_write(const Cluster& cluster, JobId id, const PendingReason& pending,
                                    Now now) {
  const JobWait* row = cluster.wait_of(id);
  JobWait next = row != nullptr ? *row : JobWait{};
  next.job = id;
  next.reason = name(pending.reason);
  const bool less = pending.lines.empty() &&
                    (pending.detail.empty() || row == nullptr || row->detail == pending.detail);
  if (row != nullptr && less && row->reason == next.reason) return std::nullopt;
  next.detail = pending.detail;
  next.lines = pending.lines;
  next.expected_start = expected_start(pending, now);
  if (row != nullptr && says_the_same(*row, next)) return std::nullopt;
  note_priority(next, cluster, *cluster.job(id));
  next.last_judged = now.wall;
  if (row == nullptr) next.first_judged = now.wall;
  if (next.first_estimate == Wall{} && next.expected_start != Wall{}) {
    next.first_estimate = next.expected_start;
    next.first_estimate_made = now.wall;
  }
  return next;
}

void tell(JobWait& row, const Ineligible& why) {
  row.reason = name(why.reason);
  row.detail = why.detail;
  row.lines = {told_text(why)};
  row.expected_start = why.until.value_or(Wall{});
}

void put_in_vain(Reaction& r, JobId id, std::string detail) {
  const JobWait* known = r.cluster().wait_of(id);
  JobWait row = known != nullptr ? *known : JobWait{};
  row.job = id;
  tell(row, in_vain(r.cluster().job(id)->job, std::move(detail)));
  row.last_judged = r.now().wall;
  if (known == nullptr) row.first_judged = r.now().wall;
  r.put(std::move(row));
}

// What was told of it is as old as the pass that told it. Empty: the row says no more already.
std::optional<JobWait> row_of_untold(const Cluster& cluster, const JobEntry& e, const JobWait& row,
                                     Now now) {
  JobWait next = row;
  const auto ineligible = why_ineligible(cluster, e.job, now);
  tell(next, ineligible.value_or(Ineligible{WaitReason::Priority, "", ""}));
  if (!ineligible) next.lines.clear();
  if (says_the_same(row, next)) return std::nullopt;
  next.last_judged = now.wall;
  return next;
}

std::optional<JobWait> next_row(const Cluster& cluster, JobId id, Now now) {
  if (is_told_in_vain(cluster.wait_of(id))) return std::nullopt;  // nothing of it changes any more
  const JobEntry* e = cluster.job(id);
  if (e == nullptr || e->job.state != JobState::Pending) return std::nullopt;
  const PendingReason& pending = cluster.pending_reason_of(id);
  if (pending.reason != WaitReason::None) return row_to_write(cluster, id, pending, now);
  const JobWait* row = cluster.wait_of(id);
  return row == nullptr ? std::nullopt : row_of_untold(cluster, *e, *row, now);
}

}  // namespace

void record_never_starts(Reaction& r, JobId id) {
  if (is_told_in_vain(r.cluster().wait_of(id))) return;
  put_in_vain(r, id, dependencies_text(r.cluster(), r.cluster().job(id)->job));
}

void split_wait_in_vain(Reaction& r, JobId row, JobId part) {
  const JobWait* told = r.cluster().wait_of(row);
  if (!is_told_in_vain(told)) return;
  const std::string words = told->detail;
  for (const JobId id : {row, part}) {
    const Job& job = r.cluster().job(id)->job;
    const bool known = std::ranges::all_of(job.dependencies, [&](const Dependency& term) {
      return !term.never || r.cluster().job(term.on) != nullptr;
    });
    put_in_vain(r, id, known ? dependencies_text(r.cluster(), job) : words);
  }
}

bool keep_waits(Reaction& r) {
  std::vector<JobWait> rows;
  const auto add = [&](JobId id) {
    if (rows.size() == limits::wait_rows_per_turn_max) return;
    if (auto row = next_row(r.cluster(), id, r.now())) rows.push_back(std::move(*row));
  };
  for (const auto& [id, pending] : r.cluster().pending_reasons()) add(id);
  for (const auto& [id, row] : r.cluster().waits())
    if (!r.cluster().pending_reasons().contains(id)) add(id);
  const bool all = rows.size() < limits::wait_rows_per_turn_max;
  for (JobWait& row : rows) r.put(std::move(row));
  return all;
}

}  // namespace cox
