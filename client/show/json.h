// --json of cox's commands: writes any answer as one JSON document. Keys are the names of the C++
// members, enums are written by name, and times as ISO 8601 in UTC (null: not yet). Of this room,
// only json.cpp and json_reports.cpp include nlohmann-json.
#pragma once

#include <string>

#include "client/setup/config_report.h"
#include "client/setup/doctor.h"
#include "client/setup/slurm_import.h"
#include "client/show/show_checkpoints.h"
#include "common/messages/messages.h"

namespace cox {

std::string json_text(const decltype(Reply::body)& answer);
std::string json_text(const NodeView& view);
std::string json_text(const ReservationView& view);
std::string json_text(const Attempt& attempt);
std::string json_text(const SavedStep& saved);
std::string json_text(const Refusal& why);
std::string json_line(const JobEvent& event, const std::string& shown_id);  // for `cox events`

// A process of a private cluster, for `cox status --json`. The document also has the controller's
// ClusterView, or null if no controller answered, and the nodes that the system has drained.
struct DaemonLine {
  std::string name;      // "postgres", "controller", "worker n1"
  std::int64_t pid = 0;  // 0: not running
};
std::string json_text(const std::vector<DaemonLine>& processes, const ClusterView* cluster,
                      const std::vector<NodeView>& nodes);

// The result of `cox key make`.
struct MadeKey {
  std::string key_file;
  std::string public_file;
  std::string public_key;
};
std::string json_text(const MadeKey& key);

// The result of `cox snapshot`.
struct SavedSnapshot {
  std::string file;
  std::int64_t bytes = 0;
};
std::string json_text(const SavedSnapshot& saved);
std::string json_text(const std::vector<CheckpointFolder>& folders);
std::string json_text(const ConfigReport& report);
std::string json_text(const Imported& imported);
std::string json_text(const std::vector<Finding>& findings);

}  // namespace cox
