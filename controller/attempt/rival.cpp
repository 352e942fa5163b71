#include "controller/attempt/rival.h"

#include <algorithm>

#include "controller/attempt/react_silence.h"
#include "controller/ledger/emptied.h"
#include "controller/state/node_health.h"

namespace cox {
namespace {

constexpr std::size_t id_digits_shown = 8;
// A worker that is not served repeats its hello every few seconds.
constexpr Milliseconds rival_remembered{60'000};

std::string id_text(const std::string& id) {
  return id.empty() ? "unknown" : id.substr(0, id_digits_shown);
}

// Returns where a worker runs: "10.0.0.3 (spool folder 5f0c2a91, boot 77e1d3b0)".
std::string place_text(const Node& node) {
  return node.address + " (spool folder " + id_text(node.spool_id) + ", boot " +
         id_text(node.boot_id) + ")";
}

// Returns whether an attempt of the job was on the node.
bool was_on(const JobEntry& job, const std::string& node) {
  return std::ranges::any_of(job.attempts, [&](const Attempt& attempt) {
    return std::ranges::any_of(attempt.nodes,
                               [&](const AttemptNode& part) { return part.grant.node == node; });
  });
}

// Returns whether the node, which is silent, may run ranks that no attempt in memory waits for: of
// a job with --no-fence, or, if this leader has not heard the node, of one that the database has
// lost.
bool may_run_unknown_ranks(const Cluster& cluster, const std::string& node) {
  if (cluster.soft().contact(node).session.empty()) return true;
  return std::ranges::any_of(cluster.jobs().all(), [&](const auto& one) {
    return one.second.job.spec->no_fence && was_on(one.second, node);
  });
}

// Returns whether every rank on the node has surely ended: all leases are over, or it is fenced.
bool is_proven_empty(const Cluster& cluster, const std::string& node, Boot now) {
  return Emptied::by_lease(cluster, node, now) || Emptied::by_fence(cluster, node, "");
}

// Returns why the worker at `now` must wait for the one at `known`; empty: it need not.
std::string why_it_waits(const Cluster& cluster, const Node& known, const Node& now, Boot time) {
  // A worker of the previous version does not say which spool folder it has.
  const bool same_spool =
      known.spool_id == now.spool_id || known.spool_id.empty() || now.spool_id.empty();
  const bool same_boot = known.boot_id == now.boot_id;
  const bool same_address = known.address == now.address;
  if (same_spool && same_boot && same_address) return "";
  const bool has_moved = !same_spool || !(same_boot || same_address);
  const Milliseconds silent = time - cluster.soft().contact(known.name).last_contact;
  const Milliseconds patience = missed_beats_to_suspect * cluster.config().heartbeat;
  if (has_moved ? !is_silent(cluster, known.name, time) : silent <= patience)
    return "it is served by the worker at " + place_text(known);
  if (!has_moved) return "";
  const bool may_run =
      some_job_waits_for(cluster, known.name) ||
      (may_run_unknown_ranks(cluster, known.name) && !is_proven_empty(cluster, known.name, time));
  if (!may_run) return "";
  return "jobs may still run under the worker at " + place_text(known);
}

void note_rival(Reaction& r, const WorkerHello& hello, const std::string& why) {
  NodeContact& live = r.soft_state().edit(hello.node.name);
  const std::string place = place_text(hello.node);
  const bool is_new = !live.rival || live.rival->place != place;
  if (!live.rival || live.rival->session != hello.session)
    live.rival = Rival{hello.session, place, live.beat, {}, false};
  live.rival->seen = r.now().boot;
  if (is_new)
    r.note_node(hello.node.name, "second worker", "the worker at " + place + " waits: " + why,
                "controller");
}

}  // namespace

bool may_replace(Reaction& r, const PeerName& peer, const WorkerHello& hello) {
  const std::string& name = hello.node.name;
  const Node* known = r.cluster().node(name);
  const std::string why =
      known == nullptr ? "" : why_it_waits(r.cluster(), *known, hello.node, r.now().boot);
  if (why.empty()) {
    r.soft_state().edit(name).rival.reset();
    return true;
  }
  note_rival(r, hello, why);
  r.send(peer, Rejected{{"node " + name + " has another worker: " + why + "; this one is at " +
                             place_text(hello.node),
                         "each machine needs a node_name and a key of its own; if the other worker "
                         "is gone, this one is served as soon as that is certain, and as soon as "
                         "all ranks of the other have surely ended"},
                        hello.session,
                        r.cluster().soft().contact(name).rival->is_refused});
  return false;
}

void note_life(NodeContact& live, const Heartbeat& beat) {
  if (live.rival && beat.confirmed > live.rival->beat) live.rival->is_refused = true;
}

bool end_replaced(Reaction& r, const PeerName& peer, const std::string& node,
                  const std::string& session) {
  const std::vector<std::string>& retired = r.cluster().soft().contact(node).retired;
  if (std::ranges::find(retired, session) == retired.end()) return false;
  const Node* known = r.cluster().node(node);
  const std::string place = known == nullptr ? "" : " at " + place_text(*known);
  r.send(peer,
         Rejected{{"node " + node + " is served by another worker" + place + ", which came later",
                   "each machine needs a node_name and a key of its own"},
                  session,
                  true});
  return true;
}

std::string rival_text(const NodeContact& live, Boot now) {
  if (!live.rival || now - live.rival->seen > rival_remembered) return "";
  return live.rival->place;
}

}  // namespace cox
