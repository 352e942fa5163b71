// What a job asks for. Jobs that ask for the same share one Request in memory (request_pool.h), so
// that a pass works out only once which nodes could serve it (matcher.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/base/fields.h"
#include "common/base/shared.h"
#include "common/base/time.h"
#include "common/job/job.h"
#include "common/job/resources.h"
#include "common/resources/gres.h"
#include "common/resources/licence.h"

namespace cox::schedule {

struct Request {
  // Size.
  std::int64_t nodes = 1;           // at least 1
  std::int64_t tasks = 1;           // at least `nodes`
  std::int64_t nodes_most = 0;      // of an elastic job: the most nodes it can use; 0: not elastic
  std::vector<std::int64_t> sizes;  // the only node counts allowed, ascending; empty: any in range
  std::int64_t tasks_per_node = 0;  // most tasks on one node; 0: no bound
  std::int64_t cpus_per_task = 1;
  std::int64_t min_cpus = 0;  // fewest CPUs on each node; 0: not asked for (min_cpus.h)
  std::int64_t memory_mb_per_node = 0;
  // all memory of each node (--mem=0); `memory_mb_per_node` is then that of the largest node
  bool whole_memory = false;
  bool exclusive = false;

  // GPUs, GRES, licences.
  std::vector<std::string> gpu_types;  // the job accepts any of these types; empty: any type
  std::int64_t gpus_per_node = 0;
  // thousandths of each GPU; below gpu_whole: a part of one GPU on each node
  std::int32_t gpu_milli = gpu_whole;
  bool joined_gpus = false;            // the GPUs on each node must be joined to each other
  std::vector<GresCount> gres;         // on each node
  std::vector<LicenceCount> licences;  // of the cluster

  // Nodes.
  // names of the nodes of the job's partitions; empty: all nodes
  std::vector<std::string> partition_nodes;
  std::string partition_gone;  // name of the job's partition if that was removed; empty: it was not
  std::vector<std::string> nodelist;  // all of these must be part of the placement
  std::vector<std::string> exclude;   // none of these
  std::vector<std::string> avoid;     // none of these, if the job could start without them
  std::string constraint;             // one alternative of the job's --constraint (constraint.h)
  std::string reservation;            // the advance reservation that the job uses; empty: none

  // Topology.
  bool contiguous = false;    // the job's nodes must be consecutive (contiguous.h)
  std::int64_t switches = 0;  // on at most this many leaf switches; 0: on any number
  // After being eligible for so long, the job accepts any number of switches; 0: never.
  Milliseconds switches_wait{0};
  std::string topology_level;  // all nodes in one domain of this level; empty: not asked for

  // The components of a heterogeneous job; empty: it has none. Each component is placed on nodes of
  // its own. The request itself then has only these fields: the nodes and tasks of all components
  // together, the licences, the GRES (the same for all components), `avoid` and `reservation`.
  std::vector<Shared<Request>> components;

  // The request to try if this one does not fit: with GPUs of another type, another alternative of
  // the constraint, or nodes without the preferred features.
  std::optional<Shared<Request>> otherwise;

  COX_FIELDS(nodes, tasks, tasks_per_node, cpus_per_task, memory_mb_per_node, gpu_types,
             gpus_per_node, gpu_milli, joined_gpus, exclusive, partition_nodes, partition_gone,
             nodelist, avoid, exclude, whole_memory, constraint, nodes_most, sizes, gres, licences,
             switches, switches_wait, topology_level, reservation, min_cpus, contiguous, components,
             otherwise);
  bool operator==(const Request&) const = default;
};

}  // namespace cox::schedule
