// Chooses the nodes of an advance reservation, or explains why there are too few.
#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "common/base/hostlist.h"
#include "common/base/moment_text.h"
#include "common/base/nearest.h"
#include "common/base/text.h"
#include "common/cluster/config.h"
#include "common/resources/tres.h"
#include "common/syntax/constraint.h"
#include "controller/accounting/limit_warnings.h"
#include "controller/feed/engine_input.h"
#include "controller/feed/save_time.h"
#include "controller/job/request.h"
#include "controller/state/node_health.h"
#include "controller/state/reservations.h"
#include "schedule/explain/explain_text.h"
#include "schedule/queue/quota.h"

namespace cox {
namespace {

// Returns when a running job is over at the latest; nullopt: it has no time limit.
std::optional<Wall> end_of(const Cluster& cluster, const JobEntry& e, Now now) {
  if (const auto end = latest_end(cluster, e)) return now.wall + (*end - now.boot);
  if (e.time_limit_s() == 0) return std::nullopt;
  return now.wall + std::chrono::seconds{e.time_limit_s()} +
         grace_after_limit(cluster, *e.job.spec);
}

// Another reservation of the same node whose time overlaps although that is not allowed, and its
// first occurrence that does.
struct Meeting {
  const AdvanceReservation* other = nullptr;
  Occurrence when;
};
using ReservedThen = std::map<std::string, Meeting>;  // by node

ReservedThen reserved_then(const Cluster& cluster, const AdvanceReservation& r, Now now) {
  ReservedThen reserved;
  if (r.overrules()) return reserved;
  for (const auto& [name, other] : cluster.reservations().all()) {
    if (name == r.name || other.overrules()) continue;
    if (const auto when = first_overlap(r, other, now.wall))
      for (const std::string& node : other.nodes) reserved.emplace(node, Meeting{&other, *when});
  }
  return reserved;
}

// Returns a job that may still run on the node when the reservation begins; null: none. Jobs of all
// users count, since no job of the reservation could start there meanwhile; jobs that run in the
// reservation do not.
const JobEntry* runs_into(const Cluster& cluster, const AdvanceReservation& r,
                          const std::string& node, Now now) {
  if (r.ignore_jobs) return nullptr;
  for (const JobId id : cluster.jobs().on_node(node)) {
    const JobEntry& e = *cluster.job(id);
    if (e.job.state == JobState::Completing || is_in_reservation(cluster, e, r.name, now)) continue;
    const auto end = end_of(cluster, e, now);
    if (!end || *end > r.begin) return &e;
  }
  return nullptr;
}

// The nodes of the reservation's partition; all nodes if it names no partition, or if the partition
// lists none. REQUIRES: a named partition exists.
class PartitionNodes {
 public:
  PartitionNodes(const Cluster& cluster, const AdvanceReservation& r) {
    if (r.partition.empty()) return;
    const auto& listed = partition_of(cluster.config(), r.partition)->nodes;
    names_ = {listed.begin(), listed.end()};
  }
  bool has(const std::string& node) const { return names_.empty() || names_.contains(node); }

 private:
  std::set<std::string> names_;
};

Failure check_partition(const Cluster& cluster, const AdvanceReservation& r) {
  if (r.partition.empty() || partition_of(cluster.config(), r.partition) != nullptr)
    return std::nullopt;
  std::vector<std::string_view> names;
  for (const PartitionConfig& one : cluster.config().partitions) names.push_back(one.name);
  const std::string suggestion = did_you_mean(r.partition, names);
  return Refusal{"there is no partition " + quoted(r.partition),
                 suggestion.empty() ? "`cox show partitions` lists them" : suggestion};
}

Result<std::vector<std::string>> nodes_named(const Cluster& cluster, const AdvanceReservation& r) {
  const auto names = expand_hostlist(r.nodes_asked);
  if (!names) return names.refusal();
  std::vector<std::string_view> known;
  for (const auto& [name, node] : cluster.nodes().all()) known.push_back(name);
  const PartitionNodes partition(cluster, r);
  for (const std::string& name : *names) {
    if (cluster.node(name) == nullptr) {
      const std::string suggestion = did_you_mean(name, known);
      return Refusal{"there is no node " + quoted(name),
                     suggestion.empty() ? "`cox nodes` lists them" : suggestion};
    }
    if (!partition.has(name))
      return Refusal{"node " + name + " is not in partition " + r.partition,
                     "name nodes of that partition, or leave the partition out (PartitionName=)"};
  }
  return *names;
}

// Returns the nodes of the reservation's partition that have the features that it requests.
std::vector<std::string> nodes_that_match(const Cluster& cluster, const AdvanceReservation& r) {
  const auto constraint = parse_constraint(r.features);
  std::vector<std::string> matching;
  const PartitionNodes partition(cluster, r);
  for (const auto& [name, node] : cluster.nodes().all()) {
    if (!partition.has(name)) continue;
    std::vector<std::string> features = node.features;
    std::ranges::sort(features);
    if (!constraint->alternatives.empty() &&
        !constraint->alternatives.front().every.node_satisfies(features))
      continue;
    matching.push_back(name);
  }
  sort_hostnames(matching);
  return matching;
}

std::int64_t amount_on(const Node& node, const TresCount& asked) {
  switch (asked.what) {
    case Tres::Nodes: return 1;
    case Tres::Cpus: return node.total.cpus;
    case Tres::MemoryMb: return node.total.memory_mb;
    case Tres::GpuMilli:
      return gpu_whole * std::ranges::count_if(node.total.gpus, [&](const GpuDevice& gpu) {
               return asked.type.empty() || gpu.type == asked.type;
             });
    case Tres::Gres: {
      std::int64_t count = 0;
      for (const GresCount& gres : node.total.gres)
        if (gres.name == asked.name && (asked.type.empty() || gres.type == asked.type))
          count += gres.count;
      return count;
    }
    case Tres::Jobs:
    case Tres::Licences: return 0;
  }
  return 0;
}

// What is still to be picked for a reservation: a number of nodes, and amounts of resources on all
// of them together.
class Wanted {
 public:
  explicit Wanted(const AdvanceReservation& r)
      : nodes_left_(r.node_count), all_(r.node_count == 0 && r.tres.empty()) {
    if (const auto tres = parse_tres(r.tres)) left_ = *tres;
  }

