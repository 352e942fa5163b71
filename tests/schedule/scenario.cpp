#include "tests/schedule/scenario.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include "common/base/check.h"
#include "common/syntax/min_cpus.h"
#include "common/syntax/node_range.h"
#include "schedule/place/alternatives.h"
#include "schedule/place/components.h"
#include "schedule/top/scheduler.h"

namespace cox::schedule {
namespace {

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, separator);)
    if (!part.empty()) parts.push_back(part);
  return parts;
}

struct Words {
  std::vector<std::string> plain;
  std::map<std::string, std::string> set;
  std::set<std::string> used;

  bool has(const std::string& word) const { return std::ranges::find(plain, word) != plain.end(); }
  std::string text(const std::string& key, const std::string& otherwise = "") const {
    return set.contains(key) ? set.at(key) : otherwise;
  }
  std::int64_t number(const std::string& key, std::int64_t otherwise) const {
    return set.contains(key) ? std::stoll(set.at(key)) : otherwise;
  }
};

Words words_of(const std::string& line) {
  Words words;
  for (const std::string& word : split(line, ' ')) {
    const auto equals = word.find('=');
    if (equals == std::string::npos) {
      words.plain.push_back(word);
    } else {
      words.set[word.substr(0, equals)] = word.substr(equals + 1);
    }
  }
  return words;
}

Boot at_second(std::int64_t second) {
  return start_of_time + std::chrono::seconds{second};
}

void add_nodes(SchedulerInput& world, const Words& words) {
  for (const std::string& name : split(words.plain.at(1), ',')) {
    SchedulerNode node;
    node.name = name;
    node.total.cpus = words.number("cpus", 4);
    node.total.memory_mb = words.number("mem", 1000);
    std::int32_t index = 0;
    for (const std::string& kind : split(words.text("gpus"), ',')) {
      const auto parts = split(kind, ':');
      for (int i = 0; i < std::stoi(parts.at(1)); ++i)
        node.total.gpus.push_back({index++, parts.at(0), ""});
    }
    std::vector<std::int32_t> islands;
    for (const std::string& gpus : split(words.text("islands"), ','))
      islands.resize(islands.size() + std::stoul(gpus), islands.empty() ? 1 : islands.back() + 1);
    for (std::size_t i = 0; i < islands.size(); ++i) node.total.gpus.at(i).island = islands[i];
    node.features = split(words.text("features"), ',');
    std::ranges::sort(node.features);
    node.domains = split(words.text("in"), '/');
    node.total.gres = parse_gres(words.text("gres", "none"))->others;
    node.weight = words.number("weight", 1);
    node.available = !words.has("down");
    if (!node.available) node.unavailable_why = "drained: bad fan";
    world.nodes.push_back(node);
  }
}

// Returns a request for which these grants would be right: the CPUs and GPUs of the first grant on
// each node.
Request request_like(const Placement& grants) {
  Request request;
  request.nodes = std::ssize(grants);
  request.tasks_per_node = grants.front().cpus;
  request.tasks = request.nodes * request.tasks_per_node;
  request.gpus_per_node = std::ssize(grants.front().gpus);
  return request;
}

// Parses limits such as "gpus:2,cpus:8". All jobs whose limits have the same text share them.
Limits limits_from(const std::string& text) {
  static const std::map<std::string, Tres> kinds = {
      {"jobs", Tres::Jobs},    {"nodes", Tres::Nodes},    {"cpus", Tres::Cpus},
      {"mem", Tres::MemoryMb}, {"gpus", Tres::GpuMilli},  {"h100", Tres::GpuMilli},
      {"fpga", Tres::Gres},    {"matlab", Tres::Licences}};
  Limits limits;
  for (const std::string& part : split(text, ',')) {
    const std::string name = part.substr(0, part.find(':'));
    const auto kind = kinds.find(name);
    Limit limit;
    limit.id = static_cast<std::int32_t>(std::distance(kinds.begin(), kind));
    limit.most.what = kind->second;
    if (name == "h100") limit.most.type = name;
    if (name == "fpga" || name == "matlab") limit.most.name = name;
    limit.most.count = std::stoll(part.substr(part.find(':') + 1));
    if (limit.most.what == Tres::GpuMilli) limit.most.count *= gpu_whole;
    limits.push_back(limit);
  }
  return limits;
}

