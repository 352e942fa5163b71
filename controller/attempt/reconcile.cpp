#include "controller/attempt/reconcile.h"

#include <algorithm>
#include <set>
#include <utility>

#include "common/base/check.h"
#include "controller/attempt/attempt.h"
#include "controller/attempt/react_health.h"
#include "controller/attempt/react_recovery.h"
#include "controller/change/recovery.h"
#include "controller/ledger/lost_attempts.h"
#include "controller/ledger/site_runs.h"

namespace cox {
namespace {

constexpr std::size_t stale_ends_max = 64;

const AttemptNode* node_of(const Attempt& attempt, const std::string& node) {
  for (const auto& n : attempt.nodes)
    if (n.grant.node == node) return &n;
  return nullptr;
}

// Returns whether nothing of the attempt should run on the node any more: the attempt is over, or
// this node's part of it is.
bool is_over(const Cluster& cluster, const std::string& node, AttemptKey key) {
  if (!is_live_attempt(cluster, key)) return true;
  const AttemptNode* part = node_of(*cluster.job(key.job)->live_attempt(), node);
  return part == nullptr || part->phase == NodePhase::Gone;
}

// Records in the job's history that a node has reported the end of an attempt which the controller
// had already given up. Changes nothing else. The node may repeat its report; it is recorded once.
void note_stale_end(Reaction& r, const std::string& node, AttemptKey key, std::int64_t revision) {
  const JobEntry* entry = r.cluster().job(key.job);
  if (entry == nullptr) return;
  for (const Attempt& attempt : entry->attempts) {
    const AttemptNode* part = attempt.key == key ? node_of(attempt, node) : nullptr;
    if (attempt.ended == Wall{} || part == nullptr || revision <= part->revision) continue;
    std::set<AttemptKey>& recorded = r.soft_state().edit(node).stale_ends;
    if (!recorded.insert(key).second) return;
    if (recorded.size() > stale_ends_max) recorded.erase(recorded.begin());
    r.note(key.job, "stale_completion",
           "attempt " + std::to_string(key.attempt.value) +
               " ended there after the controller had given it up",
           "node " + node);
  }
}

}  // namespace

bool is_live_attempt(const Cluster& cluster, AttemptKey key) {
  const JobEntry* entry = cluster.job(key.job);
  const Attempt* live = entry == nullptr ? nullptr : entry->live_attempt();
  return live != nullptr && live->key == key;
}

void end_foreign(Reaction& r, const std::string& node, AttemptKey key, NodePhase phase,
                 std::int64_t revision) {
  report_if_lost(r, node, key);
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

namespace {

void take_run_time(Reaction& r, const Fact& fact) {
  if (fact.ran_ms > 0) r.take_run_time(fact.key.job, Milliseconds{fact.ran_ms});
}

// Returns whether it is certain that the node will not run the attempt, which was sent to it and is
// to be stopped. A list that lacks it may be older than the launch: they may have crossed. The next
// heartbeat that confirms an acknowledgement sent after such a list is the proof, since the node
// has received that acknowledgement after the launch. `confirmed`: as in the heartbeat with this
// list.
bool has_surely_not_begun(Reaction& r, const std::string& node, AttemptKey key,
                          std::int64_t confirmed) {
  NodeContact& live = r.soft_state().edit(node);
  const auto [missed, is_first] = live.missed.try_emplace(key, live.beat);
  return !is_first && confirmed > missed->second;
}

void forget_missed(NodeContact& live, const std::vector<Fact>& facts, const Cluster& cluster) {
  std::erase_if(live.missed, [&](const auto& missed) {
    const auto is_it = [&](const Fact& fact) { return fact.key == missed.first; };
    return std::ranges::any_of(facts, is_it) || !is_live_attempt(cluster, missed.first);
  });
}

}  // namespace

void reconcile(Reaction& r, const std::string& node, const std::vector<Fact>& facts,
               bool has_rebooted, std::int64_t confirmed) {
  forget_missed(r.soft_state().edit(node), facts, r.cluster());
  bool ends_foreign = false;
  for (const auto& fact : facts) {
    if (is_over(r.cluster(), node, fact.key)) {
      end_foreign(r, node, fact.key, fact.phase, fact.revision);
      // The ranks of a job with --no-fence may still run here though the job has restarted
      // elsewhere. Until these ranks end, the node gets no work.
      ends_foreign = ends_foreign || fact.phase != NodePhase::Gone;
      continue;
    }
    take_run_time(r, fact);
  }
  if (std::exchange(r.soft_state().edit(node).ends_foreign, ends_foreign) != ends_foreign) {
    r.availability_changed(node);
    r.ask_for_scheduling();
  }
  for (const JobId id : r.cluster().jobs().on_node(node)) {
    const Attempt attempt = *r.cluster().job(id)->live_attempt();
    const AttemptNode* part = node_of(attempt, node);
    CHECK(part != nullptr);
    if (part->phase == NodePhase::Gone) continue;
    const auto same = [&](const Fact& f) { return f.key == attempt.key; };
    const auto fact = std::ranges::find_if(facts, same);
    if (fact != facts.end()) {
      remind(r, id, *part, fact->phase, fact->suspension);
    } else if (const auto rebooted = Emptied::by_reboot(r.cluster(), id, node, has_rebooted)) {
      end_lost_part(r, id, node, *rebooted);
      blame_node(r, node, JobId{},
                 "it rebooted while job " + std::to_string(id.value) + " ran there");
    } else if (may_have_run_unrecorded(r.cluster(), attempt)) {
      if (const auto proof =
              Emptied::by_list(r.cluster(), node,
                               "does not have the attempt; it may have run there in the time that "
                               "the database has lost"))
        end_lost_part(r, id, node, *proof);
    } else if (part->phase == NodePhase::Preparing && attempt.stop.why == StopWhy::None) {
      resend_to_node(r, id, node);
    } else if (part->phase == NodePhase::Preparing) {
      const auto proof = Emptied::by_list(r.cluster(), node, "has not begun the attempt");
      if (proof && has_surely_not_begun(r, node, attempt.key, confirmed))
        end_lost_part(r, id, node, *proof);
    } else if (const auto unlisted =
                   Emptied::by_list(r.cluster(), node, "no longer has the attempt")) {
      // Before the node obeys this leader, its list may be older than the launch.
      end_lost_part(r, id, node, *unlisted);
      blame_node(r, node, JobId{}, "it has lost job " + std::to_string(id.value));
    }
  }
}

}  // namespace cox
