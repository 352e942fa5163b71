#include "common/job/given_variables.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "common/base/content_hash.h"
#include "common/base/text.h"
#include "common/job/supervisor_folder.h"

namespace cox {
namespace {

// Differs for different values; short, since users see it in their environment.
std::string checksum(std::string_view value) {
  return content_hash(value).substr(0, 8);
}

// Returns whether a variable is set for the job as a whole, or for any process.
bool is_of_every_process(std::string_view name) {
  constexpr auto plain = std::to_array<std::string_view>({"ENVIRONMENT", "PWD", "TMPDIR"});
  constexpr auto prefixes = std::to_array<std::string_view>({"SLURM", "COX_"});
  return std::ranges::find(plain, name) != plain.end() ||
         std::ranges::any_of(prefixes, [&](auto prefix) { return name.starts_with(prefix); });
}

}  // namespace

void note_given(Variables& v, const Variables& before) {
  std::string given;
  for (const auto& [name, value] : v) {
    const auto known = before.find(name);
    if (is_of_every_process(name) || (known != before.end() && known->second == value)) continue;
    given += (given.empty() ? "" : ",") + name + ":" + checksum(value);
  }
  if (!given.empty()) v[supervisor_folder::variable_given] = given;
}

void note_given(std::vector<std::string>& entries, const std::string& before) {
  Variables v;
  for (const std::string& each : entries)
    if (const std::size_t equals = each.find('='); equals != std::string::npos)
      v.insert_or_assign(each.substr(0, equals), each.substr(equals + 1));
  note_given(v, users_variables(before));
  entries = entries_of(v);
}

void drop_given(Variables& v) {
  const auto record = v.find(supervisor_folder::variable_given);
  if (record == v.end()) return;
  const std::string given = record->second;
  v.erase(record);
  for (const std::string_view one : split(given, ',')) {
    const std::size_t colon = one.rfind(':');
    if (colon == std::string_view::npos) continue;
    const auto found = v.find(one.substr(0, colon));
    if (found != v.end() && checksum(found->second) == one.substr(colon + 1)) v.erase(found);
  }
}

}  // namespace cox
