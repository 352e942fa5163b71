// Fuzz target for log lines. Checks that their JSON form is valid JSON, and that a quoted value is
// read back unchanged.
#include "common/base/log_line.h"

#include <nlohmann/json.hpp>

#include "tests/fuzz/target.h"

namespace cox {

FUZZ_TARGET(log_line) {
  const auto members = nlohmann::json::parse("{" + json_members(input) + "}", nullptr, false);
  CHECK(members.is_object());
  const std::string line = "job=1 it said why=" + quoted_value(input) + " node=n1";
  const auto quoted = nlohmann::json::parse("{" + json_members(line) + "}", nullptr, false);
  CHECK(quoted.is_object() && quoted["job"] == 1 && quoted["node"] == "n1");
  CHECK(quoted["fact"] == "it said");
  if (is_utf8(input)) CHECK(quoted["why"] == std::string(input));
}

}  // namespace cox
