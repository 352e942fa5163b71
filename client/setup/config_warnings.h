// The warnings of `cox config check`: settings with which the programs start, but that are probably
// mistakes. Pure; client/io/private/config_check.cpp collects the facts.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "client/setup/config_report.h"
#include "common/cluster/config.h"

namespace cox {

// A program that the settings name and that this host cannot run.
struct MissingProgram {
  std::string table;  // "[controller]"
  std::string key;    // "mail_program"
  std::string path;
  std::string why;  // "No such file or directory"
};

// What the running cluster has.
struct ClusterNames {
  std::set<std::string> qos;
  std::set<std::string> nodes;  // nodes that have registered
  std::set<std::string> partitions{};
};

struct ConfigSurroundings {
  std::vector<MissingProgram> programs;
  std::vector<std::string> missing_groups;  // groups of allow_groups that this host lacks
  // Empty: no controller of this cluster answers, so QOS and nodes are not compared.
  std::optional<ClusterNames> cluster;
};

// Returns the warnings. `config`: the settings of the file that the report shows; the warnings
// about partitions, QOS and nodes need its [controller]. REQUIRES: the report has no problems.
std::vector<Refusal> config_warnings(const ConfigReport& report, const ControllerConfig& config,
                                     const ConfigSurroundings& surroundings);

}  // namespace cox
