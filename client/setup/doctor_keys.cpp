#include "client/setup/doctor_keys.h"

namespace cox {
namespace {

constexpr std::uint32_t socket_mode = 0600;
constexpr std::string_view worker_key = "worker-";

std::string stem_of(const std::string& path) {
  const std::string name = path.substr(path.find_last_of('/') + 1);
  return name.ends_with(".key") ? name.substr(0, name.size() - 4) : name;
}

// Returns the node of a key's name: "n1" for "worker-n1". Empty if it is not a worker's key.
std::string node_of(const std::string& name) {
  return name.starts_with(worker_key) ? name.substr(worker_key.size()) : "";
}

void diagnose_key_permissions(const KeyFacts& key, const std::string& name, Findings& out) {
  const std::string fact = name + " is not readable for user " + key.user +
                           (key.owner.empty() ? "" : ": it belongs to " + key.owner);
  // Every command of this user needs the key of [client], so this is a problem and not a warning.
  if (key.table == "[client]")
    return out.problem("keys", fact,
                       "make this user a key with 'cox key make client-" + key.user +
                           "'; set it as key_file in a configuration that COX_CONFIG names");
  out.warn("keys", fact, "to check this key, run cox doctor as its owner");
}

// If the worker's key belongs to another node, reports that and returns true.
bool reports_other_node(const KeyFacts& key, Findings& out) {
  if (key.node.empty()) return false;
  for (const std::string& known : {stem_of(key.path), key.known_as}) {
    const std::string node = node_of(known);
    if (node.empty() || node == key.node) continue;
    out.problem("keys",
                key.what + " " + key.path + " is the key of node " + node + ", and this node is " +
                    key.node,
                "use the key worker-" + key.node +
                    ".key, made on this host, or correct node_name. The controller accepts a node "
                    "only with its own key");
    return true;
  }
  return false;
}

std::string how_to_run_as(const std::string& owner) {
  return owner == "root" ? "run cox doctor as root"
                         : "run cox doctor as user " + owner + ", or as root";
}

// Reports an endpoint of the controller on which a process listens that did not answer as this
// cluster's controller.
void diagnose_foreign_listener(const ListenFacts& listen, Findings& out) {
  if (listen.is_closed && listen.owner.empty())
    return out.warn("ports", "user " + listen.user + " may not check " + listen.endpoint,
                    "run cox doctor as the controller's user, or as root");
  if (listen.is_closed)
    return out.warn("ports",
                    listen.endpoint + " belongs to user " + listen.owner + "; user " + listen.user +
                        " may not use it",
                    how_to_run_as(listen.owner));
  if (listen.holder.starts_with("cox-controller"))
    return out.ok("ports", listen.endpoint + " is held by " + listen.holder + " of user " +
                               listen.owner + ", which does not answer this user");
  const bool may_be_ours = listen.holder.empty() && !listen.owner.empty();
  if (may_be_ours && listen.owner != listen.user)
    return out.warn("ports",
                    listen.endpoint + " is held by a program of user " + listen.owner +
                        ", which user " + listen.user + " may not check",
                    how_to_run_as(listen.owner));
  std::string whose = " is in use by a program that is not this cluster's controller";
  if (!listen.holder.empty())
    whose += ": " + listen.holder + (listen.owner.empty() ? "" : " of user " + listen.owner);
  out.problem("ports", listen.endpoint + whose,
              "end that program ('ss -lxtp' shows it), or choose another endpoint");
}

}  // namespace

void diagnose_key(const KeyFacts& key, Findings& out) {
  const std::string name = key.what + (key.path.empty() ? "" : " " + key.path);
  if (key.is_closed) return diagnose_key_permissions(key, name, out);
  if (key.trouble)
    return out.problem("keys", key.what + ": " + key.trouble->fact,
                       key.trouble->hint.empty() ? "make it with 'cox key make', see the "
                                                   "administrator guide"
                                                 : key.trouble->hint);
  if (!key.closed_to.empty())
    return out.problem("keys",
                       name + " is not readable for user " + key.closed_to +
                           ", which runs the controller: the file belongs to " + key.owner,
                       "chown " + key.closed_to + " " + key.path);
  if (reports_other_node(key, out)) return;
  if (!key.must_equal.empty() && key.must_equal != key.public_key)
    return out.problem("keys", name + " differs from " + key.equal_where,
                       "the two must be the same: copy the one that the other side uses");
  if (!key.not_in.empty())
    return out.problem("keys", key.not_in + " has no " + stem_of(key.path) + ".pub",
                       "copy the public half of " + key.path +
                           " there: the controller accepts registered keys only");
  out.ok("keys",
         name + (key.must_equal.empty() ? " is good" : " is good and matches " + key.equal_where));
}

void diagnose_handshake(const HandshakeFacts& handshake, Findings& out) {
  const std::string at = handshake.endpoint;
  switch (handshake.end) {
    case HandshakeEnd::Succeeded:
      return out.ok("keys", at + " accepts the key of " + handshake.table);
    case HandshakeEnd::KeyRefused:
      return out.problem(
          "keys", at + " rejects the key of " + handshake.table + ": " + handshake.key_file,
          "copy " + stem_of(handshake.key_file) +
              ".pub, which 'cox key make' made beside it, into key_dir on the controller's host; "
              "it is read within a second");
    case HandshakeEnd::OtherServerKey:
      return out.problem("keys", at + " has another key than controller_key in " + handshake.table,
                         "set controller_key to the key in controller.pub on the controller's "
                         "host");
    case HandshakeEnd::Stranger:
      return out.problem(
          "ports", at + " is not a controller",
          "correct controller in " + handshake.table + ", or end that program on that host");
    case HandshakeEnd::NobodyListens:
      return out.problem("controller", "no program listens at " + at,
                         "start cox-controller there, or correct controller in " + handshake.table);
    case HandshakeEnd::Unreachable:
      return out.problem("controller", at + " cannot be reached: " + handshake.why,
                         "check the name of the host, the network and the firewall");
  }
}

void diagnose_listening(const HostFacts& facts, const ListenFacts& listen, Findings& out) {
  const bool ours = facts.controller && facts.controller->answers;
  if (listen.is_held && !ours && facts.controller) return diagnose_foreign_listener(listen, out);
  const bool is_local = listen.endpoint.starts_with("ipc:");
  if (listen.is_held && is_local && (listen.socket_mode & 0777) != socket_mode)
    return out.warn("ports", listen.endpoint + " can be used by other users than its owner",
                    "restart the controller: it makes the socket with mode 0600");
  out.ok("ports",
         listen.endpoint + (ours && listen.is_held ? " belongs to this cluster's controller"
                            : listen.is_held       ? " is in use"
                                                   : " is free"));
}

}  // namespace cox
