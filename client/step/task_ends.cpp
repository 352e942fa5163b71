#include "client/step/task_ends.h"

#include <string.h>

#include <algorithm>

#include "common/base/text.h"

namespace cox {
namespace {

constexpr int signal_base = 128;

std::string signal_text(std::int32_t number) {
  const char* known = ::sigdescr_np(number);
  return known != nullptr ? known : "Signal " + std::to_string(number);
}

std::string what_became(const TaskEnded& ended) {
  if (ended.out_of_memory) return "Out Of Memory";
  if (ended.exit_signal != 0)
    return signal_text(ended.exit_signal) + (ended.core_dumped ? " (core dumped)" : "");
  return "Exited with exit code " + std::to_string(ended.exit_code);
}

}  // namespace

bool ended_badly(const TaskEnded& ended) {
  return ended.exit_code != 0 || ended.exit_signal != 0;
}

std::string rank_list(std::vector<std::int32_t> ranks) {
  std::ranges::sort(ranks);
  std::string text;
  for (std::size_t i = 0; i < ranks.size();) {
    std::size_t last = i;
    while (last + 1 < ranks.size() && ranks[last + 1] == ranks[last] + 1) ++last;
    text += (text.empty() ? "" : ",") + std::to_string(ranks[i]);
    if (last > i) text += "-" + std::to_string(ranks[last]);
    i = last + 1;
  }
  return text;
}

std::string task_list(const std::vector<std::int32_t>& ranks) {
  return (ranks.size() == 1 ? "task " : "tasks ") + rank_list(ranks);
}

void TaskEnds::count(const TaskEnded& ended) {
  at_least(ended.exit_signal != 0 ? signal_base + ended.exit_signal : ended.exit_code);
}

void TaskEnds::add(std::int32_t node, const TaskEnded& ended, Boot now) {
  count(ended);
  if (!ended_badly(ended)) return;
  NodeFailures& failures = unreported_[node];
  if (failures.ranks.empty()) failures.since = now;
  if (!ended.note.empty()) failures.notes[printable(ended.note)].push_back(ended.rank);
  failures.ranks[what_became(ended)].push_back(ended.rank);
}

void TaskEnds::at_least(int exit_code) {
  exit_code_ = std::max(exit_code_, exit_code);
}

std::vector<std::string> TaskEnds::report_node(std::int32_t node, const std::string& name) {
  std::vector<std::string> lines;
  const auto found = unreported_.find(node);
  if (found == unreported_.end()) return lines;
  for (const auto* failures : {&found->second.notes, &found->second.ranks})
    for (const auto& [what, ranks] : *failures)
      lines.push_back(name + ": " + task_list(ranks) + ": " + what);
  unreported_.erase(found);
  return lines;
}

std::vector<std::string> TaskEnds::due(const std::vector<std::string>& node_names, Boot now) {
  std::vector<std::int32_t> nodes;
  for (const auto& [node, failures] : unreported_)
    if (now >= failures.since + report_delay) nodes.push_back(node);
  std::vector<std::string> lines;
  for (const std::int32_t node : nodes)
    for (std::string& line : report_node(node, node_names[static_cast<std::size_t>(node)]))
      lines.push_back(std::move(line));
  return lines;
}

std::optional<Boot> TaskEnds::wakeup() const {
  std::optional<Boot> next;
  for (const auto& [node, failures] : unreported_)
    next = next ? std::min(*next, failures.since + report_delay) : failures.since + report_delay;
  return next;
}

}  // namespace cox
