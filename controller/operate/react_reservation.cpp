#include "controller/operate/react_reservation.h"

#include <algorithm>
#include <map>
#include <set>

#include "common/base/hostlist.h"
#include "common/base/limits.h"
#include "common/base/moment_text.h"
#include "common/base/nearest.h"
#include "common/base/text.h"
#include "controller/admit/input_checks.h"
#include "controller/job/request.h"
#include "controller/state/node_health.h"
#include "controller/state/reservations.h"

namespace cox {
namespace {

constexpr std::size_t reservations_max = 1'000;
constexpr std::size_t settings_max = 64;

std::string placed_text(const AdvanceReservation& r) {
  return " on " + compress_hostlist(r.nodes) + ", from " + moment_text(r.begin) + " until " +
         moment_text(r.end) +
         (r.recurrence == Recurrence::None ? "" : ", " + std::string(name(r.recurrence)));
}

// Returns the reservation with the requested settings and the nodes chosen for it. `before`: the
// present reservation; for a new one it has only a name.
Result<AdvanceReservation> settled(const Cluster& cluster, const AdvanceReservation& before,
                                   const ActOnReservation& act, Now now) {
  auto made = with_settings(before, act.settings, now.wall);
  if (!made) return made;
  AdvanceReservation& r = *made;
  if (auto failure = check_access(cluster, before, r)) return *failure;
  if (r.end <= now.wall && r.recurrence == Recurrence::None)
    return Refusal{"the reservation would end at " + moment_text(r.end) + ", which has passed",
                   "give a later StartTime= or EndTime="};
  const bool asks_the_same = r.nodes_asked == before.nodes_asked &&
                             r.node_count == before.node_count && r.features == before.features &&
                             r.tres == before.tres && r.partition == before.partition;
  const bool is_when_it_was =
      r.begin == before.begin && r.end == before.end && r.recurrence == before.recurrence;
  if (asks_the_same && !r.nodes.empty() &&
      (is_when_it_was || !check_reserved_nodes(cluster, r, now)))
    return made;
  auto nodes = nodes_to_reserve(cluster, r, now);
  if (!nodes) return nodes.refusal();
  r.nodes = std::move(*nodes);
  if (auto failure = check_reserved_nodes(cluster, r, now)) return *failure;
  return made;
}

Refusal no_such(const Cluster& cluster, const std::string& name) {
  std::vector<std::string_view> names;
  for (const auto& [known, one] : cluster.reservations().all()) names.push_back(known);
  const std::string suggestion = did_you_mean(name, names);
  return {"there is no reservation " + quoted(name),
          suggestion.empty() ? "`cox show reservations` lists them" : suggestion};
}

Failure check_act(const Cluster& cluster, const Caller& caller, const ActOnReservation& act) {
  if (caller.uid != cluster.config().owner_uid) return only_for_owner();
  if (!is_host_name(act.name))
    return Refusal{quoted(act.name) + " is not a valid reservation name",
                   "use letters, digits, '-', '_' and '.'"};
  if (act.settings.size() > settings_max)
    return Refusal{"more than " + std::to_string(settings_max) + " settings",
                   "give each setting once"};
  const bool known = cluster.reservations().all().contains(act.name);
  if (act.verb != ReservationVerb::Create) {
    if (!known) return no_such(cluster, act.name);
    return std::nullopt;
  }
  if (known)
    return Refusal{"there is a reservation " + act.name + " already",
                   "`cox reserve update " + act.name + "` changes it"};
  if (cluster.reservations().all().size() < reservations_max) return std::nullopt;
  return Refusal{"there are " + std::to_string(reservations_max) + " reservations, the limit",
                 "delete some that are no longer needed"};
}

// Records `why` in the history of the pending jobs that name the reservation.
void record_for_waiting(Reaction& r, const std::string& name, const std::string& why,
                        const std::string& actor) {
  for (const JobId id : r.cluster().jobs().unfinished()) {
    const Job& job = r.cluster().job(id)->job;
    if (job.spec->reservation == name && job.state == JobState::Pending)
      r.note(id, "reservation", why, actor);
  }
}

void remove(Reaction& r, const std::string& name, const std::string& what,
            const std::string& actor) {
  r.remove_reservation(name, what, actor);
  record_for_waiting(r, name,
                     "reservation " + name + " is " + what +
                         "; the job waits until there is one of that name, or it is cancelled",
                     actor);
}

Result<std::string> act_on_reservation(Reaction& r, const Caller& caller,
                                       const ActOnReservation& act) {
  const std::string actor = "user " + caller.user_name;
  if (auto failure = check_act(r.cluster(), caller, act)) return *failure;
  if (act.verb == ReservationVerb::Delete) {
    remove(r, act.name, "deleted", actor);
    return std::string("deleted");
  }
  const bool is_new = act.verb == ReservationVerb::Create;
  AdvanceReservation before;
  before.name = act.name;
  if (!is_new) before = r.cluster().reservations().all().at(act.name);
  auto made = settled(r.cluster(), before, act, r.now());
  if (!made) return made.refusal();
  const std::string where = placed_text(*made);
  r.put(std::move(*made), is_new ? "created" : "updated", actor);
  if (!is_new)
    record_for_waiting(r, act.name, "reservation " + act.name + " is now" + where, actor);
  return (is_new ? "created" : "updated") + where;
}

// How often unusable nodes are replaced and idle reservations are ended. Slurm's interval.
constexpr Milliseconds upkeep_interval{30'000};

// Returns whether the node is only briefly silent, so that it stays in the reservation.
bool will_be_back(const Cluster& cluster, const Node& node, Now now) {
  return !node.drained && is_briefly_silent(node, cluster.soft().contact(node.name), now.boot);
}

// Returns whether unusable nodes of the reservation should be replaced by others. False if the user
// named the nodes, and while jobs of the reservation still run on an unusable node.
bool has_lost_nodes(const Cluster& cluster, const AdvanceReservation& one, Now now) {
  const bool by_number = one.nodes_asked.empty() && (one.node_count > 0 || !one.tres.empty());
  if (!by_number || one.maint || one.static_alloc) return false;
  bool lost = false;
  for (const std::string& name : one.nodes) {
    const Node* node = cluster.node(name);
    if (node != nullptr && (takes_work(*node) || will_be_back(cluster, *node, now))) continue;
    if (node != nullptr && has_jobs_of(cluster, name, one.name, now)) return false;
    lost = true;
  }
  return lost;
}

void replace_lost_nodes(Reaction& r, const AdvanceReservation& one) {
  if (!has_lost_nodes(r.cluster(), one, r.now())) return;
  auto nodes = nodes_to_reserve(r.cluster(), one, r.now());
  if (!nodes) return;  // there are no other nodes to replace them at present
  AdvanceReservation changed = one;
  changed.nodes = std::move(*nodes);
  const std::string where = placed_text(changed);
  const std::string name = one.name;
  r.put(std::move(changed), "moved from unusable nodes", "controller");
  record_for_waiting(r, name, "reservation " + name + " is now" + where, "controller");
}

// Returns whether a job that does not name this MAGNETIC reservation runs in it.
bool has_drawn_in(const Cluster& cluster, const AdvanceReservation& one, Now now) {
  return one.magnetic && std::ranges::any_of(cluster.jobs().live(), [&](JobId id) {
           return is_in_reservation(cluster, *cluster.job(id), one.name, now);
         });
}

// Ends the present occurrence of a reservation that has had no jobs for its purge time
// (PURGE_COMP). `asked_for`: the reservations that unfinished jobs name.
void end_idle(Reaction& r, const AdvanceReservation& one, const std::set<std::string>& asked_for) {
  std::map<std::string, Boot>& idle = r.soft_state().idle_reservations;
  const bool is_active = one.begin <= r.now().wall && r.now().wall < one.end;
  if (one.purge_idle_s == 0 || !is_active || asked_for.contains(one.name) ||
      has_drawn_in(r.cluster(), one, r.now())) {
    idle.erase(one.name);
    return;
  }
  const Boot since = idle.try_emplace(one.name, r.now().boot).first->second;
  if (r.now().boot - since < std::chrono::seconds{one.purge_idle_s}) return;
  idle.erase(one.name);
  const auto next = occurrences_of(one, r.now().wall, 2);
  if (next.size() < 2) return remove(r, one.name, "over, as it was idle", "controller");
  AdvanceReservation moved = one;
  moved.begin = next[1].begin;
  moved.end = next[1].end;
  r.put(std::move(moved), "was idle; moved on to its next time", "controller");
}

void keep_reservations_up(Reaction& r) {
  if (r.cluster().reservations().all().empty()) return;
  const std::vector<std::string> names =
      r.take_reservation_upkeep(upkeep_interval, limits::reservations_kept_up_max);
  const auto& all = r.cluster().reservations().all();
  for (const std::string& name : names) replace_lost_nodes(r, AdvanceReservation(all.at(name)));
  const auto ends_idle = [&](const std::string& name) { return all.at(name).purge_idle_s > 0; };
  if (std::ranges::none_of(names, ends_idle)) return;
  std::set<std::string> asked_for;
  for (const JobId id : r.cluster().jobs().unfinished())
    asked_for.insert(r.cluster().job(id)->job.spec->reservation);
  for (const std::string& name : names) end_idle(r, AdvanceReservation(all.at(name)), asked_for);
}

}  // namespace

void on_reservation(Reaction& r, const PeerMessage& incoming, std::int64_t number,
                    const ActOnReservation& act) {
  auto done = act_on_reservation(r, incoming.caller, act);
  if (!done) return r.reply(incoming.peer, number, Refused{done.refusal()});
  Acted acted;
  acted.outcomes.push_back({act.name, std::move(*done), std::nullopt});
  r.reply(incoming.peer, number, std::move(acted));
}

// A stored recurring reservation may begin on a day on which it does not recur, since an older
// version allowed that.
void watch_reservations(Reaction& r) {
  std::vector<AdvanceReservation> over;
  for (const auto& [name, one] : r.cluster().reservations().all()) {
    const auto next = occurrences_of(one, r.now().wall, 1);
    if (next.empty() || next.front().begin != one.begin) over.push_back(one);
  }
  for (AdvanceReservation& one : over) {
    const auto next = occurrences_of(one, r.now().wall, 1);
    if (next.empty()) {
      remove(r, one.name, "over", "controller");
      continue;
    }
    one.begin = next.front().begin;
    one.end = next.front().end;
    r.put(std::move(one), "moved on to its next time", "controller");
  }
  keep_reservations_up(r);
}

}  // namespace cox
