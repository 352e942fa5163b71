#include "tests/sim/play.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <sstream>
#include <vector>

#include "common/base/check.h"

namespace cox::sim {
namespace {

// A process that plays a share of the seeds. It writes to the pipe the seed that failed (0: none),
// and then the coverage, one transition and fault a line.
struct Share {
  pid_t pid = 0;
  int pipe = -1;
};

// Plays every stride-th seed from setting.seed up to `end` (excluded), until one fails. Returns
// that seed, or 0.
std::uint64_t play_share(Setting setting, std::uint64_t end, std::uint64_t stride,
                         Coverage& coverage) {
  setting.coverage = &coverage;
  for (; setting.seed < end; setting.seed += stride)
    if (!simulate(setting).violation.empty()) return setting.seed;
  return 0;
}

void write_share(int pipe, std::uint64_t failed, const Coverage& coverage) {
  std::ostringstream text;
  text << failed << "\n";
  for (const auto& [point, times] : coverage.counted())
    text << point.first << " " << static_cast<int>(point.second) << " " << times << "\n";
  const std::string report = text.str();
  for (std::size_t at = 0; at < report.size();) {
    const ssize_t wrote = ::write(pipe, report.data() + at, report.size() - at);
    if (wrote <= 0) ::_exit(3);
    at += static_cast<std::size_t>(wrote);
  }
}

Share begin_share(const Setting& setting, std::uint64_t end, std::uint64_t stride) {
  int ends[2];
  CHECK(::pipe(ends) == 0);
  std::fflush(stdout);
  const pid_t pid = ::fork();
  CHECK(pid >= 0);
  if (pid == 0) {
    Coverage coverage;
    const std::uint64_t failed = play_share(setting, end, stride, coverage);
    write_share(ends[1], failed, coverage);
    ::_exit(0);
  }
  ::close(ends[1]);
  return {pid, ends[0]};
}

std::string read_all(int pipe) {
  std::string text;
  char part[4096];
  for (ssize_t got = 0; (got = ::read(pipe, part, sizeof part)) > 0;)
    text.append(part, static_cast<std::size_t>(got));
  ::close(pipe);
  return text;
}

// Reads the result of a process. Returns the seed that failed, or 0. A process that died of a CHECK
// has printed its story itself.
std::uint64_t end_share(const Share& share, Played& played) {
  std::istringstream text(read_all(share.pipe));
  int status = 0;
  ::waitpid(share.pid, &status, 0);
  if (status != 0) played.story = "a CHECK failed, or a sanitizer complained: see above";
  std::uint64_t failed = 0;
  text >> failed;
  std::size_t transition = 0;
  int fault = 0;
  std::int64_t times = 0;
  while (text >> transition >> fault >> times)
    played.coverage.count({transition, static_cast<Fault>(fault)}, times);
  return failed;
}

std::string story_of(const Setting& setting) {
  const Outcome failed = simulate(setting);
  Setting least = minimised(setting, failed);
  const Outcome outcome = simulate(least);
  return outcome.story + "as it failed first: ./dev sim" + arguments_of(setting) + "\n";
}

}  // namespace

Played play(const Setting& setting, std::uint64_t seeds, int processes) {
  const std::uint64_t end = setting.seed + seeds;
  const auto stride = static_cast<std::uint64_t>(processes);
  std::vector<Share> shares;
  for (std::uint64_t i = 0; i < stride; ++i) {
    Setting share = setting;
    share.seed += i;
    shares.push_back(begin_share(share, end, stride));
  }
  Played played;
  std::uint64_t first_failed = 0;
  for (const Share& share : shares) {
    const std::uint64_t failed = end_share(share, played);
    if (failed != 0 && (first_failed == 0 || failed < first_failed)) first_failed = failed;
  }
  if (first_failed == 0) return played;
  Setting failed = setting;
  failed.seed = first_failed;
  played.story = story_of(failed);
  return played;
}

// Returns the violation without digits, since leaving jobs out changes the job ids in it.
static std::string kind_of(const std::string& violation) {
  std::string kind;
  for (const char c : violation)
    if (c < '0' || c > '9') kind += c;
  return kind;
}

Setting minimised(const Setting& setting, const Outcome& failed, int tries) {
  Setting least = setting;
  least.coverage = nullptr;
  least.prints_all = false;
  const auto still_fails = [&](const Setting& less) {
    if (tries-- <= 0) return false;
    return kind_of(simulate(less).violation) == kind_of(failed.violation);
  };
  for (const Fault fault : failed.faults) {
    Setting less = least;
    less.faults.without.insert(fault);
    if (still_fails(less)) least = less;
  }
  for (std::int64_t job = failed.jobs - 1; job >= 0; --job) {
    Setting less = least;
    less.without_jobs.insert(job);
    if (still_fails(less)) least = less;
  }
  return least;
}

}  // namespace cox::sim
