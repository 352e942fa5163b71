// The partitions in the controller's memory: those of the configuration, those that administrators
// made at run time, and the state of each; and which named hours are open. Part of Cluster; only
// Cluster changes it. Pure.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "common/cluster/config.h"
#include "controller/change/made_partition.h"
#include "controller/job/job_entry.h"
#include "controller/limits/partitions.h"

namespace cox {

class PartitionTable {
 public:
  explicit PartitionTable(ControllerConfig config) : config_(std::move(config)) {}

  // Returns the configuration, to whose partitions those made at run time are added.
  const ControllerConfig& config() const { return config_; }
  // Returns the stored row of the partition. If none is stored, returns one with the state UP.
  const Partition& row(const std::string& name) const;
  // Returns whether an administrator created the partition at run time (scontrol create partition).
  bool is_made(const std::string& name) const { return made_.contains(name); }
  // Returns the groups of the controller's host that partitions name in AllowGroups, as the last
  // lookup found them.
  const HostGroups& groups() const { return groups_; }
  // Returns the groups that partitions name and that no lookup has found; each with the partitions
  // that name it.
  std::map<std::string, std::vector<std::string>> unknown_groups() const;
  // Returns whether the hours of the partition are open now. A partition without hours is always
  // open.
  bool is_open(const PartitionConfig& partition) const;
  const std::set<std::string>& open_hours() const { return open_hours_; }

  // Returns all partitions that the job names, in the order in which it tries them.
  Partitions named_by(const ParsedSpec& spec) const;
  // Returns the partitions that start the job now if there is room, in the same order.
  Partitions open_to(const ParsedSpec& spec) const;
  // Returns whether the job names partitions and none of them starts it now, even if there is room.
  bool is_closed_to(const ParsedSpec& spec) const;
  // Returns the partition in which the job runs; before it runs, all partitions that it names.
  Partitions of(const JobEntry& entry) const;

  // For Cluster.
  void load(std::vector<Partition> rows);
  void put(const Partition& row);
  void remove(const std::string& name);
  // Records the groups. A group that can no longer be looked up keeps its last known members.
  void know_groups(const HostGroups& found);
  void set_open_hours(std::set<std::string> open) { open_hours_ = std::move(open); }

 private:
  // Adds or replaces the partition that the row makes, unless the configuration has one of that
  // name.
  void define(const Partition& row);
  void undefine(const std::string& name);

  ControllerConfig config_;
  // Stored rows: of partitions made, or whose state was changed, at run time.
  std::map<std::string, Partition> rows_;
  // Names of partitions made at run time, which are also in config_.partitions.
  std::set<std::string> made_;
  HostGroups groups_;
  std::set<std::string> open_hours_;
};

}  // namespace cox
