// The state that the store has committed, rebuilt only from the committed turns. It has what the
// simulator's checks (the judges) need, and the queries that several of them use.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "common/cluster/config.h"
#include "common/job/attempt.h"
#include "controller/change/change.h"
#include "tests/support/memory_store.h"

namespace cox::sim {

struct Books {
  // The configuration at the begin of the run; later states of partitions are in `partitions`.
  ControllerConfig config;
  std::map<JobId, Job> jobs;
  std::map<AttemptKey, Attempt> attempts;
  std::map<AssociationId, Association> associations;
  std::map<std::string, Qos> qos;
  std::map<std::string, QosUsage> qos_usage;
  std::map<std::string, Node> nodes;
  // Only those partitions whose state a command has changed, by name.
  std::map<std::string, PartitionState> partitions;
  std::map<CronLineKey, CronLine> cron_lines;

  // Copies what the store has before the first turn is committed.
  void begin(const ControllerConfig& config, const MemoryTables& tables);
  void fold(const Change& change);

  std::vector<const Attempt*> live_attempts() const;
  const Association* find(const std::string& account, const std::string& user,
                          const std::string& partition) const;
  // Returns the association that the job is charged to; null if there is none.
  const Association* charged(const JobSpec& spec) const;
  // Returns this association and those above it, up to the root.
  std::vector<const Association*> chain(const Association& from) const;
  bool is_below(const Association& one, const std::string& account) const;
  const PartitionConfig* partition(const std::string& name) const;
  // Returns every QOS whose limits bind the job: its own, and those of these partitions (names
  // separated by commas).
  std::vector<const Qos*> qos_binding(const JobSpec& spec, const std::string& in_partitions) const;
  std::set<std::string> hours_open(Wall at) const;
};

std::string text_of(AttemptKey key);  // "7.2"
std::string text_of(JobId id);        // "job 7"

}  // namespace cox::sim
