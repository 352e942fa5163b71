#include "common/syntax/topology_wish.h"

#include <cstddef>

#include "common/base/count_format.h"
#include "common/base/hostlist.h"
#include "common/base/limits.h"
#include "common/base/nearest.h"
#include "common/base/text.h"
#include "common/base/time_format.h"

namespace cox {
namespace {

constexpr std::string_view required = "required";
constexpr std::string_view preferred = "preferred";

}  // namespace

Result<SwitchesWish> parse_switches(std::string_view text) {
  const std::size_t at = text.find('@');
  const auto count = parse_count(text.substr(0, at), 1, limits::nodes_per_job_max);
  if (!count)
    return Refusal{"the number of switches: " + count.refusal().fact,
                   "write how many switches the job may span, and how long to wait for that, "
                   "like 1 or 1@30:00"};
  SwitchesWish wish{*count, std::nullopt};
  if (at == std::string_view::npos) return wish;
  const Result<std::int64_t> wait_s = parse_time_limit(text.substr(at + 1));
  if (!wait_s) return wait_s.refusal();
  wish.wait_s = *wait_s;
  return wish;
}

std::string format_switches(const SwitchesWish& wish) {
  const std::string text = std::to_string(wish.count);
  return wish.wait_s ? text + "@" + format_time_limit(*wish.wait_s) : text;
}

Result<TopologyWish> parse_topology_wish(std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::string_view force = text.substr(0, colon);
  const std::string_view level =
      colon == std::string_view::npos ? std::string_view() : text.substr(colon + 1);
  const std::string hint = "write required:LEVEL or preferred:LEVEL, like required:leaf";
  if (force != required && force != preferred) {
    const std::string suggestion = did_you_mean(force, {required, preferred});
    return Refusal{quoted(text) + " does not begin with required: or preferred:",
                   suggestion.empty() ? hint : suggestion};
  }
  if (!is_host_name(level))
    return Refusal{quoted(level) + " is not the name of a level of the topology", hint};
  return TopologyWish{force == required ? TopologyForce::Required : TopologyForce::Preferred,
                      std::string(level)};
}

std::string format_topology_wish(const TopologyWish& wish) {
  if (wish.force == TopologyForce::None) return {};
  const auto force = wish.force == TopologyForce::Required ? required : preferred;
  return std::string(force) + ":" + wish.level;
}

}  // namespace cox
