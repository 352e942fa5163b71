#include "controller/limits/qos_limits.h"

#include <algorithm>
#include <optional>

#include "common/base/check.h"
#include "common/base/limits.h"

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

bool counts_time(const Qos* qos) {
  return !qos->limits.grp_tres_mins.empty() || qos->limits.grp_wall_s.has_value();
}

TresCount jobs(std::int64_t count) {
  return {Tres::Jobs, "", "", count};
}

TresCount minutes_of_jobs(std::int64_t seconds) {
  return jobs((seconds + 59) / 60);
}

}  // namespace

bool has_tres(const TresList& list, const TresCount& one) {
  return std::ranges::any_of(
      list, [&](const TresCount& other) { return tres_name(other) == tres_name(one); });
}

std::string text_of(const Association& one) {
  if (one.is_account()) return "account " + one.account;
  return "user " + one.user_name + " in account " + one.account +
         (one.partition.empty() ? "" : ", partition " + one.partition);
}

std::int32_t LimitRegistry::id_of(const Owner& owner, const TresCount& what) {
  const auto next = static_cast<std::int32_t>(owners_.size());
  const auto [at, is_new] =
      ids_.try_emplace({owner.of, owner.text, owner.user, tres_name(what), owner.timed}, next);
  if (is_new) owners_.push_back(owner);
  return at->second;
}

schedule::Limit& LimitRegistry::add(schedule::Limits& list, const Owner& owner, TresCount most) {
  const std::int32_t id = id_of(owner, most);
  return list.emplace_back(schedule::Limit{id, std::move(most), 0});
}

// Adds a limit on past usage (GrpTRESMins, GrpWall). The job counts against it what it would use
// until its time limit.
void LimitRegistry::add_minutes(schedule::Limits& list, const Owner& owner, const Timed& whose,
                                TresCount most, const JobSpec& spec) {
  most.count *= 60;
  schedule::Limit& limit = add(list, owner, std::move(most));
  // A job without a time limit was submitted before this limit was set; it counts as if it had the
  // longest possible one.
  limit.seconds = spec.time_limit_s > 0 ? spec.time_limit_s : limits::time_limit_s_max;
  const auto known = std::ranges::find(timed_, limit.id, &Timed::limit);
  if (known == timed_.end()) {
    timed_.push_back({limit.id, whose.qos, whose.association, limit.most});
  } else {
    // An association that was removed and added again has a new id.
    known->association = whose.association;
  }
}

void LimitRegistry::add_timed(schedule::Limits& list, const Qos& qos, const JobSpec& spec) {
  const Owner owner{Of::Qos, "QOS " + qos.name, "", true};
  const Timed whose{0, qos.name, {}, {}};
  for (const TresCount& most : qos.limits.grp_tres_mins)
    add_minutes(list, owner, whose, most, spec);
  if (qos.limits.grp_wall_s)
    add_minutes(list, owner, whose, minutes_of_jobs(*qos.limits.grp_wall_s), spec);
}

void LimitRegistry::add_timed(schedule::Limits& list, const Association& one,
                              const Binding& everywhere, const JobSpec& spec) {
  const Owner owner{Of::Association, text_of(one), "", true};
  const Timed whose{0, "", one.id, {}};
  for (const TresCount& most : one.limits.grp_tres_mins)
    if (std::ranges::none_of(
            everywhere, [&](const Qos* qos) { return has_tres(qos->limits.grp_tres_mins, most); }))
      add_minutes(list, owner, whose, most, spec);
  const bool wall_limited = std::ranges::any_of(
      everywhere, [](const Qos* qos) { return qos->limits.grp_wall_s.has_value(); });
  if (one.limits.grp_wall_s && !wall_limited)
    add_minutes(list, owner, whose, minutes_of_jobs(*one.limits.grp_wall_s), spec);
}

void LimitRegistry::add_associations(schedule::Limits& list, const Binding& everywhere,
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
      if (!any_qos([&](const QosLimits& l) { return has_tres(l.grp_tres, most); }))
        hours_of_[add(list, owner, most).id] = hours_in(one->limits.grp_tres, most);
    add_timed(list, *one, everywhere, spec);
  }
  const auto most = accounts.limits_of(*own).max_jobs;
  if (most && !any_qos([](const QosLimits& l) { return l.max_jobs_per_user.has_value(); }))
    add(list, {Of::AssociationUser, text_of(*own), "", false}, jobs(*most));
}

