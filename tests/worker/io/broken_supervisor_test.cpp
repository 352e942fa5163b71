// Tests what a worker reports if the supervisor program itself does not work.
#include <sched.h>

#include <set>

#include "tests/worker/processes_fixture.h"

namespace cox {
namespace {

// On one CPU the program sometimes ends before the worker has sent it the order, and sometimes
// later.
TEST_F(ProcessesTest, ASupervisorProgramThatEndsAtOnceIsRefusedWithOneReason) {
  cpu_set_t before, one;
  ASSERT_EQ(::sched_getaffinity(0, sizeof before, &before), 0);
  CPU_ZERO(&one);
  CPU_SET(::sched_getcpu(), &one);
  ASSERT_EQ(::sched_setaffinity(0, sizeof one, &one), 0);
  processes.reset();
  start_worker("/bin/false");
  std::set<std::string> reasons;
  for (std::int32_t attempt = 1; attempt <= 50; ++attempt) {
    LaunchSpec doomed = shell_gang(1, "true");
    doomed.key.attempt = AttemptNumber(attempt);
    status = AttemptStatus{};
    const Failure failure = processes->prepare(doomed);
    const auto is_refused = [&] { return !status.refused.empty(); };
    EXPECT_TRUE(failure || wait_until(is_refused));
    reasons.insert(failure ? failure->fact : status.refused);
    processes->forget(doomed.key);
  }
  ASSERT_EQ(::sched_setaffinity(0, sizeof before, &before), 0);
  EXPECT_EQ(reasons,
            (std::set<std::string>{
                "its supervisor could not start; see supervisors.log in the spool folder"}));
}

}  // namespace
}  // namespace cox
