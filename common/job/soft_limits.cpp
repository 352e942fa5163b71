#include "common/job/soft_limits.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <system_error>

#include "common/base/text.h"

namespace cox {
namespace {

constexpr std::string_view variable_prefix = "SLURM_RLIMIT_";
constexpr std::string_view kernel_prefix = "RLIMIT_";
// Before the value of a limit that --propagate names, as in Slurm.
constexpr char explicit_mark = 'U';
constexpr std::string_view not_propagated = "MEMLOCK";

// The names of all limits, in Slurm's order.
constexpr auto names = std::to_array<std::string_view>(
    {"CPU", "FSIZE", "DATA", "STACK", "CORE", "RSS", "NPROC", "NOFILE", "MEMLOCK", "AS"});

bool is_name(std::string_view word) {
  return std::ranges::find(names, word) != names.end();
}

std::string all_names() {
  std::string text;
  for (const std::string_view name : names) text += (text.empty() ? "" : ", ") + std::string(name);
  return text;
}

// Parses a variable like "SLURM_RLIMIT_CORE=U1024" and appends the limit; drops an invalid number.
// U: --propagate names this limit. Returns false for any other variable.
bool read_variable(std::string_view entry, std::vector<SoftLimit>& into) {
  if (!entry.starts_with(variable_prefix)) return false;
  entry.remove_prefix(variable_prefix.size());
  const std::size_t equals = entry.find('=');
  const std::string_view name = entry.substr(0, equals);
  if (equals == std::string_view::npos || !is_name(name)) return false;
  std::string_view text = entry.substr(equals + 1);
  SoftLimit limit{std::string(name), 0, text.starts_with(explicit_mark)};
  if (limit.is_explicit) text.remove_prefix(1);
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, limit.value);
  if (error == std::errc{} && stop == end) into.push_back(std::move(limit));
  return true;
}

}  // namespace

Result<std::vector<SoftLimit>> propagated_limits(std::string_view asked,
                                                 const std::vector<SoftLimit>& own) {
  std::vector<std::string_view> wanted;
  if (asked.empty() || asked == "ALL") wanted.assign(names.begin(), names.end());
  if (asked.empty()) std::erase(wanted, not_propagated);
  if (wanted.empty() && asked != "NONE")
    for (std::string_view word : split(asked, ',')) {
      if (word.starts_with(kernel_prefix)) word.remove_prefix(kernel_prefix.size());
      if (!is_name(word))
        return Refusal{
            "Bad rlimit name: " + printable(word),
            "--propagate=" + printable(asked) +
                " is not valid. Write ALL, NONE, or names of these, separated by commas: " +
                all_names()};
      wanted.push_back(word);
    }
  std::vector<SoftLimit> limits;
  for (const SoftLimit& limit : own)
    if (std::ranges::find(wanted, limit.name) != wanted.end())
      limits.push_back({limit.name, limit.value, !asked.empty()});
  return limits;
}

std::string soft_limit_variables(const std::vector<SoftLimit>& limits) {
  std::string block;
  for (const SoftLimit& limit : limits) {
    block.append(variable_prefix).append(limit.name).append("=");
    if (limit.is_explicit) block += explicit_mark;
    block += std::to_string(limit.value) + '\0';
  }
  return block;
}

std::vector<SoftLimit> take_soft_limits(std::vector<std::string>& environment) {
  std::vector<SoftLimit> limits;
  std::erase_if(environment,
                [&](const std::string& entry) { return read_variable(entry, limits); });
  return limits;
}

}  // namespace cox
