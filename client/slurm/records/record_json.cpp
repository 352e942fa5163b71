#include "client/slurm/records/record_json.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "client/slurm/records/record_columns.h"
#include "common/base/hostlist.h"
#include "common/base/slurm_version.h"

namespace cox {
namespace {

using Json = nlohmann::ordered_json;

// Returns a number that may be unset, as Slurm's data parser does: an object with "set", "infinite"
// and "number".
Json number(std::int64_t value, bool is_set = true) {
  return {{"set", is_set}, {"infinite", false}, {"number", is_set ? value : 0}};
}

Json seconds_of(Wall t) {
  return t == Wall{} ? 0 : to_ms(t) / 1000;
}

Json cpu_of(std::int64_t milliseconds) {
  return {{"seconds", milliseconds / 1000}, {"microseconds", milliseconds % 1000 * 1000}};
}

Json exit_of(std::int32_t code, std::int32_t signal) {
  const bool signalled = signal != 0;
  return {{"status", Json::array({signalled   ? "SIGNALED"
                                  : code == 0 ? "SUCCESS"
                                              : "ERROR"})},
          {"return_code", number(code)},
          {"signal", {{"id", number(signal, signalled)}, {"name", ""}}}};
}

Json tres_of(std::int64_t cpus, std::int64_t memory_mb, std::int64_t nodes,
             std::int64_t gpu_milli) {
  Json list = Json::array();
  const auto add = [&](const char* type, const char* name, int id, std::int64_t count) {
    if (count > 0) list.push_back({{"type", type}, {"name", name}, {"id", id}, {"count", count}});
  };
  add("cpu", "", 1, cpus);
  add("mem", "", 2, memory_mb);
  add("node", "", 4, nodes);
  add("gres", "gpu", 1001, gpu_milli / gpu_whole);
  return list;
}

Json time_of(const RecordRow& row) {
  const std::int64_t user = row.usage.user_cpu_ms;
  const std::int64_t system = row.usage.system_cpu_ms;
  return {{"elapsed", row.elapsed_s},
          {"end",
           row.is_job() ? seconds_of(row.end) : number(to_ms(row.end) / 1000, row.end != Wall{})},
          {"start", row.is_job() ? seconds_of(row.start)
                                 : number(to_ms(row.start) / 1000, row.start != Wall{})},
          {"suspended", row.suspended_s},
          {"system", cpu_of(system)},
          {"total", cpu_of(user + system)},
          {"user", cpu_of(user)}};
}

Json nodes_of(const RecordRow& row) {
  const auto names = expand_hostlist(row.nodelist);
  return {{"count", row.nodes},
          {"range", row.nodelist},
          {"list", names ? Json(*names) : Json::array()}};
}

Json memory_of(const RecordRow& row) {
  const bool known = row.took && row.usage.max_rss_kb > 0;
  Json list = Json::array();
  if (known)
    list.push_back({{"type", "mem"},
                    {"name", ""},
                    {"id", 2},
                    {"count", row.usage.max_rss_kb * 1024},
                    {"task", row.tasks == 1 ? 0 : -1},
                    {"node", row.nodes == 1 ? row.nodelist : ""}});
  return list;
}

Json step_of(const RecordRow& row, const SacctOptions& options) {
  const bool cancelled = row.state_word == "CANCELLED";
  const auto killer = options.uids.find(row.record->ended_by);
  const bool known = cancelled && killer != options.uids.end();
  Json consumed = {{"max", memory_of(row)}, {"min", Json::array()}, {"average", Json::array()}};
  consumed["total"] = Json::array();
  if (row.took)
    consumed["total"].push_back({{"type", "cpu"},
                                 {"name", ""},
                                 {"id", 1},
                                 {"count", row.usage.user_cpu_ms + row.usage.system_cpu_ms}});
  return {
      {"time", time_of(row)},
      {"exit_code", exit_of(row.exit_code, row.exit_signal)},
      {"nodes", nodes_of(row)},
      {"tasks", {{"count", row.tasks}}},
      {"pid", ""},
      {"CPU",
       {{"requested_frequency", {{"min", number(0, false)}, {"max", number(0, false)}}},
        {"governor", ""}}},
      {"kill_request_user", known ? std::to_string(killer->second) : ""},
      {"state", Json::array({row.state_word})},
      {"statistics", {{"CPU", {{"actual_frequency", 0}}}, {"energy", {{"consumed", number(0)}}}}},
      {"step", {{"id", row.raw_id}, {"name", row.name}}},
      {"task",
       {{"distribution",
         row.step == nullptr ? "Unknown" : std::string(name(row.step->spec.distribution))}}},
      {"tres",
       {{"requested", consumed},
        {"consumed", consumed},
        {"allocated", tres_of(row.cpus, row.memory_mb, row.nodes, row.gpu_milli)}}}};
}

Json array_of(const Job& job) {
  const bool is_task = job.array_task >= 0 && job.array_tasks.empty();
  return {{"job_id", job.array_job.value},
          {"limits", {{"max", {{"running", {{"tasks", job.array_limit}}}}}}},
          {"task_id", number(job.array_task, is_task)},
          {"task", format_array_tasks(job.array_tasks)}};
}

Json job_of(const RecordRow& row, const SacctOptions& options) {
  const Job& job = row.record->job;
  const JobSpec& spec = row.spec();
  const std::int64_t limit_s = time_limit_s(*row.record);
  const auto group = options.group_names.find(spec.gid);
  const auto killer = options.uids.find(row.record->ended_by);
  const std::string& where = row.record->run.partition;
  const auto [derived_code, derived_signal] = derived_exit_of(row);
  Json time = time_of(row);
  time["eligible"] = seconds_of(job.eligible);
  time["submission"] = seconds_of(job.submitted);
  time["planned"] = number(planned_s(row, options));
  time["limit"] = {{"set", limit_s > 0}, {"infinite", limit_s == 0}, {"number", limit_s / 60}};
  const std::int64_t asked_cpus = spec.tasks * spec.cpus_per_task;
  return {{"account", spec.account},
          {"comment", {{"administrator", ""}, {"job", spec.comment}, {"system", ""}}},
          {"allocation_nodes", row.nodes},
          {"array", array_of(job)},
          {"cluster", options.cluster},
          {"constraints", spec.constraint},
          {"derived_exit_code", exit_of(derived_code, derived_signal)},
          {"exit_code", exit_of(row.exit_code, row.exit_signal)},
          {"group", group == options.group_names.end() ? "" : group->second},
          {"het", {{"job_id", 0}, {"job_offset", number(0, false)}}},
          {"job_id", job.id.value},
          {"kill_request_user", killer == options.uids.end() ? "" : std::to_string(killer->second)},
          {"licenses", spec.licences},
          {"name", spec.name},
          {"nodes", row.nodelist},
          {"partition", where.empty() ? spec.partition : where},
          {"qos", spec.qos},
          {"required",
           {{"CPUs", asked_cpus},
            {"memory_per_cpu", number(spec.memory_mb_per_cpu, spec.memory_mb_per_cpu > 0)},
            {"memory_per_node", number(spec.memory_mb_per_node, spec.memory_mb_per_node > 0)}}},
          {"reservation", {{"id", 0}, {"name", spec.reservation}}},
          {"restart_cnt", job.restarts},
          {"state",
           {{"current", Json::array({row.state_word})},
            {"reason", row.record->reason.empty() ? "None" : row.record->reason}}},
          {"steps", Json::array()},
          {"submit_line", ""},
          {"time", time},
          {"tres",
           {{"allocated", tres_of(row.cpus, row.memory_mb, row.nodes, row.gpu_milli)},
            {"requested", tres_of(asked_cpus, spec.memory_mb_per_node * spec.nodes, spec.nodes,
                                  spec.gpus_per_node * spec.nodes * spec.gpu_milli)}}},
          {"user", spec.user_name},
          {"wckey", {{"wckey", spec.wckey}, {"flags", Json::array()}}},
          {"working_directory", spec.work_dir}};
}

}  // namespace

std::string records_json(const AccountingPage& page, const std::vector<RecordRow>& rows,
                         const SacctOptions& options) {
  Json jobs = Json::array();
  for (const RecordRow& row : rows) {
    if (row.is_job())
      jobs.push_back(job_of(row, options));
    else if (!jobs.empty() && jobs.back()["job_id"] == row.record->job.id.value)
      jobs.back()["steps"].push_back(step_of(row, options));
  }
  const Json all = {
      {"jobs", std::move(jobs)},
      {"meta",
       {{"plugin", {{"type", "openapi/slurmdbd"}, {"data_parser", "data_parser/v0.0.40"}}},
        {"slurm",
         {{"cluster", page.cluster},
          {"version", {{"major", slurm_major}, {"micro", slurm_micro}, {"minor", slurm_minor}}},
          {"release", slurm_release}}}}},
      {"errors", Json::array()},
      {"warnings", Json::array()}};
  return all.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace cox