// By name of an account: the positions of its quotas in SchedulerInput::quotas.
using Accounts = std::map<std::string, std::vector<std::int32_t>>;

constexpr std::int32_t first_quota_limit = 100;

std::int32_t add_quota(SchedulerInput& world, Quota quota) {
  const auto at = static_cast<std::int32_t>(world.quotas.size());
  quota.limit = first_quota_limit + at;
  world.quotas.push_back(quota);
  return at;
}

void add_account(SchedulerInput& world, const Words& words, Accounts& accounts) {
  Quota quota;
  const std::int64_t unit = words.text("of") == "h100" ? gpu_whole : 1;
  if (unit > 1) quota.what = {Tres::GpuMilli, "", "h100", 0};
  if (world.quotas.empty() || world.quotas.back().what != quota.what)
    accounts["root"].push_back(add_quota(world, quota));
  quota.parent = accounts.at(words.text("under", "root")).back();
  quota.guarantee = words.number("guarantee", 0) * unit;
  quota.deserved = words.number("deserved", 0) * unit;
  if (words.set.contains("most")) quota.most = words.number("most", 0) * unit;
  quota.shares = words.number("shares", 1);
  accounts[words.plain.at(1)].push_back(add_quota(world, quota));
}

void charge(const SchedulerInput& world, const Words& words, const Accounts& accounts,
            Shared<Limits>& limits) {
  if (!words.set.contains("account")) return;
  for (std::int32_t at : accounts.at(words.text("account")))
    for (; at >= 0; at = world.quotas[static_cast<std::size_t>(at)].parent) {
      const Quota& quota = world.quotas[static_cast<std::size_t>(at)];
      Limit limit{quota.limit, quota.what};
      limit.most.count = quota.most;
      limits.change().push_back(limit);
    }
}

void add_running(SchedulerInput& world, const Words& words, const Accounts& accounts) {
  RunningJob job;
  job.id = JobId{std::stoll(words.plain.at(1))};
  job.tier = static_cast<std::int32_t>(words.number("tier", 1));
  job.partition_tier = static_cast<std::int32_t>(words.number("partition_tier", 0));
  for (const std::string& word : words.plain) {
    const auto parts = split(word, ':');
    if (parts.size() < 2) continue;
    NodeGrant grant;
    grant.node = parts[0];
    grant.cpus = grant.ranks = static_cast<std::int32_t>(std::stoll(parts[1]));
    if (parts.size() > 2)
      for (const auto& gpu : split(parts[2], '+')) grant.gpus.push_back(std::stoi(gpu));
    grant.gpu_milli = static_cast<std::int32_t>(words.number("milli", gpu_whole));
    grant.memory_mb = words.number("mem", 0);
    job.grants.push_back(grant);
  }
  job.stopping = words.has("stopping");
  job.is_suspended = job.resumable = words.has("still");
  job.suspended = job.is_suspended || words.has("suspending");
  job.suspends = job.suspended || words.has("suspends");
  if (words.set.contains("left")) job.time_left = std::chrono::seconds{words.number("left", 0)};
  if (words.set.contains("resumed")) job.resumed = at_second(-words.number("resumed", 0));
  job.preemptable = !words.has("firm") && !job.stopping && !job.suspended;
  if (words.set.contains("ends")) job.ends_by = at_second(words.number("ends", 0));
  job.loss_per_second_units = 1;
  if (words.set.contains("ran")) job.began = at_second(-words.number("ran", 0));
  if (words.set.contains("exempt"))
    job.exempt_time = std::chrono::seconds{words.number("exempt", 0)};
  for (const std::string& ago : split(words.text("preempted"), ','))
    job.preempted.push_back(at_second(-std::stoll(ago)));
  job.preempt_weight = words.number("weight", 1);
  job.movable = words.has("saved");
  Request request;
  if (job.movable || words.set.contains("elastic")) request = request_like(job.grants);
  if (words.set.contains("elastic")) {
    const auto range = parse_node_range(words.text("elastic"));
    request.tasks = request.tasks / request.nodes * range->least;
    request.nodes = range->least;
    request.nodes_most = range->most;
  }
  if (words.set.contains("licences")) request.licences = *parse_licences(words.text("licences"));
  if (words.set.contains("gres")) request.gres = parse_gres(words.text("gres"))->others;
  request.gpus_per_node = words.number("gpus", request.gpus_per_node);
  if (words.set.contains("type")) request.gpu_types = {words.text("type")};
  job.limits = limits_from(words.text("limits"));
  charge(world, words, accounts, job.limits);
  request.reservation = words.text("in");
  job.request = std::move(request);
  job.unsaved_since = start_of_time - std::chrono::seconds{words.number("loss", 0)};
  world.running.push_back(job);
}

