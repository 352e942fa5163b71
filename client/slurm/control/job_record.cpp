// scontrol show job.
#include <algorithm>
#include <cmath>

#include "client/show/show_words.h"
#include "client/slurm/control/records.h"
#include "client/slurm/list/job_fields.h"
#include "common/base/text.h"
#include "common/job/job_ref.h"
#include "common/job/output_path.h"
#include "common/resources/gpu_wish.h"

namespace cox {
namespace {

std::int64_t nodes_of(const JobView& view) {
  return view.nodes.empty() ? view.job.spec->nodes : std::ssize(view.nodes);
}

TresCounts counts_of(const JobView& view) {
  const JobSpec& spec = *view.job.spec;
  TresCounts counts;
  counts.nodes = nodes_of(view);
  counts.cpus = view.cpus > 0 ? view.cpus : spec.tasks * spec.cpus_per_task;
  counts.memory_mb = view.memory_mb > 0 ? view.memory_mb : counts.nodes * spec.memory_mb_per_node;
  counts.gpus = view.gpus > 0 ? view.gpus : counts.nodes * spec.gpus_per_node;
  counts.billing = counts.cpus;
  return counts;
}

std::string priority_text(const JobView& view, std::optional<double> priority) {
  if (view.job.state == JobState::Pending && view.job.held) return "0";
  // as in Slurm, 0 means held, so any other job has at least 1
  return std::to_string(std::max<long long>(1, std::llround(priority.value_or(1))));
}

Wall start_of(const JobView& view) {
  return view.job.state == JobState::Pending ? view.expected_start : view.job.started;
}

Wall end_of(const JobView& view) {
  if (view.job.ended != Wall{}) return view.job.ended;
  const Wall start = start_of(view);
  const std::int64_t limit_s = time_limit_s(view);
  if (start == Wall{} || limit_s == 0) return Wall{};
  if (view.left_ms >= 0 && is_live(view.job.state) && view.ran_ms > 0)
    return start + Milliseconds{view.ran_ms + view.left_ms};
  return start + std::chrono::seconds{limit_s};
}

void add_names(Record& record, const JobView& view, const RecordView& as) {
  const Job& job = view.job;
  const JobSpec& spec = *job.spec;
  record.add("JobId", std::to_string(job.id.value));
  if (job.component >= 0) {
    record.add("HetJobId", std::to_string(job.id.value));
    record.add("HetJobOffset", std::to_string(job.component));
    record.add("HetJobIdSet", std::to_string(job.id.value));
  }
  if (is_of_array(job)) {
    const std::string tasks = has_several_tasks(job) ? format_array_tasks(job.array_tasks)
                                                     : std::to_string(job.array_task);
    const std::string limit =
        job.array_limit > 0 && has_several_tasks(job) ? "%" + std::to_string(job.array_limit) : "";
    record.add("ArrayJobId", std::to_string(job.array_job.value));
    record.add("ArrayTaskId", tasks + limit);
    if (job.array_limit > 0) record.add("ArrayTaskThrottle", std::to_string(job.array_limit));
  }
  record.add("JobName", spec.name).next_line();
  const std::string group = as.group_name == nullptr ? "" : as.group_name(spec.gid);
  record.add("UserId", spec.user_name + "(" + std::to_string(spec.uid) + ")")
      .add("GroupId", group + "(" + std::to_string(spec.gid) + ")")
      .add("MCS_label", "N/A")
      .next_line();
}

void add_state(Record& record, const JobView& view, std::optional<double> priority,
               const RecordView& as) {
  const Job& job = view.job;
  const JobSpec& spec = *job.spec;
  record.add("Priority", priority_text(view, priority))
      .add("Nice", std::to_string(spec.nice))
      .add("Account", or_null(spec.account))
      .add("QOS", or_null(spec.qos));
  if (!spec.wckey.empty()) record.add("WCKey", spec.wckey);
  record.next_line()
      .add("JobState", std::string(name(job.state)))
      .add("Reason", wait_or_end_reason(view))
      .add("Dependency", or_null(job_dependencies(view)))
      .next_line();
  const std::string exit = std::to_string(job.exit_code) + ":" + std::to_string(job.exit_signal);
  record.add("Requeue", spec.requeue ? "1" : "0")
      .add("Restarts", std::to_string(job.restarts))
      .add("BatchFlag", spec.form == JobForm::Batch ? "1" : "0")
      .add("Reboot", "0")
      .add("ExitCode", exit)
      .next_line();
  if (as.details) record.add("DerivedExitCode", "0:0").next_line();
}

void add_times(Record& record, const JobView& view, const RecordView& as) {
  const Job& job = view.job;
  const JobSpec& spec = *job.spec;
  const auto moment = [&](Wall t, const char* otherwise) {
    return record_moment(t, as.screen, otherwise);
  };
  const bool held = job.state == JobState::Pending && job.held && spec.begin == Wall{};
  const Wall eligible = job.eligible == Wall{} ? spec.begin : job.eligible;
  record.add("RunTime", record_clock(job.state == JobState::Pending ? 0 : view.ran_ms / 1000))
      .add("TimeLimit", record_limit(time_limit_s(view)))
      .add("TimeMin", spec.time_min_s == 0 ? "N/A" : record_limit(spec.time_min_s))
      .next_line();
  record.add("SubmitTime", moment(job.submitted, "Unknown"))
      .add("EligibleTime", held ? "Unknown" : moment(eligible, "Unknown"))
      .next_line();
  record.add("AccrueTime", held || job.held ? "Unknown" : moment(eligible, "Unknown")).next_line();
  record.add("StartTime", moment(start_of(view), "Unknown"))
      .add("EndTime", moment(end_of(view), "Unknown"))
      .add("Deadline", moment(spec.deadline, "N/A"))
      .next_line();
  if (!view.crontab_spec.empty())
    record.add("CronJob", "Yes").add("CrontabSpec", "\"" + view.crontab_spec + "\"").next_line();
  if (job.state != JobState::Pending && job.started != Wall{})
    record.add("PreemptEligibleTime", moment(job.started, "None"))
        .add("PreemptTime", "None")
        .next_line();
  // A job that may not start yet was looked at when it was submitted.
  const bool waits_for_time = job.eligible > as.screen.now;
  const Wall evaluated = job.started != Wall{} ? job.started
                         : waits_for_time      ? job.submitted
                                               : job.eligible;
  record.add("SuspendTime", "None")
      .add("SecsPreSuspend", "0")
      .add("LastSchedEval", moment(evaluated, "Unknown"))
      .add("Scheduler", "Main")
      .next_line();
}

void add_places(Record& record, const JobView& view) {
  const JobSpec& spec = *view.job.spec;
  record.add("Partition", view.partition.empty() ? spec.partition : view.partition)
      .add("AllocNode:Sid", or_null(spec.submit_host) + ":0")
      .next_line();
  record.add("ReqNodeList", nodes_or_null(spec.nodelist))
      .add("ExcNodeList", nodes_or_null(spec.exclude))
      .next_line();
  const bool placed = !view.nodes.empty() && view.job.state != JobState::Pending;
  record.add("NodeList", placed ? node_list_text(view.nodes) : "").next_line();
  if (placed) record.add("BatchHost", view.nodes.front()).next_line();
}

// Formats the numbers of GPUs as ranges: "0-1,3".
std::string device_ranges(std::vector<std::int32_t> devices) {
  std::ranges::sort(devices);
  std::string text;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const std::size_t first = i;
    while (i + 1 < devices.size() && devices[i + 1] == devices[i] + 1) ++i;
    text += (text.empty() ? "" : ",") + std::to_string(devices[first]);
    if (i > first) text += "-" + std::to_string(devices[i]);
  }
  return text;
}

// Returns `count` GPUs of the job as GRES, such as "gpu:h100:2". Empty for 0 GPUs.
std::string gpus_held(const JobSpec& spec, std::size_t count) {
  return count == 0 ? "" : gpus_of_type(spec.gpu_type, static_cast<std::int64_t>(count));
}

// Adds the memory and GPUs that the job holds on each node. Consecutive nodes on which it holds the
// same share a line, as in Slurm. Slurm's CPU_IDs are left out: Coxswain grants a number of CPUs,
// not particular ones.
void add_grants(Record& record, const JobView& view, const Placement& grants) {
  const JobSpec& spec = *view.job.spec;
  Placement held;
  for (const NodeGrant& grant : grants)
    if (std::ranges::find(view.nodes, grant.node) != view.nodes.end()) held.push_back(grant);
  std::size_t gpus = held.empty() ? static_cast<std::size_t>(view.gpus) : 0;
  for (const NodeGrant& grant : held) gpus += grant.gpus.size();
  record.add("JOB_GRES", or_null(gpus_held(spec, gpus)));
  for (std::size_t i = 0; i < held.size();) {
    const NodeGrant& first = held[i];
    std::vector<std::string> nodes;
    for (; i < held.size() && held[i].gpus == first.gpus && held[i].memory_mb == first.memory_mb;
         ++i)
      nodes.push_back(held[i].node);
    std::string gres = gpus_held(spec, first.gpus.size());
    if (!gres.empty()) gres += "(IDX:" + device_ranges(first.gpus) + ")";
    record.next_line_further_in()
        .add("Nodes", node_list_text(nodes))
        .add("Mem", std::to_string(first.memory_mb))
        .add("GRES", gres);
  }
  record.next_line();
}

void add_sizes(Record& record, const JobView& view, const RecordView& as, const Placement& grants) {
  const JobSpec& spec = *view.job.spec;
  const TresCounts counts = counts_of(view);
  const bool waits = view.job.state == JobState::Pending;
  record
      .add("NumNodes",
           waits && !spec.node_sizes.empty() ? spec.node_sizes : std::to_string(counts.nodes))
      .add("NumCPUs", std::to_string(counts.cpus))
      .add("NumTasks", std::to_string(spec.tasks))
      .add("CPUs/Task", std::to_string(spec.cpus_per_task))
      .add("ReqB:S:C:T", "0:0:*:*")
      .next_line();
  record.add("ReqTRES", tres_counts_text(counts)).next_line();
  record.add("AllocTRES", view.nodes.empty() || waits ? "(null)" : tres_counts_text(counts))
      .next_line();
  record.add("Socks/Node", "*")
      .add("NtasksPerN:B:S:C", std::to_string(spec.tasks_per_node) + ":0:*:*")
      .add("CoreSpec", "*")
      .next_line();
  if (as.details && !view.nodes.empty() && !waits) add_grants(record, view, grants);
  record.add("MinCPUsNode", std::to_string(job_min_cpus(spec)));
  if (spec.memory_mb_per_cpu > 0) {
    record.add("MinMemoryCPU", record_memory(spec.memory_mb_per_cpu));
  } else {
    const std::int64_t memory = spec.whole_memory ? 0 : spec.memory_mb_per_node;
    record.add("MinMemoryNode", memory == 0 ? "0" : record_memory(memory));
  }
  record.add("MinTmpDiskNode", "0").next_line();
}

void add_files(Record& record, const JobView& view) {
  const Job& job = view.job;
  const JobSpec& spec = *job.spec;
  const OutputPlace place{
      {job.id, job.attempt}, view.nodes.empty() ? "" : view.nodes.front(), 0, 0, job.array_job,
      job.array_task};
  std::string command = spec.command_path;
  if (spec.form == JobForm::Gang) command = joined(spec.command, " ");
  record.add("Command", or_null(command)).next_line();
  record.add("WorkDir", spec.work_dir).next_line();
  if (!view.system_comment.empty()) record.add("SystemComment", view.system_comment).next_line();
  if (!spec.comment.empty()) record.add("Comment", spec.comment).next_line();
  record.add("StdErr", error_path(spec, place)).next_line();
  record.add("StdIn", input_path(spec, place)).next_line();
  record.add("StdOut", output_path(spec, place)).next_line();
  record.add("Power", "");
}

// The value of MailType that Slurm shows for --mail-type=ALL.
constexpr const char* all_mail = "INVALID_DEPEND,BEGIN,END,FAIL,REQUEUE,STAGE_OUT";

void add_rest(Record& record, const JobSpec& spec) {
  std::string gres;
  if (spec.gpus_per_node > 0)
    gres = "gres/gpu" + (spec.gpu_type.empty() ? "" : ":" + spec.gpu_type) + ":" +
           format_gpus({{}, spec.gpus_per_node, spec.gpu_milli});
  if (!spec.gres.empty()) gres += (gres.empty() ? "gres/" : ",gres/") + spec.gres;
  if (!gres.empty()) record.next_line().add("TresPerNode", gres);
  if (spec.mail_type.empty()) return;
  record.next_line()
      .add("MailUser", spec.mail_user.empty() ? spec.user_name : spec.mail_user)
      .add("MailType", spec.mail_type == "ALL" ? all_mail : spec.mail_type);
}

}  // namespace

