// Validates heterogeneous jobs: each component like a job of its size, then all together.
#include <algorithm>
#include <string_view>
#include <utility>

#include "common/base/limits.h"
#include "common/base/text.h"
#include "controller/admit/admit.h"
#include "controller/admit/input_checks.h"
#include "controller/admit/resolve_sizes.h"
#include "controller/feed/engine_input.h"
#include "controller/job/request.h"
#include "schedule/explain/why_never_fits.h"

namespace cox {
namespace {

Refusal of_component(std::int64_t component, const Refusal& why) {
  return {"component " + std::to_string(component) + " of the job: " + why.fact, why.hint};
}

bool counts_features(const Constraint& constraint) {
  for (const GangFeatures& features : constraint.alternatives)
    if (!features.some.empty()) return true;
  return false;
}

Failure check_counted_features(const SizeTerms& terms) {
  for (const auto& [option, features] :
       {std::pair{"--constraint", &terms.constraint}, {"--prefer", &terms.prefer}})
    if (counts_features(*features))
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
                 "all components must have the same --gres; only its GPUs may differ"};
}

// Refuses excluded nodes that do not exist, as Slurm does: if a name is misspelt, the job could run
// on the node that its owner wants to avoid. A partition may list nodes that have not come yet.
Failure check_excluded(const Cluster& cluster, const schedule::Nodes& nodes, const JobSpec& s) {
  if (s.exclude.empty() || cluster.nodes().all().empty()) return std::nullopt;
  const auto is_listed = [&](const std::string& name) {
    return std::ranges::any_of(cluster.config().partitions, [&](const PartitionConfig& partition) {
      return std::ranges::find(partition.nodes, name) != partition.nodes.end();
    });
  };
  for (const std::string& name : s.exclude)
    if (!cluster.nodes().all().contains(name) && !is_listed(name))
      return Refusal{"--exclude names node " + name + ", which is no node of this cluster" +
                         schedule::known_nodes(nodes, name),
                     "see `cox nodes`, and correct the name or leave it out"};
  return std::nullopt;
}

}  // namespace

Failure check_components(const ParsedSpec& s) {
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
  // Null if --nodes is invalid, which a later check refuses.
  const auto& range = s.terms->node_range;
  if (range && !range->is_fixed())
    return Refusal{"--nodes names a range" + part, "name one number of nodes"};
  if (!s.switches.empty() || !s.topology.empty())
    return Refusal{"--switches or --topology is given" + part, "leave it out"};
  if (wants_neighbours(s)) return Refusal{"--contiguous is given" + part, "leave it out"};
  return std::nullopt;
}

Failure Admission::check_asked(const ParsedSpec& s) const {
  if (auto f = check_asked_sizes(s)) return f;
  if (auto f = check_excluded(cluster_, nodes(), s)) return f;
  return check_wishes(cluster_.config(), s);
}

Failure Admission::resolve_component(ParsedSpec& part) const {
  if (auto f = check_words(part)) return f;
  if (auto f = check_numbers(part)) return f;
  if (part.terms->partitions.size() > 1)
    return Refusal{"--partition=" + part.partition + " names several partitions",
                   "a component is in one partition: name one"};
  PartitionChoice choice(cluster_, caller_, {});
  if (auto f = choice.resolve(part)) return f;
  if (auto f = check_asked(part)) return f;
  if (auto f = check_counted_features(*part.terms)) return f;
  resolve_wishes(cluster_.config(), part);
  return resolve_size(part, choice);
}

// Resolves the components after the first. If the user set no time limit, the job gets the shortest
// one that the partition of any component gives. REQUIRES: the first component is resolved.
Failure Admission::resolve_components(ParsedSpec& s, bool limit_asked) const {
  if (s.components.empty()) return std::nullopt;
  if (auto f = check_counted_features(*s.terms)) return f;
  for (std::int64_t i = 1; i < component_count(s); ++i) {
    ParsedSpec part = component_spec(s, i);
    drop_licences(part);
    if (!limit_asked) part.time_limit_s = 0;
    if (auto f = resolve_component(part)) return of_component(i, *f);
    const auto index = static_cast<std::size_t>(i - 1);
    JobSize& settled = s.components[index];
    settled = part;
    s.terms.change().components[index] = *part.terms;
    if (auto f = check_alike(s, settled)) return of_component(i, *f);
    if (cluster_.accounting().qos_binding(part) != cluster_.accounting().qos_binding(s))
      return of_component(i, {"partition " + part.partition + " does not have the same QOS as " +
                                  s.partition + ", and limits of one would not hold in the other",
                              "use one partition for both, or submit two jobs"});
    if (!limit_asked && part.time_limit_s > 0)
      s.time_limit_s =
          s.time_limit_s == 0 ? part.time_limit_s : std::min(s.time_limit_s, part.time_limit_s);
  }
  if (tasks_of_all(s) > limits::tasks_per_job_max)
    return check_range("the number of tasks of all components", tasks_of_all(s), 1,
                       limits::tasks_per_job_max);
  const auto request = cluster_.requests().by_gpu_type(make_request(cluster_.config(), s, {}));
  if (const auto why = schedule::impossible(nodes(), *request))
    return Refusal{"this cluster can never run it: it " + *why,
                   hint_for_impossible(*why, "see `cox nodes`")};
  return std::nullopt;
}

}  // namespace cox