void add_reservation(SchedulerInput& world, const Words& words) {
  AdvanceReservation one;
  one.name = words.plain.at(1);
  one.nodes = split(words.text("nodes"), ',');
  one.flex = words.has("flex");
  one.overrules = words.has("overrules");
  one.users_text = "maintenance";
  const auto again = split(words.text("again", "0,0"), ',');
  for (int i = 0; i <= std::stoi(again.at(1)); ++i) {
    const std::int64_t later = i * std::stoll(again.at(0));
    one.occurrences.push_back(
        {at_second(words.number("from", 0) + later), at_second(words.number("to", 0) + later)});
  }
  world.reservations.push_back(one);
}

void add_wishes(Request& request, const Words& words) {
  request.reservation = words.text("in");
  request.gres = parse_gres(words.text("gres", "none"))->others;
  if (words.set.contains("licences")) request.licences = *parse_licences(words.text("licences"));
  request.topology_level = words.text("level");
  request.joined_gpus = words.has("joined");
  request.contiguous = words.has("contiguous");
  request.min_cpus = words.number("mincpus", 0);
  request.cpus_per_task =
      cpus_per_task_with(request.min_cpus, request.cpus_per_task, request.tasks, request.nodes);
  request.switches = words.number("switches", 0);
  request.switches_wait = std::chrono::seconds{words.number("patience", 0)};
  request.nodes_most = words.number("most", 0);
  for (const std::string& size : split(words.text("sizes"), ','))
    request.sizes.push_back(std::stoll(size));
}

Request request_from(const Words& words) {
  Request request;
  request.nodes = words.number("nodes", 1);
  request.tasks_per_node = words.number("each", 0);
  request.tasks =
      words.number("tasks", request.nodes * std::max<std::int64_t>(request.tasks_per_node, 1));
  request.cpus_per_task = words.number("cpus", 1);
  request.memory_mb_per_node = words.number("mem", 0);
  request.gpu_milli = static_cast<std::int32_t>(words.number("milli", gpu_whole));
  request.gpus_per_node = words.number("gpus", 0);
  request.exclusive = words.has("exclusive");
  request.partition_nodes = split(words.text("partition"), ',');
  request.nodelist = split(words.text("list"), ',');
  request.avoid = split(words.text("avoid"), ',');
  request.exclude = split(words.text("but"), ',');
  request.whole_memory = words.has("wholemem");
  add_wishes(request, words);
  return request;
}

void add_component(SchedulerInput& world, const Words& words) {
  PendingJob& job = world.pending.back();
  std::vector<Request> components;
  for (const Shared<Request>& one : job.request->components) components.push_back(*one);
  if (components.empty()) components.push_back(*job.request);
  components.push_back(request_from(words));
  if (words.set.contains("type")) components.back().gpu_types = split(words.text("type"), ',');
  job.request = together(std::move(components));
}

