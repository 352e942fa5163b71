#include "common/resources/licence.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "common/base/count_format.h"
#include "common/base/hostlist.h"
#include "common/base/limits.h"
#include "common/base/text.h"

namespace cox {
namespace {

constexpr std::string_view licences_hint = "write names and numbers, like matlab:2,ansys";

// Returns whether the text is a name like "matlab" or "matlab@server".
bool is_licence_name(std::string_view name) {
  const auto parts = split(name, '@');
  return parts.size() <= 2 && std::all_of(parts.begin(), parts.end(), is_host_name);
}

Result<LicenceCount> parse_licence(std::string_view text) {
  const std::size_t colon = text.find(':');
  LicenceCount licence{std::string(text.substr(0, colon)), 1};
  if (!is_licence_name(licence.name))
    return Refusal{quoted(licence.name) + " is not the name of a licence",
                   std::string(licences_hint)};
  if (colon == std::string_view::npos) return licence;
  const auto count = parse_count(text.substr(colon + 1), 1, limits::licence_count_max);
  if (!count)
    return Refusal{"the licences of " + licence.name + ": " + count.refusal().fact,
                   std::string(licences_hint)};
  licence.count = *count;
  return licence;
}

}  // namespace

Result<std::vector<LicenceCount>> parse_licences(std::string_view text) {
  if (text.find('|') != std::string_view::npos)
    return Refusal{quoted(text) + " offers a choice of licences, but a job needs all that it names",
                   std::string(licences_hint)};
  const auto parts = split(text, ',');
  if (parts.size() > limits::licences_per_job_max)
    return Refusal{"it names " + std::to_string(parts.size()) + " licences, and a job may have " +
                       std::to_string(limits::licences_per_job_max),
                   "name fewer"};
  std::vector<LicenceCount> licences;
  for (const std::string_view part : parts) {
    Result<LicenceCount> licence = parse_licence(part);
    if (!licence) return licence.refusal();
    const bool twice =
        std::any_of(licences.begin(), licences.end(),
                    [&](const LicenceCount& before) { return before.name == licence->name; });
    if (twice)
      return Refusal{quoted(text) + " names the licence " + licence->name + " twice",
                     "ask for the sum of both"};
    licences.push_back(*std::move(licence));
  }
  return licences;
}

std::string format_licences(const std::vector<LicenceCount>& licences) {
  std::string text;
  for (const LicenceCount& licence : licences) {
    if (!text.empty()) text += ',';
    text += licence.name + ":" + std::to_string(licence.count);
  }
  return text;
}

}  // namespace cox
