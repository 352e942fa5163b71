#include "controller/state/reservations.h"

#include <algorithm>
#include <map>

#include "common/base/hostlist.h"
#include "common/base/text.h"
#include "controller/job/magnetic.h"
#include "controller/state/node_health.h"

namespace cox {
namespace {

bool is_on(const AdvanceReservation& r, Now now) {
  return r.begin <= now.wall && now.wall < r.end;
}

}  // namespace

std::string users_in_short(AdvanceReservation r) {
  constexpr std::size_t names_max = 2;
  constexpr std::size_t bytes_max = 40;
  for (auto* list : {&r.users, &r.accounts, &r.qos}) {
    if (list->size() <= names_max + 1) continue;
    const std::string more = std::to_string(list->size() - names_max) + " more";
    list->resize(names_max);
    list->push_back(more);
  }
  const std::string text = access_text(r);
  return text.size() <= bytes_max ? text : cut_text(text, bytes_max) + "...";
}

std::vector<schedule::AdvanceReservation> scheduler_reservations(const Cluster& cluster, Now now) {
  std::vector<schedule::AdvanceReservation> all;
  const Milliseconds apart = now.wall.time_since_epoch() - now.boot.time_since_epoch();
  const auto boot = [&](Wall moment) { return Boot{moment.time_since_epoch() - apart}; };
  for (const auto& [name, r] : cluster.reservations().all()) {
    schedule::AdvanceReservation& one = all.emplace_back();
    one.name = name;
    one.nodes = r.nodes;
    one.flex = r.flex;
    one.overrules = r.overrules();
    one.users_text = users_in_short(r);
    one.recurs = r.recurrence != Recurrence::None;
    for (const Occurrence& next : occurrences_of(r, now.wall, occurrences_planned))
      one.occurrences.push_back({boot(next.begin), boot(next.end)});
  }
  // Key: when the silence began, since a failed switch silences many nodes at once.
  std::map<Boot, std::vector<std::string>> silent;
  for (const auto& [name, node] : cluster.nodes().all())
    if (const NodeContact& live = cluster.soft().contact(name);
        is_briefly_silent(node, live, now.boot))
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

bool is_in_reservation(const Cluster& cluster, const JobEntry& e, const std::string& name,
                       Now now) {
  if (!e.job.spec->reservation.empty()) return e.job.spec->reservation == name;
  const auto found = cluster.reservations().all().find(name);
  if (found == cluster.reservations().all().end() || e.live_attempt() == nullptr) return false;
  const AdvanceReservation& r = found->second;
  if (!is_on(r, now) || !draws_in(r, cluster.accounting().accounts(), *e.job.spec)) return false;
  return std::ranges::all_of(e.live_attempt()->nodes, [&](const AttemptNode& n) {
    return std::ranges::binary_search(r.nodes, n.grant.node, host_name_before);
  });
}

ReservationList reservations_of(const Cluster& cluster, Now now) {
  ReservationList list;
  std::map<std::string, std::size_t> places;
  for (const auto& [name, r] : cluster.reservations().all()) {
    places[name] = list.reservations.size();
    list.reservations.push_back({r, is_on(r, now), {}, {}});
  }
  for (const JobId id : cluster.jobs().unfinished()) {
    const JobEntry& e = *cluster.job(id);
    const auto asked = places.find(e.job.spec->reservation);
    if (asked == places.end()) continue;
    ReservationView& view = list.reservations[asked->second];
    (e.live_attempt() == nullptr ? view.waiting : view.running).push_back(id);
  }
  for (ReservationView& view : list.reservations) {
    if (!view.active || !view.reservation.magnetic) continue;
    for (const JobId id : cluster.jobs().live()) {
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
  for (const auto& [name, r] : cluster.reservations().all())
    if (is_on(r, now))
      for (const std::string& node : r.nodes) reserved[node].push_back(&r);
  return reserved;
}

}  // namespace cox
