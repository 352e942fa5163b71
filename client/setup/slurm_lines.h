// Parses slurm.conf, gres.conf and topology.conf into lines of NAME=VALUE, and finds out which of
// these, or which output of sacctmgr, a file is. slurm_import.h interprets the lines. Pure:
// client/io/private/import.cpp reads the files.
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
  bool included = false;  // an Include line of the file before names it, so it is of the same kind
};

struct SlurmSetting {
  std::string name;  // as written; upper and lower case are the same
  std::string value;
};

struct SlurmLine {
  std::string place;  // "slurm.conf:12"
  std::vector<SlurmSetting> settings;

  // Returns the value of a setting; empty if it is missing. REQUIRES: `name` is in lower case.
  std::string value(std::string_view name) const;
};

// Parses the lines of a file: removes comments and quotation marks, joins continued lines.
Result<std::vector<SlurmLine>> slurm_lines(const SourceFile& source);

// Returns the path of an Include line, such as "/etc/slurm/nodes.conf"; nothing for other lines.
std::optional<std::string> included_file(std::string_view line);

enum class SourceKind : std::uint8_t { SlurmConf, GresConf, TopologyConf, Accounts, QosTable };

// Recognizes a file by its name, or else by its contents. Refused if it is none of these.
Result<SourceKind> kind_of(const SourceFile& source);

// Returns the lines of a text, without line ends.
std::vector<std::string_view> lines_of(std::string_view text);
std::string_view trimmed(std::string_view text);

}  // namespace cox
