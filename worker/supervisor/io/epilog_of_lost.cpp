#include "worker/supervisor/io/epilog_of_lost.h"

#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "common/base/limits.h"
#include "common/base/log_line.h"
#include "common/base/one_line.h"
#include "common/io/clock.h"
#include "common/job/supervisor_folder.h"
#include "common/messages/codec.h"
#include "worker/supervisor/io/files/files.h"
#include "worker/supervisor/io/files/status_journal.h"
#include "worker/supervisor/io/node_program_run.h"
#include "worker/supervisor/node_program.h"

namespace cox {

namespace {

// Waits for the program and returns how it failed; empty: it succeeded.
std::string await_run(NodeProgramRun& run) {
  const Descriptor process(static_cast<int>(::syscall(SYS_pidfd_open, run.pid(), 0)));
  int status = 0;
  while (::waitpid(run.pid(), &status, WNOHANG) == 0) {
    const Boot now = read_clock().boot;
    if (run.is_stuck(now)) return run.why_late();
    const auto left = std::max<std::int64_t>((run.looks_at() - now).count(), 1);
    pollfd watched[] = {{process.get(), POLLIN, 0}, {run.fd(), POLLIN, 0}};
    ::poll(watched, 2, static_cast<int>(left));
    run.read();
  }
  return run.end(status);
}

}  // namespace

int run_epilog_of_lost(const std::string& folder) {
  const auto bytes =
      read_file(folder + "/" + supervisor_folder::launch_file, limits::frame_bytes_max);
  const auto launch = bytes ? decode_launch(*bytes) : Refusal{"there is no launch file", ""};
  if (!launch) {
    std::fprintf(stderr, "%s: no epilog can be run: %s\n", folder.c_str(),
                 launch.refusal().fact.c_str());
    return 1;
  }
  if (launch->site.epilog.empty()) return 0;  // no epilog was configured when the attempt began
  const AttemptStatus status = StatusJournal::read(folder).value_or(AttemptStatus{});
  GoOrder order;
  order.started = read_clock().wall;
  for (const RankStatus& rank : status.ranks)
    if (rank.started != Wall{}) order.started = std::min(order.started, rank.started);
  auto run = NodeProgramRun::start(
      launch->site.epilog, node_program_environment(NodeProgram::Epilog, *launch, order, status),
      Milliseconds{launch->site.timeout_ms});
  const std::string how = run ? await_run(*run) : run.refusal().fact;
  const std::string output = run ? one_line(run->output()) : "";
  std::fprintf(stderr, "%sits epilog has ended how=%s output=%s\n", about(launch->key).c_str(),
               quoted_value(how.empty() ? "well" : how).c_str(), quoted_value(output).c_str());
  return how.empty() ? 0 : 1;
}

}  // namespace cox
