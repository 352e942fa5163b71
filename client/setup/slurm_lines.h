// Slurm's configuration files as lines of NAME=VALUE: slurm.conf, gres.conf, topology.conf; and
// which of them, or of sacctmgr's texts, a file is. What the lines mean is for slurm_import.h.
// Pure: who reads files is client/io/private/import.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"

namespace cox {

struct SourceFile {
  std::string name;
  std::string text;
  bool included = false;  // by the file before it, of whose kind it is
};

struct SlurmSetting {
  std::string name;  // as written; Slurm does not mind its case
  std::string value;
};

struct SlurmLine {
  std::string place;  // "slurm.conf:12"
  std::vector<SlurmSetting> settings;

  // Of a name in lower case; empty: it is not said.
  std::string value(std::string_view name) const;
};

// Without comments, continued lines joined, quoted values without their quotes.
Result<std::vector<SlurmLine>> slurm_lines(const SourceFile& source);

// "Include /etc/slurm/nodes.conf" of a line, or nothing.
std::optional<std::string> included_file(std::string_view line);

enum class SourceKind : std::uint8_t { SlurmConf, GresConf, TopologyConf, Accounts, QosTable };

// By its name, else by what it says; refused when it is none of them.
Result<SourceKind> kind_of(const SourceFile& source);

// The lines of a text, without their ends.
std::vector<std::string_view> lines_of(std::string_view text);
std::string_view trimmed(std::string_view text);

}  // namespace cox
