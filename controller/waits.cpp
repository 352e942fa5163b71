// Why jobs wait, kept in the database: the rows of cox.job_wait that say something new.
#include <cstdlib>

#include "common/limits.h"
#include "controller/react.h"

namespace cox {
namespace {

Wall expected_start(const Verdict& verdict, Now now) {
  if (!verdict.expected_start) return Wall{};
  return now.wall + (*verdict.expected_start - now.boot);
}

bool says_the_same(const JobWait& row, const JobWait& next) {
  constexpr std::int64_t same_moment_ms = 1'000;
  const bool known = row.expected_start != Wall{};
  return row.reason == next.reason && row.detail == next.detail && row.lines == next.lines &&
         known == (next.expected_start != Wall{}) &&
         std::abs((row.expected_start - next.expected_start).count()) < same_moment_ms;
}

// Empty: the row says so already. Of a job too far back to be told all of it, what was told when
// somebody asked stays, as long as it is true.
std::optional<JobWait> row_to_write(const Cluster& cluster, JobId id, const Verdict& verdict,
                                    Now now) {
  const JobWait* row = cluster.wait_of(id);
  JobWait next = row != nullptr ? *row : JobWait{};
  next.job = id;
  next.reason = name(verdict.reason);
  const bool less = verdict.lines.empty() &&
                    (verdict.detail.empty() || row == nullptr || row->detail == verdict.detail);
  if (row != nullptr && less && row->reason == next.reason) return std::nullopt;
  next.detail = verdict.detail;
  next.lines = verdict.lines;
  next.expected_start = expected_start(verdict, now);
  if (row != nullptr && says_the_same(*row, next)) return std::nullopt;
  next.last_judged = now.wall;
  if (row == nullptr) next.first_judged = now.wall;
  if (next.first_estimate == Wall{} && next.expected_start != Wall{}) {
    next.first_estimate = next.expected_start;
    next.first_estimate_made = now.wall;
  }
  return next;
}

}  // namespace

bool keep_waits(Reaction& r) {
  tell_why_jobs_wait(r, std::nullopt);
  std::vector<JobWait> rows;
  for (const auto& [id, verdict] : r.cluster().verdicts()) {
    const JobEntry* e = r.cluster().job(id);
    if (e == nullptr || e->job.state != JobState::Pending) continue;
    if (verdict.reason == WaitReason::None) continue;
    auto row = row_to_write(r.cluster(), id, verdict, r.now());
    if (!row) continue;
    if (rows.size() == limits::wait_rows_per_turn_max) break;
    rows.push_back(std::move(*row));
  }
  const bool all = rows.size() < limits::wait_rows_per_turn_max;
  for (JobWait& row : rows) r.put(std::move(row));
  return all;
}

}  // namespace cox
