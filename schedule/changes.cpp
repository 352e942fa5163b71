#include <algorithm>
#include <set>

#include "common/count_format.h"
#include "schedule/place.h"
#include "schedule/told.h"
#include "schedule/words.h"

namespace cox::schedule {
namespace {

// What a smaller request is tried on: the room it would be given.
class Trial {
 public:
  Trial(const Told& told, const Verdict& verdict) : told_(told), room_(room_for(told, verdict)) {}

  const Need& need(const Request& request) const { return told_.pass.need_of(request); }
  bool starts(const Request& request) const { return fits(need(request), room_); }
  std::string where(const Request& request) const {
    const auto shares = place(need(request), told_.pass.nodes(), room_);
    return shares ? nodes_text(told_.pass.nodes(), *shares) : "";
  }
  // The most from `least` on that is less than asked and would start; 0: none.
  std::int64_t most(std::int64_t least, std::int64_t asked, auto request_with) const {
    std::int64_t good = least - 1;
    std::int64_t bad = asked;
    while (bad - good > 1) {
      const std::int64_t middle = good + (bad - good) / 2;
      (starts(request_with(middle)) ? good : bad) = middle;
    }
    return good < least ? 0 : good;
  }
  // The least that is more than asked, up to `most`, and would start; 0: none.
  std::int64_t least_more(std::int64_t asked, std::int64_t most, auto request_with) const {
    if (most <= asked || !starts(request_with(most))) return 0;
    std::int64_t bad = asked;
    std::int64_t good = most;
    while (good - bad > 1) {
      const std::int64_t middle = bad + (good - bad) / 2;
      (starts(request_with(middle)) ? good : bad) = middle;
    }
    return good;
  }

 private:
  // Its own reservation holds a place for it as it is; those of others stand.
  static Room room_for(const Told& told, const Verdict& verdict) {
    const Reservations* reservations = told.pass.reservations();
    if (reservations == nullptr) return told.pass.free();
    const auto& all = reservations->all();
    if (std::ranges::any_of(all, [&](const Reserved& r) { return r.job == verdict.job.id; }))
      return told.pass.free();
    std::optional<Boot> end;
    if (verdict.job.time_limit) end = told.pass.now() + *verdict.job.time_limit;
    return reservations->spare(told.pass.free(), end);
  }

