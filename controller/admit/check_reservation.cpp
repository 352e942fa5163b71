#include "controller/admit/check_reservation.h"

#include <set>

#include "common/base/moment_text.h"
#include "common/base/nearest.h"
#include "common/base/text.h"
#include "common/base/time_format.h"
#include "controller/feed/engine_input.h"
#include "controller/feed/save_time.h"
#include "controller/job/magnetic.h"
#include "controller/job/request.h"
#include "controller/state/reservations.h"
#include "schedule/explain/blocking_reservations.h"
#include "schedule/explain/why_never_fits.h"
#include "schedule/place/alternatives.h"

namespace cox {
namespace {

// Returns those of the nodes that are in the partition. A partition that names no nodes has all.
std::vector<std::string> those_in(const std::vector<std::string>& partition,
                                  const std::vector<std::string>& nodes) {
  if (partition.empty()) return nodes;
  const std::set<std::string_view> among(partition.begin(), partition.end());
  std::vector<std::string> found;
  for (const std::string& node : nodes)
    if (among.contains(node)) found.push_back(node);
  return found;
}

// Returns the job's request, restricted to the nodes of the reservation.
Shared<schedule::Request> confined(const Cluster& cluster, const ParsedSpec& spec,
                                   const AdvanceReservation& r) {
  auto all = schedule::unchained(*make_request(cluster.config(), spec, {}));
  for (schedule::Request& one : all) {
    one.partition_nodes = those_in(one.partition_nodes, r.nodes);
    one.reservation = r.name;
    // "" names no node; an empty list would mean all nodes.
    if (one.partition_nodes.empty()) one.partition_nodes = {""};
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
                     (grace_s > 0 ? " and " + format_time_limit(grace_s) + " to save" : "") +
                     ", but only " + format_time_limit(std::max<std::int64_t>(left_s, 1)) +
                     " is left until reservation " + r.name + " ends at " + moment_text(r.end),
                 "ask for less with --time, or leave --reservation out"};
}

}  // namespace

Failure check_reservation(const Cluster& cluster, EngineFeed& feed, const ParsedSpec& spec,
                          Now now) {
  if (spec.reservation.empty()) return std::nullopt;
  const auto found = cluster.reservations().all().find(spec.reservation);
  if (found == cluster.reservations().all().end()) {
    std::vector<std::string_view> names;
    for (const auto& [name, one] : cluster.reservations().all()) names.push_back(name);
    const std::string suggestion = did_you_mean(spec.reservation, names);
    return Refusal{"there is no reservation " + quoted(spec.reservation),
                   suggestion.empty() ? "`cox show reservations` lists them" : suggestion};
  }
  const AdvanceReservation& r = found->second;
  if (!may_use(r, spec, accounts_above(cluster.accounting().accounts(), spec)))
    return Refusal{"a job of user " + spec.user_name +
                       (spec.account.empty() ? "" : ", account " + spec.account) + ", QOS " +
                       spec.qos + " may not use reservation " + r.name + ": it is for " +
                       users_in_short(r),
                   "leave --reservation out, or ask an administrator for access"};
  if (auto failure = check_length(cluster, r, spec, now)) return failure;
  if (r.flex) return std::nullopt;
  const auto why = schedule::impossible(feed.engine(now).nodes(), *confined(cluster, spec, r));
  if (!why) return std::nullopt;
  return Refusal{"reservation " + r.name + " with its " + std::to_string(r.nodes.size()) +
                     (r.nodes.size() == 1 ? " node" : " nodes") + " can never run it: " + *why,
                 hint_for_impossible(*why, "see `cox show reservations`")};
}

std::string note_on_reservations(const Cluster& cluster, EngineFeed& feed, JobId id, Now now) {
  const JobEntry& e = *cluster.job(id);
  if (cluster.reservations().all().empty() || !e.is_eligible()) return "";
  return joined(schedule::lines_in_the_way(feed.engine(now), pending_job(cluster, e), now), "\n");
}

}  // namespace cox
