#include "common/messages/job_summary_views.h"

#include <tuple>
#include <utility>

namespace cox {
namespace {

// Returns references to the fields that a JobSummary and a JobSpec have in common.
template <class Row>
auto spec_part(Row& row) {
  const auto nodes = [](Row & of) -> auto& {
    if constexpr (requires { of.nodes_asked; })
      return of.nodes_asked;
    else
      return of.nodes;
  };
  return std::tie(row.name, row.user_name, row.uid, row.account, row.qos, row.reservation,
                  row.licences, row.form, nodes(row), row.tasks, row.cpus_per_task,
                  row.time_limit_s, row.components);
}

JobSpec spec_of(const JobSummary& row) {
  JobSpec spec;
  spec_part(spec) = spec_part(row);
  return spec;
}

void take_job(JobSummary& row, Job& job) {
  job.id = row.id;
  job.state = row.state;
  job.held = row.held;
  job.submitted = row.submitted;
  job.started = row.started;
  job.ended = row.ended;
  job.array_job = row.array_job;
  job.array_task = row.array_task;
  job.array_tasks = std::move(row.array_tasks);
  job.array_limit = row.array_limit;
}

}  // namespace

JobSummary summary_of(const JobView& view) {
  const Job& job = view.job;
  const JobSpec& spec = *job.spec;
  JobSummary row;
  row.id = job.id;
  row.state = job.state;
  row.held = job.held;
  row.submitted = job.submitted;
  row.started = job.started;
  row.ended = job.ended;
  row.array_job = job.array_job;
  row.array_task = job.array_task;
  row.array_tasks = job.array_tasks;
  row.array_limit = job.array_limit;
  row.reason = view.reason;
  row.nodes = view.nodes;
  row.ran_ms = view.ran_ms;
  row.left_ms = view.left_ms;
  row.expected_start = view.expected_start;
  row.partition = view.partition;
  row.priority = view.priority;
  row.cpus = view.cpus;
  spec_part(row) = spec_part(spec);
  for (JobSize& one : row.components) {  // lists show neither, and both may be long
    one.nodelist.clear();
    one.exclude.clear();
  }
  return row;
}

std::vector<JobView> views_of(std::vector<JobSummary> rows) {
  std::vector<JobView> views;
  views.reserve(rows.size());
  Shared<ParsedSpec> spec;
  for (JobSummary& row : rows) {
    JobView& view = views.emplace_back();
    if (spec_part(row) != spec_part(*spec)) spec = Shared<ParsedSpec>(spec_of(row));
    view.job.spec = spec;
    take_job(row, view.job);
    view.reason = row.reason;
    view.nodes = std::move(row.nodes);
    view.ran_ms = row.ran_ms;
    view.left_ms = row.left_ms;
    view.expected_start = row.expected_start;
    view.partition = std::move(row.partition);
    view.priority = row.priority;
    view.cpus = row.cpus;
  }
  return views;
}

}  // namespace cox