  const Told& told_;
  Room room_;
};

// A wish that may be made smaller, and how its option is written.
struct Wish {
  std::string (*option)(const Request&, std::int64_t value);
  std::int64_t (*asked)(const Request&);
  std::int64_t (*least)(const Request&);
  void (*set)(Request&, std::int64_t value);
};

std::string types_before(const Request& request) {
  return request.gpu_types.size() == 1 ? request.gpu_types.front() + ":" : "";
}

constexpr Wish wishes[] = {
    {[](const Request& r, std::int64_t nodes) {
       return "-N" + std::to_string(nodes) + " -n" + std::to_string(r.tasks / r.nodes * nodes);
     },
     [](const Request& r) { return r.nodes; },
     [](const Request& r) { return std::max<std::int64_t>(std::ssize(r.nodelist), 1); },
     [](Request& r, std::int64_t nodes) {
       r.tasks = r.tasks / r.nodes * nodes;
       r.nodes = nodes;
     }},
    {[](const Request&, std::int64_t tasks) { return "-n" + std::to_string(tasks); },
     [](const Request& r) { return r.tasks; }, [](const Request& r) { return r.nodes; },
     [](Request& r, std::int64_t tasks) { r.tasks = tasks; }},
    {[](const Request&, std::int64_t cpus) { return "--cpus-per-task=" + std::to_string(cpus); },
     [](const Request& r) { return r.cpus_per_task; },
     [](const Request&) -> std::int64_t { return 1; },
     [](Request& r, std::int64_t cpus) { r.cpus_per_task = cpus; }},
    {[](const Request&, std::int64_t mb) { return "--mem=" + std::to_string(mb); },
     [](const Request& r) { return r.memory_mb_per_node; },
     [](const Request&) -> std::int64_t { return 1; },
     [](Request& r, std::int64_t mb) { r.memory_mb_per_node = mb; }},
    {[](const Request& r, std::int64_t gpus) {
       return "--gpus-per-node=" + types_before(r) + std::to_string(gpus);
     },
     [](const Request& r) { return r.gpus_per_node; },
     [](const Request&) -> std::int64_t { return 1; },
     [](Request& r, std::int64_t gpus) { r.gpus_per_node = gpus; }},
    {[](const Request& r, std::int64_t milli) {
       return "--gpus-per-node=" + types_before(r) + format_milli(milli);
     },
     [](const Request& r) -> std::int64_t { return r.gpus_per_node == 1 ? r.gpu_milli : 0; },
     [](const Request&) -> std::int64_t { return 1; },
     [](Request& r, std::int64_t milli) { r.gpu_milli = static_cast<std::int32_t>(milli); }},
};

constexpr std::size_t list_entries_tried_max = 4;

std::string entry_text(const GresCount& gres, std::int64_t count) {
  return format_gres({{}, {{gres.name, gres.type, count}}});
}

std::string entry_text(const LicenceCount& licence, std::int64_t count) {
  return format_licences({{licence.name, count}});
}

// A wish that may be left out, and the words for doing without.
struct Condition {
  std::string_view without;
  bool (*is_asked)(const Request&);
  void (*drop)(Request&);
};

constexpr Condition conditions[] = {
    {"in a partition that has", [](const Request& r) { return !r.partition_nodes.empty(); },
     [](Request& r) {
       r.partition_nodes.clear();
       r.partition_gone.clear();
     }},
    {"without --constraint, on", [](const Request& r) { return !r.constraint.empty(); },
     [](Request& r) { r.constraint.clear(); }},
    {"without --nodelist, on", [](const Request& r) { return !r.nodelist.empty(); },
     [](Request& r) { r.nodelist.clear(); }},
    {"without --topology, on",
     [](const Request& r) { return r.joined_gpus || !r.topology_level.empty(); },
     [](Request& r) {
       r.joined_gpus = false;
       r.topology_level.clear();
     }},
    {"without --exclusive, on", [](const Request& r) { return r.exclusive; },
     [](Request& r) { r.exclusive = false; }},
};

std::vector<std::string> smaller_wishes(const Trial& trial, const Request& request) {
  std::vector<std::string> lines;
  for (const Wish& wish : wishes) {
    const auto with = [&](std::int64_t value) {
      Request smaller = request;
      wish.set(smaller, value);
      return smaller;
    };
    const std::int64_t value = trial.most(wish.least(request), wish.asked(request), with);
    if (value > 0) lines.push_back("with " + wish.option(request, value) + " it would start now");
  }
  return lines;
}

std::vector<std::string> other_gpu_types(const Told& told, const Trial& trial,
                                         const Request& request) {
  if (request.gpus_per_node == 0 || request.gpu_types.empty()) return {};
  std::set<std::string> types;
  for (NodeAt at = 0; at < told.pass.nodes().size(); ++at)
    for (const GpuKind& kind : told.pass.nodes()[at].gpu_kinds) types.insert(kind.type);
  for (const std::string& asked : request.gpu_types) types.erase(asked);
  std::vector<std::string> lines;
  for (const std::string& type : types) {
    Request other = request;
    other.gpu_types = {type};
    if (!type.empty() && trial.starts(other))
      lines.push_back("with --gpus-per-node=" + type + ":" + std::to_string(request.gpus_per_node) +
                      " it would start now");
  }
  return lines;
}

std::vector<std::string> dropped_conditions(const Trial& trial, const Request& request) {
  std::vector<std::string> lines;
  for (const Condition& condition : conditions) {
    if (!condition.is_asked(request)) continue;
    Request without = request;
    condition.drop(without);
    if (trial.starts(without))
      lines.push_back(std::string(condition.without) + " " + trial.where(without) +
                      " it would start now");
  }
  return lines;
}

// Of a list of counts, --gres or --licenses: one entry smaller, or left out.
template <class Entry>
std::vector<std::string> smaller_list(const Trial& trial, const Request& request,
                                      std::vector<Entry> Request::*list,
                                      const std::string& option) {
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < (request.*list).size() && i < list_entries_tried_max; ++i) {
    const Entry& asked = (request.*list)[i];
    const auto with = [&](std::int64_t count) {
      Request smaller = request;
      auto& entries = smaller.*list;
      entries[i].count = count;
      if (count == 0) entries.erase(entries.begin() + static_cast<std::ptrdiff_t>(i));
      return smaller;
    };
    const std::int64_t count = trial.most(1, asked.count, with);
    if (count > 0) {
      lines.push_back("with " + entry_text(asked, count) + " in " + option + " it would start now");
    } else if (trial.starts(with(0))) {
      lines.push_back("without " + entry_text(asked, asked.count) + " in " + option + ", on " +
                      trial.where(with(0)) + " it would start now");
    }
  }
  return lines;
}

// More switches; or none asked for, where nodes stand behind no switch.
std::vector<std::string> more_switches(const Told& told, const Trial& trial,
                                       const Request& request) {
  const Nodes& nodes = told.pass.nodes();
  if (request.switches == 0 || nodes.levels().empty()) return {};
  const auto with = [&](std::int64_t switches) {
    Request wider = request;
    wider.switches = switches;
    return wider;
  };
  const std::int64_t most = std::min(request.nodes, std::ssize(nodes.levels().front()));
  const std::int64_t switches = trial.least_more(request.switches, most, with);
  if (switches > 0) return {"with --switches=" + std::to_string(switches) + " it would start now"};
  if (!trial.starts(with(0))) return {};
  return {"without --switches, on " + trial.where(with(0)) + " it would start now"};
}

// The lowest level above the one asked for whose domains are wide enough; else in no one domain.
std::vector<std::string> wider_domain(const Told& told, const Trial& trial,
                                      const Request& request) {
  if (request.topology_level.empty()) return {};
  const std::vector<std::string>& names = told.pass.settings().topology_levels;
  Request wider = request;
  auto name = std::ranges::find(names, request.topology_level);
  for (name = name == names.end() ? name : std::next(name); name != names.end(); ++name) {
    wider.topology_level = *name;
    if (trial.starts(wider))
      return {"with --topology=required:" + *name + ", on " + trial.where(wider) +
              " it would start now"};
  }
  wider.topology_level.clear();
  if (!trial.starts(wider)) return {};
  return {"without --topology, on " + trial.where(wider) + " it would start now"};
}

// Whoever is over before the first reservation begins is in nobody's way.
std::vector<std::string> shorter_limit(const Told& told, const Verdict& verdict) {
  const Reservations* reservations = told.pass.reservations();
  if (reservations == nullptr) return {};
  const Reserved* first = nullptr;
  for (const Reserved& reserved : reservations->all()) {
    if (reserved.job == verdict.job.id || !reserved.at) return {};
    if (first == nullptr || *reserved.at < *first->at) first = &reserved;
  }
  if (first == nullptr) return {};
  const std::int64_t minutes = (*first->at - told.pass.now()).count() / 60'000;
  const auto shares = place(*verdict.need, told.pass.nodes(), told.pass.free());
  if (minutes < 1 || !shares) return {};
  if (!reservations->allows(*shares, told.pass.now() + std::chrono::minutes{minutes})) return {};
  return {"with --time=" + std::to_string(minutes) + " it would start now and be over before " +
          job_text(first->job, told.user_of) + " is to start"};
}

}  // namespace

std::vector<std::string> change_lines(const Told& told, const Verdict& verdict) {
  const Reservations* reservations = told.pass.reservations();
  if (reservations != nullptr && reservations->nobody_passes() && !told.before.empty()) return {};
  const Request& request = *verdict.job.request;
  const Trial trial(told, verdict);
  std::vector<std::string> lines = smaller_wishes(trial, request);
  const auto add = [&lines](std::vector<std::string> more) {
    std::ranges::move(more, std::back_inserter(lines));
  };
  add(other_gpu_types(told, trial, request));
  add(smaller_list(trial, request, &Request::gres, "--gres"));
  add(smaller_list(trial, request, &Request::licences, "--licenses"));
  add(more_switches(told, trial, request));
  add(wider_domain(told, trial, request));
  add(dropped_conditions(trial, request));
  add(shorter_limit(told, verdict));
  return lines;
}

}  // namespace cox::schedule
