// The records that sacct reads, from the store in memory. Does in C++ what read_accounting.sql and
// its helpers do on PostgreSQL.
#include <algorithm>

#include "common/job/job_ref.h"
#include "controller/change/job_records.h"
#include "tests/support/memory_store.h"

namespace cox {
namespace {

bool any_or_in(const std::vector<std::string>& wanted, const std::string& is) {
  return wanted.empty() || std::ranges::find(wanted, is) != wanted.end();
}

bool is_named(const Job& job, const ListAccounting& ask) {
  if (ask.ids.empty()) return true;
  const RecordIds selected = selected_ids(ask);
  for (const JobId id : selected.whole)
    if (id == job.id || (is_of_array(job) && id == job.array_job)) return true;
  for (std::size_t i = 0; i < selected.tasks.size(); ++i)
    if (is_of_array(job) && job.array_job == selected.arrays[i] &&
        tasks_of(job).contains(selected.tasks[i]))
      return true;
  return false;
}

bool is_in_time(const Job& job, const ListAccounting& ask) {
  const bool had_ended = job.ended != Wall{} && ask.since != Wall{} && job.ended < ask.since;
  const bool was_not_there = ask.until != Wall{} && job.submitted > ask.until;
  if (had_ended || was_not_there) return false;
  const std::vector<JobState> states = selected_states(ask);
  if (states.empty()) return true;
  const auto asked = [&](JobState state) {
    return std::ranges::find(states, state) != states.end();
  };
  const auto not_after = [&](Wall t) { return ask.until == Wall{} || t <= ask.until; };
  const Wall waited_until = job.started != Wall{} ? job.started : job.ended;
  const bool waited = waited_until == Wall{} || waited_until >= ask.since;
  if (asked(JobState::Pending) && waited) return true;
  if (asked(JobState::Running) && job.started != Wall{} && not_after(job.started)) return true;
  return asked(job.state) && (job.ended == Wall{} || not_after(job.ended));
}

bool ran_on(const MemoryTables& tables, const Job& job, const std::vector<std::string>& nodes) {
  if (nodes.empty()) return true;
  return std::ranges::any_of(tables.attempts, [&](const auto& entry) {
    return entry.first.job == job.id &&
           std::ranges::any_of(entry.second.nodes, [&](const AttemptNode& node) {
             return any_or_in(nodes, node.grant.node);
           });
  });
}

std::string partition_of(const MemoryTables& tables, const Job& job) {
  const auto run = tables.attempts.find({job.id, job.attempt});
  const bool known = run != tables.attempts.end() && !run->second.partition.empty();
  return known ? run->second.partition : job.spec->partition;
}

std::string ended_by(const MemoryTables& tables, const Job& job) {
  std::string actor;
  if (job.state != JobState::Cancelled) return actor;
  for (const JobEvent& event : tables.events)
    if (event.job == job.id && event.attempt == job.attempt && event.actor.starts_with("user ") &&
        (event.what == "state" || event.what == "stop") && event.state != JobState::Pending)
      actor = event.actor;
  return actor;
}

}  // namespace

void MemoryStore::read_accounting(std::int64_t ticket, const ListAccounting& ask) {
  RecordRows rows;
  for (auto at = tables().jobs.upper_bound(ask.after); at != tables().jobs.end(); ++at) {
    const Job& job = at->second;
    const JobSpec& spec = *job.spec;
    const bool selected =
        is_named(job, ask) && is_in_time(job, ask) && any_or_in(ask.users, spec.user_name) &&
        any_or_in(ask.accounts, spec.account) && any_or_in(ask.qos, spec.qos) &&
        any_or_in(ask.names, spec.name) &&
        (ask.partitions.empty() || any_or_in(ask.partitions, partition_of(tables(), job))) &&
        ran_on(tables(), job, ask.nodes);
    if (!selected) continue;
    JobRecord& head = rows.jobs.emplace_back();
    head.job = job;
    head.ended_by = ended_by(tables(), job);
    const auto wait = tables().waits.find(job.id);
    if (job.state == JobState::Pending && wait != tables().waits.end())
      head.reason = wait->second.reason;
    if (rows.jobs.size() > record_jobs_per_page_max) break;
  }
  for (const JobRecord& head : rows.jobs) {
    const auto is_listed = [&](const AttemptKey& key) {
      return key.job == head.job.id && (ask.all_runs || key.attempt == head.job.attempt);
    };
    for (const auto& [key, attempt] : tables().attempts)
      if (is_listed(key)) rows.runs.push_back({key.job, run_record(attempt)});
    for (const auto& [key, step] : tables().steps)
      if (ask.steps && is_listed(key.attempt) && key > ask.after_step) rows.steps.push_back(step);
  }
  if (rows.steps.size() > record_steps_per_page_max)
    rows.steps.resize(record_steps_per_page_max + 1);
  reads_.push_back(AccountingRead{ticket, page_of(std::move(rows), ask)});
}

}  // namespace cox
