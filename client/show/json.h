// --json: any answer as one JSON document. Keys are the names of the C++ fields, states and
// the like are their names, times are ISO 8601 in UTC (null: not yet). Only json.cpp
// and json_reports.cpp (client/setup) include nlohmann-json for it.
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
std::string json_line(const JobEvent& event, const std::string& shown_id);  // of `cox events`

// What `cox status` tells of a private cluster's processes, around the ClusterView (or null).
struct ProcessLine {
  std::string name;      // "postgres", "controller", "worker n1"
  std::int64_t pid = 0;  // 0: not running
};
std::string json_text(const std::vector<ProcessLine>& processes, const ClusterView* cluster);

// What `cox key make` has made.
struct MadeKey {
  std::string key_file;
  std::string public_file;
  std::string public_key;
};
std::string json_text(const MadeKey& key);

// What `cox snapshot` has written.
struct SavedSnapshot {
  std::string file;
  std::int64_t bytes = 0;
};
std::string json_text(const SavedSnapshot& saved);
std::string json_text(const std::vector<FolderFound>& folders);
std::string json_text(const ConfigReport& report);
std::string json_text(const Imported& imported);
std::string json_text(const std::vector<Finding>& findings);

}  // namespace cox
