#include "client/submit/job_environment.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <utility>

#include "common/base/limits.h"
#include "common/base/text.h"
#include "common/base/variables.h"
#include "common/job/given_variables.h"

namespace cox {
namespace {

constexpr std::string_view finds_cluster = "COX_CONFIG";
constexpr auto of_login =
    std::to_array<std::string_view>({finds_cluster, "HOME", "LOGNAME", "PATH", "SHELL", "USER"});

bool is_ours(std::string_view name) {
  constexpr std::array<std::string_view, 3> prefixes = {"SLURM_", "SBATCH_", "COX_"};
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [&](std::string_view prefix) { return name.starts_with(prefix); });
}

bool is_variable_name(std::string_view name) {
  return !name.empty() && !has_control_characters(name) && is_utf8(name);
}

// Parses the environment. Drops entries that are not NAME=value, and variables that describe the
// rank in which this command runs, and not what it starts. If a name occurs several times,
// its first value counts.
Variables read_variables(const std::vector<std::string>& environment) {
  Variables variables;
  for (const std::string& each : environment) {
    const std::size_t equals = each.find('=');
    if (equals == std::string::npos || each.find('\0') != std::string::npos) continue;
    const std::string name = each.substr(0, equals);
    if (is_variable_name(name)) variables.emplace(name, each.substr(equals + 1));
  }
  drop_given(variables);
  return variables;
}

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](unsigned char x, unsigned char y) {
    return std::toupper(x) == std::toupper(y);
  });
}

// Splits the value of --export at commas outside quotes, and removes the quotes.
Result<std::vector<std::string>> split_export_list(std::string_view list) {
  std::vector<std::string> items(1);
  char quote = '\0';
  for (const char c : list) {
    if (quote == '\0' && c == ',')
      items.emplace_back();
    else if (quote == '\0' && (c == '"' || c == '\''))
      quote = c;
    else if (c == quote)
      quote = '\0';
    else
      items.back() += c;
  }
  if (quote != '\0')
    return Refusal{"--export: a quote is opened and never closed",
                   "close it, like --export='ALL,A=\"1,2\"'"};
  return items;
}

Result<Variables> choose_variables(const Variables& all, std::string_view export_list) {
  if (equal_ignoring_case(export_list, "ALL")) return all;
  if (equal_ignoring_case(export_list, "NONE") || equal_ignoring_case(export_list, "NIL"))
    return Variables{};
  const Result<std::vector<std::string>> items = split_export_list(export_list);
  if (!items) return items.refusal();
  Variables chosen;
  if (std::find(items->begin(), items->end(), "ALL") != items->end()) chosen = all;
  for (const std::string& item : *items) {
    const std::size_t equals = item.find('=');
    const std::string name = item.substr(0, equals);
    if (!is_variable_name(name))
      return Refusal{
          "--export: " + quoted(item) + " names no variable",
          "write names and NAME=VALUE separated by commas; put a value with commas in quotes"};
    if (equals != std::string::npos) {
      chosen.insert_or_assign(name, item.substr(equals + 1));
    } else if (const auto found = all.find(name); found != all.end()) {
      chosen.insert(*found);
    }
  }
  return chosen;
}

Result<std::string> block_of(const Variables& variables) {
  std::string block;
  for (const auto& [name, value] : variables) {
    const std::size_t bytes = name.size() + value.size() + 2;
    if (bytes > limits::variable_bytes_max)
      return Refusal{"the variable " + quoted(name) + " has " + std::to_string(bytes) +
                         " bytes, and one may have " + std::to_string(limits::variable_bytes_max),
                     "put its content in a file, or choose the variables with --export"};
    block += name + '=' + value + '\0';
  }
  if (block.size() > limits::environment_bytes_max)
    return Refusal{"the environment has " + std::to_string(block.size()) +
                       " bytes, and a job's may have " +
                       std::to_string(limits::environment_bytes_max),
                   "choose the variables the job needs with --export"};
  return block;
}

}  // namespace

Result<std::string> job_environment(const std::vector<std::string>& environment,
                                    std::string_view export_list,
                                    const std::vector<std::string>& login) {
  const Variables all = read_variables(environment);
  Result<Variables> variables = choose_variables(all, export_list);
  if (!variables) return variables.refusal();
  for (const std::string_view name : of_login)
    if (const auto found = all.find(name); found != all.end()) variables->insert(*found);
  if (!equal_ignoring_case(export_list, "ALL")) variables->merge(read_variables(login));
  std::erase_if(*variables, [](const auto& each) {
    return is_ours(each.first) && each.first != finds_cluster;
  });
  return block_of(*variables);
}

std::string variables_for_steps(std::string_view export_list, bool append_output) {
  std::string block;
  if (!equal_ignoring_case(export_list, "ALL"))
    block += "SLURM_EXPORT_ENV=" + std::string(export_list) + '\0';
  if (append_output) block += std::string("SLURM_OPEN_MODE=a") + '\0';
  return block;
}

Result<std::string> task_environment(const std::vector<std::string>& environment,
                                     std::string_view export_list) {
  const Variables all = read_variables(environment);
  Result<Variables> variables = choose_variables(all, export_list);
  if (!variables) return variables.refusal();
  for (const auto& [name, value] : all)
    if (name.starts_with("SLURM_") || name.starts_with("COX_")) variables->emplace(name, value);
  return block_of(*variables);
}

}  // namespace cox
