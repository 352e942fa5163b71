// The parts of slurm_import.cpp. Each function reads lines of one kind into the draft, or writes a
// part of the result. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "client/setup/slurm_lines.h"

namespace cox {

// The keys and values of a TOML table, as written in the file.
using TomlKeys = std::vector<std::pair<std::string, std::string>>;

struct ImportedNode {
  std::vector<std::string> names;
  TomlKeys keys;          // settings of the [worker] table of these nodes
  std::string place;      // of its line
  std::int64_t gpus = 0;  // GPUs of each node; their type may come later, from gres.conf
  // ",fast,big,": commas on both sides, so that a NodeSet finds whole names.
  std::string features{};
};

// Adds notes about settings that are not taken over unchanged. Notes of the same kind begin with
// the same words, so that users can sort them.
class ImportNotes {
 public:
  explicit ImportNotes(std::vector<std::string>& notes) : notes_(notes) {}
  void same(const std::string& place, const SlurmSetting& setting, std::string_view words);
  void missing(const std::string& place, const SlurmSetting& setting, std::string_view words);
  void changed(const std::string& place, const SlurmSetting& setting, std::string_view words);
  void unknown(const std::string& place, const SlurmSetting& setting,
               const std::vector<std::string_view>& known);
  void plain(const std::string& text) { notes_.push_back(text); }

 private:
  void add(const std::string& place, const SlurmSetting& setting, const std::string& words);
  std::vector<std::string>& notes_;
};

struct ImportDraft {
  std::vector<std::string> notes{};
  TomlKeys controller{};
  TomlKeys scheduling{};
  TomlKeys worker{};  // for every node
  TomlKeys topology{};
  std::vector<TomlKeys> partitions{};
  std::vector<std::pair<std::string, TomlKeys>> domains{};  // "switch" or "block"
  std::vector<ImportedNode> nodes{};
  std::map<std::string, std::string> node_sets{};  // the nodes (a hostlist) of each NodeSet
  // Requests of sacctmgr that define QOS. They come first, since other requests refer to QOS.
  std::vector<std::string> tiers{};
  std::vector<std::string> accounting{};  // the requests for accounts and users
  // Requests of sacctmgr that name coordinators. They come last.
  std::vector<std::string> coordinators{};
  std::vector<std::string> qos_named{};  // QOS that partitions and accounts name
  std::set<std::string> qos_made{};
  std::string controller_host{};
  // The cluster's DefMemPerCPU, and MaxMemPerNode in the next field. They are written to every
  // partition that does not set its own.
  std::string memory_per_cpu{};
  std::string memory_per_node_max{};
  std::string preempt_type{};
  std::string preempt_mode{};
  bool whole_nodes = false;  // SelectType=select/linear
  bool weighs = false;       // some PriorityWeight... is not 0
};

void import_setting(const std::string& place, const SlurmSetting& setting, ImportDraft& draft);
void finish_settings(ImportDraft& draft);
void import_node(const SlurmLine& line, SlurmLine& defaults, ImportDraft& draft);
void import_node_set(const SlurmLine& line, ImportDraft& draft);
void import_gres(const SlurmLine& line, ImportDraft& draft);
void import_partition(const SlurmLine& line, SlurmLine& defaults, ImportDraft& draft);
void import_topology(const SlurmLine& line, ImportDraft& draft);
// Reads lines of `sacctmgr dump`, or commands of sacctmgr.
Failure import_accounts(const SourceFile& source, ImportDraft& draft);
Failure import_qos_table(const SourceFile& source, ImportDraft& draft);
// Joins the requests in draft.accounting: QOS, accounts and users, coordinators. Each QOS that is
// named but not defined is created first.
void finish_accounts(ImportDraft& draft);

// Returns the settings of the line, completed with those of earlier DEFAULT lines.
SlurmLine with_defaults(const SlurmLine& line, const SlurmLine& defaults);

std::string toml_text(std::string_view text);                  // in quotes
std::string toml_list(const std::vector<std::string>& texts);  // ["a", "b"]
// Returns the parts of a text between commas, without empty parts.
std::vector<std::string> list_of(std::string_view text);
void put(TomlKeys& keys, std::string_view key, std::string text);  // adds or replaces
void name_qos(ImportDraft& draft, const std::string& name);

}  // namespace cox
