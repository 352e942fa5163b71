#include "controller/state/reservations.h"

#include <algorithm>
#include <map>
#include <set>

#include "common/base/hostlist.h"
#include "common/base/moment_text.h"
#include "common/base/nearest.h"
#include "common/base/text.h"
#include "common/base/time_format.h"
#include "controller/state/engine_input.h"
#include "controller/state/node_health.h"
#include "controller/state/request.h"
#include "controller/state/save_time.h"
#include "schedule/explain/blocking_reservations.h"
#include "schedule/explain/why_never_fits.h"
#include "schedule/place/alternatives.h"

namespace cox {
namespace {

// Of these nodes those of a partition, which has all when it names none.
std::vector<std::string> those_in(const std::vector<std::string>& partition,
                                  const std::vector<std::string>& nodes) {
  if (partition.empty()) return nodes;
  const std::set<std::string_view> among(partition.begin(), partition.end());
  std::vector<std::string> found;
  for (const std::string& node : nodes)
    if (among.contains(node)) found.push_back(node);
  return found;
}

bool is_on(const AdvanceReservation& r, Now now) {
  return r.begin <= now.wall && now.wall < r.end;
}

// Whoever is told of it need not read all names.
std::string whom_in_short(AdvanceReservation r) {
  constexpr std::size_t names_max = 2;
  constexpr std::size_t bytes_max = 40;
  for (auto* list : {&r.users, &r.accounts, &r.qos}) {
    if (list->size() <= names_max + 1) continue;
    const std::string more = std::to_string(list->size() - names_max) + " more";
    list->resize(names_max);
    list->push_back(more);
  }
  const std::string text = whom_text(r);
  return text.size() <= bytes_max ? text : cut_text(text, bytes_max) + "...";
}

// Who keeps nodes for an account keeps them for all that is part of it.
std::vector<std::string> accounts_above(const Cluster& cluster, const JobSpec& spec) {
  std::vector<std::string> above;
  if (const Association* own = cluster.accounts().of(spec))
    for (const Association* one : cluster.accounts().chain(*own)) above.push_back(one->account);
  return above;
}

// What can be asked of its nodes alone.
Shared<schedule::Request> confined(const Cluster& cluster, const JobSpec& spec,
                                   const AdvanceReservation& r) {
  auto all = schedule::unchained(*make_request(cluster.config(), spec, {}));
  for (schedule::Request& one : all) {
    one.partition_nodes = those_in(one.partition_nodes, r.nodes);
    one.reservation = r.name;
    if (one.partition_nodes.empty()) one.partition_nodes = {""};  // of no node
    for (Shared<schedule::Request>& component : one.components) {
      schedule::Request own = *component;
      own.partition_nodes = those_in(own.partition_nodes, r.nodes);
      if (own.partition_nodes.empty()) own.partition_nodes = {""};
      component = Shared<schedule::Request>(std::move(own));
    }
  }
  return schedule::chained(std::move(all));
}

Failure check_length(const Cluster& cluster, const AdvanceReservation& r, const JobSpec& spec,
                     Now now) {
  if (r.flex) return std::nullopt;
  const std::int64_t asked_s = spec.time_min_s > 0 ? spec.time_min_s : spec.time_limit_s;
  const std::int64_t grace_s = asked_s > 0 ? grace_after_limit(cluster, spec).count() / 1000 : 0;
  const std::int64_t least_s = asked_s + grace_s;
  const Wall from = r.recurrence == Recurrence::None ? std::max(r.begin, now.wall) : r.begin;
  const std::int64_t left_s = (r.end - from).count() / 1000;
  if (least_s <= left_s) return std::nullopt;
  return Refusal{"it asks for " + format_time_limit(asked_s) +
                     (grace_s > 0 ? " and " + format_time_limit(grace_s) + " to save in" : "") +
                     ", and must be over when reservation " + r.name + " ends at " +
                     moment_text(r.end) + ": " +
                     format_time_limit(std::max<std::int64_t>(left_s, 1)) + " is left of it",
                 "ask for less with --time, or leave --reservation out"};
}

bool is_magnetic_for(const Cluster& cluster, const AdvanceReservation& r, const JobSpec& spec) {
  return r.magnetic && may_use(r, spec, accounts_above(cluster, spec));
}

}  // namespace

std::vector<schedule::AdvanceReservation> scheduler_reservations(const Cluster& cluster, Now now) {
  std::vector<schedule::AdvanceReservation> all;
  const Milliseconds apart = now.wall.time_since_epoch() - now.boot.time_since_epoch();
  const auto boot = [&](Wall moment) { return Boot{moment.time_since_epoch() - apart}; };
  for (const auto& [name, r] : cluster.reservations()) {
    schedule::AdvanceReservation& one = all.emplace_back();
    one.name = name;
    one.nodes = r.nodes;
    one.flex = r.flex;
    one.overrules = r.overrules();
    one.for_whom = whom_in_short(r);
    one.recurs = r.recurrence != Recurrence::None;
    for (const Occurrence& next : occurrences_of(r, now.wall, occurrences_planned))
      one.occurrences.push_back({boot(next.begin), boot(next.end)});
  }
  std::map<Boot, std::vector<std::string>> silent;  // by its beginning: a switch takes many at once
  for (const auto& [name, node] : cluster.nodes())
    if (const NodeContact& live = cluster.contact(name); is_briefly_silent(node, live, now.boot))
      silent[live.silent_since].push_back(name);
  for (auto& [since, names] : silent) {
    schedule::AdvanceReservation& one = all.emplace_back();
    one.name = "silence of " + names.front();
    one.nodes = std::move(names);
    one.overrules = one.is_silence = true;
    one.occurrences.push_back({since, since + reserved_through_silence});
  }
  return all;
}

Shared<schedule::Request> drawn_in(const Cluster& cluster, Shared<schedule::Request> request,
                                   const JobSpec& spec) {
  if (!spec.reservation.empty()) return request;
  constexpr int drawn_in_most = 4;  // each is tried with every alternative
  int drawn = 0;
  std::vector<schedule::Request> all;
  for (const auto& [name, r] : cluster.reservations()) {
    if (!is_magnetic_for(cluster, r, spec)) continue;
    if (drawn++ == drawn_in_most) break;
    for (schedule::Request& one : schedule::unchained(*request)) {
      one.reservation = name;
      all.push_back(std::move(one));
    }
  }
  if (all.empty()) return request;
  std::ranges::move(schedule::unchained(*request), std::back_inserter(all));
  return schedule::chained(std::move(all));
}

Failure check_reservation(const Cluster& cluster, const JobSpec& spec, Now now) {
  if (spec.reservation.empty()) return std::nullopt;
  const auto found = cluster.reservations().find(spec.reservation);
  if (found == cluster.reservations().end()) {
    std::vector<std::string_view> names;
    for (const auto& [name, one] : cluster.reservations()) names.push_back(name);
    const std::string meant = did_you_mean(spec.reservation, names);
    return Refusal{"there is no reservation " + quoted(spec.reservation),
                   meant.empty() ? "`cox show reservations` lists them" : meant};
  }
  const AdvanceReservation& r = found->second;
  if (!may_use(r, spec, accounts_above(cluster, spec)))
    return Refusal{"a job of user " + spec.user_name +
                       (spec.account.empty() ? "" : ", account " + spec.account) + ", QOS " +
                       spec.qos + " may not use reservation " + r.name + ": it is for " +
                       whom_in_short(r),
                   "leave --reservation out, or ask an administrator to be let in"};
  if (auto failure = check_length(cluster, r, spec, now)) return failure;
  if (r.flex) return std::nullopt;
  const auto why = schedule::impossible(cluster.engine(now).nodes(), *confined(cluster, spec, r));
  if (!why) return std::nullopt;
  return Refusal{"reservation " + r.name + " with its " + std::to_string(r.nodes.size()) +
                     (r.nodes.size() == 1 ? " node" : " nodes") + " can never run it: " + *why,
                 hint_of_impossible(*why, "see `cox show reservations`")};
}

std::string note_on_reservations(const Cluster& cluster, JobId id, Now now) {
  const JobEntry& e = *cluster.job(id);
  if (cluster.reservations().empty() || !e.in_line) return "";
  return joined(schedule::lines_in_the_way(cluster.engine(now), pending_job(cluster, e), now),
                "\n");
}

bool is_in_reservation(const Cluster& cluster, const JobEntry& e, const std::string& name,
                       Now now) {
  if (!e.job.spec->reservation.empty()) return e.job.spec->reservation == name;
  const auto found = cluster.reservations().find(name);
  if (found == cluster.reservations().end() || e.live_attempt() == nullptr) return false;
  const AdvanceReservation& r = found->second;
  if (!is_on(r, now) || !is_magnetic_for(cluster, r, *e.job.spec)) return false;
  return std::ranges::all_of(e.live_attempt()->nodes, [&](const AttemptNode& n) {
    return std::ranges::binary_search(r.nodes, n.grant.node, host_name_before);
  });
}

ReservationList reservations_of(const Cluster& cluster, Now now) {
  ReservationList list;
  std::map<std::string, std::size_t> places;
  for (const auto& [name, r] : cluster.reservations()) {
    places[name] = list.reservations.size();
    list.reservations.push_back({r, is_on(r, now), {}, {}});
  }
  for (const JobId id : cluster.unfinished()) {
    const JobEntry& e = *cluster.job(id);
    const auto asked = places.find(e.job.spec->reservation);
    if (asked == places.end()) continue;
    ReservationView& view = list.reservations[asked->second];
    (e.live_attempt() == nullptr ? view.waiting : view.running).push_back(id);
  }
  for (ReservationView& view : list.reservations) {
    if (!view.active || !view.reservation.magnetic) continue;
    for (const JobId id : cluster.live()) {
      const JobEntry& e = *cluster.job(id);
      if (e.job.spec->reservation.empty() &&
          is_in_reservation(cluster, e, view.reservation.name, now))
        view.running.push_back(id);
    }
    std::ranges::sort(view.running);
  }
  return list;
}

std::map<std::string, std::vector<const AdvanceReservation*>> reserved_now(const Cluster& cluster,
                                                                           Now now) {
  std::map<std::string, std::vector<const AdvanceReservation*>> reserved;
  for (const auto& [name, r] : cluster.reservations())
    if (is_on(r, now))
      for (const std::string& node : r.nodes) reserved[node].push_back(&r);
  return reserved;
}

}  // namespace cox
