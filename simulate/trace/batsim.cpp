// Reads Batsim's workload: jobs ask for `res` machines and name a profile, which has the delay.
#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <unordered_map>

#include "common/base/text.h"
#include "simulate/trace/lines.h"
#include "simulate/trace/readers.h"

namespace cox::simulate {
namespace {

using Json = nlohmann::json;

// Parses JSON. Turns the library's exceptions for invalid text into Refusals.
Result<Json> parse(std::string_view text) {
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& error) {
    const auto byte = std::min(error.byte, text.size());
    const auto newlines = std::ranges::count(text.substr(0, byte), '\n');
    return at_line(static_cast<std::size_t>(newlines) + 1, "this is not JSON from here on");
  } catch (const Json::exception&) {  // thrown for a number that no double can hold
    return Refusal{"the file is not JSON: a number in it is out of range", ""};
  }
}

std::optional<double> number_in(const Json& object, const char* key, double least, double most) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number()) return std::nullopt;
  const auto number = found->get<double>();
  if (!(number >= least && number <= most)) return std::nullopt;
  return number;
}

std::string text_in(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end()) return "";
  if (found->is_string()) return found->get<std::string>();
  return found->is_number() ? found->dump() : "";  // never dump() a nested list: it would recurse
}

using Delays = std::unordered_map<std::string, Milliseconds>;

Delays delays_of(const Json& profiles) {
  Delays delays;
  for (const auto& [profile, body] : profiles.items()) {
    if (!body.is_object()) continue;
    if (const auto delay = number_in(body, "delay", 0, seconds_max))
      delays.emplace(profile, from_seconds(*delay));
  }
  return delays;
}

// Errors name jobs by position, since they have no lines of their own in JSON.
Result<TraceJob> job_of(const Json& json, const Delays& delays, std::size_t at) {
  const auto wrong = [at](const std::string& fact) {
    return Refusal{"job " + std::to_string(at + 1) + " of the file: " + fact, ""};
  };
  if (!json.is_object()) return wrong("it is not an object");
  const auto submit = number_in(json, "subtime", 0, seconds_max);
  if (!submit) return wrong("subtime is not a number of seconds from 0");
  const auto res = number_in(json, "res", 1, static_cast<double>(count_max));
  if (!res) return wrong("res is not a number from 1 to " + std::to_string(count_max));
  const auto delay = delays.find(text_in(json, "profile"));
  if (delay == delays.end())
    return wrong("there is no profile " + quoted(text_in(json, "profile")) + " with a delay");
  TraceJob job;
  job.name = text_in(json, "id");
  job.submit = from_seconds(*submit);
  job.tasks = static_cast<std::int64_t>(*res);
  job.run = delay->second;
  const auto walltime = number_in(json, "walltime", 0, seconds_max);
  if (walltime) job.estimate = std::max(from_seconds(*walltime), job.run);
  return job;
}

}  // namespace

Result<Trace> read_batsim(std::string_view text) {
  const auto parsed = parse(text);
  if (!parsed) return parsed.refusal();
  const Json& json = *parsed;
  for (const char* key : {"jobs", "profiles"})
    if (!json.is_object() || !json.contains(key))
      return Refusal{"the file has no " + std::string(key), "it is not a workload of Batsim"};
  if (!json["jobs"].is_array() || !json["profiles"].is_object())
    return Refusal{"jobs is not a list, or profiles is not an object", ""};
  const Delays delays = delays_of(json["profiles"]);
  Trace trace;
  for (std::size_t at = 0; at < json["jobs"].size(); ++at) {
    auto job = job_of(json["jobs"][at], delays, at);
    if (!job) return job.refusal();
    const bool runs = job->run.count() > 0;
    if (runs) trace.jobs.push_back(std::move(*job));
    if (!runs) ++trace.skipped;
  }
  return trace;
}

}  // namespace cox::simulate
