// What follows for jobs from partitions and QOS: who may start where, by which rules, and who is
// told anew when people change them.
#include <algorithm>
#include <iterator>

#include "common/syntax/partition_list.h"
#include "controller/change/made_partition.h"
#include "controller/limits/hours.h"
#include "controller/state/cluster.h"
#include "controller/state/request.h"
#include "controller/state/reservations.h"

namespace cox {
namespace {

std::vector<const Qos*> binding(const std::map<std::string, Qos>& all, const Partitions& partitions,
                                const Qos& own) {
  std::vector<const Qos*> found;
  for (const PartitionConfig* partition : partitions) {
    const auto qos = all.find(partition->qos);
    if (qos == all.end() || &qos->second == &own) continue;
    if (std::ranges::find(found, &qos->second) == found.end()) found.push_back(&qos->second);
  }
  found.push_back(&own);
  return found;
}

// Of those that bind a job the ones that do in whichever of its partitions it comes to run.
std::vector<const Qos*> binding_everywhere(std::vector<const Qos*> binding,
                                           const Partitions& partitions) {
  const Qos* own = binding.back();
  std::erase_if(binding, [&](const Qos* qos) {
    return qos != own && std::ranges::any_of(partitions, [&](const PartitionConfig* one) {
             return one->qos != qos->name;
           });
  });
  return binding;
}

}  // namespace

const Qos& Cluster::qos_of(const JobEntry& e) const {
  const Qos& own = qos_of(*e.job.spec);
  const Partitions partitions = partitions_of_job(e);
  if (partitions.empty() || !partitions.front()->preempt_mode) return own;
  const PreemptMode mode = *partitions.front()->preempt_mode;
  const auto [at, is_new] = qos_by_mode_.try_emplace({own.name, mode}, own);
  if (is_new) at->second.preempt_mode = mode;
  return at->second;
}

std::vector<const Qos*> Cluster::qos_binding(const JobEntry& e) const {
  return binding(qos_, partitions_of_job(e), qos_of(*e.job.spec));
}

std::vector<const Qos*> Cluster::qos_binding(const JobSpec& spec) const {
  return binding(qos_, partitions_of(config_, spec.partition), qos_of(spec));
}

Shared<schedule::Limits> Cluster::limits_of(const JobEntry& e) const {
  const auto make = [&](const JobSpec& spec) {
    const Partitions partitions = partitions_of_job(e);
    const auto bound_by = qos_binding(e);
    return limits_in_use_.of(bound_by, binding_everywhere(bound_by, partitions),
                             gives_way(partitions, qos_of(spec)), spec, accounts_);
  };
  const Attempt* attempt = e.live_attempt();
  const bool settled = attempt != nullptr && !attempt->partition.empty();
  const Shared<schedule::Limits> limits =
      settled ? make(*e.job.spec) : limits_of_specs_.of(e.job.spec, make);
  const auto array = is_of_array(e.job) ? jobs_.find(e.job.array_job) : jobs_.end();
  if (array == jobs_.end() || array->second.job.array_limit == 0) return limits;
  return limits_in_use_.of_array(limits, e.job.array_job, array->second.job.array_limit);
}

const Partition& Cluster::partition(const std::string& name) const {
  static const Partition up;
  const auto it = partitions_.find(name);
  return it == partitions_.end() ? up : it->second;
}

Partitions Cluster::open_partitions(const JobSpec& spec) const {
  Partitions open = partitions_of(config_, spec.partition);
  std::erase_if(open, [&](const PartitionConfig* one) {
    return bar_of(*one, partition(one->name).state, is_open(*one), spec) != WaitReason::None;
  });
  // All components start at one time, or none does.
  for (std::int64_t i = 1; i < component_count(spec); ++i)
    if (const JobSpec part = component_spec(spec, i);
        open_partitions(part).empty() && !partitions_of(config_, part.partition).empty())
      open.clear();
  return open;
}

bool Cluster::is_open(const PartitionConfig& partition) const {
  return partition.hours.empty() || open_hours_.contains(partition.hours);
}

// Those that are no longer configured are told of by the engine.
bool Cluster::keeps_out(const JobSpec& spec) const {
  return open_partitions(spec).empty() && !partitions_of(config_, spec.partition).empty();
}

Partitions Cluster::partitions_of_job(const JobEntry& e) const {
  const Attempt* attempt = e.live_attempt();
  const bool settled = attempt != nullptr && !attempt->partition.empty();
  return partitions_of(config_, settled ? attempt->partition : e.job.spec->partition);
}

void Cluster::index_partitions(JobEntry& e) {
  e.kept_out = e.job.state == JobState::Pending && keeps_out(*e.job.spec);
  if (e.kept_out) {
    kept_out_.insert(e.job.id);
  } else {
    kept_out_.erase(e.job.id);
  }
}

Shared<schedule::Request> Cluster::request_of_spec(const Shared<JobSpec>& spec) const {
  return requests_of_specs_.of(spec, [this](const JobSpec& asked) {
    const Partitions open = open_partitions(asked);
    return by_gpu_type(drawn_in(
        *this,
        open.empty() ? make_request(config_, asked, {}) : make_request(config_, asked, {}, open),
        asked));
  });
}

Shared<schedule::Request> Cluster::request_of_live(const JobEntry& e) const {
  const Attempt* attempt = e.live_attempt();
  const JobSpec& spec = *e.job.spec;
  if (attempt == nullptr || attempt->partition.empty() || attempt->partition == spec.partition)
    return request_of_spec(e.job.spec);
  return by_gpu_type(drawn_in(
      *this, make_request(config_, spec, {}, partitions_of(config_, attempt->partition)), spec));
}

// Who waits and names one of them may have other places from now on, or none.
template <class Edit>
void Cluster::change_partitions(const std::set<std::string>& names, Edit edit) {
  std::vector<JobId> waiting;
  for (const JobId id : unfinished_) {
    const Job& job = entry(id).job;
    const bool is_named = std::ranges::any_of(
        names, [&](const std::string& one) { return names_partition(*job.spec, one); });
    if (job.state == JobState::Pending && is_named) waiting.push_back(id);
  }
  for (const JobId id : waiting) leave_line(entry(id), Leaves::ToComeBack);
  edit();
  requests_of_specs_.forget_all();
  for (const JobId id : waiting) {
    JobEntry& e = entry(id);
    index_partitions(e);
    enter_line(e);
    if (e.kept_out) scheduler_->engine().drop_claim(id);
    touch(e);
  }
  running_stale_.insert(live_.begin(), live_.end());
  ++changes_applied_;
}

void Cluster::load_partitions(std::vector<Partition> rows) {
  for (const std::string& name : std::set<std::string>(made_partitions_)) undefine_made(name);
  partitions_.clear();
  for (Partition& row : rows) {
    define_made(row);
    partitions_[row.name] = std::move(row);
  }
}

void Cluster::define_made(const Partition& row) {
  const bool is_made = made_partitions_.contains(row.name);
  if (row.made_with.empty() || (!is_made && partition_of(config_, row.name) != nullptr)) return;
  auto made = made_partition(row.name, row.made_with, groups_);
  if (!made) return;  // a later version wrote it: jobs there wait as for one that is gone
  if (made_partitions_.insert(row.name).second)
    config_.partitions.push_back(std::move(*made));
  else
    *std::ranges::find(config_.partitions, row.name, &PartitionConfig::name) = std::move(*made);
}

// The groups of a partition say only which submissions it accepts, so no job is judged anew.
void Cluster::know_groups(const HostGroups& found) {
  for (const auto& [name, group] : found)
    if (group || !groups_.contains(name)) groups_[name] = group;
  for (const std::string& name : made_partitions_) define_made(partitions_.at(name));
}

std::map<std::string, std::vector<std::string>> Cluster::groups_wanted() const {
  std::map<std::string, std::vector<std::string>> wanted;
  for (const std::string& partition : made_partitions_)
    for (const std::string& group : groups_named(partitions_.at(partition).made_with)) {
      const auto known = groups_.find(group);
      if (known == groups_.end() || !known->second) wanted[group].push_back(partition);
    }
  return wanted;
}

void Cluster::undefine_made(const std::string& name) {
  if (made_partitions_.erase(name) == 0) return;
  std::erase_if(config_.partitions, [&](const PartitionConfig& one) { return one.name == name; });
}

void Cluster::apply_one(const PartitionChanged& change, Now) {
  const std::string& name = change.partition.name;
  const bool is_as_made =
      made_partitions_.contains(name) && partitions_[name].made_with == change.partition.made_with;
  change_partitions({name}, [&] {
    partitions_[name] = change.partition;
    if (!is_as_made) define_made(change.partition);
  });
}

// REQUIRES: no job that has not ended names it.
void Cluster::apply_one(const PartitionRemoved& change, Now) {
  partitions_.erase(change.name);
  undefine_made(change.name);
  ++changes_applied_;
}

void Cluster::set_open_hours(std::set<std::string> open) {
  open_hours_ = std::move(open);
  limits_in_use_.set_open_hours(open_hours_);
  forget_limits();
  quotas_stale_ = true;
}

bool Cluster::settle_hours(Now now) {
  std::set<std::string> open = hours_open_at(config_.hours, now.wall);
  std::set<std::string> turned;
  std::ranges::set_symmetric_difference(open, open_hours_, std::inserter(turned, turned.end()));
  if (turned.empty()) return false;
  std::set<std::string> partitions;
  for (const PartitionConfig& one : config_.partitions)
    if (turned.contains(one.hours)) partitions.insert(one.name);
  const std::vector<JobId> limited = step_aside(accounts_limited_by(accounts_, turned));
  change_partitions(partitions, [&] { set_open_hours(std::move(open)); });
  step_back(limited);
  return true;
}

// Everything that follows from a tier is told anew: of all jobs when the tiers stand otherwise to
// each other, else of those that have it.
void Cluster::set_qos(std::vector<Qos> all) {
  std::set<std::string> changed;
  bool reordered = false;
  for (const Qos& qos : all) {
    const auto known = qos_.find(qos.name);
    if (known != qos_.end() && known->second == qos) continue;
    reordered = reordered || known == qos_.end() || known->second.tier != qos.tier ||
                known->second.limits.kept_tres != qos.limits.kept_tres;
    changed.insert(qos.name);
  }
  const auto is_bound = [&](const JobEntry& e) {
    return std::ranges::any_of(qos_binding(e),
                               [&](const Qos* qos) { return changed.contains(qos->name); });
  };
  std::vector<JobId> in_line;
  for (const JobId id : unfinished_)
    if (entry(id).in_line && (reordered || is_bound(entry(id)))) in_line.push_back(id);
  for (const JobId id : in_line) leave_line(entry(id), Leaves::ToComeBack);
  for (Qos& qos : all) qos_[qos.name] = std::move(qos);
  tiers_changed();
  for (const JobId id : in_line) enter_line(entry(id));
  settle_gpu_types();
  running_stale_.insert(live_.begin(), live_.end());
  ++changes_applied_;
}

}  // namespace cox
