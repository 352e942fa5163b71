// Shows a draft of `cox import` as text, for tests of the import of Slurm's files.
#pragma once

#include <string>

#include "client/setup/slurm_import_parts.h"

namespace cox {

// Returns the keys of a TOML table as text: "key = value, key = value".
inline std::string keys_of(const TomlKeys& keys) {
  std::string text;
  for (const auto& [key, value] : keys) text += (text.empty() ? "" : ", ") + key + " = " + value;
  return text;
}

// Returns all that `cox import` writes for this draft as text, except the draft's notes.
inline std::string draft_text(const ImportDraft& draft) {
  std::string text = keys_of(draft.controller);
  const auto add = [&text](const std::string& name, const std::string& value) {
    if (!value.empty()) text += (text.empty() ? "" : "; ") + name + value;
  };
  add("scheduling: ", keys_of(draft.scheduling));
  add("topology: ", keys_of(draft.topology));
  for (const TomlKeys& keys : draft.partitions) add("partition: ", keys_of(keys));
  for (const auto& [kind, keys] : draft.domains) add(kind + ": ", keys_of(keys));
  for (const ImportedNode& node : draft.nodes)
    add("node " + node.names.front() + ": ",
        keys_of(node.keys) + " (" + std::to_string(node.gpus) + " GPUs)");
  for (const auto& [name, nodes] : draft.node_sets) add("set " + name + ": ", nodes);
  for (const std::string& name : draft.qos_named) add("names QOS ", name);
  add("host ", draft.controller_host);
  add("memory of a CPU ", draft.memory_per_cpu);
  add("most memory ", draft.memory_per_node_max);
  add("preempt type ", draft.preempt_type);
  add("preempt mode ", draft.preempt_mode);
  add("whole nodes", draft.whole_nodes ? "!" : "");
  add("weighs", draft.weighs ? "!" : "");
  return text;
}

inline std::string with_notes(const ImportDraft& draft) {
  std::string text = draft_text(draft) + "\n";
  for (const std::string& note : draft.notes) text += "  " + note + "\n";
  return text;
}

}  // namespace cox
