// Refuses at submission jobs that could never start, because they exceed a limit however long they
// wait.
#include <algorithm>
#include <cmath>
#include <optional>

#include "common/base/check.h"
#include "common/base/limits.h"
#include "common/base/time_format.h"
#include "controller/limits/qos_limits.h"
#include "schedule/explain/explain_text.h"

namespace cox {
namespace {

std::int64_t gres_asked(const ParsedSpec& spec, const TresCount& one) {
  std::int64_t count = 0;
  for (const GresCount& asked : spec.terms->gres.others)
    if (asked.name == one.name && (one.type.empty() || asked.type == one.type))
      count += asked.count;
  return count * spec.nodes;
}

std::int64_t licences_asked(const ParsedSpec& spec, const std::string& name) {
  for (const LicenceCount& asked : spec.terms->licences)
    if (asked.name == name) return asked.count;
  return 0;
}

bool is_of_type_alone(const ParsedSpec& spec, const std::string& type) {
  const std::vector<GpuTypeWish>& types = spec.terms->gpu_types;
  return types.size() == 1 && types.front().type == type;
}

std::int64_t asked_of_first(const ParsedSpec& spec, const TresCount& one) {
  switch (one.what) {
    case Tres::Jobs: return 1;
    case Tres::Nodes: return spec.nodes;
    case Tres::Cpus: return spec.tasks * spec.cpus_per_task;
    case Tres::MemoryMb: return spec.nodes * spec.memory_mb_per_node;
    case Tres::GpuMilli:
      if (!one.type.empty() && !is_of_type_alone(spec, one.type)) return 0;
      return spec.nodes * spec.gpus_per_node * spec.gpu_milli;
    case Tres::Gres: return gres_asked(spec, one);
    case Tres::Licences: return licences_asked(spec, one.name);
  }
  CHECK(false && "unknown Tres");
}

// Returns how much of the resource the job requests if it runs on the fewest nodes that it accepts,
// all components together.
std::int64_t asked(const ParsedSpec& spec, const TresCount& one) {
  std::int64_t of_others = 0;
  const bool is_of_job = one.what == Tres::Jobs || one.what == Tres::Licences;
  for (std::int64_t i = 1; !is_of_job && i < component_count(spec); ++i)
    of_others += asked(component_spec(spec, i), one);
  return of_others + asked_of_first(spec, one);
}

Refusal beyond(const std::string& owner, const std::string& limit, const TresCount& bound,
               std::int64_t count) {
  TresCount is = bound;
  is.count = count;
  return {
      owner + " has " + limit + "=" + format_tres({bound}) + ", and the job asks for " +
          tres_amount(is),
      "ask for another amount, or for another QOS or account; `cox show qos` and `sacctmgr show "
      "association` list them"};
}

Failure check_most(const std::string& owner, const std::string& limit, const TresList& list,
                   const ParsedSpec& spec) {
  for (const TresCount& most : list)
    if (const std::int64_t count = asked(spec, most); count > most.count)
      return beyond(owner, limit, most, count);
  return std::nullopt;
}

// Returns the job's time limit, "01:00:00"; if the job set none, with the setting that it comes
// from.
std::string time_text(const JobSpec& spec, const TimeFrom& from) {
  return format_time_limit(spec.time_limit_s) +
         (from.empty() ? "" : " (no --time was given: that is " + from + ")");
}

Failure check_time_of(const std::string& owner, const std::string& limit,
                      const std::optional<std::int64_t>& most_s, const JobSpec& spec,
                      const TimeFrom& from) {
  if (!most_s || (spec.time_limit_s > 0 && spec.time_limit_s <= *most_s)) return std::nullopt;
  return Refusal{owner + " has " + limit + "=" + format_time_limit(*most_s) +
                     ", and the job asks for " + time_text(spec, from),
                 "ask for less with --time, or for another QOS or account"};
}

// Returns the longest time limit with which `count` of the resource stays within `most`
// (resource-minutes), as "--time=01:00:00"; empty: there is none.
std::string longest_text(const TresCount& most, std::int64_t count) {
  const double seconds = static_cast<double>(most.count) * 60 / static_cast<double>(count);
  const auto whole = static_cast<std::int64_t>(std::min(seconds, 1e15));
  const std::int64_t longest = std::min(whole, limits::time_limit_s_max);
  return longest > 0 ? "--time=" + format_time_limit(longest) : "";
}

// The job to check, and what is needed to count it against limits in minutes.
struct Judged {
  const ParsedSpec& spec;
  const TimeFrom& from;
  // What a whole node counts, for a job with exclusive nodes; empty: the job shares nodes.
  const schedule::Whole& whole;

