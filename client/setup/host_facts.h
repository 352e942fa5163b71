// What `cox doctor` has found out about a host and its cluster. client/io gathers the facts, and
// client/setup/doctor.h judges them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "client/setup/config_report.h"
#include "client/setup/ping.h"
#include "common/messages/messages.h"

namespace cox {

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
  std::string table{};      // "[worker]"; empty: that of the controller
  std::string user{};       // this user
  std::string owner{};      // "root, mode 0600"
  std::string closed_to{};  // the controller's user, if that user may not read the key
  std::string node{};       // of [worker]: this node
  std::string known_as{};   // the name, if another, under which a key folder here has this key
  std::string not_in{};     // this host's controller's key_dir, if it does not have this key
};

// How a handshake with a controller ended.
enum class HandshakeEnd : std::uint8_t {
  Succeeded,
  KeyRefused,      // it does not know our key
  OtherServerKey,  // it has another key than we expect
  Stranger,        // it does not speak our protocol
  NobodyListens,
  Unreachable,
};

struct HandshakeFacts {
  std::string table;  // "[worker]"
  std::string endpoint;
  std::string key_file;
  HandshakeEnd end = HandshakeEnd::Succeeded;
  std::string why;  // of Unreachable
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
  bool is_closed = false;         // an ipc endpoint that this user may not use
  std::string user{};             // this user
  std::string owner{};            // of the socket; empty: not known
  std::string holder{};           // "cox-controller (pid 17)"; empty: this user may not know
};

struct GpuFacts {
  std::int64_t configured = 0;  // in gres of [worker], of NVIDIA's
  std::int64_t found = 0;       // by the driver
};

struct MailFacts {
  std::string program;         // that takes mail
  bool is_configured = false;  // by mail_program
  bool is_there = false;
  std::vector<std::string> jobs{};  // that ask for mail, if it is not there
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
  std::optional<CgroupFacts> cgroups;        // with a [worker]
  std::vector<ListenFacts> listening;        // with a [controller]
  std::string user{};                        // this user
  std::vector<HandshakeFacts> handshakes{};  // by tcp
  std::optional<GpuFacts> gpus{};            // with a [worker] that names GPUs of NVIDIA's
  std::optional<MailFacts> mail{};           // with a [controller]
  std::optional<ControllerFacts> controller;
};

}  // namespace cox