void LimitRegistry::add_qos(schedule::Limits& list, const Qos& qos, const JobSpec& spec) {
  const QosLimits& limits = qos.limits;
  const Owner all{Of::Qos, "QOS " + qos.name, "", false};
  const Owner one{Of::QosUser, "QOS " + qos.name, spec.user_name, false};
  if (limits.grp_jobs) add(list, all, jobs(*limits.grp_jobs));
  for (const TresCount& most : limits.grp_tres) add(list, all, most);
  if (limits.max_jobs_per_user) add(list, one, jobs(*limits.max_jobs_per_user));
  for (const TresCount& most : limits.max_tres_per_user) add(list, one, most);
  add_timed(list, qos, spec);
}

const Shared<schedule::Limits>& LimitRegistry::of(const Binding& binding, const Binding& everywhere,
                                                  PreemptionYield preempted_jobs,
                                                  const JobSpec& spec, const Accounts& accounts) {
  const Association* own = accounts.of(spec);
  const AssociationId association = own == nullptr ? AssociationId{} : own->id;
  const bool timed =
      std::ranges::any_of(binding, counts_time) || (own != nullptr && accounts.counts_time(*own));
  std::string names;
  for (const Qos* qos : binding)
    names += qos->name + (std::ranges::find(everywhere, qos) == everywhere.end() ? "?\n" : "\n");
  const auto [at, is_new] = lists_.try_emplace(
      {names, spec.user_name, association, timed ? spec.time_limit_s : 0, preempted_jobs});
  if (!is_new) return at->second;
  schedule::Limits list;
  for (const Qos* qos : binding) add_qos(list, *qos, spec);
  add_associations(list, everywhere, spec, accounts);
  if (own != nullptr) add_quotas(list, *own, preempted_jobs, accounts);
  add_kept(list, *binding.back());
  if (!list.empty()) at->second = std::move(list);
  return at->second;
}

schedule::LimitName LimitRegistry::name_of(const schedule::Limit& limit) const {
  schedule::LimitName name = limit_name(limit);
  name.owner = owners_.at(static_cast<std::size_t>(limit.id)).text;
  return name;
}

std::set<std::string> LimitRegistry::hours_of(const schedule::Limit& limit) const {
  const auto found = hours_of_.find(limit.id);
  return found == hours_of_.end() ? std::set<std::string>{} : found->second;
}

schedule::LimitName LimitRegistry::limit_name(const schedule::Limit& limit) const {
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
              text + "Deserved" + tres + " for non-preemptible jobs"};
    case Of::Kept: return {reason_in(of_qos, what), text + "KeptTRES" + tres};
    case Of::Array: return {JobArrayTaskLimit, "ArrayTaskThrottle of " + owner.text};
  }
  CHECK(false && "unknown owner");
}

const Shared<schedule::Limits>& LimitRegistry::of_array(const Shared<schedule::Limits>& limits,
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

void LimitRegistry::count_submitted(const Binding& binding, const JobSpec& spec,
                                    const Accounts& accounts, std::int64_t by) {
  std::vector<SubmittedKey> keys;
  for (const Qos* qos : binding) {
    keys.push_back({qos->name, "", {}});
    keys.push_back({qos->name, spec.user_name, {}});
  }
  if (const Association* own = accounts.of(spec))
    for (const Association* one : accounts.chain(*own)) {
      keys.push_back({"", "", one->id});
      keys.push_back({"", spec.user_name, one->id});
    }
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

std::int64_t LimitRegistry::submitted(const Qos& qos) const {
  return count_in(submitted_, {qos.name, "", {}});
}

std::int64_t LimitRegistry::submitted(const Qos& qos, const std::string& user) const {
  return count_in(submitted_, {qos.name, user, {}});
}

std::int64_t LimitRegistry::submitted(AssociationId association) const {
  return count_in(submitted_, {"", "", association});
}

std::string LimitRegistry::submitters(const std::string& qos, AssociationId association) const {
  constexpr std::size_t users_named_max = 3;
  std::vector<std::pair<std::int64_t, std::string>> users;
  for (const auto& [key, count] : submitted_) {
    const auto& [of_qos, user, of_association] = key;
    if (of_qos == qos && of_association == association && !user.empty())
      users.emplace_back(-count, user);
  }
  std::ranges::sort(users);
  std::string text;
  for (std::size_t i = 0; i < users.size() && i < users_named_max; ++i)
    text += (i == 0 ? "" : ", ") + users[i].second + " " + std::to_string(-users[i].first);
  return text + (users.size() > users_named_max ? ", ..." : "");
}

std::string LimitRegistry::submitters(const Qos& qos) const {
  return submitters(qos.name, {});
}

std::string LimitRegistry::submitters(AssociationId association) const {
  return submitters("", association);
}

}  // namespace cox
