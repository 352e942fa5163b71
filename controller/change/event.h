// What reaches the controller's thread. The link, the store and the clock become these; react turns
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

using PeerName = std::string;  // a connection of the link; opaque here

// Who a peer is, as the link has proven it.
struct Caller {
  enum class Kind : std::uint8_t { Client, Worker };
  Kind kind = Kind::Client;
  std::string node;  // Worker: the node its key stands for; empty over ipc (this machine's own)
  std::string user_name;  // Client
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
  bool by_key = false;  // proven by a key of the cluster, not by the local kernel
};

// The result of a run of submit_program.
struct SubmitAnswer {
  std::string text = {};   // the program's output
  std::string error = {};  // for people: "exit code 1: no such file"; empty: success
};

struct PeerMessage {
  PeerName peer;
  Caller caller;
  Message message;
  std::vector<Job> recalled = {};  // that it speaks of and memory has forgotten
  std::size_t bytes = 0;           // about, as it came
  // For a submission: the answer of submit_program; nothing: the program has not run yet.
  std::optional<SubmitAnswer> submit_answer = {};
  // For a change of partitions: the groups of AllowGroups that it names, as far as they were found.
  HostGroups groups = {};
  Failure wrong_settings = {};  // for Reconfigure: why the settings file could not be used now
};

struct Tick {};

// By a row of cox.request, whose writer the database has proven.
struct SqlRequest {
  std::int64_t id = 0;
  std::string by;  // the role
  std::string command;
  std::string refused = {};  // by the database, when it was carried out: only to be answered
};

// A run of fence_program that the controller asks for.
struct FenceOrder {
  std::string node;
  Boot asked{};
  bool operator==(const FenceOrder&) const = default;
};

// How it ended.
struct FenceEnded {
  FenceOrder order;
  bool succeeded = false;
  std::string why = {};  // for people: "exit code 1: no such outlet"
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

// A run of prolog_program or epilog_program that the controller asks for.
struct SiteRun {
  enum class What : std::uint8_t { Prolog, Epilog };
  What what = What::Prolog;
  AttemptKey key;
  std::vector<std::string> environment = {};  // NAME=value
};

// How it ended.
struct SiteRunEnded {
  SiteRun::What what = SiteRun::What::Prolog;
  AttemptKey key;
  std::string error = {};  // for people: "exit code 1: no such licence"; empty: it did its work
};

// A run of an event trigger's program that the controller requests. Its end is only logged.
struct TriggerRun {
  EventTriggerId trigger;
  std::string user_name;
  std::uint32_t uid = 0;  // the program runs as this user
  std::uint32_t gid = 0;
  std::vector<std::string> words = {};  // the program's path, and its arguments
};

// The groups of the controller's host were looked up for Controller::groups_wanted().
struct GroupsFound {
  HostGroups groups;
};

using Event = std::variant<PeerMessage, Tick, SqlRequest, FenceEnded, SiteRunEnded, GroupsFound>;

}  // namespace cox
