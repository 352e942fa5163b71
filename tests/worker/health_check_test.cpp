#include "worker/io/health_check.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/stat.h>

#include "common/io/clock.h"
#include "tests/worker/temporary_folder.h"

namespace cox {
namespace {

constexpr Milliseconds an_interval{30'000};
constexpr Milliseconds at_once{0};

class HealthCheckOf : public testing::Test {
 public:
  std::string program(const std::string& script) {
    const std::string path = folder / "check";
    write_text(path, "#!/bin/sh\n" + script);
    EXPECT_EQ(::chmod(path.c_str(), 0700), 0);
    return path;
  }
  // What the next one that ends has found.
  static std::string found_by(HealthCheck& check) {
    const Boot until = read_clock().boot + an_interval;
    while (read_clock().boot < until) {
      if (const auto found = check.look(read_clock().boot)) return *found;
      ::poll(nullptr, 0, 5);
    }
    return "nothing in time";
  }
  std::string found_by(const std::string& script) {
    HealthCheck check(program(script), at_once);
    return found_by(check);
  }
  TemporaryFolder folder;
};

TEST_F(HealthCheckOf, ANodeThatPassesFindsNothing) {
  EXPECT_EQ(found_by("echo all is well"), "");
}

TEST_F(HealthCheckOf, TheFirstLineOfOneThatFailsIsTheReason) {
  EXPECT_EQ(found_by("echo fan 3 stands >&2; echo more; exit 1"), "fan 3 stands");
  EXPECT_EQ(found_by("exit 4"), "health check " + (folder / "check") + " exited with 4");
  EXPECT_EQ(found_by("kill -9 $$"),
            "health check " + (folder / "check") + " was ended by signal 9");
  EXPECT_EQ(found_by("yes | head -c 1000000; exit 1"), "y");
}

TEST_F(HealthCheckOf, OneThatIsNotThereHasFailed) {
  HealthCheck check(folder / "nothing", at_once);
  EXPECT_EQ(found_by(check), "health check " + (folder / "nothing") +
                                 ": cannot be started: No such file or directory");
}

TEST_F(HealthCheckOf, OneThatHangsIsKilledAndHasFailed) {
  HealthCheck check(program("echo begun; sleep 1000 & wait"), at_once, Milliseconds{200});
  EXPECT_EQ(found_by(check), "health check " + (folder / "check") + " was not done within 200 ms");
}

TEST_F(HealthCheckOf, TheNextComesAnIntervalAfterTheLast) {
  HealthCheck check(program("echo x >> \"$0.runs\""), an_interval);
  EXPECT_EQ(found_by(check), "");
  const Boot now = read_clock().boot;
  EXPECT_EQ(check.look(now + an_interval / 2), std::nullopt);
  EXPECT_EQ(read_text(folder / "check.runs"), "x\n");
  check.look(now + 2 * an_interval);  // starts it
  EXPECT_EQ(found_by(check), "");
  EXPECT_EQ(read_text(folder / "check.runs"), "x\nx\n");
}

}  // namespace
}  // namespace cox
