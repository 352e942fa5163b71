// The facts of `cox doctor` about a host and its cluster. client/io collects them,
// client/setup/doctor.h turns them into findings.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "client/setup/config_report.h"
#include "client/setup/ping.h"
#include "common/messages/messages.h"

namespace cox {

// A session of PostgreSQL with a lock that keeps the controller from writing.
struct LockHolder {
  std::int64_t pid = 0;
  std::string user;             // of the session
  std::string state;            // "idle in transaction"; empty: unknown
  std::string query;            // begin of its last statement
  std::int64_t in_use_ms = -1;  // age of its transaction; -1: unknown
};

// The result of `cox-controller --check-database`, the only program that accesses PostgreSQL.
struct DatabaseFacts {
  std::string error;                // why this user cannot reach the database; empty: it can
  std::string server_version;       // "15.8"
  std::int64_t schema_version = 0;  // 0: the schema was never created
  std::int64_t schema_known = 0;    // newest schema version that the installed controller supports
  std::int64_t schema_oldest = 0;   // oldest one that it can upgrade
  bool writable = false;
  std::int64_t clock_offset_ms = 0;  // the database's clock minus this host's
  std::int64_t clock_bound_ms = 0;   // error bound of clock_offset_ms
  std::optional<LockHolder> lock{};
};

struct KeyFacts {
  std::string what;  // "[worker] key_file"
  std::string path;
  Failure trouble;         // why the key cannot be used
  bool is_closed = false;  // `trouble` is that this user may not read it
  std::string public_key;
  std::string must_equal;   // the key that public_key must equal; empty: none is known
  std::string equal_where;  // "controller_key in [worker]"
  std::string table{};      // table that names the key: "[worker]"; empty: the controller's own key
  std::string user{};       // this user
  std::string owner{};      // "root, mode 0600"
  std::string closed_to{};  // the user that runs the controller, if that user may not read the key
  std::string node{};       // if the table is [worker]: the name of this node
  // Name of another .pub file in a key folder of this host that has this key.
  std::string known_as{};
  std::string not_in{};  // key_dir of this host's controller, if no file there has this key
};

// How an attempt to connect to a controller and to make the CURVE handshake ended.
enum class HandshakeEnd : std::uint8_t {
  Succeeded,
  KeyRefused,      // the controller's key_dir does not have our key
  OtherServerKey,  // the controller has another key than controller_key
  Stranger,        // the program that listens is not a controller
  NobodyListens,
  Unreachable,
};

struct HandshakeFacts {
  std::string table;  // "[worker]"
  std::string endpoint;
  std::string key_file;
  HandshakeEnd end = HandshakeEnd::Succeeded;
  std::string why;  // for Unreachable
};

struct FolderFacts {
  std::string path;
  std::string cluster_name;
  bool is_there = false;
  bool is_writable = false;
  // The controller of this host (not only a worker) uses it and creates its marker file.
  bool by_controller = false;
  // Name of the cluster in the folder's marker file; none: no such file.
  std::optional<std::string> marker;
};

struct CgroupFacts {
  bool has_version_2 = false;
  bool can_make = false;  // whether this process may create child cgroups
  std::vector<std::string> controllers;
};

struct ListenFacts {
  std::string endpoint;
  bool is_held = false;           // a process listens on the endpoint
  std::uint32_t socket_mode = 0;  // mode of the socket file, if the endpoint is ipc
  bool is_closed = false;         // this user has no permission to connect to the ipc endpoint
  std::string user{};             // this user
  std::string owner{};            // owner of the socket; empty: unknown
  // Program that listens: "cox-controller (pid 17)"; empty: this user may not see it.
  std::string holder{};
};

struct GpuFacts {
  std::int64_t configured = 0;  // NVIDIA GPUs in gres of [worker]
  std::int64_t found = 0;       // GPUs that the NVIDIA driver shows
};

struct MailFacts {
  std::string program;         // path of the program that sends mail
  bool is_configured = false;  // mail_program is set
  bool is_there = false;
  std::vector<std::string> jobs{};  // jobs that request mail, if the program is missing
};

// A partition that pending jobs name and that is no longer configured.
struct PartitionGone {
  std::string name;               // "main", or "main,gpu" if the jobs name several
  std::vector<std::string> jobs;  // that wait for it
};

struct ControllerFacts {
  std::string endpoint;
  Failure trouble;         // why the controller did not answer, or refused
  bool answers = false;    // the controller replied, perhaps with a refusal
  std::vector<Ping> each;  // one per controller, if several are configured
  std::int64_t answer_ms = 0;
  std::int64_t clock_offset_ms = 0;  // the controller's clock minus this host's
  ClusterView view;
  std::vector<NodeView> nodes;
  std::vector<PartitionGone> partitions_gone{};
};

struct HostFacts {
  ConfigReport config;
  std::optional<DatabaseFacts> database;  // with a [controller]
  Failure database_unchecked;             // why cox-controller could not be run
  std::vector<KeyFacts> keys;
  std::vector<FolderFacts> folders;
  std::optional<CgroupFacts> cgroups;        // with a [worker]
  std::vector<ListenFacts> listening;        // with a [controller]
  std::string user{};                        // this user
  std::vector<HandshakeFacts> handshakes{};  // one per TCP endpoint of a controller
  std::optional<GpuFacts> gpus{};            // if there is a [worker] that has NVIDIA GPUs
  std::optional<MailFacts> mail{};           // with a [controller]
  std::optional<ControllerFacts> controller;
};

}  // namespace cox
