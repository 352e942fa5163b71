#include "controller/admit/resolve_container.h"

#include <algorithm>
#include <string>
#include <vector>

#include "common/job/container.h"

namespace cox {
namespace {

bool runs_containers(const Node& node) {
  return std::ranges::find(node.features, container_feature) != node.features.end();
}

bool has_container_feature(const GangFeatures& features) {
  const std::vector<std::string> wanted{std::string(container_feature)};
  return std::ranges::find(features.every.all_of, wanted) != features.every.all_of.end();
}

// Adds the feature to the text of a constraint without expanding it, because an expanded constraint
// could exceed the limit. Leaves an invalid constraint as it is; a later check refuses it.
void add_container_feature(std::string& written, const Constraint& constraint) {
  if (written.empty()) {
    written = container_feature;
    return;
  }
  if (std::ranges::all_of(constraint.alternatives, has_container_feature)) return;
  const bool is_joined = written.find('|') == std::string::npos;
  written = std::string(container_feature) + "&" + (is_joined ? written : "(" + written + ")");
}

// Adds the feature to --constraint and to --prefer, because the engine tries `prefer` in place of
// the constraint, not beside it.
void require_container_feature(JobSize& size, const SizeTerms& terms) {
  add_container_feature(size.constraint, terms.constraint);
  if (!size.prefer.empty()) add_container_feature(size.prefer, terms.prefer);
}

}  // namespace

Failure resolve_container(const Cluster& cluster, ParsedSpec& spec) {
  if (!wants_container(spec.stored_options)) return std::nullopt;
  const auto wish = container_wish(spec.stored_options);
  if (!wish) return wish.refusal();
  const auto runs_them = [](const auto& entry) { return runs_containers(entry.second); };
  if (std::ranges::none_of(cluster.nodes().all(), runs_them))
    return Refusal{"no node of this cluster runs containers: " + std::string(container_setting) +
                       " of [worker] is not set on any node",
                   "leave --container-image and --container out, or ask the administrator"};
  require_container_feature(spec, *spec.terms);
  for (std::size_t i = 0; i < spec.components.size(); ++i)
    require_container_feature(spec.components[i], spec.terms->components[i]);
  spec.parse();
  return std::nullopt;
}

}  // namespace cox
