// What of limits no wait would help: refused when a job is submitted.
#include <algorithm>
#include <cmath>
#include <optional>

#include "common/base/check.h"
#include "common/base/limits.h"
#include "common/base/time_format.h"
#include "common/resources/gpu_wish.h"
#include "common/resources/gres.h"
#include "common/resources/licence.h"
#include "common/syntax/array_tasks.h"
#include "controller/limits/qos_limits.h"
#include "schedule/explain/explain_text.h"

namespace cox {
namespace {

std::int64_t gres_asked(const JobSpec& spec, const TresCount& one) {
  std::int64_t count = 0;
  const auto gres = parse_gres(spec.gres.empty() ? "none" : spec.gres);
  if (!gres) return 0;
  for (const GresCount& asked : gres->others)
    if (asked.name == one.name && (one.type.empty() || asked.type == one.type))
      count += asked.count;
  return count * spec.nodes;
}

std::int64_t licences_asked(const JobSpec& spec, const std::string& name) {
  if (spec.licences.empty()) return 0;
  const auto licences = parse_licences(spec.licences);
  if (!licences) return 0;
  for (const LicenceCount& asked : *licences)
    if (asked.name == name) return asked.count;
  return 0;
}

bool is_of_type_alone(const JobSpec& spec, const std::string& type) {
  if (spec.gpu_type.empty()) return false;
  const auto types = parse_gpu_types(spec.gpu_type);
  return types && types->size() == 1 && types->front().type == type;
}

std::int64_t asked_of_first(const JobSpec& spec, const TresCount& one) {
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

// Of what a specification asks, with its fewest nodes.
std::int64_t asked(const JobSpec& spec, const TresCount& one) {
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
                   const JobSpec& spec) {
  for (const TresCount& most : list)
    if (const std::int64_t count = asked(spec, most); count > most.count)
      return beyond(owner, limit, most, count);
  return std::nullopt;
}

// "01:00:00", and whence, where the job did not say.
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

// The longest that fits: "--time=01:00:00"
std::string longest_text(const TresCount& most, std::int64_t count) {
  const double seconds = static_cast<double>(most.count) * 60 / static_cast<double>(count);
  const auto whole = static_cast<std::int64_t>(std::min(seconds, 1e15));
  const std::int64_t longest = std::min(whole, limits::time_limit_s_max);
  return longest > 0 ? "--time=" + format_time_limit(longest) : "";
}

// What is judged, and what decides how it counts by the minute.
struct Judged {
  const JobSpec& spec;
  const TimeFrom& from;
  const schedule::Whole& whole;  // none: it shares its nodes

  // Each minute.
  std::int64_t counts(const TresCount& one) const {
    const std::int64_t on_node = whole ? whole->amount(one).value_or(0) : 0;
    return std::max(asked(spec, one), spec.nodes * on_node);
  }
};

// What it would use of each until its time limit.
Failure check_minutes(const std::string& owner, const std::string& limit, const TresList& list,
                      const Judged& job) {
  const JobSpec& spec = job.spec;
  for (const TresCount& most : list) {
    const std::int64_t count = job.counts(most);
    if (count == 0) continue;
    const std::string has = owner + " has " + limit + "=" + format_tres({most}) + ", and the job ";
    const std::string longest = longest_text(most, count);
    const char* unless_used = limit == "GrpTRESMins" ? ", and less while some of it is used" : "";
    const std::string fits = longest.empty() ? "" : "; at most " + longest + " fits" + unless_used;
    if (spec.time_limit_s == 0)
      return Refusal{has + "has no time limit to count by", "give one with --time" + fits};
    const double minutes = static_cast<double>(count) * static_cast<double>(spec.time_limit_s) / 60;
    if (minutes <= static_cast<double>(most.count)) continue;
    TresCount needs = most;
    needs.count = static_cast<std::int64_t>(std::ceil(minutes));
    TresCount one = most;
    one.count = count;
    const bool by_nodes = count > asked(spec, most);
    return Refusal{has + "asks for " + tres_amount(needs) + ": " + format_tres({one}) +
                       (by_nodes ? ", all of its nodes as it has them to itself," : "") + " for " +
                       time_text(spec, job.from),
                   (longest.empty() ? "ask" : "ask for less time with --time, or") +
                       std::string(" for less of it, or for another QOS or account") + fits};
  }
  return std::nullopt;
}

// Who has how many of those that are there.
struct Submitters {
  std::int64_t count = 0;
  std::string text;  // "ada 3, bob 2"
  std::string user;  // where it is a limit of each user

  std::string now() const {
    const std::string whose =
        user.empty() ? (count == 1 ? "there is" : "there are") : user + " has";
    return whose + " " + schedule::count_of(count, "job") +
           (count == 1 ? " that waits or runs" : " that wait or run") +
           (user.empty() && !text.empty() ? " (" + text + ")" : "");
  }
};

// Of a submission that is more than may ever be there.
std::string how_many(std::int64_t most, std::int64_t there) {
  const std::string at_a_time = "submit at most " + std::to_string(most) + " at a time";
  if (there == 0) return at_a_time;
  if (there >= most) return "wait until some have ended, and " + at_a_time;
  return "submit at most " + std::to_string(most - there) + " now, and more when some have ended";
}

// What is submitted at once: `more` jobs, of which these are the last.
struct Submission {
  const JobSpec& spec;
  std::int64_t more = 0;

  std::string text() const {
    const std::int64_t tasks = tasks_asked(spec.array);
    const bool is_array = !spec.array.empty() && tasks == more;
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
  // No wait would help.
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

Failure check_qos_limits(const Qos& qos, const JobSpec& spec, const TimeFrom& from,
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

// Work that does not give way has to be inside what its account deserves.
Failure check_firm(const Accounts& accounts, const Association& own, PreemptionYield gives_way,
                   const JobSpec& spec) {
  for (const TresCount& thing : quota_things(accounts)) {
    if (gives_back(gives_way, thing)) continue;
    for (const FirmLimit& firm : firm_limits(accounts, own, thing, nullptr)) {
      TresCount most = thing;
      most.count = firm.most;
      TresCount is = thing;
      is.count = asked(spec, most);
      if (is.count <= most.count) continue;
      const std::string how = gives_way == PreemptionYield::Never
                                  ? "which never gives way"
                                  : "which gives way with its CPUs alone";
      return Refusal{text_of(*firm.account) + " deserves " + tres_name(most) + "=" +
                         tres_amount(most) + ", and work of QOS " + spec.qos + ", " + how +
                         ", may have no more; the job asks for " + tres_amount(is),
                     "ask for less, or for a QOS whose work gives way"};
    }
  }
  return std::nullopt;
}

// "account physics": whose this limit is that holds for jobs of `own`: the nearest that has one.
template <class Limit>
std::string owner_text(const Accounts& accounts, const Association& own,
                       Limit AssociationLimits::*limit) {
  for (const Association* one : accounts.chain(own))
    if (one->limits.*limit != Limit{}) return text_of(*one);
  return text_of(own);
}

// Of all jobs of each association on the way to the root. What the QOS limits, none of them does.
Failure check_groups(const Qos& qos, const Accounts& accounts, const Association& own,
                     const NamedHours& hours, const Judged& job) {
  for (const Association* one : accounts.chain(own)) {
    const std::string owner = text_of(*one);
    TresList group = most_ever(one->limits.grp_tres, hours);
    std::erase_if(group, [&](const TresCount& m) { return has_thing(qos.limits.grp_tres, m); });
    if (auto f = check_most(owner, "GrpTRES", group, job.spec)) return f;
    TresList minutes = one->limits.grp_tres_mins;
    std::erase_if(minutes,
                  [&](const TresCount& m) { return has_thing(qos.limits.grp_tres_mins, m); });
    if (auto f = check_minutes(owner, "GrpTRESMins", minutes, job)) return f;
    if (qos.limits.grp_wall_s) continue;
    if (auto f = check_time_of(owner, "GrpWall", one->limits.grp_wall_s, job.spec, job.from))
      return f;
  }
  return std::nullopt;
}

}  // namespace

Failure check_association_limits(const Qos& qos, PreemptionYield gives_way,
                                 const Accounts& accounts, const NamedHours& hours,
                                 const JobSpec& spec, const TimeFrom& from,
                                 const schedule::Whole& whole) {
  const Association* own = accounts.of(spec);
  if (own == nullptr) return std::nullopt;
  AssociationLimits most = accounts.limits_of(*own);
  if (!qos.limits.max_tres_per_job.empty()) most.max_tres_per_job.clear();
  if (qos.limits.max_wall_s) most.max_wall_s.reset();
  if (auto f = check_firm(accounts, *own, gives_way, spec)) return f;
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

Failure check_submit_limits(const Qos& qos, const LimitRegistry& in_use, const JobSpec& spec,
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
                            const JobSpec& spec,
                            const std::map<AssociationId, std::int64_t>& more) {
  const Association* own = accounts.of(spec);
  if (own == nullptr) return std::nullopt;
  for (const Association* one : accounts.chain(*own))
    if (more.at(one->id) > 0)  // a job that only moves below it is not one more
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
