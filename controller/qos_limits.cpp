#include "controller/qos_limits.h"

#include <optional>

#include "common/check.h"
#include "common/count_format.h"
#include "common/gpu_wish.h"
#include "common/gres.h"
#include "common/licence.h"
#include "common/time_format.h"

namespace cox {
namespace {

WaitReason reason_of(Tres what, bool per_user) {
  switch (what) {
    case Tres::Jobs:
      return per_user ? WaitReason::QOSMaxJobsPerUserLimit : WaitReason::QOSGrpJobsLimit;
    case Tres::Nodes:
      return per_user ? WaitReason::QOSMaxNodePerUserLimit : WaitReason::QOSGrpNodeLimit;
    case Tres::Cpus:
      return per_user ? WaitReason::QOSMaxCpuPerUserLimit : WaitReason::QOSGrpCpuLimit;
    case Tres::MemoryMb:
      return per_user ? WaitReason::QOSMaxMemoryPerUser : WaitReason::QOSGrpMemLimit;
    case Tres::GpuMilli:
    case Tres::Gres: return per_user ? WaitReason::QOSMaxGRESPerUser : WaitReason::QOSGrpGRES;
    case Tres::Licences:
      return per_user ? WaitReason::QOSMaxLicensePerUser : WaitReason::QOSGrpLicense;
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

Refusal beyond(const Qos& qos, const std::string& limit, const TresCount& bound,
               std::int64_t count) {
  TresCount is = bound;
  is.count = count;
  return {"QOS " + qos.name + " has " + limit + "=" + tres_name(bound) + "=" + tres_amount(bound) +
              ", and the job asks for " + tres_amount(is),
          "ask for another amount, or for another QOS; `cox show qos` lists them"};
}

Failure check_most(const Qos& qos, const std::string& limit, const TresList& list,
                   const JobSpec& spec) {
  for (const TresCount& most : list)
    if (const std::int64_t count = asked(spec, most); count > most.count)
      return beyond(qos, limit, most, count);
  return std::nullopt;
}

Failure check_submitted(const Qos& qos, const std::string& limit,
                        const std::optional<std::int64_t>& most, std::int64_t there,
                        std::int64_t more, const std::string& whose) {
  if (!most || there + more <= *most) return std::nullopt;
  return Refusal{"QOS " + qos.name + " has " + limit + "=" + std::to_string(*most) + ", and " +
                     whose + " " + std::to_string(there) + " jobs that wait or run",
                 "wait until some have ended, or choose another QOS; `cox queue` shows them"};
}

}  // namespace

void QosLimitsInUse::add(schedule::Limits& list, const Owner& owner, TresCount most) {
  const auto next = static_cast<std::int32_t>(owners_.size());
  const auto [at, is_new] =
      ids_.try_emplace({owner.qos, owner.user, tres_name(most), owner.array}, next);
  if (is_new) owners_.push_back(owner);
  list.push_back({at->second, std::move(most)});
}

const Shared<schedule::Limits>& QosLimitsInUse::of(const Qos& qos, const std::string& user) {
  const auto [at, is_new] = lists_.try_emplace({qos.name, user});
  if (!is_new) return at->second;
  schedule::Limits list;
  const QosLimits& limits = qos.limits;
  const Owner all{qos.name, ""};
  const Owner one{qos.name, user};
  if (limits.grp_jobs) add(list, all, {Tres::Jobs, "", "", *limits.grp_jobs});
  for (const TresCount& most : limits.grp_tres) add(list, all, most);
  if (limits.max_jobs_per_user) add(list, one, {Tres::Jobs, "", "", *limits.max_jobs_per_user});
  for (const TresCount& most : limits.max_tres_per_user) add(list, one, most);
  if (!list.empty()) at->second = std::move(list);
  return at->second;
}

const Shared<schedule::Limits>& QosLimitsInUse::of_array(const Shared<schedule::Limits>& limits,
                                                         JobId array, std::int64_t tasks_most) {
  OfArray& known = array_lists_[array];
  if (known.tasks_most == tasks_most && known.limits.is(limits)) return known.list;
  known = {limits, tasks_most, {}};
  schedule::Limits list;
  add(list, {"", "", array}, {Tres::Jobs, "", "", tasks_most});
  list.insert(list.end(), limits->begin(), limits->end());
  known.list = std::move(list);
  return known.list;
}

schedule::LimitName QosLimitsInUse::name_of(const schedule::Limit& limit) const {
  const Owner& owner = owners_.at(static_cast<std::size_t>(limit.id));
  if (owner.array != JobId{})
    return {WaitReason::JobArrayTaskLimit,
            "ArrayTaskThrottle of array " + std::to_string(owner.array.value)};
  const bool per_user = !owner.user.empty();
  const bool jobs = limit.most.what == Tres::Jobs;
  std::string text = "QOS " + owner.qos + ": ";
  text += jobs ? (per_user ? "MaxJobsPerUser" : "GrpJobs")
               : (per_user ? "MaxTRESPerUser " : "GrpTRES ") + tres_name(limit.most);
  if (per_user) text += " of user " + owner.user;
  return {reason_of(limit.most.what, per_user), text};
}

void QosLimitsInUse::count_submitted(const JobSpec& spec, std::int64_t by) {
  for (const std::string& user : {std::string(), spec.user_name}) {
    const auto at = submitted_.try_emplace({spec.qos, user}).first;
    at->second += by;
    if (at->second == 0) submitted_.erase(at);
  }
}

std::int64_t QosLimitsInUse::submitted(const std::string& qos) const {
  return submitted(qos, "");
}

std::int64_t QosLimitsInUse::submitted(const std::string& qos, const std::string& user) const {
  const auto at = submitted_.find({qos, user});
  return at == submitted_.end() ? 0 : at->second;
}

Failure check_qos_limits(const Qos& qos, const JobSpec& spec) {
  const QosLimits& limits = qos.limits;
  if (auto f = check_most(qos, "MaxTRESPerJob", limits.max_tres_per_job, spec)) return f;
  if (auto f = check_most(qos, "MaxTRESPerUser", limits.max_tres_per_user, spec)) return f;
  if (auto f = check_most(qos, "GrpTRES", limits.grp_tres, spec)) return f;
  for (const TresCount& least : limits.min_tres_per_job)
    if (const std::int64_t count = asked(spec, least); count < least.count)
      return beyond(qos, "MinTRESPerJob", least, count);
  if (!limits.max_wall_s || (spec.time_limit_s > 0 && spec.time_limit_s <= *limits.max_wall_s))
    return std::nullopt;
  return Refusal{"QOS " + qos.name + " has MaxWall=" + format_time_limit(*limits.max_wall_s) +
                     ", and the job asks for " + format_time_limit(spec.time_limit_s),
                 "ask for less with --time, or for another QOS"};
}

Failure check_submit_limits(const Qos& qos, const QosLimitsInUse& in_use, const JobSpec& spec,
                            std::int64_t more) {
  if (auto f = check_submitted(qos, "GrpSubmitJobs", qos.limits.grp_submit_jobs,
                               in_use.submitted(qos.name), more, "there are"))
    return f;
  return check_submitted(qos, "MaxSubmitJobsPerUser", qos.limits.max_submit_jobs_per_user,
                         in_use.submitted(qos.name, spec.user_name), more, spec.user_name + " has");
}

}  // namespace cox
