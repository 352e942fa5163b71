#include "client/show/show_words.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "client/text/moments.h"
#include "client/text/table.h"
#include "common/base/check.h"
#include "common/base/hostlist.h"
#include "common/base/text.h"

namespace cox {

std::string refusal_text(const Refusal& why) {
  std::string out = "cox: " + printable(why.fact) + "\n";
  for (const std::string_view line : split(why.hint, '\n'))
    if (!line.empty()) out += "     " + printable(line) + "\n";
  return out;
}

std::string notes_text(const JobDetail& detail) {
  if (detail.attempts.empty()) return "";
  std::string out;
  for (const auto& node : detail.attempts.back().nodes)
    if (!node.note.empty()) out += (out.empty() ? "" : "; ") + node.grant.node + ": " + node.note;
  return out;
}

Colour state_colour(JobState state) {
  switch (state) {
    case JobState::Pending:
    case JobState::Suspended: return Colour::Yellow;
    case JobState::Configuring:
    case JobState::Running: return Colour::Green;
    case JobState::Signaling:
    case JobState::Completing: return Colour::Blue;
    case JobState::Completed: return Colour::None;
    case JobState::Failed:
    case JobState::Timeout:
    case JobState::NodeFail:
    case JobState::Deadline:
    case JobState::OutOfMemory: return Colour::Red;
    case JobState::Cancelled:
    case JobState::Preempted: return Colour::Dim;
  }
  CHECK(false && "unknown JobState");
}

std::string node_list_text(const std::vector<std::string>& names) {
  if (std::ranges::all_of(names, [](const auto& name) { return is_host_name(name); }))
    return compress_hostlist(names);
  std::string out;
  for (const auto& name : names) out += (out.empty() ? "" : ",") + printable(name);
  return out;
}

std::string exit_text(std::int32_t exit_code, std::int32_t exit_signal) {
  if (exit_signal != 0) return "killed by signal " + std::to_string(exit_signal);
  return "exit code " + std::to_string(exit_code);
}

std::string numbered_lines(const std::vector<std::string>& lines, const Screen& screen) {
  std::string out;
  for (std::size_t i = 0; i < lines.size(); ++i)
    out += "  " + std::to_string(i + 1) + ". " + localised_text(lines[i], screen) + "\n";
  return out;
}

std::vector<std::string> names_of_jobs(const std::vector<JobId>& jobs,
                                       const std::vector<std::string>& names) {
  if (names.size() == jobs.size()) return names;
  std::vector<std::string> ids;
  for (const JobId id : jobs) ids.push_back(std::to_string(id.value));
  return ids;
}

std::string bytes_text(std::int64_t bytes) {
  constexpr std::array units = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= 1024 && unit + 1 < units.size()) {
    value /= 1024;
    ++unit;
  }
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), unit == 0 ? "%.0f %s" : "%.1f %s", value, units[unit]);
  return text.data();
}

std::string memory_text(std::int64_t megabytes) {
  return bytes_text(megabytes << 20);
}

std::string node_state_text(const NodeView& view) {
  if (!view.node.responding) return "down*";
  if (view.node.set_down) return "down";
  if (view.node.drained) return view.jobs.empty() ? "drain" : "drng";
  if (view.maint) return "maint";
  if (view.jobs.empty()) return view.reservations.empty() ? "idle" : "resv";
  return view.cpus_used >= view.node.total.cpus ? "alloc" : "mix";
}

}  // namespace cox
