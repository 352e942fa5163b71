// Tests advance reservations in the scheduler: which jobs may use their nodes, and how they are
// explained.
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

std::string explained(const Plan& plan, std::int64_t job) {
  std::string text = waiting_of(plan, job).detail;
  for (const std::string& line : waiting_of(plan, job).lines) text += "\n" + line;
  return text;
}

Boot second(std::int64_t count) {
  return start_of_time + std::chrono::seconds{count};
}

}  // namespace

TEST(Advance, a_job_that_ends_before_a_reservation_may_use_its_nodes) {
  EXPECT_EQ(plan_for(soon + "wants 1 nodes=2 each=4 limit=600"), "1 starts on n1:4 n2:4\n");
}

TEST(Advance, a_longer_job_uses_other_nodes_or_waits_for_the_end_of_a_reservation) {
  EXPECT_EQ(plan_for(soon + "wants 1 tasks=4 limit=601"), "1 starts on n2:4\n");
  EXPECT_EQ(plan_for(soon + "wants 1 tasks=4"), "1 starts on n2:4\n");
  const SchedulerInput world = world_from(soon + "wants 1 nodes=2 each=4 limit=601");
  const Plan plan = make_plan(world, at_start);
  EXPECT_EQ(text_of(plan), "1 waits: ReqNodeNotAvail\n");
  EXPECT_EQ(waiting_of(plan, 1).expected_start, second(1200));
  EXPECT_EQ(waiting_of(plan, 1).nodes, (std::vector<std::string>{"n1", "n2"}));
  EXPECT_TRUE(has(explained(plan, 1), "1 suitable node (n1) is reserved from "))
      << explained(plan, 1);
  EXPECT_TRUE(has(explained(plan, 1), "maint, for maintenance")) << explained(plan, 1);
  EXPECT_TRUE(has(explained(plan, 1),
                  "with --time=10 or less it would start now and end before "
                  "reservation maint begins"))
      << explained(plan, 1);
}

// A job with a time limit as long as its reservation may start up to 10 s late and then end as much
// after the reservation.
TEST(Advance, a_job_may_be_as_long_as_its_reservation) {
  const auto plan = [](const std::string& from_to) {
    return plan_for("node n1 cpus=4\nreserves class nodes=n1 " + from_to +
                    "\nwants 1 tasks=4 limit=300 in=class");
  };
  EXPECT_EQ(plan("from=-9 to=291"), "1 starts on n1:4\n");
  EXPECT_EQ(plan("from=-9 to=290"), "1 waits: Reservation\n");
  EXPECT_EQ(plan("from=-11 to=289"), "1 waits: Reservation\n");
}

TEST(Advance, only_jobs_of_a_reservation_use_its_nodes_while_it_lasts) {
  EXPECT_EQ(plan_for(on + "wants 1 tasks=4 limit=1\nwants 2 tasks=4 at=1 limit=1"),
            "1 starts on n2:4\n2 waits: ReqNodeNotAvail\n");
}

TEST(Advance, jobs_of_a_reservation_use_only_its_nodes_and_end_with_it) {
  EXPECT_EQ(plan_for(on + "wants 1 tasks=4 limit=1200 in=maint"), "1 starts on n1:4\n");
  EXPECT_EQ(plan_for(on + "wants 1 tasks=4 limit=1201 in=maint"), "1 waits: Reservation\n");
  EXPECT_EQ(plan_for(on + "wants 1 tasks=4 in=maint"), "1 waits: Reservation\n");
  EXPECT_EQ(plan_for(on + "wants 1 tasks=4 least=60 in=maint"), "1 starts on n1:4 for 1200\n");
  EXPECT_EQ(plan_for(on + "wants 1 tasks=4 limit=9000 least=60 in=maint"),
            "1 starts on n1:4 for 1200\n");
}

TEST(Advance, a_job_with_a_minimum_time_waits_for_room_in_its_reservation) {
  const std::string busy = on + "runs 1 n1:4 ends=300\n";
  const Plan plan = make_plan(world_from(busy + "wants 2 tasks=4 least=60 in=maint"), at_start);
  EXPECT_EQ(text_of(plan), "2 waits: Resources\n");
  EXPECT_EQ(waiting_of(plan, 2).expected_start, second(300));
  EXPECT_TRUE(has(explained(plan, 2), "n1 by job 1")) << explained(plan, 2);
  const Plan early = make_plan(world_from(soon + "wants 2 tasks=4 least=60 in=maint"), at_start);
  EXPECT_EQ(text_of(early), "2 waits: Reservation\n");
  EXPECT_EQ(waiting_of(early, 2).expected_start, second(600));
  EXPECT_TRUE(
      has(explained(early, 2), "without --time the job gets the time that is left of it then"))
      << explained(early, 2);
}

