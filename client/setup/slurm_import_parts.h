// The parts that slurm_import.cpp puts together: each reads lines of one kind into the draft, or
// writes a part of the result. Pure.
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

// Keys and values of a table, as they stand in the file.
using TomlKeys = std::vector<std::pair<std::string, std::string>>;

struct ImportedNode {
  std::vector<std::string> names;
  TomlKeys keys;           // what a worker like these has in [worker]
  std::string place;       // of the line
  std::int64_t gpus = 0;   // of each, to be typed by gres.conf
  std::string features{};  // with commas around each, for NodeSet
};

// The words of every note begin alike, so that people can sort them.
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
  TomlKeys worker{};  // of every node
  TomlKeys topology{};
  std::vector<TomlKeys> partitions{};
  std::vector<std::pair<std::string, TomlKeys>> domains{};  // "switch" or "block"
  std::vector<ImportedNode> nodes{};
  std::map<std::string, std::string> node_sets{};  // a NodeSet's nodes, as a hostlist
  std::vector<std::string> tiers{};                // requests of QOS, which others name
  std::vector<std::string> accounting{};           // requests, as sacctmgr takes them
  std::vector<std::string> coordinators{};         // likewise, behind all others
  std::vector<std::string> qos_named{};            // by partitions and accounts
  std::set<std::string> qos_made{};
  std::string controller_host{};
  std::string memory_per_cpu{};  // DefMemPerCPU and MaxMemPerNode of all partitions
  std::string memory_per_node_max{};
  std::string preempt_type{};
  std::string preempt_mode{};
  bool whole_nodes = false;  // SelectType=select/linear
  bool weighs = false;       // a PriorityWeight that is not 0
};

void import_setting(const std::string& place, const SlurmSetting& setting, ImportDraft& draft);
void finish_settings(ImportDraft& draft);
void import_node(const SlurmLine& line, SlurmLine& defaults, ImportDraft& draft);
void import_node_set(const SlurmLine& line, ImportDraft& draft);
void import_gres(const SlurmLine& line, ImportDraft& draft);
void import_partition(const SlurmLine& line, SlurmLine& defaults, ImportDraft& draft);
void import_topology(const SlurmLine& line, ImportDraft& draft);
// Lines of `sacctmgr dump`, or commands of sacctmgr.
Failure import_accounts(const SourceFile& source, ImportDraft& draft);
Failure import_qos_table(const SourceFile& source, ImportDraft& draft);
// Has every QOS that is named and not made be made first.
void finish_accounts(ImportDraft& draft);

// What DEFAULT said before, with what this line says instead.
SlurmLine with_defaults(const SlurmLine& line, const SlurmLine& defaults);

std::string toml_text(std::string_view text);                      // in quotes
std::string toml_list(const std::vector<std::string>& texts);      // ["a", "b"]
std::vector<std::string> list_of(std::string_view text);           // by commas, none empty
void put(TomlKeys& keys, std::string_view key, std::string text);  // in place of what it was
void name_qos(ImportDraft& draft, const std::string& name);

}  // namespace cox
