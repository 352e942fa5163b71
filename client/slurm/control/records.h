// The texts of `scontrol show`: jobs, nodes and so on, each as a Record of Key=Value tokens in
// Slurm's order. A key without a counterpart in Coxswain gets the value that Slurm shows where a
// feature is not in use. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "client/slurm/text/record.h"
#include "client/text/screen.h"
#include "common/messages/messages.h"

namespace cox {

// How records are shown: time and time zone, -o (on one line), -d (with details), and functions
// that look up the name of a group and the number of a user. `user_id` returns nothing if this host
// knows no such user.
struct RecordView {
  Screen screen;
  bool one_line = false;
  bool details = false;
  std::string (*group_name)(std::uint32_t gid) = nullptr;
  std::optional<std::uint32_t> (*user_id)(const std::string& name) = nullptr;
};

// Returns the record of a job. `priority`: the priority of a queued job, from the reply to
// ListPriorities. `grants`: CPUs, memory and GPUs that the job holds on each node, if known; shown
// with RecordView::details.
std::string job_record(const JobView& view, std::optional<double> priority, const RecordView& as,
                       const Placement& grants = {});
std::string node_record(const NodeView& view, const RecordView& as);
// Returns the record of a partition. `all` has all nodes of the cluster, from which the record
// takes the nodes of the partition.
std::string partition_record(const PartitionView& view, const NodeList& all, const RecordView& as);
std::string reservation_record(const ReservationView& view, const NodeList& all,
                               const RecordView& as);
std::string licence_record(const LicenceView& view, const RecordView& as);

// What is shown of a step. As in Slurm, the batch script of a running job is shown as a step, too.
struct StepFacts {
  std::string id;
  std::uint32_t uid = 0;
  Wall started{};
  std::int64_t limit_s = 0;
  std::string state;
  std::string partition;
  std::vector<std::string> nodes;
  std::int64_t cpus = 0;
  std::int64_t tasks = 0;
  std::string name;
  std::string tres;
  std::string distribution;
};
StepFacts step_facts(const StepView& view, std::uint32_t uid);
StepFacts batch_step_facts(const JobView& view);
std::string step_record(const StepFacts& step, const RecordView& as);
// Returns the id of the job as it begins the ids of its steps: "17" or, for an array task, "17_4".
std::string step_job_name(const JobView& view);

// Returns the state of a node as scontrol shows it: "IDLE", "MIXED+DRAIN", "DOWN*".
std::string long_node_state(const NodeView& view);
// Returns the GRES of a node: "gpu:h100:4,fpga:1". Empty if the node has none.
std::string gres_text_of(const NodeResources& total);
// Counts of TRES. tres_counts_text() returns "cpu=4,mem=8G,node=1,billing=4,gres/gpu=2", in Slurm's
// order and without counts of 0.
struct TresCounts {
  std::int64_t cpus = 0;
  std::int64_t memory_mb = 0;
  std::int64_t nodes = 0;
  std::int64_t billing = 0;
  std::int64_t gpus = 0;
};
std::string tres_counts_text(const TresCounts& counts);

}  // namespace cox
