#include "worker/supervisor/io/rank_process.h"

#include <fcntl.h>
#include <grp.h>
#include <linux/close_range.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "common/io/descriptor_limit.h"
#include "worker/supervisor/io/child.h"
#include "worker/supervisor/io/kept_stream.h"

namespace cox {

namespace {

constexpr mode_t rank_umask = 022;

void open_streams(int report, const RankPlace& place) {
  constexpr int append = O_WRONLY | O_CREAT | O_APPEND;
  open_as(report, STDIN_FILENO, place.input, O_RDONLY);
  open_as(report, STDOUT_FILENO, place.output, append);
  if (place.error == place.output) {
    ::dup2(STDOUT_FILENO, STDERR_FILENO);
  } else {
    open_as(report, STDERR_FILENO, place.error, append);
  }
}

void enter_and_open(int report, const RankCommand& command) {
  const std::string& folder = command.place.work_dir;
  const int missing = ::chdir(folder.c_str()) == 0 ? 0 : errno;
  const RankPlace* place = missing == 0 ? &command.place : nullptr;
  if (missing != 0 && command.otherwise && ::chdir(command.otherwise->work_dir.c_str()) == 0)
    place = &*command.otherwise;
  if (place == nullptr)
    fail_start(report, 1, {"cannot enter ", folder, ": ", std::strerror(missing)});
  open_streams(report, *place);
  if (missing != 0) warn_of_folder(folder, missing);
}

[[noreturn]] void run_child(RankCommand command, bool is_inside, pid_t parent, int report,
                            const Descriptor& error_keep) {
  ::setpgid(0, 0);
  become_plain_child(parent);
  if (!is_inside) fail_start(report, 1, {"cannot enter the attempt's cgroup"});
  if (!become_user(command.uid, command.gid)) {
    fail_start(report, 1, {"cannot become user ", std::to_string(command.uid)});
  }
  become_plain_child(parent);  // again: the change of user cleared PR_SET_PDEATHSIG
  ::umask(rank_umask);
  enter_and_open(report, command);
  if (error_keep.is_open()) keep_stream(error_keep, STDERR_FILENO);
  ::close_range(STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC);
  restore_descriptor_limit();
  set_soft_limits(command.soft_limits);
  run_task_prologs(command.prologs, command.environment);
  ExecImage(std::move(command.words), std::move(command.environment)).exec(report);
}

}  // namespace

Result<RankProcess> start_rank(std::int32_t rank, const RankCommand& command,
                               const Containment& containment) {
  CHECK(!command.words.empty());
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) {
    return Refusal{std::string("cannot make a pipe: ") + std::strerror(errno), ""};
  }
  RankProcess process;
  process.rank = rank;
  process.report.reset(ends[0]);
  const Descriptor write_end(ends[1]);
  StreamKeep keep;
  if (command.keeps_error) {
    if (auto made = make_stream_keep()) keep = std::move(*made);
  }
  const pid_t parent = ::getpid();
  const Containment::Forked forked = containment.fork_inside();
  process.pid = forked.pid;
  if (process.pid < 0) {
    return Refusal{std::string("cannot start a process: ") + std::strerror(errno), ""};
  }
  if (process.pid == 0) {
    const bool is_inside = forked.is_inside || containment.enter();
    run_child(command, is_inside, parent, write_end.get(), keep.childs);
  }
  process.error_kept = std::move(keep.ours);
  // Also in the parent: a signal may be sent before the child does it.
  ::setpgid(process.pid, process.pid);
  return process;
}

}  // namespace cox