TEST(Advance, a_job_with_no_room_until_its_advance_reservation_ends_gets_no_backfill_reservation) {
  const std::string full =
      "node n1,n2,n3 cpus=4\nreserves class nodes=n1 from=-60 to=1200\n"
      "runs 1 n1:4 ends=1200\nruns 2 n2:4 ends=900\n";
  const Plan plan = make_plan(world_from(full + "wants 3 tasks=4 least=60 in=class\n"
                                                "wants 4 nodes=2 each=4 at=1 limit=600\n"
                                                "wants 5 tasks=4 at=2 limit=901"),
                              at_start);
  EXPECT_EQ(text_of(plan), "3 waits: Resources\n4 waits: Resources\n5 waits: Priority\n");
  EXPECT_EQ(waiting_of(plan, 4).expected_start, second(900)) << "it has the reservation";
  EXPECT_FALSE(has(explained(plan, 3), "no time limit")) << explained(plan, 3);
}

TEST(Advance, a_job_waits_for_the_begin_of_its_reservation_and_delays_no_other) {
  const Plan plan = make_plan(world_from(soon + "wants 1 tasks=4 limit=60 in=maint tier=3\n"
                                                "wants 2 nodes=2 each=4 at=1 limit=600"),
                              at_start);
  EXPECT_EQ(text_of(plan), "2 starts on n1:4 n2:4\n1 waits: Reservation\n");
  EXPECT_EQ(waiting_of(plan, 1).expected_start, second(600));
}

TEST(Advance, a_job_of_a_deleted_reservation_shows_that_reason) {
  const Plan plan = make_plan(world_from("node n1\nwants 1 in=gone limit=60"), at_start);
  EXPECT_EQ(text_of(plan), "1 waits: ReservationDeleted\n");
  EXPECT_TRUE(has(explained(plan, 1),
                  "reservation gone is over, or was deleted; `cox update 1 ReservationName=` lets "
                  "the job run without it, `cox cancel 1` ends the job"))
      << explained(plan, 1);
}

TEST(Advance, a_job_waits_for_a_long_enough_gap_of_a_recurring_reservation) {
  const std::string daily =
      "node n1 cpus=4\nreserves maint nodes=n1 from=-100 to=100 again=1000,3\n";
  const Plan plan = make_plan(world_from(daily + "wants 1 limit=900\nwants 2 limit=800"), at_start);
  EXPECT_EQ(waiting_of(plan, 1).expected_start, second(3100)) << "after all known occurrences";
  const Plan shorter = make_plan(world_from(daily + "wants 1 limit=800"), at_start);
  EXPECT_EQ(waiting_of(shorter, 1).expected_start, second(100));
}

// No gap between two occurrences of the reservation is as long as these jobs.
TEST(Advance, a_job_longer_than_the_gaps_of_an_ever_recurring_reservation_never_starts) {
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
  EXPECT_EQ(text_of(make_plan(later, at_start)), "1 starts on n1:1\n")
      << "it ends before all of them";
}

TEST(Advance, a_magnetic_reservation_takes_allowed_jobs_but_does_not_bind_them) {
  EXPECT_EQ(plan_for(on + "wants 1 tasks=4 limit=60 magnet=maint\n"
                          "wants 2 tasks=4 at=1 limit=60 magnet=maint"),
            "1 starts on n1:4\n2 starts on n2:4\n");
  EXPECT_EQ(plan_for(soon + "wants 1 tasks=4 limit=60 magnet=maint"), "1 starts on n1:4\n")
      << "outside the reservation, since it ends in time";
}

TEST(Advance, a_magnetic_reservation_that_does_not_help_now_is_not_mentioned) {
  const std::string busy = "node n1,n2 cpus=4\nruns 1 n1:4 ends=60\n";
  for (const char* keep :
       {"reserves keep nodes=n1 from=600 to=900\n", "reserves keep nodes=n2 from=-60 to=900\n"}) {
    const Plan plan = make_plan(
        world_from(busy + keep + "wants 2 tasks=4 list=n1 magnet=keep limit=60"), at_start);
    EXPECT_EQ(text_of(plan), "2 waits: Resources\n");
    EXPECT_TRUE(has(explained(plan, 2), "by name n1: 1 node qualifies, none has room now"))
        << explained(plan, 2);
    EXPECT_FALSE(has(explained(plan, 2), "keep")) << explained(plan, 2);
    EXPECT_FALSE(has(explained(plan, 2), "or else")) << explained(plan, 2);
  }
}

