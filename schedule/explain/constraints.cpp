#include <algorithm>
#include <bit>
#include <functional>

#include "schedule/explain/explain_context.h"
#include "schedule/explain/explain_text.h"
#include "schedule/place/contiguous.h"
#include "schedule/place/islands.h"
#include "schedule/place/matcher.h"
#include "schedule/place/place.h"

namespace cox::schedule {
namespace {

using Test = std::function<bool(NodeAt)>;

// One of the job's alternative requests. `open`: the room it may use, without what is reserved for
// others.
struct ConstraintInput {
  const ExplainContext& context;
  const ResolvedRequest& need;
  const Room& open;
};

// A requirement of jobs on nodes. To add one, add a row to `constraints`.
struct Constraint {
  std::string (*words)(const ResolvedRequest&);  // empty: not required
  Test (*test)(const ConstraintInput&);
  bool is_silent = false;  // no line if it rules out no node
};

Test is_among(const ExplainContext& context, const std::vector<std::string>& names) {
  std::vector<bool> among(static_cast<std::size_t>(context.facts.nodes().size()));
  for (const std::string& name : names)
    if (const auto at = context.facts.nodes().find(name))
      among[static_cast<std::size_t>(*at)] = true;
  return [among = std::move(among)](NodeAt at) { return among[static_cast<std::size_t>(at)]; };
}

Test is_within(const std::vector<NodeAt>& nodes) {
  return [&nodes](NodeAt at) { return std::ranges::binary_search(nodes, at); };
}

Test has_room_in(const ResolvedRequest& need, const Room& room) {
  return [&](NodeAt at) { return has_room(need, room, at); };
}

// Returns whether enough nodes have room in the node's domain of the required topology level.
bool is_in_wide_domain(const ConstraintInput& input, NodeAt at) {
  const ResolvedRequest& need = input.need;
  for (const Domain& domain : input.context.facts.nodes().levels()[*need.level]) {
    if (at < domain.first || at >= domain.last) continue;
    std::int64_t with_room = 0;
    for (NodeAt near = domain.first; near < domain.last; ++near)
      if (std::ranges::binary_search(need.usable, near) && has_room(need, input.open, near))
        ++with_room;
    return with_room >= need.nodes;
  }
  return false;
}

std::vector<NodeAt> nodes_with_room(const ConstraintInput& input) {
  std::vector<NodeAt> some;
  for (const NodeAt at : input.need.usable)
    if (has_room(input.need, input.open, at)) some.push_back(at);
  return some;
}

// All requirements, in the order in which they are applied to a node.
const Constraint constraints[] = {
    {[](const ResolvedRequest& need) -> std::string {
       return need.request->partition_nodes.empty() ? "" : "its partition";
     },
     [](const ConstraintInput& input) {
       return is_among(input.context, input.need.request->partition_nodes);
     }},
    {[](const ResolvedRequest& need) -> std::string {
       return need.request->exclude.empty() ? "" : "--exclude";
     },
     [](const ConstraintInput& input) -> Test {
       return [other = is_among(input.context, input.need.request->exclude)](NodeAt at) {
         return !other(at);
       };
     }},
    {[](const ResolvedRequest& need) {
       return need.request->constraint.empty() ? "" : "feature " + need.request->constraint;
     },
     [](const ConstraintInput& input) {
       return is_within(input.context.facts.matcher().matching(*input.need.request));
     }},
    {[](const ResolvedRequest& need) -> std::string {
       return names_all(need) ? "the node list" : "";
     },
     [](const ConstraintInput& input) {
       return is_among(input.context, input.need.request->nodelist);
     }},
    {[](const ResolvedRequest& need) -> std::string {
       const std::int64_t cpus = need.request->min_cpus;
       return cpus == 0 ? "" : "at least " + count_of(cpus, "CPU") + " a node";
     },
     [](const ConstraintInput& input) -> Test {
       return [input](NodeAt at) {
         return input.context.facts.nodes()[at].node->total.cpus >= input.need.request->min_cpus;
       };
     }},
    {[](const ResolvedRequest& need) { return count_of(need.cpus_per_task, "CPU") + " a task"; },
     [](const ConstraintInput& input) -> Test {
       return [input](NodeAt at) {
         return input.context.facts.nodes()[at].node->total.cpus >= input.need.cpus_per_task;
       };
     }},
    {[](const ResolvedRequest& need) {
       return need.memory_mb == 0 ? "" : std::to_string(need.memory_mb) + " MB a node";
     },
     [](const ConstraintInput& input) -> Test {
       return [input](NodeAt at) {
         return input.context.facts.nodes()[at].node->total.memory_mb >= input.need.memory_mb;
       };
     }},
    {[](const ResolvedRequest& need) {
       return need.gpus == 0 ? "" : count_of(need.gpus, gpu_noun(*need.request)) + " a node";
     },
     [](const ConstraintInput& input) -> Test {
       return [input](NodeAt at) {
         const NodeFacts& facts = input.context.facts.nodes()[at];
         return std::popcount(facts.devices_of(input.need.request->gpu_types)) >= input.need.gpus;
       };
     }},
    {[](const ResolvedRequest& need) { return need.joined_gpus ? gpus_text(need) : ""; },
     [](const ConstraintInput& input) -> Test {
       return [input](NodeAt at) {
         const NodeFacts& facts = input.context.facts.nodes()[at];
         return most_joined(input.need, facts, facts.devices_of(input.need.request->gpu_types)) >=
                input.need.gpus;
       };
     }},
    {[](const ResolvedRequest& need) -> std::string {
       return need.gres.empty() ? "" : format_gres({{}, need.request->gres}) + " a node";
     },
     [](const ConstraintInput& input) -> Test {
       return [input](NodeAt at) {
         return input.context.facts.matcher().idle().has_gres(at, input.need.gres);
       };
     }},
    {[](const ResolvedRequest& need) -> std::string {
       return need.request->avoid.empty() ? "" : "a recent failure of the job there";
     },
     [](const ConstraintInput& input) {
       return is_within(
           input.context.facts.matcher().need(*input.need.request, Availability::Ignored).usable);
     }},
    {[](const ResolvedRequest&) -> std::string { return "the state of the node"; },
     [](const ConstraintInput& input) -> Test {
       return [input](NodeAt at) { return input.context.facts.nodes()[at].node->available; };
     }},
    {[](const ResolvedRequest& need) -> std::string {
       return need.closed ? "silence of the node" : "";
     },
     [](const ConstraintInput& input) -> Test {
       return [silent = briefly_silent(input.context, input.need)](NodeAt at) {
         return !silent[static_cast<std::size_t>(at)];
       };
     },
     true},
    {[](const ResolvedRequest& need) -> std::string {
       const std::string& reservation = need.request->reservation;
       return need.closed == nullptr || reservation.empty() ? "" : "reservation " + reservation;
     },
     [](const ConstraintInput& input) -> Test {
       return [outside = outside_its_reservation(input.context, input.need)](NodeAt at) {
         return !outside[static_cast<std::size_t>(at)];
       };
     },
     true},
    {[](const ResolvedRequest& need) -> std::string { return need.closed ? "being reserved" : ""; },
     [](const ConstraintInput& input) -> Test {
       return [input](NodeAt at) { return !input.need.closed->has(at); };
     },
     true},
    {[](const ResolvedRequest&) -> std::string { return "lack of room now"; },
     [](const ConstraintInput& input) {
       return has_room_in(input.need, input.context.pass.rooms().unclaimed());
     }},
    {[](const ResolvedRequest&) -> std::string { return "room reserved for other jobs"; },
     [](const ConstraintInput& input) -> Test {
       if (allows_no_backfill(input.context)) return [](NodeAt) { return false; };
       return has_room_in(input.need, input.open);
     },
     true},
    {[](const ResolvedRequest& need) -> std::string {
       return need.contiguous ? "--contiguous" : "";
     },
     [](const ConstraintInput& input) -> Test {
       return [needed = input.need.nodes, some = nodes_with_room(input)](NodeAt at) {
         return run_around(some, at) >= needed;
       };
     }},
    {[](const ResolvedRequest& need) -> std::string {
       return need.level ? "being in one " + need.request->topology_level : "";
     },
     [](const ConstraintInput& input) -> Test {
       return [input](NodeAt at) { return is_in_wide_domain(input, at); };
     }},
    {[](const ResolvedRequest& need) -> std::string {
       if (need.switches == 0 && need.parts.empty()) return "";
       return need.parts.empty() ? "--switches" : "the counted features";
     },
     [](const ConstraintInput& input) -> Test {
       const bool fit = fits(input.need, input.open);
       return [fit](NodeAt) { return fit; };
     }},
    {[](const ResolvedRequest& need) -> std::string {
       return need.licences.empty()
                  ? ""
                  : "lack of free licences (" + format_licences(need.request->licences) + ")";
     },
     [](const ConstraintInput& input) -> Test {
       return [input](NodeAt) { return input.open.has_licences(input.need.licences); };
     }},
};

}  // namespace

std::vector<std::string> constraint_lines(const ExplainContext& context,
                                          const ResolvedRequest& need, const Room& open) {
  std::vector<NodeAt> left;
  for (NodeAt at = 0; at < context.facts.nodes().size(); ++at) left.push_back(at);
  std::vector<std::string> lines{count_of(std::ssize(left), "node") + " in the cluster"};
  for (const Constraint& constraint : constraints) {
    const std::string words = constraint.words(need);
    if (words.empty()) continue;
    if (left.empty()) break;
    const auto before = std::ssize(left);
    const Test test = constraint.test({context, need, open});
    std::erase_if(left, [&](NodeAt at) { return !test(at); });
    if (constraint.is_silent && std::ssize(left) == before) continue;
    lines.push_back(words + " rules out " + std::to_string(before - std::ssize(left)) + " of " +
                    count_of(before, "node"));
  }
  return lines;
}

}  // namespace cox::schedule
