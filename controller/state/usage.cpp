#include "controller/state/usage.h"

#include <algorithm>

#include "controller/limits/partitions.h"
#include "schedule/model/usage.h"

namespace cox {
namespace {

// For each TRES of a running job, what it uses in each second.
using Rates = std::map<std::string, double>;

// Adds the GPUs of a node's part of the job: all of them, and by type. If the node no longer
// exists, their type is unknown.
void add_gpus(Rates& rates, const Node* node, const NodeGrant& grant) {
  for (const std::int32_t index : grant.gpus) {
    const double part = static_cast<double>(grant.gpu_milli) / gpu_whole;
    rates["gres/gpu"] += part;
    if (node == nullptr) continue;
    for (const GpuDevice& device : node->total.gpus)
      if (device.index == index && !device.type.empty()) rates["gres/gpu:" + device.type] += part;
  }
}

double rate_of(const Rates& rates, const std::string& tres) {
  const auto at = rates.find(tres);
  return at == rates.end() ? 0.0 : at->second;
}

// GPUs of a type with a weight of its own do not also count by the weight of GPUs in general.
double billing_of(const Rates& rates, const std::vector<BillingWeight>& weights) {
  double billing = 0;
  double typed = 0;
  for (const BillingWeight& weight : weights)
    if (weight.of.what == Tres::GpuMilli && !weight.of.type.empty())
      typed += rate_of(rates, tres_name(weight.of));
  for (const BillingWeight& weight : weights) {
    double amount = rate_of(rates, tres_name(weight.of));
    if (weight.of.what == Tres::GpuMilli && weight.of.type.empty()) amount -= typed;
    if (weight.of.what == Tres::MemoryMb) amount /= 1024;
    billing += amount * static_cast<double>(weight.milli) / 1000.0;
  }
  return billing;
}

// Adds the GRES that the job asks for on each node, and its licences.
void add_others(Rates& rates, const JobTerms& terms, std::size_t nodes) {
  for (const GresCount& one : terms.gres.others) {
    const double count = static_cast<double>(one.count) * static_cast<double>(nodes);
    rates["gres/" + one.name] += count;
    if (!one.type.empty()) rates["gres/" + one.name + ":" + one.type] += count;
  }
  for (const LicenceCount& one : terms.licences)
    rates["license/" + one.name] += static_cast<double>(one.count);
}

// Returns the billing weights of the attempt's partition, or those of the cluster.
const std::vector<BillingWeight>& weights_of(const Cluster& cluster, const Attempt& attempt) {
  const PartitionConfig* partition = partition_of(cluster.config(), attempt.partition);
  const bool has_own = partition != nullptr && !partition->tres_billing_weights.empty();
  return has_own ? partition->billing_weights : cluster.config().usage.weights;
}

Rates rates_of(const Cluster& cluster, const Attempt& attempt) {
  Rates rates;
  if (const JobEntry* entry = cluster.job(attempt.key.job))
    add_others(rates, *entry->job.spec->terms, attempt.nodes.size());
  for (const AttemptNode& n : attempt.nodes) {
    rates["node"] += 1;
    rates["cpu"] += static_cast<double>(n.grant.cpus);
    rates["mem"] += static_cast<double>(n.grant.memory_mb);
    add_gpus(rates, cluster.node(n.grant.node), n.grant);
  }
  rates[std::string(billing_tres)] = billing_of(rates, weights_of(cluster, attempt));
  rates[std::string(wall_tres)] = 1;
  return rates;
}

}  // namespace

// An attempt is charged from the moment it was placed. The time it was suspended is charged in
// full, although its CPUs were free then.
std::vector<TresUsage> usage_of(const Cluster& cluster, const Attempt& attempt, Wall until,
                                Milliseconds least) {
  const UsageSettings& settings = cluster.config().usage;
  const Milliseconds held = std::max(until - attempt.began, Milliseconds{0});
  const double seconds = schedule::counted_seconds(held, least, settings.half_life);
  std::vector<TresUsage> usage;
  for (const auto& [tres, rate] : rates_of(cluster, attempt))
    if (rate > 0) usage.push_back({tres, rate * seconds});
  return usage;
}

void add_usage(std::vector<TresUsage>& usage, Wall& used_at, const std::vector<TresUsage>& more,
               Wall at, Milliseconds half_life) {
  if (more.empty()) return;
  constexpr Milliseconds drift_max = std::chrono::hours{1};
  // More than an hour ahead: the clock was wrong when this was stored.
  if (used_at > at + drift_max) used_at = at;
  const Wall then = std::max(at, used_at);
  const double kept = schedule::decay(then - used_at, half_life);
  const double added = schedule::decay(then - at, half_life);
  for (TresUsage& used : usage) used.seconds *= kept;
  for (const TresUsage& one : more) {
    const auto same = std::ranges::find(usage, one.tres, &TresUsage::tres);
    if (same == usage.end()) {
      usage.push_back({one.tres, one.seconds * added});
    } else {
      same->seconds += one.seconds * added;
    }
  }
  used_at = then;
}

double used_by(const std::vector<TresUsage>& usage, Wall used_at, std::string_view tres, Wall then,
               Milliseconds half_life) {
  const auto used = std::ranges::find(usage, tres, &TresUsage::tres);
  if (used == usage.end()) return 0;
  return used->seconds * schedule::decay(then - used_at, half_life);
}

}  // namespace cox
