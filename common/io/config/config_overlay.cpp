#include "common/io/config/config_overlay.h"

#include <algorithm>
#include <sstream>
#include <string_view>

#include "common/base/check.h"
#include "common/base/hostlist.h"
#include "common/io/config/config_reader.h"

namespace cox {
namespace {

// The keys that stay as `cox up` wrote them: by them the programs of a private cluster find each
// other and their files.
constexpr std::string_view keys_kept[] = {
    "cluster_name",    "database",     "listen_local", "listen_tcp",        "key_dir",
    "checkpoint_root", "node_name",    "address",      "controller",        "controller_key",
    "key_file",        "log_endpoint", "spool_dir",    "supervisor_program"};

bool is_kept(std::string_view key) {
  return std::ranges::find(keys_kept, key) != std::end(keys_kept);
}

// Puts a key of the overlay into a table. The value is moved, not copied, so that it keeps its line
// in the overlay for refusals.
void put(toml::table& table, const toml::key& key, toml::node& value) {
  value.visit([&](auto& concrete) { table.insert_or_assign(key, std::move(concrete)); });
}

void lay_over(toml::table& table, toml::table& over) {
  for (auto&& [key, value] : over)
    if (!is_kept(key.str())) put(table, key, value);
}

Refusal at_line(const ConfigOverlay& overlay, std::int64_t line, const std::string& fact,
                const std::string& hint = "") {
  Problems problems(overlay.path);
  problems.add(line, fact, hint);
  return problems.in_file_order().front();
}

toml::table parse_written(const std::string& written) {
  toml::parse_result parsed = toml::parse(written);
  CHECK(parsed);
  return std::move(parsed).table();
}

// Checks the tables as a coxswain.toml and returns them as text. The text begins with the first
// line of `written`, a comment that names the writer.
Result<std::string> checked(const std::string& written, const toml::table& root,
                            const std::string& path) {
  const ConfigCheck check = check_config(root, path);
  if (!check.problems.empty()) return check.problems.front();
  // Writes texts in double quotes, as the file of `cox up` has them, because scripts search for
  // such lines.
  constexpr auto flags =
      toml::toml_formatter::default_flags & ~toml::format_flags::allow_literal_strings;
  std::ostringstream out;
  out << written.substr(0, written.find('\n') + 1) << toml::toml_formatter(root, flags) << "\n";
  return out.str();
}

// Returns whether the hostlist of a [[node]] table contains the node.
Result<bool> names(const toml::table& entry, const std::string& node,
                   const ConfigOverlay& overlay) {
  const toml::node* list = entry.get("nodes");
  if (list == nullptr || !list->is_string())
    return at_line(overlay, line_of(entry), "[[node]] names no nodes",
                   "write it like nodes = \"n[1-2]\"");
  const auto nodes = expand_hostlist(list->as_string()->get());
  if (nodes) return std::ranges::find(*nodes, node) != nodes->end();
  return at_line(overlay, line_of(*list),
                 "[[node]] nodes is not a node list: " + nodes.refusal().fact);
}

Failure lay_nodes_over(toml::table& worker, toml::node& entries, const std::string& node,
                       const ConfigOverlay& overlay) {
  if (!entries.is_array_of_tables())
    return at_line(overlay, line_of(entries), "node must be written as [[node]]");
  for (toml::node& each : *entries.as_array()) {
    toml::table& entry = *each.as_table();
    const auto applies = names(entry, node, overlay);
    if (!applies) return applies.refusal();
    entry.erase("nodes");
    if (*applies) lay_over(worker, entry);
  }
  return {};
}

}  // namespace

Result<std::string> lay_over_controller(const std::string& written, const ConfigOverlay& overlay) {
  if (overlay.text.empty()) return written;
  auto over = parse_toml(overlay.text, overlay.path);
  if (!over) return over.refusal();
  toml::table root = parse_written(written);
  for (auto&& [key, value] : *over) {
    if (key == "worker" || key == "node" || key == "client") continue;
    if (key == "controller" && value.is_table()) {
      lay_over(*root["controller"].as_table(), *value.as_table());
    } else {
      put(root, key, value);
    }
  }
  return checked(written, root, overlay.path);
}

Result<std::string> lay_over_worker(const std::string& written, const ConfigOverlay& overlay,
                                    const std::string& node) {
  if (overlay.text.empty()) return written;
  auto over = parse_toml(overlay.text, overlay.path);
  if (!over) return over.refusal();
  toml::table root = parse_written(written);
  toml::table& worker = *root["worker"].as_table();
  if (toml::node* table = over->get("worker")) {
    if (!table->is_table())
      return at_line(overlay, line_of(*table), "worker must be written as [worker]");
    lay_over(worker, *table->as_table());
  }
  if (toml::node* entries = over->get("node"))
    if (auto why = lay_nodes_over(worker, *entries, node, overlay)) return *why;
  return checked(written, root, overlay.path);
}

std::vector<std::string> nodes_named(const ConfigOverlay& overlay) {
  std::vector<std::string> named;
  const auto over = parse_toml(overlay.text, overlay.path);
  const toml::array* entries = over ? (*over)["node"].as_array() : nullptr;
  if (entries == nullptr) return named;
  for (const toml::node& each : *entries) {
    const toml::table* entry = each.as_table();
    const auto list = entry == nullptr ? std::nullopt : (*entry)["nodes"].value<std::string>();
    const auto nodes = list ? expand_hostlist(*list) : std::vector<std::string>{};
    if (nodes) named.insert(named.end(), nodes->begin(), nodes->end());
  }
  return named;
}

}  // namespace cox
