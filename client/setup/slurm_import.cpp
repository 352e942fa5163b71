#include "client/setup/slurm_import.h"

#include <algorithm>

#include "client/setup/slurm_import_parts.h"
#include "common/base/hostlist.h"
#include "common/base/limits.h"
#include "common/base/nearest.h"
#include "common/base/text.h"

namespace cox {
namespace {

const std::string no_key(40, '0');  // placeholder that the user replaces; no program has this key

// Returns an empty line, the heading of the TOML table, and its keys with their values.
std::string table_text(const std::string& table, const TomlKeys& keys) {
  std::string text = "\n" + table + "\n";
  for (const auto& [key, value] : keys) text += key + " = " + value + "\n";
  return text;
}

std::string main_file(const ImportDraft& draft) {
  TomlKeys controller = draft.controller;
  put(controller, "database", "\"dbname=coxswain\"");
  put(controller, "listen_local", "\"ipc:///run/coxswain/controller.socket\"");
  put(controller, "listen_tcp", "\"tcp://*:6820\"");
  put(controller, "key_dir", "\"/etc/coxswain/keys\"");
  put(controller, "checkpoint_root", "\"/shared/coxswain/checkpoints\"");
  std::string text =
      "# Written by `cox import` from Slurm's files, for the controller's host. Check the "
      "database, the\n"
      "# keys, and checkpoint_root, which must be a folder that all nodes share.\n";
  text += table_text("[controller]", controller);
  text += table_text("[client]", {{"controller", "\"ipc:///run/coxswain/controller.socket\""}});
  if (!draft.scheduling.empty()) text += table_text("[scheduling]", draft.scheduling);
  for (const TomlKeys& partition : draft.partitions) text += table_text("[[partition]]", partition);
  if (!draft.topology.empty()) text += table_text("[topology]", draft.topology);
  for (const auto& [kind, keys] : draft.domains) text += table_text("[[" + kind + "]]", keys);
  return text;
}

// Merges the entries of nodes whose [worker] settings are the same, in the order of the first node
// of each kind.
std::vector<ImportedNode> kinds_of(const std::vector<ImportedNode>& nodes) {
  std::vector<ImportedNode> kinds;
  for (const ImportedNode& node : nodes) {
    const auto same = std::ranges::find(kinds, node.keys, &ImportedNode::keys);
    if (same == kinds.end())
      kinds.push_back(node);
    else
      same->names.insert(same->names.end(), node.names.begin(), node.names.end());
  }
  return kinds;
}

SourceFile worker_file(const ImportedNode& kind, const ImportDraft& draft) {
  std::vector<std::string> names = kind.names;
  sort_hostnames(names);
  const std::string host = draft.controller_host.empty() ? "localhost" : draft.controller_host;
  TomlKeys keys{{"controller", toml_text("tcp://" + host + ":6820")},
                {"controller_key", toml_text(no_key)},
                {"key_file", "\"/etc/coxswain/keys/worker.key\""},
                {"key_dir", "\"/etc/coxswain/keys\""},
                {"spool_dir", "\"/var/spool/coxswain\""},
                {"checkpoint_root", "\"/shared/coxswain/checkpoints\""}};
  for (const auto& [key, value] : draft.controller)
    if (key == "cluster_name" || key == "kill_wait") keys.emplace_back(key, value);
  keys.insert(keys.end(), draft.worker.begin(), draft.worker.end());
  keys.insert(keys.end(), kind.keys.begin(), kind.keys.end());
  std::string text = "# Written by `cox import` for " + compress_hostlist(names) +
                     ".\n"
                     "# Set controller_key in both tables to the key in the controller's "
                     "controller.pub, and key_file\n"
                     "# to the key of this node.\n";
  text += table_text("[worker]", keys);
  text += table_text("[client]", {{"controller", toml_text("tcp://" + host + ":6820")},
                                  {"controller_key", toml_text(no_key)},
                                  {"key_file", "\"/etc/coxswain/keys/client.key\""}});
  return {"worker-" + names.front() + ".toml", text};
}

// Returns an SQL script that passes the requests to cox.sacctmgr. Each CALL has as many requests as
// cox.sacctmgr accepts, because a CALL takes half a second, however long it is.
std::string sql_text(const std::vector<std::string>& requests) {
  std::string text =
      "-- Written by `cox import`. Once the controller runs: psql -d coxswain -f accounts.sql\n"
      "-- All lines of a CALL take effect, or none does.\n";
  std::size_t lines = 0, bytes = 0;  // size of the current CALL
  for (const std::string& request : requests) {
    if (lines == limits::accounting_lines_max ||
        bytes + request.size() + 1 >= limits::accounting_text_characters_max) {
      text += "');\n";
      lines = bytes = 0;
    }
    if (lines == 0) text += "CALL cox.sacctmgr('\n";
    for (const char c : request) text += c == '\'' ? "''" : std::string(1, c);
    lines += 1;
    bytes += request.size() + 1;
    text += "\n";
  }
  if (lines > 0) text += "');\n";
  return text;
}

struct ReadLine {
  SourceKind kind;
  SlurmLine line;
};

bool begins(const ReadLine& read, std::string_view name) {
  return lower_case(read.line.settings.front().name) == name;
}

// Returns whether the settings of the line apply to the whole cluster.
bool is_of_cluster(const ReadLine& read) {
  if (read.kind != SourceKind::SlurmConf) return false;
  for (const std::string_view name : {"nodename", "partitionname", "nodeset", "downnodes",
                                      "frontendname", "include", "switchname", "blockname"})
    if (begins(read, name)) return false;
  return true;
}

void import_lines(const std::vector<ReadLine>& lines, ImportDraft& draft) {
  SlurmLine node_defaults;
  SlurmLine partition_defaults;
  ImportNotes notes(draft.notes);
  for (const ReadLine& read : lines) {
    if (is_of_cluster(read))
      for (const SlurmSetting& setting : read.line.settings)
        import_setting(read.line.place, setting, draft);
    if (read.kind == SourceKind::SlurmConf && begins(read, "nodename"))
      import_node(read.line, node_defaults, draft);
    if (read.kind == SourceKind::SlurmConf && begins(read, "downnodes"))
      notes.missing(read.line.place, read.line.settings.front(),
                    "run cox drain NODE --reason TEXT once the node has registered");
    if (read.kind == SourceKind::SlurmConf && begins(read, "frontendname"))
      notes.missing(read.line.place, read.line.settings.front(), "a worker runs on each node");
  }
  for (const ReadLine& read : lines)
    if (read.kind == SourceKind::SlurmConf && begins(read, "nodeset"))
      import_node_set(read.line, draft);
  for (const ReadLine& read : lines)
    if (read.kind == SourceKind::GresConf) import_gres(read.line, draft);
  // After all nodes and settings of the cluster, on which partitions depend.
  for (const ReadLine& read : lines) {
    if (read.kind == SourceKind::SlurmConf && begins(read, "partitionname"))
      import_partition(read.line, partition_defaults, draft);
    if (read.kind == SourceKind::TopologyConf ||
        (read.kind == SourceKind::SlurmConf &&
         (begins(read, "switchname") || begins(read, "blockname"))))
      import_topology(read.line, draft);
  }
}

// Returns the lines of all of Slurm's configuration files. Output of sacctmgr is left out:
// import_accounts() and import_qos_table() read it.
Result<std::vector<ReadLine>> lines_of_all(const std::vector<SourceFile>& sources,
                                           const std::vector<SourceKind>& kinds) {
  std::vector<ReadLine> all;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (kinds[i] == SourceKind::Accounts || kinds[i] == SourceKind::QosTable) continue;
    auto lines = slurm_lines(sources[i]);
    if (!lines) return lines.refusal();
    for (SlurmLine& line : *lines) all.push_back({kinds[i], std::move(line)});
  }
  return all;
}

void finish(const ImportDraft& draft, Imported& imported) {
  if (!draft.nodes.empty() || !draft.partitions.empty() || !draft.domains.empty())
    imported.files.push_back({"coxswain.toml", main_file(draft)});
  for (const ImportedNode& kind : kinds_of(draft.nodes))
    imported.files.push_back(worker_file(kind, draft));
  if (!draft.accounting.empty())
    imported.files.push_back({"accounts.sql", sql_text(draft.accounting)});
}

}  // namespace

