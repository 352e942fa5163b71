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

// One of the requests that would serve a job. `open`: the room it might have, beside what is kept
// for others.
struct Asked {
  const ExplainContext& told;
  const ResolvedRequest& need;
  const Room& open;
};

// What is asked of a node. A new wish is one row more.
struct Constraint {
  std::string (*words)(const ResolvedRequest&);  // empty: it was not asked for
  Test (*test)(const Asked&);
  bool is_silent = false;  // where it rules out no node
};

Test is_among(const ExplainContext& told, const std::vector<std::string>& names) {
  std::vector<bool> among(static_cast<std::size_t>(told.pass.nodes().size()));
  for (const std::string& name : names)
    if (const auto at = told.pass.nodes().find(name)) among[static_cast<std::size_t>(*at)] = true;
  return [among = std::move(among)](NodeAt at) { return among[static_cast<std::size_t>(at)]; };
}

Test is_within(const std::vector<NodeAt>& nodes) {
  return [&nodes](NodeAt at) { return std::ranges::binary_search(nodes, at); };
}

Test has_room_in(const ResolvedRequest& need, const Room& room) {
  return [&](NodeAt at) { return has_room(need, room, at); };
}

// Behind its switch there are nodes enough with room.
bool is_in_wide_domain(const Asked& asked, NodeAt at) {
  const ResolvedRequest& need = asked.need;
  for (const Domain& domain : asked.told.pass.nodes().levels()[*need.level]) {
    if (at < domain.first || at >= domain.last) continue;
    std::int64_t with_room = 0;
    for (NodeAt near = domain.first; near < domain.last; ++near)
      if (std::ranges::binary_search(need.usable, near) && has_room(need, asked.open, near))
        ++with_room;
    return with_room >= need.nodes;
  }
  return false;
}

std::vector<NodeAt> nodes_with_room(const Asked& asked) {
  std::vector<NodeAt> some;
  for (const NodeAt at : asked.need.usable)
    if (has_room(asked.need, asked.open, at)) some.push_back(at);
  return some;
}

