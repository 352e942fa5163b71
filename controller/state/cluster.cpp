// Loads the state, and changes soft state. cluster_apply.cpp applies the changes of stored state.
#include "controller/state/cluster.h"

#include <algorithm>
#include <iterator>

#include "common/base/check.h"
#include "controller/job/requeue.h"
#include "controller/limits/hours.h"

namespace cox {
namespace {

void put_in_order(JobEntry& e) {
  if (!e.attempts.empty())
    std::ranges::sort(e.attempts.change(), {}, [](const Attempt& a) { return a.key; });
  if (!e.checkpoints.empty())
    std::ranges::sort(e.checkpoints.change(), {},
                      [](const Checkpoint& c) { return std::pair(c.step, c.key.attempt); });
}

}  // namespace

Cluster::Cluster(ControllerConfig config)
    : partitions_(std::move(config)),
      eligibility_(jobs_, partitions_, waits_),
      deadlines_(partitions_.config()),
      accounting_(jobs_, partitions_),
      requests_(partitions_, nodes_, accounting_, reservations_) {
  dirty_.everything = true;
}

void Cluster::load(Snapshot snapshot, Now now) {
  term_ = snapshot.term;
  loaded_ = now.boot;
  identity_seed_ = std::move(snapshot.identity_seed);
  failovers_ = std::move(snapshot.failovers);
  has_attempts_ = snapshot.has_attempts;
  dirty_ = {};
  dirty_.everything = true;
  soft_.forget_after_load();
  waits_.load(std::move(snapshot.waits), snapshot.estimates);
  jobs_.clear();
  jobs_.set_next_id(snapshot.next_job);
  eligibility_.clear();
  deadlines_.clear();
  checkpoints_.clear();
  accounting_.load(snapshot);
  set_open_hours(hours_open_at(config().hours, now.wall));
  requests_.settle_gpu_types();
  partitions_.load(std::move(snapshot.partitions));
  reservations_.load(std::move(snapshot.reservations));
  crontabs_ = Crontabs(std::move(snapshot.crontabs), std::move(snapshot.cron_lines));
  triggers_.load(std::move(snapshot.triggers));
  requests_.forget_all();
  load_nodes(std::move(snapshot.nodes), now);
  load_jobs(snapshot, now);
  checkpoints_.load_kept(std::move(snapshot.kept_checkpoints), jobs_);
}

void Cluster::load_nodes(std::vector<Node> nodes, Now now) {
  nodes_.clear();
  for (Node& node : nodes) {
    // When the former leader last renewed the node's lease is unknown, so a silent node has a whole
    // lease from now.
    NodeContact& contact = soft_.edit(node.name);
    if (contact.last_contact == Boot{}) contact.last_contact = now.boot;
    put_node(std::move(node));
  }
}

void Cluster::load_jobs(Snapshot& snapshot, Now now) {
  for (Job& job : snapshot.jobs) {
    job.spec = specs_.shared(std::move(job.spec));
    touch(jobs_.load(std::move(job)));
  }
  for (Attempt& a : snapshot.attempts)
    jobs_.entry(a.key.job).attempts.change().push_back(std::move(a));
  load_steps(std::move(snapshot.steps));
  for (Checkpoint& c : snapshot.checkpoints)
    if (!c.pruned) jobs_.entry(c.key.job).checkpoints.change().push_back(std::move(c));
  for (const auto& [id, known] : jobs_.all()) {
    JobEntry& e = jobs_.entry(id);
    put_in_order(e);
    e.recorded = e.newest_moment();
    jobs_.set_retry_after(e, retry_after_of(e, config(), now));
    eligibility_.index_moments(e, now);
    index(e);
    deadlines_.begin(e, now);
  }
}

// Updates the indexes after the job's rows have changed.
void Cluster::index(JobEntry& e) {
  jobs_.index(e);
  count(e, is_final(e.job.state) ? 0 : task_count(e.job));
  eligibility_.index(e);
  checkpoints_.index(e.job);
}

void Cluster::count(JobEntry& e, std::int64_t jobs) {
  if (jobs == e.counted) return;
  accounting_.count_submitted(*e.job.spec, jobs - e.counted);
  jobs_.count(e, jobs);
}

// Counts a change of the job. A change of a task also counts for its array, since clients may wait
// for the array.
void Cluster::touch(JobEntry& e) {
  e.change_count = ++changes_applied_;
  e.recorded = std::max(e.recorded, e.newest_moment());
  if (is_of_array(e.job) && job(e.job.array_job) != nullptr)
    jobs_.entry(e.job.array_job).change_count = changes_applied_;
}

void Cluster::mark_live() {
  for (const JobId id : jobs_.live()) dirty_.mark(id);
}

// Marks all unfinished jobs in Dirty, since their requests to the scheduler may have changed.
void Cluster::requests_changed() {
  for (const JobId id : jobs_.unfinished()) dirty_.mark(id);
  requests_.forget_all();
  dirty_.totals = true;
}

void Cluster::settle_gpu_types() {
  if (requests_.settle_gpu_types()) requests_changed();
}

void Cluster::put_node(Node node) {
  using enum NodeTable::GpuTypes;
  const auto types = nodes_.put(std::move(node));
  if (types == Differ || (types == OnlyOne && requests_.counts_gpu_types())) requests_changed();
}

void Cluster::set_open_hours(std::set<std::string> open) {
  accounting_.set_open_hours(open);
  partitions_.set_open_hours(std::move(open));
  dirty_.quotas = true;
}

// Runs `edit`, which changes these partitions, and updates the pending jobs that name them.
void Cluster::change_partitions(const std::set<std::string>& names,
                                const std::function<void()>& edit) {
  std::vector<JobId> waiting;
  for (const JobId id : jobs_.unfinished()) {
    const Job& job = jobs_.find(id)->job;
    const bool is_named = std::ranges::any_of(
        names, [&](const std::string& one) { return names_partition(*job.spec, one); });
    if (job.state == JobState::Pending && is_named) waiting.push_back(id);
  }
  edit();
  requests_.forget_all();
  for (const JobId id : waiting) {
    JobEntry& e = jobs_.entry(id);
    eligibility_.index_partitions(e);
    dirty_.mark(id);
    touch(e);
  }
  mark_live();
  ++changes_applied_;
}

const Failover* Cluster::failover() const {
  const auto last = std::ranges::find(failovers_, Wall{}, &Failover::settled);
  return last == failovers_.end() ? nullptr : &*last;
}

// Marks the jobs on the node too, since the engine must know whether a Stop can reach them.
void Cluster::availability_changed(const std::string& node) {
  dirty_.nodes = true;
  soft_.reasons_made_at = -1;
  for (const JobId id : jobs_.on_node(node)) dirty_.mark(id);
}

void Cluster::take_run_time(JobId id, Milliseconds ran, Boot now) {
  if (deadlines_.take_run_time(jobs_.entry(id), ran, now)) dirty_.mark(id);
}

void Cluster::set_retry_after(JobId id, Boot at) {
  JobEntry& e = jobs_.entry(id);
  // Returns without marking the job, which would lose its claim (the room that preemption frees).
  if (jobs_.retry_after(e) == at) return;
  dirty_.mark(id, e.is_eligible() ? Dirty::Way::LosesClaim : Dirty::Way::KeepsClaim);
  jobs_.set_retry_after(e, at);
}

void Cluster::let_begin(JobId id) {
  JobEntry& e = jobs_.entry(id);
  eligibility_.let_begin(e);
  dirty_.mark(id);
  touch(e);
}

bool Cluster::settle_hours(Now now) {
  std::set<std::string> open = hours_open_at(config().hours, now.wall);
  std::set<std::string> turned;
  std::ranges::set_symmetric_difference(open, partitions_.open_hours(),
                                        std::inserter(turned, turned.end()));
  if (turned.empty()) return false;
  std::set<std::string> partitions;
  for (const PartitionConfig& one : config().partitions)
    if (turned.contains(one.hours)) partitions.insert(one.name);
  change_partitions(partitions, [&] { set_open_hours(std::move(open)); });
  limits_changed(accounting_.jobs_of(accounts_limited_by(accounting_.accounts(), turned)));
  return true;
}

void Cluster::limits_changed(const std::vector<JobId>& jobs) {
  accounting_.forget_limits();
  requests_.forget_all();
  accounting_.count_all_submitted();
  for (const JobId id : jobs) dirty_.mark(id);
  mark_live();
  settle_gpu_types();
  ++changes_applied_;
}

// Marks in Dirty the eligible jobs that a changed QOS binds. If tiers or kept_tres change, marks
// all eligible jobs.
void Cluster::set_qos(std::vector<Qos> all) {
  std::set<std::string> changed;
  bool reordered = false;
  for (const Qos& qos : all) {
    const auto known = accounting_.qos().find(qos.name);
    const bool is_new = known == accounting_.qos().end();
    if (!is_new && known->second == qos) continue;
    reordered = reordered || is_new || known->second.tier != qos.tier ||
                known->second.limits.kept_tres != qos.limits.kept_tres;
    changed.insert(qos.name);
  }
  const auto is_bound = [&](const JobEntry& e) {
    return std::ranges::any_of(accounting_.qos_binding(e),
                               [&](const Qos* qos) { return changed.contains(qos->name); });
  };
  for (const JobId id : jobs_.unfinished()) {
    const JobEntry& e = *jobs_.find(id);
    if (e.is_eligible() && (reordered || is_bound(e))) dirty_.mark(id);
  }
  accounting_.put(std::move(all));
  settle_gpu_types();
  mark_live();
  ++changes_applied_;
}

}  // namespace cox
