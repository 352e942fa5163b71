#include "tests/support/memory_store.h"

#include <algorithm>
#include <utility>

#include "common/base/check.h"
#include "common/base/limits.h"

namespace cox {
namespace {

// Returns the sort key of the event in an array's history, which is sorted by row (job id) and then
// by sequence number.
std::pair<JobId, std::int64_t> place_of(const JobEvent& event) {
  return {event.job, event.sequence};
}

// Returns the next free job id: the highest used id plus 1 plus `gap`, or 1 if there are no jobs.
JobId above_all(const MemoryTables& tables, std::int64_t gap) {
  return tables.jobs.empty() ? JobId{1} : JobId{tables.jobs.rbegin()->first.value + 1 + gap};
}

}  // namespace

MemoryDatabase::MemoryDatabase() {
  tables.qos = {{"critical", 3, PreemptMode::Off, 60'000, {}, {}},
                {"standard", 2, PreemptMode::Checkpoint, 60'000, {}, {}},
                {"besteffort", 1, PreemptMode::Requeue, 0, {}, {}}};
  Association& root = tables.associations[AssociationId{1}];
  root.id = AssociationId{1};
  root.account = root_account;
}

MemoryStore::MemoryStore(std::shared_ptr<MemoryDatabase> database)
    : database_(std::move(database)) {}

void MemoryStore::load(bool take_term, Wall ended_since) {
  CHECK(take_term || term_);
  if (take_term) {  // a restarted controller: forgets the reads and events of the one before
    turn_.reset();
    reads_.clear();
    events_.clear();
    away_reported_ = false;
    term_.reset();
  }
  CHECK(!turn_);
  load_ = ended_since;
}

void MemoryStore::commit(Turn turn) {
  CHECK(!turn_ && !load_ && term_);
  turn_ = std::move(turn);
  applied_ = false;
  polls_left_ = commit_delay_polls;
}

void MemoryStore::read_history(std::int64_t ticket, JobId job, std::int64_t after_sequence) {
  HistoryRead page{ticket, {}, false, {}};
  for (const JobEvent& event : tables().events) {
    if (event.job != job || event.sequence <= after_sequence) continue;
    page.more = page.events.size() == limits::page_rows_max;
    if (page.more) break;
    page.events.push_back(event);
  }
  reads_.push_back(std::move(page));
}

void MemoryStore::read_array_history(std::int64_t ticket, JobId array,
                                     std::int64_t after_sequence) {
  HistoryRead page{ticket, {}, false, {}};
  const auto behind = std::ranges::find(tables().events, after_sequence, &JobEvent::sequence);
  std::vector<const JobEvent*> events;
  for (const JobEvent& event : tables().events) {
    const auto job = tables().jobs.find(event.job);
    if (job == tables().jobs.end()) continue;
    if (event.job != array && job->second.array_job != array) continue;
    if (behind == tables().events.end() || place_of(event) > place_of(*behind))
      events.push_back(&event);
  }
  std::ranges::sort(events, {}, [](const JobEvent* event) { return place_of(*event); });
  page.more = events.size() > limits::page_rows_max;
  if (page.more) events.resize(limits::page_rows_max);
  for (const JobEvent* event : events) {
    const Job& job = tables().jobs.at(event->job);
    const ArrayRow row = job.array_job == array ? array_row(job) : ArrayRow{job.id, {}, -1, {}};
    page.events.push_back(*event);
    page.job_names.push_back(command_id(array, row, event->attempt));
  }
  reads_.push_back(std::move(page));
}

void MemoryStore::read_job(std::int64_t ticket, JobId job, bool and_rows) {
  reads_.push_back(job_read(ticket, job, and_rows));
}

void MemoryStore::read_task(std::int64_t ticket, JobId array, std::int64_t task) {
  const auto is_it = [&](const auto& row) {
    return is_of_array(row.second) && row.second.array_job == array &&
           tasks_of(row.second).contains(task);
  };
  const auto found = std::ranges::find_if(tables().jobs, is_it);
  const bool known = found != tables().jobs.end();
  reads_.push_back(known ? job_read(ticket, found->first, false) : JobRead{ticket, {}, {}, {}, {}});
}

void MemoryStore::read_request(std::int64_t ticket, const std::string& request_id) {
  const auto known = tables().jobs_by_request.find(request_id);
  const bool found = known != tables().jobs_by_request.end();
  reads_.push_back(found ? job_read(ticket, known->second, false)
                         : JobRead{ticket, {}, {}, {}, {}});
}

void MemoryStore::read_qos(std::int64_t ticket) {
  reads_.push_back(QosRead{ticket, tables().qos});
}

void MemoryStore::read_requests(std::int64_t ticket) {
  reads_.push_back(RequestsRead{ticket, tables().asked});
}

JobRead MemoryStore::job_read(std::int64_t ticket, JobId job, bool and_rows) const {
  JobRead read{ticket, {}, {}, {}, {}};
  if (const auto known = tables().jobs.find(job); known != tables().jobs.end())
    read.jobs.push_back(known->second);
  for (const auto& [key, attempt] : tables().attempts)
    if (key.job == job) read.attempts.push_back(attempt);
  for (const auto& [key, checkpoint] : tables().checkpoints)
    if (checkpoint.key.job == job && !checkpoint.pruned) read.checkpoints.push_back(checkpoint);
  for (const auto& [id, row] : tables().jobs)
    if (and_rows && is_of_array(row) && row.array_job == job) read.rows.push_back(array_row(row));
  return read;
}

std::vector<StoreEvent> MemoryStore::poll() {
  // The fault of next_commit happens when the commit is due. From then on the database is away.
  const bool due = turn_ && polls_left_ == 0 && away_polls == 0;
  if (due && !applied_ && next_commit != Fate::Sure && !is_superseded()) {
    if (std::exchange(next_commit, Fate::Sure) == Fate::Ambiguous)
      applied_ = !apply_turn(database_->tables, *turn_);
    away_polls = outage_polls;
  }
  if (away_polls > 0) {
    --away_polls;
    if (!std::exchange(away_reported_, true))
      events_.push_back(StoreAway{"the database does not answer"});
    return std::exchange(events_, {});
  }
  if (std::exchange(away_reported_, false)) events_.push_back(StoreBack{});
  std::ranges::move(std::exchange(reads_, {}), std::back_inserter(events_));
  if (load_) answer_load();
  if (turn_ && polls_left_-- <= 0) settle_turn();
  return std::exchange(events_, {});
}

bool MemoryStore::is_superseded() {
  return turn_->term != tables().term || *term_ != tables().term ||
         turn_->number.value != tables().turn.value + (applied_ ? 0 : 1);
}

void MemoryStore::settle_turn() {
  const bool superseded = is_superseded();
  const Turn turn = std::move(*turn_);
  turn_.reset();
  if (superseded) {
    events_.push_back(Superseded{"another controller has taken over"});
    return;
  }
  const auto adds_attempt = [](const Change& c) { return std::holds_alternative<AttemptAdded>(c); };
  if (refuses_attempts && std::ranges::any_of(turn.changes, adds_attempt)) {
    events_.push_back(TurnRejected{turn.number, "42804", "wrong record type"});
    return;
  }
  const auto adds_refused_job = [this](const Change& c) {
    const auto* added = std::get_if<JobAdded>(&c);
    return added != nullptr && added->job.spec->name == refused_job;
  };
  if (!refused_job.empty() && std::ranges::any_of(turn.changes, adds_refused_job)) {
    events_.push_back(TurnRejected{turn.number, "23514", "violates \"nojob\""});
    return;
  }
  if (!applied_) {
    if (auto rejected = apply_turn(database_->tables, turn)) {
      events_.push_back(std::move(*rejected));
      return;
    }
  }
  Committed committed{turn.number, {}};
  for (const auto& hash : turn.blobs_wanted)
    if (const auto blob = tables().blobs.find(hash); blob != tables().blobs.end())
      committed.blobs.push_back({blob->first, blob->second});
  events_.push_back(std::move(committed));
}

void MemoryStore::answer_load() {
  const Wall ended_since = *std::exchange(load_, std::nullopt);
  auto& tables = database_->tables;
  if (!term_) take_term();
  if (*term_ != tables.term) {
    events_.push_back(Superseded{"another controller has taken over"});
    return;
  }
  events_.push_back(Loaded{snapshot(ended_since)});
}

void MemoryStore::take_term() {
  MemoryTables& tables = database_->tables;
  JobId first = above_all(tables, 0);
  for (const Failover& failover : tables.failovers)
    for (const JobId lost : failover.jobs_lost) first = std::max(first, JobId{lost.value + 1});
  Wall last_began{};
  for (const auto& [key, attempt] : tables.attempts)
    last_began = std::max(last_began, attempt.began);
  Takeover to = take_over({tables.term, tables.turn, 0, tables.job_id_floor, tables.taken,
                           tables.timeline_noted, tables.timeline, Wall{}, first, last_began},
                          known, known.at);
  tables.term = to.term;
  tables.job_id_floor = to.id_floor;
  tables.timeline_noted = tables.timeline;
  term_ = tables.term;
  if (!to.failover) return;
  for (const JobId id : known.jobs)
    if (!tables.jobs.contains(id)) to.failover->jobs_lost.push_back(id);
  tables.failovers.push_back(std::move(*to.failover));
}

namespace {

std::vector<StartEstimate> newest_estimates(const MemoryTables& tables) {
  std::vector<StartEstimate> estimates;
  for (const auto& [key, estimate] : tables.estimates) estimates.push_back(estimate);
  std::ranges::stable_sort(estimates, {}, &StartEstimate::actual);
  const std::size_t too_many = estimates.size() - std::min(estimates.size(), estimates_kept_max);
  estimates.erase(estimates.begin(), estimates.begin() + static_cast<std::ptrdiff_t>(too_many));
  return estimates;
}

}  // namespace

namespace {

// Returns all associations, each after its parent.
std::vector<Association> associations_of(const MemoryTables& tables) {
  std::vector<Association> ordered;
  std::vector<std::string> parents{""};
  for (std::size_t i = 0; i < parents.size(); ++i)
    for (const auto& [id, one] : tables.associations)
      if (one.is_account() && one.parent == parents[i]) {
        ordered.push_back(one);
        parents.push_back(one.account);
      }
  for (const auto& [id, one] : tables.associations)
    if (!one.is_account()) ordered.push_back(one);
  return ordered;
}

}  // namespace

Snapshot MemoryStore::snapshot(Wall ended_since) const {
  const auto& tables = database_->tables;
  Snapshot snapshot;
  snapshot.term = tables.term;
  snapshot.turn = tables.turn;
  snapshot.next_job = std::max(tables.job_id_floor, above_all(tables, 0));
  snapshot.identity_seed = std::to_string(tables.term.value);
  snapshot.has_attempts = !tables.attempts.empty();
  snapshot.qos = tables.qos;
  for (const auto& [name, used] : tables.qos_usage) snapshot.qos_usage.push_back(used);
  snapshot.associations = associations_of(tables);
  for (const auto& [id, wait] : tables.waits) snapshot.waits.push_back(wait);
  snapshot.estimates = newest_estimates(tables);
  for (const auto& [name, one] : tables.reservations) snapshot.reservations.push_back(one);
  for (const auto& [uid, crontab] : tables.crontabs) snapshot.crontabs.push_back(crontab);
  for (const auto& [key, line] : tables.cron_lines) snapshot.cron_lines.push_back(line);
  for (const auto& [id, one] : tables.triggers) snapshot.triggers.push_back(one);
  std::ranges::copy_if(tables.failovers, std::back_inserter(snapshot.failovers),
                       [](const Failover& one) { return one.turns_lost != 0; });
  std::set<JobId> wanted;
  for (const auto& [name, node] : tables.nodes) snapshot.nodes.push_back(node);
  for (const auto& [name, partition] : tables.partitions) snapshot.partitions.push_back(partition);
  // Ended jobs that are loaded too: those that other jobs depend on, and the rows of arrays of
  // which a task has not ended or has recently ended.
  std::set<JobId> awaited;
  for (const auto& [id, job] : tables.jobs) {
    const bool lately = job.ended == Wall{} || job.ended >= ended_since;
    if (lately && job.array_job != JobId{}) awaited.insert(job.array_job);
    if (job.ended != Wall{}) continue;
    const auto wait = tables.waits.find(id);
    const bool in_vain = wait != tables.waits.end() && is_never_satisfied(&wait->second);
    for (const Dependency& term : job.dependencies)
      if (!term.never || !in_vain) awaited.insert(term.on);
  }
  for (const auto& [id, job] : tables.jobs)
    if (job.ended == Wall{} || job.ended >= ended_since) {
      wanted.insert(id);
      snapshot.jobs.push_back(job);
    } else if (awaited.contains(id) || awaited.contains(job.array_job)) {
      snapshot.jobs.push_back(job);
    }
  for (const auto& [key, attempt] : tables.attempts)
    if (wanted.contains(key.job)) snapshot.attempts.push_back(attempt);
  for (const auto& [key, step] : tables.steps) {
    const Job& job = tables.jobs.at(key.attempt.job);
    if (job.ended == Wall{} && job.attempt == key.attempt.attempt) snapshot.steps.push_back(step);
  }
  for (const auto& [key, checkpoint] : tables.checkpoints) {
    const Job& job = tables.jobs.at(checkpoint.key.job);
    if (checkpoint.removed != Wall{} || (!checkpoint.pruned && job.ended == Wall{})) continue;
    const auto ranks = job.spec->checkpoint_by == CheckpointBy::Rank0
                           ? 1
                           : tables.attempts.at(checkpoint.key).ranks.size();
    snapshot.kept_checkpoints.push_back(
        {checkpoint, job.identity, job.spec->name, job.spec->user_name, job.spec->uid, job.state,
         job.ended, static_cast<std::int32_t>(ranks), job.array_job, job.array_task});
  }
  for (const auto& [key, checkpoint] : tables.checkpoints)
    if (wanted.contains(checkpoint.key.job) && !checkpoint.pruned)
      snapshot.checkpoints.push_back(checkpoint);
  return snapshot;
}

}  // namespace cox
