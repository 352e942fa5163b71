// The inputs of the controller's thread, from the network, the store and the clock. react() turns
// each into changes and messages.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "common/base/time.h"
#include "common/cluster/config.h"
#include "common/messages/messages.h"

namespace cox {

// Names a connection of the link to clients and workers; its content has no meaning here.
using PeerName = std::string;

// The identity of a peer (a client or a worker), as the link has proven it.
struct Caller {
  enum class Kind : std::uint8_t { Client, Worker };
  Kind kind = Kind::Client;
  // The node that a worker's key belongs to; empty: a worker on this machine, over ipc.
  std::string node;
  std::string user_name;  // Client
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
  // Proven over TCP by a CURVE key of the cluster; false: by the local kernel over ipc.
  bool by_key = false;
};

// The result of a run of submit_program.
struct SubmitAnswer {
  std::string text = {};   // the program's output
  std::string error = {};  // for people: "exit code 1: no such file"; empty: the program succeeded
};

struct PeerMessage {
  PeerName peer;
  Caller caller;
  Message message;
  // Jobs that the request depends on and that are no longer in memory, read from the store.
  std::vector<Job> recalled = {};
  std::size_t bytes = 0;  // approximate size of the message on the wire, in bytes
  // For a submission: the answer of submit_program; nothing: the program has not run yet.
  std::optional<SubmitAnswer> submit_answer = {};
  // For a change of partitions: the groups of AllowGroups that it names, as far as they were found.
  HostGroups groups = {};
  Failure wrong_settings = {};  // for Reconfigure: why the settings file could not be used now
};

struct Tick {};

// A request made by SQL: a row of cox.request.
struct SqlRequest {
  std::int64_t id = 0;
  std::string by;  // the PostgreSQL role that wrote the row
  std::string command;
  // Why the database rejected the turn that carried the request out. If this is set, the request is
  // not carried out again; the reason is written as its answer.
  std::string refused = {};
};

// A run of fence_program that the controller requests.
struct FenceOrder {
  std::string node;
  Boot asked{};
  bool operator==(const FenceOrder&) const = default;
};

struct FenceEnded {
  FenceOrder order;
  bool succeeded = false;
  // Why the run failed, for people: "exit code 1: no such outlet"; empty: it succeeded.
  std::string why = {};
};

// A run of submit_program that the controller requests.
struct SubmitRun {
  std::int64_t ticket = 0;
  std::uint32_t uid = 0;  // the submitting user
  std::string input = {};
  Boot until{};
};

struct SubmitRunEnded {
  std::int64_t ticket = 0;
  SubmitAnswer answer;
};

// A run of prolog_program or epilog_program that the controller requests.
struct SiteRun {
  enum class What : std::uint8_t { Prolog, Epilog };
  What what = What::Prolog;
  AttemptKey key;
  std::vector<std::string> environment = {};  // NAME=value
};

struct SiteRunEnded {
  SiteRun::What what = SiteRun::What::Prolog;
  AttemptKey key;
  // For people: "exit code 1: no such licence"; empty: the program succeeded.
  std::string error = {};
};

// A run of an event trigger's program that the controller requests. Its end is only logged.
struct TriggerRun {
  EventTriggerId trigger;
  std::string user_name;
  std::uint32_t uid = 0;  // the program runs as this user
  std::uint32_t gid = 0;
  std::vector<std::string> arguments = {};  // the program's path, and its arguments
};

// The result of a lookup of the groups that Controller::unknown_groups() names, on the controller's
// host.
struct GroupsFound {
  HostGroups groups;
};

using Event = std::variant<PeerMessage, Tick, SqlRequest, FenceEnded, SiteRunEnded, GroupsFound>;

}  // namespace cox
