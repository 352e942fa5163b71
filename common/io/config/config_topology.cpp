#include "common/io/config/config_topology.h"

#include <algorithm>

#include "common/base/limits.h"
#include "common/cluster/gpu_islands.h"
#include "common/io/config/config_values.h"
#include "common/syntax/node_range.h"

namespace cox {
namespace {

Result<std::vector<std::string>> parse_levels(const std::vector<std::string>& names) {
  if (names.size() > limits::topology_levels_max)
    return Refusal{"has " + std::to_string(names.size()) + " levels; the limit is " +
                       std::to_string(limits::topology_levels_max),
                   ""};
  for (const auto& name : names)
    if (auto parsed = parse_name(name); !parsed) return parsed.refusal();
  if (std::find(names.begin(), names.end(), gpu_island_level) != names.end())
    return Refusal{"names a level " + std::string(gpu_island_level) +
                       ", which is reserved for the GPUs inside a node",
                   ""};
  return names;
}

// Checks a list like "4,8,16": the number of nodes in a block of each level.
Result<std::string> parse_sizes(const std::string& text) {
  if (parse_node_range(text)) return text;
  return Refusal{"is \"" + text + "\"; it must be numbers of nodes, like \"4,8,16\"", ""};
}

std::vector<std::int64_t> sizes_in(const std::string& text) {
  const auto range = parse_node_range(text);
  if (!range) return {};
  return range->sizes.empty() ? std::vector<std::int64_t>{range->least} : range->sizes;
}

// Calls `visit` with each table of the array [[name]].
template <class Visit>
void each_table(const toml::table& root, const std::string& name, Problems& problems, Visit visit) {
  const toml::node* node = root.get(name);
  if (node == nullptr) return;
  const toml::array* array = node->as_array();
  if (array == nullptr || !array->is_array_of_tables())
    return problems.add(line_of(*node), name + " must be written as [[" + name + "]]");
  for (const toml::node& element : *array) visit(*element.as_table());
}

void read_switch(const toml::table& source, TreeTopology& tree, Problems& problems,
                 std::vector<ConfigValue>& values) {
  TopologySwitch one;
  TableReader table(source, "[[switch]]", problems, values);
  table.text("name", one.name, parse_name);
  table.text("switches", one.switches, parse_line);
  table.text("nodes", one.nodes, parse_line);
  if (table.finish()) tree.switches.push_back(std::move(one));
}

void read_block(const toml::table& source, BlockTopology& topology, Problems& problems,
                std::vector<ConfigValue>& values) {
  TopologyBlock one;
  TableReader table(source, "[[block]]", problems, values);
  table.text("name", one.name, parse_name);
  table.text("nodes", one.nodes, parse_line);
  if (table.finish()) topology.blocks.push_back(std::move(one));
}

}  // namespace

void read_topology(const toml::table& root, ControllerConfig& config, Problems& problems,
                   std::vector<ConfigValue>& values) {
  TreeTopology tree;
  BlockTopology blocks;
  each_table(root, "switch", problems,
             [&](const toml::table& source) { read_switch(source, tree, problems, values); });
  each_table(root, "block", problems,
             [&](const toml::table& source) { read_block(source, blocks, problems, values); });
  static const toml::table nothing;
  const toml::table* source = root["topology"].as_table();
  TableReader table(source == nullptr ? nothing : *source, "[topology]", problems, values);
  const bool is_tree = blocks.blocks.empty();
  std::vector<std::string> levels{"leaf", "spine", "core"};
  if (!is_tree) levels = {"block", "superblock"};
  std::string sizes;
  table.texts("levels", levels, parse_levels);
  table.text("block_sizes", sizes, parse_sizes);
  if (!is_tree && !tree.switches.empty())
    problems.add(line_of(*root.get("block")),
                 "the topology is either a tree of switches or blocks, not both");
  if (!table.finish() || (is_tree && tree.switches.empty())) return;
  if (!sizes.empty()) blocks.sizes = sizes_in(sizes);
  auto domains = is_tree ? domain_paths(tree) : domain_paths(blocks);
  if (!domains)
    return problems.add(line_of(*root.get(is_tree ? "switch" : "block")), domains.refusal().fact);
  config.domains = std::move(*domains);
  config.scheduling.topology_levels = std::move(levels);
}

}  // namespace cox
