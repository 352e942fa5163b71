#include "client/options/option_values.h"

#include <algorithm>
#include <utility>

#include "common/base/count_format.h"
#include "common/base/hostlist.h"
#include "common/base/limits.h"
#include "common/base/text.h"
#include "common/job/soft_limits.h"

namespace cox {

Failure set_count(std::string_view value, std::int64_t most, std::int64_t& into) {
  const Result<std::int64_t> count = parse_count(value, 1, most);
  if (!count) return count.refusal();
  into = *count;
  return std::nullopt;
}

Failure set_text(std::string_view value, std::size_t bytes_max, std::string& into) {
  if (value.empty())
    return Refusal{"the value is empty", "leave the option out, or give it a value"};
  if (value.size() > bytes_max)
    return Refusal{quoted(value) + " is longer than " + std::to_string(bytes_max) + " bytes",
                   "make it shorter"};
  if (!is_utf8(value)) return Refusal{quoted(value) + " is not valid UTF-8", "write it in UTF-8"};
  if (has_control_characters(value))
    return Refusal{quoted(value) + " has a control character (shown as ?)", "take it out"};
  into = value;
  return std::nullopt;
}

Failure set_node_names(std::string_view value, std::vector<std::string>& into) {
  Result<std::vector<std::string>> names = expand_hostlist(value);
  if (!names) return names.refusal();
  sort_hostnames(*names);
  names->erase(std::unique(names->begin(), names->end()), names->end());
  if (names->size() > static_cast<std::size_t>(limits::nodes_per_job_max))
    return Refusal{"it names " + std::to_string(names->size()) + " nodes, and a job may have " +
                       std::to_string(limits::nodes_per_job_max),
                   "name fewer nodes"};
  into = std::move(*names);
  return std::nullopt;
}

Failure set_nodes_or_file(std::string_view value, std::vector<std::string>& names,
                          std::string& file) {
  names.clear();
  file.clear();
  if (value.find('/') != std::string_view::npos)
    return set_text(value, limits::path_bytes_max, file);
  return set_node_names(value, names);
}

Failure set_propagated(std::string_view value, std::string& into) {
  const std::string_view asked = value.empty() ? "ALL" : value;
  const auto limits = propagated_limits(asked, {});
  if (!limits) return limits.refusal();
  into = asked;
  return std::nullopt;
}

Failure check_exclusive(std::string_view value) {
  const std::string word = lower_case(value);
  const std::string alone = "write --exclusive without a value to keep other jobs off its nodes";
  if (is_exclusive(word) || word == "user" || word == "oversubscribe") return std::nullopt;
  if (word == "mcs") return Refusal{"Coxswain has no MCS labels", alone};
  if (word == "topo")
    return Refusal{"Coxswain does not allocate whole segments of the topology", alone};
  return Refusal{"unknown value " + quoted(value), alone + ", or --exclusive=user"};
}

bool is_exclusive(std::string_view value) {
  return value.empty() || lower_case(value) == "exclusive";
}

Failure set_append(std::string_view value, bool& into) {
  const bool append = value == "append" || value == "a";
  if (!append && value != "truncate" && value != "t")
    return Refusal{quoted(value) + " is not a way to open a file", "write append or truncate"};
  into = append;
  return std::nullopt;
}

}  // namespace cox
