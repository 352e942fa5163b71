#include "schedule/explain/why_never_fits.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <set>
#include <string_view>

#include "common/base/hostlist.h"
#include "common/base/nearest.h"
#include "common/syntax/constraint.h"
#include "schedule/explain/explain_text.h"
#include "schedule/model/request_chain.h"
#include "schedule/model/resolved_request.h"
#include "schedule/place/contiguous.h"
#include "schedule/place/islands.h"
#include "schedule/place/matcher.h"
#include "schedule/place/place.h"

namespace cox::schedule {
namespace {

std::int64_t largest(const Nodes& nodes, const std::vector<NodeAt>& among, const auto& size_of) {
  std::int64_t most = 0;
  for (const NodeAt at : among) most = std::max<std::int64_t>(most, size_of(nodes[at]));
  return most;
}

std::string place_text(const Request& request) {
  const std::string text = !request.reservation.empty()      ? "reservation " + request.reservation
                           : request.partition_nodes.empty() ? "the cluster"
                                                             : "its partition";
  return text + (request.exclude.empty() ? "" : " without the excluded nodes");
}

// Return " in the cluster" and " of the cluster", or " with feature fast in the cluster". They
// follow a word for nodes.
std::string in_text(const Request& request) {
  return (request.constraint.empty() ? "" : " with feature " + request.constraint) + " in " +
         place_text(request);
}

std::string of_text(const Request& request) {
  return request.constraint.empty() ? " of " + place_text(request) : in_text(request);
}

// Returns "; did you mean fpga?" for the first word that is no name in the cluster but similar to
// one.
std::string did_you_mean_any(const std::vector<std::string>& words,
                             const std::set<std::string>& names) {
  const std::vector<std::string_view> known(names.begin(), names.end());
  for (const std::string& word : words) {
    if (names.contains(word)) continue;
    const std::string question = did_you_mean(word, known);
    if (!question.empty()) return "; " + question;
  }
  return "";
}

// Returns "; available features: fast, fpga; did you mean fpga?" if one of the words is no name in
// the cluster, and an empty text otherwise.
std::string available(const std::string& what, const std::vector<std::string>& words,
                      const std::set<std::string>& names) {
  const auto exists = [&](const std::string& word) { return names.contains(word); };
  if (std::ranges::all_of(words, exists)) return "";
  if (names.empty()) return "; no node has any " + what;
  return "; available " + what + ": " + names_in_short({names.begin(), names.end()}) +
         did_you_mean_any(words, names);
}

std::vector<std::string> features_in(const Request& request) {
  std::vector<std::string> words;
  const auto add = [&words](const FeatureTerm& term) {
    for (const auto& one_of : term.all_of)
      for (const std::string& entry : one_of)
        if (!is_excluded_feature(entry)) words.push_back(entry);
  };
  const Result<Constraint> constraint = parse_constraint(request.constraint);
  if (!constraint) return words;
  for (const GangFeatures& features : constraint->alternatives) {
    add(features.every);
    for (const CountedFeatures& some : features.some) add(some.term);
  }
  return words;
}

std::set<std::string> features_of(const Nodes& nodes) {
  std::set<std::string> names;
  for (NodeAt at = 0; at < nodes.size(); ++at)
    names.insert(nodes[at].node->features.begin(), nodes[at].node->features.end());
  return names;
}

std::set<std::string> gpu_types_of(const Nodes& nodes) {
  std::set<std::string> names;
  for (NodeAt at = 0; at < nodes.size(); ++at)
    for (const GpuKind& kind : nodes[at].gpu_kinds)
      if (!kind.type.empty()) names.insert(kind.type);
  return names;
}

std::set<std::string> gres_of(const Nodes& nodes) {
  std::set<std::string> names;
  for (NodeAt at = 0; at < nodes.size(); ++at) {
    for (const GresCount& gres : nodes[at].node->total.gres) names.insert(gres.name);
    if (nodes[at].gpus != 0) names.insert("gpu");
  }
  return names;
}

std::set<std::string> types_of(const Nodes& nodes, const std::string& name) {
  std::set<std::string> types;
  for (NodeAt at = 0; at < nodes.size(); ++at)
    for (const GresCount& gres : nodes[at].node->total.gres)
      if (gres.name == name && !gres.type.empty()) types.insert(gres.type);
  return types;
}

// Returns what follows "no node of the cluster" if a name or a type of the GRES does not exist, and
// an empty text otherwise.
std::string unknown_gres(const Nodes& nodes, const std::vector<GresCount>& gres) {
  const std::set<std::string> names = gres_of(nodes);
  for (const GresCount& one : gres) {
    const std::string names_there = available("GRES", {one.name}, names);
    if (!names_there.empty()) return " has " + one.name + names_there;
    if (one.type.empty()) continue;
    const std::string types_there =
        available("types of " + one.name, {one.type}, types_of(nodes, one.name));
    if (!types_there.empty()) return " has " + one.name + ":" + one.type + types_there;
  }
  return "";
}

std::optional<std::string> bad_name(const Nodes& nodes, const Request& request,
                                    const std::vector<NodeAt>& matching) {
  for (const std::string& name : request.nodelist) {
    const auto at = nodes.find(name);
    if (!at)
      return "asks for node " + name + ", which is no node of this cluster" +
             known_nodes(nodes, name);
    if (std::ranges::binary_search(matching, *at)) continue;
    return "asks for node " + name + ", which is not" +
           (request.constraint.empty() ? "" : " one of the nodes") + in_text(request) +
           "; leave it out of the node list or ask for another partition or feature";
  }
  return std::nullopt;
}

std::optional<std::string> too_few_joined(const Nodes& nodes, const ResolvedRequest& need,
                                          const std::vector<NodeAt>& matching) {
  const Request& request = *need.request;
  const std::int64_t joined = largest(nodes, matching, [&](const NodeFacts& facts) {
    return most_joined(need, facts, facts.devices_of(request.gpu_types));
  });
  if (!need.joined_gpus || need.gpus <= joined) return std::nullopt;
  const std::string text = "asks for " + gpus_text(need) + " on a node";
  if (request.exclusive)
    return text + " of its own; no node" + of_text(request) +
           " has that many, all joined; leave out --exclusive or --topology";
  return text + "; the largest island" + in_text(request) + " has " + std::to_string(joined) +
         "; ask for fewer per node, or leave out --topology";
}

// Returns what no node has enough of for one even part of the job.
std::optional<std::string> too_large_for_a_node(const Nodes& nodes, const ResolvedRequest& need,
                                                const std::vector<NodeAt>& matching) {
  const Request& request = *need.request;
  const std::int64_t gpus = largest(nodes, matching, [&](const NodeFacts& facts) {
    return std::popcount(facts.devices_of(request.gpu_types));
  });
  if (need.gpus > gpus)
    return "asks for " + count_of(need.gpus, gpu_noun(request)) + " on a node; the largest" +
           in_text(request) + " has " + std::to_string(gpus) +
           (gpus > 0 ? "; ask for fewer per node, and for more nodes"
                     : available("GPU types", request.gpu_types, gpu_types_of(nodes)));
  if (auto fact = too_few_joined(nodes, need, matching)) return fact;
  const std::int64_t memory =
      largest(nodes, matching, [](const NodeFacts& f) { return f.node->total.memory_mb; });
  if (need.memory_mb > memory)
    return "asks for " + std::to_string(need.memory_mb) + " MB on a node; the largest" +
           in_text(request) + " has " + std::to_string(memory) + " MB";
  const std::int64_t cpus =
      largest(nodes, matching, [](const NodeFacts& f) { return f.node->total.cpus; });
  if (request.min_cpus > cpus)
    return "asks for at least " + count_of(request.min_cpus, "CPU") +
           " on a node (--mincpus); the largest" + in_text(request) + " has " +
           std::to_string(cpus) + "; ask for fewer";
  if (need.cpus_per_task > cpus)
    return "asks for " + count_of(need.cpus_per_task, "CPU") + " a task; the largest node" +
           in_text(request) + " has " + std::to_string(cpus) + "; ask for fewer CPUs a task";
  return std::nullopt;
}

// Returns "the cluster has 4 nodes, of which ", or "4 nodes of the cluster have feature fast; of
// these ".
std::string matching_text(const Request& request, const std::vector<NodeAt>& matching) {
  const std::string nodes = count_of(std::ssize(matching), "node");
  const std::string place = place_text(request);
  if (request.constraint.empty()) return place + " has " + nodes + ", of which ";
  return nodes + " of " + place + (matching.size() == 1 ? " has" : " have") + " feature " +
         request.constraint + "; of these ";
}

std::string too_many(const Nodes& nodes, const ResolvedRequest& need,
                     const std::vector<NodeAt>& matching) {
  const Room idle = Room::idle(nodes);
  if (need.required_missing)
    return "asks for " + request_text(need) +
           "; a node that it names is too small for its share; " +
           "ask for less per node or for other nodes";
  const auto usable = static_cast<std::int64_t>(need.usable.size());
  if (usable < need.nodes)
    return "asks for " + request_text(need) + "; " + matching_text(*need.request, matching) +
           std::to_string(usable) + (usable == 1 ? " is" : " are") +
           " large enough for at least one task; ask for fewer nodes or less per node";
  std::vector<std::int64_t> tasks;
  for (const NodeAt at : need.usable) tasks.push_back(tasks_that_fit(need, idle, at));
  std::ranges::sort(tasks, std::greater<>{});
  const std::int64_t all = std::accumulate(tasks.begin(), tasks.end(), std::int64_t{0});
  if (all < need.tasks)
    return "asks for " + count_of(need.tasks, "task") + " with " +
           count_of(need.cpus_per_task, "CPU") + " each; all nodes" + of_text(*need.request) +
           " together hold " + std::to_string(all) +
           " of them; ask for fewer tasks or fewer CPUs a task";
  std::int64_t held = 0;
  for (std::int64_t i = 0; i < need.nodes; ++i) held += tasks[static_cast<std::size_t>(i)];
  return "asks for " + count_of(need.tasks, "task") + " with " +
         count_of(need.cpus_per_task, "CPU") + " each on " + count_of(need.nodes, "node") +
         "; no " + (need.nodes == 1 ? "node" : count_of(need.nodes, "node")) +
         of_text(*need.request) + (need.nodes == 1 ? " holds" : " hold") + " more than " +
         std::to_string(held) + " of them; ask for more nodes, fewer tasks or fewer CPUs a task";
}

std::string gres_text(const std::vector<GresCount>& gres) {
  return format_gres({{}, gres});
}

std::vector<std::string> names_in(const std::vector<LicenceCount>& licences) {
  std::vector<std::string> names;
  for (const LicenceCount& licence : licences) names.push_back(licence.name);
  return names;
}

std::set<std::string> names_of(const Counted& counted) {
  return {counted.licence_names().begin(), counted.licence_names().end()};
}

// Returns how many of the requested licences the cluster has.
std::vector<LicenceCount> there_are(const Counted& counted, const Counts& requested) {
  std::vector<LicenceCount> all;
  for (const Count& count : requested) {
    all.push_back(counted.licence_of(count));
    all.back().count = counted.idle_licences()[static_cast<std::size_t>(count.kind)];
  }
  return all;
}

// Returns what is missing of counted resources or topology. Called after all else was found
// sufficient.
std::optional<std::string> missing_wish(const Nodes& nodes, const ResolvedRequest& need,
                                        const std::vector<NodeAt>& matching) {
  const Request& request = *need.request;
  const Room idle = Room::idle(nodes);
  const auto licences = nodes.counted().licences(request.licences);
  if (!licences)
    return "asks for licences " + format_licences(request.licences) + "; the cluster has " +
           (nodes.counted().licence_names().empty()
                ? "none"
                : "only those of " + names_in_short(nodes.counted().licence_names()) +
                      did_you_mean_any(names_in(request.licences), names_of(nodes.counted())));
  if (!idle.has_licences(*licences))
    return "asks for licences " + format_licences(request.licences) + "; the cluster has " +
           format_licences(there_are(nodes.counted(), *licences));
  const auto gres = nodes.counted().gres(request.gres);
  if (const std::string unknown = unknown_gres(nodes, request.gres); !gres && !unknown.empty())
    return "asks for " + gres_text(request.gres) + " on a node; no node of the cluster" + unknown;
  if (!gres || std::ranges::none_of(matching, [&](NodeAt at) { return idle.has_gres(at, *gres); }))
    return "asks for " + gres_text(request.gres) + " on a node; no node" + of_text(request) +
           " has that many";
  if (!request.topology_level.empty() && !nodes.level(request.topology_level))
    return "asks for one " + request.topology_level +
           "; no node of the cluster is in one; the topology levels are " +
           joined(nodes.level_names(), ", ");
  return std::nullopt;
}

// Explains why a job that would fit without --contiguous does not fit. Nodes that it cannot use,
// like those of other partitions, leave gaps.
std::string no_such_row(const ResolvedRequest& need) {
  const std::int64_t longest = longest_run(need.usable);
  std::string text = "asks for " + request_text(need) + "; ";
  if (longest >= need.nodes)
    text += "no " + count_of(need.nodes, "node") + " next to one another have all of that";
  else if (longest < 2)
    text += "no two of the qualifying nodes are next to one another";
  else
    text +=
        "at most " + std::to_string(longest) + " of the qualifying nodes are next to one another";
  return text + "; ask for fewer nodes, or leave out --contiguous";
}

std::string too_far_apart(const Nodes& nodes, const ResolvedRequest& need) {
  const Request& request = *need.request;
  std::string text = "asks for " + request_text(need);
  if (!need.parts.empty())
    return text + "; too few nodes have these features at the same time" +
           available("features", features_in(request), features_of(nodes));
  if (!request.topology_level.empty())
    return text + "; no " + request.topology_level + " holds all of them; ask for fewer nodes";
  return text + "; so few leaf switches do not hold all of them; ask for fewer nodes";
}

// Returns the need as it is when the time of --switches=COUNT@TIME is over: on any number of
// switches. A need without TIME is returned unchanged.
ResolvedRequest need_in_the_end(Matcher& matcher, const Request& request) {
  ResolvedRequest need = matcher.need(request, Availability::Ignored);
  if (request.switches_wait > Milliseconds{0}) need.switches = 0;
  return need;
}

std::optional<std::string> why_impossible(const Nodes& nodes, Matcher& matcher,
                                          const Request& request);

// Explains which component of a heterogeneous job is the first that cannot run; if each can, that
// they cannot run together.
std::string why_not_together(const Nodes& nodes, Matcher& matcher, const ResolvedRequest& need) {
  const Request& request = *need.request;
  if (auto fact = missing_wish(nodes, need, need.usable)) return *fact;
  for (std::size_t i = 0; i < request.components.size(); ++i)
    if (auto fact = why_impossible(nodes, matcher, *request.components[i]))
      return "component " + std::to_string(i) + " " + *fact;
  return "asks for " + request_text(need) +
         "; each component fits by itself, but not all of them " +
         "together, since no node serves two; ask for fewer nodes";
}

// REQUIRES: no node of the request's place satisfies its constraint.
std::string no_such_features(const Nodes& nodes, const Request& request) {
  const std::vector<std::string> words = features_in(request);
  const std::string names = available("features", words, features_of(nodes));
  const bool joins = words.size() > 1 && request.constraint.find('&') != std::string::npos;
  return "asks for a node with feature " + request.constraint + "; no node of " +
         place_text(request) + (joins && names.empty() ? " has them together" : " has it" + names);
}

std::optional<std::string> why_impossible(const Nodes& nodes, Matcher& matcher,
                                          const Request& request) {
  const ResolvedRequest need = need_in_the_end(matcher, request);
  if (fits(need, matcher.idle())) return std::nullopt;
  if (!request.components.empty()) return why_not_together(nodes, matcher, need);
  const std::vector<NodeAt>& matching = matcher.matching(request);
  if (auto fact = bad_name(nodes, request, matching)) return fact;
  if (matching.empty() && request.constraint.empty())
    return "asks for a node of " + place_text(request) + "; there is none";
  if (matching.empty()) return no_such_features(nodes, request);
  if (auto fact = too_large_for_a_node(nodes, need, matching)) return fact;
  if (auto fact = missing_wish(nodes, need, matching)) return fact;
  ResolvedRequest apart = need;
  apart.contiguous = false;
  if (need.contiguous && fits(apart, matcher.idle())) return no_such_row(need);
  apart.parts.clear();
  apart.level.reset();
  apart.switches = 0;
  if (need.is_bound() && fits(apart, matcher.idle())) return too_far_apart(nodes, need);
  return too_many(nodes, need, matching);
}

}  // namespace

std::string known_nodes(const Nodes& nodes, const std::string& name) {
  constexpr std::size_t bytes_max = 120;
  std::vector<std::string> names;
  for (NodeAt at = 0; at < nodes.size(); ++at) names.push_back(nodes.name(at));
  if (names.empty()) return "";
  std::ranges::sort(names, host_name_before);
  const bool plain = std::ranges::all_of(names, [](const auto& one) { return is_host_name(one); });
  std::string list = plain ? compress_hostlist(names) : "";
  if (list.empty() || list.size() > bytes_max) list = names_in_short(names);
  return "; its nodes: " + list + did_you_mean_any({name}, {names.begin(), names.end()});
}

std::optional<std::string> impossible(const Nodes& nodes, const Request& request) {
  if (nodes.size() == 0) return std::nullopt;  // nodes are unknown as yet; the job waits for them
  Matcher matcher(nodes);
  const auto why = why_impossible(nodes, matcher, request);
  if (!why || !request.otherwise) return why;
  for (const Request& one : RequestChain(**request.otherwise))
    if (fits(need_in_the_end(matcher, one), matcher.idle())) return std::nullopt;
  return why;
}

}  // namespace cox::schedule
