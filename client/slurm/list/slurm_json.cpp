#include "client/slurm/list/slurm_json.h"

#include <algorithm>

#include "client/show/show_words.h"
#include "client/slurm/list/job_fields.h"
#include "client/slurm/list/sinfo_rows.h"
#include "client/slurm/text/json_document.h"
#include "client/text/node_state.h"

namespace cox {
namespace {

using namespace slurm_json;

Json exit_status(const Job& job) {
  const bool signalled = job.exit_signal != 0;
  const char* status = signalled ? "SIGNALED" : job.exit_code != 0 ? "ERROR" : "SUCCESS";
  return {{"status", Json::array({status})},
          {"return_code", known(job.exit_code)},
          {"signal", {{"id", set_if(signalled, job.exit_signal)}, {"name", ""}}}};
}

void add_who(Json& json, const JobView& v, const FieldView& view) {
  const JobSpec& spec = *v.job.spec;
  json["account"] = spec.account;
  json["accrue_time"] = moment(v.job.eligible);
  json["admin_comment"] = "";
  json["allocating_node"] = spec.submit_host;
  json["array_job_id"] = known(v.job.array_job.value);
  json["array_task_id"] =
      set_if(v.job.array_task >= 0, std::max<std::int64_t>(0, v.job.array_task));
  json["array_max_tasks"] = known(v.job.array_limit);
  json["array_task_string"] = format_array_tasks(v.job.array_tasks);
  json["batch_flag"] = spec.form != JobForm::Allocation;
  json["batch_host"] = v.nodes.empty() ? "" : v.nodes.front();
  json["cluster"] = view.cluster;
  json["command"] = job_command(spec);
  json["comment"] = spec.comment;
  json["contiguous"] = spec.contiguous;
  json["group_id"] = spec.gid;
  json["group_name"] = view.group_name ? view.group_name(spec.gid) : "";
  json["user_id"] = spec.uid;
  json["user_name"] = spec.user_name;
  json["wckey"] = spec.wckey;
}

void add_asked(Json& json, const JobView& v) {
  const JobSpec& spec = *v.job.spec;
  json["cpus_per_task"] = known(spec.cpus_per_task);
  json["cron"] = v.crontab_spec;
  json["dependency"] = job_dependencies(v);
  json["excluded_nodes"] = node_list_text(spec.exclude);
  json["required_nodes"] = node_list_text(spec.nodelist);
  json["features"] = spec.constraint;
  json["prefer"] = spec.prefer;
  json["minimum_cpus_per_node"] = known(job_min_cpus(spec));
  json["hold"] = v.job.held;
  json["licenses"] = spec.licences;
  json["mail_type"] = Json::array();
  for (const std::string_view type : split(spec.mail_type, ','))
    if (!type.empty()) json["mail_type"].push_back(type);
  json["mail_user"] = spec.mail_user;
  json["memory_per_cpu"] = set_if(spec.memory_mb_per_cpu > 0, spec.memory_mb_per_cpu);
  json["memory_per_node"] = set_if(spec.memory_mb_per_node > 0, spec.memory_mb_per_node);
  json["minimum_switches"] = v.job.spec->terms->switches.count;
  json["name"] = spec.name;
  json["nice"] = spec.nice;
  json["partition"] = v.partition;
  json["priority"] = known(job_priority(v));
  json["qos"] = spec.qos;
  json["requeue"] = spec.requeue;
  json["restart_cnt"] = v.job.restarts;
  json["resv_name"] = spec.reservation;
  json["shared"] = Json::array();
  if (spec.exclusive) json["shared"].push_back("none");
  if (spec.exclusive_user) json["shared"].push_back("user");
  json["tasks_per_node"] = set_if(spec.tasks_per_node > 0, spec.tasks_per_node);
  json["time_limit"] = minutes(time_limit_s(v));
  json["time_minimum"] = known(spec.time_min_s / 60);
  json["tres_per_job"] = spec.gpus > 0 ? "gres/gpu:" + std::to_string(spec.gpus) : "";
  json["tres_per_node"] = job_tres_per_node(spec);
  json["tres_per_task"] =
      spec.gpus_per_task > 0 ? "gres/gpu:" + std::to_string(spec.gpus_per_task) : "";
  json["current_working_directory"] = spec.work_dir;
  json["standard_error"] = job_output(v, true);
  json["standard_input"] = spec.input.empty() ? "/dev/null" : spec.input;
  json["standard_output"] = job_output(v, false);
}

void add_state(Json& json, const JobView& v, Wall now) {
  const Job& job = v.job;
  const bool waits = job.state == JobState::Pending;
  json["job_id"] = job.id.value;
  json["job_state"] = Json::array({std::string(name(job.state))});
  json["state_reason"] = wait_or_end_reason(v);
  json["state_description"] = v.reason_detail;
  json["nodes"] = waits ? "" : node_list_text(v.nodes);
  json["node_count"] = known(job_nodes(v));
  json["cpus"] = known(job_cpus(v));
  json["tasks"] = known(job.spec->tasks);
  json["max_cpus"] = known(0);
  json["max_nodes"] = known(0);
  json["submit_time"] = moment(job.submitted);
  json["eligible_time"] = moment(job.eligible);
  json["start_time"] = moment(job_start(v));
  json["end_time"] = moment(job_end(v, now));
  json["deadline"] = moment(job.spec->deadline);
  json["exit_code"] = exit_status(job);
  json["tres_req_str"] = job_tres(v);
  json["tres_alloc_str"] = waits ? "" : job_tres(v);
  if (waits || v.nodes.empty()) return;
  json["job_resources"] = {{"nodes", node_list_text(v.nodes)},
                           {"allocated_cpus", v.cpus},
                           {"allocated_hosts", std::ssize(v.nodes)}};
}

Json least_and_most(const std::vector<std::int64_t>& values) {
  if (values.empty()) return {{"minimum", 0}, {"maximum", 0}};
  const auto [low, high] = std::ranges::minmax(values);
  return {{"minimum", low}, {"maximum", high}};
}

// Returns the least and the largest of the values that nodes have reported; unset if none has.
Json known_least_and_most(const std::vector<std::int64_t>& values) {
  const Json both = least_and_most(values);
  return {{"minimum", set_if(!values.empty(), both["minimum"])},
          {"maximum", set_if(!values.empty(), both["maximum"])}};
}

Json counts(const SinfoCounts& c) {
  return {{"allocated", c.allocated}, {"idle", c.idle}, {"other", c.other}, {"total", c.total}};
}

Json row_json(const SinfoRow& row, const FieldView& view) {
  std::vector<std::string> names, addresses;
  std::vector<std::int64_t> cpus, memory, weights, loads, free_memory;
  std::int64_t memory_used = 0;
  for (const NodeView* node : row.nodes) {
    names.push_back(node->node.name);
    addresses.push_back(node->node.address);
    cpus.push_back(node->node.total.cpus);
    memory.push_back(node->node.total.memory_mb);
    weights.push_back(node->node.weight);
    memory_used += node->memory_mb_used;
    if (!node->load) continue;
    loads.push_back(node->load->cpu_load_percent);
    free_memory.push_back(node->load->free_memory_mb);
  }
  const NodeView* first = row.nodes.empty() ? nullptr : row.nodes.front();
  Json json;
  json["node"] = {
      {"state", first != nullptr ? words(names_of(node_state(*first))) : Json::array()}};
  json["nodes"] = counts(node_counts(row));
  json["nodes"].update({{"hostnames", names}, {"addresses", addresses}, {"nodes", names}});
  json["cpus"] = counts(cpu_counts(row));
  json["cpus"].update(least_and_most(cpus));
  json["cpus"]["load"] = least_and_most(loads);
  json["memory"] = least_and_most(memory);
  json["memory"]["free"] = known_least_and_most(free_memory);
  json["memory"]["allocated"] = memory_used;
  json["weight"] = least_and_most(weights);
  const auto text = [&](auto of) { return first != nullptr ? of(*first) : std::string(); };
  const auto or_nothing = [](std::string gres) { return gres == "(null)" ? "" : gres; };
  const auto features = [](const NodeView& node) { return joined(node.node.features, ","); };
  json["features"] = {{"total", text(features)}, {"active", text(features)}};
  json["gres"] = {{"total", or_nothing(text(gres_of))}, {"used", or_nothing(text(gres_used_of))}};
  json["reason"] = {{"description", text([](const NodeView& node) { return node.node.reason; })}};
  json["cluster"] = view.cluster;
  json["partition"] = partition_json(*row.partition);
  return json;
}

}  // namespace

slurm_json::Json partition_json(const PartitionView& p) {
  return {{"name", p.name},
          {"accounts",
           {{"allowed", joined(p.allow_accounts, ",")}, {"deny", joined(p.deny_accounts, ",")}}},
          {"groups", {{"allowed", joined(p.allow_groups, ",")}}},
          {"qos",
           {{"allowed", joined(p.allow_qos, ",")},
            {"deny", joined(p.deny_qos, ",")},
            {"assigned", p.qos}}},
          {"defaults", {{"time", set_if(p.time_limit_default_s > 0, p.time_limit_default_s / 60)}}},
          {"maximums",
           {{"nodes", p.max_nodes > 0 ? known(p.max_nodes) : infinite()},
            {"time", minutes(p.time_limit_max_s)}}},
          {"minimums", {{"nodes", std::max<std::int64_t>(1, p.min_nodes)}}},
          {"priority", {{"job_factor", p.priority}, {"tier", p.priority_tier}}},
          {"partition", {{"state", Json::array({std::string(name(p.state))})}}}};
}

std::string slurm_json_of_jobs(const std::vector<JobView>& rows, const FieldView& view,
                               const std::vector<std::string>& command) {
  Json list = Json::array();
  for (const JobView& row : rows) {
    Json json;
    add_who(json, row, view);
    add_asked(json, row);
    add_state(json, row, view.screen.now);
    list.push_back(std::move(json));
  }
  return document(command, "jobs", std::move(list), view.cluster, view.screen.now);
}

std::string slurm_json_of_nodes(const SinfoRequest& request, const NodeList& list,
                                const FieldView& view) {
  // Nodes that differ in any of these columns are in separate rows, as in Slurm.
  const FieldLayout layout = lay_out<SinfoRow>("%P%a%l%s%g%T%c%m%w%f%G%E", false, sinfo_fields());
  SinfoRequest exact = request;
  exact.exact = true;
  exact.by_node = false;
  Json all = Json::array();
  for (const SinfoRow& row : sinfo_rows(exact, list, layout, view))
    all.push_back(row_json(row, view));
  return document({"sinfo"}, "sinfo", std::move(all), view.cluster, view.screen.now);
}

}  // namespace cox
