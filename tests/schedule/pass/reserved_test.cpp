// Tests explanations of a job that advance reservations keep from nodes that have room.
#include <gtest/gtest.h>

#include "schedule/engine/engine.h"
#include "schedule/explain/blocking_reservations.h"
#include "tests/schedule/scenario.h"

namespace cox::schedule {
namespace {

// Returns the lines that explain which reservations are in the way of the only pending job. The
// time is 00:16:40 UTC.
std::vector<std::string> lines_for(const std::string& text) {
  const SchedulerInput world = world_from(text);
  Engine engine(world.nodes);
  engine.set_reservations(world.reservations);
  for (const RunningJob& job : world.running) engine.put(job);
  return lines_in_the_way(engine, world.pending.at(0), at_start);
}

using Lines = std::vector<std::string>;

AdvanceReservation maint(std::int64_t from, std::int64_t to) {
  return world_from("reserves maint nodes=n1 from=" + std::to_string(from) +
                    " to=" + std::to_string(to))
      .reservations.front();
}

PendingJob job_from(const std::string& wish) {
  return world_from("wants 1 " + wish).pending.front();
}

}  // namespace

TEST(ReservedLines, AreNoneIfNoReservationBlocksTheJob) {
  const std::string soon = "reserves maint nodes=n1 from=600 to=1200\n";
  EXPECT_EQ(lines_for("node n1 cpus=4\nwants 1 tasks=5"), Lines{}) << "no reservation";
  EXPECT_EQ(lines_for("node n1 cpus=4\n" + soon + "wants 1 tasks=4 limit=600"), Lines{})
      << "it ends before the reservation begins";
  EXPECT_EQ(lines_for("node n1 cpus=4\n" + soon + "runs 2 n1:1 ends=60\nwants 1 tasks=4"), Lines{})
      << "there is no room";
  EXPECT_EQ(lines_for("node n1 cpus=4\n" + soon + "wants 1 tasks=4 limits=cpus:3"), Lines{})
      << "a limit does not allow it";
  EXPECT_EQ(lines_for("node n1,n2 cpus=4\n" + soon + "wants 1 type=a|b gpus=1"), Lines{});
}

TEST(ReservedLines, SayWhichTimeLimitWouldLetTheJobStartNow) {
  const auto until = [](const std::string& begin) {
    return lines_for("node n1 cpus=4\nreserves maint nodes=n1,n9 from=" + begin +
                     " to=1200\nwants 1 tasks=4 limits=cpus:4");
  };
  EXPECT_EQ(
      until("600"),
      Lines{"n1 is reserved from 1970-01-01T00:26:40Z: maint, for maintenance; with --time=10 "
            "or less it would start now"});
  EXPECT_EQ(until("60"),
            Lines{"n1 is reserved from 1970-01-01T00:17:40Z: maint, for maintenance; with --time=1 "
                  "or less it would start now"});
  EXPECT_EQ(until("59"), Lines{"n1 is reserved from 1970-01-01T00:17:39Z: maint, for maintenance"});
  EXPECT_EQ(until("0"), Lines{"n1 is reserved until 1970-01-01T00:36:40Z: maint, for maintenance"});
}

TEST(ReservedLines, NameTheNodesThatWouldHaveRoom) {
  EXPECT_EQ(lines_for("node n1,n2,n3,n4,n5 cpus=4\n"
                      "reserves maint nodes=n1,n2,n3 from=-60 to=1200\n"
                      "runs 2 n2:3 ends=60\n"
                      "wants 1 nodes=3 each=2 limit=60 but=n5"),
            Lines{"n[1,3] are reserved until 1970-01-01T00:36:40Z: maint, for maintenance"});
}

TEST(ReservedLines, BeginWithTheReservationThatLeavesMostTime) {
  EXPECT_EQ(lines_for("node n1,n2,n3 cpus=4\n"
                      "reserves a nodes=n1 from=120 to=1200\n"
                      "reserves c nodes=n3 from=300 to=1200\n"
                      "reserves b nodes=n2 from=660 to=1200\n"
                      "wants 1 tasks=4"),
            (Lines{"n2 is reserved from 1970-01-01T00:27:40Z: b, for maintenance; with --time=11 "
                   "or less it would start now",
                   "n3 is reserved from 1970-01-01T00:21:40Z: c, for maintenance",
                   "n1 is reserved from 1970-01-01T00:18:40Z: a, for maintenance"}));
}

TEST(ReservedLines, AreThreeAtMost) {
  const std::string four =
      "node n1,n2,n3,n4 cpus=4\n"
      "reserves d nodes=n4 from=-60 to=1200\n"
      "reserves c nodes=n3 from=-70 to=1200\n"
      "reserves b nodes=n2 from=-80 to=1200\n"
      "reserves a nodes=n1 from=-90 to=1200\n";
  const Lines lines = lines_for(four + "wants 1 nodes=4 each=4");
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_EQ(lines[0], "n1 is reserved until 1970-01-01T00:36:40Z: a, for maintenance");
  EXPECT_EQ(lines[2], "n3 is reserved until 1970-01-01T00:36:40Z: c, for maintenance");
  EXPECT_EQ(lines[3], "and 1 reservation more; `cox show reservations` lists them");
  EXPECT_EQ(lines_for(four + "wants 1 nodes=3 each=4 but=n4").size(), 3U);
}

TEST(ReservedText, ShowsWhenTheReservationBeginsOrEnds) {
  EXPECT_EQ(reserved_text("n1", 1, maint(0, 60), at_start),
            "n1 is reserved until 1970-01-01T00:17:40Z: maint, for maintenance");
  EXPECT_EQ(reserved_text("n[1-2]", 2, maint(1, 60), at_start),
            "n[1-2] are reserved from 1970-01-01T00:16:41Z: maint, for maintenance");
  AdvanceReservation over = maint(-60, 0);
  over.users_text.clear();
  EXPECT_EQ(reserved_text("n1", 1, over, at_start), "n1 is reserved: maint")
      << "the reservation is over";
}

TEST(ReservedText, SaysThatASilentNodeDoesNotRespond) {
  AdvanceReservation silence = maint(-60, 60);
  silence.is_silence = true;
  EXPECT_EQ(reserved_text("n1", 1, silence, at_start),
            "n1 does not respond; it has until 1970-01-01T00:17:40Z to return");
  EXPECT_EQ(reserved_text("n[1-2]", 2, silence, at_start),
            "n[1-2] do not respond; they have until 1970-01-01T00:17:40Z to return");
  silence.occurrences.clear();
  EXPECT_EQ(reserved_text("n[1-2]", 2, silence, at_start), "n[1-2] do not respond");
}

TEST(UnusedText, SaysWhyAJobDoesNotUseAReservationThatItMayUse) {
  const auto explanation = [](const std::string& wish, const AdvanceReservation& one) {
    return unused_text(job_from(wish), one, at_start);
  };
  const std::string too_long =
      "; the job may use that reservation, but asks for 61 s and must end by "
      "1970-01-01T00:17:40Z";
  EXPECT_EQ(explanation("magnet=maint limit=61", maint(-60, 60)), too_long);
  EXPECT_EQ(explanation("in=maint limit=61", maint(0, 60)), too_long);
  EXPECT_EQ(explanation("magnet=maint limit=60", maint(-60, 60)), "");
  EXPECT_EQ(explanation("magnet=maint limit=61", maint(60, 121)), "")
      << "the reservation is long enough once it begins";
  EXPECT_EQ(explanation("magnet=maint limit=61", maint(-120, -60)), "")
      << "the reservation is over";
  EXPECT_EQ(explanation("limit=61", maint(-60, 60)), "") << "the job may not be in it";
  EXPECT_EQ(explanation("magnet=other limit=61", maint(-60, 60)), "");
  AdvanceReservation flexible = maint(-60, 60);
  flexible.flex = true;
  EXPECT_EQ(explanation("magnet=maint limit=61", flexible), "") << "the job need not end with it";
  EXPECT_EQ(
      explanation("magnet=maint", maint(-60, 60)),
      "; the job may use that reservation, but must end by 1970-01-01T00:17:40Z and has no time "
      "limit: set one with --time");
}

TEST(ShortestLimit, IsTheMinimumTimeOrElseTheTimeLimit) {
  const auto least = [](const std::string& wish) {
    const auto limit = shortest_limit(job_from(wish));
    return limit ? limit->count() / 1'000 : -1;
  };
  EXPECT_EQ(least(""), -1);
  EXPECT_EQ(least("limit=60"), 60);
  EXPECT_EQ(least("least=50"), 50);
  EXPECT_EQ(least("limit=60 least=50"), 50);
  EXPECT_EQ(least("limit=60 fills=40"), 40);
  EXPECT_EQ(least("limit=60 least=50 fills=55"), 50);
  EXPECT_EQ(least("limit=60 least=70"), 60);
}

// Only four of the job's five alternatives are explained. The fifth is the only one that could
// still start, so it must be among them.
TEST(Advance, the_only_open_alternative_in_its_reservation_is_explained) {
  Settings settings;
  settings.backfill.reservations = 0;
  std::string world;
  for (const char type : {'a', 'b', 'c', 'd', 'e'})
    world += std::string("node ") + type + "1 cpus=4 gpus=" + type + ":1\n";
  const Plan plan =
      make_plan(world_from(world + "reserves class nodes=a1,b1,c1,d1,e1 from=-60 to=1200\n"
                                   "reserves maint nodes=a1,b1,c1,d1 from=-60 to=3000 "
                                   "overrules\n"
                                   "runs 1 e1:4:0 ends=300\n"
                                   "wants 2 gpus=1 type=a|b|c|d|e least=60 in=class"),
                at_start, settings);
  const std::string detail = waiting_of(plan, 2).detail;
  for (const char* shown : {"1 a GPU", "1 b GPU", "1 c GPU", "1 e GPU"})
    EXPECT_TRUE(has(detail, shown)) << detail;
  EXPECT_FALSE(has(detail, "1 d GPU")) << detail;
}

}  // namespace cox::schedule