// In the order in which a node is judged.
const Constraint constraints[] = {
    {[](const ResolvedRequest& need) -> std::string {
       return need.request->partition_nodes.empty() ? "" : "its partition";
     },
     [](const Asked& asked) { return is_among(asked.told, asked.need.request->partition_nodes); }},
    {[](const ResolvedRequest& need) -> std::string {
       return need.request->exclude.empty() ? "" : "those it excludes";
     },
     [](const Asked& asked) -> Test {
       return [other = is_among(asked.told, asked.need.request->exclude)](NodeAt at) {
         return !other(at);
       };
     }},
    {[](const ResolvedRequest& need) {
       return need.request->constraint.empty() ? "" : "feature " + need.request->constraint;
     },
     [](const Asked& asked) {
       return is_within(asked.told.pass.matcher().matching(*asked.need.request));
     }},
    {[](const ResolvedRequest& need) -> std::string {
       return names_all(need) ? "the node list" : "";
     },
     [](const Asked& asked) { return is_among(asked.told, asked.need.request->nodelist); }},
    {[](const ResolvedRequest& need) -> std::string {
       const std::int64_t cpus = need.request->min_cpus;
       return cpus == 0 ? "" : "at least " + count_of(cpus, "CPU") + " a node";
     },
     [](const Asked& asked) -> Test {
       return [asked](NodeAt at) {
         return asked.told.pass.nodes()[at].node->total.cpus >= asked.need.request->min_cpus;
       };
     }},
    {[](const ResolvedRequest& need) { return count_of(need.cpus_per_task, "CPU") + " a task"; },
     [](const Asked& asked) -> Test {
       return [asked](NodeAt at) {
         return asked.told.pass.nodes()[at].node->total.cpus >= asked.need.cpus_per_task;
       };
     }},
    {[](const ResolvedRequest& need) {
       return need.memory_mb == 0 ? "" : std::to_string(need.memory_mb) + " MB a node";
     },
     [](const Asked& asked) -> Test {
       return [asked](NodeAt at) {
         return asked.told.pass.nodes()[at].node->total.memory_mb >= asked.need.memory_mb;
       };
     }},
    {[](const ResolvedRequest& need) {
       return need.gpus == 0 ? "" : count_of(need.gpus, gpu_noun(*need.request)) + " a node";
     },
     [](const Asked& asked) -> Test {
       return [asked](NodeAt at) {
         const NodeFacts& facts = asked.told.pass.nodes()[at];
         return std::popcount(facts.devices_of(asked.need.request->gpu_types)) >= asked.need.gpus;
       };
     }},
    {[](const ResolvedRequest& need) { return need.joined_gpus ? gpus_text(need) : ""; },
     [](const Asked& asked) -> Test {
       return [asked](NodeAt at) {
         const NodeFacts& facts = asked.told.pass.nodes()[at];
         return most_joined(asked.need, facts, facts.devices_of(asked.need.request->gpu_types)) >=
                asked.need.gpus;
       };
     }},
    {[](const ResolvedRequest& need) -> std::string {
       return need.gres.empty() ? "" : format_gres({{}, need.request->gres}) + " a node";
     },
     [](const Asked& asked) -> Test {
       return [asked](NodeAt at) {
         return asked.told.pass.matcher().idle().has_gres(at, asked.need.gres);
       };
     }},
    {[](const ResolvedRequest& need) -> std::string {
       return need.request->avoid.empty() ? "" : "having failed it lately";
     },
     [](const Asked& asked) {
       return is_within(
           asked.told.pass.matcher().need(*asked.need.request, Availability::Ignored).usable);
     }},
    {[](const ResolvedRequest&) -> std::string { return "being unavailable"; },
     [](const Asked& asked) -> Test {
       return [asked](NodeAt at) { return asked.told.pass.nodes()[at].node->available; };
     }},
    {[](const ResolvedRequest& need) -> std::string {
       const std::string& reservation = need.request->reservation;
       return need.closed == nullptr || reservation.empty() ? "" : "reservation " + reservation;
     },
     [](const Asked& asked) -> Test {
       return [outside = outside_its_reservation(asked.told, asked.need)](NodeAt at) {
         return !outside[static_cast<std::size_t>(at)];
       };
     },
     true},
    {[](const ResolvedRequest& need) -> std::string { return need.closed ? "being reserved" : ""; },
     [](const Asked& asked) -> Test {
       return [asked](NodeAt at) { return !asked.need.closed->has(at); };
     },
     true},
    {[](const ResolvedRequest&) -> std::string { return "having no room now"; },
     [](const Asked& asked) { return has_room_in(asked.need, asked.told.pass.unclaimed()); }},
    {[](const ResolvedRequest&) -> std::string { return "its room being kept for others"; },
     [](const Asked& asked) -> Test {
       if (nobody_passes(asked.told)) return [](NodeAt) { return false; };
       return has_room_in(asked.need, asked.open);
     },
     true},
    {[](const ResolvedRequest& need) -> std::string {
       return need.contiguous ? "being next to one another" : "";
     },
     [](const Asked& asked) -> Test {
       return [needed = asked.need.nodes, some = nodes_with_room(asked)](NodeAt at) {
         return run_around(some, at) >= needed;
       };
     }},
    {[](const ResolvedRequest& need) -> std::string {
       return need.level ? "being in one " + need.request->topology_level : "";
     },
     [](const Asked& asked) -> Test {
       return [asked](NodeAt at) { return is_in_wide_domain(asked, at); };
     }},
    {[](const ResolvedRequest& need) -> std::string {
       if (need.switches == 0 && need.parts.empty()) return "";
       return need.parts.empty() ? "being on few leaf switches" : "having features in such numbers";
     },
     [](const Asked& asked) -> Test {
       const bool fit = fits(asked.need, asked.open);
       return [fit](NodeAt) { return fit; };
     }},
    {[](const ResolvedRequest& need) -> std::string {
       return need.licences.empty() ? "" : "licences " + format_licences(need.request->licences);
     },
     [](const Asked& asked) -> Test {
       return [asked](NodeAt) { return asked.open.has_licences(asked.need.licences); };
     }},
};

}  // namespace

std::vector<std::string> constraint_lines(const ExplainContext& told, const ResolvedRequest& need,
                                          const Room& open) {
  std::vector<NodeAt> left;
  for (NodeAt at = 0; at < told.pass.nodes().size(); ++at) left.push_back(at);
  std::vector<std::string> lines{count_of(std::ssize(left), "node") + " in the cluster"};
  for (const Constraint& constraint : constraints) {
    const std::string words = constraint.words(need);
    if (words.empty()) continue;
    if (left.empty()) break;
    const auto before = std::ssize(left);
    const Test test = constraint.test({told, need, open});
    std::erase_if(left, [&](NodeAt at) { return !test(at); });
    if (constraint.is_silent && std::ssize(left) == before) continue;
    lines.push_back(words + " rules out " + std::to_string(before - std::ssize(left)) + " of " +
                    count_of(before, "node"));
  }
  return lines;
}

}  // namespace cox::schedule
