// scontrol show node, partition, reservation, licenses and step.
#include <algorithm>
#include <cmath>
#include <map>

#include "client/slurm/control/records.h"
#include "client/slurm/list/sinfo_rows.h"
#include "client/text/node_state.h"
#include "common/base/hostlist.h"
#include "common/base/text.h"
#include "common/cluster/reservation_flags.h"
#include "common/job/job_ref.h"

namespace cox {
namespace {

TresCounts all_of(const NodeResources& total) {
  return {total.cpus, total.memory_mb, 0, total.cpus, std::ssize(total.gpus)};
}

// Returns "ALL" for an empty list, since tools that parse the output do not accept a
// token without a value.
std::string all_or(const std::vector<std::string>& names) {
  return names.empty() ? "ALL" : joined(names, ",");
}

void add_access(Record& record, const PartitionView& view) {
  record.add("AllowGroups", all_or(view.allow_groups));
  if (view.deny_accounts.empty()) record.add("AllowAccounts", all_or(view.allow_accounts));
  if (!view.deny_accounts.empty()) record.add("DenyAccounts", joined(view.deny_accounts, ","));
  if (view.deny_qos.empty()) record.add("AllowQos", all_or(view.allow_qos));
  if (!view.deny_qos.empty()) record.add("DenyQos", joined(view.deny_qos, ","));
  record.next_line();
}

std::string state_text(const PartitionView& view) {
  return view.state == PartitionState::Up && view.closed ? "DOWN" : std::string(name(view.state));
}

// The nodes of a partition: their names, and the sums of their TRES.
struct PartitionSum {
  std::vector<std::string> names;
  TresCounts counts;
};

PartitionSum sum_of(const PartitionView& view, const NodeList& all) {
  PartitionSum sum;
  for (const NodeView& node : all.nodes) {
    if (std::ranges::find(node.partitions, view.name) == node.partitions.end()) continue;
    sum.names.push_back(node.node.name);
    sum.counts.cpus += node.node.total.cpus;
    sum.counts.memory_mb += node.node.total.memory_mb;
    sum.counts.gpus += std::ssize(node.node.total.gpus);
  }
  sum.counts.nodes = std::ssize(sum.names);
  sum.counts.billing = sum.counts.cpus;
  sort_hostnames(sum.names);
  return sum;
}

// Formats a node's failure score with two decimals.
std::string score_text(double score) {
  constexpr std::int64_t hundred = 100;
  const std::int64_t parts = std::llround(score * hundred);
  const std::int64_t rest = parts % hundred;
  return std::to_string(parts / hundred) + (rest < 10 ? ".0" : ".") + std::to_string(rest);
}

std::string step_state(JobState state) {
  return std::string(name(state));
}

}  // namespace

std::string long_node_state(const NodeView& view) {
  std::string state = "IDLE";
  if (!view.jobs.empty() || view.cpus_used > 0) state = "MIXED";
  if (view.cpus_used > 0 && view.cpus_used >= view.node.total.cpus) state = "ALLOCATED";
  if (view.node.set_down) state = "DOWN";
  if (!view.node.responding) state = "DOWN*";
  if (view.node.drained && !view.node.set_down) state += "+DRAIN";
  if (view.maint) return state + "+MAINTENANCE";
  return view.reservations.empty() ? state : state + "+RESERVED";
}

std::string gres_text_of(const NodeResources& total) {
  std::map<std::string, std::int64_t> gpus;
  for (const GpuDevice& gpu : total.gpus) gpus[gpu.type] += 1;
  std::vector<std::string> words;
  for (const auto& [type, count] : gpus)
    words.push_back("gpu:" + (type.empty() ? "" : type + ":") + std::to_string(count));
  for (const GresCount& one : total.gres)
    words.push_back(one.name + ":" + (one.type.empty() ? "" : one.type + ":") +
                    std::to_string(one.count));
  return joined(words, ",");
}

std::string node_record(const NodeView& view, const RecordView& as) {
  const Node& node = view.node;
  const std::string features = joined_or_null(node.features);
  Record record;
  record.add("NodeName", node.name).add("Arch", "x86_64").add("CoresPerSocket", "1").next_line();
  record.add("CPUAlloc", std::to_string(view.cpus_used))
      .add("CPUEfctv", std::to_string(node.total.cpus))
      .add("CPUTot", std::to_string(node.total.cpus))
      .add("CPULoad", cpu_load_text(view.load))
      .next_line();
  record.add("AvailableFeatures", features).next_line().add("ActiveFeatures", features).next_line();
  record.add("Gres", or_null(gres_text_of(node.total))).next_line();
  if (as.details)
    record.add("GresUsed", view.gpus_used > 0 ? "gpu:" + std::to_string(view.gpus_used) : "(null)")
        .next_line();
  record.add("NodeAddr", or_null(node.address))
      .add("NodeHostName", node.name)
      .add("Version", or_null(node.version))
      .next_line();
  record.add("OS", "Linux").next_line();
  record.add("RealMemory", std::to_string(node.total.memory_mb))
      .add("AllocMem", std::to_string(view.memory_mb_used))
      .add("FreeMem", free_memory_text(view.load))
      .add("Sockets", std::to_string(node.total.cpus))
      .add("Boards", "1")
      .next_line();
  record.add("State", long_node_state(view))
      .add("ThreadsPerCore", "1")
      .add("TmpDisk", "0")
      .add("Weight", std::to_string(node.weight))
      .add("Owner", "N/A")
      .add("MCS_label", "N/A")
      .next_line();
  record.add("Partitions", joined_or_null(view.partitions)).next_line();
  record.add("BootTime", "None").add("SlurmdStartTime", "None").next_line();
  record.add("LastBusyTime", record_moment(node.changed, as.screen, "Unknown"))
      .add("ResumeAfterTime", "None")
      .next_line();
  record.add("CfgTRES", tres_counts_text(all_of(node.total))).next_line();
  record
      .add("AllocTRES",
           tres_counts_text({view.cpus_used, view.memory_mb_used, 0, 0, view.gpus_used}))
      .next_line();
  record.add("CapWatts", "n/a").next_line().add("CurrentWatts", "0").add("AveWatts", "0");
  record.next_line()
      .add("ExtSensorsJoules", "n/a")
      .add("ExtSensorsWatts", "0")
      .add("ExtSensorsTemp", "n/a");
  if (!node.reason.empty())
    record.next_line().add("Reason", node.reason + " [" + reason_user(node) +
                                         (node.reason_by.empty() ? "" : "@") +
                                         record_moment(node.changed, as.screen, "Unknown") + "]");
  if (view.failure_score > 0) {
    std::vector<std::string> jobs;
    for (const NodeFailure& one : node.failures) jobs.push_back(std::to_string(one.job.value));
    record.next_line()
        .add("FailureScore", score_text(view.failure_score))
        .add("FailedJobs", joined(jobs, ","));
  }
  if (!view.reservations.empty())
    record.next_line().add("ReservationName", joined(view.reservations, ","));
  return record.text(as.one_line);
}

std::string partition_record(const PartitionView& view, const NodeList& all, const RecordView& as) {
  const PartitionSum sum = sum_of(view, all);
  Record record;
  record.add("PartitionName", view.name).next_line();
  add_access(record, view);
  record.add("AllocNodes", "ALL")
      .add("Default", yes_or_no(view.is_default))
      .add("QoS", view.qos.empty() ? "N/A" : view.qos)
      .next_line();
  const std::int64_t given = view.time_limit_default_s;
  record.add("DefaultTime", given == 0 ? "NONE" : record_limit(given))
      .add("DisableRootJobs", "NO")
      .add("ExclusiveUser", "NO")
      .add("GraceTime", "0")
      .add("Hidden", "NO")
      .next_line();
  record.add("MaxNodes", count_or_unlimited(view.max_nodes))
      .add("MaxTime", record_limit(view.time_limit_max_s))
      .add("MinNodes", std::to_string(view.min_nodes))
      .add("LLN", "NO")
      .add("MaxCPUsPerNode", "UNLIMITED")
      .add("MaxCPUsPerSocket", "UNLIMITED")
      .next_line();
  record.add("Nodes", nodes_or_null(sum.names)).next_line();
  record.add("PriorityJobFactor", std::to_string(view.priority))
      .add("PriorityTier", std::to_string(view.priority_tier))
      .add("RootOnly", "NO")
      .add("ReqResv", "NO")
      .add("OverSubscribe", view.exclusive ? "EXCLUSIVE" : "NO")
      .next_line();
  record.add("OverTimeLimit", "NONE").add("PreemptMode", preempt_mode_name(view)).next_line();
  record.add("State", state_text(view))
      .add("TotalCPUs", std::to_string(sum.counts.cpus))
      .add("TotalNodes", std::to_string(sum.counts.nodes))
      .add("SelectTypeParameters", "NONE")
      .next_line();
  record.add("JobDefaults", "(null)").next_line();
  const std::int64_t per_cpu = view.memory_mb_per_cpu_default;
  if (per_cpu > 0) record.add("DefMemPerCPU", std::to_string(per_cpu));
  if (per_cpu == 0) record.add("DefMemPerNode", "UNLIMITED");
  record.add("MaxMemPerNode", count_or_unlimited(view.max_memory_mb_per_node)).next_line();
  record.add("TRES", or_null(tres_counts_text(sum.counts)));
  if (!view.tres_billing_weights.empty())
    record.next_line().add("TRESBillingWeights", view.tres_billing_weights);
  return record.text(as.one_line);
}

std::string reservation_record(const ReservationView& view, const NodeList& all,
                               const RecordView& as) {
  const AdvanceReservation& r = view.reservation;
  std::int64_t cpus = 0;
  for (const NodeView& node : all.nodes)
    if (std::ranges::find(r.nodes, node.node.name) != r.nodes.end()) cpus += node.node.total.cpus;
  Record record;
  record.add("ReservationName", r.name)
      .add("StartTime", record_moment(r.begin, as.screen, "Unknown"))
      .add("EndTime", record_moment(r.end, as.screen, "Unknown"))
      .add("Duration", record_clock((r.end - r.begin).count() / 1000))
      .next_line();
  record.add("Nodes", nodes_or_null(r.nodes))
      .add("NodeCnt", std::to_string(r.nodes.size()))
      .add("CoreCnt", std::to_string(cpus))
      .add("Features", or_null(r.features))
      .add("PartitionName", or_null(r.partition))
      .add("Flags", flags_text(r) + (r.nodes_asked.empty()   ? ""
                                     : flags_text(r).empty() ? "SPEC_NODES"
                                                             : ",SPEC_NODES"))
      .next_line();
  record.add("TRES", tres_counts_text({cpus, 0, 0, 0, 0})).next_line();
  record.add("Users", joined_or_null(r.users))
      .add("Groups", "(null)")
      .add("Accounts", joined_or_null(r.accounts))
      .add("Licenses", "(null)")
      .add("State", view.active ? "ACTIVE" : "INACTIVE")
      .add("BurstBuffer", "(null)")
      .add("Watts", "n/a")
      .next_line();
  record.add("MaxStartDelay", "(null)");
  return record.text(as.one_line);
}

std::string licence_record(const LicenceView& view, const RecordView& as) {
  Record record;
  record.add("LicenseName", view.name).next_line();
  record.add("Total", std::to_string(view.total))
      .add("Used", std::to_string(view.used))
      .add("Free", std::to_string(view.total - view.used))
      .add("Reserved", "0")
      .add("Remote", "no");
  return record.text(as.one_line);
}

std::string step_job_name(const JobView& view) {
  return is_of_array(view.job) && !has_several_tasks(view.job) ? shown_id(view.job)
                                                               : std::to_string(view.job.id.value);
}

std::string step_record(const StepFacts& step, const RecordView& as) {
  Record record;
  record.add("StepId", step.id)
      .add("UserId", std::to_string(step.uid))
      .add("StartTime", record_moment(step.started, as.screen, "Unknown"))
      .add("TimeLimit", record_limit(step.limit_s))
      .next_line();
  record.add("State", step.state)
      .add("Partition", step.partition)
      .add("NodeList", nodes_or_null(step.nodes))
      .next_line();
  record.add("Nodes", std::to_string(step.nodes.size()))
      .add("CPUs", std::to_string(step.cpus))
      .add("Tasks", std::to_string(step.tasks))
      .add("Name", step.name)
      .add("Network", "(null)")
      .next_line();
  record.add("TRES", or_null(step.tres)).next_line().add("ResvPorts", "(null)").next_line();
  record.add("CPUFreqReq", "Default");
  if (!step.distribution.empty()) record.add("Dist", step.distribution);
  record.next_line().add("SrunHost:Pid", "(null):0");
  return record.text(as.one_line);
}

StepFacts step_facts(const StepView& view, std::uint32_t uid) {
  const Step& step = view.step;
  const bool of_array = view.array_job != JobId{};
  const std::string job = of_array ? format_job_ref(view.array_job, std::to_string(view.array_task))
                                   : std::to_string(step.key.attempt.job.value);
  StepFacts facts;
  facts.id = job + "." + std::to_string(step.key.number);
  facts.uid = uid;
  facts.started = step.started;
  facts.limit_s = step.spec.time_limit_s;
  facts.state = step_state(step.state);
  facts.partition = view.partition;
  std::int64_t memory_mb = 0, gpus = 0;
  for (const StepNode& node : step.nodes) {
    facts.nodes.push_back(node.node);
    facts.cpus += node.cpus;
    memory_mb += node.memory_mb;
    gpus += std::ssize(node.gpus);
  }
  facts.tasks = step.tasks;
  facts.name = step.spec.name;
  facts.tres = tres_counts_text({facts.cpus, memory_mb, std::ssize(step.nodes), 0, gpus});
  facts.distribution = step.spec.distribution == Distribution::Cyclic ? "Cyclic" : "Block";
  return facts;
}

StepFacts batch_step_facts(const JobView& view) {
  StepFacts facts;
  facts.id = step_job_name(view) + ".batch";
  facts.uid = view.job.spec->uid;
  facts.started = view.job.started;
  facts.state = std::string(name(view.job.state));
  facts.partition = view.partition;
  if (!view.nodes.empty()) facts.nodes = {view.nodes.front()};
  facts.tasks = 1;
  facts.name = "batch";
  return facts;
}

}  // namespace cox
