#include "schedule/explain/explain_text.h"

#include <algorithm>

#include "common/base/hostlist.h"

namespace cox::schedule {
namespace {

constexpr std::size_t names_shown_max = 16;
constexpr std::size_t names_bytes_max = 40;
constexpr std::size_t jobs_shown_max = 5;

JobTitle title(JobId job, const TitleOf& title_of) {
  JobTitle title = title_of ? title_of(job) : JobTitle{};
  if (title.id.empty()) title.id = std::to_string(job.value);
  return title;
}

std::string owned(JobId job, const TitleOf& title_of) {
  const auto [user, id] = title(job, title_of);
  return user.empty() ? id : id + " of " + user;
}

}  // namespace

std::string count_of(std::int64_t count, const std::string& noun) {
  const bool hisses = noun.ends_with("ch");
  return std::to_string(count) + " " + noun + (count == 1 ? "" : hisses ? "es" : "s");
}

std::string duration_text(Milliseconds duration) {
  const std::int64_t seconds = (std::max<std::int64_t>(duration.count(), 0) + 999) / 1000;
  if (seconds < 120) return std::to_string(seconds) + " s";
  const std::int64_t minutes = (seconds + 59) / 60;
  if (minutes < 60) return std::to_string(minutes) + " min";
  const std::int64_t hours = minutes / 60;
  const auto two = [](std::int64_t a, const char* unit, std::int64_t b, const char* smaller) {
    std::string text = std::to_string(a) + unit;
    return b == 0 ? text : text + " " + std::to_string(b) + smaller;
  };
  if (hours < 48) return two(hours, " h", minutes % 60, " min");
  return two(hours / 24, " d", hours % 24, " h");
}

std::string gpu_noun(const Request& request) {
  if (request.gpu_types.empty()) return "GPU";
  return joined(request.gpu_types, " or ") + " GPU";
}

std::string gpus_text(const ResolvedRequest& need) {
  return count_of(need.gpus, gpu_noun(*need.request)) +
         (need.joined_gpus ? " joined by NVLink" : "");
}

namespace {

std::string components_text(const ResolvedRequest& need) {
  std::string text;
  for (const ResolvedRequest& one : need.components)
    text += (text.empty() ? "" : " and ") + request_text(one);
  if (!need.request->licences.empty())
    text += ", licences " + format_licences(need.request->licences);
  return text;
}

}  // namespace

bool is_uneven(const ResolvedRequest& need) {
  const std::int64_t part = need.tasks / need.nodes * need.cpus_per_task;
  if (need.nodes == 1 || need.is_bound() || need.all_nodes == nullptr) return false;
  if (std::ssize(need.usable) < need.nodes) return false;
  std::int64_t large = 0;
  for (const NodeAt at : need.usable)
    if ((*need.all_nodes)[at].node->total.cpus >= part && ++large == need.nodes) return false;
  return true;
}

std::string request_text(const ResolvedRequest& need) {
  if (!need.components.empty()) return components_text(need);
  const Request& request = *need.request;
  std::vector<std::string> parts;
  const std::int64_t least = need.tasks / need.nodes * need.cpus_per_task;
  const std::int64_t most = need.tasks_even() * need.cpus_per_task;
  const bool uneven = is_uneven(need);
  if (uneven)
    parts.push_back(count_of(need.tasks * need.cpus_per_task, "CPU") + " together");
  else
    parts.push_back((least == most ? "" : std::to_string(least) + " to ") + count_of(most, "CPU"));
  if (request.whole_memory) parts.push_back("all memory");
  if (need.memory_mb > 0) parts.push_back(std::to_string(need.memory_mb) + " MB");
  if (need.gpu_milli < gpu_whole) {
    parts.push_back(std::to_string(need.gpu_milli) + "/1000 of a " + gpu_noun(request));
  } else if (need.gpus > 0) {
    parts.push_back(gpus_text(need));
  }
  std::string text =
      count_of(need.nodes, request.exclusive ? "empty node" : "node") + " with " + listed(parts);
  if (need.nodes > 1 && (!uneven || parts.size() > 1)) text += " each";
  if (request.nodes_most > 0) text = "at least " + text;
  if (!request.gres.empty()) text += ", " + format_gres({{}, request.gres}) + " on each";
  if (!request.constraint.empty()) text += ", feature " + request.constraint;
  if (need.contiguous) text += ", next to one another";
  if (!request.topology_level.empty()) text += ", in one " + request.topology_level;
  if (need.switches > 0) text += ", on at most " + count_of(need.switches, "leaf switch");
  if (!request.licences.empty()) text += ", licences " + format_licences(request.licences);
  if (!request.reservation.empty()) text += ", in reservation " + request.reservation;
  if (!request.nodelist.empty()) text += ", by name " + joined(request.nodelist, ",");
  return text;
}

std::string nodes_text(const Nodes& nodes, const std::vector<NodeAt>& at) {
  std::vector<std::string> names;
  for (const NodeAt one : at) {
    if (names.size() == names_shown_max) break;
    names.push_back(nodes.name(one));
  }
  const bool plain = std::ranges::all_of(names, [](const auto& n) { return is_host_name(n); });
  const auto text_of = [&] { return plain ? compress_hostlist(names) : joined(names, ","); };
  std::string text = text_of();
  for (; text.size() > names_bytes_max && names.size() > 1; text = text_of()) names.pop_back();
  if (at.size() > names.size())
    text += " and " + std::to_string(at.size() - names.size()) + " more";
  return text;
}

std::string nodes_text(const Nodes& nodes, const GangParts& shares) {
  std::vector<NodeAt> at;
  for (const NodePart& share : shares) at.push_back(share.node);
  return nodes_text(nodes, at);
}

std::string id_text(JobId job, const TitleOf& title_of) {
  return title(job, title_of).id;
}

std::string job_text(JobId job, const TitleOf& title_of) {
  return "job " + owned(job, title_of);
}

std::string jobs_text(const std::vector<JobId>& jobs, const TitleOf& title_of) {
  std::vector<JobId> shown(jobs.begin(), jobs.begin() + static_cast<std::ptrdiff_t>(
                                                            std::min(jobs.size(), jobs_shown_max)));
  const std::string owner = shown.empty() ? "" : title(shown.front(), title_of).user;
  const bool is_one_owner = shown.size() > 1 && std::ranges::all_of(shown, [&](JobId job) {
                              return title(job, title_of).user == owner;
                            });
  std::vector<std::string> ids;
  for (const JobId job : shown)
    ids.push_back(is_one_owner ? title(job, title_of).id : owned(job, title_of));
  std::string text = (jobs.size() == 1 ? "job " : "jobs ") + joined(ids, ", ");
  if (is_one_owner && !owner.empty()) text += " of " + owner;
  if (jobs.size() > ids.size())
    text += " and " + std::to_string(jobs.size() - ids.size()) + " more";
  return text;
}

std::string listed(const std::vector<std::string>& parts) {
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i)
    text += (i == 0 ? "" : i + 1 == parts.size() ? " and " : ", ") + parts[i];
  return text;
}

}  // namespace cox::schedule