  bool is_had() const {
    return !all_ && nodes_left_ <= 0 &&
           std::ranges::all_of(left_, [](const TresCount& one) { return one.count <= 0; });
  }
  // Returns whether the reservation gets all nodes that match.
  bool wants_all() const { return all_; }
  bool is_use(const Node& node) const {
    return all_ || nodes_left_ > 0 || std::ranges::any_of(left_, [&](const TresCount& one) {
             return one.count > 0 && amount_on(node, one) > 0;
           });
  }
  void take(const Node& node) {
    --nodes_left_;
    for (TresCount& one : left_) one.count -= amount_on(node, one);
  }
  std::string missing_text() const {
    std::string text;
    const auto add = [&text](const std::string& what) {
      text += (text.empty() ? "" : ", ") + what;
    };
    if (nodes_left_ > 0) add(std::to_string(nodes_left_) + (nodes_left_ == 1 ? " node" : " nodes"));
    for (const TresCount& one : left_)
      if (one.count > 0) add(tres_name(one) + "=" + tres_amount(one));
    return text;
  }

 private:
  std::int64_t nodes_left_;
  bool all_;
  TresList left_;
};

// Counts the matching nodes that a reservation could not get, by cause, for the refusal.
struct PassedOver {
  std::int64_t unusable = 0;
  std::map<std::string, std::int64_t> reserved;  // by reservation
  std::set<std::string> jobs;                    // ids of some of the jobs on the busy nodes
  std::int64_t busy = 0;
};

Refusal too_few(const AdvanceReservation& r, const Wanted& wanted, std::size_t matching,
                const PassedOver& over) {
  std::string fact = "too few nodes: of " + std::to_string(matching) + " that match,";
  std::int64_t reserved = 0;
  std::string by;
  for (const auto& [name, count] : over.reserved) {
    reserved += count;
    by += (by.empty() ? "" : ", ") + name;
  }
  fact += " " + std::to_string(reserved) + (reserved == 1 ? " is" : " are") + " reserved then" +
          (by.empty() ? "" : " (" + by + ")") + " and " + std::to_string(over.busy) +
          (over.busy == 1 ? " runs" : " run") + " jobs that end after it begins at " +
          moment_text(r.begin);
  if (over.unusable > 0)
    fact += ", " + std::to_string(over.unusable) + (over.unusable == 1 ? " is" : " are") +
            " down or drained";
  std::string jobs;
  for (const std::string& job : over.jobs) jobs += (jobs.empty() ? "" : ", ") + job;
  if (!jobs.empty()) fact += " (" + jobs + ")";
  return {fact + "; still missing: " + wanted.missing_text(),
          "begin later, ask for less, or give Flags=IGNORE_JOBS"};
}

// Refuses the reservation if fewer nodes match than it requests, even if all were idle and
// unreserved. Then a later begin would not help.
Failure check_enough_match(const Cluster& cluster, const AdvanceReservation& r,
                           const std::vector<std::string>& matching) {
  const std::string where = r.partition.empty() ? "" : " of partition " + r.partition;
  if (matching.empty())
    return Refusal{r.features.empty() ? "there is no node" + where
                                      : "no node" + where + " has feature " + r.features,
                   "`cox nodes` lists what there is, `cox show node NAME` its features"};
  if (const auto tres = parse_tres(r.tres))
    for (const TresCount& one : *tres)
      if (schedule::is_of_nodes(one) && one.count > 0 && cluster.nodes().total_of(one) == 0)
        return Refusal{absence_text(cluster, one), "`cox nodes` lists what there is"};
  Wanted wanted(r);
  for (const std::string& name : matching)
    if (!wanted.is_had()) wanted.take(*cluster.node(name));
  if (wanted.wants_all() || wanted.is_had()) return std::nullopt;
  const auto count = matching.size();
  return Refusal{"only " + std::to_string(count) + (count == 1 ? " node" : " nodes") + where +
                     (count == 1 ? " matches" : " match") +
                     "; still missing: " + wanted.missing_text(),
                 "ask for less"};
}

// Returns whether the reservation gets only nodes that are neither down nor drained now. As in
// Slurm, this is so if it asks for a number of nodes and is not for maintenance.
bool needs_usable_nodes(const AdvanceReservation& r) {
  return !r.maint && (r.node_count > 0 || !r.tres.empty());
}

// Picks nodes that match for the reservation. Preferred are nodes on which jobs of the reservation
// run, then usable nodes, then nodes that it already has, then those with the fewest jobs.
Result<std::vector<std::string>> nodes_picked(const Cluster& cluster, const AdvanceReservation& r,
                                              Now now) {
  constexpr std::size_t jobs_named_max = 4;
  auto matching = nodes_that_match(cluster, r);
  const auto is_kept = [&](const std::string& name) {
    return std::ranges::binary_search(r.nodes, name, host_name_before) &&
           has_jobs_of(cluster, name, r.name, now);
  };
  std::ranges::stable_sort(matching, {}, [&](const std::string& name) {
    const Node& node = *cluster.node(name);
    return std::tuple(!is_kept(name), !takes_work(node),
                      !std::ranges::binary_search(r.nodes, name, host_name_before),
                      cluster.jobs().on_node(name).size());
  });
  if (auto failure = check_enough_match(cluster, r, matching)) return *failure;
  const ReservedThen reserved = reserved_then(cluster, r, now);
  Wanted wanted(r);
  PassedOver over;
  std::vector<std::string> picked;
  for (const std::string& name : matching) {
    const Node& node = *cluster.node(name);
    if (wanted.is_had()) break;
    if (!wanted.is_use(node)) continue;
    if (!takes_work(node) && needs_usable_nodes(r) && !is_kept(name)) {
      over.unusable += 1;
    } else if (const auto other = reserved.find(name); other != reserved.end()) {
      over.reserved[other->second.other->name] += 1;
    } else if (const JobEntry* e = runs_into(cluster, r, name, now)) {
      over.busy += 1;
      if (over.jobs.size() < jobs_named_max)
        over.jobs.insert(schedule::job_text(e->job.id, titles_of(cluster)));
    } else {
      picked.push_back(name);
      wanted.take(node);
    }
  }
  const bool passed_some = over.busy > 0 || !over.reserved.empty();
  if (wanted.wants_all() ? passed_some || picked.empty() : !wanted.is_had())
    return too_few(r, wanted, matching.size(), over);
  return picked;
}

}  // namespace

Result<std::vector<std::string>> nodes_to_reserve(const Cluster& cluster,
                                                  const AdvanceReservation& r, Now now) {
  if (auto failure = check_partition(cluster, r)) return *failure;
  auto nodes = r.nodes_asked == "ALL"   ? Result(nodes_that_match(cluster, r))
               : !r.nodes_asked.empty() ? nodes_named(cluster, r)
                                        : nodes_picked(cluster, r, now);
  if (!nodes) return nodes;
  if (nodes->empty() && !r.partition.empty())
    return Refusal{"no node of partition " + r.partition + " matches",
                   "see `cox nodes` for what there is"};
  sort_hostnames(*nodes);
  const auto repeated = std::ranges::unique(*nodes);
  nodes->erase(repeated.begin(), repeated.end());
  if (nodes->empty()) return Refusal{"no node matches", "see `cox nodes` for what there is"};
  return nodes;
}

bool has_jobs_of(const Cluster& cluster, const std::string& node, const std::string& reservation,
                 Now now) {
  return std::ranges::any_of(cluster.jobs().on_node(node), [&](JobId id) {
    return is_in_reservation(cluster, *cluster.job(id), reservation, now);
  });
}

Failure check_reserved_nodes(const Cluster& cluster, const AdvanceReservation& r, Now now) {
  const ReservedThen reserved = reserved_then(cluster, r, now);
  for (const std::string& node : r.nodes) {
    if (const auto other = reserved.find(node); other != reserved.end())
      return Refusal{"node " + node + " is reserved then: " + other->second.other->name +
                         ", from " + moment_text(other->second.when.begin) + " until " +
                         moment_text(other->second.when.end),
                     "choose other nodes or another time, or give Flags=OVERLAP"};
    if (const JobEntry* e = runs_into(cluster, r, node, now)) {
      const auto end = end_of(cluster, *e, now);
      return Refusal{
          schedule::job_text(e->job.id, titles_of(cluster)) + " runs on " + node +
              (end ? " until " + moment_text(*end) + " at the latest" : " without a time limit") +
              ", and reservation " + r.name + " begins at " + moment_text(r.begin),
          "begin later, choose other nodes, or give Flags=IGNORE_JOBS"};
    }
  }
  return std::nullopt;
}

}  // namespace cox
