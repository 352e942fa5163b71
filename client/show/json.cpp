#include "client/show/json.h"

#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <type_traits>

#include "client/text/moments.h"
#include "common/job/job_spec_names.h"

namespace cox {
namespace {

using Json = nlohmann::ordered_json;

// The names of a type's fields, in the order of its fields(). A field that is added there and not
// here does not compile.
template <class T>
inline constexpr std::array<const char*, 0> names{};

#define COX_NAMES(type, ...) \
  template <>                \
  inline constexpr auto names<type> = std::to_array<const char*>({__VA_ARGS__})

COX_NAMES(Refusal, "fact", "hint");
COX_NAMES(AttemptKey, "job", "attempt");
COX_NAMES(SignalRequest, "number", "seconds_before", "batch_only");
template <>
inline constexpr auto names<JobSpec> = job_spec_names;
COX_NAMES(ResumeSource, "job", "step", "attempt", "identity", "ranks");
COX_NAMES(JobSize, "nodes", "tasks", "tasks_asked", "tasks_per_node", "cpus_per_task",
          "cpus_per_task_asked", "memory_mb_per_node", "gpu_type", "gpus_per_node", "exclusive",
          "partition", "nodelist", "constraint", "gpu_milli", "gpu_choice", "gres", "exclude",
          "memory_mb_per_cpu", "memory_mb_per_gpu", "gpus", "gpus_per_task", "cpus_per_gpu",
          "tasks_per_gpu", "whole_memory", "min_cpus", "contiguous", "exclusive_user", "prefer");
COX_NAMES(Dependency, "kind", "on", "delay_s", "never", "task");
COX_NAMES(GresCount, "name", "type", "count");
COX_NAMES(Job, "id", "spec", "state", "attempt", "held", "request_id", "submitted", "eligible",
          "started", "ended", "exit_code", "exit_signal", "restarts", "why", "avoid_nodes",
          "dependencies", "array_job", "array_task", "array_tasks", "array_limit", "held_why",
          "identity");
COX_NAMES(JobEvent, "job", "attempt", "at", "what", "state", "why", "actor", "sequence");
COX_NAMES(GpuDevice, "index", "type", "uuid", "island");
COX_NAMES(NodeResources, "cpus", "memory_mb", "gpus", "gres");
COX_NAMES(NodeGrant, "node", "first_rank", "ranks", "cpus", "memory_mb", "gpus", "gpu_milli",
          "component");
COX_NAMES(NodeFailure, "job", "at");
COX_NAMES(Node, "name", "total", "features", "address", "log_endpoint", "log_key", "boot_id",
          "version", "drained", "responding", "reason", "changed", "weight", "drained_by",
          "returned", "failures", "set_down", "reason_by");
COX_NAMES(StopOrder, "why", "ask_checkpoint", "grace_ms", "kill_wait_ms", "detail");
COX_NAMES(SavedStep, "step", "bytes", "files", "after_stop");
COX_NAMES(RankStatus, "rank", "phase", "exit_code", "exit_signal", "saved", "started", "ended",
          "output_from", "error_from");
COX_NAMES(Checkpoint, "key", "step", "bytes", "files", "committed", "damaged", "pruned", "removed");
COX_NAMES(ResumeFrom, "attempt", "step", "job");
COX_NAMES(Suspension, "number", "suspended");
COX_NAMES(AttemptNode, "grant", "phase", "revision", "note", "suspension", "usage", "given_back");
COX_NAMES(Attempt, "key", "nodes", "ranks", "master_port", "resume", "stop", "began", "went",
          "stop_asked", "ended", "outcome", "time_limit_s", "fills", "suspension", "suspended_at",
          "suspended_ms", "resumed", "partition", "progress");
COX_NAMES(ProgressMetric, "name", "value");
COX_NAMES(Progress, "step", "total", "metrics", "at", "first_step", "first_at");
COX_NAMES(Submitted, "id", "again", "note");
COX_NAMES(SubmittedJobs, "first", "count", "again");
COX_NAMES(JobTested, "view", "why", "starts_now", "gives_way", "loss_unit_seconds", "at_the_latest",
          "rules", "refused");
COX_NAMES(JobView, "job", "reason", "reason_detail", "nodes", "ran_ms", "left_ms", "expected_start",
          "ranks", "at_the_earliest", "partition", "priority", "cpus", "memory_mb", "gpus",
          "system_comment", "progress", "crontab_spec");
COX_NAMES(JobSummary, "id", "state", "form", "held", "reason", "array_job", "array_task",
          "array_tasks", "array_limit", "name", "user_name", "uid", "account", "qos", "reservation",
          "licences", "partition", "nodes", "nodes_asked", "tasks", "cpus_per_task", "time_limit_s",
          "cpus", "priority", "ran_ms", "left_ms", "submitted", "started", "ended",
          "expected_start", "components");
COX_NAMES(JobList, "jobs", "more", "unknown", "brief");
COX_NAMES(NodeView, "node", "cpus_used", "memory_mb_used", "gpus_used", "jobs", "partitions",
          "silent_ms", "gres_used", "reservations", "maint", "job_names", "failure_score", "load",
          "load_at");
COX_NAMES(NodeLoad, "cpu_load_percent", "free_memory_mb");
COX_NAMES(AdvanceReservation, "name", "begin", "end", "recurrence", "nodes", "nodes_asked",
          "node_count", "features", "tres", "partition", "users", "accounts", "qos", "maint",
          "magnetic", "flex", "overlap", "ignore_jobs", "changed", "changed_by", "static_alloc",
          "replace_down", "purge_idle_s");
COX_NAMES(ReservationView, "reservation", "active", "running", "waiting");
COX_NAMES(ReservationList, "reservations");
COX_NAMES(PartitionView, "name", "time_limit_max_s", "state", "reason", "changed", "is_default",
          "time_limit_default_s", "priority_tier", "priority", "min_nodes", "max_nodes",
          "max_memory_mb_per_node", "allow_accounts", "deny_accounts", "allow_qos", "deny_qos",
          "allow_groups", "qos", "preempt_mode", "exclusive", "hours", "closed", "turns",
          "memory_mb_per_cpu_default", "tres_billing_weights");
COX_NAMES(NodeList, "nodes", "partitions");
COX_NAMES(LicenceView, "name", "total", "used", "jobs", "job_names");
COX_NAMES(LicenceList, "licences");
COX_NAMES(TresUsage, "tres", "seconds");
COX_NAMES(AssociationLimits, "grp_tres", "grp_jobs", "grp_submit_jobs", "grp_tres_mins",
          "grp_wall_s", "max_tres_per_job", "max_tres_mins_per_job", "max_jobs", "max_submit_jobs",
          "max_wall_s", "guarantee", "deserved");
COX_NAMES(Association, "id", "account", "user", "partition", "parent", "shares", "shares_of_parent",
          "is_default", "qos", "default_qos", "description", "organization", "limits", "usage",
          "usage_at", "coordinators");
COX_NAMES(AssociationView, "association", "submitted", "running", "usage", "usage_part",
          "shares_part", "fair_share", "held", "minutes_used", "wall_used_s");
COX_NAMES(AssociationList, "associations", "more", "cluster");
COX_NAMES(Administered, "lines");
COX_NAMES(TaskGroup, "state", "exit_code", "exit_signal", "count", "tasks");
COX_NAMES(JobDetail, "view", "attempts", "checkpoints", "why", "change_count", "job_checkpoint_dir",
          "tasks_left", "tasks_failed", "tasks", "priority_parts");
COX_NAMES(HistoryPage, "events", "more", "job_names");
COX_NAMES(EventPage, "term", "last", "events", "job_names", "missed");
COX_NAMES(Acted::Outcome, "what", "done", "refused");
COX_NAMES(Acted, "outcomes");
COX_NAMES(QosLimits, "grp_tres", "grp_jobs", "grp_submit_jobs", "max_tres_per_user",
          "max_jobs_per_user", "max_submit_jobs_per_user", "max_tres_per_job", "min_tres_per_job",
          "max_wall_s", "grp_tres_mins", "grp_wall_s", "kept_tres");
COX_NAMES(Qos, "name", "tier", "preempt_mode", "grace_ms", "preempt_weight",
          "preempt_exempt_time_s", "limits");
COX_NAMES(ClusterView, "name", "version", "term", "nodes", "nodes_responding", "jobs_pending",
          "jobs_live", "database", "qos", "now", "estimates", "tiers", "billing_weights");
COX_NAMES(EstimateView, "count", "error_ms_median", "error_ms_p90", "close_permille");
COX_NAMES(SnapshotPart, "snapshot", "data", "bytes");
COX_NAMES(LogPlace, "attempt", "node", "endpoint", "key", "path", "live", "ranks", "from", "to",
          "job");
COX_NAMES(LogChunk, "data", "next_offset", "missing");
COX_NAMES(Refused, "why", "retry");
COX_NAMES(StepKey, "attempt", "number");
COX_NAMES(StepSpec, "name", "nodes_min", "nodes_max", "tasks", "tasks_per_node", "cpus_per_task",
          "nodelist", "exclude", "relative", "exact", "overlap", "memory_mb_per_node",
          "gpus_per_node", "gpus_per_task", "gpus", "distribution", "plane", "time_limit_s",
          "immediate", "overcommit", "memory_mb_per_cpu", "component");
COX_NAMES(StepUsage, "user_cpu_ms", "system_cpu_ms", "max_rss_kb");
COX_NAMES(TaskAmount, "amount", "task");
COX_NAMES(TaskFigures, "tasks", "rss_kb", "read_bytes", "written_bytes", "most_rss_kb",
          "most_read_bytes", "most_written_bytes", "least_cpu_ms");
COX_NAMES(StepNode, "node", "tasks", "cpus", "memory_mb", "gpus", "phase", "saved");
COX_NAMES(Step, "key", "spec", "request_id", "state", "nodes", "tasks", "created", "started",
          "ended", "exit_code", "exit_signal", "stopping", "timed_out", "out_of_memory", "usage",
          "why", "figures");
COX_NAMES(StepView, "step", "user_name", "partition", "array_job", "array_task", "ran_ms");
COX_NAMES(StepShown, "view", "waits", "kill_wait_ms");
COX_NAMES(StepList, "steps", "more");
COX_NAMES(RunRecord, "number", "partition", "began", "went", "ended", "stands_since",
          "suspended_ms", "stop", "time_limit_s", "nodelist", "nodes", "cpus", "memory_mb",
          "gpu_milli", "first_node", "first_cpus", "first_memory_mb", "first_gpu_milli",
          "exit_code", "exit_signal", "rank_ended", "usage");
COX_NAMES(JobRecord, "job", "run", "newest", "steps", "ended_by", "reason");
COX_NAMES(ProcessSample, "pid", "step", "task", "cpu_ms", "rss_kb", "vsize_kb", "read_bytes",
          "written_bytes", "pages");
COX_NAMES(UsageSample, "processes");
COX_NAMES(AccountingPage, "records", "more", "cluster", "now", "after", "after_step",
          "first_moment");
COX_NAMES(PriorityFactor, "name", "value");
COX_NAMES(JobPriority, "id", "job_name", "user_name", "account", "partition", "qos", "tier",
          "priority", "factors");
COX_NAMES(PriorityList, "jobs", "weights", "more");
COX_NAMES(NamedValue, "name", "value");
COX_NAMES(SwitchView, "name", "level", "nodes", "switches");
COX_NAMES(Configuration, "settings", "now", "switches");
COX_NAMES(Statistics, "since", "now", "values");
COX_NAMES(Script, "text");
COX_NAMES(CrontabShown, "exists", "text");
COX_NAMES(CrontabUpdated, "jobs", "note", "refused", "first_refused", "last_refused");
COX_NAMES(CheckpointView, "checkpoint", "job_name", "user_name", "state", "ended", "kept_until",
          "folder");
COX_NAMES(CheckpointList, "checkpoints", "more", "root", "live_folders");
COX_NAMES(EventTrigger, "id", "event", "job", "nodes", "offset_s", "program", "permanent",
          "user_name", "uid", "gid", "set_at", "due", "happened_on");
COX_NAMES(TriggerList, "triggers", "more");
#undef COX_NAMES

template <class T>
Json to_json(const T& value);

template <class Tag, class Rep>
Json to_json(const Id<Tag, Rep>& id) {
  return id.value;
}

Json to_json(const TresCount& one) {
  return format_tres({one});
}

Json to_json(const Wall& t) {
  return t == Wall{} ? Json(nullptr) : Json(iso_text(t));
}

template <class T>
Json to_json(const std::optional<T>& value) {
  return value ? to_json(*value) : Json(nullptr);
}

template <class T>
Json to_json(const Shared<T>& value) {
  return to_json(*value);
}

template <class T>
Json to_json(const std::vector<T>& values) {
  Json list = Json::array();
  for (const auto& value : values) list.push_back(to_json(value));
  return list;
}

template <class T>
Json to_json(const T& value) {
  if constexpr (std::is_enum_v<T>) {
    return name(value);
  } else if constexpr (std::is_class_v<T> && !std::is_same_v<T, std::string>) {
    Json object = Json::object();
    T::fields(value, [&](const auto&... field) {
      static_assert(sizeof...(field) == names<T>.size(), "name every field of the type above");
      std::size_t i = 0;
      ((object[names<T>[i++]] = to_json(field)), ...);
    });
    // Brief rows are there where they were asked for alone.
    if constexpr (std::is_same_v<T, JobList>)
      if (value.brief.empty()) object.erase("brief");
    return object;
  } else {
    return value;
  }
}

// Bytes that are no UTF-8 are replaced: JSON has none.
std::string text_of(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

std::string json_text(const decltype(Reply::body)& answer) {
  return std::visit([](const auto& body) { return text_of(to_json(body)); }, answer);
}
std::string json_text(const NodeView& view) {
  return text_of(to_json(view));
}
std::string json_text(const ReservationView& view) {
  return text_of(to_json(view));
}
std::string json_text(const Attempt& attempt) {
  return text_of(to_json(attempt));
}
std::string json_text(const SavedStep& saved) {
  return text_of(to_json(saved));
}
std::string json_text(const Refusal& why) {
  return text_of(to_json(Refused{why}));
}

// On one line, so that a program can read a stream of them.
std::string json_line(const JobEvent& event, const std::string& shown_id) {
  Json json = to_json(event);
  json["shown_id"] = shown_id;
  json.erase("sequence");  // the database's, which a stream does not know
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string json_text(const std::vector<ProcessLine>& processes, const ClusterView* cluster) {
  Json list = Json::array();
  for (const auto& process : processes)
    list.push_back({{"name", process.name}, {"pid", process.pid}, {"running", process.pid != 0}});
  return text_of({{"processes", list}, {"cluster", cluster ? to_json(*cluster) : Json(nullptr)}});
}

}  // namespace cox
