#include "tests/sim/limits_judge.h"

#include <algorithm>

#include "common/base/limits.h"
#include "common/job/job_ref.h"
#include "common/syntax/partition_list.h"

namespace cox::sim {
namespace {

TresCount jobs(std::int64_t count) {
  return {Tres::Jobs, "", "", count};
}

bool is_in(const TresList& list, const TresCount& one) {
  return std::ranges::any_of(
      list, [&](const TresCount& other) { return tres_name(other) == tres_name(one); });
}

std::int64_t count_in(const TresList& list, const TresCount& one) {
  for (const TresCount& other : list)
    if (tres_name(other) == tres_name(one)) return other.count;
  return 0;
}

// Returns whether no QOS of the attempt sets this limit. Only then does the association's limit
// apply.
template <class Limited>
bool none(const std::vector<const Qos*>& binding, Limited limited) {
  return std::ranges::none_of(binding, [&](const Qos* qos) { return limited(qos->limits); });
}

}  // namespace

void LimitsJudge::see(const Change& change, Wall at) {
  if (const auto* added = std::get_if<JobAdded>(&change); added && !added->job.request_id.empty())
    submitted(added->job);
  if (const auto* added = std::get_if<AttemptAdded>(&change)) started(added->attempt, at);
}

// ---- submissions -------------------------------------------------------------------------------

// Counts live jobs, each task of an array by itself: those that the QOS binds, or those of the user
// in the QOS, or those of the association and all below it. Checks that there are no more than
// `most`.
void LimitsJudge::check_submitted(const std::string& owner, const std::optional<std::int64_t>& most,
                                  const JobSpec& spec, const Qos* qos, bool of_user,
                                  const Association* association) {
  if (!most) return;
  std::int64_t there = 0;
  for (const auto& [id, job] : books_.jobs) {
    if (is_final(job.state)) continue;
    if (of_user && job.spec->user_name != spec.user_name) continue;
    if (qos != nullptr) {
      const auto binding = books_.qos_binding(*job.spec, job.spec->partition);
      if (std::ranges::find(binding, qos) == binding.end()) continue;
    }
    if (association != nullptr) {
      const Association* charged = books_.charged(*job.spec);
      if (charged == nullptr) continue;
      const auto up = books_.chain(*charged);
      if (std::ranges::find(up, association) == up.end()) continue;
    }
    there += task_count(job);
  }
  if (there <= *most) return;
  scene_.story.violated(owner + " allows " + std::to_string(*most) +
                        " pending or running jobs, and there are " + std::to_string(there));
}

// Checks what one job asks for: its CPUs against `most`, its time limit against `most_s` seconds.
void LimitsJudge::check_size(const std::string& owner, const TresList& most,
                             const std::optional<std::int64_t>& most_s, const JobSpec& spec) {
  for (const TresCount& one : most)
    if (one.what == Tres::Cpus && spec.tasks * spec.cpus_per_task > one.count)
      scene_.story.violated(owner + " allows a job " + tres_amount(one) +
                            " CPUs, and one has more");
  if (most_s && (spec.time_limit_s == 0 || spec.time_limit_s > *most_s))
    scene_.story.violated(owner + " allows a job " + std::to_string(*most_s) +
                          " seconds, and one has more");
}

void LimitsJudge::submitted(const Job& job) {
  const JobSpec& spec = *job.spec;
  for (const Qos* qos : books_.qos_binding(spec, spec.partition)) {
    const std::string owner = "QOS " + qos->name;
    check_submitted(owner, qos->limits.grp_submit_jobs, spec, qos, false, nullptr);
    check_submitted(owner, qos->limits.max_submit_jobs_per_user, spec, qos, true, nullptr);
    check_size(owner, qos->limits.max_tres_per_job, qos->limits.max_wall_s, spec);
  }
  const Association* own = books_.charged(spec);
  if (own == nullptr) return;
  std::optional<std::int64_t> most;
  TresList tres = books_.qos.at(spec.qos).limits.max_tres_per_job;
  for (const Association* one : books_.chain(*own)) {
    if (tres.empty()) tres = one->limits.max_tres_per_job;
    check_submitted("account " + one->account, one->limits.grp_submit_jobs, spec, nullptr, false,
                    one);
    if (!most) most = one->limits.max_submit_jobs;
  }
  check_submitted("user " + spec.user_name, most, spec, nullptr, true, own);
  check_size("account " + own->account, tres, std::nullopt, spec);
}

// ---- starts ------------------------------------------------------------------------------------

void LimitsJudge::started(const Attempt& attempt, Wall at) {
  const Job& job = books_.jobs.at(attempt.key.job);
  check_array(job);
  check_partition(attempt, job, at);
  for (const Bound& bound : bounds_of(attempt, at)) check_bound(bound, attempt, at);
}

void LimitsJudge::check_array(const Job& job) {
  if (!is_of_array(job)) return;
  const std::int64_t most = books_.jobs.at(job.array_job).array_limit;
  const auto live = std::ranges::count_if(books_.live_attempts(), [&](const Attempt* one) {
    return books_.jobs.at(one->key.job).array_job == job.array_job;
  });
  if (most > 0 && live > most)
    scene_.story.violated("more tasks of array " + std::to_string(job.array_job.value) +
                          " run than its limit allows");
}

void LimitsJudge::check_partition(const Attempt& attempt, const Job& job, Wall at) {
  const PartitionConfig* partition = books_.partition(attempt.partition);
  const std::string who = text_of(job.id) + " starts in partition " + attempt.partition;
  if (partition == nullptr || !names_partition(job.spec->partition, attempt.partition))
    return scene_.story.violated(who + ", which it does not name");
  if (!partition->hours.empty() && !books_.hours_open(at).contains(partition->hours))
    scene_.story.violated(who + " outside its hours");
  const auto state = books_.partitions.find(attempt.partition);
  if (state != books_.partitions.end() && !starts_jobs(state->second))
    scene_.story.violated(who + ", which is " + std::string(name(state->second)));
}

void LimitsJudge::check_bound(const Bound& bound, const Attempt& attempt, Wall at) {
  if (count_of(bound, attempt) == 0 || (bound.timed && !usage_.is_known())) return;
  const auto seconds_of = [&](const Attempt& one) {
    const std::int64_t limit_s = spec_of(one).time_limit_s;
    return !bound.timed ? 1 : limit_s > 0 ? limit_s : limits::time_limit_s_max;
  };
  double used = 0;
  if (bound.timed) {
    const bool wall = bound.most.what == Tres::Jobs;
    const std::string tres = wall ? "wall" : tres_name(bound.most);
    const double unit = bound.most.what == Tres::GpuMilli ? gpu_whole : 1;
    used = unit * (bound.account != nullptr ? usage_.used_by_account(*bound.account, tres, at)
                                            : usage_.used_in_qos(bound.qos, tres, at));
  }
  for (const Attempt* other : books_.live_attempts())
    for (const Bound& same : bounds_of(*other, at))
      if (same.owner == bound.owner && tres_name(same.most) == tres_name(bound.most))
        used += static_cast<double>(count_of(bound, *other) * seconds_of(*other));
  const auto most = static_cast<double>(bound.most.count * (bound.timed ? 60 : 1));
  if (used <= most + (bound.timed ? 1 : 0)) return;
  scene_.story.violated(text_of(attempt.key.job) + " starts beyond a limit: " + bound.owner + " " +
                        tres_name(bound.most) + " is " + std::to_string(most) + ", with it " +
                        std::to_string(used) + " are in use");
}

// Returns how much of the resource the attempt holds. An exclusive job is granted whole nodes, but
// limits on what runs count only what it asked for. Limits of minutes count what it was granted,
// since it is charged that.
std::int64_t LimitsJudge::count_of(const Bound& bound, const Attempt& attempt) const {
  if (bound.most.what == Tres::Jobs) return 1;
  const JobSpec& spec = spec_of(attempt);
  const bool as_requested = spec.exclusive && !bound.timed;
  std::int64_t count = 0;
  for (const AttemptNode& n : attempt.nodes)
    count += count_on_node(bound.most, as_requested ? &spec : nullptr, n.grant);
  return count;
}

std::int64_t LimitsJudge::count_on_node(const TresCount& what, const JobSpec* spec,
                                        const NodeGrant& grant) const {
  switch (what.what) {
    case Tres::Nodes: return 1;
    case Tres::Cpus: return spec != nullptr ? grant.ranks * spec->cpus_per_task : grant.cpus;
    case Tres::MemoryMb: return spec != nullptr ? spec->memory_mb_per_node : grant.memory_mb;
    case Tres::GpuMilli: break;
    case Tres::Jobs:
    case Tres::Gres:
    case Tres::Licences: return 0;  // the simulated nodes have none of these
  }
  if (spec != nullptr) return what.type.empty() ? spec->gpus_per_node * gpu_whole : 0;
  const auto& gpus = books_.nodes.at(grant.node).total.gpus;
  std::int64_t count = 0;
  for (const std::int32_t index : grant.gpus) {
    const auto device = std::ranges::find(gpus, index, &GpuDevice::index);
    const bool counts = device != gpus.end() && device->type == what.type;
    if (what.type.empty() || counts) count += grant.gpu_milli;
  }
  return count;
}

LimitsJudge::Bounds LimitsJudge::bounds_of(const Attempt& attempt, Wall at) const {
  const JobSpec& spec = spec_of(attempt);
  const auto open = books_.hours_open(at);
  const auto binding = books_.qos_binding(spec, attempt.partition);
  Bounds bounds;
  for (const Qos* qos : binding) add_qos(bounds, *qos, spec);
  add_associations(bounds, binding, spec, open);
  add_quotas(bounds, attempt, spec, open);
  return bounds;
}

void LimitsJudge::add_qos(Bounds& bounds, const Qos& qos, const JobSpec& spec) const {
  const QosLimits& limits = qos.limits;
  const std::string owner = "QOS " + qos.name + ": ";
  const std::string of_user = owner + "user " + spec.user_name + " ";
  const auto add = [&](const std::string& who, const TresCount& most, bool timed) {
    bounds.push_back({who, most, timed, nullptr, qos.name});
  };
  if (limits.grp_jobs) add(owner + "GrpJobs", jobs(*limits.grp_jobs), false);
  for (const TresCount& most : limits.grp_tres) add(owner + "GrpTRES", most, false);
  if (limits.max_jobs_per_user) add(of_user + "MaxJobs", jobs(*limits.max_jobs_per_user), false);
  for (const TresCount& most : limits.max_tres_per_user) add(of_user + "MaxTRES", most, false);
  for (const TresCount& most : limits.grp_tres_mins) add(owner + "GrpTRESMins", most, true);
  if (limits.grp_wall_s) add(owner + "GrpWall", jobs((*limits.grp_wall_s + 59) / 60), true);
}

void LimitsJudge::add_associations(Bounds& bounds, const std::vector<const Qos*>& binding,
                                   const JobSpec& spec, const std::set<std::string>& open) const {
  const Association* own = books_.charged(spec);
  if (own == nullptr) return;
  using L = QosLimits;
  std::optional<std::int64_t> max_jobs;
  for (const Association* one : books_.chain(*own)) {
    const AssociationLimits& limits = one->limits;
    const std::string owner = "association " + std::to_string(one->id.value) + ": ";
    const auto add = [&](const std::string& which, const TresCount& most, bool timed) {
      bounds.push_back({owner + which, most, timed, one, ""});
    };
    if (limits.grp_jobs && none(binding, [](const L& l) { return l.grp_jobs.has_value(); }))
      add("GrpJobs", jobs(*limits.grp_jobs), false);
    for (const TresCount& most : in_force(limits.grp_tres, open))
      if (none(binding, [&](const L& l) { return is_in(l.grp_tres, most); }))
        add("GrpTRES", most, false);
    for (const TresCount& most : limits.grp_tres_mins)
      if (none(binding, [&](const L& l) { return is_in(l.grp_tres_mins, most); }))
        add("GrpTRESMins", most, true);
    if (limits.grp_wall_s && none(binding, [](const L& l) { return l.grp_wall_s.has_value(); }))
      add("GrpWall", jobs((*limits.grp_wall_s + 59) / 60), true);
    if (!max_jobs) max_jobs = limits.max_jobs;
  }
  if (max_jobs && none(binding, [](const L& l) { return l.max_jobs_per_user.has_value(); }))
    bounds.push_back({"association " + std::to_string(own->id.value) + ": MaxJobs", jobs(*max_jobs),
                      false, own, ""});
}

// ---- quotas ------------------------------------------------------------------------------------

// Returns how much of the resource the account is owed by quotas: the highest of its guarantee, its
// deserved quota, and the sum owed to the accounts below it.
std::int64_t LimitsJudge::quota_of(const Association& account, const TresCount& resource,
                                   const std::set<std::string>& open) const {
  std::int64_t below = 0;
  for (const auto& [id, one] : books_.associations)
    if (one.is_account() && one.parent == account.account) below += quota_of(one, resource, open);
  return std::max({below, count_in(in_force(account.limits.guarantee, open), resource),
                   count_in(in_force(account.limits.deserved, open), resource)});
}

// Adds the bounds that quotas set. They bind only a job that cannot be preempted, because it could
// not return borrowed resources: it must fit in what its account and the accounts above are owed.
void LimitsJudge::add_quotas(Bounds& bounds, const Attempt& attempt, const JobSpec& spec,
                             const std::set<std::string>& open) const {
  const Association* own = books_.charged(spec);
  if (own == nullptr) return;
  const auto own_qos = books_.qos.find(spec.qos);
  const PartitionConfig* partition = books_.partition(attempt.partition);
  if (own_qos == books_.qos.end() || partition == nullptr) return;
  const PreemptMode mode = partition->preempt_mode.value_or(own_qos->second.preempt_mode);
  std::map<std::string, TresCount> resources;
  for (const auto& [id, one] : books_.associations)
    for (const TresList* list : {&one.limits.guarantee, &one.limits.deserved})
      for (const TresCount& resource : *list) resources.emplace(tres_name(resource), resource);
  for (const auto& [name, resource] : resources) {
    const bool preempted_jobs =
        mode == PreemptMode::Suspend ? resource.what == Tres::Cpus : mode != PreemptMode::Off;
    if (preempted_jobs) continue;
    const Association* topmost = nullptr;
    bool bound = false;
    for (const Association* one : books_.chain(*own)) {
      if (!one->is_account() || one->is_root()) continue;
      topmost = one;
      TresCount most = resource;
      most.count = quota_of(*one, resource, open);
      const bool has_quota = is_in(in_force(one->limits.guarantee, open), resource) ||
                             is_in(in_force(one->limits.deserved, open), resource);
      if (most.count == 0 && !has_quota) continue;
      bound = true;
      bounds.push_back(
          {"association " + std::to_string(one->id.value) + ": firm", most, false, one, ""});
    }
    if (bound || topmost == nullptr) continue;
    TresCount nothing = resource;
    nothing.count = 0;
    bounds.push_back({"association " + std::to_string(topmost->id.value) + ": firm", nothing, false,
                      topmost, ""});
  }
}

}  // namespace cox::sim
