// `cox progress --step N --total M --metric loss=0.25`, called by a rank: reports its progress to
// the supervisor.
#include <utility>

#include "client/io/private/job_signals.h"
#include "client/io/run.h"
#include "client/io/supervisor_socket.h"

namespace cox {

int run_progress(const Command& command, const ProgressOptions& options) {
  block_job_signals();
  ProgressReport report;
  report.progress.step = options.step;
  report.progress.total = options.total;
  for (const std::string& text : options.metrics) {
    auto metric = parse_metric(text);
    if (!metric) return print_refusal(command, metric.refusal(), options, exit_usage);
    report.progress.metrics.push_back(std::move(metric).value());
  }
  if (auto failure = check_progress(report.progress))
    return print_refusal(command, *failure, options, exit_usage);
  const auto path = supervisor_socket("progress");
  if (!path) return print_refusal(command, path.refusal(), options, exit_refused);
  if (auto failure = report_progress(*path, report))
    return print_refusal(command, *failure, options, exit_unreachable);
  return exit_ok;
}

}  // namespace cox
