#include "controller/operate/update_partition.h"

// Changes partitions at run time, with Slurm's names: the state of each partition, and partitions
// that scontrol created.
#include <algorithm>

#include "common/base/hostlist.h"
#include "common/base/limits.h"
#include "common/base/nearest.h"
#include "common/base/text.h"
#include "common/job/job_ref.h"
#include "controller/admit/input_checks.h"
#include "controller/change/made_partition.h"
#include "controller/limits/partitions.h"

namespace cox {
namespace {

bool is_word(std::string_view text, std::string_view word) {
  return std::ranges::equal(text, word, [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) ==
           std::tolower(static_cast<unsigned char>(b));
  });
}

Failure set_state(const std::string& value, Partition& partition) {
  const auto state = partition_state_from(value);
  if (!state)
    return Refusal{quoted(value) + " is not a state of a partition",
                   "it may be UP, DOWN, DRAIN or INACTIVE"};
  partition.state = *state;
  return std::nullopt;
}

Failure set_reason(const std::string& value, Partition& partition) {
  if (value.size() > limits::reason_bytes_max || !is_utf8(value) || has_control_characters(value))
    return Refusal{"the reason is longer than " + std::to_string(limits::reason_bytes_max) +
                       " bytes, or not printable",
                   "make it plain and shorter"};
  partition.reason = value;
  return std::nullopt;
}

bool is_of_state(const NamedValue& one) {
  return is_word(one.name, "State") || is_word(one.name, "Reason");
}

Failure set_value(const NamedValue& one, Partition& partition) {
  if (is_word(one.name, "State")) return set_state(one.value, partition);
  if (is_word(one.name, "Reason")) return set_reason(one.value, partition);
  if (one.value.size() > limits::wish_bytes_max || !is_utf8(one.value) ||
      has_control_characters(one.value))
    return Refusal{"the value of " + printable(one.name) + " is longer than " +
                       std::to_string(limits::wish_bytes_max) + " bytes, or not printable",
                   "make it plain and shorter"};
  partition.made_with = with_setting(std::move(partition.made_with), one);
  return std::nullopt;
}

// Returns the partition with the new values. A new State clears the old Reason.
Result<Partition> changed(const Partition& known, const UpdatePartitions& update) {
  Partition partition = known;
  const auto is_state = [](const NamedValue& one) { return is_word(one.name, "State"); };
  if (std::ranges::any_of(update.values, is_state)) partition.reason.clear();
  for (const NamedValue& one : update.values)
    if (auto f = set_value(one, partition)) return *f;
  return partition;
}

// Checks that no job waits or runs in the partition, since a job's limits and queue position follow
// from the settings; and that no reservation names it. Called before a deletion, and before a
// change of settings that needs this. Slurm: ESLURM_PARTITION_IN_USE.
Failure check_unused(const Cluster& cluster, const std::string& name) {
  for (const JobId id : cluster.jobs().unfinished()) {
    const Job& job = cluster.job(id)->job;
    if (names_partition(*job.spec, name))
      return Refusal{"Partition is in use: job " + command_id(job) + " waits or runs in " + name,
                     "a partition with jobs cannot be deleted, and most of its settings cannot be "
                     "changed: wait for the end of its jobs, or cancel them; State=DRAIN accepts "
                     "no new jobs"};
  }
  for (const auto& [reservation, one] : cluster.reservations().all())
    if (one.partition == name)
      return Refusal{
          "Partition is in use: reservation " + reservation + " is for nodes of " + name,
          "delete the reservation first: until then the partition cannot be deleted, and "
          "most of its settings cannot be changed"};
  return std::nullopt;
}

Failure check_nodes(const Cluster& cluster, const PartitionConfig& partition) {
  for (const std::string& node : partition.nodes)
    if (cluster.node(node) == nullptr)
      return Refusal{"there is no node " + quoted(node), "`cox nodes` lists them"};
  return std::nullopt;
}

Failure check_groups(const UpdatePartitions& update, const HostGroups& found) {
  for (const NamedValue& one : update.values)
    for (const std::string& group : groups_named(one)) {
      const auto known = found.find(group);
      if (known == found.end() || !known->second)
        return Refusal{"Invalid AllowGroups value: " + quoted(one.value),
                       "the controller's host has no group " + quoted(group) +
                           ", or could not look it up in time; `getent group` lists them"};
    }
  return std::nullopt;
}

// Checks the settings of a partition made at run time. REQUIRES: `partition.made_with` has
// settings.
Failure check_made(const Cluster& cluster, const Partition& partition) {
  const auto made =
      made_partition(partition.name, partition.made_with, cluster.partitions().groups());
  if (!made) return made.refusal();
  return check_nodes(cluster, *made);
}

std::string done_text(const Partition& partition) {
  const std::string text = "is " + std::string(name(partition.state)) + ": ";
  switch (partition.state) {
    case PartitionState::Up: return text + "jobs are accepted, and start";
    case PartitionState::Down:
      return text + "jobs are accepted, but none starts; running jobs continue";
    case PartitionState::Drain: return text + "no jobs are accepted; pending jobs still start";
    case PartitionState::Inactive: return text + "no jobs are accepted, and none starts";
  }
  return text;
}

Refusal no_partition(const Cluster& cluster, const std::string& name) {
  std::vector<std::string_view> names;
  for (const auto& p : cluster.config().partitions) names.push_back(p.name);
  const std::string suggestion = did_you_mean(name, names);
  return {"there is no partition " + quoted(name),
          suggestion.empty() ? "`cox show partitions` lists them" : suggestion};
}

Result<Partition> update_of(const Cluster& cluster, const UpdatePartitions& update,
                            const std::string& name) {
  Partition known = cluster.partitions().row(name);
  known.name = name;
  auto partition = changed(known, update);
  if (!partition || partition->made_with == known.made_with) return partition;
  if (!cluster.partitions().is_made(name)) {
    const auto other = std::ranges::find_if_not(update.values, is_of_state);
    return Refusal{
        quoted(other->name) + " of this partition is set in the configuration",
        "change its [[partition]] in coxswain.toml and run `scontrol reconfigure`; State and "
        "Reason are changed here"};
  }
  const auto needs_no_jobs = [](const NamedValue& one) {
    return !is_of_state(one) && !changes_while_used(one.name);
  };
  if (std::ranges::any_of(update.values, needs_no_jobs))
    if (auto f = check_unused(cluster, name)) return *f;
  if (auto f = check_made(cluster, *partition)) return *f;
  return partition;
}

Result<Partition> creation_of(const Cluster& cluster, const UpdatePartitions& update,
                              const std::string& name) {
  if (!is_host_name(name))
    return Refusal{quoted(name) + " is not a name for a partition",
                   "use letters, digits, '-', '_' and '.', a letter or digit first"};
  if (partition_of(cluster.config(), name) != nullptr)
    return Refusal{"there is already a partition " + quoted(name),
                   "`cox show partitions` lists them"};
  if (cluster.config().partitions.size() >= limits::partitions_max)
    return Refusal{"there are " + std::to_string(limits::partitions_max) + " partitions, the limit",
                   "delete some"};
  Partition fresh;
  fresh.name = name;
  auto partition = changed(fresh, update);
  if (!partition) return partition;
  if (auto f = check_made(cluster, *partition)) return *f;
  return partition;
}

Failure check_delete(const Cluster& cluster, const std::string& name) {
  if (cluster.partitions().is_made(name)) return check_unused(cluster, name);
  return Refusal{"partition " + quoted(name) + " is defined in the configuration",
                 "remove its [[partition]] from coxswain.toml and run `scontrol reconfigure`; "
                 "State=INACTIVE closes it at once"};
}

Acted::Outcome update_one(Reaction& r, const Caller& caller, const UpdatePartitions& update,
                          const std::string& name, const Failure& unknown_group) {
  const Cluster& cluster = r.cluster();
  const auto refuse = [&](Refusal why) { return Acted::Outcome{name, "", std::move(why)}; };
  const bool creates = update.verb == PartitionVerb::Create;
  if (!creates && (name.empty() || partition_of(cluster.config(), name) == nullptr))
    return refuse(no_partition(cluster, name));
  if (caller.uid != cluster.config().owner_uid) return refuse(only_for_owner());
  if (update.verb == PartitionVerb::Delete) {
    if (auto f = check_delete(cluster, name)) return refuse(*f);
    r.remove_partition(name);
    return {name, "deleted", std::nullopt};
  }
  if (unknown_group) return refuse(*unknown_group);
  auto partition = creates ? creation_of(cluster, update, name) : update_of(cluster, update, name);
  if (!partition) return refuse(partition.refusal());
  Partition known = cluster.partitions().row(name);
  known.name = name;
  if (creates || !(*partition == known)) r.put(*partition);
  return {name, done_text(*partition), std::nullopt};
}

}  // namespace

Acted update_partitions(Reaction& r, const PeerMessage& incoming, const UpdatePartitions& update) {
  const Failure unknown = check_groups(update, incoming.groups);
  if (!unknown && incoming.caller.uid == r.cluster().config().owner_uid)
    r.know_groups(incoming.groups);
  Acted acted;
  for (const std::string& name : update.partitions)
    acted.outcomes.push_back(update_one(r, incoming.caller, update, name, unknown));
  return acted;
}

}  // namespace cox