  // Returns the amount of the resource that counts for each minute of the job.
  std::int64_t counts(const TresCount& one) const {
    const std::int64_t on_node = whole ? whole->amount(one).value_or(0) : 0;
    return std::max(asked(spec, one), spec.nodes * on_node);
  }
};

std::string less_text(const TresCount& one) {
  switch (one.what) {
    case Tres::Nodes: return "fewer nodes";
    case Tres::Cpus: return "fewer CPUs";
    case Tres::MemoryMb: return "less memory";
    case Tres::GpuMilli: return "fewer GPUs";
    case Tres::Jobs:
    case Tres::Gres:
    case Tres::Licences: break;
  }
  return "less of " + tres_name(one);
}

// Refuses the job if its whole time limit would use more resource-minutes than a limit of the list
// allows.
Failure check_minutes(const std::string& owner, const std::string& limit, const TresList& list,
                      const Judged& job) {
  const ParsedSpec& spec = job.spec;
  for (const TresCount& most : list) {
    const std::int64_t count = job.counts(most);
    if (count == 0) continue;
    const std::string has = owner + " has " + limit + "=" + format_tres({most}) + ", and the job ";
    const std::string longest = longest_text(most, count);
    const char* unless_used = limit == "GrpTRESMins" ? ", and less while some of it is used" : "";
    const std::string fits = longest.empty() ? "" : "; at most " + longest + " fits" + unless_used;
    if (spec.time_limit_s == 0)
      return Refusal{has + "needs a time limit for it", "give one with --time" + fits};
    const double minutes = static_cast<double>(count) * static_cast<double>(spec.time_limit_s) / 60;
    if (minutes <= static_cast<double>(most.count)) continue;
    TresCount needs = most;
    needs.count = static_cast<std::int64_t>(std::ceil(minutes));
    TresCount one = most;
    one.count = count;
    const bool by_nodes = count > asked(spec, most);
    return Refusal{has + "asks for " + tres_amount(needs) + ": " + format_tres({one}) +
                       (by_nodes ? " (whole nodes, which the job has to itself)" : "") + " for " +
                       time_text(spec, job.from),
                   (longest.empty() ? "ask for " : "ask for less time with --time, or for ") +
                       less_text(most) + ", or for another QOS or account" + fits};
  }
  return std::nullopt;
}

// The pending and running jobs that already count against a submit limit.
struct Submitters {
  std::int64_t count = 0;
  std::string text;  // their number for each user: "ada 3, bob 2"
  std::string user;  // the user, if the limit is per user; else empty

  std::string now() const {
    const std::string whose =
        user.empty() ? (count == 1 ? "there is" : "there are") : user + " has";
    return whose + " " + schedule::count_of(count, "job") +
           (count == 1 ? " that waits or runs" : " that wait or run") +
           (user.empty() && !text.empty() ? " (" + text + ")" : "");
  }
};

// Returns the hint for a submission that exceeds a submit limit. `most`: the limit; `there`: the
// jobs that count against it already.
std::string how_many(std::int64_t most, std::int64_t there) {
  const std::string at_a_time = "submit at most " + std::to_string(most) + " at a time";
  if (there == 0) return at_a_time;
  if (there >= most) return "wait until some have ended, and " + at_a_time;
  return "submit at most " + std::to_string(most - there) + " now, and more when some have ended";
}

// A submission: `more` is the number of its jobs so far, `spec` the newest of them, a job or an
// array.
struct Submission {
  const ParsedSpec& spec;
  std::int64_t more = 0;