// In the past the explanation only said that the nodes are reserved for the job's own account.
TEST(Advance, a_job_needs_a_time_limit_to_use_a_magnetic_reservation) {
  const std::string keep = "node n1 cpus=4\nreserves keep nodes=n1 from=-60 to=900\n";
  const Plan plan = make_plan(world_from(keep + "wants 2 tasks=4 magnet=keep"), at_start);
  EXPECT_TRUE(
      has(explained(plan, 2),
          "; the job may use that reservation, but must end by 1970-01-01T00:31:40Z and has no "
          "time limit: set one with --time"))
      << explained(plan, 2);
  const Plan too_long =
      make_plan(world_from(keep + "wants 2 tasks=4 magnet=keep limit=7200"), at_start);
  EXPECT_TRUE(has(
      explained(too_long, 2),
      "; the job may use that reservation, but asks for 2 h and must end by 1970-01-01T00:31:40Z"))
      << explained(too_long, 2);
  const Plan stranger = make_plan(world_from(keep + "wants 2 tasks=4"), at_start);
  EXPECT_FALSE(has(explained(stranger, 2), "may use")) << explained(stranger, 2);
}

TEST(Advance, nodes_outside_a_jobs_own_reservation_are_not_called_reserved) {
  const std::string busy = on + "runs 1 n1:4 ends=300\n";
  const Plan plan = make_plan(world_from(busy + "wants 2 tasks=4 limit=60 in=maint"), at_start);
  EXPECT_TRUE(has(explained(plan, 2), "reservation maint rules out 1 of 2 nodes"))
      << explained(plan, 2);
  EXPECT_TRUE(has(explained(plan, 2), "1 not in reservation maint")) << explained(plan, 2);
  EXPECT_FALSE(has(explained(plan, 2), "being reserved")) << explained(plan, 2);
  EXPECT_FALSE(has(explained(plan, 2), "1 reserved")) << explained(plan, 2);
}

// The feed passes a silent node as a reservation that lasts until the node counts as lost.
TEST(Advance, a_silent_node_is_not_called_reserved) {
  SchedulerInput world = world_from(
      "node n1,n2 cpus=4\nreserves s nodes=n1 from=-20 to=40 overrules\n"
      "wants 1 list=n1 limit=60");
  world.reservations.at(0).is_silence = true;
  const Plan plan = make_plan(world, at_start);
  EXPECT_EQ(waiting_of(plan, 1).detail,
            "needs 1 node with 1 CPU, by name n1: no node qualifies now; n1 does not respond; it "
            "has until 1970-01-01T00:17:20Z to return; expected at 1970-01-01T00:17:20Z");
  const std::string text = explained(plan, 1);
  EXPECT_TRUE(has(text, "silence of the node rules out 1 of 1 node")) << text;
  EXPECT_TRUE(has(text, "none has room now, 1 silent")) << text;
  EXPECT_FALSE(has(text, "reserved")) << text;
}

TEST(Advance, silent_nodes_are_not_counted_as_reservations) {
  SchedulerInput world = world_from(
      "node n1,n2,n3,n4 cpus=4\nreserves s1 nodes=n2 from=-20 to=40 overrules\n"
      "reserves s2 nodes=n1 from=-10 to=50 overrules\nreserves r3 nodes=n3 from=-60 to=23\n"
      "wants 1 nodes=4 limit=60");
  for (const std::size_t i : {0U, 1U}) world.reservations.at(i).is_silence = true;
  const Plan plan = make_plan(world, at_start);
  EXPECT_TRUE(has(waiting_of(plan, 1).detail,
                  "; 2 nodes do not respond; they have until 1970-01-01T00:17:30Z to return; n3 is "
                  "reserved until 1970-01-01T00:17:03Z: r3, for maintenance"))
      << waiting_of(plan, 1).detail;
}

// The job names reservation d1, but d2, which overrules other reservations, has the node. The
// explanation names d2 before d1 begins, while d1 lasts, and if d1 is flexible.
TEST(Advance, a_reservation_that_overrules_the_jobs_own_is_named) {
  const std::string over = "node n1,n2 cpus=4\nreserves d2 nodes=n1 from=-60 to=3000 overrules\n";
  const auto plan_in = [&](const std::string& own) {
    return make_plan(world_from(over + own + "wants 1 in=d1 list=n1 limit=60"), at_start);
  };
  const Plan early = plan_in("reserves d1 nodes=n1 from=50 to=3600\n");
  EXPECT_EQ(text_of(early), "1 waits: Reservation\n");
  EXPECT_TRUE(has(explained(early, 1), "reservation d1 begins at ")) << explained(early, 1);
  EXPECT_TRUE(has(explained(early, 1), ", but n1 is reserved until ")) << explained(early, 1);
  EXPECT_TRUE(has(explained(early, 1), ": d2, for maintenance")) << explained(early, 1);
  EXPECT_EQ(waiting_of(early, 1).expected_start, second(3000));
  const Plan begun = plan_in("reserves d1 nodes=n1 from=-50 to=3600\n");
  EXPECT_EQ(text_of(begun), "1 waits: ReqNodeNotAvail\n");
  EXPECT_TRUE(has(explained(begun, 1), ": d2, for maintenance")) << explained(begun, 1);
  const Plan flex = plan_in("reserves d1 nodes=n1 from=600 to=3600 flex\n");
  EXPECT_EQ(text_of(flex), "1 waits: ReqNodeNotAvail\n");
  EXPECT_FALSE(has(explained(flex, 1), "d1 begins")) << explained(flex, 1);
  EXPECT_TRUE(has(explained(flex, 1), ": d2, for maintenance")) << explained(flex, 1);
}

