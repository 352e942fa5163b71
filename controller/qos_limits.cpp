#include "controller/qos_limits.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "common/array_tasks.h"
#include "common/check.h"
#include "common/count_format.h"
#include "common/gpu_wish.h"
#include "common/gres.h"
#include "common/licence.h"
#include "common/limits.h"
#include "common/time_format.h"
#include "schedule/words.h"

namespace cox {
namespace {

struct Reasons {
  WaitReason jobs, nodes, cpus, memory, gres, licences;
};
using enum WaitReason;
constexpr Reasons of_qos{QOSGrpJobsLimit, QOSGrpNodeLimit, QOSGrpCpuLimit,
                         QOSGrpMemLimit,  QOSGrpGRES,      QOSGrpLicense};
constexpr Reasons of_qos_user{QOSMaxJobsPerUserLimit, QOSMaxNodePerUserLimit, QOSMaxCpuPerUserLimit,
                              QOSMaxMemoryPerUser,    QOSMaxGRESPerUser,      QOSMaxLicensePerUser};
constexpr Reasons of_association{AssocGrpJobsLimit, AssocGrpNodeLimit, AssocGrpCpuLimit,
                                 AssocGrpMemLimit,  AssocGrpGRES,      AssocGrpLicense};
constexpr Reasons of_time{AssocGrpWallLimit,  AssocGrpNodeMinutes, AssocGrpCPUMinutesLimit,
                          AssocGrpMemMinutes, AssocGrpGRESMinutes, AssocGrpLicense};
constexpr Reasons of_qos_time{QOSGrpWallLimit,     QOSGrpNodeMinutes, QOSGrpCPUMinutesLimit,
                              QOSGrpMemoryMinutes, QOSGrpGRESMinutes, QOSGrpLicense};

WaitReason reason_in(const Reasons& reasons, Tres what) {
  switch (what) {
    case Tres::Jobs: return reasons.jobs;
    case Tres::Nodes: return reasons.nodes;
    case Tres::Cpus: return reasons.cpus;
    case Tres::MemoryMb: return reasons.memory;
    case Tres::GpuMilli:
    case Tres::Gres: return reasons.gres;
    case Tres::Licences: return reasons.licences;
  }
  CHECK(false && "unknown Tres");
}

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

// Of what a specification asks, with its fewest nodes.
std::int64_t asked(const JobSpec& spec, const TresCount& one) {
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

// `how`: how that is reckoned, where it is not what the job says.
Refusal beyond(const std::string& owner, const std::string& limit, const TresCount& bound,
               std::int64_t count, const std::string& how = "") {
  TresCount is = bound;
  is.count = count;
  return {
      owner + " has " + limit + "=" + format_tres({bound}) + ", and the job asks for " +
          tres_amount(is) + how,
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

Failure check_wall(const std::string& owner, const std::optional<std::int64_t>& most_s,
                   const JobSpec& spec) {
  if (!most_s || (spec.time_limit_s > 0 && spec.time_limit_s <= *most_s)) return std::nullopt;
  return Refusal{owner + " has MaxWall=" + format_time_limit(*most_s) + ", and the job asks for " +
                     format_time_limit(spec.time_limit_s),
                 "ask for less with --time, or for another QOS or account"};
}

// What it would use of each until its time limit.
Failure check_minutes(const std::string& owner, const std::string& limit, const TresList& list,
                      const JobSpec& spec) {
  for (const TresCount& most : list) {
    const std::int64_t count = asked(spec, most);
    if (count == 0) continue;
    if (spec.time_limit_s == 0)
      return Refusal{owner + " has " + limit + "=" + tres_name(most) + "=" + tres_amount(most) +
                         ", and the job has no time limit to count by",
                     "give one with --time"};
    const double minutes = static_cast<double>(count) * static_cast<double>(spec.time_limit_s) / 60;
    if (minutes <= static_cast<double>(most.count)) continue;
    TresCount one = most;
    one.count = count;
    const bool is_whole = spec.time_limit_s % 60 == 0;
    return beyond(owner, limit, most, static_cast<std::int64_t>(std::ceil(minutes)),
                  ": " + tres_name(one) + "=" + tres_amount(one) + " for " +
                      (is_whole ? std::to_string(spec.time_limit_s / 60) + " minutes"
                                : std::to_string(spec.time_limit_s) + " seconds"));
  }
  return std::nullopt;
}

bool counts_time(const Qos* qos) {
  return !qos->limits.grp_tres_mins.empty() || qos->limits.grp_wall_s.has_value();
}

Failure check_group_wall(const std::string& owner, const std::optional<std::int64_t>& most_s,
                         const JobSpec& spec) {
  if (!most_s || (spec.time_limit_s > 0 && spec.time_limit_s <= *most_s)) return std::nullopt;
  return Refusal{owner + " has GrpWall=" + format_time_limit(*most_s) + ", and the job asks for " +
                     format_time_limit(spec.time_limit_s),
                 "ask for less with --time"};
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
                        const std::optional<std::int64_t>& most, std::int64_t there,
                        const Submission& submission, const std::string& user = "") {
  const std::int64_t more = submission.more;
  if (!most || there + more <= *most) return std::nullopt;
  const std::string has = owner + " has " + limit + "=" + std::to_string(*most);
  const std::string elsewhere = "choose another QOS or account";
  // No wait would help.
  if (*most == 0) return Refusal{has + ", so no job may be submitted", elsewhere};
  if (more > *most)
    return Refusal{has + ": " + submission.text() + ", and at most " + std::to_string(*most) +
                       " may wait or run",
                   "submit at most " + std::to_string(*most) + " at a time, or " + elsewhere};
  const std::string left =
      *most > there && more > 1 ? "submit at most " + std::to_string(*most - there) + " now, " : "";
  const std::string whose = user.empty() ? (there == 1 ? "there is" : "there are") : user + " has";
  return Refusal{has + ", and " + whose + " " + schedule::count_of(there, "job") +
                     (there == 1 ? " that waits or runs" : " that wait or run") +
                     (more > 1 ? "; " + submission.text() + " more" : ""),
                 left + "wait until some have ended, or " + elsewhere + "; `cox queue` shows them"};
}

bool is_in(const TresList& list, const TresCount& one) {
  return std::ranges::any_of(
      list, [&](const TresCount& other) { return tres_name(other) == tres_name(one); });
}

TresCount jobs(std::int64_t count) {
  return {Tres::Jobs, "", "", count};
}

TresCount minutes_of_jobs(std::int64_t seconds) {
  return jobs((seconds + 59) / 60);
}

}  // namespace

std::string text_of(const Association& one) {
  if (one.is_account()) return "account " + one.account;
  return "user " + one.user_name + " in account " + one.account +
         (one.partition.empty() ? "" : ", partition " + one.partition);
}

std::int32_t LimitsInUse::id_of(const Owner& owner, const TresCount& what) {
  const auto next = static_cast<std::int32_t>(owners_.size());
  const auto [at, is_new] =
      ids_.try_emplace({owner.of, owner.text, owner.user, tres_name(what), owner.timed}, next);
  if (is_new) owners_.push_back(owner);
  return at->second;
}

schedule::Limit& LimitsInUse::add(schedule::Limits& list, const Owner& owner, TresCount most) {
  const std::int32_t id = id_of(owner, most);
  return list.emplace_back(schedule::Limit{id, std::move(most), 0});
}

// What it would use until its time limit, beside what was used lately.
void LimitsInUse::add_minutes(schedule::Limits& list, const Owner& owner, const Timed& whose,
                              TresCount most, const JobSpec& spec) {
  most.count *= 60;
  schedule::Limit& limit = add(list, owner, std::move(most));
  // Whoever has no time limit, from before there was this one, may use it all.
  limit.seconds = spec.time_limit_s > 0 ? spec.time_limit_s : limits::time_limit_s_max;
  const auto known = std::ranges::find(timed_, limit.id, &Timed::limit);
  if (known == timed_.end()) {
    timed_.push_back({limit.id, whose.qos, whose.association, limit.most});
  } else {
    known->association = whose.association;  // it may have gone, and come again
  }
}

void LimitsInUse::add_timed(schedule::Limits& list, const Qos& qos, const JobSpec& spec) {
  const Owner owner{Of::Qos, "QOS " + qos.name, "", true};
  const Timed whose{0, qos.name, {}, {}};
  for (const TresCount& most : qos.limits.grp_tres_mins)
    add_minutes(list, owner, whose, most, spec);
  if (qos.limits.grp_wall_s)
    add_minutes(list, owner, whose, minutes_of_jobs(*qos.limits.grp_wall_s), spec);
}

void LimitsInUse::add_timed(schedule::Limits& list, const Association& one,
                            const Binding& everywhere, const JobSpec& spec) {
  const Owner owner{Of::Association, text_of(one), "", true};
  const Timed whose{0, "", one.id, {}};
  for (const TresCount& most : one.limits.grp_tres_mins)
    if (std::ranges::none_of(
            everywhere, [&](const Qos* qos) { return is_in(qos->limits.grp_tres_mins, most); }))
      add_minutes(list, owner, whose, most, spec);
  const bool wall_limited = std::ranges::any_of(
      everywhere, [](const Qos* qos) { return qos->limits.grp_wall_s.has_value(); });
  if (one.limits.grp_wall_s && !wall_limited)
    add_minutes(list, owner, whose, minutes_of_jobs(*one.limits.grp_wall_s), spec);
}

void LimitsInUse::add_associations(schedule::Limits& list, const Binding& everywhere,
                                   const JobSpec& spec, const Accounts& accounts) {
  const Association* own = accounts.of(spec);
  if (own == nullptr) return;
  const auto any_qos = [&](const auto& limits) {
    return std::ranges::any_of(everywhere, [&](const Qos* qos) { return limits(qos->limits); });
  };
  const bool jobs_limited = any_qos([](const QosLimits& l) { return l.grp_jobs.has_value(); });
  for (const Association* one : accounts.chain(*own)) {
    const Owner owner{Of::Association, text_of(*one), "", false};
    if (one->limits.grp_jobs && !jobs_limited) add(list, owner, jobs(*one->limits.grp_jobs));
    for (const TresCount& most : in_force(one->limits.grp_tres, open_hours_))
      if (!any_qos([&](const QosLimits& l) { return is_in(l.grp_tres, most); }))
        hours_of_[add(list, owner, most).id] = hours_in(one->limits.grp_tres, most);
    add_timed(list, *one, everywhere, spec);
  }
  const auto most = accounts.limits_of(*own).max_jobs;
  if (most && !any_qos([](const QosLimits& l) { return l.max_jobs_per_user.has_value(); }))
    add(list, {Of::AssociationUser, text_of(*own), "", false}, jobs(*most));
}

void LimitsInUse::add_qos(schedule::Limits& list, const Qos& qos, const JobSpec& spec) {
  const QosLimits& limits = qos.limits;
  const Owner all{Of::Qos, "QOS " + qos.name, "", false};
  const Owner one{Of::QosUser, "QOS " + qos.name, spec.user_name, false};
  if (limits.grp_jobs) add(list, all, jobs(*limits.grp_jobs));
  for (const TresCount& most : limits.grp_tres) add(list, all, most);
  if (limits.max_jobs_per_user) add(list, one, jobs(*limits.max_jobs_per_user));
  for (const TresCount& most : limits.max_tres_per_user) add(list, one, most);
  add_timed(list, qos, spec);
}

const Shared<schedule::Limits>& LimitsInUse::of(const Binding& binding, const Binding& everywhere,
                                                GivesWay gives_way, const JobSpec& spec,
                                                const Accounts& accounts) {
  const Association* own = accounts.of(spec);
  const AssociationId association = own == nullptr ? AssociationId{} : own->id;
  const bool timed =
      std::ranges::any_of(binding, counts_time) || (own != nullptr && accounts.counts_time(*own));
  std::string names;
  for (const Qos* qos : binding)
    names += qos->name + (std::ranges::find(everywhere, qos) == everywhere.end() ? "?\n" : "\n");
  const auto [at, is_new] = lists_.try_emplace(
      {names, spec.user_name, association, timed ? spec.time_limit_s : 0, gives_way});
  if (!is_new) return at->second;
  schedule::Limits list;
  for (const Qos* qos : binding) add_qos(list, *qos, spec);
  add_associations(list, everywhere, spec, accounts);
  if (own != nullptr) add_quotas(list, *own, gives_way, accounts);
  add_kept(list, *binding.back());
  if (!list.empty()) at->second = std::move(list);
  return at->second;
}

schedule::LimitName LimitsInUse::name_of(const schedule::Limit& limit) const {
  schedule::LimitName name = limit_name(limit);
  name.owner = owners_.at(static_cast<std::size_t>(limit.id)).text;
  return name;
}

std::set<std::string> LimitsInUse::hours_of(const schedule::Limit& limit) const {
  const auto found = hours_of_.find(limit.id);
  return found == hours_of_.end() ? std::set<std::string>{} : found->second;
}

schedule::LimitName LimitsInUse::limit_name(const schedule::Limit& limit) const {
  const Owner& owner = owners_.at(static_cast<std::size_t>(limit.id));
  const bool counts_jobs = limit.most.what == Tres::Jobs;
  const std::string& hours = limit.most.hours;
  const std::string tres =
      " " + tres_name(limit.most) + (hours.empty() ? "" : " (hours " + hours + ")");
  const Tres what = limit.most.what;
  const std::string text = owner.text + ": ";
  if (owner.timed)
    return {reason_in(owner.of == Of::Qos ? of_qos_time : of_time, what),
            text + (counts_jobs ? "GrpWall" : "GrpTRESMins" + tres)};
  switch (owner.of) {
    case Of::Qos:
      return {reason_in(of_qos, what), text + (counts_jobs ? "GrpJobs" : "GrpTRES" + tres)};
    case Of::QosUser:
      return {reason_in(of_qos_user, what),
              text + (counts_jobs ? "MaxJobsPerUser" : "MaxTRESPerUser" + tres) + " of user " +
                  owner.user};
    case Of::Association:
      return {reason_in(of_association, what), text + (counts_jobs ? "GrpJobs" : "GrpTRES" + tres)};
    case Of::AssociationUser: return {AssocMaxJobsLimit, text + "MaxJobs"};
    case Of::AssociationFirm:
      return {reason_in(of_association, what),
              text + "what it deserves of" + tres + ", for work that never gives way,"};
    case Of::Kept: return {reason_in(of_qos, what), text + "what it keeps of" + tres};
    case Of::Array: return {JobArrayTaskLimit, "ArrayTaskThrottle of " + owner.text};
  }
  CHECK(false && "unknown owner");
}

const Shared<schedule::Limits>& LimitsInUse::of_array(const Shared<schedule::Limits>& limits,
                                                      JobId array, std::int64_t tasks_most) {
  OfArray& known = array_lists_[array];
  if (known.tasks_most == tasks_most && known.limits.is(limits)) return known.list;
  known = {limits, tasks_most, {}};
  schedule::Limits list;
  add(list, {Of::Array, "array " + std::to_string(array.value), "", false}, jobs(tasks_most));
  list.insert(list.end(), limits->begin(), limits->end());
  known.list = std::move(list);
  return known.list;
}

void LimitsInUse::count_submitted(const Binding& binding, const JobSpec& spec,
                                  const Accounts& accounts, std::int64_t by) {
  std::vector<SubmittedKey> keys;
  for (const Qos* qos : binding) {
    keys.push_back({qos->name, "", {}});
    keys.push_back({qos->name, spec.user_name, {}});
  }
  if (const Association* own = accounts.of(spec))
    for (const Association* one : accounts.chain(*own)) keys.push_back({"", "", one->id});
  for (const SubmittedKey& key : keys) {
    const auto at = submitted_.try_emplace(key).first;
    at->second += by;
    if (at->second == 0) submitted_.erase(at);
  }
}

namespace {

template <class Map>
std::int64_t count_in(const Map& counts, const typename Map::key_type& key) {
  const auto at = counts.find(key);
  return at == counts.end() ? 0 : at->second;
}

}  // namespace

std::int64_t LimitsInUse::submitted(const Qos& qos) const {
  return count_in(submitted_, {qos.name, "", {}});
}

std::int64_t LimitsInUse::submitted(const Qos& qos, const std::string& user) const {
  return count_in(submitted_, {qos.name, user, {}});
}

std::int64_t LimitsInUse::submitted(AssociationId association) const {
  return count_in(submitted_, {"", "", association});
}

Failure check_qos_limits(const Qos& qos, const JobSpec& spec) {
  const QosLimits& limits = qos.limits;
  const std::string owner = "QOS " + qos.name;
  if (auto f = check_most(owner, "MaxTRESPerJob", limits.max_tres_per_job, spec)) return f;
  if (auto f = check_most(owner, "MaxTRESPerUser", limits.max_tres_per_user, spec)) return f;
  if (auto f = check_most(owner, "GrpTRES", limits.grp_tres, spec)) return f;
  for (const TresCount& least : limits.min_tres_per_job)
    if (const std::int64_t count = asked(spec, least); count < least.count)
      return beyond(owner, "MinTRESPerJob", least, count);
  if (auto f = check_minutes(owner, "GrpTRESMins", limits.grp_tres_mins, spec)) return f;
  if (auto f = check_group_wall(owner, limits.grp_wall_s, spec)) return f;
  return check_wall(owner, limits.max_wall_s, spec);
}

namespace {

// Work that does not give way has to be inside what its account deserves.
Failure check_firm(const Accounts& accounts, const Association& own, GivesWay gives_way,
                   const JobSpec& spec) {
  for (const TresCount& thing : quota_things(accounts)) {
    if (gives_back(gives_way, thing)) continue;
    for (const FirmLimit& firm : firm_limits(accounts, own, thing, nullptr)) {
      TresCount most = thing;
      most.count = firm.most;
      if (asked(spec, most) <= most.count) continue;
      const std::string how = gives_way == GivesWay::Never ? "which never gives way"
                                                           : "which gives way with its CPUs alone";
      return Refusal{text_of(*firm.account) + " deserves " + tres_name(most) + "=" +
                         tres_amount(most) + ", and work of QOS " + spec.qos + ", " + how +
                         ", may have no more; the job asks for more",
                     "ask for less, or for a QOS whose work gives way"};
    }
  }
  return std::nullopt;
}

}  // namespace

Failure check_association_limits(const Qos& qos, GivesWay gives_way, const Accounts& accounts,
                                 const NamedHours& hours, const JobSpec& spec) {
  const Association* own = accounts.of(spec);
  if (own == nullptr) return std::nullopt;
  AssociationLimits most = accounts.limits_of(*own);
  if (!qos.limits.max_tres_per_job.empty()) most.max_tres_per_job.clear();
  if (qos.limits.max_wall_s) most.max_wall_s.reset();
  if (auto f = check_firm(accounts, *own, gives_way, spec)) return f;
  const std::string owner = text_of(*own);
  if (auto f = check_most(owner, "MaxTRES", most.max_tres_per_job, spec)) return f;
  if (auto f = check_minutes(owner, "MaxTRESMins", most.max_tres_mins_per_job, spec)) return f;
  if (auto f = check_wall(owner, most.max_wall_s, spec)) return f;
  for (const Association* one : accounts.chain(*own)) {
    TresList group = most_ever(one->limits.grp_tres, hours);
    std::erase_if(group, [&](const TresCount& most) { return is_in(qos.limits.grp_tres, most); });
    if (auto f = check_most(text_of(*one), "GrpTRES", group, spec)) return f;
    TresList minutes = one->limits.grp_tres_mins;
    std::erase_if(minutes,
                  [&](const TresCount& most) { return is_in(qos.limits.grp_tres_mins, most); });
    if (auto f = check_minutes(text_of(*one), "GrpTRESMins", minutes, spec)) return f;
    if (qos.limits.grp_wall_s) continue;
    if (auto f = check_group_wall(text_of(*one), one->limits.grp_wall_s, spec)) return f;
  }
  return std::nullopt;
}

Failure check_submit_limits(const Qos& qos, const LimitsInUse& in_use, const JobSpec& spec,
                            std::int64_t more) {
  const QosLimits& limits = qos.limits;
  const std::string owner = "QOS " + qos.name;
  if (auto f = check_submitted(owner, "GrpSubmitJobs", limits.grp_submit_jobs,
                               in_use.submitted(qos), {spec, more}))
    return f;
  return check_submitted(owner, "MaxSubmitJobsPerUser", limits.max_submit_jobs_per_user,
                         in_use.submitted(qos, spec.user_name), {spec, more}, spec.user_name);
}

Failure check_submit_limits(const Accounts& accounts, const LimitsInUse& in_use,
                            const JobSpec& spec, std::int64_t more) {
  const Association* own = accounts.of(spec);
  if (own == nullptr) return std::nullopt;
  for (const Association* one : accounts.chain(*own))
    if (auto f = check_submitted(text_of(*one), "GrpSubmitJobs", one->limits.grp_submit_jobs,
                                 in_use.submitted(one->id), {spec, more}))
      return f;
  return check_submitted(text_of(*own), "MaxSubmitJobs", accounts.limits_of(*own).max_submit_jobs,
                         in_use.submitted(own->id), {spec, more}, spec.user_name);
}

}  // namespace cox
