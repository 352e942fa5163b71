// Converts the partitions of slurm.conf and the topology of topology.conf.
#include <algorithm>
#include <array>

#include "client/setup/slurm_import_parts.h"
#include "client/setup/slurm_import_words.h"
#include "common/base/count_format.h"
#include "common/base/hostlist.h"
#include "common/base/limits.h"
#include "common/base/text.h"
#include "common/base/time_format.h"
#include "common/resources/tres.h"

namespace cox {
namespace {

struct Taking {
  const SlurmLine& line;
  const SlurmSetting& setting;
  TomlKeys& keys;
  ImportDraft& draft;
  ImportNotes notes{draft.notes};

  const std::string& value() const { return setting.value; }
  std::string lower() const { return lower_case(setting.value); }
  void missing(std::string_view words) { notes.missing(line.place, setting, words); }
  void changed(std::string_view words) { notes.changed(line.place, setting, words); }
};

void take_nodes(Taking& t) {
  if (t.lower() == "all") return;  // Nodes=ALL is the same as no setting
  std::vector<std::string> parts;
  std::string word;
  int depth = 0;
  for (const char c : t.value() + ",") {  // commas within brackets do not separate
    depth += c == '[' ? 1 : c == ']' ? -1 : 0;
    if (c != ',' || depth > 0) {
      word += c;
      continue;
    }
    const auto set = t.draft.node_sets.find(word);
    if (!word.empty()) parts.push_back(set == t.draft.node_sets.end() ? word : set->second);
    word.clear();
  }
  const std::string nodes = joined(parts, ",");
  const auto names = expand_hostlist(nodes);
  if (!names) return t.missing(names.refusal().fact);
  put(t.keys, "nodes", toml_text(nodes));
}

void take_time(Taking& t, std::string_view key) {
  if (t.lower() == "none") return;
  const auto seconds = parse_time_limit(t.value());
  if (!seconds) return t.missing(seconds.refusal().fact);
  if (*seconds > 0) put(t.keys, key, toml_text(format_time_limit(*seconds)));
}

// Takes over a number. UNLIMITED, and 0 for memory, mean no limit, so the key is left out.
void take_number(Taking& t, std::string_view key, std::int64_t most) {
  if (t.lower() == "unlimited" || t.lower() == "infinite") return;
  const auto number = parse_count(t.value(), 0, most);
  if (!number) return t.missing(number.refusal().fact);
  put(t.keys, key, std::to_string(*number));
}

void take_memory(Taking& t, std::string_view key) {
  take_number(t, key, limits::memory_mb_per_node_max);
}

void take_names(Taking& t, std::string_view key) {
  const auto names = list_of(t.value());
  if (names.empty() || t.lower() == "all") return;
  if (const auto bad = std::ranges::find_if_not(names, is_host_name); bad != names.end())
    return t.missing(quoted(*bad) + " is not a valid name: use letters, digits, '-', '_' and '.'");
  put(t.keys, key, toml_list(names));
  if (key.ends_with("_qos"))
    for (const std::string& name : names) name_qos(t.draft, name);
}

void take_groups(Taking& t) {
  take_names(t, "allow_groups");
  if (t.lower() != "all") t.changed("these groups must exist on the controller's host");
}

void take_default(Taking& t) {
  if (t.lower() == "yes" || t.lower() == "true") put(t.keys, "is_default", "true");
}

void take_oversubscribe(Taking& t) {
  if (t.lower() == "exclusive") return put(t.keys, "exclusive", "true");
  if (t.lower() != "no") t.missing("jobs can share a node, but never a CPU");
}

void take_preempt_mode(Taking& t) {
  std::string mode = t.lower().substr(0, t.lower().find(','));
  if (mode == "gang") mode = "suspend";
  if (mode == "off" || mode == "cancel" || mode == "requeue" || mode == "suspend")
    return put(t.keys, "preempt_mode", toml_text(mode));
  t.missing("the mode must be off, cancel, requeue, checkpoint or suspend");
}

void take_state(Taking& t) {
  if (t.lower() == "up") return;
  t.missing("once the controller runs: cox partition " + t.lower() + " " +
            t.line.value("partitionname"));
}

void take_qos(Taking& t) {
  if (!is_host_name(t.value())) return t.missing("it is not a valid name of a QOS");
  put(t.keys, "qos", toml_text(t.value()));
  name_qos(t.draft, t.value());
}

// Reads, for example, "CPU=1.0,Mem=0.25G,GRES/gpu=2". The weights go to [scheduling], so they apply
// to all partitions.
void take_billing(Taking& t) {
  std::vector<std::string> kept;
  for (const std::string& one : list_of(t.value())) {
    std::string weight = lower_case(one);
    const bool of_memory = weight.starts_with("mem=");
    if (of_memory && weight.ends_with('g'))
      weight.pop_back();
    else if (of_memory) {
      t.missing("memory is weighted by GiB: set billing_weights in [scheduling]");
      continue;
    }
    kept.push_back(weight);
  }
  const std::string text = joined(kept, ",");
  const auto weights = parse_billing_weights(text);
  if (!weights) return t.missing(weights.refusal().fact);
  const auto there =
      std::ranges::find(t.draft.scheduling, "billing_weights", &TomlKeys::value_type::first);
  if (there != t.draft.scheduling.end() && there->second != toml_text(text))
    return t.missing("all partitions have the same weights; those of the first are imported");
  put(t.draft.scheduling, "billing_weights", toml_text(text));
}

struct Key {
  std::string_view name;
  void (*take)(Taking& t);
};

constexpr auto taken = std::to_array<Key>({
    {"partitionname", [](Taking& t) { put(t.keys, "name", toml_text(t.value())); }},
    {"nodes", take_nodes},
    {"default", take_default},
    {"maxtime", [](Taking& t) { take_time(t, "time_limit_max"); }},
    {"defaulttime", [](Taking& t) { take_time(t, "time_limit_default"); }},
    {"minnodes", [](Taking& t) { take_number(t, "min_nodes", limits::nodes_per_job_max); }},
    {"maxnodes", [](Taking& t) { take_number(t, "max_nodes", limits::nodes_per_job_max); }},
    {"defmempercpu", [](Taking& t) { take_memory(t, "memory_mb_per_cpu_default"); }},
    {"maxmempernode", [](Taking& t) { take_memory(t, "max_memory_mb_per_node"); }},
    {"prioritytier", [](Taking& t) { take_number(t, "priority_tier", 65'533); }},
    {"priorityjobfactor", [](Taking& t) { take_number(t, "priority", 1'000'000'000); }},
    {"priority",
     [](Taking& t) {
       take_number(t, "priority", 1'000'000'000);
       take_number(t, "priority_tier", 65'533);
     }},
    {"allowaccounts", [](Taking& t) { take_names(t, "allow_accounts"); }},
    {"denyaccounts", [](Taking& t) { take_names(t, "deny_accounts"); }},
    {"allowqos", [](Taking& t) { take_names(t, "allow_qos"); }},
    {"denyqos", [](Taking& t) { take_names(t, "deny_qos"); }},
    {"allowgroups", take_groups},
    {"qos", take_qos},
    {"oversubscribe", take_oversubscribe},
    {"shared", take_oversubscribe},
    {"preemptmode", take_preempt_mode},
    {"state", take_state},
    {"tresbillingweights", take_billing},
});

void take_setting(Taking& t) {
  const auto found = std::ranges::find(taken, lower_case(t.setting.name), &Key::name);
  if (found != taken.end()) return found->take(t);
  const ImportWords* words = words_of_partition(t.setting.name);
  const std::string value = t.lower();
  const bool is_default_value =
      value == "no" || value == "0" || value == "unlimited" || value == "all";
  if (words != nullptr && (is_default_value || words->fate == ImportFate::Same))
    return t.notes.same(t.line.place, t.setting, "this is the default");
  if (words != nullptr) return t.missing(words->words);
  std::vector<std::string_view> known;
  for (const Key& one : taken) known.push_back(one.name);
  t.notes.unknown(t.line.place, t.setting, known);
}

std::string value_of(const TomlKeys& keys, std::string_view key) {
  const auto there = std::ranges::find(keys, key, &TomlKeys::value_type::first);
  return there == keys.end() ? "" : there->second;
}

bool has_key(const TomlKeys& keys, std::string_view key) {
  return !value_of(keys, key).empty();
}

// Cuts a default time limit that is longer than the maximum, as Slurm does.
void cut_default_time(const SlurmLine& line, TomlKeys& keys, ImportDraft& draft) {
  const auto seconds_of = [&](std::string_view key) {
    const std::string text = value_of(keys, key);
    return text.empty() ? 0 : parse_time_limit(text.substr(1, text.size() - 2)).value();
  };
  const std::int64_t most = seconds_of("time_limit_max");
  if (most == 0 || seconds_of("time_limit_default") <= most) return;
  put(keys, "time_limit_default", value_of(keys, "time_limit_max"));
  ImportNotes(draft.notes)
      .changed(line.place, {"DefaultTime", line.value("defaulttime")},
               "reduced to MaxTime, " + line.value("maxtime"));
}

}  // namespace

void import_partition(const SlurmLine& line, SlurmLine& defaults, ImportDraft& draft) {
  SlurmLine whole = with_defaults(line, defaults);
  const std::string name = line.value("partitionname");
  if (lower_case(name) == "default") {
    defaults = std::move(whole);
    return;
  }
  if (!is_host_name(name))
    return ImportNotes(draft.notes)
        .missing(line.place, {"PartitionName", name},
                 "it is not a valid name: use letters, digits, '-', '_' and '.'");
  TomlKeys keys;
  for (const SlurmSetting& setting : whole.settings) {
    Taking t{whole, setting, keys, draft};
    take_setting(t);
  }
  if (!draft.memory_per_cpu.empty() && !has_key(keys, "memory_mb_per_cpu_default"))
    put(keys, "memory_mb_per_cpu_default", draft.memory_per_cpu);
  if (!draft.memory_per_node_max.empty() && !has_key(keys, "max_memory_mb_per_node"))
    put(keys, "max_memory_mb_per_node", draft.memory_per_node_max);
  if (draft.whole_nodes) put(keys, "exclusive", "true");
  cut_default_time(whole, keys, draft);
  draft.partitions.push_back(std::move(keys));
}

void import_topology(const SlurmLine& line, ImportDraft& draft) {
  ImportNotes notes(draft.notes);
  TomlKeys keys;
  std::string kind;
  for (const SlurmSetting& setting : line.settings) {
    const std::string name = lower_case(setting.name);
    if (name == "switchname" || name == "blockname") {
      kind = name == "switchname" ? "switch" : "block";
      put(keys, "name", toml_text(setting.value));
    } else if (name == "switches" || name == "nodes") {
      put(keys, name, toml_text(setting.value));
    } else if (name == "blocksizes") {
      put(draft.topology, "block_sizes", toml_text(setting.value));
    } else if (name == "linkspeed") {
      notes.missing(line.place, setting, "the speed of links is not considered");
    } else {
      notes.unknown(line.place, setting, {"switchname", "blockname", "switches", "nodes"});
    }
  }
  if (!kind.empty()) draft.domains.emplace_back(kind, std::move(keys));
}

}  // namespace cox
