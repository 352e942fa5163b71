// Tests explanations of pending jobs: facts, numbers, and the changes of the request with which the
// job would start.
#include <gtest/gtest.h>

#include <algorithm>

#include "schedule/explain/explain_text.h"
#include "schedule/model/nodes.h"
#include "schedule/top/scheduler.h"
#include "tests/schedule/scenario.h"

namespace cox::schedule {
namespace {

std::string why(const std::string& world, std::int64_t job) {
  const Plan plan = make_plan(world_from(world), at_start);
  const PendingExplanation& waiting = waiting_of(plan, job);
  std::string text = waiting.detail + "\n";
  for (const std::string& line : waiting.lines) text += "- " + line + "\n";
  return text;
}

}  // namespace

TEST(Explain, the_first_job_without_room_shows_the_busy_nodes_and_its_start) {
  EXPECT_EQ(why("node n1,n2 features=fast\nnode n3,n4\n"
                "runs 17 on n1:4 n2:4 tier=2 ends=720\n"
                "wants 20 tier=2 nodes=2 each=4 feature=fast",
                20),
            "needs 2 nodes with 4 CPUs each, feature fast: 2 nodes qualify, none has room now "
            "(busy: n1 by job 17 (4 of 4 CPUs), n2 by job 17 (4 of 4 CPUs)); expected at "
            "1970-01-01T00:28:40Z by time limits\n"
            "- asks for 2 nodes with 4 CPUs each, feature fast\n"
            "- 4 nodes in the cluster\n"
            "- feature fast rules out 2 of 4 nodes\n"
            "- 1 CPU a task rules out 0 of 2 nodes\n"
            "- the state of the node rules out 0 of 2 nodes\n"
            "- lack of room now rules out 2 of 2 nodes\n"
            "- 2 nodes with 4 CPUs, 1000 MB, feature fast: none has room now, 2 busy (one is free "
            "by 1970-01-01T00:28:40Z at the latest)\n"
            "- job 17 holds 8 CPUs on n[1-2], until 1970-01-01T00:28:40Z at the latest; it has the "
            "same tier 2; only jobs of lower tiers are preempted\n"
            "- without --constraint, on n[3-4] it would start now\n");
}

TEST(Explain, jobs_are_shown_with_their_owners_if_these_are_known) {
  const SchedulerInput world = world_from(
      "node n1,n2\nruns 17 on n1:4 ends=600\nruns 18 on n2:4 loss=9\n"
      "wants 20 nodes=2 each=4\nwants 21 at=1\nwants 30 tier=2 each=4 list=n2\nwants 31 at=2");
  const auto lines_of = [&](std::int64_t job, const TitleOf& title_of) {
    Scheduler scheduler(world.nodes);
    Engine& engine = scheduler.engine();
    for (const RunningJob& one : world.running) engine.put(one);
    for (const PendingJob& one : world.pending) engine.put(one);
    const Plan plan =
        scheduler.plan(at_start, ExplainDepth::first(ExplainDepth::all, JobId{job}, title_of));
    std::string text = waiting_of(plan, job).detail + "\n";
    for (const std::string& line : waiting_of(plan, job).lines) text += line + "\n";
    return text;
  };
  const TitleOf title_of = [](JobId job) -> JobTitle {
    if (job == JobId{31}) return {};
    if (job == JobId{21}) return {"bob", "19_3"};
    return {job.value % 2 == 0 ? "alice" : "bob"};
  };
  const std::string first = lines_of(20, title_of);
  EXPECT_TRUE(has(first, "(busy: n1 by job 17 of bob (4 of 4 CPUs), n2 by job 18 of alice (4 of"))
      << first;
  EXPECT_TRUE(has(first,
                  "\njob 17 of bob holds 4 CPUs on n1, until 1970-01-01T00:26:40Z at the latest; "
                  "it has the same"))
      << first;
  EXPECT_TRUE(has(first, "1 waiting job before it: job 30 of alice\n")) << first;
  const std::string last = lines_of(31, title_of);
  EXPECT_TRUE(has(last, "before it: jobs 30 of alice, 20 of alice, 19_3 of bob\n")) << last;
  EXPECT_TRUE(has(lines_of(30, title_of), "job 18 of alice is preempted"))
      << lines_of(30, title_of);
  EXPECT_FALSE(has(lines_of(20, {}), " of bob")) << "the owners are unknown";
}

TEST(Explain, the_jobs_that_hold_missing_licences_and_gres_are_named) {
  SchedulerInput world = world_from(
      "node n1 gres=fpga:u280:2 mem=1000\nnode n2\n"
      "runs 5 on n1:1 tier=2 gres=fpga:u280:2 ends=600\nruns 6 on n1:1 tier=2\n"
      "runs 7 on n2:1 tier=2 licences=matlab:3\n"
      "wants 8 gres=fpga:1 licences=matlab:2,ansys");
  Settings settings;
  settings.licences = {{"ansys", 9}, {"matlab", 4}};
  const auto explained = [&] {
    const Plan plan = make_plan(world, at_start, settings);
    std::string text = waiting_of(plan, 8).detail + "\n";
    for (const std::string& line : waiting_of(plan, 8).lines) text += line + "\n";
    return text;
  };
  const std::string text = explained();
  EXPECT_TRUE(has(text,
                  "(busy: n1 by job 5 (2 of fpga:2)); licence matlab: 1 of 4 is free, job 7 "
                  "has 3"))
      << text;
  EXPECT_TRUE(has(text,
                  "\njob 5 holds fpga:2 on n1, until 1970-01-01T00:26:40Z at the latest; it has "
                  "the higher tier 2 and cannot be preempted\n"))
      << text;
  EXPECT_TRUE(has(text,
                  "\njob 7 holds licences matlab:3, without a time limit; it has the higher "
                  "tier 2 and cannot be preempted\n"))
      << text;
  EXPECT_FALSE(has(text, "job 6")) << "job 6 holds no missing resource: " << text;
  EXPECT_FALSE(has(text, "ansys: ")) << text;
}

TEST(Explain, the_jobs_that_hold_memory_and_gpu_fractions_are_named) {
  const std::string memory = why("node n1 mem=1000\nruns 1 on n1:1\nwants 2 mem=1500\nwants 3", 2);
  EXPECT_FALSE(has(memory, "job 1 holds")) << memory;
  SchedulerInput world =
      world_from("node n1 mem=1000\nruns 1 on n1:1\nruns 2 on n1:1\nwants 3 mem=500");
  world.running[0].grants[0].memory_mb = 900;
  const Plan plan = make_plan(world, at_start);
  EXPECT_TRUE(has(waiting_of(plan, 3).detail, "(busy: n1 by job 1 (900 of 1000 MB))"))
      << waiting_of(plan, 3).detail;
  const std::string parts =
      why("node n1 gpus=h100:2\nruns 1 on n1:1:0+1 milli=750 tier=2\nwants 3 gpus=1 milli=500", 3);
  EXPECT_TRUE(has(parts, "(busy: n1 by job 1 (1.5 of 2 GPUs))")) << parts;
  EXPECT_TRUE(has(parts, "- job 1 holds 1.5 GPUs on n1")) << parts;
}

TEST(Explain, a_smaller_gang_that_would_fit_is_suggested) {
  const std::string text = why("node n1,n2\nruns 1 on n1:4\nwants 2 nodes=2 each=3", 2);
  EXPECT_NE(text.find("its start is unknown: jobs there have no time limit"), std::string::npos);
  // n2 is free, so a request for one node would start at once.
  EXPECT_NE(text.find("- with -N1 -n3 it would start now\n"), std::string::npos) << text;
}

TEST(Explain, earlier_jobs_and_a_time_limit_that_allows_backfill_are_named) {
  const std::string text =
      why("node n1,n2\nruns 1 on n1:4 ends=600\n"
          "wants 2 nodes=2 each=4\nwants 3 at=1",
          3);
  EXPECT_EQ(text.substr(0, text.find('\n')),
            "there is room for 1 node with 1 CPU, but it is reserved for jobs before it: job 2; "
            "job 2 is expected at 1970-01-01T00:26:40Z; with a time limit that ends before "
            "then it would start now");
}

TEST(Explain, every_constraint_and_every_class_of_nodes_is_listed) {
  const std::string text = why(
      "node n1,n2,n3 cpus=8 gpus=h100:4 features=ib\nnode n4 cpus=8 gpus=h100:4 features=ib down\n"
      "node n5,n6 cpus=8 gpus=a100:4\nnode n7 cpus=8\n"
      "runs 3 on n1:4:0+1+2 n2:4:0+1+2 tier=3 ends=600\nruns 4 on n3:1:0 tier=3\n"
      "wants 9 nodes=3 each=1 gpus=4 type=h100 mem=500 partition=n1,n2,n3,n4,n5,n6",
      9);
  EXPECT_EQ(text.substr(text.find("- 7 nodes")),
            "- 7 nodes in the cluster\n"
            "- its partition rules out 1 of 7 nodes\n"
            "- 1 CPU a task rules out 0 of 6 nodes\n"
            "- 500 MB a node rules out 0 of 6 nodes\n"
            "- 4 h100 GPUs a node rules out 2 of 6 nodes\n"
            "- the state of the node rules out 1 of 4 nodes\n"
            "- lack of room now rules out 3 of 3 nodes\n"
            "- 4 nodes with 8 CPUs, 1000 MB, 4 h100 GPUs, feature ib: none has room now, 3 busy "
            "(one is free by 1970-01-01T00:26:40Z at the latest), 1 unavailable (n4: drained: bad "
            "fan)\n"
            "- job 3 holds 6 h100 GPUs on n[1-2], until 1970-01-01T00:26:40Z at the latest; it has "
            "the higher tier 3 and cannot be preempted\n"
            "- job 4 holds 1 h100 GPU on n3, without a time limit; it has the higher tier 3 and "
            "cannot be preempted\n"
            "- with --gpus-per-node=h100:1 it would start now\n");
}

TEST(Explain, each_change_that_alone_lets_the_job_start_is_suggested) {
  const auto has = [](const std::string& text, const std::string& change) {
    return text.find("- " + change + " it would start now") != std::string::npos;
  };
  const std::string part =
      why("node n1 gpus=h100:1\nruns 1 on n1:1:0 milli=600\nwants 2 gpus=1", 2);
  EXPECT_TRUE(has(part, "with --gpus-per-node=0.4")) << part;
  const std::string cpus = why("node n1 cpus=8\nruns 1 on n1:5\nwants 2 cpus=6", 2);
  EXPECT_TRUE(has(cpus, "with --cpus-per-task=3")) << cpus;
  const std::string tasks = why("node n1 cpus=8\nruns 1 on n1:5\nwants 2 tasks=6", 2);
  EXPECT_TRUE(has(tasks, "with -n3")) << tasks;
  const std::string types =
      why("node n1 gpus=h100:2\nnode n2 gpus=a100:2\nruns 1 on n1:1:0+1\n"
          "wants 2 gpus=2 type=h100",
          2);
  EXPECT_TRUE(has(types, "with --gpus-per-node=a100:2")) << types;
  const std::string partition =
      why("node n1,n2\nruns 1 on n1:4\nwants 2 partition=n1 exclusive", 2);
  EXPECT_TRUE(has(partition, "in a partition that has n2")) << partition;
  EXPECT_FALSE(has(partition, "without --exclusive, on n1")) << partition;
  const std::string list = why("node n1,n2\nruns 1 on n1:1\nwants 2 list=n1 exclusive", 2);
  EXPECT_TRUE(has(list, "without --nodelist, on n2")) << list;
  EXPECT_TRUE(has(list, "without --exclusive, on n1")) << list;
}

TEST(Explain, fewer_gres_or_licences_that_let_the_job_start_are_suggested) {
  SchedulerInput world = world_from(
      "node n1 gres=fpga:u280:3,nic:1\nruns 1 on n1:1 gres=fpga:2,nic:1 licences=matlab:3\n"
      "wants 2 gres=fpga:2 licences=ansys\nwants 3 gres=nic:1\nwants 4 licences=ansys,matlab:4");
  Settings settings;
  settings.licences = {{"ansys", 9}, {"matlab", 4}};
  const auto lines_of = [&](std::int64_t job) {
    std::erase_if(world.pending, [&](const PendingJob& one) { return one.id.value < job; });
    std::string text;
    const Plan plan = make_plan(world, at_start, settings);
    for (const auto& line : waiting_of(plan, job).lines) text += line + "\n";
    return text;
  };
  EXPECT_TRUE(has(lines_of(2), "\nwith fpga:1 in --gres it would start now\n")) << lines_of(2);
  EXPECT_TRUE(has(lines_of(3), "\nwithout nic:1 in --gres, on n1 it would start now\n"))
      << lines_of(3);
  const std::string licences = lines_of(4);
  EXPECT_TRUE(has(licences, "\nwith matlab:1 in --licenses it would start now\n")) << licences;
  EXPECT_FALSE(has(licences, "ansys:1 in --licenses")) << licences;
}

TEST(Explain, a_wider_topology_level_that_lets_the_job_start_is_suggested) {
  const std::string nodes =
      "node a1,a2 in=s1/l1\nnode b1,b2 in=s1/l2\nnode c1,c2 in=s2/l3\n"
      "runs 1 on a1:4 firm\nruns 2 on b1:4 firm\nruns 3 on c1:4 firm\n";
  Settings settings;
  settings.topology_levels = {"leaf", "spine"};
  const auto lines_of = [&](const std::string& job) {
    const Plan plan = make_plan(world_from(nodes + job), at_start, settings);
    std::string text;
    for (const auto& line : waiting_of(plan, 9).lines) text += line + "\n";
    return text;
  };
  const std::string switches = lines_of("wants 9 nodes=3 each=4 switches=1");
  EXPECT_TRUE(has(switches, "\nwith --switches=3 it would start now\n")) << switches;
  const std::string two = lines_of("wants 9 nodes=2 each=4 level=leaf");
  EXPECT_TRUE(has(two, "\nwith --topology=required:spine, on a2,b2 it would start now\n")) << two;
  const std::string three = lines_of("wants 9 nodes=3 each=4 level=leaf");
  EXPECT_TRUE(has(three, "\nwithout --topology, on a2,b2,c2 it would start now\n")) << three;
}

TEST(Explain, a_shorter_time_limit_that_lets_the_job_start_is_suggested) {
  const std::string text =
      why("node n1,n2\nruns 1 on n1:4 ends=600\n"
          "wants 2 nodes=2 each=4\nwants 3 at=1 limit=900",
          3);
  EXPECT_TRUE(has(text,
                  "- with a --time that ends by 1970-01-01T00:26:40Z it would start now and end "
                  "before job 2 is to start\n"))
      << text;
}

TEST(Explain, the_victim_and_the_cost_of_its_preemption_are_shown) {
  const std::string text = why("node n1\nruns 1 on n1:4 loss=77\nwants 9 tier=2", 9);
  EXPECT_EQ(text.substr(0, text.find('\n')),
            "job 1 is preempted, losing 77 CPU-seconds since the last checkpoint and about 60 "
            "CPU-seconds to restart; the place on n1 is reserved for it");
}

TEST(Explain, victims_that_are_not_requeued_are_named) {
  SchedulerInput world = world_from(
      "node n1,n2\nruns 1 on n1:4 loss=77\nruns 2 on n2:4 loss=3\n"
      "wants 9 nodes=2 each=4 tier=2");
  world.running[0].requeued = false;
  const std::string one = waiting_of(make_plan(world, at_start), 9).detail;
  EXPECT_EQ(
      one,
      "jobs 1, 2 are preempted, losing 80 CPU-seconds since the last checkpoint and about 60 "
      "CPU-seconds to restart; job 1 ends and is not requeued; the place on n[1-2] is reserved "
      "for it");
  world.running[1].requeued = false;
  const std::string both = waiting_of(make_plan(world, at_start), 9).detail;
  EXPECT_EQ(
      both,
      "jobs 1, 2 are preempted, losing 80 CPU-seconds since the last checkpoint; jobs 1, 2 end "
      "and are not requeued; the place on n[1-2] is reserved for it");
}

TEST(Explain, the_reason_is_licenses_if_the_victims_hold_the_missing_licence) {
  SchedulerInput world = world_from(
      "node n1\nruns 1 on n1:1 licences=matlab:2\n"
      "wants 9 tier=2 licences=matlab");
  Settings settings;
  settings.licences = {{"matlab", 2}};
  const auto reason = [&] { return waiting_of(make_plan(world, at_start, settings), 9).reason; };
  EXPECT_EQ(reason(), WaitReason::Licenses);
  world.running[0].stopping = true;
  EXPECT_EQ(reason(), WaitReason::Licenses);
  settings.licences = {{"matlab", 3}};
  world.running[0] = world_from("node n1\nruns 1 on n1:4 licences=matlab:2").running[0];
  EXPECT_EQ(reason(), WaitReason::Resources);
}

TEST(Explain, room_reserved_for_other_jobs_is_shown_but_not_the_jobs_own_reservation) {
  const std::string nodes = "node n1,n2,n3\nruns 1 on n1:4 ends=600\n";
  const std::string kept = "room reserved for other jobs rules out ";
  const std::string behind = why(nodes + "wants 2 nodes=3 each=4\nwants 3 at=1", 3);
  EXPECT_TRUE(has(behind, "\n- " + kept + "2 of 2 nodes\n")) << behind;
  const std::string first = why(nodes + "wants 2 nodes=3 each=4\nwants 3 at=1", 2);
  EXPECT_FALSE(has(first, kept)) << "its own reservation does not count: " << first;
  const std::string promised =
      why("node n1,n2\nruns 1 on n1:4 stopping\n"
          "wants 2 nodes=2 each=4\nwants 3 at=1 each=4",
          2);
  EXPECT_FALSE(has(promised, kept)) << promised;
  const std::string after =
      why("node n1,n2\nruns 1 on n1:4 stopping\n"
          "wants 2 nodes=2 each=4\nwants 3 at=1 each=4",
          3);
  EXPECT_TRUE(has(after, "\n- " + kept + "1 of 1 node\n")) << after;
  const std::string nothing = why("node n1\nruns 1 on n1:2 firm\nwants 2 each=4", 2);
  EXPECT_FALSE(has(nothing, kept)) << nothing;
}

TEST(Explain, without_reservations_free_room_counts_as_kept_for_earlier_jobs) {
  Settings settings;
  settings.backfill.reservations = 0;
  const Plan plan = make_plan(world_from("node n1,n2\nruns 1 on n1:4 ends=600\n"
                                         "wants 2 nodes=2 each=4\nwants 3 at=1 each=1"),
                              at_start, settings);
  const auto& lines = waiting_of(plan, 3).lines;
  EXPECT_NE(std::ranges::find(lines, "room reserved for other jobs rules out 1 of 1 node"),
            lines.end());
}

TEST(Explain, each_alternative_of_a_request_is_explained) {
  const std::string text =
      why("node n1,n2 features=fast\nnode n3 features=slow\nnode n4 features=slow down\n"
          "runs 5 on n1:4 firm ends=600\nruns 6 on n3:4 firm ends=900\n"
          "wants 9 nodes=2 each=3 feature=[fast|slow]",
          9);
  EXPECT_EQ(text,
            "needs 2 nodes with 3 CPUs each, feature fast: 2 nodes qualify, 1 has room now "
            "(busy: n1 by job 5 (4 of 4 CPUs)); or else 2 nodes with 3 CPUs each, feature slow: 1 "
            "node qualifies, none has room now (busy: n3 by job 6 (4 of 4 CPUs)); expected at "
            "1970-01-01T00:26:40Z by time limits\n"
            "- asks for 2 nodes with 3 CPUs each, feature fast\n"
            "- 4 nodes in the cluster\n"
            "- feature fast rules out 2 of 4 nodes\n"
            "- 1 CPU a task rules out 0 of 2 nodes\n"
            "- the state of the node rules out 0 of 2 nodes\n"
            "- lack of room now rules out 1 of 2 nodes\n"
            "- 2 nodes with 4 CPUs, 1000 MB, feature fast: 1 has room now, 1 busy (one is free by "
            "1970-01-01T00:26:40Z at the latest)\n"
            "- or else 2 nodes with 3 CPUs each, feature slow\n"
            "- 4 nodes in the cluster\n"
            "- feature slow rules out 2 of 4 nodes\n"
            "- 1 CPU a task rules out 0 of 2 nodes\n"
            "- the state of the node rules out 1 of 2 nodes\n"
            "- lack of room now rules out 1 of 1 node\n"
            "- 2 nodes with 4 CPUs, 1000 MB, feature slow: none has room now, 1 busy (one is free "
            "by 1970-01-01T00:31:40Z at the latest), 1 unavailable (n4: drained: bad fan)\n"
            "- job 5 holds 4 CPUs on n1, until 1970-01-01T00:26:40Z at the latest; it has the same "
            "tier 1; only jobs of lower tiers are preempted\n"
            "- job 6 holds 4 CPUs on n3, until 1970-01-01T00:31:40Z at the latest; it has the same "
            "tier 1; only jobs of lower tiers are preempted\n"
            "- with -N1 -n3 it would start now\n");
}

TEST(Explain, a_change_that_helps_another_alternative_is_suggested) {
  const std::string nodes =
      "node n1 features=fast\nnode n2 features=slow\nnode n3\n"
      "runs 1 on n1:4 firm\nruns 2 on n2:1 firm\n";
  const std::string text = why(nodes + "wants 9 tasks=4 feature=[fast|slow]", 9);
  EXPECT_TRUE(has(text, "\n- with -n3 it would start now\n")) << "the change helps on n2: " << text;
  EXPECT_TRUE(has(text, "\n- without --constraint, on n3 it would start now\n")) << text;
  const std::string types =
      why("node n1 gpus=h100:2\nnode n2 gpus=a100:2\nruns 1 on n1:1:0+1 firm\n"
          "runs 2 on n2:1:0 firm\nwants 9 gpus=2 type=h100|a100",
          9);
  EXPECT_TRUE(has(types, "\n- with --gpus-per-node=a100:1 it would start now\n")) << types;
}

TEST(Explain, alternatives_beyond_a_few_are_only_counted) {
  const std::string text =
      why("node n1 features=a,b,c,d,e,f\nruns 1 on n1:4 firm\nwants 9 feature=[a|b|c|d|e|f]", 9);
  EXPECT_TRUE(has(text, "; or else 2 more requests; ")) << text;
  EXPECT_TRUE(has(text, "\n- or else 2 more requests\n")) << text;
}

TEST(Explain, the_alternative_with_room_is_the_one_shown) {
  const std::string text =
      why("node n1 features=fast\nnode n2 features=slow\nruns 1 on n1:4 firm ends=600\n"
          "wants 2 list=n1,n2 nodes=2 each=4\nwants 3 at=1 each=4 feature=[fast|slow]",
          3);
  EXPECT_EQ(text.substr(0, text.find(',')), "there is room for 1 node with 4 CPUs") << text;
  EXPECT_TRUE(has(text, "4 CPUs, feature slow, but it is reserved")) << text;
}

TEST(Explain, every_alternative_without_usable_nodes_is_explained) {
  const std::string text =
      why("node n1 features=fast down\nnode n2 features=slow down\nwants 1 feature=[fast|slow]", 1);
  EXPECT_EQ(text.substr(0, text.find('\n')),
            "needs 1 node with 1 CPU, feature fast: 1 node qualifies, none is in service; "
            "unavailable: n1 (drained: bad fan); or else 1 node with 1 CPU, feature slow: 1 node "
            "qualifies, none is in service; unavailable: n2 (drained: bad fan)");
}

TEST(Explain, the_jobs_that_break_up_islands_of_gpus_are_named) {
  const std::string text =
      why("node n1 gpus=h100:4 islands=2,2\nruns 1 on n1:1:0 firm\nruns 2 on n1:1:2 firm\n"
          "runs 3 on n1:1 firm mem=800\nwants 9 gpus=2 joined mem=500",
          9);
  EXPECT_TRUE(has(text,
                  "(busy: n1 by job 1 (1 of 4 GPUs), job 2 (1 of 4 GPUs), job 3 (800 of 1000 "
                  "MB))"))
      << text;
}

TEST(Explain, a_gang_that_must_be_spread_unevenly_needs_its_cpus_together) {
  const std::string text =
      why("node n1,n2,n3 cpus=4\nnode n4 cpus=16\nruns 1 on n1:1 firm ends=600\n"
          "wants 9 nodes=4 tasks=28",
          9);
  EXPECT_EQ(text.substr(0, text.find('\n')),
            "needs 4 nodes with 28 CPUs together: 4 nodes qualify, 3 have room now (busy: n1 by "
            "job 1 (1 of 4 CPUs)); expected at 1970-01-01T00:26:40Z by time limits");
}

TEST(Explain, an_idle_node_that_is_too_small_is_not_called_busy) {
  const std::string text =
      why("node n1 cpus=4\nnode n2 cpus=8\nruns 1 on n2:1 firm ends=600\nwants 9 tasks=8", 9);
  EXPECT_TRUE(has(text, " (busy: n2 by job 1 (1 of 8 CPUs)); expected")) << text;
}

TEST(Explain, unavailable_nodes_are_shown_with_the_reason) {
  const std::string text = why("node n1\nnode n2 down\nwants 1 list=n2", 1);
  EXPECT_EQ(text.substr(0, text.find('\n')),
            "needs 1 node with 1 CPU, by name n2: 1 node qualifies, none is in service; "
            "unavailable: n2 (drained: bad fan)");
  EXPECT_EQ(why("wants 1", 1).substr(0, 28), "the cluster has no nodes yet");
}

TEST(Explain, a_held_job_shows_the_command_that_releases_it) {
  EXPECT_EQ(why("node n1\nwants 5 held", 5), "held; `cox release 5` releases it\n");
}

TEST(Words, durations_show_at_most_two_units) {
  using std::chrono::seconds;
  EXPECT_EQ(duration_text(seconds{45}), "45 s");
  EXPECT_EQ(duration_text(seconds{720}), "12 min");
  EXPECT_EQ(duration_text(seconds{3 * 3600 + 300}), "3 h 5 min");
  EXPECT_EQ(duration_text(seconds{52 * 3600}), "2 d 4 h");
  EXPECT_EQ(duration_text(seconds{-5}), "0 s");
  EXPECT_EQ(duration_text(Milliseconds{1}), "1 s") << "always rounded up";
  EXPECT_EQ(duration_text(seconds{119}), "119 s");
  EXPECT_EQ(duration_text(Milliseconds{119'001}), "2 min");
  EXPECT_EQ(duration_text(seconds{3'540}), "59 min");
  EXPECT_EQ(duration_text(seconds{3'541}), "1 h");
  EXPECT_EQ(duration_text(seconds{48 * 3600 - 60}), "47 h 59 min");
  EXPECT_EQ(duration_text(seconds{48 * 3600}), "2 d");
}

TEST(Words, counts_and_lists_are_written_as_in_a_sentence) {
  EXPECT_EQ(count_of(0, "node"), "0 nodes");
  EXPECT_EQ(count_of(1, "leaf switch"), "1 leaf switch");
  EXPECT_EQ(count_of(2, "leaf switch"), "2 leaf switches");
  EXPECT_EQ(listed({}), "");
  EXPECT_EQ(listed({"a"}), "a");
  EXPECT_EQ(listed({"a", "b"}), "a and b");
  EXPECT_EQ(listed({"a", "b", "c"}), "a, b and c");
}

TEST(Words, the_owner_of_several_jobs_is_named_once) {
  const TitleOf alice = [](JobId) { return JobTitle{"alice"}; };
  const TitleOf two = [](JobId job) { return JobTitle{job == JobId{2} ? "bob" : "alice"}; };
  EXPECT_EQ(jobs_text({JobId{1}}, alice), "job 1 of alice");
  EXPECT_EQ(jobs_text({JobId{1}, JobId{2}}, alice), "jobs 1, 2 of alice");
  EXPECT_EQ(jobs_text({JobId{1}, JobId{2}}, two), "jobs 1 of alice, 2 of bob");
  std::vector<JobId> five = {JobId{1}, JobId{3}, JobId{4}, JobId{5}, JobId{6}};
  EXPECT_EQ(jobs_text(five, two), "jobs 1, 3, 4, 5, 6 of alice");
  five.push_back(JobId{2});
  EXPECT_EQ(jobs_text(five, two), "jobs 1, 3, 4, 5, 6 of alice and 1 more");
}

TEST(Words, long_lists_of_jobs_are_cut) {
  std::vector<JobId> jobs;
  for (int i = 1; i <= 9; ++i) jobs.push_back(JobId{i});
  EXPECT_EQ(jobs_text(jobs, {}), "jobs 1, 2, 3, 4, 5 and 4 more");
}

}  // namespace cox::schedule
