#include "worker/stepd/step_binding.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <utility>

#include "common/base/count_format.h"
#include "common/base/limits.h"
#include "common/base/text.h"
#include "common/job/visible_gpus.h"

namespace cox {
namespace {

using Kind = CpuBind::Kind;
using Unit = CpuBind::Unit;

std::vector<std::int32_t> unit_of(Unit unit, const CpuPlace& place) {
  switch (unit) {
    case Unit::Ldoms: return {place.ldom};
    case Unit::Sockets: return {place.socket};
    case Unit::Cores: return {place.socket, place.core};
    case Unit::None:
    case Unit::Threads: break;
  }
  return {place.cpu};
}

void add(IdSet& into, const IdSet& more) {
  into.insert(into.end(), more.begin(), more.end());
  std::ranges::sort(into);
  into.erase(std::ranges::unique(into).begin(), into.end());
}

// Groups the CPUs by thread, core, socket or NUMA domain (the unit). The groups are in the order of
// their first CPUs.
std::vector<IdSet> units(Unit unit, const std::vector<CpuPlace>& cpus) {
  std::vector<IdSet> found;
  std::map<std::vector<std::int32_t>, std::size_t> at;
  for (const CpuPlace& place : cpus) {
    const auto [known, is_new] = at.emplace(unit_of(unit, place), found.size());
    if (is_new) found.emplace_back();
    add(found[known->second], {place.cpu});
  }
  return found;
}

// Gives each task whole units (such as cores) until it has enough CPUs. When all units are used,
// begins again with the first.
std::vector<IdSet> by_units(const std::vector<IdSet>& all, std::size_t tasks, std::size_t each) {
  std::vector<IdSet> bound(tasks);
  std::size_t next = 0;
  for (IdSet& mine : bound)
    for (std::size_t taken = 0; taken < all.size() && mine.size() < each; ++taken)
      add(mine, all[next++ % all.size()]);
  return bound;
}

IdSet in_ldoms(const IdSet& ldoms, const std::vector<CpuPlace>& cpus) {
  IdSet found;
  for (const CpuPlace& place : cpus)
    if (std::ranges::find(ldoms, place.ldom) != ldoms.end()) add(found, {place.cpu});
  return found;
}

// Formats ascending numbers of CPUs: "CPU 0", "CPUs 0-3,7".
std::string cpus_text(const IdSet& cpus) {
  std::string text;
  for (std::size_t i = 0; i < cpus.size();) {
    std::size_t last = i;
    while (last + 1 < cpus.size() && cpus[last + 1] == cpus[last] + 1) ++last;
    text += (text.empty() ? "" : ",") + std::to_string(cpus[i]);
    if (last > i) text += "-" + std::to_string(cpus[last]);
    i = last + 1;
  }
  return (cpus.size() == 1 ? "CPU " : "CPUs ") + text;
}

Refusal not_its_own(std::int32_t cpu, const std::vector<CpuPlace>& cpus) {
  IdSet own;
  for (const CpuPlace& place : cpus) add(own, {place.cpu});
  return {"--cpu-bind names CPU " + std::to_string(cpu) + ", but on this node the step has only " +
              cpus_text(own),
          "use --exclusive to get all CPUs of the job's nodes"};
}

// Gives each task one entry of the list in --cpu-bind. If there are more tasks than entries, the
// list begins again.
Result<std::vector<IdSet>> by_list(const CpuBind& bind, const std::vector<CpuPlace>& cpus,
                                   std::size_t tasks) {
  std::vector<IdSet> bound;
  for (std::size_t task = 0; task < tasks; ++task) {
    const IdSet& entry = bind.list[task % bind.list.size()];
    const bool is_cpus = bind.kind == Kind::Map || bind.kind == Kind::Mask;
    bound.push_back(is_cpus ? entry : in_ldoms(entry, cpus));
    if (bound.back().empty())
      return Refusal{"the step has no CPU of this node in the NUMA domain that --cpu-bind names",
                     ""};
    for (const std::int32_t cpu : bound.back())
      if (std::ranges::find(cpus, cpu, &CpuPlace::cpu) == cpus.end()) return not_its_own(cpu, cpus);
  }
  return bound;
}

std::string padded(std::int64_t number) {
  char text[24];
  std::snprintf(text, sizeof text, "%2lld", static_cast<long long>(number));
  return text;
}

}  // namespace

Result<std::vector<IdSet>> cpus_of_tasks(const CpuBind& bind, const std::vector<CpuPlace>& cpus,
                                         std::size_t tasks, std::int64_t cpus_per_task) {
  if (bind.kind == Kind::Unasked || bind.kind == Kind::None) return std::vector<IdSet>(tasks);
  const auto each = static_cast<std::size_t>(std::max<std::int64_t>(cpus_per_task, 1));
  if (bind.kind == Kind::Units) return by_units(units(bind.unit, cpus), tasks, each);
  if (bind.kind == Kind::Rank) return by_units(units(Unit::Threads, cpus), tasks, 1);
  if (bind.kind == Kind::LdomRank) return by_units(units(Unit::Ldoms, cpus), tasks, 1);
  return by_list(bind, cpus, tasks);
}

std::vector<CpuPlace> cpus_of_step(const std::vector<CpuPlace>& attempt, std::size_t count,
                                   const std::vector<IdSet>& others) {
  std::vector<std::pair<std::int64_t, CpuPlace>> by_use;
  for (const CpuPlace& place : attempt)
    by_use.emplace_back(
        std::ranges::count_if(
            others,
            [&](const IdSet& other) { return std::ranges::find(other, place.cpu) != other.end(); }),
        place);
  std::ranges::sort(by_use);
  by_use.resize(std::min(count, by_use.size()));
  std::vector<CpuPlace> chosen;
  for (const auto& [uses, place] : by_use) chosen.push_back(place);
  std::ranges::sort(chosen);
  return chosen;
}

bool StepBinding::binds_cpus(const std::string& environment) {
  const Variables v = users_variables(environment);
  const auto setting = v.find("SLURM_CPU_BIND");
  const auto bind = parse_cpu_bind(setting == v.end() ? "" : setting->second);
  return bind && bind->kind != Kind::Unasked && bind->kind != Kind::None;
}

Result<StepBinding> StepBinding::of(const std::string& environment, const StepLaunch& launch,
                                    const Place& place) {
  StepBinding made;
  made.node_ = place.node;
  made.ranks_ = launch.ranks;
  made.devices_ = launch.gpus;
  made.node_gpus_ = place.gpus;
  const Variables v = users_variables(environment);
  if (const auto setting = v.find("SLURM_CPU_BIND"); setting != v.end()) {
    auto bind = parse_cpu_bind(setting->second);
    if (!bind) return bind.refusal();
    if (binds_cpus(environment) && place.cpus.empty())
      return Refusal{"--cpu-bind is not possible on this node: " + place.why, ""};
    auto cpus = cpus_of_tasks(*bind, place.cpus, launch.ranks.size(), launch.cpus_per_task);
    if (!cpus) return cpus.refusal();
    made.cpus_ = std::move(*cpus);
    // A binding to units (cores, sockets …) is shown to the tasks as a list of masks, as in Slurm.
    if (bind->kind == Kind::Units) {
      bind->kind = Kind::Mask;
      bind->list = made.cpus_;
    }
    made.cpu_ = std::move(*bind);
  }
  if (Failure failure = made.bind_gpus(v, launch, place)) return *std::move(failure);
  return made;
}

Failure StepBinding::bind_gpus(const Variables& v, const StepLaunch& launch, const Place& place) {
  Result<GpuBind> bind = GpuBind{};
  const auto setting = v.find("SLURM_GPU_BIND");
  if (setting != v.end() && !setting->second.empty()) bind = parse_gpu_bind(setting->second);
  if (!bind) return bind.refusal();
  bool all_are_close = place.one_ldom;
  if (bind->kind == GpuBind::Kind::Unasked) {
    // With --ntasks-per-gpu each GPU gets its number of tasks, whether or not it is close to their
    // CPUs.
    const auto each = v.find("SLURM_NTASKS_PER_GPU");
    const auto tasks =
        parse_count(each == v.end() ? "" : each->second, 1, limits::tasks_per_job_max);
    if (!tasks || launch.gpus.empty() || launch.gpus_per_task >= 0) return std::nullopt;
    bind->kind = GpuBind::Kind::Single;
    bind->count = *tasks;
    all_are_close = true;
  }
  auto gpus = gpus_of_tasks(*bind, launch.ranks.size(), launch.gpus.size(), all_are_close);
  if (!gpus) return gpus.refusal();
  gpus_ = std::move(*gpus);
  gpu_ = std::move(*bind);
  return std::nullopt;
}

void StepBinding::put_into(std::vector<std::string>& environment, std::size_t local) const {
  const auto set = [&](const std::string& name, const std::string& value) {
    std::erase_if(environment, [&](const std::string& one) { return one.starts_with(name + "="); });
    environment.push_back(name + "=" + value);
  };
  if (cpu_) {
    const std::string verbose = cpu_->verbose ? "verbose" : "quiet";
    const std::string type = type_text(*cpu_);
    const std::string list = list_text(*cpu_);
    set("SLURM_CPU_BIND", verbose + (type.empty() ? "" : "," + type + list));
    set("SLURM_CPU_BIND_VERBOSE", verbose);
    set("SLURM_CPU_BIND_TYPE", type);
    set("SLURM_CPU_BIND_LIST", list);
  }
  if (local >= gpus_.size() || devices_.empty()) return;
  std::vector<std::int32_t> devices;
  for (const std::int32_t gpu : gpus_[local])
    devices.push_back(devices_[static_cast<std::size_t>(gpu)]);
  Variables visible;
  show_gpus(visible, node_gpus_, devices);
  for (const auto& [name, value] : visible) set(name, value);
}

std::string StepBinding::visible_gpus(std::size_t local) const {
  if (!gpu_ || !gpu_->verbose || devices_.empty()) return "";
  IdSet all;
  std::vector<std::int32_t> devices;
  for (std::size_t i = 0; i < devices_.size(); ++i) all.push_back(static_cast<std::int32_t>(i));
  for (const std::int32_t gpu : gpus_[local])
    devices.push_back(devices_[static_cast<std::size_t>(gpu)]);
  return "gpu-bind: usable_gres=" + mask_text(gpus_[local]) + "; bit_alloc=" + mask_text(all) +
         "; local_inx=" + std::to_string(devices.size()) + "; global_list=" + comma_list(devices) +
         "; local_list=" + comma_list(gpus_[local]) + "\n";
}

StepBinding::BindingMessage StepBinding::binding_message(std::size_t local,
                                                         const IdSet& usable) const {
  const std::string gpus = visible_gpus(local);
  if (!cpu_ || !cpu_->verbose) return {gpus, ""};
  std::string unit = type_text({Kind::Unasked, cpu_->unit, false, {}});
  if (!unit.empty()) unit = "-" + unit;
  const std::map<Kind, std::string> names = {{Kind::Unasked, "NULL"},   {Kind::None, "NONE"},
                                             {Kind::Rank, "RANK"},      {Kind::Map, "MAP "},
                                             {Kind::Mask, "MASK"},      {Kind::LdomRank, "LDRANK"},
                                             {Kind::LdomMap, "LDMAP "}, {Kind::LdomMask, "LDMASK"}};
  const bool is_bound = !cpus_[local].empty();
  return {gpus + "cpu-bind" + unit + "=" + names.at(cpu_->kind) + " - " + node_ + ", task " +
              padded(ranks_[local]) + " " + padded(static_cast<std::int64_t>(local)) + " [",
          "]: mask " + mask_text(is_bound ? cpus_[local] : usable) + (is_bound ? " set\n" : "\n")};
}

}  // namespace cox
