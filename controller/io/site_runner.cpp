#include "controller/io/site_runner.h"

#include <fcntl.h>
#include <signal.h>
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
#include "controller/io/site_program.h"

namespace cox {
namespace {

constexpr std::size_t site_runs_at_once_max = 64;

bool is_same_run(const SiteRun& one, const SiteRun& other) {
  return one.what == other.what && one.key == other.key;
}

const char* key_name(const SiteRun& run) {
  return run.what == SiteRun::What::Prolog ? "prolog_program" : "epilog_program";
}

}  // namespace

SiteRunner::SiteRunner(const ControllerConfig& config)
    : prolog_(config.prolog_program),
      epilog_(config.epilog_program),
      limit_(config.prolog_epilog_timeout) {}

SiteRunner::~SiteRunner() {
  for (const Running& running : running_) ::close(running.output);
}

bool SiteRunner::has_run(const SiteRun& run) const {
  return std::ranges::any_of(waiting_, [&](const auto& one) { return is_same_run(one, run); }) ||
         std::ranges::any_of(running_, [&](const auto& one) { return is_same_run(one.run, run); });
}

const std::string& SiteRunner::program_of(const SiteRun& run) const {
  return run.what == SiteRun::What::Prolog ? prolog_ : epilog_;
}

void SiteRunner::take(std::vector<SiteRun> runs) {
  for (SiteRun& run : runs)
    if (!has_run(run)) waiting_.push_back(std::move(run));
}

void SiteRunner::start(SiteRun run, Boot now, std::vector<SiteRunEnded>& ended) {
  int ends[2] = {-1, -1};
  if (::pipe2(ends, O_CLOEXEC) != 0) {
    ended.push_back({run.what, run.key, std::strerror(errno)});
    return;
  }
  ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
  const std::string& program = program_of(run);
  const pid_t pid = start_site_program({program}, run.environment, -1, ends[1]);
  const int failed = errno;
  ::close(ends[1]);
  if (pid >= 0) {
    running_.push_back({std::move(run), pid, ends[0], {}, now + limit_});
    return;
  }
  ::close(ends[0]);
  const std::string why = "cannot start " + program + ": " + std::strerror(failed);
  log_warning(about(run.key) + why);
  ended.push_back({run.what, run.key, why});
}

bool SiteRunner::end_if_over(Running& running, Boot now, std::vector<SiteRunEnded>& ended) {
  const auto read = [&] {
    read_site_output(running.output, running.written, limits::site_output_bytes_max);
  };
  read();
  if (now >= running.until && !std::exchange(running.is_late, true)) ::kill(-running.pid, SIGKILL);
  int status = 0;
  if (::waitpid(running.pid, &status, WNOHANG) != running.pid) return false;
  read();
  ::close(running.output);
  std::string how = site_end_text(status);
  if (running.is_late) how = late_text(limit_.count());
  const bool succeeded = status == 0 && !running.is_late;
  const std::string output = one_line(running.written);
  const std::string line = about(running.run.key) + key_name(running.run) +
                           " ended how=" + quoted_value(how) + " output=" + quoted_value(output);
  if (succeeded)
    log_debug(line);
  else
    log_warning(line);
  if (!succeeded && !output.empty()) how += ": " + output;
  ended.push_back({running.run.what, running.run.key, succeeded ? "" : how});
  return true;
}

std::vector<SiteRunEnded> SiteRunner::turn(Boot now) {
  std::vector<SiteRunEnded> ended;
  std::erase_if(running_, [&](Running& one) { return end_if_over(one, now, ended); });
  while (running_.size() < site_runs_at_once_max && !waiting_.empty()) {
    SiteRun run = std::move(waiting_.front());
    waiting_.pop_front();
    start(std::move(run), now, ended);
  }
  return ended;
}

}  // namespace cox
