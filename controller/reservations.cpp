#include "controller/reservations.h"

#include <algorithm>

#include "common/moment_text.h"
#include "common/nearest.h"
#include "common/text.h"
#include "controller/request.h"
#include "schedule/alternatives.h"

namespace cox {
namespace {

bool is_among(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

bool is_on(const AdvanceReservation& r, Now now) {
  return r.begin <= now.wall && now.wall < r.end;
}

// Each of the alternatives of a request.
std::vector<schedule::Request> unchained(const schedule::Request& request) {
  std::vector<schedule::Request> all;
  for (const schedule::Request* one = &request; one != nullptr;
       one = one->otherwise ? &**one->otherwise : nullptr) {
    all.push_back(*one);
    all.back().otherwise.reset();
  }
  return all;
}

// What can be asked of its nodes alone.
Shared<schedule::Request> confined(const Cluster& cluster, const JobSpec& spec,
                                   const std::vector<std::string>& nodes) {
  auto all = unchained(*request_of(cluster.config(), spec, {}));
  for (schedule::Request& one : all) {
    const std::vector<std::string> before = std::move(one.partition_nodes);
    one.partition_nodes.clear();
    for (const std::string& node : nodes)
      if (before.empty() || is_among(before, node)) one.partition_nodes.push_back(node);
    if (one.partition_nodes.empty()) one.partition_nodes = {""};  // of no node
  }
  return schedule::chained(std::move(all));
}

Failure check_length(const AdvanceReservation& r, const JobSpec& spec, Now now) {
  if (r.flex) return std::nullopt;
  const std::int64_t least_s = spec.time_min_s > 0 ? spec.time_min_s : spec.time_limit_s;
  const Wall from = r.recurrence == Recurrence::None ? std::max(r.begin, now.wall) : r.begin;
  const std::int64_t left_s = (r.end - from).count() / 1000;
  if (least_s <= left_s) return std::nullopt;
  return Refusal{"it asks for " + std::to_string(least_s) +
                     " s, and must be over when reservation " + r.name + " ends at " +
                     moment_text(r.end) + ": " + std::to_string(left_s) + " s are left of it",
                 "ask for less with --time, or leave --reservation out"};
}

bool is_magnetic_for(const AdvanceReservation& r, const JobSpec& spec) {
  return r.magnetic && may_use(r, spec);
}

}  // namespace

std::vector<schedule::AdvanceReservation> world_reservations(const Cluster& cluster, Now now) {
  std::vector<schedule::AdvanceReservation> all;
  const Milliseconds apart = now.wall.time_since_epoch() - now.boot.time_since_epoch();
  const auto boot = [&](Wall moment) { return Boot{moment.time_since_epoch() - apart}; };
  for (const auto& [name, r] : cluster.reservations()) {
    schedule::AdvanceReservation& one = all.emplace_back();
    one.name = name;
    one.nodes = r.nodes;
    one.flex = r.flex;
    one.overrules = r.overrules();
    one.for_whom = whom_text(r);
    for (const Occurrence& next : occurrences_of(r, now.wall, occurrences_planned))
      one.occurrences.push_back({boot(next.begin), boot(next.end)});
  }
  return all;
}

Shared<schedule::Request> drawn_in(const Cluster& cluster, Shared<schedule::Request> request,
                                   const JobSpec& spec) {
  if (!spec.reservation.empty()) return request;
  std::vector<schedule::Request> all;
  for (const auto& [name, r] : cluster.reservations()) {
    if (!is_magnetic_for(r, spec)) continue;
    for (schedule::Request& one : unchained(*request)) {
      one.reservation = name;
      all.push_back(std::move(one));
    }
  }
  if (all.empty()) return request;
  std::ranges::move(unchained(*request), std::back_inserter(all));
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
  if (!may_use(r, spec))
    return Refusal{"a job of user " + spec.user_name +
                       (spec.account.empty() ? "" : ", account " + spec.account) + ", QOS " +
                       spec.qos + " may not use reservation " + r.name + ": it is for " +
                       whom_text(r),
                   "leave --reservation out, or ask an administrator to be let in"};
  if (auto failure = check_length(r, spec, now)) return failure;
  if (r.flex) return std::nullopt;
  const auto why =
      schedule::impossible(cluster.engine(now).nodes(), *confined(cluster, spec, r.nodes));
  if (!why) return std::nullopt;
  return Refusal{"reservation " + r.name + " with its " + std::to_string(r.nodes.size()) +
                     (r.nodes.size() == 1 ? " node" : " nodes") + " can never run it: " + *why,
                 "see `cox show reservations`, and ask for less"};
}

std::string note_on_reservations(const Cluster& cluster, const JobSpec& spec, Now now) {
  const PartitionConfig* partition = partition_of(cluster.config(), spec.partition);
  std::string note;
  for (const auto& [name, r] : cluster.reservations()) {
    if (name == spec.reservation || is_magnetic_for(r, spec) || r.begin <= now.wall) continue;
    const Wall end = now.wall + std::chrono::seconds{spec.time_limit_s};
    if (spec.time_limit_s > 0 && end <= r.begin) continue;
    const auto count = std::ranges::count_if(r.nodes, [&](const std::string& node) {
      return partition == nullptr || partition->nodes.empty() || is_among(partition->nodes, node);
    });
    if (count == 0) continue;
    note += (note.empty() ? "" : "\n") + ("reservation " + name + " begins at ") +
            moment_text(r.begin) + " on " + std::to_string(count) +
            (count == 1 ? " node" : " nodes") + " of partition " + spec.partition +
            ": until it ends at " + moment_text(r.end) + " the job can be there only if " +
            (spec.time_limit_s > 0 ? "its --time ends" : "it has a --time that ends") + " before";
  }
  return note;
}

ReservationList reservations_of(const Cluster& cluster, Now now) {
  ReservationList list;
  for (const auto& [name, r] : cluster.reservations()) {
    ReservationView& view = list.reservations.emplace_back();
    view.reservation = r;
    view.active = is_on(r, now);
    for (const JobId id : cluster.unfinished()) {
      const JobEntry& e = *cluster.job(id);
      const Attempt* attempt = e.live_attempt();
      const bool asked = e.job.spec->reservation == name;
      const bool drawn = view.active && attempt != nullptr && is_magnetic_for(r, *e.job.spec) &&
                         std::ranges::all_of(attempt->nodes, [&](const AttemptNode& n) {
                           return is_among(r.nodes, n.grant.node);
                         });
      if (asked && attempt == nullptr) view.waiting.push_back(id);
      if ((asked && attempt != nullptr) || drawn) view.running.push_back(id);
    }
  }
  return list;
}

void tell_reservations_on(NodeView& view, const Cluster& cluster, Now now) {
  for (const auto& [name, r] : cluster.reservations()) {
    if (!is_on(r, now) || !is_among(r.nodes, view.node.name)) continue;
    view.reservations.push_back(name);
    view.maint = view.maint || r.maint;
  }
}

}  // namespace cox
