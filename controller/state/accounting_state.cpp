#include "controller/state/accounting_state.h"

#include <algorithm>

#include "common/base/check.h"

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

// Returns the QOS that bind the job wherever it runs: its own, and partition QOS that all of its
// partitions have.
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

const Qos& AccountingState::qos_of(const JobSpec& spec) const {
  const auto it = qos_.find(spec.qos);
  CHECK(it != qos_.end());
  return it->second;
}

const Qos& AccountingState::qos_of(const JobEntry& e) const {
  const Qos& own = qos_of(*e.job.spec);
  const Partitions partitions = partitions_.of(e);
  if (partitions.empty() || !partitions.front()->preempt_mode) return own;
  const PreemptMode mode = *partitions.front()->preempt_mode;
  const auto [at, is_new] = qos_by_mode_.try_emplace({own.name, mode}, own);
  if (is_new) at->second.preempt_mode = mode;
  return at->second;
}

std::vector<const Qos*> AccountingState::qos_binding(const JobEntry& e) const {
  return binding(qos_, partitions_.of(e), qos_of(*e.job.spec));
}

std::vector<const Qos*> AccountingState::qos_binding(const ParsedSpec& spec) const {
  return binding(qos_, partitions_.named_by(spec), qos_of(spec));
}

Shared<schedule::Limits> AccountingState::limits_of(const JobEntry& e) const {
  const auto make = [&](const JobSpec& spec) {
    const Partitions partitions = partitions_.of(e);
    const auto bound_by = qos_binding(e);
    return limits_in_use_.of(bound_by, binding_everywhere(bound_by, partitions),
                             preempted_jobs(partitions, qos_of(spec)), spec, accounts_);
  };
  const Attempt* attempt = e.live_attempt();
  const bool settled = attempt != nullptr && !attempt->partition.empty();
  const Shared<schedule::Limits> limits =
      settled ? make(*e.job.spec) : limits_of_specs_.of(e.job.spec, make);
  const JobEntry* array = is_of_array(e.job) ? jobs_.find(e.job.array_job) : nullptr;
  if (array == nullptr || array->job.array_limit == 0) return limits;
  return limits_in_use_.of_array(limits, e.job.array_job, array->job.array_limit);
}

double AccountingState::fair_share_of(AssociationId id) const {
  const auto at = fair_shares_.find(id);
  return at == fair_shares_.end() ? 0.0 : at->second;
}

std::vector<JobId> AccountingState::jobs_of(const std::set<std::string>& accounts) const {
  std::set<std::string> all;
  for (const auto& [id, one] : accounts_.all())
    if (one.is_account() && std::ranges::any_of(accounts_.chain(one), [&](const Association* up) {
          return accounts.contains(up->account);
        }))
      all.insert(one.account);
  std::vector<JobId> jobs;
  for (const JobId id : jobs_.unfinished())
    if (all.contains(jobs_.find(id)->job.spec->account)) jobs.push_back(id);
  return jobs;
}

void AccountingState::load(Snapshot& snapshot) {
  qos_.clear();
  qos_usage_.clear();
  accounts_ = {};
  fair_shares_.clear();
  for (auto& a : snapshot.associations) accounts_.put(std::move(a));
  for (auto& q : snapshot.qos) qos_[q.name] = q;
  for (auto& used : snapshot.qos_usage) qos_usage_[used.qos] = std::move(used);
  limits_in_use_ = {};
  qos_changed();
}

void AccountingState::remove(AssociationId id) {
  accounts_.remove(id);
  fair_shares_.erase(id);
}

void AccountingState::put(std::vector<Qos> all) {
  for (Qos& qos : all) {
    std::string name = qos.name;
    qos_[std::move(name)] = std::move(qos);
  }
  qos_changed();
}

void AccountingState::remove_qos(const std::string& name) {
  CHECK(qos_.erase(name) == 1);
  qos_usage_.erase(name);
  qos_changed();
}

void AccountingState::count_submitted(const ParsedSpec& spec, std::int64_t by) {
  limits_in_use_.count_submitted(qos_binding(spec), spec, accounts_, by);
}

void AccountingState::count_all_submitted() {
  limits_in_use_.forget_submitted();
  for (const JobId id : jobs_.unfinished()) {
    const JobEntry& e = *jobs_.find(id);
    count_submitted(*e.job.spec, e.counted);
  }
}

void AccountingState::forget_limits() {
  limits_in_use_.forget_lists();
  limits_of_specs_.forget_all();
}

void AccountingState::set_open_hours(const std::set<std::string>& open) {
  limits_in_use_.set_open_hours(open);
  forget_limits();
}

void AccountingState::qos_changed() {
  qos_by_mode_.clear();
  forget_limits();
  limits_in_use_.set_tiers(qos_);
}

}  // namespace cox
