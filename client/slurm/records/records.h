// What scontrol shows: each thing as a Record, with Slurm's keys in Slurm's order. What Coxswain
// does not have is printed as Slurm prints what is not there. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "client/slurm/text/record.h"
#include "client/text/screen.h"
#include "common/messages/messages.h"

namespace cox {

// What a record needs to know beside the answer.
struct RecordView {
  Screen screen;
  bool one_line = false;
  bool details = false;
  std::string (*group_name)(std::uint32_t gid) = nullptr;
};

// `priority`: of one that waits in line, as ListPriorities tells it. `grants`: what it holds on its
// nodes, where that is known, for the details.
std::string job_record(const JobView& view, std::optional<double> priority, const RecordView& as,
                       const Placement& grants = {});
std::string node_record(const NodeView& view, const RecordView& as);
// With its nodes, out of all there are.
std::string partition_record(const PartitionView& view, const NodeList& all, const RecordView& as);
std::string reservation_record(const ReservationView& view, const NodeList& all,
                               const RecordView& as);
std::string licence_record(const LicenceView& view, const RecordView& as);

// The shown facts about a step. In Slurm the batch script of a running job is a step, too.
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
// "17", "17_4": as steps of it are named.
std::string step_job_name(const JobView& view);

// "IDLE", "MIXED+DRAIN", "DOWN*".
std::string long_node_state(const NodeView& view);
// "gpu:h100:4,fpga:1"; empty: none.
std::string gres_text_of(const NodeResources& total);
// "cpu=4,mem=8G,node=1,billing=4,gres/gpu=2", in the order Slurm has; counts of 0 are left out.
struct TresCounts {
  std::int64_t cpus = 0;
  std::int64_t memory_mb = 0;
  std::int64_t nodes = 0;
  std::int64_t billing = 0;
  std::int64_t gpus = 0;
};
std::string tres_counts_text(const TresCounts& counts);

}  // namespace cox
