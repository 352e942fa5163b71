#include "controller/io/submit_runner.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "common/base/limits.h"
#include "common/base/log_line.h"
#include "common/base/one_line.h"
#include "common/io/log.h"
#include "common/job/site_programs.h"
#include "controller/io/site_program.h"

namespace cox {
namespace {

constexpr std::size_t submit_runs_at_once_max = 16;
constexpr std::ptrdiff_t submit_runs_per_user_max = 8;

// Opens a pipe. Other child processes do not inherit it, and reads from it do not block.
bool open_pipe(int& reading, int& writing) {
  int ends[2] = {-1, -1};
  if (::pipe2(ends, O_CLOEXEC) != 0) return false;
  reading = ends[0];
  writing = ends[1];
  return ::fcntl(reading, F_SETFL, O_NONBLOCK) == 0;
}

void close_if_open(int& fd) {
  if (fd >= 0) ::close(fd);
  fd = -1;
}

int end_of_process(pid_t pid) {
  return static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));  // closed on exec
}

}  // namespace

SubmitRunner::SubmitRunner(const ControllerConfig& config, Poller& poller)
    : program_(config.submit_program),
      cluster_name_(config.cluster_name),
      limit_(config.submit_program_timeout),
      poller_(poller) {}

SubmitRunner::~SubmitRunner() {
  end_all();
  for (Running& running : running_) close_all(running);
}

void SubmitRunner::close_all(Running& running) {
  running.wakes.reset();
  close_if_open(running.output);
  close_if_open(running.errors);
  close_if_open(running.end);
}

void SubmitRunner::take(std::vector<SubmitRun> runs) {
  for (SubmitRun& run : runs) waiting_.push_back(std::move(run));
  start_waiting();
}

void SubmitRunner::end_all() {
  waiting_.clear();
  ended_.clear();
  for (Running& running : running_)
    if (!std::exchange(running.is_dropped, true)) ::kill(-running.pid, SIGKILL);
}

bool SubmitRunner::may_start(const SubmitRun& run) const {
  const auto is_its = [&](const Running& one) { return one.run.uid == run.uid; };
  return running_.size() < submit_runs_at_once_max &&
         std::ranges::count_if(running_, is_its) < submit_runs_per_user_max;
}

void SubmitRunner::start(SubmitRun run) {
  Running running;
  int output = -1;
  int errors = -1;
  int input = -1;
  const bool is_open = open_pipe(running.output, output) && open_pipe(running.errors, errors) &&
                       (input = unnamed_file_of(run.input)) >= 0;
  if (is_open)
    running.pid = start_site_program({program_}, {"COX_CLUSTER_NAME=" + cluster_name_}, input,
                                     output, errors);
  const int failed = errno;
  for (int* fd : {&input, &output, &errors}) close_if_open(*fd);
  if (running.pid < 0) {
    close_all(running);
    const std::string why = "cannot start " + program_ + ": " + std::strerror(failed);
    log_warning(why);
    ended_.push_back({run.ticket, {"", why}});
    return;
  }
  running.end = end_of_process(running.pid);
  if (running.end >= 0) running.wakes = poller_.add_readable(running.end);
  run.input.clear();
  running.run = std::move(run);
  running_.push_back(std::move(running));
}

SubmitAnswer SubmitRunner::answer_of(Running& running, int wait_status) const {
  SubmitAnswer answer;
  const std::string complaint = one_line(running.complaint);
  if (running.is_late)
    answer.error = late_text(limit_.count());
  else if (wait_status != 0)
    answer.error = site_end_text(wait_status);
  const std::string line = "submit_program ended uid=" + std::to_string(running.run.uid) +
                           " how=" + quoted_value(answer.error) +
                           " error=" + quoted_value(complaint);
  if (answer.error.empty())
    log_debug(line);
  else
    log_warning(line);
  if (!answer.error.empty() && !complaint.empty()) answer.error += ": " + complaint;
  answer.text = std::move(running.answer);
  return answer;
}

bool SubmitRunner::end_if_over(Running& running, Boot now) {
  const auto read = [&] {
    // Keeps 1 byte more than the limit, to detect an answer that is too long.
    read_site_output(running.output, running.answer, limits::submit_answer_bytes_max + 1);
    read_site_output(running.errors, running.complaint, limits::site_output_bytes_max);
  };
  read();
  const bool is_over_time = now >= running.run.until || running.is_dropped;
  if (is_over_time && !std::exchange(running.is_late, true)) ::kill(-running.pid, SIGKILL);
  int status = 0;
  if (::waitpid(running.pid, &status, WNOHANG) != running.pid) return false;
  read();
  if (!running.is_dropped) ended_.push_back({running.run.ticket, answer_of(running, status)});
  close_all(running);
  return true;
}

void SubmitRunner::start_waiting() {
  for (auto next = waiting_.begin(); next != waiting_.end();) {
    if (!may_start(*next)) {
      ++next;
      continue;
    }
    start(std::move(*next));
    next = waiting_.erase(next);
  }
}

std::vector<SubmitRunEnded> SubmitRunner::turn(Boot now) {
  std::erase_if(running_, [&](Running& one) { return end_if_over(one, now); });
  std::erase_if(waiting_, [&](const SubmitRun& one) {
    if (now < one.until) return false;
    ended_.push_back({one.ticket,
                      {"", "too many submissions: the program could not start within " +
                               std::to_string(limit_.count()) + " ms"}});
    return true;
  });
  start_waiting();
  return std::exchange(ended_, {});
}

}  // namespace cox
