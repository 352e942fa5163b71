#include "common/syntax/mail_types.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>
#include <vector>

#include "common/base/nearest.h"
#include "common/base/text.h"

namespace cox {
namespace {

// Slurm's mail types, in the order in which Slurm shows them.
constexpr auto types = std::to_array<std::string_view>(
    {"ARRAY_TASKS", "INVALID_DEPEND", "BEGIN", "END", "FAIL", "REQUEUE", "STAGE_OUT",
     "TIME_LIMIT_50", "TIME_LIMIT_80", "TIME_LIMIT_90", "TIME_LIMIT"});
constexpr auto meant_by_all = std::to_array<std::string_view>(
    {"INVALID_DEPEND", "BEGIN", "END", "FAIL", "REQUEUE", "STAGE_OUT"});

}  // namespace

Result<std::string> parse_mail_types(std::string_view text) {
  std::set<std::string_view> asked;
  for (const std::string_view word : split(text, ',')) {
    std::string type(word);
    std::ranges::transform(type, type.begin(), [](unsigned char c) { return std::toupper(c); });
    if (type == "NONE") return std::string();
    const auto known = std::ranges::find(types, type);
    if (type == "ALL") {
      asked.insert(meant_by_all.begin(), meant_by_all.end());
    } else if (known != types.end()) {
      asked.insert(*known);
    } else {
      const std::string meant = did_you_mean(type, {types.begin(), types.end()});
      return Refusal{quoted(word) + " is not a mail type",
                     meant.empty() ? "write BEGIN, END, FAIL, REQUEUE, ALL or NONE" : meant};
    }
  }
  std::vector<std::string> shown;
  for (const std::string_view type : types)
    if (asked.contains(type)) shown.emplace_back(type);
  return joined(shown, ",");
}

}  // namespace cox
