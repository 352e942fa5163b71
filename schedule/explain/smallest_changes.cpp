#include <algorithm>
#include <functional>
#include <limits>
#include <set>

#include "common/base/count_format.h"
#include "common/syntax/min_cpus.h"
#include "schedule/explain/explain_context.h"
#include "schedule/explain/explain_text.h"
#include "schedule/place/place.h"

namespace cox::schedule {
namespace {

using Change = std::function<void(Request&)>;

// Tries changed requests in the room that the job may use. If the job has several alternative
// requests, all are changed; it is enough if one of them starts.
class Trial {
 public:
  Trial(const ExplainContext& context, const Decision& decision)
      : context_(context),
        decision_(decision),
        room_(open_room(context, decision)),
        lasts_(decision.job.time_limit) {
    for (const ResolvedRequest* need : needs_shown(context, decision)) {
      requests_.push_back(*need->request);
      requests_.back().otherwise.reset();
    }
  }

  const std::vector<Request>& requests() const { return requests_; }
  // Applies the change to each alternative request. Returns the first that would start now.
  std::optional<Request> starts(const Change& change) const {
    for (Request request : requests_) {
      change(request);
      const ResolvedRequest& need = context_.facts.need_of(request, lasts_);
      if (fits(need, room_) && !is_limited(context_, decision_, need)) return request;
    }
    return std::nullopt;
  }
  std::string where(const Request& request) const {
    const auto shares =
        place(context_.facts.need_of(request, lasts_), context_.facts.nodes(), room_);
    return shares ? nodes_text(context_.facts.nodes(), *shares) : "";
  }
  // Returns the largest value, at least `least` and less than `requested`, with which the job would
  // start now; 0 if there is none. `change_to(value)` is the change to try.
  std::int64_t most(std::int64_t least, std::int64_t requested, auto change_to) const {
    std::int64_t good = least - 1;
    std::int64_t bad = requested;
    while (bad - good > 1) {
      const std::int64_t middle = good + (bad - good) / 2;
      (starts(change_to(middle)) ? good : bad) = middle;
    }
    return good < least ? 0 : good;
  }
  // Returns the smallest value, more than `requested` and at most `most`, with which the job would
  // start now; 0 if there is none. `change_to(value)` is the change to try.
  std::int64_t least_more(std::int64_t requested, std::int64_t most, auto change_to) const {
    if (most <= requested || !starts(change_to(most))) return 0;
    std::int64_t bad = requested;
    std::int64_t good = most;
    while (good - bad > 1) {
      const std::int64_t middle = bad + (good - bad) / 2;
      (starts(change_to(middle)) ? good : bad) = middle;
    }
    return good;
  }

