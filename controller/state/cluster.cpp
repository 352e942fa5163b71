#include "controller/state/cluster.h"

#include <algorithm>

#include "common/base/check.h"
#include "controller/limits/hours.h"
#include "controller/state/engine_input.h"
#include "controller/state/requeue.h"
#include "controller/state/reservations.h"

namespace cox {

namespace {

void put_in_order(JobEntry& e) {
  std::ranges::sort(e.attempts, {}, [](const Attempt& a) { return a.key; });
  std::ranges::sort(e.checkpoints, {},
                    [](const Checkpoint& c) { return std::pair(c.step, c.key.attempt); });
}

std::unique_ptr<schedule::Scheduler> new_scheduler(const SchedulingSettings& settings) {
  return std::make_unique<schedule::Scheduler>(std::vector<schedule::SchedulerNode>{}, settings);
}

// In their order.
bool are_among(const Placement& some, const Placement& all) {
  auto at = all.begin();
  for (const NodeGrant& grant : some) {
    at = std::find(at, all.end(), grant);
    if (at == all.end()) return false;
    ++at;
  }
  return true;
}

}  // namespace

Cluster::Cluster(ControllerConfig config)
    : config_(std::move(config)), scheduler_(new_scheduler(config_.scheduling)) {}

// Accounts and tiers, and the hours by which they limit.
void Cluster::load_limits(Snapshot& snapshot, Now now) {
  qos_.clear();
  qos_usage_.clear();
  accounts_ = {};
  fair_shares_.clear();
  fair_shares_stale_ = true;
  charges_stale_ = true;
  for (auto& a : snapshot.associations) accounts_.put(std::move(a));
  for (auto& q : snapshot.qos) qos_[q.name] = q;
  for (auto& used : snapshot.qos_usage) qos_usage_[used.qos] = std::move(used);
  limits_in_use_ = {};
  set_open_hours(hours_open_at(config_.hours, now.wall));
  tiers_changed();
  by_gpu_type_ = limits_in_use_.counts_gpu_types(accounts_, qos_);
}

void Cluster::load_waits(Snapshot& snapshot) {
  waits_.clear();
  for (JobWait& wait : snapshot.waits) waits_[wait.job] = std::move(wait);
  estimates_.assign(snapshot.estimates.begin(), snapshot.estimates.end());
}

void Cluster::load(Snapshot snapshot, Now now) {
  term_ = snapshot.term;
  loaded_ = now.boot;
  next_job_ = std::max(above_told_, snapshot.next_job);
  identity_seed_ = std::move(snapshot.identity_seed);
  failovers_ = std::move(snapshot.failovers);
  jobs_.clear();
  unfinished_.clear();
  live_.clear();
  retrying_.clear();
  forget_moments();
  dependants_ = {};
  hopeless_unrecorded_.clear();
  begun_from_.clear();
  arrays_ = {};
  unfinished_count_ = 0;
  deadlines_.clear();
  pending_reasons_.clear();
  load_waits(snapshot);
  ended_.clear();
  scheduler_ = new_scheduler(config_.scheduling);
  running_stale_.clear();
  live_on_.clear();
  requests_.clear();
  nodes_.clear();
  size_ = {};
  gpu_types_.clear();
  mixed_gpu_nodes_ = 0;
  possible_.clear();
  there_is_.clear();
  nodes_stale_ = true;
  told_at_ = -1;
  load_limits(snapshot, now);
  load_partitions(std::move(snapshot.partitions));
  kept_out_.clear();
  crontabs_ = Crontabs(std::move(snapshot.crontabs), std::move(snapshot.cron_lines));
  reservations_.clear();
  for (auto& one : snapshot.reservations) reservations_[one.name] = one;
  reservations_told_at_.reset();
  triggers_.load(std::move(snapshot.triggers));
  requests_of_specs_.forget_all();
  for (auto& n : snapshot.nodes) {
    // A silent node has a whole lease from now: nobody knows the last renewal of the term before.
    auto& live = contacts_[n.name];
    if (live.heard == Boot{}) live.heard = now.boot;
    put_node(std::move(n));
  }
  for (auto& j : snapshot.jobs) {
    auto& e = jobs_.emplace_hint(jobs_.end(), j.id, JobEntry{})->second;
    e.job = std::move(j);
    e.job.spec = specs_.shared(std::move(e.job.spec));
    if (is_of_array(e.job)) arrays_.put(e.job);  // all of them, before any is judged
    touch(e);
    scheduler_->engine().learn(*request_of_spec(e.job.spec));
  }
  for (auto& a : snapshot.attempts) entry(a.key.job).attempts.push_back(std::move(a));
  load_steps(std::move(snapshot.steps));
  for (auto& c : snapshot.checkpoints)
    if (!c.pruned) entry(c.key.job).checkpoints.push_back(std::move(c));
  for (auto& [id, e] : jobs_) {
    put_in_order(e);
    e.recorded = e.newest_moment();
    e.retry_after = retry_after_of(e, config_, now);
    if (e.retry_after != Boot{}) retrying_.insert(id);
    index(e, now);
    if (is_live(e.job.state)) deadlines_[id] = fresh_deadlines(e, now);
  }
  load_kept_checkpoints(std::move(snapshot.kept_checkpoints));
}

Deadlines Cluster::fresh_deadlines(const JobEntry& e, Now now) const {
  Deadlines d;
  const Attempt* attempt = e.live_attempt();
  if (attempt == nullptr) return d;
  d.prepare = now.boot + config_.prepare_timeout;
  if (attempt->went != Wall{} && e.time_limit_s() > 0) {
    // By the wall clock until a worker tells how long it ran on its boot clock.
    d.limit = now.boot - run_time(*attempt, now.wall) + std::chrono::seconds{e.time_limit_s()};
  }
  if (e.job.state == JobState::Signaling) d.grace = now.boot + Milliseconds{attempt->stop.grace_ms};
  if (e.job.state == JobState::Completing) d.settle = now.boot + config_.fault_settle;
  return d;
}

void Cluster::index(JobEntry& e, Now now) {
  index_moments(e, now);
  if (is_of_array(e.job)) arrays_.put(e.job);
  if (const auto counted = is_final(e.job.state) ? 0 : task_count(e.job); counted != e.counted) {
    limits_in_use_.count_submitted(qos_binding(*e.job.spec), *e.job.spec, accounts_,
                                   counted - e.counted);
    unfinished_count_ += counted - e.counted;
    e.counted = counted;
  }
  if (is_final(e.job.state)) {
    unfinished_.erase(e.job.id);
    retrying_.erase(e.job.id);
    e.retry_after = Boot{};  // a requeue after its end begins anew
    scheduler_->engine().drop_claim(e.job.id);
    index_end(e);
    if (const auto life = lifetime_of(e))
      scheduler_->engine().learn_ended(e.job.id, life->units, life->service);
  } else {
    unfinished_.insert(e.job.id);
    index_reopened(e);
  }
  if (is_live(e.job.state)) {
    live_.insert(e.job.id);
  } else {
    live_.erase(e.job.id);
  }
  index_dependencies(e.job);
  index_begun_from(e.job);
  index_partitions(e);
  enter_line(e);
  const bool waits_outside = e.job.held || e.kept_out;
  if (e.job.state == JobState::Pending && waits_outside) scheduler_->engine().drop_claim(e.job.id);
  if (!e.attempts.empty()) running_stale_.insert(e.job.id);
  if (!e.job.request_id.empty()) requests_[e.job.request_id] = e.job.id;
  if (e.attempts.empty()) return;
  const bool live = e.live_attempt() != nullptr;
  for (const auto& n : e.attempts.back().nodes) {
    if (live) {
      live_on_[n.grant.node].insert(e.job.id);
    } else {
      live_on_[n.grant.node].erase(e.job.id);
    }
  }
}

void Cluster::enter_line(JobEntry& e) {
  if (e.in_line || !e.is_eligible()) return;
  const Association* association = accounts_.of(*e.job.spec);
  e.association = association == nullptr ? AssociationId{} : association->id;
  prioritise(*this, e);
  e.fills = fills_holes(*this, e);
  e.limits = limits_of(e);
  scheduler_->engine().add(pending_job(*this, e));
  e.in_line = true;
}

// Before anything of it changes: it is taken out as it was put in.
void Cluster::leave_line(JobEntry& e, Leaves leaves) {
  if (!e.in_line) return;
  scheduler_->engine().remove(pending_job(*this, e), leaves == Leaves::ToComeBack);
  e.in_line = false;
}

void Cluster::claim(JobId id, Placement placement) {
  const JobEntry& e = entry(id);
  if (e.in_line) {
    scheduler_->engine().claim(pending_job(*this, e), std::move(placement));
  } else {
    scheduler_->engine().claim_home(id, std::move(placement));
  }
}

schedule::Engine& Cluster::engine(Now now) const {
  const bool nodes_changed = nodes_stale_ || now.boot >= silence_turns_long_;
  if (nodes_changed) {
    scheduler_->engine().set_nodes(scheduler_nodes(*this, now.boot));
    silence_turns_long_ = next_long_silence(*this, now.boot);
    nodes_stale_ = false;
    reservations_stale_ = true;  // a short silence closes a node as one does
  }
  tell_reservations(now);
  for (const JobId id : running_stale_) tell_engine(id, now);
  running_stale_.clear();
  tell_charges(now);
  tell_quotas(nodes_changed);
  return scheduler_->engine();
}

void Cluster::tell_engine(JobId id, Now now) const {
  const bool known = scheduler_->engine().running().contains(id);
  const JobEntry* e = job(id);
  if (e == nullptr || e->live_attempt() == nullptr) {
    if (known) scheduler_->engine().remove_running(id);
    return;
  }
  // A later attempt holds other nodes.
  schedule::RunningJob running = running_job(*this, *e, now);
  if (known && are_among(running.grants, scheduler_->engine().running().at(id).job.grants)) {
    scheduler_->engine().change(std::move(running));
    return;
  }
  if (known) scheduler_->engine().remove_running(id);
  scheduler_->engine().add(std::move(running));
}

// Whether what runs there can be reached may have changed, too.
void Cluster::availability_changed(const std::string& node) {
  nodes_stale_ = true;
  told_at_ = -1;
  if (const auto there = live_on_.find(node); there != live_on_.end())
    running_stale_.insert(there->second.begin(), there->second.end());
}

void Cluster::put_node(Node node) {
  Node& kept = nodes_[node.name];
  if (kept.total.gpus != node.total.gpus) count_gpu_types(kept, node);
  size_.cpus += node.total.cpus - kept.total.cpus;
  size_.gpus += std::ssize(node.total.gpus) - std::ssize(kept.total.gpus);
  kept = std::move(node);
}

void Cluster::apply(const Change& change, Now now) {
  std::visit([&](const auto& c) { apply_one(c, now); }, change);
}

void Cluster::apply_one(const JobAdded& change, Now now) {
  CHECK(change.job.id == next_job_);
  next_job_.value += 1;
  auto [it, added] = jobs_.emplace(change.job.id, JobEntry{});
  CHECK(added);
  it->second.job = change.job;
  touch(it->second);
  scheduler_->engine().learn(*request_of_spec(it->second.job.spec));
  index(it->second, now);
}

void Cluster::apply_one(const JobChanged& change, Now now) {
  auto& e = entry(change.job.id);
  CHECK(e.job.state == change.state_left && e.job.attempt == change.attempt_left);
  CHECK(e.job.spec.is(change.job.spec));  // that is JobRespecified's; the store relies on it
  const bool moved = e.job.state != change.job.state;
  const std::vector<JobId> relimited = others_limited_by(e.job, change.job);
  keep_place(e, change.job);
  for (const JobId id : relimited) leave_line(entry(id), Leaves::ToComeBack);
  e.job = change.job;
  touch(e);
  for (const JobId id : relimited) {
    enter_line(entry(id));
    if (live_.contains(id)) running_stale_.insert(id);
  }
  index(e, now);
  if (!moved) return;
  // A limit already known on the boot clock stays: it beats one reckoned by the wall clock.
  pending_reasons_.erase(e.job.id);
  const auto limit = deadlines_of(e.job.id).limit;
  if (!is_live(e.job.state)) {
    deadlines_.erase(e.job.id);
    return;
  }
  Deadlines& deadlines = deadlines_[e.job.id] = fresh_deadlines(e, now);
  // While it stood still it moved on from one word of a worker to the next alone.
  if (limit)
    deadlines.limit = change.state_left == JobState::Suspended
                          ? std::max(*limit, deadlines.limit.value_or(*limit))
                          : *limit;
}

void Cluster::apply_one(const AttemptAdded& change, Now now) {
  auto& e = entry(change.attempt.key.job);
  CHECK(e.live_attempt() == nullptr);
  CHECK(e.attempts.empty() || e.attempts.back().key < change.attempt.key);
  e.attempts.push_back(change.attempt);
  e.steps.clear();
  e.next_step = 0;
  fair_shares_stale_ = true;
  touch(e);
  index(e, now);
}

void Cluster::apply_one(const AttemptChanged& change, Now now) {
  auto& e = entry(change.attempt.key.job);
  CHECK(!e.attempts.empty() && e.attempts.back().key == change.attempt.key);
  // Whoever is told anew to stand still has as long as the first time.
  if (change.attempt.suspension.number > e.attempts.back().suspension.number)
    if (const auto it = deadlines_.find(e.job.id); it != deadlines_.end())
      it->second.prepare = now.boot + config_.prepare_timeout;
  e.attempts.back() = change.attempt;
  touch(e);
  index(e, now);
}

void Cluster::apply_one(const NodeChanged& change, Now) {
  put_node(change.node);
  possible_.clear();
  there_is_.clear();
  availability_changed(change.node.name);
  ++changes_applied_;
}

void Cluster::apply_one(const EventAdded& change, Now) {
  const auto it = jobs_.find(change.event.job);
  if (it == jobs_.end()) return;
  touch(it->second);
  it->second.recorded = std::max(it->second.recorded, change.event.at);
}

// Nothing follows from these, so they count as no change of state.
void Cluster::apply_one(const WaitTold& change, Now) {
  CHECK(entry(change.wait.job).job.state == JobState::Pending);
  waits_[change.wait.job] = change.wait;
  index_in_vain(entry(change.wait.job).job);
}

void Cluster::apply_one(const WaitOver& change, Now) {
  CHECK(waits_.erase(change.id) == 1);
}

void Cluster::apply_one(const EstimateMet& change, Now) {
  estimates_.push_back(change.estimate);
  if (estimates_.size() > estimates_kept_max) estimates_.pop_front();
}

void Cluster::apply_one(const JobForgotten& change, Now) {
  const auto it = jobs_.find(change.id);
  CHECK(it != jobs_.end() && is_final(it->second.job.state));
  requests_.erase(it->second.job.request_id);
  ended_.erase({it->second.ended_with, change.id});
  keep_checkpoints_of(it->second);
  if (is_of_array(it->second.job)) arrays_.forget(it->second.job);
  if (is_first_of_array(it->second.job)) limits_in_use_.forget_array(change.id);
  jobs_.erase(it);
}

JobEntry& Cluster::entry(JobId id) {
  const auto it = jobs_.find(id);
  CHECK(it != jobs_.end());
  return it->second;
}

const JobEntry* Cluster::job(JobId id) const {
  const auto it = jobs_.find(id);
  return it == jobs_.end() ? nullptr : &it->second;
}

const Node* Cluster::node(const std::string& name) const {
  const auto it = nodes_.find(name);
  return it == nodes_.end() ? nullptr : &it->second;
}

const Qos& Cluster::qos_of(const JobSpec& spec) const {
  const auto it = qos_.find(spec.qos);
  CHECK(it != qos_.end());
  return it->second;
}

std::optional<JobId> Cluster::job_of_request(const std::string& request_id) const {
  const auto it = requests_.find(request_id);
  if (it == requests_.end()) return std::nullopt;
  return it->second;
}

std::vector<JobId> Cluster::jobs_on(const std::string& node) const {
  const auto it = live_on_.find(node);
  if (it == live_on_.end()) return {};
  return {it->second.begin(), it->second.end()};
}

const NodeContact& Cluster::contact(const std::string& node) const {
  static const NodeContact never;
  const auto it = contacts_.find(node);
  return it == contacts_.end() ? never : it->second;
}

const Deadlines& Cluster::deadlines_of(JobId id) const {
  static const Deadlines none;
  const auto it = deadlines_.find(id);
  return it == deadlines_.end() ? none : it->second;
}

void Cluster::believe_limit(JobId id, Boot limit) {
  const auto it = deadlines_.find(id);
  if (it == deadlines_.end()) return;
  it->second.limit = limit;
  running_stale_.insert(id);
}

const PendingReason& Cluster::pending_reason_of(JobId id) const {
  static const PendingReason none;
  const auto it = pending_reasons_.find(id);
  return it == pending_reasons_.end() ? none : it->second;
}

const JobWait* Cluster::wait_of(JobId id) const {
  const auto it = waits_.find(id);
  return it == waits_.end() ? nullptr : &it->second;
}

void Cluster::set_retry_after(JobId id, Boot at) {
  JobEntry& e = entry(id);
  leave_line(e);
  e.retry_after = at;
  enter_line(e);
  if (at == Boot{}) {
    retrying_.erase(id);
  } else {
    retrying_.insert(id);
  }
}

void Cluster::let_begin(JobId id) {
  JobEntry& e = entry(id);
  CHECK(begins_.erase({e.begins, id}) == 1);
  put_off_.erase(id);
  e.begins = Wall{};
  enter_line(e);
  touch(e);
}

std::optional<std::int64_t> Cluster::known_possible(const PossibleKey& key) const {
  const auto it = possible_.find(key);
  if (it == possible_.end()) return std::nullopt;
  return it->second;
}

void Cluster::note_possible(PossibleKey key, std::int64_t nodes) const {
  constexpr std::size_t shapes_max = 4096;
  if (possible_.size() >= shapes_max) possible_.clear();
  possible_.emplace(std::move(key), nodes);
}

}  // namespace cox