void ImportNotes::add(const std::string& place, const SlurmSetting& setting,
                      const std::string& words) {
  const std::string said = setting.name + (setting.value.empty() ? "" : "=" + setting.value);
  notes_.push_back(printable(place) + ": " + printable(cut_text(said, 80)) + ": " + words);
}

void ImportNotes::same(const std::string& place, const SlurmSetting& setting,
                       std::string_view words) {
  add(place, setting, "the same in Coxswain: " + std::string(words));
}

void ImportNotes::missing(const std::string& place, const SlurmSetting& setting,
                          std::string_view words) {
  add(place, setting, "not imported: " + std::string(words));
}

void ImportNotes::changed(const std::string& place, const SlurmSetting& setting,
                          std::string_view words) {
  add(place, setting, "changed: " + std::string(words));
}

void ImportNotes::unknown(const std::string& place, const SlurmSetting& setting,
                          const std::vector<std::string_view>& known) {
  const std::string meant = did_you_mean(lower_case(setting.name), known);
  missing(place, setting, "unknown setting" + (meant.empty() ? "" : "; " + meant));
}

SlurmLine with_defaults(const SlurmLine& line, const SlurmLine& defaults) {
  SlurmLine whole{line.place, {}};
  for (const SlurmSetting& setting : defaults.settings)
    if (setting.value != "DEFAULT" && line.value(lower_case(setting.name)).empty())
      whole.settings.push_back(setting);
  whole.settings.insert(whole.settings.end(), line.settings.begin(), line.settings.end());
  return whole;
}

