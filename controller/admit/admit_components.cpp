// Heterogeneous jobs: each component is judged as a job of its size would be, then all together.
#include <algorithm>
#include <string_view>
#include <utility>

#include "common/base/limits.h"
#include "common/base/text.h"
#include "common/syntax/constraint.h"
#include "common/syntax/node_range.h"
#include "common/syntax/partition_list.h"
#include "controller/admit/admit.h"
#include "controller/admit/input_checks.h"
#include "controller/admit/resolve_sizes.h"
#include "controller/state/engine_input.h"
#include "controller/state/request.h"
#include "schedule/explain/why_never_fits.h"

namespace cox {
namespace {

Refusal of_component(std::int64_t component, const Refusal& why) {
  return {"component " + std::to_string(component) + " of the job: " + why.fact, why.hint};
}

bool counts_features(const std::string& text) {
  const auto constraint = parse_constraint(text);
  if (!constraint) return false;
  for (const GangFeatures& features : constraint->alternatives)
    if (!features.some.empty()) return true;
  return false;
}

Failure check_counted_features(const JobSpec& spec) {
  for (const auto& [option, text] :
       {std::pair{"--constraint", &spec.constraint}, {"--prefer", &spec.prefer}})
    if (counts_features(*text))
      return Refusal{
          std::string(option) + " counts nodes with a feature, which a component cannot do",
          "make each kind of node a component of its own"};
  return std::nullopt;
}

bool wants_neighbours(const JobSpec& spec) {
  return spec.contiguous || std::ranges::any_of(spec.components, &JobSize::contiguous);
}

Failure check_alike(const JobSpec& first, const JobSize& other) {
  if (other.gres == first.gres) return std::nullopt;
  return Refusal{"--gres asks for " + quoted(other.gres) + " on each node, and component 0 for " +
                     quoted(first.gres),
                 "besides GPUs, all components have the same --gres"};
}

// Refuses excluded nodes that do not exist, as Slurm does: if a name is misspelt, the job could run
// on the node that its owner wants to avoid. A partition may list nodes that have not come yet.
Failure check_excluded(const Cluster& cluster, const JobSpec& s) {
  if (s.exclude.empty() || cluster.nodes().empty()) return std::nullopt;
  const auto is_listed = [&](const std::string& name) {
    return std::ranges::any_of(cluster.config().partitions, [&](const PartitionConfig& partition) {
      return std::ranges::find(partition.nodes, name) != partition.nodes.end();
    });
  };
  for (const std::string& name : s.exclude)
    if (!cluster.nodes().contains(name) && !is_listed(name))
      return Refusal{"--exclude names node " + name + ", which is no node of this cluster",
                     "see `cox nodes`, and correct the name or leave it out"};
  return std::nullopt;
}

}  // namespace

// What no heterogeneous job has here, and what is asked for once for all of it.
Failure check_components(const JobSpec& s) {
  if (s.components.empty()) return std::nullopt;
  if (std::cmp_greater(s.components.size(), limits::job_components_max - 1))
    return Refusal{"a heterogeneous job has " + std::to_string(component_count(s)) +
                       " components; the limit is " + std::to_string(limits::job_components_max),
                   "join those that are alike"};
  if (s.form == JobForm::Gang)
    return Refusal{"a heterogeneous job has no command of its own",
                   "submit a script, whose `srun A : B` starts a command for each component"};
  const std::string part = "; a heterogeneous job cannot have it";
  if (!s.array.empty()) return Refusal{"--array is given" + part, "submit several jobs"};
  const auto range = parse_node_range(s.node_sizes);  // who cannot read it says so later
  if (!s.node_sizes.empty() && range && !range->is_fixed())
    return Refusal{"--nodes names a range" + part, "name one number of nodes"};
  if (!s.switches.empty() || !s.topology.empty())
    return Refusal{"--switches or --topology is given" + part, "leave it out"};
  if (wants_neighbours(s)) return Refusal{"--contiguous is given" + part, "leave it out"};
  return std::nullopt;
}

Failure Admission::check_asked(const JobSpec& s) const {
  if (auto f = check_asked_sizes(s)) return f;
  if (auto f = check_excluded(cluster_, s)) return f;
  return check_wishes(cluster_.config(), s);
}

Failure Admission::settle_component(JobSpec& part) const {
  if (auto f = check_words(part)) return f;
  if (auto f = check_numbers(part)) return f;
  if (partition_names(part.partition).size() > 1)
    return Refusal{"--partition=" + part.partition + " names several",
                   "a component is in one partition: name one"};
  PartitionChoice choice(cluster_, caller_, {});
  if (auto f = choice.settle(part)) return f;
  if (auto f = check_asked(part)) return f;
  if (auto f = check_counted_features(part)) return f;
  settle_wishes(cluster_.config(), part);
  return settle_size(part, choice);
}

// REQUIRES: the first one is settled, as the job's own size. A time limit that nobody asked for is
// the least that the partition of any component gives.
Failure Admission::settle_components(JobSpec& s, bool limit_asked) const {
  if (s.components.empty()) return std::nullopt;
  if (auto f = check_counted_features(s)) return f;
  for (std::int64_t i = 1; i < component_count(s); ++i) {
    JobSpec part = component_spec(s, i);
    part.licences.clear();
    if (!limit_asked) part.time_limit_s = 0;
    if (auto f = settle_component(part)) return of_component(i, *f);
    JobSize& settled = s.components[static_cast<std::size_t>(i - 1)];
    settled = part;
    if (auto f = check_alike(s, settled)) return of_component(i, *f);
    if (cluster_.qos_binding(part) != cluster_.qos_binding(s))
      return of_component(i, {"partition " + part.partition + " has not the same QOS as " +
                                  s.partition + ", and limits of one would not hold in the other",
                              "put both into one, or submit two jobs"});
    if (!limit_asked && part.time_limit_s > 0)
      s.time_limit_s =
          s.time_limit_s == 0 ? part.time_limit_s : std::min(s.time_limit_s, part.time_limit_s);
  }
  if (tasks_of_all(s) > limits::tasks_per_job_max)
    return check_range("the number of tasks of all components", tasks_of_all(s), 1,
                       limits::tasks_per_job_max);
  const auto request = cluster_.by_gpu_type(make_request(cluster_.config(), s, {}));
  if (const auto why = schedule::impossible(cluster_.engine(now_).nodes(), *request))
    return Refusal{"this cluster can never run it: it " + *why,
                   hint_of_impossible(*why, "see `cox nodes`")};
  return std::nullopt;
}

}  // namespace cox
