#include <algorithm>
#include <bit>
#include <map>

#include "schedule/explain/explain_context.h"
#include "schedule/explain/explain_text.h"
#include "schedule/place/matcher.h"

namespace cox::schedule {
namespace {

std::string class_text(std::int64_t count, const NodeFacts& like) {
  const SchedulerNode& node = *like.node;
  std::vector<std::string> parts{count_of(node.total.cpus, "CPU"),
                                 std::to_string(node.total.memory_mb) + " MB"};
  for (const GpuKind& kind : like.gpu_kinds)
    parts.push_back(
        count_of(std::popcount(kind.devices), kind.type.empty() ? "GPU" : kind.type + " GPU"));
  if (!like.islands.empty()) parts.back() += " in " + count_of(std::ssize(like.islands), "island");
  std::string text = count_of(count, "node") + " with " + joined(parts, ", ");
  if (!node.features.empty())
    text += (node.features.size() == 1 ? ", feature " : ", features ") + joined(node.features, ",");
  return text;
}

// Returns the first time at which all jobs on one of these nodes will have ended by their time
// limits; empty if every node has a job without one.
std::optional<Boot> freed_by(const ExplainContext& context, const std::vector<NodeAt>& busy) {
  std::optional<Boot> first;
  for (const NodeAt at : busy) {
    std::optional<Boot> last = context.facts.now();
    for (const Holder& holder : holders_on(context, at)) {
      const auto running = context.facts.running().find(holder.job);
      const bool known =
          running != context.facts.running().end() && running->second.job.ends_by.has_value();
      if (!known) last.reset();
      if (!last) break;
      last = std::max(*last, *running->second.job.ends_by);
    }
    if (last && (!first || *last < *first)) first = last;
  }
  return first;
}

std::string busy_text(const ExplainContext& context, const std::vector<NodeAt>& busy) {
  std::string text = std::to_string(busy.size()) + " busy";
  if (const auto freed = freed_by(context, busy); freed && *freed > context.facts.now())
    text += " (one is free by " + moment_text(context, *freed) + " at the latest)";
  return text;
}

std::string unavailable_text(const ExplainContext& context,
                             const std::vector<NodeAt>& unavailable) {
  std::vector<std::string> names;
  for (const NodeAt at : unavailable) {
    if (names.size() == holders_shown_max) {
      names.push_back("...");
      break;
    }
    const SchedulerNode& node = *context.facts.nodes()[at].node;
    names.push_back(node.name + ": " + node.unavailable_why);
  }
  return std::to_string(unavailable.size()) + " unavailable (" + joined(names, "; ") + ")";
}

std::string class_line(const ExplainContext& context, const ResolvedRequest& need,
                       const std::vector<NodeAt>& members) {
  std::int64_t with_room = 0;
  std::int64_t silent = 0;
  std::int64_t reserved = 0;
  std::int64_t outside = 0;  // nodes outside the advance reservation that the request names
  const std::vector<bool> not_its_own = outside_its_reservation(context, need);
  const std::vector<bool> not_responding = briefly_silent(context, need);
  std::vector<NodeAt> busy, unavailable;
  for (const NodeAt at : members) {
    if (!context.facts.nodes()[at].node->available) {
      unavailable.push_back(at);
    } else if (not_responding[static_cast<std::size_t>(at)]) {
      ++silent;
    } else if (need.closed != nullptr && need.closed->has(at)) {
      ++(not_its_own[static_cast<std::size_t>(at)] ? outside : reserved);
    } else if (has_room(need, context.pass.rooms().unclaimed(), at)) {
      ++with_room;
    } else {
      busy.push_back(at);
    }
  }
  std::vector<std::string> parts{(with_room == 0 ? "none" : std::to_string(with_room)) +
                                 (with_room > 1 ? " have room now" : " has room now")};
  if (!busy.empty()) parts.push_back(busy_text(context, busy));
  if (silent > 0) parts.push_back(std::to_string(silent) + " silent");
  if (reserved > 0) parts.push_back(std::to_string(reserved) + " reserved");
  if (outside > 0)
    parts.push_back(std::to_string(outside) + " not in reservation " + need.request->reservation);
  if (!unavailable.empty()) parts.push_back(unavailable_text(context, unavailable));
  return class_text(std::ssize(members), context.facts.nodes()[members.front()]) + ": " +
         joined(parts, ", ");
}

bool are_alike(const NodeFacts& a, const NodeFacts& b) {
  return a.node->total.cpus == b.node->total.cpus &&
         a.node->total.memory_mb == b.node->total.memory_mb && a.gpu_kinds == b.gpu_kinds &&
         a.islands == b.islands && a.node->features == b.node->features;
}

}  // namespace

std::vector<std::size_t> classes_of(const Nodes& nodes) {
  std::vector<std::size_t> classes;
  std::vector<NodeAt> first;  // first node of each class
  std::size_t last = 0;       // class of the node before, tried first: neighbours are mostly alike
  for (NodeAt at = 0; at < nodes.size(); ++at) {
    const auto alike = [&](NodeAt one) { return are_alike(nodes[one], nodes[at]); };
    if (first.empty() || !alike(first[last]))
      last = static_cast<std::size_t>(std::ranges::find_if(first, alike) - first.begin());
    if (last == first.size()) first.push_back(at);
    classes.push_back(last);
  }
  return classes;
}

std::vector<std::string> class_lines(const ExplainContext& context, const ResolvedRequest& need) {
  const ResolvedRequest& wish = context.facts.matcher().need(*need.request, Availability::Ignored);
  std::map<std::size_t, std::vector<NodeAt>> classes;
  for (const NodeAt at : nodes_in_question(wish))
    classes[context.classes[static_cast<std::size_t>(at)]].push_back(at);
  std::vector<std::string> lines;
  for (const auto& [number, members] : classes) {
    if (lines.size() == shown_lines_max) {
      lines.push_back("and " + std::to_string(classes.size() - lines.size()) +
                      " more classes of nodes");
      break;
    }
    lines.push_back(class_line(context, need, members));
  }
  return lines;
}

}  // namespace cox::schedule
