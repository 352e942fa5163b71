#include "controller/io/caller.h"

#include <unistd.h>

#include <string_view>

namespace cox {

namespace {

constexpr std::string_view worker_prefix = "worker-";

bool is_worker_message(const Message& m) {
  return std::holds_alternative<WorkerHello>(m) || std::holds_alternative<Heartbeat>(m) ||
         std::holds_alternative<StatusReport>(m) || std::holds_alternative<CheckpointRemoved>(m) ||
         std::holds_alternative<CheckpointVerified>(m);
}

}  // namespace

Caller caller_of(const PeerIdentity& identity, const ControllerConfig& config,
                 const Message& message) {
  Caller caller;
  caller.kind = is_worker_message(message) ? Caller::Kind::Worker : Caller::Kind::Client;
  if (identity.kind == PeerIdentity::Kind::Key) {
    const bool worker_key = identity.key_name.starts_with(worker_prefix);
    caller.kind = worker_key ? Caller::Kind::Worker : Caller::Kind::Client;
    if (worker_key) caller.node = identity.key_name.substr(worker_prefix.size());
    caller.uid = config.owner_uid;
    caller.gid = ::getegid();
    caller.by_key = true;
  } else {
    caller.uid = identity.uid;
    caller.gid = identity.gid;
    // Over ipc only the cluster's own user may be a worker.
    if (caller.uid != config.owner_uid) caller.kind = Caller::Kind::Client;
  }
  return caller;
}

}  // namespace cox
