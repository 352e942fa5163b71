#include "common/io/config/config_hours.h"

#include "common/resources/tres.h"

namespace cox {
namespace {

constexpr std::size_t hours_max = 64;  // bounds the work: the controller checks them often

Result<std::string> parse_hours(const std::string& text) {
  const auto hours = parse_week_hours(text);
  if (hours) return text;
  return Refusal{"is not valid: " + hours.refusal().fact + "; " + hours.refusal().hint, ""};
}

}  // namespace

void read_hours(const toml::table& source, std::map<std::string, WeekHours>& hours,
                Problems& problems, std::vector<ConfigValue>& values) {
  TableReader table(source, "[hours]", problems, values);
  for (const auto& [key, node] : source) {
    const std::string name(key.str());
    const std::size_t problems_before = problems.count();
    std::string text;
    table.text(key.str(), text, parse_hours);
    if (text.empty() && problems.count() == problems_before)
      table.problem(key.str(), "is empty: these hours would never be open");
    if (!is_hours_name(name))
      table.problem(key.str(),
                    "is not a name for hours: use at most 63 letters, digits, '-', '_' and '.'");
    const auto parsed = parse_week_hours(text);
    hours[name] = parsed ? *parsed : WeekHours{};
    if (hours.size() > hours_max)
      return table.problem(key.str(),
                           "exceeds the limit of " + std::to_string(hours_max) + " names of hours");
  }
}

}  // namespace cox
