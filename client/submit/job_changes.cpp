#include "client/submit/job_changes.h"

#include "client/text/size_format.h"
#include "common/base/moment_text.h"
#include "common/base/text.h"

namespace cox {
namespace {

bool is_moment(const std::string& name) {
  return name == "starttime" || name == "eligibletime" || name == "endtime" || name == "deadline";
}

Failure resolve_moment(const std::string& name, std::string& value, const LocalTime& here) {
  if (parse_moment(value)) return std::nullopt;
  const auto moment = parse_local_moment(value, here);
  if (!moment)
    return Refusal{"Invalid " + name + " value: " + moment.refusal().fact, moment.refusal().hint};
  value = moment_text(*moment);
  return std::nullopt;
}

Failure resolve_memory(const std::string& name, std::string& value) {
  const auto megabytes = parse_memory_mb(value);
  if (!megabytes)
    return Refusal{"Invalid " + name + " value: " + megabytes.refusal().fact,
                   megabytes.refusal().hint};
  value = std::to_string(*megabytes);
  return std::nullopt;
}

}  // namespace

Failure resolve_job_changes(std::vector<std::string>& names, std::vector<std::string>& values,
                            const LocalTime& here) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    std::string& name = names[i];
    if (name.size() > 1 && (name.back() == '+' || name.back() == '-')) {
      values[i].insert(values[i].begin(), name.back());
      name.pop_back();
    }
    const std::string plain = lower_case(name);
    if (is_moment(plain))
      if (auto wrong = resolve_moment(name, values[i], here)) return wrong;
    if (plain == "minmemorynode")
      if (auto wrong = resolve_memory(name, values[i])) return wrong;
  }
  return std::nullopt;
}

}  // namespace cox
