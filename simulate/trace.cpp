#include "simulate/trace.h"

#include <algorithm>
#include <array>
#include <utility>

#include "common/check.h"
#include "common/text.h"
#include "simulate/readers.h"

namespace cox::simulate {
namespace {

constexpr std::array<std::pair<std::string_view, Format>, 6> names{
    {{"swf", Format::Swf},
     {"openb", Format::Openb},
     {"muri", Format::Muri},
     {"batsim", Format::Batsim},
     {"cox", Format::Cox},
     {"slurm-sim", Format::SlurmSim}}};

Result<Trace> read_in_file_order(Format format, std::string_view text) {
  switch (format) {
    case Format::Swf: return read_swf(text);
    case Format::Openb: return read_openb(text);
    case Format::Muri: return read_muri(text);
    case Format::Batsim: return read_batsim(text);
    case Format::Cox: return read_cox_day(text);
    case Format::SlurmSim: return read_slurm_sim(text);
  }
  CHECK(false && "unknown Format");
}

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

Result<Format> guess_format(std::string_view file_name, std::string_view text) {
  if (file_name.ends_with(".gz")) file_name.remove_suffix(3);
  const std::string_view first = text.substr(text.find_first_not_of(" \t\r\n") == text.npos
                                                 ? text.size()
                                                 : text.find_first_not_of(" \t\r\n"));
  if (first.starts_with("name,cpu_milli,")) return Format::Openb;
  if (first.starts_with("job_id,num_gpu,submit_time,")) return Format::Muri;
  if (first.starts_with("job_id,eligible,")) return Format::Cox;
  if (first.starts_with("-dt ")) return Format::SlurmSim;
  if (first.starts_with('{')) return Format::Batsim;
  if (first.starts_with(';') || file_name.ends_with(".swf")) return Format::Swf;
  return Refusal{"the format of " + quoted(file_name) + " cannot be told from what it begins with",
                 "say it: --format swf, openb, muri, batsim, cox or slurm-sim"};
}

Result<Trace> read_trace(Format format, std::string_view text) {
  auto trace = read_in_file_order(format, text);
  if (!trace) return trace;
  trace->format = format;
  if (trace->jobs.empty())
    return Refusal{"the trace has no job",
                   "is it of the format " + std::string(name(format)) + ", and whole?"};
  std::ranges::stable_sort(trace->jobs, {}, &TraceJob::submit);
  return trace;
}

}  // namespace cox::simulate
