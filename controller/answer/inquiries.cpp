#include "controller/answer/inquiries.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "common/base/hostlist.h"
#include "common/base/limits.h"
#include "common/base/moment_text.h"
#include "common/base/slurm_version.h"
#include "common/base/text.h"
#include "common/base/time_format.h"
#include "common/job/job_ref.h"
#include "controller/answer/answer.h"
#include "controller/answer/answer_array.h"
#include "controller/feed/engine_input.h"
#include "controller/ledger/authorisation.h"

namespace cox {
namespace {

// Returns the queued jobs among those that the request asks for.
std::vector<JobId> rows_asked(const Cluster& cluster, const ListPriorities& ask) {
  std::set<JobId> rows;
  for (std::size_t i = 0; i < ask.ids.size(); ++i)
    rows.merge(selected_rows(cluster, ask.ids[i], i < ask.tasks.size() ? ask.tasks[i] : ""));
  if (ask.ids.empty())
    for (const JobId id : cluster.jobs().unfinished()) rows.insert(rows.end(), id);
  std::vector<JobId> asked;
  for (auto at = rows.upper_bound(ask.after); at != rows.end(); ++at) {
    const JobEntry& e = *cluster.job(*at);
    const ParsedSpec& spec = *e.job.spec;
    const bool is_asked = (ask.user_name.empty() || ask.user_name == spec.user_name) &&
                          (ask.partition.empty() || names_partition(spec, ask.partition));
    if (e.is_eligible() && is_asked) asked.push_back(*at);
  }
  return asked;
}

std::vector<PriorityFactor> weights_of(const SchedulingSettings& settings) {
  if (settings.order != OrderPolicy::Multifactor) return {};
  const PriorityWeights& weights = settings.priority;
  const auto as = [](std::int64_t weight) { return static_cast<double>(weight); };
  return {{"age", as(weights.age)},
          {"fair share", as(weights.fair_share)},
          {"size", as(weights.size)},
          {"shortness", as(weights.shortness)},
          {"partition", as(weights.partition)},
          {"QOS", as(weights.qos)},
          {"CPUs", as(weights.tres_cpu)},
          {"GPUs", as(weights.tres_gpu)}};
}

// Returns the time as `scontrol show config` of Slurm prints it: "30 sec".
std::string seconds(Milliseconds time) {
  return std::to_string(time.count() / 1000) + " sec";
}

std::string clock(Milliseconds time) {
  return time < Milliseconds{1000} ? "00:00:00" : format_time_limit(time.count() / 1000);
}

std::string licences_text(const std::vector<LicenceCount>& licences) {
  std::string text;
  for (const LicenceCount& one : licences)
    text += (text.empty() ? "" : ",") + one.name + ":" + std::to_string(one.count);
  return text;
}

void add_priorities(std::vector<NamedValue>& all, const ControllerConfig& config) {
  const PriorityWeights& weights = config.scheduling.priority;
  const bool weighs = config.scheduling.order == OrderPolicy::Multifactor;
  all.push_back({"PriorityType", weighs ? "priority/multifactor" : "priority/basic"});
  all.push_back({"PriorityDecayHalfLife", clock(config.usage.half_life)});
  all.push_back({"PriorityCalcPeriod", clock(config.usage.period)});
  all.push_back({"PriorityMaxAge", clock(weights.max_age)});
  all.push_back({"PriorityFavorSmall", weights.favor_small ? "Yes" : "No"});
  for (const auto& [name, weight] : {std::pair{"PriorityWeightAge", weights.age},
                                     {"PriorityWeightFairShare", weights.fair_share},
                                     {"PriorityWeightJobSize", weights.size},
                                     {"PriorityWeightPartition", weights.partition},
                                     {"PriorityWeightQOS", weights.qos}})
    all.push_back({name, std::to_string(weight)});
  all.push_back({"PriorityWeightTRES", "CPU=" + std::to_string(weights.tres_cpu) +
                                           ",GRES/gpu=" + std::to_string(weights.tres_gpu)});
}

// Returns the names of the keys that are set and that replace Slurm's plugins.
std::string submit_plugins(const ControllerConfig& config) {
  std::vector<std::string> keys;
  if (!config.submit_rules.empty()) keys.emplace_back("submit_rule");
  if (!config.submit_program.empty()) keys.emplace_back("submit_program");
  return joined(keys, ",");
}

// Returns the port: "6820" of "tcp://*:6820".
std::string port_of(const std::string& endpoint) {
  const std::size_t colon = endpoint.rfind(':');
  return colon == std::string::npos ? "" : endpoint.substr(colon + 1);
}

// Adds the prologs and epilogs. Those of nodes are as in the controller's own settings file; each
// node may have others.
void add_site_programs(std::vector<NamedValue>& all, const ControllerConfig& config) {
  all.push_back({"Epilog", config.site.epilog});
  all.push_back({"EpilogSlurmctld", config.epilog_program});
  all.push_back({"Prolog", config.site.prolog});
  all.push_back({"JobSubmitPlugins", submit_plugins(config)});
  all.push_back(
      {"PrologEpilogTimeout", std::to_string(config.prolog_epilog_timeout.count() / 1000)});
  all.push_back({"PrologFlags", "Alloc"});
  all.push_back({"PrologSlurmctld", config.prolog_program});
  all.push_back({"TaskEpilog", config.site.task_epilog});
  all.push_back({"TaskProlog", config.site.task_prolog});
}

void add_limits(std::vector<NamedValue>& all, const Cluster& cluster) {
  all.push_back({"MaxArraySize", std::to_string(cluster.config().max_array_size)});
  all.push_back({"MaxJobCount", std::to_string(cluster.config().max_jobs)});
  all.push_back({"MaxNodeCount", std::to_string(cluster.nodes().all().size())});
  all.push_back({"MaxStepCount", std::to_string(limits::steps_live_max)});
  all.push_back({"MaxTasksPerNode", std::to_string(limits::tasks_per_job_max)});
  all.push_back({"DefMemPerNode", "UNLIMITED"});
  all.push_back({"MaxMemPerNode", "UNLIMITED"});
  all.push_back({"NEXT_JOB_ID", std::to_string(cluster.jobs().next_id().value)});
}

}  // namespace

PriorityList list_priorities(const Cluster& cluster, const ListPriorities& ask, Wall now) {
  PriorityList list;
  list.weights = weights_of(cluster.config().scheduling);
  for (const JobId id : rows_asked(cluster, ask)) {
    list.more = list.jobs.size() == limits::page_rows_max;
    if (list.more) break;
    const JobEntry& e = *cluster.job(id);
    const JobSpec& spec = *e.job.spec;
    JobPriority& one = list.jobs.emplace_back();
    one.id = id;
    one.job_name = shown_id(e.job);
    one.user_name = spec.user_name;
    one.account = spec.account;
    one.partition = spec.partition;
    one.qos = spec.qos;
    one.tier = cluster.accounting().qos_of(e).tier;
    one.factors = priority_factors(cluster, e, now);
    for (const PriorityFactor& factor : one.factors) one.priority += factor.value;
    if (one.factors.empty()) one.priority = e.priority;
    one.first_after_s = first_after_s(cluster, e, now);
  }
  return list;
}

std::vector<SwitchView> switches_of(const DomainPaths& domains) {
  struct Below {
    std::int64_t level = 0;
    std::set<std::string> nodes, switches;
  };
  std::map<std::string, Below> known;
  for (const auto& [node, path] : domains)
    for (std::size_t i = 0; i < path.size(); ++i) {
      Below& one = known[path[i]];
      one.level = std::max(one.level, std::ssize(path) - 1 - static_cast<std::int64_t>(i));
      one.nodes.insert(node);
      if (i + 1 < path.size()) one.switches.insert(path[i + 1]);
    }
  const auto text = [](const std::set<std::string>& names) {
    return compress_hostlist({names.begin(), names.end()});
  };
  std::vector<SwitchView> views;
  for (const auto& [name, below] : known)
    views.push_back({name, below.level, text(below.nodes), text(below.switches)});
  std::ranges::stable_sort(views, {}, &SwitchView::level);
  return views;
}

Configuration configuration_of(const Cluster& cluster, Wall now) {
  const ControllerConfig& config = cluster.config();
  Configuration result;
  result.now = now;
  auto& all = result.settings;
  const bool enforces = cluster.accounting().accounts().are_used();
  // With any other AccountingStorageType, tools assume that there is no sacct and no sacctmgr.
  all = {{"AccountingStorageEnforce", enforces ? "associations,limits,qos" : "none"},
         {"AccountingStorageTRES", "cpu,mem,node,billing,gres/gpu"},
         {"AccountingStorageType", "accounting_storage/slurmdbd"},
         {"BOOT_TIME", moment_text(cluster.soft().turn_statistics.since)},
         {"ClusterName", config.cluster_name},
         {"CoxswainVersion", COX_VERSION},
         {"JobAcctGatherType", "jobacct_gather/linux"},
         {"DependencyParameters", config.kill_invalid_depend ? "kill_invalid_depend" : "(null)"},
         {"KillWait", seconds(config.kill_wait)},
         {"Licenses", licences_text(config.scheduling.licences)},
         {"MinJobAge", seconds(config.min_job_age)},
         {"PreemptExemptTime", clock(config.scheduling.preempt_exempt_time)},
         {"PreemptMode", "REQUEUE"},
         {"PreemptType", "preempt/qos"},
         {"ReturnToService", "2"},
         {"SchedulerType",
          config.scheduling.backfill.reservations > 0 ? "sched/backfill" : "sched/builtin"},
         {"ScronParameters", "enable,explicit_scancel"},
         {"SelectType", "select/cons_tres"},
         {"SelectTypeParameters", "CR_CPU_MEMORY"},
         {"SlurmUser", "(" + std::to_string(config.owner_uid) + ")"},
         {"SlurmctldPort", port_of(config.listen_tcp)},
         {"SlurmctldTimeout", seconds(config.lease)},
         // 0: the worker listens on no port; it connects to the controller from any port.
         {"SlurmdPort", "0"},
         {"SlurmdTimeout", seconds(config.node_timeout)},
         {"SLURM_VERSION", slurm_release},
         {"StateSaveLocation", "PostgreSQL"},
         {"TopologyPlugin", config.domains.empty() ? "topology/default" : "topology/tree"}};
  add_priorities(all, config);
  add_limits(all, cluster);
  add_site_programs(all, config);
  result.switches = switches_of(config.domains);
  return result;
}

Statistics statistics_of(const Cluster& cluster, Wall now) {
  const TurnStatistics& turn_statistics = cluster.soft().turn_statistics;
  std::int64_t pending = 0, running = 0, queue_length = 0;
  for (const JobId id : cluster.jobs().unfinished()) {
    const JobEntry& e = *cluster.job(id);
    (is_live(e.job.state) ? running : pending) += e.counted;
    queue_length += e.is_eligible() ? e.counted : 0;
  }
  Statistics result{turn_statistics.since, now, {}};
  const auto add = [&result](const char* name, std::int64_t value) {
    result.values.push_back({name, std::to_string(value)});
  };
  add("Server thread count", 1);
  add("Agent queue size", turn_statistics.events_waiting);
  add("Jobs submitted", turn_statistics.submitted);
  add("Jobs started", turn_statistics.started);
  add("Jobs completed", turn_statistics.completed);
  add("Jobs canceled", turn_statistics.cancelled);
  add("Jobs failed", turn_statistics.failed);
  add("Jobs pending", pending);
  add("Jobs running", running);
  add("Last cycle", turn_statistics.passes.last.count());
  add("Max cycle", turn_statistics.passes.longest.count());
  add("Total cycles", turn_statistics.passes.count);
  add("Mean cycle", turn_statistics.passes.mean().count());
  add("Last queue length", queue_length);
  add("Turns", turn_statistics.turns);
  return result;
}

void on_read_script(Reaction& r, const PeerMessage& incoming, std::int64_t number,
                    const ReadScript& ask) {
  const auto refuse = [&](const std::string& fact, const std::string& hint) {
    r.reply(incoming.peer, number, Refused{{fact, hint}});
  };
  const std::string named = format_job_ref(ask.id, ask.task < 0 ? "" : std::to_string(ask.task));
  const auto row =
      ask.task < 0 ? std::optional(ask.id) : r.cluster().jobs().arrays().row_of(ask.id, ask.task);
  const JobEntry* e = row ? r.cluster().job(*row) : nullptr;
  if (is_not_stored(r.cluster(), ask.id))
    return r.reply(incoming.peer, number, Refused{never_was(r.cluster(), ask.id, ask.task)});
  if (e == nullptr)
    return refuse("there is no job " + named + " among the queued and recently finished jobs",
                  "see `cox history " + named + "`");
  if (!may_act_on(r.cluster(), incoming.caller, e->job))
    return refuse("job " + named + " belongs to " + e->job.spec->user_name, "");
  if (e->job.spec->script_hash.empty())
    return refuse("job " + named + " has no batch script",
                  "`cox show job " + named + "` shows what it runs");
  r.reply_with_text(incoming.peer, number, e->job.spec->script_hash);
}

}  // namespace cox
