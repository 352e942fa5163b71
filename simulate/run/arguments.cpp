#include "simulate/run/arguments.h"

#include "common/base/text.h"
#include "common/cluster/config.h"
#include "simulate/trace/lines.h"

namespace cox::simulate {
namespace {

std::string given_or(const std::map<std::string, std::string>& given, const std::string& name,
                     const std::string& otherwise) {
  const auto found = given.find(name);
  return found == given.end() || found->second.empty() ? otherwise : found->second;
}

Result<Milliseconds> seconds_in(const std::map<std::string, std::string>& given,
                                const std::string& name, const std::string& otherwise = "0") {
  const std::string word = given_or(given, name, otherwise);
  const auto number = finite_number(word);
  if (number && *number >= 0 && *number <= seconds_max) return from_seconds(*number);
  return Refusal{"--" + name + " is " + quoted(word) + "; it must be a number of seconds from 0",
                 ""};
}

}  // namespace

Result<Arguments> read_arguments(const std::map<std::string, std::string>& given) {
  Arguments arguments;
  arguments.trace = given_or(given, "trace", "");
  arguments.cluster = given_or(given, "cluster", "");
  if (const std::string word = given_or(given, "format", ""); !word.empty()) {
    const auto format = parse_format(word);
    if (!format) return format.refusal();
    arguments.format = *format;
  }
  Policy& policy = arguments.policy;
  policy.order = given_or(given, "order", policy.order);
  policy.backfill = given_or(given, "backfill", policy.backfill);
  policy.placement = given_or(given, "placement", policy.placement);
  policy.weights = given_or(given, "weights", "");
  const std::string seed = given_or(given, "seed", "42");
  const auto number = whole_number(seed);
  if (!number || *number < 0)
    return Refusal{"--seed is " + quoted(seed) + "; it must be a whole number from 0", ""};
  arguments.seed = static_cast<std::uint64_t>(*number);
  const std::string progress = given_or(given, "progress", "0");
  const auto part = finite_number(progress);
  if (!part || *part < 0 || *part > 1)
    return Refusal{"--progress is " + quoted(progress) + "; it must be a number from 0 to 1", ""};
  arguments.progress = *part;
  const auto save = seconds_in(given, "save-time");
  if (!save) return save.refusal();
  const auto restart = seconds_in(given, "restart-time");
  if (!restart) return restart.refusal();
  arguments.cost = {*save, *restart};
  arguments.accounts = given_or(given, "accounts", "");
  const Milliseconds half_life = UsageSettings{}.half_life;
  const auto given_half_life =
      seconds_in(given, "half-life", std::to_string(half_life.count() / 1'000));
  if (!given_half_life) return given_half_life.refusal();
  arguments.half_life = *given_half_life;
  arguments.json = given_or(given, "json", "");
  arguments.svg = given_or(given, "svg", "");
  return arguments;
}

}  // namespace cox::simulate
