#include "schedule/engine/engine.h"

#include <algorithm>
#include <cmath>

#include "common/base/check.h"
#include "schedule/model/any_switches.h"
#include "schedule/place/place.h"
#include "schedule/queue/order.h"

namespace cox::schedule {
namespace {

// The number of requests that the engine's pool may hold in addition to those of queued jobs. If
// there are more, the next pass drops the unused ones and all results computed for requests.
constexpr std::size_t unused_requests_max = 4'096;

// Returns whether the engine keeps the running job's request in its pool, because passes need it:
// they may move the job, or the job is elastic.
bool keeps_request(const RunningJob& job) {
  return job.movable || job.request->nodes_most > 0;
}

// Returns whether each grant of `some` is in `all`, in the same order.
bool are_among(const Placement& some, const Placement& all) {
  auto at = all.begin();
  for (const NodeGrant& grant : some) {
    at = std::find(at, all.end(), grant);
    if (at == all.end()) return false;
    ++at;
  }
  return true;
}

void set_shares(Running& running, GangParts shares) {
  running.shares = std::move(shares);
  if (!running.job.suspends) return;
  running.cpus = cpus_of(*running.shares);
  running.rest = all_but_cpus_of(*running.shares);
}

}  // namespace

Engine::Engine(std::vector<SchedulerNode> nodes, Settings settings)
    : settings_(settings),
      ground_(
          std::make_unique<Ground>(std::move(nodes), settings, std::vector<AdvanceReservation>{})),
      waits_(settings_.priority.wait_memory) {}

Engine::~Engine() = default;

void Engine::set_nodes(std::vector<SchedulerNode> nodes) {
  break_off();
  if (ground_->take_availability(nodes)) return quotas_.set_nodes(this->nodes());
  ground_ = std::make_unique<Ground>(std::move(nodes), settings_, ground_->advance().all());
  quotas_.set_nodes(this->nodes());
  for (auto& [id, running] : running_) {
    set_shares(running, shares_of(this->nodes(), running.job.grants, *running.job.request));
    ground_->free().take(*running.held());
  }
  for (auto& [id, kept] : claims_)
    kept.shares = shares_of(this->nodes(), kept.placement, *kept.request);
}

void Engine::set_quotas(std::vector<Quota> all) {
  if (all == quotas_set_) return;
  break_off();
  quotas_set_ = std::move(all);
  quotas_.set(quotas_set_);
  quotas_.set_nodes(nodes());
}

void Engine::set_reservations(std::vector<AdvanceReservation> all) {
  if (all == ground_->advance().all()) return;
  break_off();
  ground_->set_reservations(std::move(all));
}

void Engine::put(PendingJob job) {
  if (waits(job.id)) leave_queue(job.id);
  if (running_.contains(job.id)) remove_running(job.id);
  add_pending(std::move(job));
}

void Engine::put(RunningJob job) {
  const auto known = running_.find(job.id);
  if (known != running_.end() && are_among(job.grants, known->second.job.grants))
    return change_running(std::move(job));
  remove(job.id);
  add_running(std::move(job));
}

void Engine::remove(JobId id) {
  if (running_.contains(id)) remove_running(id);
  if (!waits(id)) return;
  leave_queue(id);
  drop_claim(id);
}

void Engine::add_pending(PendingJob job) {
  job.request = requests_.shared(job.request);
  if (job.held) {
    drop_claim(job.id);
    held_.emplace(job.id, std::move(job));
    return;
  }
  queue_.add(job);
  patience_.add(job);
  limit_use_.add_demand(*job.limits, *job.request, job.copies);
  if (job.ran > Milliseconds{0} || job.work_left) past_[job.id] = {job.ran, job.work_left};
  if (const auto kept = claims_.find(job.id); kept != claims_.end()) {
    kept->second.limits = job.limits;
    update_limits(job.id);
  }
}

void Engine::leave_queue(JobId id) {
  if (held_.erase(id) == 1) return;
  const PendingQueue::At at = queue_.at(id);
  limit_use_.add_demand(*at.queue->limits, *at.queue->request, -at.key->copies);
  past_.erase(id);
  patience_.forget(id);
  queue_.remove(id);
}

void Engine::set_copies(JobId id, std::int64_t copies) {
  const PendingQueue::At at = queue_.at(id);
  limit_use_.add_demand(*at.queue->limits, *at.queue->request, copies - at.key->copies);
  queue_.set_copies(id, copies);
}

PendingJob Engine::pending(JobId id) const {
  PendingJob job = job_of(queue_.at(id));
  if (const auto past = past_.find(id); past != past_.end()) {
    job.ran = past->second.ran;
    job.work_left = past->second.work_left;
  }
  return job;
}

void Engine::expire_patience(Wall now) {
  for (const JobId id : patience_.remove_expired(now))
    queue_.set_request(id, requests_.shared(on_any_switches(*queue_.at(id).queue->request)));
}

void Engine::claim(JobId id, Placement placement) {
  const auto running = running_.find(id);
  const bool waits = queue_.contains(id);
  if (!waits && running == running_.end()) return;
  if (is_paused_without(id)) break_off();
  const PendingQueue::Queue* queue = waits ? queue_.at(id).queue : nullptr;
  const Shared<Request> request = waits ? queue->request : running->second.job.request;
  GangParts shares = shares_of(nodes(), placement, *request);
  claims_[id] = {requests_.shared(request), std::move(placement), std::move(shares),
                 waits ? queue->limits : running->second.job.limits};
  update_limits(id);
}

void Engine::drop_claim(JobId id) {
  claims_.erase(id);
  update_limits(id);
}

void Engine::note_split(JobId from, JobId id) {
  if (paused_ && !is_paused_without(from)) paused_->pass->note_split(id);
  update_limits(from);
}

void Engine::add_running(RunningJob job) {
  const JobId id = job.id;
  GangParts shares = shares_of(nodes(), job.grants, *job.request);
  if (keeps_request(job)) job.request = requests_.shared(job.request);
  const auto [it, added] = running_.emplace(id, Running{std::move(job), {}});
  CHECK(added);
  set_shares(it->second, std::move(shares));
  update_limits(id);
  take_room(id, it->second.held());
  counts_.add(it->second);
  ground_->add(it->second);
}

void Engine::remove_running(JobId id) {
  const auto it = running_.find(id);
  CHECK(it != running_.end());
  counts_.remove(it->second);
  ground_->remove(it->second);
  give_back_room(it->second.held());
  running_.erase(it);
  update_limits(id);
}

void Engine::take_room(JobId id, const Shared<GangParts>& shares) {
  if (is_paused_without(id)) break_off();
  if (paused_) {
    // applied by catch_up(): the pass itself has taken this room already
    paused_->changes.push_back({true, shares});
  } else {
    ground_->free().take(*shares);
  }
}

void Engine::give_back_room(const Shared<GangParts>& shares) {
  if (paused_) {
    // applied by catch_up(): only the next pass may use it
    paused_->changes.push_back({false, shares});
  } else {
    ground_->free().give_back(*shares);
  }
}

// Frees what the job holds on its nodes, except on those in `left`. REQUIRES: `left` is not empty.
void Engine::give_back_nodes(Running& running, const Placement& left) {
  GangParts shares = shares_of(nodes(), left, *running.job.request);
  GangParts gone = *running.held();
  gone.licences.clear();  // the job keeps its licences until it has left all nodes
  std::erase_if(gone.parts, [&](const NodePart& part) {
    return std::ranges::binary_search(shares.parts, part.node, {}, &NodePart::node);
  });
  set_shares(running, std::move(shares));
  give_back_room(std::move(gone));
}

void Engine::change_running(RunningJob job) {
  Running& running = running_.at(job.id);
  counts_.remove(running);
  ground_->remove(running);
  if (keeps_request(job)) job.request = requests_.shared(job.request);
  const bool was_suspended = running.job.is_suspended;
  if (job.grants != running.job.grants) give_back_nodes(running, job.grants);
  running.job = std::move(job);
  update_limits(running.job.id);
  if (running.job.suspends && running.cpus->parts.empty()) set_shares(running, *running.shares);
  if (was_suspended && !running.job.is_suspended) take_room(running.job.id, running.cpus);
  if (!was_suspended && running.job.is_suspended) give_back_room(running.cpus);
  counts_.add(running);
  ground_->add(running);
}

const ResolvedRequest& Engine::need_of(const Request& request, Boot from,
                                       std::optional<Milliseconds> lasts) {
  return ground_->need_at(*requests_.shared(request), from, lasts);
}

void Engine::forget_unused() {
  if (requests_.size() <= queue_.classes().size() + unused_requests_max) return;
  ground_->forget_needs();
  requests_.forget_all();
  for (const auto& [job_class, queue] : queue_.classes()) requests_.shared(queue.request);
  for (auto& [id, running] : running_)
    if (keeps_request(running.job)) running.job.request = requests_.shared(running.job.request);
  for (auto& [id, kept] : claims_) kept.request = requests_.shared(kept.request);
}

void Engine::learn_usual() {
  if (settings_.placement == PlacementPolicy::Fgd) ground_->learn(usual_);
}

const std::map<UsualRequest, double>& Engine::usual() {
  learn_usual();
  return ground_->usual();
}

// Computes the priorities of running jobs as of `now`, under `gittins` also those of queued jobs.
// Does nothing under orders by which no job can preempt a job of its own tier.
void Engine::rank(Boot now) {
  if (settings_.order == OrderPolicy::Gittins) return rank_by_lifetimes(now);
  if (!preempts_inside_tier(settings_.order)) return;
  for (auto& [id, running] : running_) running.priority = priority_of(settings_, running.job, now);
}

void Engine::rank_by_lifetimes(Boot now) {
  const auto units = [](const RunningJob& job) {
    return std::llround(std::max(job.loss_per_second_units, 1.0));
  };
  const auto service = [now](const RunningJob& job) { return service_of(job, now); };
  lifetimes_.forget_living();
  for (const auto& [id, running] : running_)
    lifetimes_.note_living(id, units(running.job), service(running.job),
                           work_left(running.job, now));
  for (const auto& [id, past] : past_)
    lifetimes_.note_living(id, units_of(*queue_.at(id).queue->request), past.ran, past.work_left);
  for (auto& [id, running] : running_)
    running.priority = -lifetimes_.weights().preempt_below *
                       lifetimes_.cost_of_end(id, units(running.job), service(running.job),
                                              work_left(running.job, now));
  queue_.prioritise([this](const JobClass& job_class, JobId id) {
    const auto past = past_.find(id);
    const std::int64_t job_units = units_of(*job_class.request);
    if (past == past_.end()) return -lifetimes_.cost_of_end(id, job_units, Milliseconds{0});
    return -lifetimes_.cost_of_end(id, job_units, past->second.ran, past->second.work_left);
  });
}

void Engine::begin_pass(Now now) {
  forget_unused();
  learn_usual();
  expire_patience(now.wall);
  rank(now.boot);
  if (ends_starvation(settings_.order))
    queue_.prefer_older_than([&](Standing standing) { return aged_since(standing, now.wall); },
                             priority_of_aged(settings_, now.wall));
}

Wall Engine::aged_since(Standing standing, Wall now) const {
  constexpr std::int64_t steps = 256;
  const Milliseconds age = max_age(standing, now);
  const std::int64_t step = std::max<std::int64_t>(age.count() / steps, 1);
  return Wall{Milliseconds{to_ms(now) / step * step}} - age;
}

void Engine::pause(PausedPass& pass) {
  if (!paused_) paused_ = Paused{&pass, {}};
}

void Engine::catch_up() {
  if (!paused_) return;
  for (const auto& [takes, shares] : paused_->changes) {
    if (takes) {
      ground_->free().take(*shares);
    } else {
      ground_->free().give_back(*shares);
    }
  }
}

void Engine::end_pause() {
  catch_up();
  paused_.reset();
}

void Engine::break_off() {
  if (!paused_) return;
  paused_->pass->undo();
  end_pause();
}

std::optional<Boot> Engine::next_change(Now now) const {
  std::optional<Boot> next;
  const auto consider = [&](Boot at) {
    if (at > now.boot && (!next || at < *next)) next = at;
  };
  const bool has_waiting_jobs = queue_.size() > 0;
  for (const auto& [id, running] : running_) {
    const RunningJob& job = running.job;
    if (job.movable && job.request->nodes_most > 0)
      consider(job.began + settings_.order_exempt);  // it may grow
    if (!has_waiting_jobs || !job.preemptable) continue;
    consider(exempt_until(settings_, job));
    if (const auto back = budget_spent_until(settings_, job, now.boot)) consider(*back);
  }
  if (!has_waiting_jobs) return next;
  if (const auto edge = ground_->advance().next_edge(now.boot)) consider(*edge);
  if (const auto lost = patience_.next()) consider(now.boot + (*lost - now.wall));
  return next;
}

}  // namespace cox::schedule
