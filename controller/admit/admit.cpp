#include "controller/admit/admit.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "common/base/limits.h"
#include "common/base/moment_text.h"
#include "common/base/nearest.h"
#include "common/base/text.h"
#include "common/base/time_format.h"
#include "common/syntax/array_tasks.h"
#include "common/syntax/partition_list.h"
#include "controller/admit/input_checks.h"
#include "controller/admit/resolve_sizes.h"
#include "controller/admit/settle_container.h"
#include "controller/change/blob_key.h"
#include "controller/change/payload.h"
#include "controller/state/engine_input.h"
#include "controller/state/request.h"
#include "controller/state/reservations.h"
#include "schedule/explain/why_never_fits.h"
#include "schedule/place/matcher.h"
#include "schedule/queue/quota.h"

namespace cox {
namespace {

Refusal unknown(std::string_view what, const std::string& word,
                const std::vector<std::string_view>& names) {
  Refusal refusal{"there is no " + std::string(what) + " " + quoted(word),
                  did_you_mean(word, names)};
  std::string all;
  for (const auto n : names) all += (all.empty() ? "there is: " : ", ") + std::string(n);
  if (refusal.hint.empty()) refusal.hint = all;
  return refusal;
}

// Slurm's words for it: tools look for them.
Refusal invalid_account(const std::string& why, const std::string& hint) {
  return {"Invalid account or account/partition combination specified: " + why, hint};
}

// `own`: where the user is at all.
Refusal not_in_account(const JobSpec& s, const std::vector<const Association*>& own) {
  std::set<std::string> names, partitions;
  for (const Association* one : own) {
    names.insert(one->account);
    if (one->account == s.account) partitions.insert(one->partition);
  }
  const std::string user = "user " + s.user_name;
  if (!partitions.empty()) {
    const std::string all = joined({partitions.begin(), partitions.end()}, ", ");
    return invalid_account(user + " is in account " + s.account + " for partition " + all +
                               " alone, and the job asks for partition " + s.partition,
                           "use --partition=" + *partitions.begin() + ", or another account");
  }
  const std::vector<std::string_view> known(names.begin(), names.end());
  std::string hint = did_you_mean(s.account, known);
  if (hint.empty()) hint = "you are in: " + joined({names.begin(), names.end()}, ", ");
  return invalid_account(user + " is not in account " + quoted(s.account), hint);
}

// As long as nobody is in any account, whatever is named is only noted down.
Failure settle_account(const Accounts& accounts, JobSpec& s) {
  if (!accounts.are_used()) return std::nullopt;
  s.account = lower_case(s.account);
  const auto own = accounts.of_user(s.user_name);
  if (own.empty())
    return invalid_account(
        "user " + s.user_name + " is in no account",
        "an administrator adds you: sacctmgr add user " + s.user_name + " account=ACCOUNT");
  if (s.account.empty()) s.account = accounts.default_of(s.user_name);
  if (accounts.of(s) != nullptr) return std::nullopt;
  return not_in_account(s, own);
}

Failure settle_qos(const Cluster& cluster, JobSpec& s) {
  const Association* own = cluster.accounts().of(s);
  const auto allowed =
      own == nullptr ? std::vector<std::string>{} : cluster.accounts().qos_of(*own);
  if (s.qos.empty())
    s.qos = qos_unasked(own == nullptr ? "" : cluster.accounts().default_qos_of(*own), allowed);
  if (!cluster.qos().contains(s.qos)) {
    std::vector<std::string_view> names;
    for (const auto& [name, q] : cluster.qos()) names.push_back(name);
    return unknown("QOS", s.qos, names);
  }
  if (allowed.empty() || std::ranges::find(allowed, s.qos) != allowed.end()) return std::nullopt;
  return Refusal{"Invalid qos specification: " + text_of(*own) + " may not have QOS " + s.qos,
                 "it may have: " + joined(allowed, ", ")};
}

// What was not asked for is not refused: a command may be any bytes and longer than a name.
std::string default_name(const JobSpec& s) {
  if (s.form == JobForm::Allocation) return "interactive";
  if (s.form == JobForm::Batch || s.command.empty()) return "sbatch";
  return cut_text(printable(s.command.front()), limits::name_bytes_max);
}

Failure check_moment(std::string_view what, Wall moment, Now now) {
  const std::chrono::seconds far{limits::moment_seconds_max};
  if (moment == Wall{} || (moment > Wall{} && moment < now.wall + far)) return std::nullopt;
  return Refusal{std::string(what) + " is " + std::to_string(to_ms(moment)) +
                     " ms since 1970, which is before that or more than " +
                     std::to_string(limits::moment_seconds_max) + " s from now",
                 "name a moment nearer to now"};
}

// All partitions that it names are closed until it is too late. REQUIRES: they are settled.
Failure check_opens_in_time(const Cluster& cluster, const JobSpec& s, Wall from) {
  const ControllerConfig& config = cluster.config();
  std::string closed;
  for (const PartitionConfig* one : partitions_of(config, s.partition)) {
    if (opens_at(config, *one, from) <= latest_start(s)) return std::nullopt;
    closed += (closed.empty() ? "" : "; ") + closed_text(config, *one, from);
  }
  if (closed.empty()) return std::nullopt;
  return Refusal{"it cannot end by its deadline: for that it starts by " +
                     moment_text(latest_start(s)) + ", and " + closed,
                 "ask for a later --deadline, or for another partition"};
}

Failure check_requeue_words(const JobSpec& s) {
  if (!s.requeue_on_timeout || s.requeue) return std::nullopt;
  return Refusal{"--no-requeue forbids the requeue that --requeue-on-timeout asks for",
                 "leave one of them out; SBATCH_NO_REQUEUE in the environment means --no-requeue"};
}

// A signal that comes as an attempt starts would end it, and its requeue would start the next one.
Failure check_requeue_on_timeout(const JobSpec& s) {
  const std::int64_t least_s = s.time_min_s > 0 ? s.time_min_s : s.time_limit_s;
  const bool comes_at_once =
      s.signal.number != 0 && least_s > 0 && s.signal.seconds_before >= least_s;
  if (!s.requeue_on_timeout || !comes_at_once) return std::nullopt;
  return Refusal{
      "with --requeue-on-timeout the job would start again and again: its --signal "
      "comes " +
          std::to_string(s.signal.seconds_before) + " s before a time limit of " +
          std::to_string(least_s) + " s",
      "ask for more with --time, name fewer seconds as in --signal=USR1@10, or use "
      "--checkpoint-signal, which comes at the limit"};
}

// When it may begin, when it must have ended, and whether it can.
Failure settle_moments(const Cluster& cluster, JobSpec& s, Now now) {
  if (auto f = check_moment("--begin", s.begin, now)) return f;
  if (auto f = check_moment("--deadline", s.deadline, now)) return f;
  if (!s.kill_on_invalid_dependency)
    s.kill_on_invalid_dependency = cluster.config().kill_invalid_depend;
  if (s.deadline == Wall{}) return std::nullopt;
  const Wall from = std::max(now.wall, s.begin);
  if (from <= latest_start(s)) return check_opens_in_time(cluster, s, from);
  if (s.deadline <= from)
    return Refusal{"--deadline is over before it may begin", "name a later one"};
  const std::int64_t left_ms = (s.deadline - from).count();
  const std::int64_t left_s = std::max<std::int64_t>(left_ms / 1000, 1);
  return Refusal{"it cannot end by its deadline: " + format_time_limit(left_s) +
                     " is left for a time limit of " + format_time_limit(s.time_limit_s),
                 "ask for less with --time or --time-min, or for a later --deadline"};
}

Failure settle_dependency(JobSpec& s) {
  if (s.dependency.empty()) return std::nullopt;
  const auto wish = parse_dependency(s.dependency);
  if (!wish) return Refusal{"--dependency: " + wish.refusal().fact, wish.refusal().hint};
  s.dependency = format_dependency(*wish);
  return std::nullopt;
}

Failure settle_array(JobSpec& s) {
  if (s.array.empty()) return std::nullopt;
  const auto wish = parse_array(s.array);
  if (!wish) return Refusal{"--array: " + wish.refusal().fact, wish.refusal().hint};
  s.array = format_array(*wish);
  if (s.array.size() > limits::wish_bytes_max)
    return Refusal{"--array has, written out, " + std::to_string(s.array.size()) +
                       " bytes; the limit is " + std::to_string(limits::wish_bytes_max),
                   "name the tasks by fewer ranges, or submit several arrays"};
  return std::nullopt;
}

Shape shape_of(const JobSpec& s) {
  return {s.partition,
          s.constraint,
          s.gpu_type,
          s.gres,
          s.licences,
          s.node_sizes,
          s.switches,
          s.topology,
          s.nodelist,
          s.nodes,
          s.tasks,
          s.tasks_per_node,
          s.cpus_per_task,
          s.memory_mb_per_node,
          s.gpus_per_node,
          s.gpu_milli,
          s.exclusive,
          s.tasks_asked,
          s.exclude,
          s.memory_mb_per_cpu,
          s.memory_mb_per_gpu,
          s.gpus,
          s.gpus_per_task,
          s.cpus_per_gpu,
          s.whole_memory,
          s.tasks_per_gpu,
          s.min_cpus,
          s.cpus_per_task_asked,
          s.contiguous,
          s.prefer};
}

// A task at least for each of so many nodes.
JobSpec with_nodes(const JobSpec& s, std::int64_t nodes) {
  JobSpec sized = s;
  sized.nodes = nodes;
  sized.tasks = std::max(s.tasks, nodes);
  return sized;
}

// Returns the refusal of --prefer. As in Slurm, the preferred features must exist; otherwise a
// misspelt name would never be noticed.
Refusal preferred_never(const JobSpec& s, const std::string& why) {
  return {"Invalid preferred feature specification: with --prefer=" + s.prefer + " it " + why,
          "name features of nodes on which the job could run, or leave --prefer out"};
}

// The fewest nodes, from what is asked on, that could ever hold it; or why none can.
Result<std::int64_t> nodes_that_hold(const Cluster& cluster, const JobSpec& s, bool more_nodes_do,
                                     Now now) {
  const schedule::Nodes& nodes = cluster.engine(now).nodes();
  const auto impossible_with = [&](const std::string& features, std::int64_t count,
                                   bool by_type) -> std::optional<std::string> {
    JobSpec sized = with_nodes(s, count);
    sized.constraint = features;
    sized.prefer.clear();
    sized.reservation.clear();  // its nodes are judged besides (check_reservation)
    if (auto uneven = settle_each_node(cluster, sized)) return uneven->fact + "; " + uneven->hint;
    const auto request = make_request(cluster.config(), sized, {});
    return schedule::impossible(nodes, by_type ? *cluster.by_gpu_type(request) : *request);
  };
  const auto impossible = [&](std::int64_t count, bool by_type) {
    return impossible_with(s.constraint, count, by_type);
  };
  const auto preferred_impossible = [&](std::int64_t count) {
    return s.prefer.empty() ? std::nullopt : impossible_with(s.prefer, count, true);
  };
  const auto why = impossible(s.nodes, true);
  const auto why_not_preferred = why ? std::nullopt : preferred_impossible(s.nodes);
  if (!why && !why_not_preferred) return s.nodes;
  const bool tasks_grow = !s.tasks_asked && s.gpus_per_task == 0;
  const auto nodes_max = std::min<std::int64_t>(tasks_grow ? std::max(s.tasks, s.gpus) : s.tasks,
                                                static_cast<std::int64_t>(cluster.nodes().size()));
  for (std::int64_t n = s.nodes + 1; more_nodes_do && n <= nodes_max; ++n)
    if (!impossible(n, true) && !preferred_impossible(n)) return n;
  if (!why) return preferred_never(s, *why_not_preferred);
  const bool of_one_type = !impossible(s.nodes, false);
  const bool of_gpus = s.gpus > 0 && why->find("GPU") != std::string::npos;
  return Refusal{
      (!of_one_type ? "this cluster can never run it: "
       : cluster.counts_gpu_types()
           ? "limits here count GPUs by type, so a job has all of its GPUs of one type, and "
             "no type has enough: it "
           : "a job has all of its GPUs of one type, unless it names types that it takes "
             "together, like --gpu-type=h100+h200, and no type has enough: it ") +
          *why,
      (of_gpus ? "--gpus=" + std::to_string(s.gpus) + " is the number in all, and each node of " +
                     "the job gets the same share; "
               : std::string()) +
          hint_of_impossible(*why, s.licences.empty() ? "see `cox nodes`"
                                                      : "see `cox nodes` and `cox show licenses`")};
}

// What counts by the minute of each node of a job that has its nodes to itself.
schedule::Whole whole_node_of(const Cluster& cluster, const JobSpec& s, Now now) {
  const auto request = make_request(cluster.config(), s, {});
  if (!request->exclusive) return std::nullopt;
  return schedule::whole_node_of(cluster.engine(now).nodes(), *cluster.by_gpu_type(request));
}

// What jobs of this QOS leave to those of a higher tier.
struct KeptRoom {
  std::string qos;
  schedule::Limit limit;
  std::int64_t there_is = 0;    // on all nodes, whether they are available now or not
  std::int64_t guaranteed = 0;  // to the account of who asks, which goes before what is kept
};

// The most that any of its accounts is, at whatever hours: less than that, and it may run one day.
std::int64_t guaranteed_of(const Cluster& cluster, const JobSpec& s, const TresCount& thing) {
  std::int64_t most = 0;
  const Association* own = cluster.accounts().of(s);
  if (own == nullptr) return most;
  for (const Association* one : cluster.accounts().chain(*own))
    for (const TresCount& guarantee : one->limits.guarantee)
      if (guarantee.what == thing.what && guarantee.name == thing.name &&
          (guarantee.type.empty() || guarantee.type == thing.type))
        most = std::max(most, guarantee.count);
  return most;
}

std::vector<KeptRoom> kept_from(const Cluster& cluster, const JobSpec& s) {
  const Qos& own = cluster.qos_of(s);
  std::vector<KeptRoom> all;
  for (const auto& [name, qos] : cluster.qos())
    for (const TresCount& thing : qos.limits.kept_tres)
      if (qos.tier > own.tier && schedule::is_of_nodes(thing) && thing.count > 0)
        all.push_back({name, {0, thing}, 0, guaranteed_of(cluster, s, thing)});
  if (cluster.nodes().empty()) return {};  // not known yet
  for (KeptRoom& kept : all) kept.there_is = cluster.there_is(kept.limit.most);
  return all;
}

Failure beyond_what_is_left(const std::vector<KeptRoom>& all, const schedule::Request& request,
                            const JobSpec& s) {
  for (const KeptRoom& kept : all) {
    const TresCount& thing = kept.limit.most;
    const std::int64_t left = std::max<std::int64_t>(kept.there_is - thing.count, 0);
    const std::int64_t asked = schedule::count_of(kept.limit, request, s.nodes, s.tasks);
    if (asked <= left || asked <= kept.guaranteed) continue;
    const auto amount = [&](std::int64_t count) {
      TresCount one = thing;
      one.count = count;
      return tres_amount(one);
    };
    return Refusal{"this cluster can never run it in QOS " + s.qos + ": it has " +
                       tres_name(thing) + "=" + amount(kept.there_is) + ", of which " +
                       amount(thing.count) + " are kept for QOS " + kept.qos +
                       ", and the job asks for " + amount(asked),
                   (left > 0 ? "ask for at most " + amount(left) + ", or" : "ask") +
                       std::string(" for another QOS; `cox show qos` lists what each keeps")};
  }
  return std::nullopt;
}

// Whatever alternative it takes: it would wait for ever.
Failure check_kept_room(const Cluster& cluster, const JobSpec& s) {
  const std::vector<KeptRoom> all = kept_from(cluster, s);
  if (all.empty()) return std::nullopt;
  const auto request = cluster.by_gpu_type(make_request(cluster.config(), s, {}));
  Failure first;
  for (const schedule::Request* one = &*request; one != nullptr;
       one = one->otherwise ? &**one->otherwise : nullptr) {
    const Failure beyond = beyond_what_is_left(all, *one, s);
    if (!beyond) return std::nullopt;
    if (!first) first = beyond;
  }
  return first;
}

}  // namespace

Admission::Admission(const Cluster& cluster, const Caller& caller, const Payload& payload, Now now)
    : cluster_(cluster), caller_(caller), payload_(payload), now_(now) {}

// In the partitions that take it at the size it then has.
Failure Admission::settle_size(JobSpec& s, PartitionChoice& choice) const {
  for (;;) {
    JobSpec sized = s;
    const Failure impossible = settle_size(sized);
    const std::string tried = s.partition;
    if (auto f = choice.drop_too_small(sized)) return f;  // a limit tells more than a want of nodes
    s.partition = sized.partition;
    if (s.partition != tried) continue;
    if (impossible) return impossible;
    s = std::move(sized);
    return std::nullopt;
  }
}

// Nodes and tasks as Slurm settles them; how many nodes an -n alone takes is the fewest that can
// ever hold it.
Failure Admission::settle_size(JobSpec& s) const {
  if (auto f = settle_counts(s)) return f;
  const bool nodes_asked = s.nodes > 0;
  const std::int64_t per_node = std::max<std::int64_t>(s.tasks_per_node, 1);
  if (!nodes_asked) {
    s.nodes = std::max({std::int64_t{1}, static_cast<std::int64_t>(s.nodelist.size()),
                        fewest_nodes(cluster_.config(), s)});
    if (s.tasks_per_node > 0 && s.tasks > 0)
      s.nodes = std::max(s.nodes, (s.tasks + per_node - 1) / per_node);
  }
  if (s.tasks == 0) s.tasks = s.nodes * per_node;
  if (s.tasks < s.nodes) s.nodes = s.tasks;
  if (auto f = check_range("the number of tasks", s.tasks, 1, limits::tasks_per_job_max)) return f;
  if (s.tasks_per_node > 0 && s.tasks > s.nodes * s.tasks_per_node)
    return Refusal{std::to_string(s.tasks) + " tasks do not fit on " + std::to_string(s.nodes) +
                       " nodes with " + std::to_string(s.tasks_per_node) + " tasks a node",
                   "ask for more nodes, or fewer tasks"};
  const bool more_nodes_do = !nodes_asked && s.tasks_per_node == 0;
  PossibleKey key{shape_of(s), more_nodes_do};
  if (const auto known = cluster_.known_possible(key)) {
    s = with_nodes(s, *known);
    return settle_each_node(cluster_, s);
  }
  const auto nodes = nodes_that_hold(cluster_, s, more_nodes_do, now_);
  if (!nodes) return nodes.refusal();
  cluster_.note_possible(std::move(key), *nodes);
  s = with_nodes(s, *nodes);
  return settle_each_node(cluster_, s);
}

Failure check_array_size(const Cluster& cluster, const JobSpec& asked) {
  const std::int64_t tasks = tasks_asked(asked.array);
  if (tasks <= cluster.config().max_array_size) return std::nullopt;
  return over("the array", static_cast<std::size_t>(tasks),
              static_cast<std::size_t>(cluster.config().max_array_size), "tasks");
}

Failure check_request(const Cluster& cluster, const std::string& request_id, std::int64_t count) {
  const std::int64_t queued = cluster.unfinished_count();
  const std::int64_t most = cluster.config().max_jobs;
  if (queued + count > most)
    return Refusal{std::to_string(queued) + " jobs wait or run already; the limit is " +
                       std::to_string(most) + " (max_jobs)",
                   "submit it again when some have ended"};
  return check_word("the request id", request_id, limits::word_bytes_max);
}

// Who is refused by its partitions is told which others would take it: each is judged in full.
Result<JobSpec> Admission::admit(const JobSpec& asked) const {
  return admit(asked, [&](const std::string& partition) {
    JobSpec there = asked;
    there.partition = partition;
    return admit(there, {}).ok();
  });
}

Result<JobSpec> Admission::admit(const JobSpec& asked, PartitionChoice::Takes others) const {
  JobSpec s = asked;
  s.user_name = caller_.user_name;
  s.uid = caller_.uid;
  s.gid = caller_.gid;
  const std::uint32_t owner = cluster_.config().owner_uid;
  if (caller_.uid != owner)
    return Refusal{"this cluster runs the jobs of uid " + std::to_string(owner) +
                       " only; you are uid " + std::to_string(caller_.uid),
                   "make a cluster of your own with `cox up`"};
  if (s.name.empty()) s.name = default_name(s);
  if (auto f = check_words(s)) return *f;
  if (auto f = check_numbers(s)) return *f;
  if (auto f = check_payload(payload_)) return *f;
  if (auto f = check_command(s, payload_)) return *f;
  if (auto f = check_components(s)) return *f;
  if (auto f = settle_container(cluster_, s)) return *f;
  if (partition_names(s.partition).empty()) s.partition = partition_of(cluster_.config(), "")->name;
  if (auto f = settle_account(cluster_.accounts(), s)) return *f;
  if (auto f = settle_qos(cluster_, s)) return *f;
  PartitionChoice choice(cluster_, caller_, std::move(others));
  if (auto f = choice.settle(s)) return *f;
  if (auto f = check_asked(s)) return *f;
  settle_wishes(cluster_.config(), s);
  if (auto f = check_requeue_words(s)) return *f;
  if (auto f = check_requeue_on_timeout(s)) return *f;
  if (auto f = settle_moments(cluster_, s, now_)) return *f;
  if (auto f = settle_dependency(s)) return *f;
  if (auto f = settle_array(s)) return *f;
  // The first as a job by itself: the others are not settled yet.
  auto behind = std::exchange(s.components, {});
  if (auto f = settle_size(s, choice)) return *f;
  s.components = std::move(behind);
  if (auto f = settle_components(s, asked.time_limit_s > 0)) return *f;
  // Partitions that do not take it are left out by now, and whom it is charged to hangs on them.
  if (auto f = settle_account(cluster_.accounts(), s)) return *f;
  if (auto f = settle_qos(cluster_, s)) return *f;
  const schedule::Whole whole = whole_node_of(cluster_, s, now_);
  if (auto f = check_qos_limits(cluster_.qos_of(s), s, choice.time_from(), whole)) return *f;
  const Qos& qos = cluster_.qos_of(s);
  const PreemptionYield how = gives_way(partitions_of(cluster_.config(), s.partition), qos);
  if (auto f = check_association_limits(qos, how, cluster_.accounts(), cluster_.config().hours, s,
                                        choice.time_from(), whole))
    return *f;
  if (auto f = check_kept_room(cluster_, s)) return *f;
  if (auto f = check_reservation(cluster_, s, now_)) return *f;
  if (s.form == JobForm::Allocation) s.requeue = s.requeue_on_timeout = false;
  s.script_hash = s.form == JobForm::Batch ? payload_.script_hash : "";
  s.environment_hash = payload_.environment_hash;
  return s;
}

}  // namespace cox
