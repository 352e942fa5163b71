#include "worker/io/health_check.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <optional>

#include "common/io/clock.h"
#include "tests/patience.h"
#include "tests/worker/temporary_folder.h"

namespace cox {
namespace {

constexpr Milliseconds an_interval{30'000};
constexpr Milliseconds at_once{0};

class HealthCheckTest : public testing::Test {
 public:
  std::string program(const std::string& script) {
    const std::string path = folder / "check";
    write_text(path, "#!/bin/sh\n" + script);
    EXPECT_EQ(::chmod(path.c_str(), 0700), 0);
    return path;
  }
  // Waits until a health check ends. Returns the reason why the node is unfit, or "".
  static std::string found_by(HealthCheck& check) {
    std::optional<std::string> found;
    wait_for([&] { return (found = check.look(read_clock().boot)).has_value(); });
    return found.value_or("nothing in time");
  }
  std::string found_by(const std::string& script) {
    HealthCheck check(program(script), at_once);
    return found_by(check);
  }
  TemporaryFolder folder;
};

TEST_F(HealthCheckTest, APassedCheckReportsNothing) {
  EXPECT_EQ(found_by("echo all is well"), "");
}

TEST_F(HealthCheckTest, TheFirstLineOfAFailedCheckIsTheReason) {
  EXPECT_EQ(found_by("echo fan 3 stands >&2; echo more; exit 1"), "fan 3 stands");
  EXPECT_EQ(found_by("exit 4"), "health check " + (folder / "check") + " exited with 4");
  EXPECT_EQ(found_by("kill -9 $$"),
            "health check " + (folder / "check") + " was ended by signal 9");
  EXPECT_EQ(found_by("yes | head -c 1000000; exit 1"), "y");
}

TEST_F(HealthCheckTest, TheCheckGetsTheNodesName) {
  ASSERT_EQ(::setenv("SLURMD_NODENAME", "of-another-job", 1), 0);
  HealthCheck check(program("env | grep -c SLURMD_NODENAME; echo $SLURMD_NODENAME; exit 1"),
                    at_once, an_interval, "n7");
  EXPECT_EQ(found_by(check), "1") << "the variable is set once";
  HealthCheck named(program("echo $SLURMD_NODENAME; exit 1"), at_once, an_interval, "n7");
  EXPECT_EQ(found_by(named), "n7");
  ::unsetenv("SLURMD_NODENAME");
}

TEST_F(HealthCheckTest, AMissingProgramCountsAsAFailedCheck) {
  HealthCheck check(folder / "nothing", at_once);
  EXPECT_EQ(found_by(check), "health check " + (folder / "nothing") +
                                 ": cannot be started: No such file or directory");
}

TEST_F(HealthCheckTest, ACheckThatHangsIsKilledAndHasFailed) {
  HealthCheck check(program("echo begun; sleep 1000 & wait"), at_once, Milliseconds{200});
  EXPECT_EQ(found_by(check), "health check " + (folder / "check") + " did not end within 200 ms");
}

TEST_F(HealthCheckTest, TheNextCheckStartsAnIntervalAfterTheLast) {
  HealthCheck check(program("echo x >> \"$0.runs\""), an_interval);
  EXPECT_EQ(found_by(check), "");
  const Boot now = read_clock().boot;
  EXPECT_EQ(check.look(now + an_interval / 2), std::nullopt);
  EXPECT_EQ(read_text(folder / "check.runs"), "x\n");
  check.look(now + 2 * an_interval);  // starts it
  EXPECT_EQ(found_by(check), "");
  EXPECT_EQ(read_text(folder / "check.runs"), "x\nx\n");
}

// Traces a process, so that the process does not vanish when it is killed. The kernel keeps a
// killed process in the same way while it sleeps in storage that hangs.
class Tracer {
 public:
  explicit Tracer(pid_t of) {
    int ends[2];
    EXPECT_EQ(::pipe(ends), 0);
    pid_ = ::fork();
    if (pid_ == 0) {
      const char may = ::ptrace(PTRACE_SEIZE, of, nullptr, nullptr) == 0 ? 'y' : 'n';
      if (::write(ends[1], &may, 1) == 1) ::pause();
      ::_exit(0);
    }
    char may = 'n';
    holds_ = ::read(ends[0], &may, 1) == 1 && may == 'y';
    ::close(ends[0]);
    ::close(ends[1]);
  }
  ~Tracer() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  bool holds() const { return holds_; }

 private:
  pid_t pid_ = 0;
  bool holds_ = false;
};

TEST_F(HealthCheckTest, NoCheckStartsWhileTheKernelHoldsTheLastOne) {
  HealthCheck check(program("echo $$ >> \"$0.runs\"; exec sleep 1000"), at_once, Milliseconds{500});
  Boot now = read_clock().boot;
  check.look(now);  // starts it
  const auto runs = [&] { return read_text(folder / "check.runs"); };
  ASSERT_TRUE(wait_for([&] { return runs().ends_with('\n'); }));
  const std::string first = runs();
  auto tracer = std::make_optional<Tracer>(std::stoi(first));
  if (!tracer->holds()) GTEST_SKIP() << "this kernel does not allow tracing";
  now += Milliseconds{500};
  EXPECT_TRUE(check.look(now)) << "the check has failed";
  for (int i = 0; i < 20; ++i) {
    now += Milliseconds{100};
    EXPECT_EQ(check.look(now), std::nullopt) << "nothing else is reported";
    ::poll(nullptr, 0, 10);
  }
  EXPECT_EQ(runs(), first);
  tracer.reset();
  EXPECT_TRUE(wait_for([&] {
    check.look(now);
    return runs() != first;
  })) << "checks continue when the process is gone";
}

}  // namespace
}  // namespace cox