void add_pending(SchedulerInput& world, const Words& words, const Accounts& accounts) {
  PendingJob job;
  job.id = JobId{std::stoll(words.plain.at(1))};
  job.tier = static_cast<std::int32_t>(words.number("tier", 1));
  job.partition_tier = static_cast<std::int32_t>(words.number("partition_tier", 0));
  job.eligible = wall_from_ms(words.number("at", 0) * 1000);
  job.may_preempt = !words.has("peaceful");
  const Request request = request_from(words);
  if (words.set.contains("least")) job.time_min = std::chrono::seconds{words.number("least", 0)};
  if (words.set.contains("fills")) job.fill_min = std::chrono::seconds{words.number("fills", 0)};
  if (words.set.contains("limit")) job.time_limit = std::chrono::seconds{words.number("limit", 0)};
  job.limits = limits_from(words.text("limits"));
  charge(world, words, accounts, job.limits);
  job.held = words.has("held");
  job.copies = words.number("copies", 1);
  job.priority = static_cast<double>(words.number("priority", 0));
  job.fair_share = static_cast<double>(words.number("share", 0));
  job.account = words.number("charged", 0);
  std::vector<std::vector<std::string>> types;
  for (const std::string& group : split(words.text("type"), '|'))
    types.push_back(split(group, ','));
  job.request = chained(alternatives(request, types, *parse_constraint(words.text("feature"))));
  if (words.set.contains("magnet")) {
    Request inside = *job.request;
    inside.reservation = words.text("magnet");
    inside.otherwise = job.request;
    job.request = std::move(inside);
  }
  world.pending.push_back(job);
}

std::string text_of(const Placement& placement) {
  std::string text;
  for (const NodeGrant& grant : placement) {
    text += " " + grant.node + ":" + std::to_string(grant.ranks);
    for (std::size_t i = 0; i < grant.gpus.size(); ++i)
      text += (i == 0 ? ":" : "+") + std::to_string(grant.gpus[i]);
  }
  return text;
}

}  // namespace

SchedulerInput world_from(const std::string& text) {
  SchedulerInput world;
  Accounts accounts;
  for (const std::string& line : split(text, '\n')) {
    const Words words = words_of(line);
    if (words.plain.empty()) continue;
    const std::string& kind = words.plain.front();
    if (kind == "node") {
      add_nodes(world, words);
    } else if (kind == "runs") {
      add_running(world, words, accounts);
    } else if (kind == "wants") {
      add_pending(world, words, accounts);
    } else if (kind == "also") {
      add_component(world, words);
    } else if (kind == "account") {
      add_account(world, words, accounts);
    } else if (kind == "reserves") {
      add_reservation(world, words);
    } else {
      ADD_FAILURE() << "a scenario has no line like this: " << line;
    }
  }
  return world;
}

std::string text_of(const Plan& plan) {
  std::string text;
  for (const Start& start : plan.starts)
    text += std::to_string(start.job.value) + " starts on" + text_of(start.placement) +
            (start.time_limit ? " for " + std::to_string(start.time_limit->count() / 1000) : "") +
            (start.fills ? ", filling" : "") + "\n";
  for (const JobId id : plan.resumes) text += std::to_string(id.value) + " resumes\n";
  for (const Preemption& p : plan.preemptions)
    text += std::to_string(p.victim.value) +
            (p.suspends             ? " is suspended for "
             : p.continues_on_nodes ? " moves for "
                                    : " preempted by ") +
            std::to_string(p.preemptor.value) + "\n";
  for (const PendingExplanation& waiting : plan.waiting)
    text +=
        std::to_string(waiting.job.value) + " waits: " + std::string(name(waiting.reason)) + "\n";
  return text;
}

Plan make_plan(const SchedulerInput& world, Now now, const Settings& settings) {
  Scheduler scheduler(world.nodes, settings);
  Engine& engine = scheduler.engine();
  engine.set_reservations(world.reservations);
  engine.set_quotas(world.quotas);
  for (const RunningJob& job : world.running) engine.put(job);
  for (const PendingJob& job : world.pending) {
    engine.learn(*job.request);
    engine.put(job);
  }
  return scheduler.plan(now, ExplainDepth::everything());
}

std::string plan_for(const std::string& world, const Settings& settings) {
  const SchedulerInput parsed = world_from(world);
  const Plan plan = make_plan(parsed, at_start, settings);
  verify(parsed, plan);
  return text_of(plan);
}

const PendingExplanation& waiting_of(const Plan& plan, std::int64_t job) {
  const auto found = std::ranges::find(plan.waiting, JobId{job}, &PendingExplanation::job);
  CHECK(found != plan.waiting.end());
  return *found;
}

}  // namespace cox::schedule
