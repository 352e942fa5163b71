// Reads the Standard Workload Format: ';' begins a comment, a job is 18 numbers, -1 is unknown.
#include <array>
#include <string>

#include "common/base/text.h"
#include "simulate/trace/lines.h"
#include "simulate/trace/readers.h"

namespace cox::simulate {
namespace {

constexpr std::size_t fields_count = 18;
// the fields of a line, indexed from 1 like the format
using Fields = std::array<double, fields_count + 1>;

// Parses the 18 numbers of a line. Returns the error, or empty text.
std::string read_fields(std::string_view line, Fields& fields) {
  std::size_t count = 0;
  for (;;) {
    const std::size_t begin = line.find_first_not_of(" \t");
    if (begin == line.npos) break;
    line.remove_prefix(begin);
    const std::string_view word = line.substr(0, line.find_first_of(" \t"));
    line.remove_prefix(word.size());
    const auto number = finite_number(word);
    if (!number) return quoted(word) + " is not a number";
    if (++count <= fields_count) fields[count] = *number;
  }
  // some logs have more than 18 fields; the others are ignored
  if (count >= fields_count) return "";
  return "a job has 18 fields, and this line has " + std::to_string(count);
}

std::string out_of_range(const Fields& fields) {
  for (const std::size_t time : {2, 3, 4, 9})
    if (fields[time] > seconds_max)
      return "field " + std::to_string(time) + " is a time beyond " + std::to_string(seconds_max);
  if (fields[2] < 0) return "field 2, the time of submission, is negative";
  for (const std::size_t count : {5, 8})
    if (fields[count] > static_cast<double>(count_max))
      return "field " + std::to_string(count) + " is beyond " + std::to_string(count_max);
  return "";
}

// Returns a name for the user or group with this number, like "u17"; empty for -1 (unknown).
std::string numbered(char kind, double number) {
  return number < 0 ? "" : kind + std::to_string(static_cast<std::int64_t>(number));
}

TraceJob job_of(const Fields& fields) {
  TraceJob job;
  job.name = std::to_string(static_cast<std::int64_t>(fields[1]));
  job.submit = from_seconds(fields[2]);
  job.run = from_seconds(fields[4]);
  job.tasks = static_cast<std::int64_t>(fields[8] >= 1 ? fields[8] : fields[5]);
  job.estimate = std::max(fields[9] > 0 ? from_seconds(fields[9]) : job.run, job.run);
  job.user = numbered('u', fields[12]);
  job.account = numbered('g', fields[13]);
  if (fields[3] >= 0) job.recorded_wait = from_seconds(fields[3]);
  return job;
}

}  // namespace

Result<Trace> read_swf(std::string_view text) {
  Trace trace;
  Lines lines(text);
  while (const auto line = lines.next()) {
    const std::size_t begin = line->find_first_not_of(" \t");
    if (begin == line->npos || (*line)[begin] == ';') continue;
    Fields fields{};
    std::string wrong = read_fields(*line, fields);
    if (wrong.empty()) wrong = out_of_range(fields);
    if (!wrong.empty()) return at_line(lines.number(), wrong);
    const bool ran = fields[4] > 0 && (fields[8] >= 1 || fields[5] >= 1);
    if (ran) trace.jobs.push_back(job_of(fields));
    if (!ran) ++trace.skipped;
  }
  return trace;
}

}  // namespace cox::simulate
