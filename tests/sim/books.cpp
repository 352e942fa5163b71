#include "tests/sim/books.h"

#include <algorithm>

#include "common/base/text.h"
#include "common/syntax/partition_list.h"

namespace cox::sim {

std::string text_of(AttemptKey key) {
  return std::to_string(key.job.value) + "." + std::to_string(key.attempt.value);
}

std::string text_of(JobId id) {
  return "job " + std::to_string(id.value);
}

void Books::begin(const ControllerConfig& as_written, const MemoryTables& tables) {
  config = as_written;
  associations = tables.associations;
  for (const Qos& one : tables.qos) qos[one.name] = one;
}

namespace {

struct Fold {
  Books& books;

  void operator()(const JobAdded& c) { books.jobs.emplace(c.job.id, c.job); }
  void operator()(const JobChanged& c) { books.jobs[c.job.id] = c.job; }
  void operator()(const JobRespecified& c) { books.jobs[c.job.id] = c.job; }
  void operator()(const AttemptAdded& c) { books.attempts.emplace(c.attempt.key, c.attempt); }
  void operator()(const AttemptChanged& c) { books.attempts[c.attempt.key] = c.attempt; }
  void operator()(const AssociationPut& c) { books.associations[c.association.id] = c.association; }
  void operator()(const AssociationRemoved& c) { books.associations.erase(c.id); }
  void operator()(const QosPut& c) { books.qos[c.qos.name] = c.qos; }
  void operator()(const QosRemoved& c) {
    books.qos.erase(c.name);
    books.qos_usage.erase(c.name);
  }
  void operator()(const QosUsed& c) { books.qos_usage[c.usage.qos] = c.usage; }
  void operator()(const NodeChanged& c) { books.nodes[c.node.name] = c.node; }
  void operator()(const PartitionChanged& c) {
    books.partitions[c.partition.name] = c.partition.state;
  }
  void operator()(const PartitionRemoved& c) { books.partitions.erase(c.name); }
  void operator()(const CronLinePut& c) { books.cron_lines[key_of(c.line)] = c.line; }
  void operator()(const CronLineRemoved& c) { books.cron_lines.erase(c.key); }
  template <class Other>
  void operator()(const Other&) {}
};

}  // namespace

void Books::fold(const Change& change) {
  std::visit(Fold{*this}, change);
}

std::vector<const Attempt*> Books::live_attempts() const {
  std::vector<const Attempt*> live;
  for (const auto& [key, attempt] : attempts)
    if (attempt.ended == Wall{}) live.push_back(&attempt);
  return live;
}

const Association* Books::find(const std::string& account, const std::string& user,
                               const std::string& partition) const {
  for (const auto& [id, one] : associations)
    if (one.account == account && one.user_name == user && one.partition == partition) return &one;
  return nullptr;
}

const Association* Books::charged(const JobSpec& spec) const {
  for (const std::string_view name : partition_names(spec.partition))
    if (const auto* special = find(spec.account, spec.user_name, std::string(name))) return special;
  return find(spec.account, spec.user_name, "");
}

std::vector<const Association*> Books::chain(const Association& from) const {
  std::vector<const Association*> up;
  for (const Association* one = &from; one != nullptr;) {
    up.push_back(one);
    const std::string& above = one->is_account() ? one->parent : one->account;
    one = above.empty() ? nullptr : find(above, "", "");
  }
  return up;
}

bool Books::is_below(const Association& one, const std::string& account) const {
  return std::ranges::any_of(chain(one),
                             [&](const Association* up) { return up->account == account; });
}

const PartitionConfig* Books::partition(const std::string& name) const {
  const auto at = std::ranges::find(config.partitions, name, &PartitionConfig::name);
  return at == config.partitions.end() ? nullptr : &*at;
}

std::vector<const Qos*> Books::qos_binding(const JobSpec& spec,
                                           const std::string& in_partitions) const {
  std::set<std::string> names{spec.qos};
  for (const std::string_view name : partition_names(in_partitions))
    if (const auto* one = partition(std::string(name))) names.insert(one->qos);
  std::vector<const Qos*> binding;
  for (const std::string& name : names)
    if (const auto at = qos.find(name); at != qos.end()) binding.push_back(&at->second);
  return binding;
}

std::set<std::string> Books::hours_open(Wall at) const {
  std::set<std::string> open;
  for (const auto& [name, hours] : config.hours)
    if (are_open(hours, at)) open.insert(name);
  return open;
}

}  // namespace cox::sim
