#include "controller/admit/settle_container.h"

#include <algorithm>
#include <string>
#include <vector>

#include "common/job/container.h"
#include "common/syntax/constraint.h"

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
void add_container_feature(std::string& written) {
  const auto constraint = parse_constraint(written);
  if (!constraint) return;
  if (constraint->alternatives.empty()) {
    written = container_feature;
    return;
  }
  if (std::ranges::all_of(constraint->alternatives, has_container_feature)) return;
  const bool is_joined = written.find('|') == std::string::npos;
  written = std::string(container_feature) + "&" + (is_joined ? written : "(" + written + ")");
}

// Adds the feature to both texts, because `prefer` is tried in place of the constraint.
void require_container_feature(JobSize& size) {
  add_container_feature(size.constraint);
  if (!size.prefer.empty()) add_container_feature(size.prefer);
}

}  // namespace

Failure settle_container(const Cluster& cluster, JobSpec& spec) {
  if (!wants_container(spec.stored_options)) return std::nullopt;
  const auto wish = container_wish(spec.stored_options);
  if (!wish) return wish.refusal();
  const auto runs_them = [](const auto& entry) { return runs_containers(entry.second); };
  if (std::ranges::none_of(cluster.nodes(), runs_them))
    return Refusal{"no node of this cluster runs containers: " + std::string(container_setting) +
                       " of [worker] is not set on any node",
                   "leave --container-image and --container out, or ask the administrator"};
  require_container_feature(spec);
  for (JobSize& component : spec.components) require_container_feature(component);
  return std::nullopt;
}

}  // namespace cox
