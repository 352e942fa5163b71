#include "controller/attempt/react_worker.h"

// What workers say. The compare of wish and fact is level, not edge: a hello and every heartbeat
// list what a node really has, reconcile() holds it against what it should have, and sends what is
// missing. Lost, repeated and overtaken messages, restarts and partitions are all healed there.
#include <algorithm>
#include <set>
#include <utility>

#include "common/base/check.h"
#include "common/base/limits.h"
#include "common/base/text.h"
#include "controller/attempt/attempt.h"
#include "controller/attempt/react_health.h"
#include "controller/attempt/react_recovery.h"
#include "controller/attempt/steps.h"
#include "controller/change/recovery.h"
#include "controller/ledger/checkpoints.h"
#include "controller/ledger/lost_attempts.h"
#include "controller/ledger/site_runs.h"
#include "controller/state/engine_input.h"
#include "controller/state/node_health.h"

namespace cox {
namespace {

constexpr std::size_t retired_sessions_max = 16;
constexpr std::size_t stale_ends_max = 64;
// Further ahead of ours no term is that any leader can have taken (terms_lost_max).
constexpr std::int64_t terms_ahead_max = 1'000'000;
// A node's prolog and epilog take no longer than this, whatever the node claims.
constexpr std::int64_t programs_ms_max = 172'800'000;
// A node that claims a higher job id than that is not believed.
constexpr std::int64_t job_ids_ahead_max = 10'000'000;  // ids that a restore lost, and more

bool is_live_attempt(const Cluster& cluster, AttemptKey key) {
  const JobEntry* entry = cluster.job(key.job);
  const Attempt* live = entry == nullptr ? nullptr : entry->live_attempt();
  return live != nullptr && live->key == key;
}

const AttemptNode* node_of(const Attempt& attempt, const std::string& node) {
  for (const auto& n : attempt.nodes)
    if (n.grant.node == node) return &n;
  return nullptr;
}

// Whether nothing of the attempt should be there any more: it is over, or this node was given up.
bool is_over(const Cluster& cluster, const std::string& node, AttemptKey key) {
  if (!is_live_attempt(cluster, key)) return true;
  const AttemptNode* part = node_of(*cluster.job(key.job)->live_attempt(), node);
  return part == nullptr || part->phase == NodePhase::Gone;
}

// An end that nobody waited for any more: the attempt was given up before this node could tell of
// it. It changes nothing, and the history tells it once: a node says it until it is acknowledged.
void note_stale_end(Reaction& r, const std::string& node, AttemptKey key, std::int64_t revision) {
  const JobEntry* entry = r.cluster().job(key.job);
  if (entry == nullptr) return;
  for (const Attempt& attempt : entry->attempts) {
    const AttemptNode* part = attempt.key == key ? node_of(attempt, node) : nullptr;
    if (attempt.ended == Wall{} || part == nullptr || revision <= part->revision) continue;
    std::set<AttemptKey>& told = r.soft_state().believe(node).stale_ends;
    if (!told.insert(key).second) return;
    if (told.size() > stale_ends_max) told.erase(told.begin());
    r.note(
        key.job, "stale_completion",
        "attempt " + std::to_string(key.attempt.value) + " has ended there after it was given up",
        "node " + node);
  }
}

// An attempt that is over, or never was ours: nothing of it may go on.
void end_foreign(Reaction& r, const std::string& node, AttemptKey key, NodePhase phase,
                 std::int64_t revision) {
  tell_if_lost(r, node, key);
  if (phase == NodePhase::Gone) {
    note_stale_end(r, node, key, revision);
    r.send_to_node(node, StatusAck{key, revision, r.cluster().term()});
    return;
  }
  const auto kill_wait = r.cluster().config().kill_wait.count();
  r.send_to_node(node, Stop{r.cluster().term(),
                            key,
                            {StopWhy::JobEnded, false, 0, kill_wait, "this attempt is over"}});
}

struct Fact {
  AttemptKey key;
  std::int64_t revision;
  NodePhase phase;
  std::int64_t ran_ms;
  std::int64_t suspension;
};

void take_run_time(Reaction& r, const Fact& fact) {
  const JobEntry& entry = *r.cluster().job(fact.key.job);
  if (fact.ran_ms <= 0 || entry.time_limit_s() <= 0) return;
  const Boot limit =
      r.now().boot - Milliseconds{fact.ran_ms} + std::chrono::seconds{entry.time_limit_s()};
  r.soft_state().believe_limit(fact.key.job, limit);
}

// Holds what the node has against what it should have.
void reconcile(Reaction& r, const std::string& node, const std::vector<Fact>& facts,
               bool has_rebooted) {
  bool ends_foreign = false;
  for (const auto& fact : facts) {
    if (is_over(r.cluster(), node, fact.key)) {
      end_foreign(r, node, fact.key, fact.phase, fact.revision);
      // A job with --no-fence has gone on elsewhere while its ranks here lived on.
      ends_foreign = ends_foreign || fact.phase != NodePhase::Gone;
      continue;
    }
    take_run_time(r, fact);
  }
  if (std::exchange(r.soft_state().believe(node).ends_foreign, ends_foreign) != ends_foreign) {
    r.soft_state().availability_changed(node);
    r.ask_for_scheduling();
  }
  for (const JobId id : r.cluster().jobs_on(node)) {
    const Attempt attempt = *r.cluster().job(id)->live_attempt();
    const AttemptNode* part = node_of(attempt, node);
    CHECK(part != nullptr);
    if (part->phase == NodePhase::Gone) continue;
    const auto same = [&](const Fact& f) { return f.key == attempt.key; };
    const auto fact = std::ranges::find_if(facts, same);
    if (fact != facts.end()) {
      remind(r, id, *part, fact->phase, fact->suspension);
    } else if (has_rebooted && goes_by_itself(attempt.nodes.size()) &&
               !is_unsent(r.cluster(), attempt)) {
      lose_node(r, id, node, "node " + node + " has rebooted");
      blame_node(r, node, JobId{}, "it has rebooted under job " + std::to_string(id.value));
    } else if (may_have_run_unrecorded(r.cluster(), attempt)) {
      if (r.cluster().contact(node).obeys_us)
        lose_node(r, id, node,
                  "node " + node + " does not have it; it may have run there in what the " +
                      "database has lost");
    } else if (part->phase == NodePhase::Preparing && attempt.stop.why == StopWhy::None) {
      resend_to_node(r, id, node);
    } else if (r.cluster().contact(node).obeys_us) {
      // Else these may be words from before the controller that launched it, and it runs there.
      lose_node(r, id, node, "node " + node + " does not have it any more");
      blame_node(r, node, JobId{}, "it has lost job " + std::to_string(id.value));
    }
  }
}

// What cannot be stored would be refused by the database, with all that came in the same turn.
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
}

// What the hello says of the node becomes its row; what is known of its health stays.
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

bool take_number(Cluster& soft_state, const PeerName& peer, const std::string& node,
                 const std::string& session, std::int64_t number, Boot now) {
  NodeContact& live = soft_state.believe(node);
  if (session.empty() || live.session != session || number <= live.number) return false;
  live.number = number;
  hear(live, soft_state.config(), now);
  // Its connection may have been cut and made anew without a hello: orders go where it is now.
  live.peer = peer;
  return true;
}

void forget_message(Cluster& soft_state, const Message& message) {
  const auto forget = [&](const std::string& node, const std::string& session,
                          std::int64_t number) {
    NodeContact& live = soft_state.believe(node);
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

// Returns the load that a worker reported, limited to values that a machine can have.
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

std::optional<HeartbeatAck> heartbeat_ack(Cluster& soft_state, const Heartbeat& beat, Boot now) {
  const NodeContact& known = soft_state.contact(beat.node);
  if (std::ranges::find(known.retired, beat.session) != known.retired.end()) return std::nullopt;
  if (known.session != beat.session || beat.session.empty() || !known.obeys_us)
    return HeartbeatAck{soft_state.term(), beat.session, beat.number, true, 0};
  NodeContact& live = soft_state.believe(beat.node);
  // Out of order: the newer beat was acknowledged, and renewed for longer.
  if (beat.number < live.number || beat.number < live.beat) return std::nullopt;
  if (beat.number > live.beat)  // not the same once more
    live.good_beats = good_beats_with(live.good_beats, live.beat, beat.confirmed);
  // Not live.number: what was said before this beat may still wait for its turn.
  live.beat = beat.number;
  note_load(live, beat.load, now);
  hear(live, soft_state.config(), now);
  return HeartbeatAck{soft_state.term(), beat.session, beat.number, false,
                      soft_state.config().lease.count()};
}

void on_hello(Reaction& r, const PeerName& peer, const WorkerHello& hello) {
  if (!is_plausible(hello.node)) {
    r.send(peer, Rejected{{"the node's description has words that are too long or not printable",
                           "see [worker] in its coxswain.toml"}});
    return;
  }
  NodeContact& live = r.soft_state().believe(hello.node.name);
  if (std::ranges::find(live.retired, hello.session) != live.retired.end()) return;
  if (hello.session.empty()) return;
  if (hello.term_seen.value > r.cluster().term().value + terms_ahead_max) {
    r.send(peer, Rejected{{"this controller's term " + std::to_string(r.cluster().term().value) +
                               " is far lower than one the worker has obeyed",
                           "does the worker's spool_dir come from another cluster?"}});
    return;
  }
  // A database that was restored from a backup may lack jobs that nodes have run.
  if (hello.newest_job.value < r.cluster().next_job().value + job_ids_ahead_max)
    r.soft_state().never_issue(hello.newest_job);
  // Either another controller leads, or one did where the database has forgotten it: without a term
  // beyond that one the worker would refuse us for ever.
  if (hello.term_seen > r.cluster().term()) {
    r.newer_term = std::max(r.newer_term.value_or(Term{}), hello.term_seen);
    return;
  }
  // A dead worker's last words may come after its successor's first: its kernel still sends them.
  const Node* known = r.cluster().node(hello.node.name);
  if (live.session != hello.session && known != nullptr && known->boot_id == hello.node.boot_id &&
      hello.started_ms < live.started_ms)
    return;
  const bool is_first = live.session.empty();  // what it was heard before is then a guess
  const bool is_new_session = live.session != hello.session;
  if (is_new_session) {
    retire_session(live, hello.session);
    live.started_ms = hello.started_ms;
  } else if (hello.number <= live.number) {
    return;  // also the same once more: what it lists is older than what we have sent since
  }
  live.peer = peer;
  live.number = hello.number;
  if (is_first) live.heard = r.now().boot;
  hear(live, r.cluster().config(), r.now().boot);
  live.obeys_us = live.obeys_us || hello.term_seen == r.cluster().term();
  if (is_new_session || live.shares_checkpoints != hello.shares_checkpoints) {
    r.soft_state().availability_changed(hello.node.name);
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
  reconcile(r, hello.node.name, facts, has_rebooted);
}

void on_heartbeat(Reaction& r, const PeerName& peer, const Heartbeat& beat) {
  // A newer one that was acknowledged waits behind this one, or was dropped while the store was
  // away.
  if (beat.number < r.cluster().contact(beat.node).beat) return;
  if (!take_number(r.soft_state(), peer, beat.node, beat.session, beat.number, r.now().boot))
    return;
  if (r.cluster().node(beat.node) != nullptr) {
    take_unfit(r, beat.node, beat.unfit);
    let_return(r, beat.node);
  }
  std::vector<Fact> facts;
  for (const auto& e : beat.attempts)
    facts.push_back({e.key, e.revision, e.phase, e.ran_ms, e.suspension});
  reconcile(r, beat.node, facts, false);
}

namespace {

// Folds a status into what is known; every part only moves forward.
void merge(AttemptNode& node, Attempt& attempt, const AttemptStatus& status) {
  node.revision = status.revision;
  // Also when there is no more to say; but what was said when it was given up stays.
  if (!status.note.empty() || node.phase != NodePhase::Gone) node.note = status.note;
  node.phase = std::max(node.phase, status.phase);
  node.usage = status.usage;
  // No further than it was told.
  node.suspension =
      std::max(node.suspension, std::min(status.suspension.number, attempt.suspension.number));
  if (!status.refused.empty()) node.note = status.refused;
  if (status.master_port != 0) attempt.master_port = status.master_port;
  if (status.progress.at > attempt.progress.at && !check_progress(status.progress))
    attempt.progress = status.progress;
  for (const auto& rank : status.ranks) {
    // A node speaks for its own ranks alone.
    const auto place = std::int64_t{rank.rank} - node.grant.first_rank;
    if (place < 0 || place >= node.grant.ranks) continue;
    if (static_cast<std::size_t>(rank.rank) >= attempt.ranks.size()) continue;
    auto& known = attempt.ranks[static_cast<std::size_t>(rank.rank)];
    if (known.phase == RankPhase::Exited) continue;
    known = rank;
  }
}

bool tells_of_a_run(const AttemptStatus& status) {
  const auto started = [](const RankStatus& rank) { return rank.phase != RankPhase::Waiting; };
  return status.phase == NodePhase::Running || status.phase == NodePhase::Stopping ||
         std::ranges::any_of(status.ranks, started);
}

// Of an attempt that went by itself: the controller may hear of it late. REQUIRES: it has run.
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
  if (status.node_at_fault) {
    avoid_node(r, id, node);
    if (r.cluster().contact(node).unfit.empty() && status.site_error.empty())
      blame_node(r, node, culprit_of(r.cluster().job(id)->job),
                 "job " + std::to_string(id.value) + ": " + status.refused);
  }
  if (!status.resume_damaged || !attempt.resume) return;
  if (attempt.resume->job != JobId{}) return hold_for_damaged_source(r, attempt, node);
  for (Checkpoint c : r.cluster().job(id)->checkpoints) {
    if (c.key.attempt != attempt.resume->attempt || c.step != attempt.resume->step || c.damaged)
      continue;
    c.damaged = true;
    r.put(c);
    r.note(id, "checkpoint", "step " + std::to_string(c.step) + " is damaged and is skipped",
           "node " + node);
    hold_if_source_is_gone(r, id, node);
    return;
  }
}

StopOrder gang_is_broken(const Cluster& cluster, StopWhy why, std::string detail) {
  return {why, false, 0, cluster.config().kill_wait.count(), std::move(detail)};
}

// A status tells all, again and again: of what it notes only the news.
void tell_note(Reaction& r, JobId id, const std::string& node, const std::string& before,
               const std::string& note) {
  if (before == note) return;
  r.note(id, "node", note.empty() ? "no longer: " + before : note, "node " + node);
}

// A status may itself be the reason to end the gang everywhere.
void judge(Reaction& r, JobId id, const std::string& node, const AttemptStatus& status) {
  if (!status.refused.empty())
    stop_attempt(r, id,
                 gang_is_broken(r.cluster(), StopWhy::LaunchUndone,
                                "node " + node + " refused: " + status.refused),
                 "node " + node);
  if (status.supervisor_lost) {
    stop_attempt(r, id,
                 gang_is_broken(r.cluster(), StopWhy::NodeLost, "supervisor lost on node " + node),
                 "node " + node);
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
        gang_is_broken(r.cluster(), StopWhy::NodeLost, "the lease of node " + node + " ended"),
        "node " + node);
}

}  // namespace

namespace {

// Names of the user's files may be in what a node says; PostgreSQL and people want plain text.
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
  // Its CPUs are free, or it may be asked for them again.
  if (has_carried_out_suspension(attempt) && !carried_out) r.ask_for_scheduling();
  const bool unheard = attempt.went == Wall{} && may_have_run(r.cluster(), attempt);
  const bool has_run = unheard && tells_of_a_run(status);
  if (has_run) attempt.went = began_to_run(attempt, status, r.moment_of(id));
  // Between its first word and its ranks' it may have started them.
  const bool lost = unheard && !has_run && status.supervisor_lost;
  if (lost) attempt.went = attempt.began;
  r.put(attempt);
  if (lost) avoid_node(r, id, report.node);
  if (has_run && r.cluster().job(id)->job.state == JobState::Configuring) begin_running(r, id);
  if (!status.refused.empty()) note_refusal(r, attempt, report.node, status);
  if (status.refused.empty()) tell_note(r, id, report.node, noted, node->note);
  take_steps(r, id, report.node, status);
  judge(r, id, report.node, status);
  take_kill_failure(r, id, report.node, status);
  advance(r, id);
}

}  // namespace cox
