// Tests ExplainDepth, which says how much of each pending job is explained, and that short
// explanations agree with full ones.
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "schedule/top/scheduler.h"
#include "tests/schedule/scenario.h"

namespace cox::schedule {
namespace {

Plan explained_plan(const SchedulerInput& world, const ExplainDepth& depth) {
  Scheduler scheduler(world.nodes);
  Engine& engine = scheduler.engine();
  engine.set_reservations(world.reservations);
  for (const RunningJob& job : world.running) engine.put(job);
  for (const PendingJob& job : world.pending) engine.put(job);
  return scheduler.plan(at_start, depth);
}

ExplainDepth reasons_alone() {
  return {true, 0, {}, 0, 0, ExplainDepth::all, {}, {}};
}

// Returns "JOB REASON at SECOND" for each pending job. SECOND is the job's expected start, if it is
// known, in seconds from now.
std::string reasons_of(const Plan& plan) {
  std::string text;
  for (const PendingExplanation& one : plan.waiting) {
    text += std::to_string(one.job.value) + " " + std::string(name(one.reason));
    if (one.expected_start)
      text += " at " + std::to_string((*one.expected_start - start_of_time).count() / 1'000);
    text += "\n";
  }
  return text;
}

// Returns for each pending job which parts of its explanation the plan has, such as "7: line lines
// changes": the reason's detail, further lines, and suggested changes.
std::string depths_of(const Plan& plan) {
  std::string text;
  for (const PendingExplanation& one : plan.waiting)
    text += std::to_string(one.job.value) + ":" + (one.detail.empty() ? "" : " line") +
            (one.lines.empty() ? "" : " lines") + (one.complete ? " changes" : "") + "\n";
  return text;
}

const char* const six_wait =
    "node n1,n2\nruns 1 on n1:4 ends=600\nwants 2 nodes=2 each=4\n"
    "wants 3 at=1\nwants 4 at=2\nwants 5 at=3\nwants 6 at=4\nwants 7 at=5";

std::string last_line_of(std::size_t jobs_with_reason) {
  const ExplainDepth depth{true, 1, JobId{7}, 1, 1, jobs_with_reason, {}, {}};
  const Plan plan = explained_plan(world_from(six_wait), depth);
  for (const std::string& line : waiting_of(plan, 7).lines)
    if (has(line, "before it")) return line;
  return "none";
}

}  // namespace

TEST(ExplainDepth, AReasonAloneEqualsTheReasonOfTheFullExplanation) {
  const SchedulerInput world = world_from(
      "node n1,n2\nnode n3 down\nruns 1 on n1:4 stopping ends=30\nruns 2 on n2:4 ends=600\n"
      "reserves maint nodes=n2 from=7200 to=9000\n"
      "wants 11 each=4 list=n1 tier=3\nwants 13 list=n3 at=1\nwants 14 held at=2\n"
      "wants 15 in=maint at=3 limit=60\nwants 16 in=gone at=4");
  const std::string whole = reasons_of(explained_plan(world, ExplainDepth::everything()));
  EXPECT_EQ(whole,
            "11 Resources at 30\n13 ReqNodeNotAvail\n15 Reservation at 7200\n"
            "16 ReservationDeleted\n14 JobHeldUser\n");
  EXPECT_EQ(reasons_of(explained_plan(world, reasons_alone())), whole);
}

TEST(ExplainDepth, AReasonAloneCoversNodesReservedForOthers) {
  const SchedulerInput world = world_from(
      "node n1,n2\nruns 1 on n2:4 ends=600\nreserves maint nodes=n1 from=-60 to=1200\n"
      "wants 2 each=4\nwants 3 each=4 list=n1 at=1");
  const auto reasons = [&](const ExplainDepth& depth) {
    std::string text;
    const Plan plan = explained_plan(world, depth);
    for (const PendingExplanation& one : plan.waiting) text += std::string(name(one.reason)) + " ";
    return text;
  };
  EXPECT_EQ(reasons(ExplainDepth::everything()), "ReqNodeNotAvail ReqNodeNotAvail ");
  EXPECT_EQ(reasons(reasons_alone()), "ReqNodeNotAvail ReqNodeNotAvail ");
}

TEST(ExplainDepth, TheFirstJobsAreExplainedInMoreDetailThanTheNext) {
  const ExplainDepth depth{true, 3, JobId{7}, 2, 1, 10, {}, {}};
  EXPECT_EQ(depths_of(explained_plan(world_from(six_wait), depth)),
            "2: line lines changes\n3: line lines\n4: line\n5:\n6:\n7: line lines changes\n");
  EXPECT_EQ(depths_of(explained_plan(world_from(six_wait), reasons_alone())),
            "2:\n3:\n4:\n5:\n6:\n7:\n");
  EXPECT_EQ(explained_plan(world_from(six_wait), ExplainDepth::nothing()).waiting.size(), 0U);
}

TEST(ExplainDepth, TheNumberOfEarlierJobsIsExactOnlyIfAllGetAReason) {
  const std::string all = "5 waiting jobs before it: jobs 2, 3, 4, 5, 6";
  EXPECT_EQ(last_line_of(6), all);
  EXPECT_EQ(last_line_of(5), "at least " + all);
}

}  // namespace cox::schedule
