// Advance reservations: who is kept off their nodes, who is in them, and what is told of it.
#include "schedule/place/advance.h"

#include <gtest/gtest.h>

#include "schedule/top/scheduler.h"
#include "tests/schedule/scenario.h"

namespace cox::schedule {
namespace {

const std::string soon =
    "node n1,n2 cpus=4\n"
    "reserves maint nodes=n1 from=600 to=1200\n";

const std::string on =
    "node n1,n2 cpus=4\n"
    "reserves maint nodes=n1 from=-600 to=1200\n";

std::string told(const Plan& plan, std::int64_t job) {
  std::string text = waiting_of(plan, job).detail;
  for (const std::string& line : waiting_of(plan, job).lines) text += "\n" + line;
  return text;
}

Boot second(std::int64_t count) {
  return start_of_time + std::chrono::seconds{count};
}

}  // namespace

TEST(Advance, a_job_that_is_over_before_it_begins_may_be_there) {
  EXPECT_EQ(plan_for(soon + "wants 1 nodes=2 each=4 limit=600"), "1 starts on n1:4 n2:4\n");
}

TEST(Advance, a_longer_one_goes_elsewhere_or_waits_for_its_end) {
  EXPECT_EQ(plan_for(soon + "wants 1 tasks=4 limit=601"), "1 starts on n2:4\n");
  EXPECT_EQ(plan_for(soon + "wants 1 tasks=4"), "1 starts on n2:4\n");
  const SchedulerInput world = world_from(soon + "wants 1 nodes=2 each=4 limit=601");
  const Plan plan = make_plan(world, at_start);
  EXPECT_EQ(text_of(plan), "1 waits: ReqNodeNotAvail\n");
  EXPECT_EQ(waiting_of(plan, 1).expected_start, second(1200));
  EXPECT_EQ(waiting_of(plan, 1).nodes, (std::vector<std::string>{"n1", "n2"}));
  EXPECT_TRUE(has(told(plan, 1), "1 node that would do (n1) is reserved from ")) << told(plan, 1);
  EXPECT_TRUE(has(told(plan, 1), "maint, for maintenance")) << told(plan, 1);
  EXPECT_TRUE(has(told(plan, 1),
                  "with --time=10 or less it would start now and be over before "
                  "reservation maint begins"))
      << told(plan, 1);
}

// Which it begins a little late; later than that, what is left of it is too little.
TEST(Advance, a_job_as_long_as_it_fits) {
  const auto plan = [](const std::string& from_to) {
    return plan_for("node n1 cpus=4\nreserves class nodes=n1 " + from_to +
                    "\nwants 1 tasks=4 limit=300 in=class");
  };
  EXPECT_EQ(plan("from=-9 to=291"), "1 starts on n1:4\n");
  EXPECT_EQ(plan("from=-9 to=290"), "1 waits: Reservation\n");
  EXPECT_EQ(plan("from=-11 to=289"), "1 waits: Reservation\n");
}

TEST(Advance, nobody_else_is_there_while_it_lasts) {
  EXPECT_EQ(plan_for(on + "wants 1 tasks=4 limit=1\nwants 2 tasks=4 at=1 limit=1"),
            "1 starts on n2:4\n2 waits: ReqNodeNotAvail\n");
}

TEST(Advance, who_is_in_it_is_there_alone_and_over_in_time) {
  EXPECT_EQ(plan_for(on + "wants 1 tasks=4 limit=1200 in=maint"), "1 starts on n1:4\n");
  EXPECT_EQ(plan_for(on + "wants 1 tasks=4 limit=1201 in=maint"), "1 waits: Reservation\n");
  EXPECT_EQ(plan_for(on + "wants 1 tasks=4 in=maint"), "1 waits: Reservation\n");
  EXPECT_EQ(plan_for(on + "wants 1 tasks=4 least=60 in=maint"), "1 starts on n1:4 for 1200\n");
  EXPECT_EQ(plan_for(on + "wants 1 tasks=4 limit=9000 least=60 in=maint"),
            "1 starts on n1:4 for 1200\n");
}

TEST(Advance, who_gets_what_is_left_of_it_waits_for_room_in_it_as_others_do) {
  const std::string busy = on + "runs 1 n1:4 ends=300\n";
  const Plan plan = make_plan(world_from(busy + "wants 2 tasks=4 least=60 in=maint"), at_start);
  EXPECT_EQ(text_of(plan), "2 waits: Resources\n");
  EXPECT_EQ(waiting_of(plan, 2).expected_start, second(300));
  EXPECT_TRUE(has(told(plan, 2), "n1 by job 1")) << told(plan, 2);
  const Plan early = make_plan(world_from(soon + "wants 2 tasks=4 least=60 in=maint"), at_start);
  EXPECT_EQ(text_of(early), "2 waits: Reservation\n");
  EXPECT_EQ(waiting_of(early, 2).expected_start, second(600));
  EXPECT_TRUE(has(told(early, 2), "without a --time the job gets what is left of it then"))
      << told(early, 2);
}

TEST(Advance, who_does_not_come_to_its_turn_in_it_has_no_place_kept) {
  const std::string full =
      "node n1,n2,n3 cpus=4\nreserves class nodes=n1 from=-60 to=1200\n"
      "runs 1 n1:4 ends=1200\nruns 2 n2:4 ends=900\n";
  const Plan plan = make_plan(world_from(full + "wants 3 tasks=4 least=60 in=class\n"
                                                "wants 4 nodes=2 each=4 at=1 limit=600\n"
                                                "wants 5 tasks=4 at=2 limit=901"),
                              at_start);
  EXPECT_EQ(text_of(plan), "3 waits: Resources\n4 waits: Resources\n5 waits: Priority\n");
  EXPECT_EQ(waiting_of(plan, 4).expected_start, second(900)) << "its place is kept";
  EXPECT_FALSE(has(told(plan, 3), "no time limit")) << told(plan, 3);
}

TEST(Advance, who_is_in_it_waits_for_its_begin_and_holds_up_nobody) {
  const Plan plan = make_plan(world_from(soon + "wants 1 tasks=4 limit=60 in=maint tier=3\n"
                                                "wants 2 nodes=2 each=4 at=1 limit=600"),
                              at_start);
  EXPECT_EQ(text_of(plan), "2 starts on n1:4 n2:4\n1 waits: Reservation\n");
  EXPECT_EQ(waiting_of(plan, 1).expected_start, second(600));
}

TEST(Advance, who_asks_for_one_that_is_gone_is_told) {
  const Plan plan = make_plan(world_from("node n1\nwants 1 in=gone limit=60"), at_start);
  EXPECT_EQ(text_of(plan), "1 waits: ReservationDeleted\n");
  EXPECT_TRUE(has(told(plan, 1), "reservation gone is over, or was deleted")) << told(plan, 1);
}

TEST(Advance, it_comes_again) {
  const std::string daily =
      "node n1 cpus=4\nreserves maint nodes=n1 from=-100 to=100 again=1000,3\n";
  const Plan plan = make_plan(world_from(daily + "wants 1 limit=900\nwants 2 limit=800"), at_start);
  EXPECT_EQ(waiting_of(plan, 1).expected_start, second(3100)) << "behind all that is known of";
  const Plan shorter = make_plan(world_from(daily + "wants 1 limit=800"), at_start);
  EXPECT_EQ(waiting_of(shorter, 1).expected_start, second(100));
}

// No pause is long enough for jobs 1 and 2, however often it has come again.
TEST(Advance, one_that_recurs_for_good_leaves_no_room_for_a_job_longer_than_its_pauses) {
  const std::string recurring =
      "node n1 cpus=4\nreserves maint nodes=n1 from=-100 to=100 again=1000,3\n";
  const auto expected = [&](const std::string& job) {
    SchedulerInput world = world_from(recurring + job);
    world.reservations.at(0).recurs = true;
    return waiting_of(make_plan(world, at_start), 1).expected_start;
  };
  EXPECT_EQ(expected("wants 1"), std::nullopt);
  EXPECT_EQ(expected("wants 1 limit=900"), std::nullopt);
  EXPECT_EQ(expected("wants 1 limit=800"), second(100));
  const std::string busy = "runs 9 n1:4 ends=3500\n";
  EXPECT_EQ(expected(busy + "wants 1 limit=700"), second(3500));
  SchedulerInput later = world_from(
      "node n1 cpus=4\nreserves maint nodes=n1 from=2000 to=2200 again=1000,3\nwants 1 limit=1900");
  later.reservations.at(0).recurs = true;
  EXPECT_EQ(text_of(make_plan(later, at_start)), "1 starts on n1:1\n") << "before all of them";
}

TEST(Advance, magnetic_ones_draw_in_and_keep_nobody) {
  EXPECT_EQ(plan_for(on + "wants 1 tasks=4 limit=60 magnet=maint\n"
                          "wants 2 tasks=4 at=1 limit=60 magnet=maint"),
            "1 starts on n1:4\n2 starts on n2:4\n");
  EXPECT_EQ(plan_for(soon + "wants 1 tasks=4 limit=60 magnet=maint"), "1 starts on n1:4\n")
      << "outside of it, as it is over in time";
}

TEST(Advance, a_magnetic_one_that_is_of_no_use_now_is_not_told_of) {
  const std::string busy = "node n1,n2 cpus=4\nruns 1 n1:4 ends=60\n";
  for (const char* keep :
       {"reserves keep nodes=n1 from=600 to=900\n", "reserves keep nodes=n2 from=-60 to=900\n"}) {
    const Plan plan = make_plan(
        world_from(busy + keep + "wants 2 tasks=4 list=n1 magnet=keep limit=60"), at_start);
    EXPECT_EQ(text_of(plan), "2 waits: Resources\n");
    EXPECT_TRUE(has(told(plan, 2), "by name n1: 1 node would do, 0 with room now"))
        << told(plan, 2);
    EXPECT_FALSE(has(told(plan, 2), "keep")) << told(plan, 2);
    EXPECT_FALSE(has(told(plan, 2), "or else")) << told(plan, 2);
  }
}

// It was told that the nodes are reserved for the account that is its own.
TEST(Advance, a_magnetic_one_says_that_the_job_has_no_time_limit) {
  const std::string keep = "node n1 cpus=4\nreserves keep nodes=n1 from=-60 to=900\n";
  const Plan plan = make_plan(world_from(keep + "wants 2 tasks=4 magnet=keep"), at_start);
  EXPECT_TRUE(
      has(told(plan, 2),
          "; the job may use that reservation, but has no time limit, and must be over when "
          "it ends at 1970-01-01T00:31:40Z: set one with --time"))
      << told(plan, 2);
  const Plan too_long =
      make_plan(world_from(keep + "wants 2 tasks=4 magnet=keep limit=7200"), at_start);
  EXPECT_TRUE(has(told(too_long, 2),
                  "; the job may use that reservation, but asks for 2 h, and must be over when it "
                  "ends at 1970-01-01T00:31:40Z"))
      << told(too_long, 2);
  const Plan stranger = make_plan(world_from(keep + "wants 2 tasks=4"), at_start);
  EXPECT_FALSE(has(told(stranger, 2), "may use")) << told(stranger, 2);
}

TEST(Advance, nodes_that_its_own_does_not_have_are_not_told_to_be_reserved) {
  const std::string busy = on + "runs 1 n1:4 ends=300\n";
  const Plan plan = make_plan(world_from(busy + "wants 2 tasks=4 limit=60 in=maint"), at_start);
  EXPECT_TRUE(has(told(plan, 2), "reservation maint rules out 1 of 2 nodes")) << told(plan, 2);
  EXPECT_TRUE(has(told(plan, 2), "1 not in reservation maint")) << told(plan, 2);
  EXPECT_FALSE(has(told(plan, 2), "being reserved")) << told(plan, 2);
  EXPECT_FALSE(has(told(plan, 2), "1 reserved")) << told(plan, 2);
}

// It named one, and another lies over it: before that begins, when it is on, and where its jobs may
// be outside of it anyway.
TEST(Advance, the_one_that_lies_over_its_own_is_told_of) {
  const std::string over = "node n1,n2 cpus=4\nreserves d2 nodes=n1 from=-60 to=3000 overrules\n";
  const auto plan_in = [&](const std::string& own) {
    return make_plan(world_from(over + own + "wants 1 in=d1 list=n1 limit=60"), at_start);
  };
  const Plan early = plan_in("reserves d1 nodes=n1 from=50 to=3600\n");
  EXPECT_EQ(text_of(early), "1 waits: Reservation\n");
  EXPECT_TRUE(has(told(early, 1), "reservation d1 begins at ")) << told(early, 1);
  EXPECT_TRUE(has(told(early, 1), ", but n1 is reserved until ")) << told(early, 1);
  EXPECT_TRUE(has(told(early, 1), ": d2, for maintenance")) << told(early, 1);
  EXPECT_EQ(waiting_of(early, 1).expected_start, second(3000));
  const Plan begun = plan_in("reserves d1 nodes=n1 from=-50 to=3600\n");
  EXPECT_EQ(text_of(begun), "1 waits: ReqNodeNotAvail\n");
  EXPECT_TRUE(has(told(begun, 1), ": d2, for maintenance")) << told(begun, 1);
  const Plan flex = plan_in("reserves d1 nodes=n1 from=600 to=3600 flex\n");
  EXPECT_EQ(text_of(flex), "1 waits: ReqNodeNotAvail\n");
  EXPECT_FALSE(has(told(flex, 1), "d1 begins")) << told(flex, 1);
  EXPECT_TRUE(has(told(flex, 1), ": d2, for maintenance")) << told(flex, 1);
}

TEST(Advance, flexible_ones_let_their_jobs_be_elsewhere_and_at_other_times) {
  const std::string flexible = "node n1,n2 cpus=4\nreserves r nodes=n1 from=600 to=1200 flex\n";
  EXPECT_EQ(plan_for(flexible + "wants 1 nodes=2 each=4 in=r"), "1 starts on n1:4 n2:4\n");
  EXPECT_EQ(plan_for(flexible + "wants 1 tasks=4\nwants 2 tasks=4 at=1"),
            "1 starts on n2:4\n2 waits: ReqNodeNotAvail\n");
}

TEST(Advance, one_that_is_laid_over_another_has_the_nodes) {
  const std::string both =
      "node n1,n2 cpus=4\n"
      "reserves r nodes=n1,n2 from=-60 to=1200\n"
      "reserves maint nodes=n1 from=-60 to=1200 overrules\n";
  EXPECT_EQ(plan_for(both + "wants 1 tasks=4 limit=60 in=r\nwants 2 tasks=4 at=1 limit=60 in=r"),
            "1 starts on n2:4\n2 waits: ReqNodeNotAvail\n");
  EXPECT_EQ(plan_for(both + "wants 1 tasks=4 limit=60 in=maint"), "1 starts on n1:4\n");
}

TEST(Advance, nobody_gives_way_for_a_place_that_is_reserved) {
  const std::string busy = "runs 1 n1:4 ends=9000\nruns 2 n2:4 ends=9000 loss=500\n";
  EXPECT_EQ(plan_for(on + busy + "wants 3 tier=2 tasks=4 limit=60"),
            "2 gives way to 3\n3 waits: Resources\n");
  EXPECT_EQ(plan_for(soon + busy + "wants 3 tier=2 tasks=4 limit=500"),
            "2 gives way to 3\n3 waits: Resources\n")
      << "gone only after some minutes, job 1 would leave too little time";
}

TEST(Advance, a_job_that_will_do_with_less_ends_before_it_begins) {
  EXPECT_EQ(plan_for(soon + "wants 1 nodes=2 each=4 limit=6000 least=60"),
            "1 starts on n1:4 n2:4 for 600\n");
}

TEST(Advance, a_claim_is_dropped_where_it_would_run_into_it) {
  Scheduler scheduler(world_from("node n1 cpus=4").nodes);
  Engine& engine = scheduler.engine();
  const SchedulerInput world =
      world_from("runs 1 n1:4 stopping ends=5\nwants 2 tasks=4 tier=2 limit=60");
  engine.add(world.running.front());
  engine.add(world.pending.front());
  NodeGrant grant;
  grant.node = "n1";
  grant.cpus = grant.ranks = 4;
  engine.claim(world.pending.front(), {grant});
  engine.set_reservations(world_from("reserves maint nodes=n1 from=30 to=90").reservations);
  engine.remove_running(JobId{1});
  EXPECT_EQ(text_of(scheduler.plan(at_start, ExplainDepth::everything())),
            "2 waits: ReqNodeNotAvail\n");
  engine.set_reservations({});
  EXPECT_EQ(text_of(scheduler.plan(at_start, ExplainDepth::everything())), "2 starts on n1:4\n");
}

TEST(Advance, its_begin_and_end_are_looked_at_again) {
  Engine engine(world_from("node n1 cpus=4").nodes);
  engine.set_reservations(world_from("reserves maint nodes=n1 from=30 to=90").reservations);
  EXPECT_EQ(engine.next_change(at_start), std::nullopt);
  engine.add(world_from("wants 2 tasks=4 limit=60").pending.front());
  EXPECT_EQ(engine.next_change(at_start), second(30));
  EXPECT_EQ(engine.next_change({second(30), at_start.wall}), second(90));
}

}  // namespace cox::schedule