TEST(Advance, jobs_of_a_flexible_reservation_may_use_other_nodes_and_times) {
  const std::string flexible = "node n1,n2 cpus=4\nreserves r nodes=n1 from=600 to=1200 flex\n";
  EXPECT_EQ(plan_for(flexible + "wants 1 nodes=2 each=4 in=r"), "1 starts on n1:4 n2:4\n");
  EXPECT_EQ(plan_for(flexible + "wants 1 tasks=4\nwants 2 tasks=4 at=1"),
            "1 starts on n2:4\n2 waits: ReqNodeNotAvail\n");
}

TEST(Advance, a_reservation_that_overrules_another_has_the_nodes) {
  const std::string both =
      "node n1,n2 cpus=4\n"
      "reserves r nodes=n1,n2 from=-60 to=1200\n"
      "reserves maint nodes=n1 from=-60 to=1200 overrules\n";
  EXPECT_EQ(plan_for(both + "wants 1 tasks=4 limit=60 in=r\nwants 2 tasks=4 at=1 limit=60 in=r"),
            "1 starts on n2:4\n2 waits: ReqNodeNotAvail\n");
  EXPECT_EQ(plan_for(both + "wants 1 tasks=4 limit=60 in=maint"), "1 starts on n1:4\n");
}

TEST(Advance, no_job_is_preempted_on_nodes_that_are_or_will_be_reserved) {
  const std::string busy = "runs 1 n1:4 ends=9000\nruns 2 n2:4 ends=9000 loss=500\n";
  EXPECT_EQ(plan_for(on + busy + "wants 3 tier=2 tasks=4 limit=60"),
            "2 preempted by 3\n3 waits: Resources\n");
  EXPECT_EQ(plan_for(soon + busy + "wants 3 tier=2 tasks=4 limit=500"),
            "2 preempted by 3\n3 waits: Resources\n")
      << "job 1 would free n1 too late before the reservation";
}

TEST(Advance, a_job_with_a_minimum_time_is_shortened_to_end_before_a_reservation) {
  EXPECT_EQ(plan_for(soon + "wants 1 nodes=2 each=4 limit=6000 least=60"),
            "1 starts on n1:4 n2:4 for 600\n");
}

TEST(Advance, a_claim_of_a_job_that_would_overlap_a_reservation_is_dropped) {
  Scheduler scheduler(world_from("node n1 cpus=4").nodes);
  Engine& engine = scheduler.engine();
  const SchedulerInput world =
      world_from("runs 1 n1:4 stopping ends=5\nwants 2 tasks=4 tier=2 limit=60");
  engine.put(world.running.front());
  engine.put(world.pending.front());
  NodeGrant grant;
  grant.node = "n1";
  grant.cpus = grant.ranks = 4;
  engine.claim(world.pending.front().id, {grant});
  engine.set_reservations(world_from("reserves maint nodes=n1 from=30 to=90").reservations);
  engine.remove(JobId{1});
  EXPECT_EQ(text_of(scheduler.plan(at_start, ExplainDepth::everything())),
            "2 waits: ReqNodeNotAvail\n");
  engine.set_reservations({});
  EXPECT_EQ(text_of(scheduler.plan(at_start, ExplainDepth::everything())), "2 starts on n1:4\n");
}

TEST(Advance, a_pass_is_due_at_the_begin_and_the_end_of_a_reservation) {
  Engine engine(world_from("node n1 cpus=4").nodes);
  engine.set_reservations(world_from("reserves maint nodes=n1 from=30 to=90").reservations);
  EXPECT_EQ(engine.next_change(at_start), std::nullopt);
  engine.put(world_from("wants 2 tasks=4 limit=60").pending.front());
  EXPECT_EQ(engine.next_change(at_start), second(30));
  EXPECT_EQ(engine.next_change({second(30), at_start.wall}), second(90));
}

}  // namespace cox::schedule
