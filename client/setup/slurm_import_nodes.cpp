// Converts the nodes of slurm.conf and gres.conf. Each worker reports its own resources, so
// identical nodes become one file with a [worker] table.
#include <algorithm>
#include <map>

#include "client/setup/slurm_import_parts.h"
#include "client/setup/slurm_import_words.h"
#include "common/base/count_format.h"
#include "common/base/hostlist.h"
#include "common/base/limits.h"
#include "common/base/text.h"
#include "common/resources/gres.h"

namespace cox {
namespace {

constexpr std::int64_t cpus_max = 65'536;  // the limit of `cpus` in [worker]

class NodeReading {
 public:
  NodeReading(const SlurmLine& line, ImportDraft& draft)
      : line_(line), draft_(draft), notes_(draft.notes) {}

  void read();

 private:
  std::int64_t number(std::string_view name, std::int64_t otherwise);
  std::string said(std::string_view name, std::string_view older) const {
    return line_.value(name).empty() ? line_.value(older) : line_.value(name);
  }
  SlurmSetting setting(std::string_view name) const { return {std::string(name), said(name, "")}; }
  std::int64_t threads();
  void read_size(TomlKeys& keys);
  void read_gres(ImportedNode& node);
  void read_state(const std::string& nodes);
  void report_the_rest();

