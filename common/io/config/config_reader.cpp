#include "common/io/config/config_reader.h"

#include <algorithm>

#include "common/base/limits.h"
#include "common/base/nearest.h"
#include "common/base/text.h"
#include "common/io/config/config_hours.h"
#include "common/io/config/config_partition.h"
#include "common/io/config/config_submit.h"
#include "common/io/config/config_topology.h"
#include "common/io/config/config_values.h"
#include "common/io/endpoint.h"
#include "common/job/container.h"

namespace cox {
namespace {

constexpr std::int64_t cpus_per_node_max = 65'536;
constexpr std::int64_t checkpoints_kept_max = 1'000;
constexpr Milliseconds checkpoints_kept_longest{315'360'000'000};  // ten years
constexpr std::int64_t log_size_max_mb_max = 1 << 24;
constexpr std::int64_t connections_per_key_max = 1'000'000;
constexpr std::int64_t memory_limit_mb_min = 512;  // more than the largest frame takes when decoded
constexpr std::int64_t memory_limit_mb_max = 1 << 24;
constexpr std::size_t features_per_node_max = 256;
constexpr std::int64_t node_weight_max = 0xFFFFFFFE;   // Slurm's maximum
constexpr std::int64_t clock_drift_ppm_max = 100'000;  // a tenth
constexpr std::int64_t return_beats_max = 1'000;
constexpr std::int64_t node_failures_max = std::int64_t{limits::node_failures_kept_max};
constexpr Milliseconds hour{3'600'000};
constexpr Milliseconds week = 168 * hour;

void check_times(TableReader& table, const ControllerConfig& config) {
  if (config.heartbeat >= config.node_timeout) {
    table.problem("node_timeout", "is " + shown(config.node_timeout) +
                                      "; it must be longer than heartbeat, which is " +
                                      shown(config.heartbeat));
  }
  if (config.lease.count() == 0) return;
  if (config.lease < config.node_timeout) {
    table.problem("lease", "is " + shown(config.lease) +
                               "; it must not be shorter than node_timeout, which is " +
                               shown(config.node_timeout));
  }
}

// Collects the problems and the values while a file is read.
struct Reading {
  Problems problems;
  std::vector<ConfigValue> values;
};

void read_memory_limit(TableReader& table, std::int64_t& limit_mb) {
  table.integer("memory_limit_mb", limit_mb, 0, memory_limit_mb_max);
  if (limit_mb > 0 && limit_mb < memory_limit_mb_min)
    table.problem("memory_limit_mb", "is " + std::to_string(limit_mb) +
                                         "; it must be 0, for none, or at least " +
                                         std::to_string(memory_limit_mb_min));
}

void read_log(TableReader& table, LogSettings& log) {
  table.word<LogLevel>("log_level", log.level,
                       {{"debug", LogLevel::Debug},
                        {"info", LogLevel::Info},
                        {"warning", LogLevel::Warning},
                        {"error", LogLevel::Error}});
  table.word<LogFormat>("log_format", log.format,
                        {{"text", LogFormat::Text}, {"json", LogFormat::Json}});
}

void read_controller(const toml::table& source, ControllerConfig& config, LogSettings& log,
                     Reading& reading) {
  TableReader table(source, "[controller]", reading.problems, reading.values);
  table.text("cluster_name", config.cluster_name, parse_name);
  table.text("database", config.database, parse_line);
  table.text("listen_local", config.listen_local, parse_local_endpoint);
  table.text("listen_tcp", config.listen_tcp, parse_tcp_endpoint);
  table.text("key_dir", config.key_dir, parse_path);
  table.text("checkpoint_root", config.checkpoint_root, parse_path);
  table.duration("leader_lease", config.leader_lease, Milliseconds{1'000}, hour);
  table.duration("heartbeat", config.heartbeat, Milliseconds{10}, hour);
  table.duration("node_timeout", config.node_timeout, Milliseconds{20}, 24 * hour);
  table.duration("lease", config.lease, Milliseconds{20}, week, true);
  table.duration("lease_margin", config.lease_margin, Milliseconds{0}, hour);
  table.integer("clock_drift_ppm", config.clock_drift_ppm, 0, clock_drift_ppm_max);
  table.duration("lease_grace", config.lease_grace, Milliseconds{0}, hour);
  table.duration("kill_wait", config.kill_wait, Milliseconds{0}, hour);
  table.duration("unkillable_step_timeout", config.unkillable_step_timeout, Milliseconds{0}, hour);
  table.integer("return_beats", config.return_beats, 1, return_beats_max);
  table.integer("failures_to_avoid", config.failures_to_avoid, 0, node_failures_max);
  table.integer("failures_to_drain", config.failures_to_drain, 0, node_failures_max);
  table.duration("prepare_timeout", config.prepare_timeout, Milliseconds{20}, hour);
  table.duration("inactive_limit", config.inactive_limit, Milliseconds{60'000}, week, true);
  table.duration("min_job_age", config.min_job_age, Milliseconds{0}, week);
  table.duration("launch_retry_max", config.launch_retry_max, Milliseconds{0}, 24 * hour);
  table.boolean("kill_invalid_depend", config.kill_invalid_depend);
  table.text("mail_program", config.mail_program, parse_path);
  table.text("notify_program", config.notify_program, parse_path);
  table.text("fence_program", config.fence_program, parse_path);
  table.duration("fence_after", config.fence_after, Milliseconds{20}, 24 * hour);
  table.text("prolog_program", config.prolog_program, parse_path);
  table.text("epilog_program", config.epilog_program, parse_path);
  table.duration("prolog_epilog_timeout", config.prolog_epilog_timeout, Milliseconds{100},
                 24 * hour);
  read_submit_program(table, config);
  table.duration("fault_settle", config.fault_settle, Milliseconds{0}, hour);
  table.integer("checkpoints_kept", config.checkpoints_kept, 1, checkpoints_kept_max);
  table.duration("checkpoints_kept_ended", config.checkpoints_kept_ended, Milliseconds{0},
                 checkpoints_kept_longest);
  table.duration("checkpoints_kept_completed", config.checkpoints_kept_completed, Milliseconds{0},
                 checkpoints_kept_longest);
  table.integer("log_size_max_mb", config.log_size_max_mb, 0, log_size_max_mb_max);
  table.integer("max_jobs", config.max_jobs, 1, limits::jobs_max);
  table.integer("max_array_size", config.max_array_size, 1, limits::array_tasks_max);
  table.integer("connections_per_key", config.connections_per_key, 1, connections_per_key_max);
  read_memory_limit(table, config.memory_limit_mb);
  read_log(table, log);
  if (!table.finish()) return;
  table.require("database", "give PostgreSQL's connection string, such as \"dbname=coxswain\"");
  table.require("checkpoint_root", "name a folder on storage that all nodes share");
  if (table.has("listen_tcp")) {
    table.require("key_dir", "name the folder of controller.key and the .pub files");
  } else {
    table.require("listen_local", "a controller listens at listen_local, listen_tcp or both");
  }
  check_times(table, config);
}

Result<std::string> parse_backfill(const std::string& text) {
  if (backfill_from(text)) return text;
  return Refusal{"is \"" + text +
                     "\"; it must be \"none\", \"easy\", \"conservative\" or how many "
                     "reservations, from \"1\" to \"" +
                     std::to_string(reservations_max) + "\"",
                 ""};
}

// Returns a parser for a setting that has the form of a job's option. It checks the text with the
// option's parser and returns the text itself.
template <class Parse>
auto read_wish(Parse parse) {
  return [parse](const std::string& text) -> Result<std::string> {
    const auto wish = parse(text);
    if (wish) return text;
    return Refusal{"is \"" + text + "\": " + wish.refusal().fact, ""};
  };
}

void read_usage(TableReader& table, UsageSettings& usage) {
  table.duration("usage_half_life", usage.half_life, Milliseconds{0}, 52 * week, true);
  table.duration("usage_period", usage.period, Milliseconds{1'000}, hour);
  std::string billing = "cpu=1,gres/gpu=10";
  table.text("billing_weights", billing, read_wish(parse_billing_weights));
  usage.weights = parse_billing_weights(billing).value();
}

void read_scheduling(const toml::table& source, SchedulingSettings& config, UsageSettings& usage,
                     Reading& reading) {
  TableReader table(source, "[scheduling]", reading.problems, reading.values);
  read_usage(table, usage);
  table.word("order", config.order, order_policies());
  table.word("placement", config.placement, placement_policies());
  std::string backfill = "easy";
  table.text("backfill", backfill, parse_backfill);
  config.backfill = backfill_from(backfill).value_or(config.backfill);
  PriorityWeights& weights = config.priority;
  table.integer("weight_age", weights.age, 0, priority_weight_max);
  table.integer("weight_shortness", weights.shortness, 0, priority_weight_max);
  table.integer("weight_size", weights.size, 0, priority_weight_max);
  table.boolean("favor_small", weights.favor_small);
  table.integer("weight_fair_share", weights.fair_share, 0, priority_weight_max);
  table.integer("weight_partition", weights.partition, 0, priority_weight_max);
  table.integer("weight_qos", weights.qos, 0, priority_weight_max);
  table.integer("weight_cpu", weights.tres_cpu, 0, priority_weight_max);
  table.integer("weight_gpu", weights.tres_gpu, 0, priority_weight_max);
  table.duration("max_age", weights.max_age, Milliseconds{60'000}, 52 * week);
  table.duration("max_age_min", weights.max_age_min, Milliseconds{1'000}, 52 * week);
  table.boolean("moves", config.moves);
  table.duration("order_exempt", config.order_exempt, Milliseconds{0}, week);
  std::string licences;
  table.text("licences", licences, read_wish(parse_licences));
  if (!licences.empty()) config.licences = parse_licences(licences).value();
  std::string prices;
  table.text("gpu_prices", prices, read_wish(parse_gpu_prices));
  if (!prices.empty()) config.gpu_prices = parse_gpu_prices(prices).value();
  table.word("gpu_choice", config.gpu_choice, preferences());
  table.integer("shards_per_gpu", config.shards_per_gpu, 1, gpu_whole);
  table.duration("fill_min", config.fill_min, Milliseconds{0}, week, true);
  table.duration("max_switch_wait", config.max_switch_wait, Milliseconds{0}, week, true);
  table.duration("preempt_restart_cost", config.preempt_restart_cost, Milliseconds{0}, hour);
  table.duration("preempt_exempt_time", config.preempt_exempt_time, Milliseconds{0}, week);
  table.integer("preempt_budget", config.preempt_budget, 0, preempt_budget_max);
  table.duration("preempt_budget_window", config.preempt_budget_window, Milliseconds{60'000}, week);
  table.finish();
}

Result<std::vector<std::string>> parse_features(const std::vector<std::string>& names) {
  if (names.size() > features_per_node_max) {
    return Refusal{"has " + std::to_string(names.size()) + " features; the limit is " +
                       std::to_string(features_per_node_max),
                   ""};
  }
  for (const auto& name : names) {
    if (auto parsed = parse_name(name); !parsed) return parsed.refusal();
  }
  return names;
}

void read_site_programs(TableReader& table, WorkerConfig& config) {
  table.text("prolog", config.prolog, parse_path);
  table.text("epilog", config.epilog, parse_path);
  table.text("task_prolog", config.task_prolog, parse_path);
  table.text("task_epilog", config.task_epilog, parse_path);
  table.texts("container_command", config.container_command, parse_container_command);
  table.duration("prolog_epilog_timeout", config.prolog_epilog_timeout, Milliseconds{100},
                 24 * hour);
}

void read_worker(const toml::table& source, WorkerConfig& config, LogSettings& log,
                 Reading& reading) {
  const bool inherits_well = reading.problems.count() == 0;
  TableReader table(source, "[worker]", reading.problems, reading.values);
  table.text("cluster_name", config.cluster_name, parse_name);
  table.text("node_name", config.node_name, parse_name);
  table.text("address", config.address, parse_address);
  table.text("controller", config.controller, parse_endpoints);
  table.text("controller_key", config.controller_key, parse_public_key);
  table.text("key_file", config.key_file, parse_path);
  table.text("key_dir", config.key_dir, parse_path);
  table.text("spool_dir", config.spool_dir, parse_path);
  table.text("checkpoint_root", config.checkpoint_root, parse_path);
  table.text("supervisor_program", config.supervisor_program, parse_path);
  table.text("log_endpoint", config.log_endpoint, parse_endpoint);
  table.texts("features", config.features, parse_features);
  table.integer("cpus", config.cpus, 0, cpus_per_node_max);
  table.integer("memory_mb", config.memory_mb, 0, limits::memory_mb_per_node_max);
  NodeResources resources;
  table.texts("gres", resources, parse_node_gres);
  config.gpus = std::move(resources.gpus);
  config.gres = std::move(resources.gres);
  table.texts("gpu_links", config.gpu_links, parse_gpu_groups);
  table.integer("weight", config.weight, 0, node_weight_max);
  // Without `gres` the worker checks gpu_links, once it has found its GPUs.
  if (!config.gpus.empty())
    if (const Failure wrong = join_gpus(config.gpu_links, config.gpus))
      table.problem("gpu_links", wrong->fact);
  table.duration("kill_wait", config.kill_wait, Milliseconds{0}, hour);
  table.text("health_check", config.health_check, parse_path);
  table.duration("health_check_interval", config.health_check_interval, Milliseconds{100}, week);
  read_site_programs(table, config);
  read_memory_limit(table, config.memory_limit_mb);
  read_log(table, log);
  if (!table.finish()) return;
  table.require("controller", "give the controller's endpoint, its listen_local or listen_tcp");
  table.require("spool_dir", "name a folder of this machine, for the supervisors");
  if (any_by_tcp(config.controller)) {
    table.require("controller_key", "give the public key from the controller's controller.pub");
    table.require("key_file", "name this worker's own .key file");
  }
  if (config.checkpoint_root.empty() && inherits_well) {
    table.problem("checkpoint_root", "is missing, there and in [controller]");
  }
}

void read_client(const toml::table& source, ClientConfig& config, Reading& reading) {
  TableReader table(source, "[client]", reading.problems, reading.values);
  table.text("controller", config.controller, parse_endpoints);
  table.text("controller_key", config.controller_key, parse_public_key);
  table.text("key_file", config.key_file, parse_path);
  if (!table.finish()) return;
  table.require("controller", "give the controller's endpoint, its listen_local or listen_tcp");
  if (any_by_tcp(config.controller)) {
    table.require("controller_key", "give the public key from the controller's controller.pub");
    table.require("key_file", "name the client's own .key file");
  }
}

const toml::table* table_at(const toml::table& root, const std::string& name, Problems& problems) {
  const toml::node* node = root.get(name);
  if (node == nullptr) return nullptr;
  if (!node->is_table()) {
    problems.add(line_of(*node), name + " must be written as [" + name + "]");
  }
  return node->as_table();
}

void check_tables(const toml::table& root, Problems& problems) {
  const std::vector<std::string_view> known{"controller", "worker",     "client", "scheduling",
                                            "partition",  "topology",   "switch", "block",
                                            "hours",      "submit_rule"};
  for (const auto& [key, node] : root) {
    if (std::find(known.begin(), known.end(), key.str()) != known.end()) continue;
    const auto suggestion = nearest(key.str(), known);
    std::string fact = "unknown table or key '" + printable(key.str()) + "'";
    if (!suggestion.empty()) fact += "; did you mean '" + std::string(suggestion) + "'?";
    problems.add(
        key.source().begin.line, fact,
        "there are [controller], [scheduling], [worker], [client], [hours], [[partition]], "
        "[[submit_rule]], [topology], [[switch]] and [[block]]");
  }
}

// Copies the cluster's name and the folder of checkpoints from [controller] to [worker] of the same
// file; [worker] may replace them.
void inherit(const ControllerConfig& controller, WorkerConfig& worker) {
  worker.cluster_name = controller.cluster_name;
  worker.checkpoint_root = controller.checkpoint_root;
}

}  // namespace

ConfigCheck check_config(const toml::table& root, const std::string& path_shown) {
  Reading reading{Problems(path_shown), {}};
  ConfigCheck check;
  Config& config = check.config;
  config.path = path_shown;
  check_tables(root, reading.problems);
  if (const auto* table = table_at(root, "controller", reading.problems)) {
    read_controller(*table, config.controller, config.controller_log, reading);
  }
  std::map<std::string, WeekHours>& hours = config.controller.hours;
  if (const auto* table = table_at(root, "hours", reading.problems))
    read_hours(*table, hours, reading.problems, reading.values);
  read_partitions(root, config.controller.partitions, hours, reading.problems, reading.values);
  read_submit_rules(root, config.controller.submit_rules, reading.problems, reading.values);
  read_topology(root, config.controller, reading.problems, reading.values);
  inherit(config.controller, config.worker);
  if (const auto* table = table_at(root, "scheduling", reading.problems)) {
    read_scheduling(*table, config.controller.scheduling, config.controller.usage, reading);
  }
  if (const auto* table = table_at(root, "worker", reading.problems)) {
    read_worker(*table, config.worker, config.worker_log, reading);
    config.controller.site = site_programs_of(config.worker);
  }
  if (const auto* table = table_at(root, "client", reading.problems)) {
    read_client(*table, config.client, reading);
  }
  check.problems = reading.problems.in_file_order();
  check.values = std::move(reading.values);
  return check;
}

}  // namespace cox