 private:
  const ExplainContext& context_;
  const Decision& decision_;
  Room room_;
  std::optional<Milliseconds> lasts_;
  std::vector<Request> requests_;
};

// A number of the request that may be lowered (nodes, tasks, CPUs, memory or GPUs), and the option
// that sets it.
struct Wish {
  std::string (*option)(const Request& changed);
  std::int64_t (*requested)(const Request&);
  std::int64_t (*least)(const Request&);
  void (*set)(Request&, std::int64_t value);
};

std::string types_before(const Request& request) {
  return request.gpu_types.size() == 1 ? request.gpu_types.front() + ":" : "";
}

// After the number of tasks was lowered, raises the CPUs per task to what --mincpus requires, as
// admission does.
void keep_min_cpus(Request& request) {
  if (request.min_cpus > 0)
    request.cpus_per_task =
        cpus_per_task_with(request.min_cpus, request.cpus_per_task, request.tasks, request.nodes);
}

constexpr Wish wishes[] = {
    {[](const Request& r) {
       return "-N" + std::to_string(r.nodes) + " -n" + std::to_string(r.tasks);
     },
     [](const Request& r) { return r.nodes; },
     [](const Request& r) { return std::max<std::int64_t>(std::ssize(r.nodelist), 1); },
     [](Request& r, std::int64_t nodes) {
       r.tasks = r.tasks / r.nodes * nodes;
       r.nodes = nodes;
       keep_min_cpus(r);
     }},
    {[](const Request& r) { return "-n" + std::to_string(r.tasks); },
     [](const Request& r) { return r.tasks; }, [](const Request& r) { return r.nodes; },
     [](Request& r, std::int64_t tasks) {
       r.tasks = tasks;
       keep_min_cpus(r);
     }},
    {[](const Request& r) {
       return "--cpus-per-task=" + std::to_string(r.cpus_per_task) +
              (r.min_cpus > 0 ? " --mincpus=" + std::to_string(r.min_cpus) : "");
     },
     [](const Request& r) { return r.cpus_per_task; },
     [](const Request&) -> std::int64_t { return 1; },
     [](Request& r, std::int64_t cpus) {
       r.cpus_per_task = cpus;
       if (r.min_cpus > 0) r.min_cpus = cpus * std::max<std::int64_t>(r.tasks / r.nodes, 1);
     }},
    {[](const Request& r) { return "--mem=" + std::to_string(r.memory_mb_per_node); },
     [](const Request& r) { return r.memory_mb_per_node; },
     [](const Request&) -> std::int64_t { return 1; },
     [](Request& r, std::int64_t mb) {
       r.memory_mb_per_node = mb;
       r.whole_memory = false;
     }},
    {[](const Request& r) {
       return "--gpus-per-node=" + types_before(r) + std::to_string(r.gpus_per_node);
     },
     [](const Request& r) { return r.gpus_per_node; },
     [](const Request&) -> std::int64_t { return 1; },
     [](Request& r, std::int64_t gpus) { r.gpus_per_node = gpus; }},
    {[](const Request& r) {
       return "--gpus-per-node=" + types_before(r) + format_milli(r.gpu_milli);
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

// A condition of the request that may be dropped, and the words for that.
struct Condition {
  std::string_view without;
  bool (*is_requested)(const Request&);
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
    {"without --contiguous, on", [](const Request& r) { return r.contiguous; },
     [](Request& r) { r.contiguous = false; }},
    {"without --nodelist, on", [](const Request& r) { return !r.nodelist.empty(); },
     [](Request& r) { r.nodelist.clear(); }},
    {"without --exclude, on", [](const Request& r) { return !r.exclude.empty(); },
     [](Request& r) { r.exclude.clear(); }},
    {"without --topology, on",
     [](const Request& r) { return r.joined_gpus || !r.topology_level.empty(); },
     [](Request& r) {
       r.joined_gpus = false;
       r.topology_level.clear();
     }},
    {"without --exclusive, on", [](const Request& r) { return r.exclusive; },
     [](Request& r) { r.exclusive = false; }},
};

std::vector<std::string> smaller_wishes(const Trial& trial) {
  std::vector<std::string> lines;
  for (const Wish& wish : wishes) {
    const auto to = [&wish](std::int64_t value) {
      return [&wish, value](Request& request) { wish.set(request, value); };
    };
    std::int64_t least = 1;
    std::int64_t requested = std::numeric_limits<std::int64_t>::max();
    for (const Request& request : trial.requests()) {
      least = std::max(least, wish.least(request));
      requested = std::min(requested, wish.requested(request));
    }
    const std::int64_t value = trial.most(least, requested, to);
    if (value == 0) continue;
    lines.push_back("with " + wish.option(*trial.starts(to(value))) + " it would start now");
  }
  return lines;
}

std::vector<std::string> other_gpu_types(const ExplainContext& context, const Trial& trial) {
  const Request& first = trial.requests().front();
  if (first.gpus_per_node == 0 || first.gpu_types.empty()) return {};
  std::set<std::string> types;
  for (NodeAt at = 0; at < context.facts.nodes().size(); ++at)
    for (const GpuKind& kind : context.facts.nodes()[at].gpu_kinds) types.insert(kind.type);
  for (const Request& request : trial.requests())
    for (const std::string& requested : request.gpu_types) types.erase(requested);
  std::vector<std::string> lines;
  for (const std::string& type : types)
    if (!type.empty() && trial.starts([&](Request& request) { request.gpu_types = {type}; }))
      lines.push_back("with --gpus-per-node=" + type + ":" + std::to_string(first.gpus_per_node) +
                      " it would start now");
  return lines;
}

std::vector<std::string> dropped_conditions(const Trial& trial) {
  std::vector<std::string> lines;
  for (const Condition& condition : conditions) {
    if (std::ranges::none_of(trial.requests(), condition.is_requested)) continue;
    if (const auto without = trial.starts(condition.drop))
      lines.push_back(std::string(condition.without) + " " + trial.where(*without) +
                      " it would start now");
  }
  return lines;
}

// Returns lines about the entries of --gres or --licenses: with which smaller count of one entry,
// or without which entry, the job would start now. All alternative requests have the same lists.
template <class Entry>
std::vector<std::string> smaller_list(const Trial& trial, std::vector<Entry> Request::*list,
                                      const std::string& option) {
  const std::vector<Entry>& all = trial.requests().front().*list;
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < all.size() && i < list_entries_tried_max; ++i) {
    const auto to = [&](std::int64_t count) {
      return [=](Request& request) {
        auto& entries = request.*list;
        entries[i].count = count;
        if (count == 0) entries.erase(entries.begin() + static_cast<std::ptrdiff_t>(i));
      };
    };
    const std::int64_t count = trial.most(1, all[i].count, to);
    if (count > 0) {
      lines.push_back("with " + entry_text(all[i], count) + " in " + option +
                      " it would start now");
    } else if (const auto without = trial.starts(to(0))) {
      lines.push_back("without " + entry_text(all[i], all[i].count) + " in " + option + ", on " +
                      trial.where(*without) + " it would start now");
    }
  }
  return lines;
}

// Returns a line with the least value of --switches with which the job would start now. If none
// helps, because nodes are behind no switch, tries the job without --switches.
std::vector<std::string> more_switches(const ExplainContext& context, const Trial& trial) {
  const Nodes& nodes = context.facts.nodes();
  const Request& first = trial.requests().front();
  if (first.switches == 0 || nodes.levels().empty()) return {};
  const auto to = [](std::int64_t switches) {
    return [switches](Request& request) { request.switches = switches; };
  };
  const std::int64_t most = std::min(first.nodes, std::ssize(nodes.levels().front()));
  const std::int64_t switches = trial.least_more(first.switches, most, to);
  if (switches > 0) return {"with --switches=" + std::to_string(switches) + " it would start now"};
  const auto without = trial.starts(to(0));
  if (!without) return {};
  return {"without --switches, on " + trial.where(*without) + " it would start now"};
}

// Returns a line with the lowest topology level above the requested one on which the job would
// start now. If none helps, tries the job without a level.
std::vector<std::string> wider_domain(const ExplainContext& context, const Trial& trial) {
  const std::string& requested = trial.requests().front().topology_level;
  if (requested.empty()) return {};
  const std::vector<std::string>& names = context.facts.settings().topology_levels;
  const auto in = [&](const std::string& level) {
    return trial.starts([&](Request& request) { request.topology_level = level; });
  };
  auto name = std::ranges::find(names, requested);
  for (name = name == names.end() ? name : std::next(name); name != names.end(); ++name)
    if (const auto wider = in(*name))
      return {"with --topology=required:" + *name + ", on " + trial.where(*wider) +
              " it would start now"};
  const auto without = in("");
  if (!without) return {};
  return {"without --topology, on " + trial.where(*without) + " it would start now"};
}

// Returns a line if the job would start now with a time limit that ends before the first
// reservation begins: such a job cannot delay any other.
std::vector<std::string> shorter_limit(const ExplainContext& context, const Decision& decision) {
  const Reservations* reservations = context.pass.reservations();
  if (reservations == nullptr) return {};
  const Reserved* first = nullptr;
  for (const Reserved& reserved : reservations->all()) {
    if (reserved.job == decision.job.id || !reserved.at) return {};
    if (first == nullptr || *reserved.at < *first->at) first = &reserved;
  }
  if (first == nullptr) return {};
  const std::int64_t minutes = (*first->at - context.facts.now()).count() / 60'000;
  if (minutes < 1) return {};
  const auto is_allowed = [&](const ResolvedRequest* need) {
    const auto shares = place(*need, context.facts.nodes(), context.pass.rooms().free());
    return shares &&
           reservations->allows(*shares, context.facts.now() + std::chrono::minutes{minutes});
  };
  if (std::ranges::none_of(needs_shown(context, decision), is_allowed)) return {};
  return {"with a --time that ends by " + moment_text(context, *first->at) +
          " it would start now and end before " + job_text(first->job, context.title_of) +
          " is to start"};
}

}  // namespace

std::vector<std::string> change_lines(const ExplainContext& context, const Decision& decision) {
  if (allows_no_backfill(context)) return {};
  const Trial trial(context, decision);
  std::vector<std::string> lines = smaller_wishes(trial);
  const auto add = [&lines](std::vector<std::string> more) {
    std::ranges::move(more, std::back_inserter(lines));
  };
  add(other_gpu_types(context, trial));
  add(smaller_list(trial, &Request::gres, "--gres"));
  add(smaller_list(trial, &Request::licences, "--licenses"));
  add(more_switches(context, trial));
  add(wider_domain(context, trial));
  add(dropped_conditions(trial));
  add(shorter_limit(context, decision));
  add(limits_before_reservations(context, decision));
  return lines;
}

}  // namespace cox::schedule