  const SlurmLine& line_;
  ImportDraft& draft_;
  ImportNotes notes_;
};

std::int64_t NodeReading::number(std::string_view name, std::int64_t otherwise) {
  const std::string text = line_.value(name);
  if (text.empty()) return otherwise;
  const auto number = parse_count(text, 0, limits::memory_mb_per_node_max);
  if (number) return *number;
  notes_.missing(line_.place, {std::string(name), text}, number.refusal().fact);
  return otherwise;
}

std::int64_t NodeReading::threads() {
  return std::max<std::int64_t>(number("threadspercore", 1), 1);
}

void NodeReading::read_size(TomlKeys& keys) {
  const std::int64_t boards = std::max<std::int64_t>(number("boards", 1), 1);
  const std::int64_t of_board = number("socketsperboard", 0);
  const std::int64_t sockets = of_board > 0 ? of_board * boards : number("sockets", 0);
  const std::int64_t cores = number("corespersocket", 1);
  std::int64_t cpus = number("cpus", number("procs", 0));
  if (cpus == 0) cpus = sockets * cores * threads();
  cpus -= number("corespeccount", 0) * threads();
  if (!line_.value("cpuspeclist").empty())
    notes_.missing(line_.place, {"CpuSpecList", line_.value("cpuspeclist")},
                   "reduce `cpus` of [worker] by as many");
  if (cpus > 0) put(keys, "cpus", std::to_string(std::min(cpus, cpus_max)));
  const std::int64_t memory = number("realmemory", 0) - number("memspeclimit", 0);
  if (memory > 0) put(keys, "memory_mb", std::to_string(memory));
  const std::string weight = line_.value("weight");
  if (!weight.empty()) put(keys, "weight", std::to_string(number("weight", 1)));
}

// Reads, for example, "gpu:h100:4(S:0-1)" or "bandwidth:lustre:no_consume:4G".
void NodeReading::read_gres(ImportedNode& node) {
  std::vector<std::string> kept;
  std::string text = line_.value("gres");
  for (std::size_t at = text.find('('); at != text.npos; at = text.find('('))
    text.erase(at, std::min(text.find(')', at), text.size() - 1) - at + 1);
  for (const std::string& one : list_of(text)) {
    const SlurmSetting said{"Gres", one};
    const auto wish = parse_gres(one);
    if (one.find("no_consume") != one.npos) {
      notes_.missing(line_.place, said,
                     "make it a feature of the node, which jobs ask for with --constraint");
    } else if (one.starts_with("mps:")) {
      notes_.missing(line_.place, said, "jobs share a GPU with --gres=gpu:0.25 or --gres=shard:1");
    } else if (one.starts_with("shard:")) {
      notes_.changed(line_.place, said, "shards_per_gpu of [scheduling] applies to every GPU");
    } else if (!wish) {
      notes_.missing(line_.place, said, wish.refusal().fact);
    } else {
      kept.push_back(one);
      node.gpus += wish->gpus.count;
    }
  }
  if (!kept.empty()) put(node.keys, "gres", toml_list(kept));
}

void NodeReading::read_state(const std::string& nodes) {
  const std::string state = lower_case(line_.value("state"));
  if (state.empty() || state == "unknown" || state == "idle") return;
  const SlurmSetting said{"State", line_.value("state")};
  if (state == "cloud" || state == "future")
    return notes_.missing(line_.place, said, "a node exists once its worker has registered");
  const std::string reason = line_.value("reason");
  notes_.missing(line_.place, said,
                 "once the node has registered: cox drain " + nodes + " --reason \"" +
                     (reason.empty() ? "as in slurm.conf" : printable(reason)) + "\"");
}

void NodeReading::report_the_rest() {
  static const std::vector<std::string_view> read{
      "nodename",    "cpus",    "procs",      "boards",         "sockets",       "socketsperboard",
      "features",    "feature", "realmemory", "corespersocket", "corespeccount", "threadspercore",
      "cpuspeclist", "gres",    "weight",     "memspeclimit",   "state"};
  for (const SlurmSetting& setting : line_.settings) {
    if (std::ranges::find(read, lower_case(setting.name)) != read.end()) continue;
    if (const ImportWords* words = words_of_node(setting.name))
      notes_.missing(line_.place, setting, words->words);
    else
      notes_.unknown(line_.place, setting, read);
  }
}

void NodeReading::read() {
  const std::string nodes = line_.value("nodename");
  const auto names = expand_hostlist(nodes);
  if (!names) return notes_.missing(line_.place, {"NodeName", nodes}, names.refusal().fact);
  ImportedNode node{*names, {}, line_.place};
  read_size(node.keys);
  const auto features = list_of(said("features", "feature"));
  if (!features.empty()) put(node.keys, "features", toml_list(features));
  node.features = "," + joined(features, ",") + ",";
  read_gres(node);
  read_state(nodes);
  report_the_rest();
  draft_.nodes.push_back(std::move(node));
}

bool has_untyped_gpus(const ImportedNode& node) {
  const auto gres = std::ranges::find(node.keys, "gres", &TomlKeys::value_type::first);
  if (gres == node.keys.end()) return false;
  return gres->second.starts_with("[\"gpu:" + std::to_string(node.gpus) + "\"");
}

// Adds the type from gres.conf to GPUs that have none in slurm.conf.
void give_type(const SlurmLine& line, const std::vector<std::string>& names, ImportDraft& draft) {
  const std::string type = line.value("type");
  const auto is_named = [&](const std::string& name) {
    return names.empty() || std::ranges::find(names, name) != names.end();
  };
  for (ImportedNode& node : draft.nodes) {
    if (type.empty() || !has_untyped_gpus(node)) continue;
    if (!std::ranges::all_of(node.names, is_named)) continue;
    const std::string count = std::to_string(node.gpus);
    auto& gres = std::ranges::find(node.keys, "gres", &TomlKeys::value_type::first)->second;
    gres.replace(2, std::string("gpu:" + count).size(), "gpu:" + type + ":" + count);
  }
}

}  // namespace

void import_node(const SlurmLine& line, SlurmLine& defaults, ImportDraft& draft) {
  SlurmLine whole = with_defaults(line, defaults);
  if (lower_case(line.value("nodename")) == "default") {
    defaults = std::move(whole);
    return;
  }
  NodeReading(whole, draft).read();
}

void import_node_set(const SlurmLine& line, ImportDraft& draft) {
  std::vector<std::string> parts = list_of("");
  if (!line.value("nodes").empty()) parts.push_back(line.value("nodes"));
  const std::string feature = line.value("feature");
  for (const ImportedNode& node : draft.nodes)
    if (!feature.empty() && node.features.find("," + feature + ",") != std::string::npos)
      parts.push_back(compress_hostlist(node.names));
  draft.node_sets[line.value("nodeset")] = joined(parts, ",");
}

void import_gres(const SlurmLine& line, ImportDraft& draft) {
  ImportNotes notes(draft.notes);
  std::vector<std::string> names;
  if (const std::string nodes = line.value("nodename"); !nodes.empty()) {
    auto expanded = expand_hostlist(nodes);
    if (!expanded) return notes.missing(line.place, {"NodeName", nodes}, expanded.refusal().fact);
    names = std::move(*expanded);
  }
  for (const SlurmSetting& setting : line.settings) {
    const std::string name = lower_case(setting.name);
    if (name == "nodename" || name == "name" || name == "count") continue;
    if (name == "type") {
      if (lower_case(line.value("name")) == "gpu") give_type(line, names, draft);
    } else if (name == "autodetect") {
      notes.same(line.place, setting, "the worker learns from nvidia-smi which GPUs are linked");
    } else if (name == "links") {
      notes.same(line.place, setting,
                 "the worker reads them from nvidia-smi; without it, set gpu_links of [worker]");
    } else if (name == "file" || name == "multiplefiles") {
      notes.same(line.place, setting, "GPUs are numbered from 0, as in CUDA_VISIBLE_DEVICES");
    } else if (name == "cores" || name == "cpus") {
      notes.missing(line.place, setting, "which CPUs are close to a GPU is not considered");
    } else if (name == "flags") {
      notes.missing(line.place, setting, "a GRES has no flags");
    } else {
      notes.unknown(line.place, setting, {"nodename", "name", "type", "count", "file", "cores"});
    }
  }
}

}  // namespace cox
