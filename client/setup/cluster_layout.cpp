#include "client/setup/cluster_layout.h"

#include <algorithm>
#include <charconv>
#include <sstream>

#include "common/base/hostlist.h"
#include "common/base/limits.h"
#include "common/base/text.h"
#include "common/resources/gpu_wish.h"

namespace cox {
namespace {

constexpr std::int64_t first_address = 10;  // 127.0.0.(10 + k)
constexpr const char* banner =
    "# `cox up` overwrites this file: use the options of `cox up` to change it.\n";

std::string toml_string(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

std::string toml_strings(const std::vector<std::string>& texts) {
  std::string out;
  for (const auto& text : texts) out += (out.empty() ? "" : ", ") + toml_string(text);
  return "[" + out + "]";
}

// Refuses a fraction of a GPU: a node has whole GPUs.
Failure check_gpus(const std::string& text) {
  const auto gpus = parse_gpus(text, limits::gpus_per_node_max);
  constexpr const char* hint = "write it like 4 or h100:4";
  if (!gpus) return Refusal{"--gpus: " + gpus.refusal().fact, hint};
  if (gpus->is_whole()) return {};
  return Refusal{"--gpus " + quoted(text) + " is a fraction of a GPU", hint};
}

struct Feature {
  std::string name;
  std::vector<std::string> nodes;
};

Result<Feature> parse_feature(const std::string& text) {
  const auto equals = text.find('=');
  if (equals == std::string::npos || equals == 0)
    return Refusal{"--feature " + quoted(text) + " does not name its nodes",
                   "write it like --feature 'fast=n[1-2]'"};
  auto nodes = expand_hostlist(text.substr(equals + 1));
  if (!nodes) return nodes.refusal();
  return Feature{text.substr(0, equals), std::move(nodes).value()};
}

// Refuses a feature if one of its nodes is not among the first `nodes` nodes. Features kept from an
// earlier `cox up` are not checked: after a smaller --nodes they may name nodes that are gone.
Failure of_no_node(const std::string& text, std::int64_t nodes) {
  const auto feature = parse_feature(text);
  if (!feature) return feature.refusal();
  for (const auto& name : feature->nodes) {
    bool known = false;
    for (std::int64_t k = 1; k <= nodes && !known; ++k) known = name == node_name(k);
    if (!known)
      return Refusal{"--feature " + quoted(text) + ": there will be no node " + quoted(name),
                     "the last node will be " + node_name(nodes) + "; --nodes makes more"};
  }
  return {};
}

std::vector<std::string> features_of(const ClusterLayout& layout, const std::string& node) {
  std::vector<std::string> names;
  for (const auto& text : layout.features) {
    const auto feature = parse_feature(text);
    if (feature && std::ranges::find(feature->nodes, node) != feature->nodes.end())
      names.push_back(feature->name);
  }
  return names;
}

std::string toml_ms(std::int64_t ms) {
  return "\"" + std::to_string(ms) + "ms\"";
}

// Timeouts that depend on the lease. A user sets a short lease to see what happens at its end, so
// timeouts that are longer by default are shortened to fit it.
struct Timings {
  std::int64_t node_timeout_ms, heartbeat_ms, grace_ms, margin_ms, kill_wait_ms;
};
Timings timings_for(std::int64_t lease_s) {
  const std::int64_t lease_ms = lease_s * 1000;
  const std::int64_t node_timeout_ms = std::min<std::int64_t>(15'000, lease_ms / 2);
  return {node_timeout_ms, std::min<std::int64_t>(2'000, node_timeout_ms / 4),
          std::min<std::int64_t>(30'000, lease_ms), std::min<std::int64_t>(5'000, lease_ms),
          std::min<std::int64_t>(30'000, lease_ms)};
}

std::string lease_lines(const ClusterLayout& layout) {
  if (layout.lease_s < 0) return "";
  if (layout.lease_s == 0) return "lease = \"never\"\n";
  const Timings t = timings_for(layout.lease_s);
  return "lease = " + toml_ms(layout.lease_s * 1000) + "\nlease_grace = " + toml_ms(t.grace_ms) +
         "\nlease_margin = " + toml_ms(t.margin_ms) +
         "\nnode_timeout = " + toml_ms(t.node_timeout_ms) +
         "\nheartbeat = " + toml_ms(t.heartbeat_ms) + "\nkill_wait = " + toml_ms(t.kill_wait_ms) +
         "\n";
}

std::string database_text(const ClusterLayout& layout) {
  return "host=" + layout.postgres_socket_dir() + " user=cox dbname=coxswain";
}

Failure take_line(const std::string& name, const std::string& value, ClusterLayout& layout) {
  const struct {
    const char* name;
    std::int64_t* number;
    std::string* text;
    std::vector<std::string>* texts;
  } known[] = {
      {"nodes", &layout.nodes, nullptr, nullptr},
      {"cpus", &layout.cpus, nullptr, nullptr},
      {"memory_mb", &layout.memory_mb, nullptr, nullptr},
      {"lease_s", &layout.lease_s, nullptr, nullptr},
      {"port", &layout.port, nullptr, nullptr},
      {"cluster_name", nullptr, &layout.cluster_name, nullptr},
      {"run_dir", nullptr, &layout.run_dir, nullptr},
      {"postgres_home", nullptr, &layout.postgres_home, nullptr},
      {"gpus", nullptr, nullptr, &layout.gpus},
      {"feature", nullptr, nullptr, &layout.features},
  };
  for (const auto& each : known) {
    if (name != each.name) continue;
    if (each.text != nullptr) *each.text = value;
    if (each.texts != nullptr) each.texts->push_back(value);
    if (each.number == nullptr) return {};
    const char* end = value.data() + value.size();
    const auto [stop, error] = std::from_chars(value.data(), end, *each.number);
    if (error == std::errc{} && stop == end) return {};
    return Refusal{name + " is " + quoted(value) + ", not a number", ""};
  }
  return Refusal{"unknown name " + quoted(name), ""};
}

}  // namespace

std::string node_name(std::int64_t k) {
  return "n" + std::to_string(k);
}

std::string ClusterLayout::worker_config_path(std::int64_t k) const {
  return dir + "/workers/" + node_name(k) + ".toml";
}

std::string layout_text(const ClusterLayout& layout) {
  std::ostringstream out;
  out << "cluster_name " << layout.cluster_name << "\nnodes " << layout.nodes << "\ncpus "
      << layout.cpus << "\nmemory_mb " << layout.memory_mb << "\nlease_s " << layout.lease_s
      << "\nport " << layout.port << "\nrun_dir " << layout.run_dir << "\npostgres_home "
      << layout.postgres_home << "\n";
  for (const auto& gpus : layout.gpus) out << "gpus " << gpus << "\n";
  for (const auto& feature : layout.features) out << "feature " << feature << "\n";
  return out.str();
}

Result<ClusterLayout> parse_layout(const std::string& text, const std::string& dir) {
  ClusterLayout layout;
  layout.dir = dir;
  std::istringstream lines(text);
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    const auto space = std::min(line.find(' '), line.size());
    const std::string value = space < line.size() ? line.substr(space + 1) : "";
    if (auto why = take_line(line.substr(0, space), value, layout))
      return Refusal{dir + "/layout line " + std::to_string(number) + ": " + why->fact,
                     "it is written by `cox up`; remove it to start again"};
  }
  return layout;
}

Failure apply_overrides(const ClusterOverrides& asked, ClusterLayout& layout) {
  if (asked.nodes > 0) layout.nodes = asked.nodes;
  if (asked.cpus > 0) layout.cpus = asked.cpus;
  if (asked.memory_mb > 0) layout.memory_mb = asked.memory_mb;
  if (asked.lease_s >= 0) layout.lease_s = asked.lease_s;
  if (!asked.gpus.empty()) layout.gpus = asked.gpus;
  if (!asked.features.empty()) layout.features = asked.features;
  for (const auto& gpus : layout.gpus)
    if (auto why = check_gpus(gpus)) return why;
  for (const auto& feature : layout.features)
    if (auto parsed = parse_feature(feature); !parsed) return parsed.refusal();
  for (const auto& feature : asked.features)
    if (auto why = of_no_node(feature, layout.nodes)) return why;
  if (has_control_characters(layout.dir))
    return Refusal{"the folder's name has control characters", "choose another with --dir"};
  const bool quotable = layout.dir.find_first_of("' \\\"") == std::string::npos;
  if (!quotable)
    return Refusal{
        "the folder's name " + quoted(layout.dir) + " has a blank, a quote or a backslash in it",
        "choose another with --dir: the name goes into connection strings"};
  return {};
}

std::string controller_toml(const ClusterLayout& layout, const std::string& controller_key) {
  std::ostringstream out;
  out << banner << "[controller]\ncluster_name = " << toml_string(layout.cluster_name)
      << "\ndatabase = " << toml_string(database_text(layout))
      << "\nlisten_local = " << toml_string(layout.local_endpoint())
      << "\nlisten_tcp = \"tcp://127.0.0.1:" << layout.port
      << "\"\nkey_dir = " << toml_string(layout.dir + "/keys")
      << "\ncheckpoint_root = " << toml_string(layout.dir + "/checkpoints") << "\n"
      << lease_lines(layout) << "\n[client]\ncontroller = " << toml_string(layout.local_endpoint())
      << "\ncontroller_key = " << toml_string(controller_key)
      << "\nkey_file = " << toml_string(layout.dir + "/keys/client.key") << "\n";
  return out.str();
}

std::string worker_toml(const ClusterLayout& layout, std::int64_t k,
                        const std::string& controller_key, const std::string& supervisor_program) {
  const std::string node = node_name(k);
  std::vector<std::string> gres;
  for (const auto& gpus : layout.gpus) gres.push_back("gpu:" + gpus);
  std::ostringstream out;
  out << banner << "[worker]\ncluster_name = " << toml_string(layout.cluster_name)
      << "\nnode_name = " << toml_string(node) << "\naddress = \"127.0.0." << first_address + k
      << "\"\ncontroller = \"tcp://127.0.0.1:" << layout.port
      << "\"\ncontroller_key = " << toml_string(controller_key)
      << "\nkey_file = " << toml_string(layout.dir + "/keys/worker-" + node + ".key")
      << "\nkey_dir = " << toml_string(layout.dir + "/keys")
      << "\nspool_dir = " << toml_string(layout.dir + "/spool/" + node)
      << "\ncheckpoint_root = " << toml_string(layout.dir + "/checkpoints")
      << "\nsupervisor_program = " << toml_string(supervisor_program)
      << "\nfeatures = " << toml_strings(features_of(layout, node))
      << "\ngres = " << toml_strings(gres) << "\ncpus = " << layout.cpus
      << "\nmemory_mb = " << layout.memory_mb << "\n";
  if (layout.lease_s > 0)
    out << "kill_wait = " << toml_ms(timings_for(layout.lease_s).kill_wait_ms) << "\n";
  return out.str();
}

}  // namespace cox
