#include "client/mail_types.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

#include "common/nearest.h"
#include "common/text.h"

namespace cox {
namespace {

constexpr auto names = std::to_array<std::string_view>(
    {"NONE", "BEGIN", "END", "FAIL", "REQUEUE", "ALL", "INVALID_DEPEND", "STAGE_OUT", "TIME_LIMIT",
     "TIME_LIMIT_90", "TIME_LIMIT_80", "TIME_LIMIT_50", "ARRAY_TASKS"});

}  // namespace

Result<std::string> parse_mail_types(std::string_view text) {
  std::vector<std::string> types;
  for (const std::string_view word : split(text, ',')) {
    std::string type(word);
    std::ranges::transform(type, type.begin(), [](unsigned char c) { return std::toupper(c); });
    if (std::ranges::find(names, type) == names.end()) {
      const std::string meant = did_you_mean(type, {names.begin(), names.end()});
      return Refusal{quoted(word) + " is nothing that mail is sent of",
                     meant.empty() ? "write BEGIN, END, FAIL, REQUEUE, ALL or NONE" : meant};
    }
    if (type != "NONE" && std::ranges::find(types, type) == types.end()) types.push_back(type);
  }
  return joined(types, ",");
}

}  // namespace cox
