#include "controller/attempt/react_worker.h"

#include <algorithm>
#include <utility>

#include "common/base/limits.h"
#include "common/base/text.h"
#include "controller/attempt/attempt.h"
#include "controller/attempt/react_health.h"
#include "controller/attempt/reconcile.h"
#include "controller/attempt/rival.h"
#include "controller/attempt/saves.h"
#include "controller/attempt/steps.h"
#include "controller/ledger/lost_attempts.h"
#include "controller/ledger/resume.h"
#include "controller/state/node_health.h"

namespace cox {
namespace {

constexpr std::size_t retired_sessions_max = 16;
// A worker may report a higher term than ours by at most this (see terms_lost_max).
constexpr std::int64_t terms_ahead_max = 1'000'000;
// Bound on the time that a node may claim for its prolog and epilog: 48 h.
constexpr std::int64_t programs_ms_max = 172'800'000;
// A hello may raise the next job id by at most this. A restored backup lacks fewer ids.
constexpr std::int64_t job_ids_ahead_max = 10'000'000;

// Returns whether the database accepts the description of the node. If it did not, PostgreSQL would
// reject the whole turn.
bool is_plausible(const Node& node) {
  std::vector<std::string_view> words = {node.name,    node.address, node.log_endpoint,
                                         node.log_key, node.boot_id, node.version};
  words.insert(words.end(), node.features.begin(), node.features.end());
  for (const auto& gpu : node.total.gpus) {
    words.push_back(gpu.type);
    words.push_back(gpu.uuid);
  }
  const auto is_plain = [](std::string_view word) {
    return word.size() <= limits::word_bytes_max && is_utf8(word) && !has_control_characters(word);
  };
  return !node.name.empty() && node.total.cpus >= 0 && node.total.memory_mb >= 0 &&
         node.weight >= 0 && std::ranges::all_of(words, is_plain);
}

void retire_session(NodeContact& live, const std::string& session) {
  if (!live.session.empty()) live.retired.push_back(live.session);
  if (live.retired.size() > retired_sessions_max) live.retired.erase(live.retired.begin());
  live.session = session;
  live.number = 0;
  live.beat = 0;
  live.good_beats = 0;
  live.obeys_us = false;
  live.missed.clear();
}

// Writes the node's row from the hello, but keeps what the old row says of its health and drains.
void put_node(Reaction& r, const WorkerHello& hello, bool shares) {
  Node node = hello.node;
  const Node* before = r.cluster().node(node.name);
  const Node known = before == nullptr ? Node{} : *before;
  node.drained = known.drained;
  node.drained_by = known.drained_by;
  node.set_down = known.set_down;
  node.reason_by = known.reason_by;
  node.returned = known.returned;
  node.failures = known.failures;
  node.responding = before == nullptr || known.responding;
  node.reason = node.drained || !node.responding ? known.reason : "";
  if (!shares && !node.drained) node.reason = no_checkpoint_folder;
  node.changed = before == nullptr ? Wall{} : before->changed;
  if (before == nullptr || !(*before == node)) r.put(std::move(node));
}

}  // namespace

bool take_number(Reaction& r, const PeerName& peer, const std::string& node,
                 const std::string& session, std::int64_t number) {
  NodeContact& live = r.soft_state().edit(node);
  if (session.empty() || live.session != session || number <= live.number) return false;
  live.number = number;
  note_contact(live, r.cluster().config(), r.now().boot);
  // A worker that has reconnected need not send a hello; orders go to its newest connection.
  live.peer = peer;
  return true;
}

void forget_message(SoftState& soft_state, const Message& message) {
  const auto forget = [&](const std::string& node, const std::string& session,
                          std::int64_t number) {
    NodeContact& live = soft_state.edit(node);
    if (live.session == session) live.number = std::min(live.number, number - 1);
  };
  if (const auto* hello = std::get_if<WorkerHello>(&message))
    forget(hello->node.name, hello->session, hello->number);
  if (const auto* beat = std::get_if<Heartbeat>(&message))
    forget(beat->node, beat->session, beat->number);
  if (const auto* report = std::get_if<StatusReport>(&message))
    forget(report->node, report->session, report->number);
}

namespace {

// Records the load that a worker reported, limited to values that a machine can have.
void note_load(NodeContact& live, std::optional<NodeLoad> load, Boot now) {
  if (load) {
    load->cpu_load_percent =
        std::clamp<std::int64_t>(load->cpu_load_percent, 0, limits::cpu_load_percent_max);
    load->free_memory_mb =
        std::clamp<std::int64_t>(load->free_memory_mb, 0, limits::memory_mb_per_node_max);
  }
  live.load = load;
  live.load_at = now;
}

}  // namespace

namespace {

// Returns whether the worker has run jobs, and the database has never recorded an attempt and does
// not know the node: it is probably another database than the cluster's. This controller would end
// all that the node runs.
bool lacks_history_of(const Cluster& cluster, const WorkerHello& hello) {
  if (cluster.node(hello.node.name) != nullptr) return false;
  const bool has_run = hello.newest_job > JobId{0} || !hello.attempts.empty();
  const bool is_doubted = !cluster.has_attempts() || !cluster.soft().missing_history.empty();
  return has_run && is_doubted && !cluster.config().accept_loss;
}

// Refuses a worker whose coxswain.toml names another cluster. Returns false if it is of ours.
bool refuse_other_cluster(Reaction& r, const PeerName& peer, const WorkerHello& hello) {
  const std::string& ours = r.cluster().config().cluster_name;
  std::string& refused = r.soft_state().edit(hello.node.name).other_cluster;
  const std::string theirs =
      printable(std::string_view(hello.cluster_name).substr(0, limits::word_bytes_max));
  if (theirs.empty() || theirs == ours) {
    refused.clear();
    return false;
  }
  const std::string fact = "the worker of node " + hello.node.name + " is of cluster " +
                           quoted(theirs) + ", and this controller of cluster " + quoted(ours);
  r.send(peer, Rejected{{fact,
                         "cluster_name in [worker] must be that of the controller's [controller]; "
                         "does `controller` name the right one?"},
                        hello.session});
  const bool is_new = std::exchange(refused, theirs) != theirs;
  if (is_new && r.cluster().node(hello.node.name) != nullptr)
    r.note_node(hello.node.name, "refused", fact, "controller");
  return true;
}

void refuse_without_history(Reaction& r, const PeerName& peer, const WorkerHello& hello) {
  std::string& text = r.soft_state().missing_history;
  text = "has never recorded an attempt, but node " + hello.node.name + " has run job " +
         std::to_string(hello.newest_job.value);
  r.send(peer, Rejected{{"the controller's database " + text,
                         "does `database` in [controller] name the cluster's database? If that is "
                         "lost, start the controller once with --accept-loss"},
                        hello.session});
}

}  // namespace

std::optional<HeartbeatAck> heartbeat_ack(const Cluster& cluster, SoftState& soft_state,
                                          const Heartbeat& beat, Boot now) {
  const NodeContact& known = soft_state.contact(beat.node);
  if (std::ranges::find(known.retired, beat.session) != known.retired.end()) return std::nullopt;
  if (known.session != beat.session || beat.session.empty() || !known.obeys_us)
    return HeartbeatAck{cluster.term(), beat.session, beat.number, true, 0};
  NodeContact& live = soft_state.edit(beat.node);
  // The heartbeat is stale: a newer one was acknowledged, and has renewed the leases for longer.
  if (beat.number < live.number || beat.number < live.beat) return std::nullopt;
  note_life(live, beat);
  if (beat.number > live.beat)  // not a repeat
    live.good_beats = good_beats_with(live.good_beats, live.beat, beat.confirmed);
  // Does not raise live.number: earlier messages of the worker may still wait for a turn.
  live.beat = beat.number;
  note_load(live, beat.load, now);
  note_contact(live, cluster.config(), now);
  return HeartbeatAck{cluster.term(), beat.session, beat.number, false,
                      cluster.config().lease.count()};
}

void on_hello(Reaction& r, const PeerName& peer, const WorkerHello& hello) {
  if (!is_plausible(hello.node)) {
    r.send(peer, Rejected{{"the node's description has words that are too long or not printable",
                           "see [worker] in its coxswain.toml"}});
    return;
  }
  NodeContact& live = r.soft_state().edit(hello.node.name);
  if (hello.session.empty() || end_replaced(r, peer, hello.node.name, hello.session)) return;
  if (refuse_other_cluster(r, peer, hello)) return;
  if (hello.term_seen.value > r.cluster().term().value + terms_ahead_max) {
    r.send(peer, Rejected{{"this controller's term " + std::to_string(r.cluster().term().value) +
                               " is far lower than one the worker has obeyed",
                           "check that the worker's spool_dir is not from another cluster"}});
    return;
  }
  if (lacks_history_of(r.cluster(), hello)) return refuse_without_history(r, peer, hello);
  // A database restored from a backup may lack jobs that nodes have run: skips their ids.
  if (hello.newest_job.value < r.cluster().jobs().next_id().value + job_ids_ahead_max)
    r.never_issue(hello.newest_job);
  // Another controller leads, or has led and the database has lost that. The worker obeys only
  // higher terms than the one it has seen, so this controller must take a newer one.
  if (hello.term_seen > r.cluster().term()) {
    r.newer_term = std::max(r.newer_term.value_or(Term{}), hello.term_seen);
    return;
  }
  // The kernel may still deliver the hello of a dead worker after that of its successor.
  const Node* known = r.cluster().node(hello.node.name);
  if (live.session != hello.session && known != nullptr && known->boot_id == hello.node.boot_id &&
      hello.started_ms < live.started_ms)
    return;
  const bool is_first = live.session.empty();  // before it, live.heard is only a guess
  const bool is_new_session = live.session != hello.session;
  if (is_new_session && !may_replace(r, peer, hello)) return;
  if (is_new_session) {
    retire_session(live, hello.session);
    live.started_ms = hello.started_ms;
  } else if (hello.number <= live.number) {
    return;  // older or repeated: its list may lack newer orders
  }
  live.peer = peer;
  live.number = hello.number;
  if (is_first) live.last_contact = r.now().boot;
  note_contact(live, r.cluster().config(), r.now().boot);
  live.obeys_us = live.obeys_us || hello.term_seen == r.cluster().term();
  if (is_new_session || live.shares_checkpoints != hello.shares_checkpoints) {
    r.availability_changed(hello.node.name);
    r.ask_for_scheduling();
  }
  live.shares_checkpoints = hello.shares_checkpoints;
  live.programs = Milliseconds{std::clamp<std::int64_t>(hello.programs_ms, 0, programs_ms_max)};
  const bool has_rebooted = known != nullptr && known->boot_id != hello.node.boot_id;
  put_node(r, hello, hello.shares_checkpoints);
  take_unfit(r, hello.node.name, hello.unfit);
  r.send(peer, Welcome{r.cluster().term(), r.cluster().config().cluster_name,
                       r.cluster().config().heartbeat.count(), hello.session});
  std::vector<Fact> facts;
  for (const auto& status : hello.attempts) {
    facts.push_back(
        {status.key, status.revision, status.phase, status.ran_ms, status.suspension.number});
    if (is_live_attempt(r.cluster(), status.key))
      on_status(r, peer, {hello.node.name, status, hello.session, hello.number});
    else
      take_site_error(r, hello.node.name, status);
  }
  reconcile(r, hello.node.name, facts, has_rebooted, 0);
  for (const auto& status : hello.attempts) take_late_saves(r, hello.node.name, status);
}

namespace {

// A node whose report is awaited is used again without it after so many times the heartbeats that a
// node that returns needs.
constexpr std::int64_t beats_factor_awaiting_report = 100;

bool is_long_back(const Reaction& r, const std::string& node) {
  const Node& known = *r.cluster().node(node);
  return r.cluster().soft().contact(node).good_beats >=
         beats_factor_awaiting_report * beats_required(known, r.cluster().config(), r.now().wall);
}

}  // namespace

void on_heartbeat(Reaction& r, const PeerName& peer, const Heartbeat& beat) {
  if (end_replaced(r, peer, beat.node, beat.session)) return;
  // Stale: a newer heartbeat is acknowledged. It is queued behind this one, or was dropped while
  // the database was away.
  if (beat.number < r.cluster().soft().contact(beat.node).beat) return;
  if (!take_number(r, peer, beat.node, beat.session, beat.number)) return;
  std::vector<Fact> facts;
  bool awaits = false;
  for (const auto& e : beat.attempts) {
    // Acknowledged now, the worker would forget the report with the saves.
    if (e.phase == NodePhase::Gone && awaits_report(r.cluster(), beat.node, e.key, e.revision))
      awaits = true;
    else
      facts.push_back({e.key, e.revision, e.phase, e.ran_ms, e.suspension});
  }
  if (r.cluster().node(beat.node) != nullptr) {
    take_unfit(r, beat.node, beat.unfit);
    // First the report, so that a job that waits for this node resumes from what it saved. A report
    // that never comes must not keep the node away.
    if (!awaits || is_long_back(r, beat.node)) let_return(r, beat.node);
  }
  reconcile(r, beat.node, facts, false, beat.confirmed);
}

namespace {

// Returns whether the node refused the launch because it could not read the checkpoint.
bool is_unread(const AttemptStatus& status) {
  // A worker of the previous version does not say whether it has read the files.
  return status.resume_fault == ResumeFault::Unreadable ||
         (status.resume_damaged && status.resume_fault == ResumeFault::None);
}

// Merges a status into the attempt. No value goes back: phases and numbers only increase.
void merge(AttemptNode& node, Attempt& attempt, const AttemptStatus& status) {
  node.revision = status.revision;
  // An empty note clears the old one, unless the node is Gone: the old note may be the reason.
  if (!status.note.empty() || node.phase != NodePhase::Gone) node.note = status.note;
  node.phase = std::max(node.phase, status.phase);
  node.usage = status.usage;
  // A node cannot have carried out a suspension that was not ordered yet.
  node.suspension =
      std::max(node.suspension, std::min(status.suspension.number, attempt.suspension.number));
  if (!status.refused.empty())
    node.note = is_unread(status) ? unread_note(status.refused) : status.refused;
  if (status.master_port != 0) attempt.master_port = status.master_port;
  if (status.progress.at > attempt.progress.at && !check_progress(status.progress))
    attempt.progress = status.progress;
  // The node with rank 0, since a later save of another node takes back what its tasks have said.
  if (node.grant.node == attempt.nodes.front().grant.node) attempt.finished = status.finished;
  for (const auto& rank : status.ranks)
    if (RankStatus* known = reported_rank(node, attempt, rank.rank)) *known = rank;
}

// Returns whether the status shows that the attempt has begun to run.
bool shows_a_run(const AttemptStatus& status) {
  const auto started = [](const RankStatus& rank) { return rank.phase != RankPhase::Waiting; };
  return status.phase == NodePhase::Running || status.phase == NodePhase::Stopping ||
         std::ranges::any_of(status.ranks, started);
}

// Returns when an attempt that started without a Go began to run. The report may come late.
// REQUIRES: the attempt has run.
Wall began_to_run(const Attempt& attempt, const AttemptStatus& status, Wall now) {
  Wall first = now;
  for (const RankStatus& rank : status.ranks)
    if (rank.started != Wall{}) first = std::min(first, rank.started);
  return std::max(first, std::min(attempt.began, now));
}

void note_refusal(Reaction& r, const Attempt& attempt, const std::string& node,
                  const AttemptStatus& status) {
  const JobId id = attempt.key.job;
  r.note(id, "refused", "node " + node + ": " + status.refused, "node " + node);
  if (status.node_at_fault || is_unread(status)) avoid_node(r, id, node);
  if (status.node_at_fault && !is_unread(status) && status.site_error.empty() &&
      r.cluster().soft().contact(node).unfit.empty())
    blame_node(r, node, culprit_of(r.cluster().job(id)->job),
               "job " + std::to_string(id.value) + ": " + status.refused);
  if (status.resume_fault == ResumeFault::Differs && attempt.resume)
    note_damaged(r, attempt, node, status.refused);
}

StopOrder gang_is_broken(const Cluster& cluster, StopWhy why, std::string detail) {
  return {why, false, 0, cluster.config().kill_wait.count(), std::move(detail)};
}

// Records a note of the node in the job's history if it is new. Each status repeats the old one.
void record_note(Reaction& r, JobId id, const std::string& node, const std::string& before,
                 const std::string& note) {
  if (before == note) return;
  r.note(id, "node", note.empty() ? "no longer: " + before : note, "node " + node);
}

// Stops the whole gang if the status requires that: the node refused the launch, lost its
// supervisor, ran out of memory, or its lease ended.
void stop_broken_gang(Reaction& r, JobId id, const std::string& node, const AttemptStatus& status) {
  if (!status.refused.empty())
    stop_attempt(r, id,
                 gang_is_broken(r.cluster(), StopWhy::LaunchUndone,
                                "node " + node + " refused: " + status.refused),
                 "node " + node);
  if (status.supervisor_lost) {
    stop_attempt(r, id,
                 gang_is_broken(r.cluster(), StopWhy::NodeLost, "supervisor lost on node " + node),
                 "node " + node);
    // A node reports this before too, if it does not know whether all processes have ended.
    if (status.phase == NodePhase::Gone && status.node_at_fault)
      blame_node(r, node, culprit_of(r.cluster().job(id)->job),
                 "job " + std::to_string(id.value) + " lost its supervisor");
  }
  if (status.out_of_memory)
    stop_attempt(r, id,
                 gang_is_broken(r.cluster(), StopWhy::OutOfMemory, "out of memory on node " + node),
                 "node " + node);
  if (status.stop == StopWhy::LeaseEnded)
    stop_attempt(
        r, id,
        gang_is_broken(r.cluster(), StopWhy::NodeLost, "the lease of node " + node + " has ended"),
        "node " + node);
}

}  // namespace

namespace {

// Returns the text without control characters and cut to a bound: it may contain file names of
// users, and is stored in PostgreSQL and shown to people.
std::string plain(const std::string& text) {
  return printable(std::string_view(text).substr(0, limits::reason_bytes_max));
}

}  // namespace

void on_status(Reaction& r, const PeerName& peer, const StatusReport& report) {
  AttemptStatus status = report.status;
  status.note = plain(status.note);
  status.refused = plain(status.refused);
  for (StepStatus& step : status.steps) step.note = plain(step.note);
  if (!is_live_attempt(r.cluster(), status.key)) {
    take_site_error(r, report.node, status);
    end_foreign(r, report.node, status.key, status.phase, status.revision);
    take_late_saves(r, report.node, status);
    return;
  }
  const JobId id = status.key.job;
  Attempt attempt = *r.cluster().job(id)->live_attempt();
  const auto mine = [&](const AttemptNode& n) { return n.grant.node == report.node; };
  const auto node = std::ranges::find_if(attempt.nodes, mine);
  if (node == attempt.nodes.end()) {
    end_foreign(r, report.node, status.key, status.phase, status.revision);
    return;
  }
  r.send(peer, StatusAck{status.key, status.revision, r.cluster().term()});
  if (status.revision <= node->revision) return;
  take_site_error(r, report.node, status);
  const std::string noted = node->note;
  const bool carried_out = has_carried_out_suspension(attempt);
  merge(*node, attempt, status);
  // On all nodes now: the job's CPUs have become free, or it can be suspended again.
  if (has_carried_out_suspension(attempt) && !carried_out) r.ask_for_scheduling();
  const bool unheard = attempt.went == Wall{} && may_have_run(r.cluster(), attempt);
  const bool has_run = unheard && shows_a_run(status);
  if (has_run) attempt.went = began_to_run(attempt, status, r.moment_of(id));
  // A supervisor that was lost before it reported its ranks may have started them.
  const bool lost = unheard && !has_run && status.supervisor_lost;
  if (lost) attempt.went = attempt.began;
  r.put(attempt);
  if (lost) avoid_node(r, id, report.node);
  if (has_run && r.cluster().job(id)->job.state == JobState::Configuring) begin_running(r, id);
  if (!status.refused.empty()) note_refusal(r, attempt, report.node, status);
  if (status.refused.empty()) record_note(r, id, report.node, noted, node->note);
  take_steps(r, id, report.node, status);
  stop_broken_gang(r, id, report.node, status);
  take_kill_failure(r, id, report.node, status);
  advance(r, id);
}

}  // namespace cox
