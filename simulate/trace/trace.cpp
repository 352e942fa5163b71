#include "simulate/trace/trace.h"

#include <algorithm>
#include <array>
#include <utility>

#include "common/base/check.h"
#include "common/base/text.h"

namespace cox::simulate {
namespace {

constexpr std::array<std::pair<std::string_view, Format>, 6> names{
    {{"swf", Format::Swf},
     {"openb", Format::Openb},
     {"muri", Format::Muri},
     {"batsim", Format::Batsim},
     {"cox", Format::Cox},
     {"slurm-sim", Format::SlurmSim}}};

// What a trace does not have, and how not_simulated() calls the same of a configuration.
struct NotInTrace {
  std::string_view what;
  std::vector<std::string_view> of_cluster = {};
};

std::vector<NotInTrace> not_in_trace(Format format) {
  if (format != Format::Cox) return {};
  return {
      {"limits of QOS and partitions", {"the limits on jobs of partition", "the QOS of partition"}},
      {"advance reservations"},
      {"hours of partitions and quotas", {"the hours of partition"}},
      {"licences and GRES other than GPUs", {"licences", "GRES other than GPUs"}},
      {"that all GPUs of a job are of one type"},
      {"--switches, --topology, --exclusive, --nodelist and --time-min of jobs"}};
}

}  // namespace

std::string_view name(Format format) {
  for (const auto& [word, each] : names)
    if (each == format) return word;
  CHECK(false && "unknown Format");
}

Result<Format> parse_format(std::string_view word) {
  for (const auto& [each, format] : names)
    if (each == word) return format;
  return Refusal{quoted(word) + " is not a format of traces",
                 "there are swf, openb, muri, batsim, cox and slurm-sim"};
}

std::vector<std::string> left_out(Format format, const std::vector<std::string>& of_cluster) {
  const std::vector<NotInTrace> not_there = not_in_trace(format);
  std::vector<std::string> all;
  for (const NotInTrace& one : not_there) all.emplace_back(one.what);
  for (const std::string& one : of_cluster) {
    const auto covers = [&](const NotInTrace& known) {
      return std::ranges::any_of(known.of_cluster,
                                 [&](std::string_view begin) { return one.starts_with(begin); });
    };
    if (std::ranges::none_of(not_there, covers)) all.push_back(one);
  }
  return all;
}

}  // namespace cox::simulate
