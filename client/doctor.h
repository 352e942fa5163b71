// `cox doctor`: what was found out about this host and its cluster, judged. Facts in, findings out;
// each finding is one line with what to do. Pure; client/io/doctor.cpp gathers the facts.
//
// A problem is what keeps jobs from running or will do so; a warning is what somebody should know
// about, or what this user may not look at.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "client/config_report.h"
#include "client/ping.h"
#include "client/screen.h"
#include "common/messages.h"

namespace cox {

// So on every node, whatever its cgroups could do; `cox up` says it too.
inline constexpr const char* counted_not_enforced =
    "CPUs and memory are counted, not enforced: a job may use more than it asked for";

// What `cox-controller --check-database` found, which alone knows PostgreSQL.
struct DatabaseFacts {
  std::string error;                // why it cannot be reached; empty: it can
  std::string server_version;       // "15.8"
  std::int64_t schema_version = 0;  // 0: nothing was ever applied
  std::int64_t schema_known = 0;    // up to which this controller's program knows
  bool writable = false;
  std::int64_t clock_offset_ms = 0;  // its clock less this host's
  std::int64_t clock_bound_ms = 0;   // how far off that may be
};

struct KeyFacts {
  std::string what;  // "[worker] key_file"
  std::string path;
  Failure trouble;         // it cannot be used, and why
  bool is_closed = false;  // the trouble is that this user may not read it
  std::string public_key;
  std::string must_equal;   // a key elsewhere that has to be the same; empty: none is known
  std::string equal_where;  // "controller_key in [worker]"
};

struct FolderFacts {
  std::string path;
  std::string cluster_name;
  bool is_there = false;
  bool is_writable = false;
  bool by_controller = false;         // this host's controller marks it
  std::optional<std::string> marker;  // the cluster named in its marker file
};

struct CgroupFacts {
  bool has_version_2 = false;
  bool can_make = false;  // below this process
  std::vector<std::string> controllers;
};

struct ListenFacts {
  std::string endpoint;
  bool is_held = false;           // somebody listens there
  std::uint32_t socket_mode = 0;  // of an ipc endpoint that is there
};

struct ControllerFacts {
  std::string endpoint;
  Failure trouble;         // it does not answer, or refuses
  bool answers = false;    // though it be to refuse
  std::vector<Ping> each;  // where several are named
  std::int64_t answer_ms = 0;
  std::int64_t clock_offset_ms = 0;  // its clock less this host's
  ClusterView view;
  std::vector<NodeView> nodes;
};

struct HostFacts {
  ConfigReport config;
  std::optional<DatabaseFacts> database;  // with a [controller]
  Failure database_unchecked;             // its program could not be asked
  std::vector<KeyFacts> keys;
  std::vector<FolderFacts> folders;
  std::optional<CgroupFacts> cgroups;  // with a [worker]
  std::vector<ListenFacts> listening;  // with a [controller]
  std::optional<ControllerFacts> controller;
};

enum class Health : std::uint8_t { Ok, Warning, Problem };
std::string_view name(Health health);  // "ok", "warning", "problem"

struct Finding {
  Health health = Health::Ok;
  std::string check;  // "database"
  std::string fact;
  std::string hint;  // what to do; empty when all is well
};

std::vector<Finding> findings_of(const HostFacts& facts);

// One line a finding, "-> what to do" at its end. Exit code 1 when there is a problem.
Shown show_findings(const std::vector<Finding>& findings, const Screen& screen);

}  // namespace cox
