// Reads the traces of Muri's simulator: times in milliseconds, GPUs of the whole job.
#include "simulate/trace/lines.h"
#include "simulate/trace/readers.h"

namespace cox::simulate {

Result<Trace> read_muri(std::string_view text) {
  auto opened = CsvTable::open(text, {"job_id", "num_gpu", "submit_time", "duration"});
  if (!opened) return opened.refusal();
  CsvTable& table = *opened;
  Trace trace;
  while (table.next()) {
    TraceJob job;
    job.name = table.text("job_id");
    job.submit = table.milliseconds("submit_time");
    job.run = table.milliseconds("duration");
    job.estimate = job.run;
    job.gpus = table.whole_number_in("num_gpu", 1, count_max);
    const bool runs = job.run.count() > 0;
    if (runs) trace.jobs.push_back(std::move(job));
    if (!runs) ++trace.skipped;
  }
  if (table.problem()) return *table.problem();
  return trace;
}

}  // namespace cox::simulate
