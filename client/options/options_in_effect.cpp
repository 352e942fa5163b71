#include "client/options/options_in_effect.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "client/text/moments.h"
#include "client/text/size_format.h"
#include "common/base/text.h"
#include "common/base/time_format.h"
#include "common/syntax/node_range.h"

namespace cox {
namespace {

using Names = std::pair<std::string_view, std::string_view>;

// Pairs of an alias of an option and the name under which Slurm shows the option.
constexpr auto aliases = std::to_array<Names>({
    {"tasks", "ntasks"},
    {"tasks-per-node", "ntasks-per-node"},
    {"test", "test-only"},
});

// Pairs of an option that was given without a value, and the value that Slurm shows for it. For any
// other option without a value Slurm shows "set".
constexpr auto values_without_value = std::to_array<Names>({
    {"bell", "bell-always"},
    {"exclusive", "exclusive"},
    {"get-user-env", "0"},
    {"immediate", "1"},
    {"kill-command", "TERM"},
    {"kill-on-bad-exit", "1"},
    {"nice", "100"},
    {"no-bell", "bell-never"},
    {"no-requeue", "no-requeue"},
    {"oversubscribe", "oversubscribe"},
    {"propagate", "ALL"},
    {"requeue", "requeue"},
});

// Options that Slurm leaves out of the list.
constexpr auto not_shown = std::to_array<std::string_view>({"het-group", "pack-group"});

// Formats a size in MB as Slurm shows it, in the largest unit that loses nothing: "4G" for 4096 MB,
// "4000" for 4000 MB.
std::string size_text(std::int64_t megabytes) {
  constexpr std::string_view larger_units = "GTP";
  constexpr std::int64_t step = 1024;
  std::size_t steps = 0;
  for (; megabytes > 0 && megabytes % step == 0 && steps < larger_units.size(); ++steps)
    megabytes /= step;
  std::string text = std::to_string(megabytes);
  if (steps > 0) text += larger_units[steps - 1];
  return text;
}

// Returns the value of --gres as Slurm shows it, for example "gres:gpu:1,gres:fpga:2".
std::string gres_text(const std::string& value) {
  if (lower_case(value) == "none") return value;
  std::vector<std::string> parts;
  for (const std::string_view part : split(value, ','))
    parts.push_back("gres:" + std::string(part));
  return joined(parts, ",");
}

// Formats the value of each option as Slurm shows it.
class ValueText {
 public:
  ValueText(std::string_view program, const LocalTime& here, const std::string& work_dir)
      : program_(program), here_(here), work_dir_(work_dir) {}

  std::string operator()(const std::string& name, const std::string& value) const {
    if (value.empty()) return without_value(name);
    if (name == "time" || name == "time-min") return time_text(value);
    if (name == "begin" || name == "deadline") return moment_text(value);
    if (name == "gres") return gres_text(value);
    if (name == "open-mode") return value.substr(0, 1);
    if (name == "nodes") {
      const auto range = parse_node_range(value);
      return range ? format_node_range(*range) : value;
    }
    if (name == "output" || name == "error" || name == "input") return path_text(value);
    if (name.starts_with("mem") && name != "mem-bind") {
      const auto size = parse_memory_mb(value);
      return size ? size_text(*size) : value;
    }
    return value;
  }

 private:
  static std::string without_value(const std::string& name) {
    for (const auto& [option, value] : values_without_value)
      if (option == name) return std::string(value);
    return "set";
  }

  // Formats a time limit. For sbatch, rounds it up to whole minutes, as Slurm does; in Coxswain,
  // salloc and srun keep the seconds.
  std::string time_text(const std::string& value) const {
    constexpr std::int64_t minute = 60;
    const auto seconds = parse_time_limit(value);
    if (!seconds) return value;
    const bool whole_minutes = program_ == "sbatch";
    return format_time_limit(whole_minutes ? (*seconds + minute - 1) / minute * minute : *seconds);
  }

  std::string moment_text(const std::string& value) const {
    const auto moment = parse_local_moment(value, here_);
    if (!moment) return value;
    Screen screen;
    screen.now = here_.now;
    screen.zone = here_.zone;
    return slurm_moment_text(*moment, screen);
  }

  // Returns the path of an output or input file; for sbatch, as an absolute path.
  std::string path_text(const std::string& value) const {
    if (value == "none") return "/dev/null";
    return program_ != "sbatch" || value.starts_with('/') ? value : work_dir_ + "/" + value;
  }

  std::string_view program_;
  const LocalTime& here_;
  const std::string& work_dir_;
};

std::string shown_name(const std::string& name) {
  for (const auto& [alias, shown] : aliases)
    if (alias == name) return std::string(shown);
  return name;
}

}  // namespace

std::string options_in_effect(std::string_view program, const SubmitOptions& asked,
                              const LocalTime& here, const std::string& work_dir) {
  if (asked.verbose == 0) return "";
  constexpr std::size_t name_width = 20;
  const ValueText value_text(program, here, work_dir);
  std::map<std::string, std::string> shown;
  for (const auto& [name, value] : asked.in_effect)
    if (std::ranges::find(not_shown, name) == not_shown.end())
      shown[shown_name(name)] = value_text(name, value);
  shown["verbose"] = std::to_string(asked.verbose);
  const std::string start = std::string(program) + ": ";
  const std::string rule =
      start + std::string(name_width, '-') + " " + std::string(name_width, '-') + "\n";
  std::string text = start + "defined options\n" + rule;
  for (const auto& [name, value] : shown) {
    std::string column = name;
    column.resize(std::max(column.size(), name_width), ' ');
    text += start + column + ": " + printable(value) + "\n";
  }
  return text + rule + start + "end of defined options\n";
}

}  // namespace cox