  std::string text() const {
    const ArrayTasks& tasks = spec.terms->array.tasks;
    const bool is_array = !tasks.empty() && tasks.count() == more;
    return (is_array ? "the array asks for " : "the request asks for ") +
           schedule::count_of(more, is_array ? "task" : "job");
  }
};

Failure check_submitted(const std::string& owner, const std::string& limit,
                        const std::optional<std::int64_t>& most, const Submitters& others,
                        const Submission& submission) {
  const std::int64_t there = others.count;
  const std::int64_t more = submission.more;
  if (!most || there + more <= *most) return std::nullopt;
  const std::string has = owner + " has " + limit + "=" + std::to_string(*most);
  const std::string elsewhere = "choose another QOS or account";
  // With a limit of 0 no wait would help.
  if (*most == 0) return Refusal{has + ", so no job may be submitted", elsewhere};
  if (more > *most)
    return Refusal{has + ": " + submission.text() + ", and at most " + std::to_string(*most) +
                       " may wait or run" + (there > 0 ? "; now " + others.now() : ""),
                   how_many(*most, there) + ", or " + elsewhere};
  const std::string left =
      *most > there ? "submit at most " + std::to_string(*most - there) + " now, " : "";
  return Refusal{
      has + ", and " + others.now() + (more > 1 ? "; " + submission.text() + " more" : ""),
      left + "wait until some have ended, or " + elsewhere + "; `cox queue` shows them"};
}

}  // namespace

Failure check_qos_limits(const Qos& qos, const ParsedSpec& spec, const TimeFrom& from,
                         const schedule::Whole& whole) {
  const QosLimits& limits = qos.limits;
  const std::string owner = "QOS " + qos.name;
  if (auto f = check_most(owner, "MaxTRESPerJob", limits.max_tres_per_job, spec)) return f;
  if (auto f = check_most(owner, "MaxTRESPerUser", limits.max_tres_per_user, spec)) return f;
  if (auto f = check_most(owner, "GrpTRES", limits.grp_tres, spec)) return f;
  for (const TresCount& least : limits.min_tres_per_job)
    if (const std::int64_t count = asked(spec, least); count < least.count)
      return beyond(owner, "MinTRESPerJob", least, count);
  if (auto f = check_minutes(owner, "GrpTRESMins", limits.grp_tres_mins, {spec, from, whole}))
    return f;
  if (auto f = check_time_of(owner, "GrpWall", limits.grp_wall_s, spec, from)) return f;
  return check_time_of(owner, "MaxWall", limits.max_wall_s, spec, from);
}

namespace {

// Refuses a job whose resources preemption cannot free, if the job requests more than its account
// is owed (FirmLimit).
Failure check_firm(const Accounts& accounts, const Association& own, PreemptionYield preempted_jobs,
                   const ParsedSpec& spec) {
  for (const TresCount& tres : quota_tres(accounts)) {
    if (frees(preempted_jobs, tres)) continue;
    for (const FirmLimit& firm : firm_limits(accounts, own, tres, nullptr)) {
      TresCount most = tres;
      most.count = firm.most;
      TresCount is = tres;
      is.count = asked(spec, most);
      if (is.count <= most.count) continue;
      const std::string how = preempted_jobs == PreemptionYield::Never
                                  ? " cannot be preempted"
                                  : " are only suspended, which frees just their CPUs";
      return Refusal{text_of(*firm.account) + " deserves " + tres_name(most) + "=" +
                         tres_amount(most) + ", and jobs of QOS " + spec.qos + how +
                         ", so they may use no more; the job asks for " + tres_amount(is),
                     "ask for less, or for a QOS whose jobs can be preempted"};
    }
  }
  return std::nullopt;
}

// Returns the owner of this limit for jobs of `own`, such as "account physics": the nearest
// association, from `own` up to the root, that has such a limit.
template <class Limit>
std::string owner_text(const Accounts& accounts, const Association& own,
                       Limit AssociationLimits::*limit) {
  for (const Association* one : accounts.chain(own))
    if (one->limits.*limit != Limit{}) return text_of(*one);
  return text_of(own);
}

// Checks the Grp limits of each association from `own` up to the root, except those that the QOS
// overrides.
Failure check_groups(const Qos& qos, const Accounts& accounts, const Association& own,
                     const NamedHours& hours, const Judged& job) {
  for (const Association* one : accounts.chain(own)) {
    const std::string owner = text_of(*one);
    TresList group = most_ever(one->limits.grp_tres, hours);
    std::erase_if(group, [&](const TresCount& m) { return has_tres(qos.limits.grp_tres, m); });
    if (auto f = check_most(owner, "GrpTRES", group, job.spec)) return f;
    TresList minutes = one->limits.grp_tres_mins;
    std::erase_if(minutes,
                  [&](const TresCount& m) { return has_tres(qos.limits.grp_tres_mins, m); });
    if (auto f = check_minutes(owner, "GrpTRESMins", minutes, job)) return f;
    if (qos.limits.grp_wall_s) continue;
    if (auto f = check_time_of(owner, "GrpWall", one->limits.grp_wall_s, job.spec, job.from))
      return f;
  }
  return std::nullopt;
}

}  // namespace

Failure check_association_limits(const Qos& qos, PreemptionYield preempted_jobs,
                                 const Accounts& accounts, const NamedHours& hours,
                                 const ParsedSpec& spec, const TimeFrom& from,
                                 const schedule::Whole& whole) {
  const Association* own = accounts.of(spec);
  if (own == nullptr) return std::nullopt;
  AssociationLimits most = accounts.limits_of(*own);
  if (!qos.limits.max_tres_per_job.empty()) most.max_tres_per_job.clear();
  if (qos.limits.max_wall_s) most.max_wall_s.reset();
  if (auto f = check_firm(accounts, *own, preempted_jobs, spec)) return f;
  using Limits = AssociationLimits;
  const auto owner = [&](auto limit) { return owner_text(accounts, *own, limit); };
  if (auto f = check_most(owner(&Limits::max_tres_per_job), "MaxTRES", most.max_tres_per_job, spec))
    return f;
  if (auto f = check_minutes(owner(&Limits::max_tres_mins_per_job), "MaxTRESMins",
                             most.max_tres_mins_per_job, {spec, from, whole}))
    return f;
  if (auto f = check_time_of(owner(&Limits::max_wall_s), "MaxWall", most.max_wall_s, spec, from))
    return f;
  return check_groups(qos, accounts, *own, hours, {spec, from, whole});
}

Failure check_submit_limits(const Qos& qos, const LimitRegistry& in_use, const ParsedSpec& spec,
                            std::int64_t more) {
  const QosLimits& limits = qos.limits;
  const std::string owner = "QOS " + qos.name;
  if (auto f = check_submitted(owner, "GrpSubmitJobs", limits.grp_submit_jobs,
                               {in_use.submitted(qos), in_use.submitters(qos), ""}, {spec, more}))
    return f;
  return check_submitted(owner, "MaxSubmitJobsPerUser", limits.max_submit_jobs_per_user,
                         {in_use.submitted(qos, spec.user_name), "", spec.user_name}, {spec, more});
}

void count_submitted(std::map<AssociationId, std::int64_t>& more, const Accounts& accounts,
                     const JobSpec& spec, std::int64_t jobs) {
  if (const Association* own = accounts.of(spec))
    for (const Association* one : accounts.chain(*own)) more[one->id] += jobs;
}

Failure check_submit_limits(const Accounts& accounts, const LimitRegistry& in_use,
                            const ParsedSpec& spec,
                            const std::map<AssociationId, std::int64_t>& more) {
  const Association* own = accounts.of(spec);
  if (own == nullptr) return std::nullopt;
  for (const Association* one : accounts.chain(*own))
    // Skips an account that already counts the job, which moves between users or accounts below it.
    if (more.at(one->id) > 0)
      if (auto f = check_submitted(text_of(*one), "GrpSubmitJobs", one->limits.grp_submit_jobs,
                                   {in_use.submitted(one->id), in_use.submitters(one->id), ""},
                                   {spec, more.at(one->id)}))
        return f;
  if (more.at(own->id) <= 0) return std::nullopt;
  return check_submitted(owner_text(accounts, *own, &AssociationLimits::max_submit_jobs),
                         "MaxSubmitJobs", accounts.limits_of(*own).max_submit_jobs,
                         {in_use.submitted(own->id), "", spec.user_name}, {spec, more.at(own->id)});
}

}  // namespace cox
