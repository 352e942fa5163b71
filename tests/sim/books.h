// What the store has committed, folded from its turns alone, as far as judges look at it; and the
// questions that several of them ask of it.
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
  ControllerConfig config;  // as the administrator wrote it
  std::map<JobId, Job> jobs;
  std::map<AttemptKey, Attempt> attempts;
  std::map<AssociationId, Association> associations;
  std::map<std::string, Qos> qos;
  std::map<std::string, QosUsage> qos_usage;
  std::map<std::string, Node> nodes;
  std::map<std::string, PartitionState> partitions;  // of those that somebody changed
  std::map<CronLineKey, CronLine> cron_lines;

  // What there was before the first turn.
  void begin(const ControllerConfig& config, const MemoryTables& tables);
  void fold(const Change& change);

  std::vector<const Attempt*> live_attempts() const;
  const Association* find(const std::string& account, const std::string& user,
                          const std::string& partition) const;
  // Whom the job is charged to; null: nobody.
  const Association* charged(const JobSpec& spec) const;
  // From it up to the root.
  std::vector<const Association*> chain(const Association& from) const;
  bool is_below(const Association& one, const std::string& account) const;
  const PartitionConfig* partition(const std::string& name) const;
  // By its own QOS, and by those of these partitions.
  std::vector<const Qos*> qos_binding(const JobSpec& spec, const std::string& in_partitions) const;
  std::set<std::string> hours_open(Wall at) const;
};

std::string text_of(AttemptKey key);  // "7.2"
std::string text_of(JobId id);        // "job 7"

}  // namespace cox::sim
