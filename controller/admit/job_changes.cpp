#include "controller/admit/job_changes.h"

#include <algorithm>
#include <array>

#include "common/base/count_format.h"
#include "common/base/hostlist.h"
#include "common/base/limits.h"
#include "common/base/moment_text.h"
#include "common/base/nearest.h"
#include "common/base/text.h"
#include "common/base/time_format.h"
#include "common/job/job_ref.h"
#include "common/resources/gres.h"
#include "common/syntax/dependency.h"
#include "common/syntax/mail_types.h"

namespace cox {
namespace {

using Take = Failure (*)(JobChange& change, const std::string& value);

Refusal wrong_value(const std::string& name, const Refusal& why) {
  return {"Invalid " + name + " value: " + why.fact, why.hint};
}

template <auto field>
Failure take_text(JobChange& change, const std::string& value) {
  change.spec.*field = value == "(null)" ? "" : value;
  return std::nullopt;
}

// Sets a text. Checks its length and characters here, since they are not checked for running jobs.
template <auto field>
Failure take_note(JobChange& change, const std::string& value) {
  if (value.size() > limits::wish_bytes_max || !is_utf8(value) || has_control_characters(value))
    return Refusal{"the text is longer than " + std::to_string(limits::wish_bytes_max) +
                       " bytes, or not printable",
                   "make it plain and shorter"};
  return take_text<field>(change, value);
}

Failure take_mail_type(JobChange& change, const std::string& value) {
  if (value.empty() || value == "(null)") {
    change.spec.mail_type.clear();
    return std::nullopt;
  }
  auto types = parse_mail_types(value);
  if (!types) return types.refusal();
  change.spec.mail_type = *std::move(types);
  return std::nullopt;
}

Failure take_flag(const std::string& name, const std::string& value, bool& flag) {
  const std::string word = lower_case(value);
  const bool on = word == "1" || word == "yes" || word == "true";
  const bool off = word == "0" || word == "no" || word == "false";
  if (!on && !off) return Refusal{"Invalid " + name + " value: " + quoted(value), "use 0 or 1"};
  flag = on;
  return std::nullopt;
}

Failure take_requeue(JobChange& change, const std::string& value) {
  return take_flag("Requeue", value, change.spec.requeue);
}

Failure take_shared(JobChange& change, const std::string& value) {
  bool shared = true;
  if (auto f = take_flag("OverSubscribe", value, shared)) return f;
  change.spec.exclusive = !shared;
  change.spec.exclusive_user = false;
  return std::nullopt;
}

Failure take_contiguous(JobChange& change, const std::string& value) {
  return take_flag("Contiguous", value, change.spec.contiguous);
}

// Reads a time. "+30" and "-30" are relative to the present value.
Failure take_time(const std::string& name, const std::string& value, std::int64_t& seconds) {
  const bool adds = value.starts_with('+') || value.starts_with('-');
  if (value == "-1") {
    seconds = 0;
    return std::nullopt;
  }
  const auto given = parse_time_limit(adds ? value.substr(1) : value);
  if (!given) return wrong_value(name, given.refusal());
  if (!adds) {
    seconds = *given;
    return std::nullopt;
  }
  if (seconds == 0)
    return Refusal{"Invalid " + name + " value: there is no limit to add to or take from",
                   "give the complete time"};
  seconds += value.front() == '+' ? *given : -*given;
  if (seconds > 0 && seconds <= limits::time_limit_s_max) return std::nullopt;
  return Refusal{"Invalid " + name + " value: it comes to " + std::to_string(seconds) + " s",
                 "it may be up to " + format_time_limit(limits::time_limit_s_max)};
}

Failure take_limit(JobChange& change, const std::string& value) {
  return take_time("TimeLimit", value, change.spec.time_limit_s);
}

Failure take_time_min(JobChange& change, const std::string& value) {
  return take_time("TimeMin", value, change.spec.time_min_s);
}

Result<Wall> moment_in(const std::string& name, const std::string& value) {
  const auto moment = parse_moment(value);
  if (moment) return *moment;
  return Refusal{"Invalid " + name + " value: " + quoted(value) + " is not a valid time",
                 "write it like 2026-12-24T18:00:00Z; `scontrol update` takes local times"};
}

// Sets the time limit of a running job so that the job ends at the time `value`.
Failure take_end(JobChange& change, const std::string& value) {
  const auto moment = moment_in("EndTime", value);
  if (!moment) return moment.refusal();
  if (change.job.state == JobState::Pending)
    return Refusal{"EndTime can be changed only while the job runs",
                   "change TimeLimit, or Deadline"};
  const std::int64_t seconds = (*moment - change.job.started).count() / 1000;
  if (seconds <= 0 || seconds > limits::time_limit_s_max)
    return Refusal{"Invalid EndTime value: it is before the job's start, or too far from it",
                   "the limit is " + format_time_limit(limits::time_limit_s_max) + " from there"};
  change.spec.time_limit_s = seconds;
  return std::nullopt;
}

Failure take_begin(JobChange& change, const std::string& value) {
  const auto moment = moment_in("StartTime", value);
  if (!moment) return moment.refusal();
  change.spec.begin = *moment;
  change.begins_anew = true;
  return std::nullopt;
}

Failure take_deadline(JobChange& change, const std::string& value) {
  const auto moment = moment_in("Deadline", value);
  if (!moment) return moment.refusal();
  change.spec.deadline = *moment;
  return std::nullopt;
}

// Sets the dependencies. Only jobs submitted earlier are allowed, so that there are no cycles.
Failure take_dependency(JobChange& change, const std::string& value) {
  change.depends_anew = true;
  change.spec.dependency.clear();
  if (value.empty() || value == "0" || value == "(null)") return std::nullopt;
  const auto wish = parse_dependency(value);
  if (!wish) return wrong_value("Dependency", wish.refusal());
  const JobId own = is_of_array(change.job) ? change.job.array_job : change.job.id;
  for (const Dependency& term : wish->terms)
    if (term.kind != DependencyKind::Singleton && term.on >= own)
      return Refusal{"Job dependency problem: job " + std::to_string(own.value) +
                         " may depend only on jobs that were submitted before it",
                     "name earlier jobs, or submit this one again after the others"};
  change.spec.dependency = value;
  return std::nullopt;
}

Failure take_node_list(const std::string& value, std::vector<std::string>& nodes) {
  nodes.clear();
  if (value.empty() || value == "(null)") return std::nullopt;
  const auto names = expand_hostlist(value);
  if (!names) return Refusal{"Invalid node name specified: " + names.refusal().fact, ""};
  nodes = *names;
  return std::nullopt;
}

Failure take_wanted_nodes(JobChange& change, const std::string& value) {
  return take_node_list(value, change.spec.nodelist);
}

Failure take_unwanted_nodes(JobChange& change, const std::string& value) {
  return take_node_list(value, change.spec.exclude);
}

// Sets the number of nodes as if the job had been submitted with it: the values derived from that
// number are computed again.
Failure take_nodes(JobChange& change, const std::string& value) {
  change.spec.node_sizes = value;
  change.spec.nodes = 0;
  if (!change.spec.tasks_asked) change.spec.tasks = 0;
  return std::nullopt;
}

Failure take_number(const std::string& name, const std::string& value, std::int64_t most,
                    std::int64_t& number) {
  const auto given = parse_count(value, 0, most);
  if (!given) return wrong_value(name, given.refusal());
  number = *given;
  return std::nullopt;
}

Failure take_tasks(JobChange& change, const std::string& value) {
  change.spec.tasks_asked = true;
  return take_number("NumTasks", value, limits::tasks_per_job_max, change.spec.tasks);
}

Failure take_memory(JobChange& change, const std::string& value) {
  return take_number("MinMemoryNode", value, limits::memory_mb_per_node_max,
                     change.spec.memory_mb_per_node);
}

// Changes --mincpus. It cannot be lowered for a job with --cpus-per-task: that job's CPUs per task
// were already raised, and the original number is no longer known.
Failure take_min_cpus(JobChange& change, const std::string& value) {
  const std::int64_t before = change.spec.min_cpus;
  if (auto f = take_number("MinCPUsNode", value, limits::cpus_per_task_max, change.spec.min_cpus))
    return f;
  if (!change.spec.cpus_per_task_asked && before > 0) change.spec.cpus_per_task = 1;
  if (!change.spec.cpus_per_task_asked || change.spec.min_cpus >= before) return std::nullopt;
  return Refusal{"MinCPUsNode=" + value + " is less than " + std::to_string(before) +
                     ", and the job was submitted with --cpus-per-task",
                 "submit the job again with --mincpus=" + value};
}

Failure take_nice(JobChange& change, const std::string& value) {
  const bool below = value.starts_with('-');
  const auto given = parse_count(below ? value.substr(1) : value, 0, limits::nice_max);
  const std::string most = std::to_string(limits::nice_max);
  if (!given)
    return wrong_value(
        "Nice", {quoted(value) + " is not a whole number from -" + most + " to " + most, ""});
  change.spec.nice = below ? -*given : *given;
  return std::nullopt;
}

// Follows Slurm: priority 0 holds the job, and -1 or INFINITE releases it.
Failure take_priority(JobChange& change, const std::string& value) {
  const std::string word = lower_case(value);
  if (word == "0") {
    change.held = true;
    return std::nullopt;
  }
  if (word == "-1" || word == "infinite") {
    change.held = false;
    return std::nullopt;
  }
  return Refusal{"Invalid Priority value: " + quoted(value) +
                     ": a priority is computed from its factors and cannot be set",
                 "Nice=-100 raises it by 100; Priority=0 holds the job"};
}

Failure take_throttle(JobChange& change, const std::string& value) {
  const auto most = parse_count(value, 0, limits::array_tasks_max);
  if (!most)
    return Refusal{"ArrayTaskThrottle: " + most.refusal().fact,
                   "say how many tasks may run at once; 0: any number"};
  if (!is_first_of_array(change.job))
    return Refusal{"job " + shown_id(change.job) +
                       " is not an array, and ArrayTaskThrottle is for whole arrays",
                   is_of_array(change.job)
                       ? "name the array: " + std::to_string(change.job.array_job.value)
                       : "submit it with --array"};
  change.throttle = *most;
  return std::nullopt;
}

Failure take_gres(JobChange& change, const std::string& value) {
  const auto wish = parse_gres(value.empty() || value == "(null)" ? "none" : value);
  if (!wish) return wrong_value("Gres", wish.refusal());
  change.spec.gpus_per_node = wish->gpus.count;
  forget_gpus_per_node(change.spec.stored_options);
  change.spec.gpu_milli = wish->gpus.milli;
  change.spec.gpu_type = format_gpu_types(wish->gpus.types);
  change.spec.gres = wish->others.empty() ? "" : format_gres({{}, wish->others});
  return std::nullopt;
}

struct Changeable {
  std::string_view name;
  Take take = nullptr;
  bool runs_too = false;
  std::string_view refused{};  // without `take`: why it cannot be changed, or what to do instead
};

constexpr auto changeable = std::to_array<Changeable>({
    {"ArrayTaskThrottle", take_throttle, true},
    {"TimeLimit", take_limit, true},
    {"TimeMin", take_time_min},
    {"EndTime", take_end, true},
    {"StartTime", take_begin},
    {"EligibleTime", take_begin},
    {"Deadline", take_deadline},
    {"JobName", take_text<&JobSpec::name>, true},
    {"Name", take_text<&JobSpec::name>, true},
    {"Comment", take_note<&JobSpec::comment>, true},
    {"Partition", take_text<&JobSpec::partition>},
    {"PartitionName", take_text<&JobSpec::partition>},
    {"QOS", take_text<&JobSpec::qos>},
    {"Account", take_text<&JobSpec::account>},
    {"Priority", take_priority},
    {"Nice", take_nice},
    {"NumNodes", take_nodes},
    {"ReqNodes", take_nodes},
    {"MinNodes", take_nodes},
    {"NumTasks", take_tasks},
    {"MinMemoryNode", take_memory},
    {"MinCPUsNode", take_min_cpus},
    {"Dependency", take_dependency},
    {"ReqNodeList", take_wanted_nodes},
    {"NodeList", take_wanted_nodes},
    {"ExcNodeList", take_unwanted_nodes},
    {"Features", take_text<&JobSpec::constraint>},
    {"Prefer", take_text<&JobSpec::prefer>},
    {"Contiguous", take_contiguous},
    {"Licenses", take_text<&JobSpec::licences>},
    {"Gres", take_gres},
    {"TresPerNode", take_gres},
    {"Requeue", take_requeue, true},
    {"Reservation", take_text<&JobSpec::reservation>},
    {"ReservationName", take_text<&JobSpec::reservation>},
    {"OverSubscribe", take_shared},
    {"Shared", take_shared},
    {"Switches", take_text<&JobSpec::switches>},
    {"StdOut", take_text<&JobSpec::output>},
    {"StdErr", take_text<&JobSpec::error>},
    {"StdIn", take_text<&JobSpec::input>},
    {"WorkDir", take_text<&JobSpec::work_dir>},
    {"WCKey", take_note<&JobSpec::wckey>},
    {"MailType", take_mail_type, true},
    {"MailUser", take_note<&JobSpec::mail_user>, true},
    {"NumCPUs", nullptr, false, "it is computed from NumTasks and the CPUs of a task"},
    {"SiteFactor", nullptr, false, "priorities have no such factor; Nice changes one"},
    {"AdminComment", nullptr, false, "change Comment instead"},
    {"DelayBoot", nullptr, false, "no nodes are booted for jobs"},
    {"BurstBuffer", nullptr, false, "there are no burst buffers"},
    {"CoreSpec", nullptr, false, "no cores are set aside on nodes"},
});

const Changeable* changeable_named(const std::string& name) {
  const std::string word = lower_case(name);
  const auto is = [&](const Changeable& one) { return lower_case(one.name) == word; };
  auto found = std::ranges::find_if(changeable, is);
  constexpr std::size_t letters_min = 4;  // the fewest letters of an abbreviated name
  if (found == changeable.end() && word.size() >= letters_min)
    found = std::ranges::find_if(
        changeable, [&](const Changeable& one) { return lower_case(one.name).starts_with(word); });
  return found == changeable.end() ? nullptr : &*found;
}

Refusal unknown_name(const std::string& name, const std::string& value) {
  std::vector<std::string_view> names;
  std::string all;
  for (const Changeable& one : changeable) {
    names.push_back(one.name);
    if (one.take == nullptr) continue;  // it is refused, with what to do instead
    all += (all.empty() ? "possible: " : ", ") + std::string(one.name);
  }
  const std::string nearest = did_you_mean(name, names);
  return {"Update of this parameter is not supported: " + printable(cut_text(name, 60)) + "=" +
              printable(cut_text(value, 60)),
          nearest.empty() ? all : nearest};
}

}  // namespace

Failure take_change(JobChange& change, const std::string& name, const std::string& value) {
  const Changeable* found = changeable_named(name);
  if (found == nullptr) return unknown_name(name, value);
  if (found->take == nullptr)
    return Refusal{"Update of this parameter is not supported: " + std::string(found->name),
                   std::string(found->refused)};
  if (change.job.state != JobState::Pending && !found->runs_too)
    return Refusal{"Job is no longer pending execution: " + std::string(found->name) +
                       " can be changed only while the job is pending",
                   is_final(change.job.state) ? "the job has ended: submit it again"
                                              : "`scontrol requeue` makes it pending again"};
  return found->take(change, value);
}

std::string change_name(const std::string& name) {
  const Changeable* found = changeable_named(name);
  return found == nullptr ? name : std::string(found->name);
}

bool changes_what_runs(const std::vector<std::string>& names) {
  return std::ranges::all_of(names, [](const std::string& name) {
    const Changeable* found = changeable_named(name);
    return found != nullptr && found->runs_too;
  });
}

}  // namespace cox
