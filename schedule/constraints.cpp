#include <algorithm>
#include <bit>
#include <functional>

#include "schedule/islands.h"
#include "schedule/place.h"
#include "schedule/told.h"
#include "schedule/words.h"

namespace cox::schedule {
namespace {

using Test = std::function<bool(NodeAt)>;

// What is asked of a node. A new wish is one row more.
struct Constraint {
  std::string (*words)(const Need&);  // empty: it was not asked for
  Test (*test)(const Told&, const Need&);
};

Test is_among(const Told& told, const std::vector<std::string>& names) {
  std::vector<bool> among(static_cast<std::size_t>(told.pass.nodes().size()));
  for (const std::string& name : names)
    if (const auto at = told.pass.nodes().find(name)) among[static_cast<std::size_t>(*at)] = true;
  return [among = std::move(among)](NodeAt at) { return among[static_cast<std::size_t>(at)]; };
}

Test is_within(const std::vector<NodeAt>& nodes) {
  return [&nodes](NodeAt at) { return std::ranges::binary_search(nodes, at); };
}

Test has_room_in(const Need& need, const Room& room) {
  return [&](NodeAt at) { return has_room(need, room, at); };
}

// Behind its switch there are nodes enough with room.
bool is_in_wide_domain(const Told& told, const Need& need, NodeAt at) {
  for (const Domain& domain : told.pass.nodes().levels()[*need.level]) {
    if (at < domain.first || at >= domain.last) continue;
    std::int64_t with_room = 0;
    for (NodeAt near = domain.first; near < domain.last; ++near)
      if (std::ranges::binary_search(need.usable, near) && has_room(need, told.pass.free(), near))
        ++with_room;
    return with_room >= need.nodes;
  }
  return false;
}

// More nodes than are named may come from anywhere.
bool names_all(const Need& need) {
  return !need.request->nodelist.empty() && std::ssize(need.request->nodelist) >= need.nodes;
}

// In the order in which a node is judged.
const Constraint constraints[] = {
    {[](const Need& need) -> std::string {
       return need.request->partition_nodes.empty() ? "" : "its partition";
     },
     [](const Told& told, const Need& need) {
       return is_among(told, need.request->partition_nodes);
     }},
    {[](const Need& need) {
       return need.request->constraint.empty() ? "" : "feature " + need.request->constraint;
     },
     [](const Told& told, const Need& need) {
       return is_within(told.pass.matcher().matching(*need.request));
     }},
    {[](const Need& need) -> std::string { return names_all(need) ? "the node list" : ""; },
     [](const Told& told, const Need& need) { return is_among(told, need.request->nodelist); }},
    {[](const Need& need) { return count_of(need.cpus_per_task, "CPU") + " a task"; },
     [](const Told& told, const Need& need) -> Test {
       return
           [&](NodeAt at) { return told.pass.nodes()[at].node->total.cpus >= need.cpus_per_task; };
     }},
    {[](const Need& need) {
       return need.memory_mb == 0 ? "" : std::to_string(need.memory_mb) + " MB a node";
     },
     [](const Told& told, const Need& need) -> Test {
       return
           [&](NodeAt at) { return told.pass.nodes()[at].node->total.memory_mb >= need.memory_mb; };
     }},
    {[](const Need& need) {
       return need.gpus == 0 ? "" : count_of(need.gpus, gpu_noun(*need.request)) + " a node";
     },
     [](const Told& told, const Need& need) -> Test {
       return [&](NodeAt at) {
         const NodeFacts& facts = told.pass.nodes()[at];
         return std::popcount(facts.devices_of(need.request->gpu_types)) >= need.gpus;
       };
     }},
    {[](const Need& need) { return need.joined_gpus ? gpus_text(need) : ""; },
     [](const Told& told, const Need& need) -> Test {
       return [&](NodeAt at) {
         const NodeFacts& facts = told.pass.nodes()[at];
         return most_joined(need, facts, facts.devices_of(need.request->gpu_types)) >= need.gpus;
       };
     }},
    {[](const Need& need) -> std::string {
       return need.gres.empty() ? "" : format_gres({{}, need.request->gres}) + " a node";
     },
     [](const Told& told, const Need& need) -> Test {
       return [&](NodeAt at) { return told.pass.matcher().idle().has_gres(at, need.gres); };
     }},
    {[](const Need& need) -> std::string {
       return need.request->avoid.empty() ? "" : "having failed it lately";
     },
     [](const Told& told, const Need& need) {
       return is_within(told.pass.matcher().need(*need.request, Availability::Ignored).usable);
     }},
    {[](const Need&) -> std::string { return "being unavailable"; },
     [](const Told& told, const Need&) -> Test {
       return [&](NodeAt at) { return told.pass.nodes()[at].node->available; };
     }},
    {[](const Need&) -> std::string { return "having no room now"; },
     [](const Told& told, const Need& need) { return has_room_in(need, told.pass.unclaimed()); }},
    {[](const Need&) -> std::string { return "its room being kept for others"; },
     [](const Told& told, const Need& need) { return has_room_in(need, told.pass.free()); }},
    {[](const Need& need) -> std::string {
       return need.level ? "being in one " + need.request->topology_level : "";
     },
     [](const Told& told, const Need& need) -> Test {
       return [&](NodeAt at) { return is_in_wide_domain(told, need, at); };
     }},
    {[](const Need& need) -> std::string {
       if (need.switches == 0 && need.parts.empty()) return "";
       return need.parts.empty() ? "being on few leaf switches" : "having features in such numbers";
     },
     [](const Told& told, const Need& need) -> Test {
       const bool fit = fits(need, told.pass.free());
       return [fit](NodeAt) { return fit; };
     }},
    {[](const Need& need) -> std::string {
       return need.licences.empty() ? "" : "licences " + format_licences(need.request->licences);
     },
     [](const Told& told, const Need& need) -> Test {
       return [&](NodeAt) { return told.pass.free().has_licences(need.licences); };
     }},
};

}  // namespace

std::vector<std::string> constraint_lines(const Told& told, const Verdict& verdict) {
  const Need& need = *verdict.need;
  std::vector<NodeAt> left;
  for (NodeAt at = 0; at < told.pass.nodes().size(); ++at) left.push_back(at);
  std::vector<std::string> lines{count_of(std::ssize(left), "node") + " in the cluster"};
  for (const Constraint& constraint : constraints) {
    const std::string words = constraint.words(need);
    if (words.empty()) continue;
    if (left.empty()) break;
    const auto before = std::ssize(left);
    const Test test = constraint.test(told, need);
    std::erase_if(left, [&](NodeAt at) { return !test(at); });
    lines.push_back(words + " rules out " + std::to_string(before - std::ssize(left)) + " of " +
                    count_of(before, "node"));
  }
  return lines;
}

}  // namespace cox::schedule
