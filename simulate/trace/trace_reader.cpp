#include "simulate/trace/trace_reader.h"

#include <algorithm>
#include <string>

#include "common/base/check.h"
#include "common/base/text.h"
#include "simulate/trace/readers.h"

namespace cox::simulate {
namespace {

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

}  // namespace

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
  return Refusal{"the format of " + quoted(file_name) + " is not recognised by its beginning",
                 "name it: --format swf, openb, muri, batsim, cox or slurm-sim"};
}

Result<Trace> read_trace(Format format, std::string_view text) {
  auto trace = read_in_file_order(format, text);
  if (!trace) return trace;
  trace->format = format;
  if (trace->jobs.empty())
    return Refusal{"the trace has no job",
                   "is its format " + std::string(name(format)) + ", and is it complete?"};
  std::ranges::stable_sort(trace->jobs, {}, &TraceJob::submit);
  return trace;
}

}  // namespace cox::simulate