std::string toml_text(std::string_view text) {
  std::string quoted_text = "\"";
  for (const char c : printable(text)) {
    if (c == '"' || c == '\\') quoted_text += '\\';
    quoted_text += c;
  }
  return quoted_text + "\"";
}

std::string toml_list(const std::vector<std::string>& texts) {
  std::string list;
  for (const std::string& text : texts) list += (list.empty() ? "" : ", ") + toml_text(text);
  return "[" + list + "]";
}

std::vector<std::string> list_of(std::string_view text) {
  std::vector<std::string> parts;
  for (const std::string_view part : split(text, ','))
    if (!trimmed(part).empty()) parts.emplace_back(trimmed(part));
  return parts;
}

void put(TomlKeys& keys, std::string_view key, std::string text) {
  const auto there = std::ranges::find(keys, key, &TomlKeys::value_type::first);
  if (there != keys.end())
    there->second = std::move(text);
  else
    keys.emplace_back(key, std::move(text));
}

void name_qos(ImportDraft& draft, const std::string& name) {
  if (std::ranges::find(draft.qos_named, name) == draft.qos_named.end())
    draft.qos_named.push_back(name);
}

Result<Imported> import_slurm(const std::vector<SourceFile>& sources) {
  std::vector<SourceKind> kinds;
  for (const SourceFile& source : sources) {
    if (!is_utf8(source.text) || source.text.find('\0') != source.text.npos)
      return Refusal{quoted(source.name) + " is not a text file", "pass Slurm's files unchanged"};
    const auto kind = source.included && !kinds.empty() ? kinds.back() : kind_of(source);
    if (!kind) return kind.refusal();
    kinds.push_back(*kind);
  }
  ImportDraft draft;
  const auto lines = lines_of_all(sources, kinds);
  if (!lines) return lines.refusal();
  import_lines(*lines, draft);
  if (std::ranges::find(kinds, SourceKind::SlurmConf) != kinds.end()) finish_settings(draft);
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (kinds[i] == SourceKind::QosTable)
      if (Failure failure = import_qos_table(sources[i], draft)) return *failure;
  }
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (kinds[i] == SourceKind::Accounts)
      if (Failure failure = import_accounts(sources[i], draft)) return *failure;
  }
  finish_accounts(draft);
  Imported imported;
  finish(draft, imported);
  imported.notes = std::move(draft.notes);
  return imported;
}

std::string in_one_text(const std::vector<SourceFile>& files) {
  std::string text = files.front().text;
  for (std::size_t i = 1; i < files.size(); ++i) {
    text += "\n# ---- " + files[i].name + "\n";
    for (const std::string_view line : lines_of(files[i].text))
      text += line.empty() ? "#\n" : "# " + std::string(line) + "\n";
  }
  return text;
}

}  // namespace cox
