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
#include "controller/admit/check_reservation.h"
#include "controller/admit/input_checks.h"
#include "controller/admit/resolve_container.h"
#include "controller/admit/resolve_sizes.h"
#include "controller/change/blob_key.h"
#include "controller/change/payload.h"
#include "controller/feed/engine_input.h"
#include "controller/job/request.h"
#include "controller/state/counted.h"
#include "schedule/explain/why_never_fits.h"
#include "schedule/model/request_chain.h"
#include "schedule/place/matcher.h"
#include "schedule/queue/quota.h"

namespace cox {
namespace {

Refusal unknown(std::string_view what, const std::string& word,
                const std::vector<std::string_view>& names) {
  Refusal refusal{"there is no " + std::string(what) + " " + quoted(word),
                  did_you_mean(word, names)};
  std::string all;
  for (const auto n : names) all += (all.empty() ? "possible: " : ", ") + std::string(n);
  if (refusal.hint.empty()) refusal.hint = all;
  return refusal;
}

// Returns a refusal in Slurm's words, which tools search for.
Refusal invalid_account(const std::string& why, const std::string& hint) {
  return {"Invalid account or account/partition combination specified: " + why, hint};
}

// Returns the refusal of a job whose user is not in the account that the job names. `own`: all
// associations of the user.
Refusal not_in_account(const JobSpec& s, const std::vector<const Association*>& own) {
  std::set<std::string> names, partitions;
  for (const Association* one : own) {
    names.insert(one->account);
    if (one->account == s.account) partitions.insert(one->partition);
  }
  const std::string user = "user " + s.user_name;
  if (!partitions.empty()) {
    const std::string all = joined({partitions.begin(), partitions.end()}, ", ");
    return invalid_account(user + " is in account " + s.account + " only for partition " + all +
                               ", and the job asks for partition " + s.partition,
                           "use --partition=" + *partitions.begin() + ", or another account");
  }
  const std::vector<std::string_view> known(names.begin(), names.end());
  std::string hint = did_you_mean(s.account, known);
  if (hint.empty()) hint = "you are in: " + joined({names.begin(), names.end()}, ", ");
  return invalid_account(user + " is not in account " + quoted(s.account), hint);
}

// Fills in the default account, and refuses an account that the user is not in. As long as no user
// is in any account, the name is stored without a check.
Failure resolve_account(const Accounts& accounts, JobSpec& s) {
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

Failure resolve_qos(const Cluster& cluster, JobSpec& s) {
  const Association* own = cluster.accounting().accounts().of(s);
  const auto allowed =
      own == nullptr ? std::vector<std::string>{} : cluster.accounting().accounts().qos_of(*own);
  if (s.qos.empty())
    s.qos = qos_unasked(own == nullptr ? "" : cluster.accounting().accounts().default_qos_of(*own),
                        allowed);
  if (!cluster.accounting().qos().contains(s.qos)) {
    std::vector<std::string_view> names;
    for (const auto& [name, q] : cluster.accounting().qos()) names.push_back(name);
    return unknown("QOS", s.qos, names);
  }
  if (allowed.empty() || std::ranges::find(allowed, s.qos) != allowed.end()) return std::nullopt;
  return Refusal{"Invalid qos specification: " + text_of(*own) + " may not use QOS " + s.qos,
                 "it may use: " + joined(allowed, ", ")};
}

// Returns the name of a job that was given none. It is always valid, although a command may have
// any bytes and be longer than a name.
std::string default_name(const JobSpec& s) {
  if (s.form == JobForm::Allocation) return "interactive";
  if (s.form == JobForm::Batch || s.command.empty()) return "sbatch";
  return cut_text(printable(s.command.front()), limits::name_bytes_max);
}

Failure check_moment(std::string_view what, Wall moment, Now now) {
  const std::chrono::seconds far{limits::moment_seconds_max};
  if (moment == Wall{} || (moment > Wall{} && moment < now.wall + far)) return std::nullopt;
  return Refusal{std::string(what) + " is " + std::to_string(to_ms(moment)) +
                     " ms since 1970; it must be after 1970 and less than " +
                     std::to_string(limits::moment_seconds_max) + " s from now",
                 "give a time closer to now"};
}

// Refuses a job whose partitions all stay closed until it can no longer end by its deadline.
// REQUIRES: the job's final partitions are set.
Failure check_opens_in_time(const Cluster& cluster, const ParsedSpec& s, Wall from) {
  const ControllerConfig& config = cluster.config();
  std::string closed;
  for (const PartitionConfig* one : partitions_of(config, s.terms->partitions)) {
    if (opens_at(config, *one, from) <= latest_start(s)) return std::nullopt;
    closed += (closed.empty() ? "" : "; ") + closed_text(config, *one, from);
  }
  if (closed.empty()) return std::nullopt;
  return Refusal{"it cannot end by its deadline: it must start by " + moment_text(latest_start(s)) +
                     ", and " + closed,
                 "ask for a later --deadline, or for another partition"};
}

Failure check_requeue_words(const JobSpec& s) {
  if (!s.requeue_on_timeout || s.requeue) return std::nullopt;
  return Refusal{"--no-requeue forbids the requeue that --requeue-on-timeout asks for",
                 "leave one of them out; SBATCH_NO_REQUEUE in the environment means --no-requeue"};
}

// Refuses a --signal that would be sent as soon as an attempt starts. It would end the attempt, and
// --requeue-on-timeout would start the next one, without end.
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

// Refuses a --begin or --deadline outside the range of times that is stored, and a job that cannot
// end by its deadline even if it starts as soon as it may.
Failure check_moments(const Cluster& cluster, const ParsedSpec& s, Now now) {
  if (auto f = check_moment("--begin", s.begin, now)) return f;
  if (auto f = check_moment("--deadline", s.deadline, now)) return f;
  if (s.deadline == Wall{}) return std::nullopt;
  const Wall from = std::max(now.wall, s.begin);
  if (from <= latest_start(s)) return check_opens_in_time(cluster, s, from);
  if (s.deadline <= from)
    return Refusal{"--deadline is not after the time at which the job may begin",
                   "give a later one"};
  const std::int64_t left_ms = (s.deadline - from).count();
  const std::int64_t left_s = std::max<std::int64_t>(left_ms / 1000, 1);
  return Refusal{"it cannot end by its deadline: " + format_time_limit(left_s) +
                     " is left for a time limit of " + format_time_limit(s.time_limit_s),
                 "ask for less with --time or --time-min, or for a later --deadline"};
}

Failure resolve_dependency(const Cluster& cluster, ParsedSpec& s) {
  if (!s.kill_on_invalid_dependency)
    s.kill_on_invalid_dependency = cluster.config().kill_invalid_depend;
  if (auto f = unreadable(*s.terms, "--dependency")) return f;
  if (!s.dependency.empty()) s.dependency = format_dependency(s.terms->dependency);
  return std::nullopt;
}

Failure resolve_array(ParsedSpec& s) {
  if (s.array.empty()) return std::nullopt;
  if (auto f = unreadable(*s.terms, "--array")) return f;
  s.array = format_array(s.terms->array);
  if (s.array.size() > limits::wish_bytes_max)
    return Refusal{"--array has, written out, " + std::to_string(s.array.size()) +
                       " bytes; the limit is " + std::to_string(limits::wish_bytes_max),
                   "name the tasks by fewer ranges, or submit several arrays"};
  return std::nullopt;
}

// Returns the key under which the result of nodes_that_hold() is cached: the job's needs without
// the fields that do not decide whether a job can ever run.
JobNeeds shape_of(const JobSpec& s) {
  JobNeeds shape = s;
  shape.gpu_choice.clear();
  shape.exclusive_user = false;
  return shape;
}

// Returns the job with `nodes` nodes and at least as many tasks.
ParsedSpec with_nodes(const ParsedSpec& s, std::int64_t nodes) {
  ParsedSpec sized = s;
  sized.nodes = nodes;
  sized.tasks = std::max(s.tasks, nodes);
  return sized;
}

// Returns the job with one of its lists of features as the only one.
ParsedSpec with_features(const ParsedSpec& s, const std::string& text,
                         Constraint JobTerms::*features) {
  ParsedSpec one = s;
  JobTerms& terms = one.terms.change();
  terms.constraint = (*s.terms).*features;
  terms.prefer = {};
  one.constraint = text;
  one.prefer.clear();
  return one;
}

// Returns the refusal of --prefer. As in Slurm, the preferred features must exist; otherwise a
// misspelt name would never be noticed.
Refusal preferred_never(const JobSpec& s, const std::string& why) {
  return {"Invalid preferred feature specification: with --prefer=" + s.prefer + " it " + why,
          "name features of nodes on which the job could run, or leave --prefer out"};
}

// Returns the smallest number of nodes, from s.nodes on, with which the job could ever run; or why
// it never can. `more_nodes_do`: a larger number than s.nodes may be chosen.
Result<std::int64_t> nodes_that_hold(const Cluster& cluster, const schedule::Nodes& nodes,
                                     const ParsedSpec& s, bool more_nodes_do) {
  const auto impossible_with = [&](const ParsedSpec& like, std::int64_t count,
                                   bool by_type) -> std::optional<std::string> {
    ParsedSpec sized = with_nodes(like, count);
    sized.reservation.clear();  // check_reservation() checks the reservation's nodes
    if (auto uneven = resolve_each_node(cluster, sized)) return uneven->fact + "; " + uneven->hint;
    const auto request = make_request(cluster.config(), sized, {});
    return schedule::impossible(nodes,
                                by_type ? *cluster.requests().by_gpu_type(request) : *request);
  };
  const ParsedSpec plain =
      s.prefer.empty() ? s : with_features(s, s.constraint, &JobTerms::constraint);
  const ParsedSpec preferring =
      s.prefer.empty() ? s : with_features(s, s.prefer, &JobTerms::prefer);
  const auto impossible = [&](std::int64_t count, bool by_type) {
    return impossible_with(plain, count, by_type);
  };
  const auto preferred_impossible = [&](std::int64_t count) {
    return s.prefer.empty() ? std::nullopt : impossible_with(preferring, count, true);
  };
  const auto why = impossible(s.nodes, true);
  const auto why_not_preferred = why ? std::nullopt : preferred_impossible(s.nodes);
  if (!why && !why_not_preferred) return s.nodes;
  const bool tasks_grow = !s.tasks_asked && s.gpus_per_task == 0;
  const auto nodes_max =
      std::min<std::int64_t>(tasks_grow ? std::max(s.tasks, s.gpus) : s.tasks,
                             static_cast<std::int64_t>(cluster.nodes().all().size()));
  for (std::int64_t n = s.nodes + 1; more_nodes_do && n <= nodes_max; ++n)
    if (!impossible(n, true) && !preferred_impossible(n)) return n;
  if (!why) return preferred_never(s, *why_not_preferred);
  const bool of_one_type = !impossible(s.nodes, false);
  const bool of_gpus = s.gpus > 0 && why->find("GPU") != std::string::npos;
  return Refusal{
      (!of_one_type ? "this cluster can never run it: "
       : cluster.requests().counts_gpu_types()
           ? "limits here count GPUs by type, so a job has all of its GPUs of one type, and "
             "no type has enough: it "
           : "a job has all of its GPUs of one type, unless it names types that it takes "
             "together, like --gpu-type=h100+h200, and no type has enough: it ") +
          *why,
      (of_gpus ? "--gpus=" + std::to_string(s.gpus) + " is the number in all, and each node of " +
                     "the job gets the same share; "
               : std::string()) +
          hint_for_impossible(*why, s.licences.empty()
                                        ? "see `cox nodes`"
                                        : "see `cox nodes` and `cox show licenses`")};
}

// Returns the resources that a job with exclusive nodes is charged for on each node, for limits in
// minutes. Nothing: the job shares nodes.
schedule::Whole whole_node_of(const Cluster& cluster, EngineFeed& feed, const ParsedSpec& s,
                              Now now) {
  const auto request = make_request(cluster.config(), s, {});
  if (!request->exclusive) return std::nullopt;
  return schedule::whole_node_of(feed.engine(now).nodes(),
                                 *cluster.requests().by_gpu_type(request));
}

// A resource that KeptTRES of a QOS reserves from jobs of lower tiers.
struct KeptRoom {
  std::string qos;
  schedule::Limit limit;
  std::int64_t total = 0;  // the amount on all nodes, available now or not
  // The amount guaranteed to the job's account, which takes precedence over KeptTRES.
  std::int64_t guaranteed = 0;
};

// Returns the highest guarantee of the resource, over the job's accounts and all hours. A job that
// needs no more can run at some time.
std::int64_t guaranteed_of(const Cluster& cluster, const JobSpec& s, const TresCount& tres) {
  std::int64_t most = 0;
  const Association* own = cluster.accounting().accounts().of(s);
  if (own == nullptr) return most;
  for (const Association* one : cluster.accounting().accounts().chain(*own))
    for (const TresCount& guarantee : one->limits.guarantee)
      if (guarantee.what == tres.what && guarantee.name == tres.name &&
          (guarantee.type.empty() || guarantee.type == tres.type))
        most = std::max(most, guarantee.count);
  return most;
}

std::vector<KeptRoom> kept_from(const Cluster& cluster, const JobSpec& s) {
  const Qos& own = cluster.accounting().qos_of(s);
  std::vector<KeptRoom> all;
  for (const auto& [name, qos] : cluster.accounting().qos())
    for (const TresCount& tres : qos.limits.kept_tres)
      if (qos.tier > own.tier && schedule::is_of_nodes(tres) && tres.count > 0)
        all.push_back({name, {0, tres}, 0, guaranteed_of(cluster, s, tres)});
  if (cluster.nodes().all().empty()) return {};  // no node has registered yet
  for (KeptRoom& kept : all) kept.total = cluster.nodes().total_of(kept.limit.most);
  return all;
}

Failure beyond_what_is_left(const std::vector<KeptRoom>& all, const schedule::Request& request,
                            const JobSpec& s) {
  for (const KeptRoom& kept : all) {
    const TresCount& tres = kept.limit.most;
    const std::int64_t left = std::max<std::int64_t>(kept.total - tres.count, 0);
    const std::int64_t asked = schedule::count_of(kept.limit, request, s.nodes, s.tasks);
    if (asked <= left || asked <= kept.guaranteed) continue;
    const auto amount = [&](std::int64_t count) {
      TresCount one = tres;
      one.count = count;
      return tres_amount(one);
    };
    return Refusal{"this cluster can never run it in QOS " + s.qos + ": it has " + tres_name(tres) +
                       "=" + amount(kept.total) + ", of which " + amount(tres.count) +
                       " are reserved for QOS " + kept.qos + ", and the job asks for " +
                       amount(asked),
                   (left > 0 ? "ask for at most " + amount(left) + ", or" : "ask") +
                       std::string(" for another QOS; `cox show qos` shows what each reserves")};
  }
  return std::nullopt;
}

// Refuses a job that could never start beside what KeptTRES reserves, with any of its alternatives.
Failure check_kept_room(const Cluster& cluster, const ParsedSpec& s) {
  const std::vector<KeptRoom> all = kept_from(cluster, s);
  if (all.empty()) return std::nullopt;
  const auto request = cluster.requests().by_gpu_type(make_request(cluster.config(), s, {}));
  Failure first;
  for (const schedule::Request& one : schedule::RequestChain(*request)) {
    const Failure beyond = beyond_what_is_left(all, one, s);
    if (!beyond) return std::nullopt;
    if (!first) first = beyond;
  }
  return first;
}

}  // namespace

Admission::Admission(const Cluster& cluster, EngineFeed& feed, const Caller& caller,
                     const Payload& payload, Now now)
    : cluster_(cluster), feed_(feed), caller_(caller), payload_(payload), now_(now) {}

// Computes the numbers of nodes and tasks, and leaves out the partitions that do not take a job of
// this size. The size may depend on the partitions, so both are repeated until no further partition
// is left out.
Failure Admission::resolve_size(ParsedSpec& s, PartitionChoice& choice) const {
  for (;;) {
    ParsedSpec sized = s;
    const Failure impossible = resolve_size(sized);
    const std::string tried = s.partition;
    // A partition's limit on nodes is a more helpful refusal than `impossible`.
    if (auto f = choice.drop_too_small(sized)) return f;
    set_partitions(s, sized.terms->partitions);
    if (s.partition != tried) continue;
    if (impossible) return impossible;
    s = std::move(sized);
    return std::nullopt;
  }
}

// Computes the numbers of nodes and tasks as Slurm does. If the user requests only tasks, the job
// gets the smallest number of nodes with which it can ever run.
Failure Admission::resolve_size(ParsedSpec& s) const {
  if (auto f = resolve_counts(s)) return f;
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
    return Refusal{std::to_string(s.tasks) + " tasks do not fit on " + counted(s.nodes, "node") +
                       " with " + std::to_string(s.tasks_per_node) + " tasks a node",
                   "ask for more nodes, or fewer tasks"};
  const bool more_nodes_do = !nodes_asked && s.tasks_per_node == 0;
  PossibleKey key{shape_of(s), more_nodes_do};
  if (const auto known = feed_.known_possible(key)) {
    s = with_nodes(s, *known);
    return resolve_each_node(cluster_, s);
  }
  const auto nodes = nodes_that_hold(cluster_, this->nodes(), s, more_nodes_do);
  if (!nodes) return nodes.refusal();
  feed_.note_possible(std::move(key), *nodes);
  s = with_nodes(s, *nodes);
  return resolve_each_node(cluster_, s);
}

Failure check_array_size(const Cluster& cluster, std::int64_t tasks) {
  if (tasks <= cluster.config().max_array_size) return std::nullopt;
  return over("the array", static_cast<std::size_t>(tasks),
              static_cast<std::size_t>(cluster.config().max_array_size), "tasks");
}

Failure check_request(const Cluster& cluster, const std::string& request_id, std::int64_t count) {
  const std::int64_t queued = cluster.jobs().unfinished_count();
  const std::int64_t most = cluster.config().max_jobs;
  if (queued + count > most)
    return Refusal{std::to_string(queued) + " jobs wait or run already; the limit is " +
                       std::to_string(most) + " (max_jobs)",
                   "submit it again when some have ended"};
  return check_word("the request id", request_id, limits::word_bytes_max);
}

// Parses the texts of the request, once, and validates it. If the partitions of the request refuse
// the job, the hint names others that would take it; for that, the job is validated in full for
// each of them.
Result<ParsedSpec> Admission::admit(const JobSpec& asked) const {
  const std::uint32_t owner = cluster_.config().owner_uid;
  if (caller_.uid != owner)
    return Refusal{"this cluster runs the jobs of uid " + std::to_string(owner) +
                       " only; you are uid " + std::to_string(caller_.uid),
                   "make a cluster of your own with `cox up`"};
  ParsedSpec parsed(asked);
  parsed.user_name = caller_.user_name;
  parsed.uid = caller_.uid;
  parsed.gid = caller_.gid;
  return admit(parsed, [&](const std::string& partition) {
    ParsedSpec there = parsed;
    set_partitions(there, {partition});
    return admit(there, {}).ok();
  });
}

Result<ParsedSpec> Admission::admit(const ParsedSpec& asked, PartitionChoice::Takes others) const {
  ParsedSpec s = asked;
  if (s.name.empty()) s.name = default_name(s);
  if (auto f = check_words(s)) return *f;
  if (auto f = check_numbers(s)) return *f;
  if (auto f = check_payload(payload_)) return *f;
  if (auto f = check_command(s, payload_)) return *f;
  if (auto f = check_components(s)) return *f;
  if (auto f = resolve_container(cluster_, s)) return *f;
  if (s.terms->partitions.empty()) set_partitions(s, {partition_of(cluster_.config(), "")->name});
  if (auto f = resolve_account(cluster_.accounting().accounts(), s)) return *f;
  if (auto f = resolve_qos(cluster_, s)) return *f;
  PartitionChoice choice(cluster_, caller_, std::move(others));
  if (auto f = choice.resolve(s)) return *f;
  if (auto f = check_asked(s)) return *f;
  resolve_wishes(cluster_.config(), s);
  if (auto f = check_requeue_words(s)) return *f;
  if (auto f = check_requeue_on_timeout(s)) return *f;
  if (auto f = check_moments(cluster_, s, now_)) return *f;
  if (auto f = resolve_dependency(cluster_, s)) return *f;
  if (auto f = resolve_array(s)) return *f;
  // Resolves the size of the first component as if it were the whole job; resolve_components()
  // resolves the others after it.
  auto behind = std::exchange(s.components, {});
  if (auto f = resolve_size(s, choice)) return *f;
  s.components = std::move(behind);
  if (auto f = resolve_components(s, asked.time_limit_s > 0)) return *f;
  // Resolved again: an association may be for some partitions only, and some are left out now.
  if (auto f = resolve_account(cluster_.accounting().accounts(), s)) return *f;
  if (auto f = resolve_qos(cluster_, s)) return *f;
  const schedule::Whole whole = whole_node_of(cluster_, feed_, s, now_);
  if (auto f = check_qos_limits(cluster_.accounting().qos_of(s), s, choice.time_from(), whole))
    return *f;
  const Qos& qos = cluster_.accounting().qos_of(s);
  const PreemptionYield how =
      preempted_jobs(partitions_of(cluster_.config(), s.terms->partitions), qos);
  if (auto f = check_association_limits(qos, how, cluster_.accounting().accounts(),
                                        cluster_.config().hours, s, choice.time_from(), whole))
    return *f;
  if (auto f = check_kept_room(cluster_, s)) return *f;
  if (auto f = check_reservation(cluster_, feed_, s, now_)) return *f;
  if (s.form == JobForm::Allocation) s.requeue = s.requeue_on_timeout = false;
  s.script_hash = s.form == JobForm::Batch ? payload_.script_hash : "";
  s.environment_hash = payload_.environment_hash;
  return s;
}

}  // namespace cox