std::string job_record(const JobView& view, std::optional<double> priority, const RecordView& as,
                       const Placement& grants) {
  const JobSpec& spec = *view.job.spec;
  Record record;
  add_names(record, view, as);
  add_state(record, view, priority, as);
  add_times(record, view, as);
  add_places(record, view);
  add_sizes(record, view, as, grants);
  record.add("Features", or_null(spec.constraint)).add("DelayBoot", "00:00:00").next_line();
  if (!spec.prefer.empty()) record.add("Prefer", spec.prefer).next_line();
  if (!spec.reservation.empty()) record.add("Reservation", spec.reservation).next_line();
  record.add("OverSubscribe", job_sharing(spec))
      .add("Contiguous", spec.contiguous ? "1" : "0")
      .add("Licenses", or_null(spec.licences))
      .add("Network", "(null)")
      .next_line();
  add_files(record, view);
  add_rest(record, spec);
  return record.text(as.one_line);
}

std::string tres_counts_text(const TresCounts& counts) {
  std::string text;
  const auto add = [&text](const char* what, const std::string& value) {
    text += (text.empty() ? "" : ",") + std::string(what) + "=" + value;
  };
  if (counts.cpus > 0) add("cpu", std::to_string(counts.cpus));
  if (counts.memory_mb > 0) add("mem", record_memory(counts.memory_mb));
  if (counts.nodes > 0) add("node", std::to_string(counts.nodes));
  if (counts.billing > 0) add("billing", std::to_string(counts.billing));
  if (counts.gpus > 0) add("gres/gpu", std::to_string(counts.gpus));
  return text;
}

}  // namespace cox
