#include "simulate/trace/trace.h"

#include <algorithm>
#include <array>
#include <random>
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

// A rule of a real cluster that a trace does not contain, and how texts of not_simulated() about it
// begin.
struct NotInTrace {
  std::string_view what;
  std::vector<std::string_view> of_cluster = {};
};

std::vector<NotInTrace> not_in_trace(Format format) {
  if (format != Format::Cox) return {};
  return {
      {"limits of QOS and partitions", {"the limits on jobs of partition", "the QOS of partition"}},
      {"advance reservations"},
      {"opening hours of partitions and quotas", {"the hours of partition"}},
      {"licences and GRES other than GPUs", {"licences", "GRES other than GPUs"}},
      {"that all GPUs of a job are of one type"},
      {"--switches, --topology, --exclusive, --nodelist and --time-min of jobs"}};
}

}  // namespace

void let_some_report(std::vector<TraceJob>& jobs, double part, std::uint64_t seed) {
  constexpr double unit = 0x1p-53;  // a draw is a whole number below 2^53
  std::mt19937_64 random(seed);
  for (TraceJob& job : jobs)
    job.reports_progress = static_cast<double>(random() >> 11) * unit < part;
}

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
