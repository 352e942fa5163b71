// Tests what is shown and stored about pending jobs, and about jobs that are only tested (sbatch
// --test-only): in replies, in the database, in a snapshot.
#include <gtest/gtest.h>

#include <algorithm>

#include "common/base/moment_text.h"
#include "schedule/top/snapshot.h"
#include "tests/controller/bench.h"

namespace cox {
namespace {

class WaitingStory : public testing::Test, public Bench {};

TEST_F(WaitingStory, ATestOfAJobChangesNothingInTheCluster) {
  node("n1", 2);
  node("n2", 2);
  const JobId running = submit({.tasks = 2, .time_limit_s = 600});
  ready(running);
  TestJob test;
  test.spec.command = {"train"};
  test.spec.work_dir = "/home/u";
  const auto now_text = std::get<JobTested>(ask(test).body);
  EXPECT_TRUE(now_text.starts_now);
  EXPECT_EQ(now_text.view.nodes, (std::vector<std::string>{"n2"}));
  test.spec.nodes = 2;
  test.spec.tasks = 4;
  const auto later = std::get<JobTested>(ask(test).body);
  EXPECT_FALSE(later.starts_now);
  EXPECT_EQ(later.view.reason, WaitReason::Resources);
  EXPECT_NE(later.view.reason_detail.find("n1 by job 1 of ada"), std::string::npos);
  EXPECT_EQ(later.view.expected_start, now.wall + Milliseconds{600'000});
  EXPECT_EQ(later.view.nodes, (std::vector<std::string>{"n1", "n2"}));
  test.spec.qos = "critical";
  EXPECT_EQ(std::get<JobTested>(ask(test).body).preempted_jobs, std::vector<JobId>{running});
  test.spec.tasks = 400;
  EXPECT_EQ(refusal_of(ask(test)).substr(0, 32), "this cluster can never run it: a");
  EXPECT_EQ(state(running), "RUNNING");
  EXPECT_EQ(store.tables().jobs.size(), 1u);
  EXPECT_EQ(submit({}).value, running.value + 1) << "no id was taken";
}

// The end of a brief silence changes no row, so for a long time the old reason was shown after it.
TEST_F(WaitingStory, TheReasonChangesWhenTheBriefSilenceOfANodeEnds) {
  node("n1", 2);
  node("n2", 2);
  pass_with_beats(config.node_timeout + Milliseconds{2'000}, {"n1"});
  const JobId id = submit({.with = [](JobSpec& s) { s.nodelist = {"n2"}; }});
  const auto view = [&] { return std::get<JobDetail>(ask(ShowJob{id}).body).view; };
  EXPECT_NE(view().reason_detail.find("; n2 does not respond; it has until "), std::string::npos)
      << view().reason_detail;
  pass_with_beats(Milliseconds{40'000}, {"n1"});
  EXPECT_NE(view().expected_start, Wall{});
  pass_with_beats(Milliseconds{30'000}, {"n1"});
  EXPECT_EQ(view().reason_detail,
            "needs 1 node with 1 CPU, by name n2: 1 node qualifies, none is in service; "
            "unavailable: n2 (not responding)");
  EXPECT_EQ(view().expected_start, Wall{});
}

// The cluster has one QOS for each preemption mode.
TEST_F(WaitingStory, ATestShowsWhatHappensToTheVictims) {
  auto& qos = database->tables.qos;
  qos.push_back({"asked", 0, PreemptMode::Checkpoint, 45'000, {}, {}});
  qos.push_back({"unasked", 0, PreemptMode::Requeue, 20'000, {}, {}});
  qos.push_back({"ended", 0, PreemptMode::Cancel, 0, {}, {}});
  qos.push_back({"paused", 0, PreemptMode::Suspend, 5'000, {}, {}});
  restart();
  node("n1", 2);
  TestJob test;
  test.spec.command = {"train"};
  test.spec.work_dir = "/home/u";
  test.spec.qos = "critical";
  const auto effect_on = [&](const std::string& name) {
    const JobId victim = submit({.tasks = 2, .qos = name});
    ready(victim);
    const AttemptStatus running = status_of(victim, NodePhase::Running);
    status("n1", running);
    const auto tested = std::get<JobTested>(ask(test).body);
    EXPECT_EQ(tested.preempted_jobs, std::vector<JobId>{victim});
    EXPECT_TRUE(tested.at_the_latest);
    finish(victim, 0);
    const std::string job = "job " + std::to_string(victim.value) + " of ada ";
    EXPECT_TRUE(tested.why.back().starts_with(job)) << tested.why.back();
    const auto after_ms = (tested.view.expected_start - now.wall).count();
    return std::pair(tested.why.back().substr(job.size()), after_ms);
  };
  using Effect = std::pair<std::string, std::int64_t>;
  EXPECT_EQ(effect_on("asked"),
            Effect("is asked to save within 45 s and stopped, and is requeued", 75'000));
  EXPECT_EQ(effect_on("unasked"),
            Effect("is stopped without being asked to save, and is requeued; its "
                   "unsaved work is lost",
                   20'000));
  EXPECT_EQ(effect_on("ended"),
            Effect("is stopped without being asked to save, and ends: it is not requeued", 30'000));
  EXPECT_EQ(effect_on("paused"), Effect("is suspended until its CPUs are free again", 0));
}

TEST_F(WaitingStory, ATestAlsoConsidersJobsThatAreAlreadyStopping) {
  node("n1", 2);
  node("n2", 2);
  const JobId first = submit({.tasks = 2, .checkpoint_signal = 10});
  ready(first);
  const JobId second = submit({.tasks = 2, .qos = "besteffort"});
  ready(second);
  ask(ActOnJobs{JobVerb::Requeue, {first}});
  ASSERT_EQ(state(first), "SIGNALING");
  pass_with_beats(Milliseconds{10'000}, {"n1", "n2"});
  TestJob test;
  test.spec.command = {"train"};
  test.spec.work_dir = "/home/u";
  test.spec.qos = "critical";
  test.spec.nodes = 2;
  test.spec.tasks = 4;
  const auto tested = std::get<JobTested>(ask(test).body);
  ASSERT_EQ(tested.preempted_jobs, std::vector<JobId>{second});
  EXPECT_EQ((tested.view.expected_start - now.wall).count(), 50'000 + config.kill_wait.count());
}

TEST_F(WaitingStory, ThePendingReasonDoesNotChangeMerelyBecauseTimePasses) {
  node("n1", 2);
  ready(submit({.tasks = 2, .time_limit_s = 600}));
  const JobId second = submit({.tasks = 2, .time_limit_s = 600});
  const auto shown = [&] { return std::get<JobDetail>(ask(ShowJob{second}).body); };
  const JobDetail before = shown();
  pass_with_beats(Milliseconds{180'000}, {"n1"});
  // A new job makes the controller compute the reasons again.
  submit({.tasks = 1, .qos = "besteffort"});
  const JobDetail after = shown();
  EXPECT_EQ(after.view.reason_detail, before.view.reason_detail);
  EXPECT_NE(before.view.reason_detail.find("; expected at 20"), std::string::npos)
      << before.view.reason_detail;
  EXPECT_EQ(after.why, before.why);
}

TEST_F(WaitingStory, ThePendingReasonIsStoredWhileTheJobIsPending) {
  node("n1", 2);
  const JobId first = submit({.tasks = 2, .time_limit_s = 600});
  ready(first);
  const JobId second = submit({.tasks = 2, .time_limit_s = 600});
  const JobId third = submit({.tasks = 1, .time_limit_s = 600});
  pass_with_beats(Milliseconds{6'000}, {"n1"});
  const JobWait row = store.tables().waits.at(second);
  EXPECT_EQ(row.reason, "Resources");
  EXPECT_EQ(row.detail.substr(0, 31), "needs 1 node with 2 CPUs: 1 nod");
  EXPECT_NE(row.detail.find("(busy: n1 by job 1 of ada (2 of 2 CPUs))"), std::string::npos)
      << row.detail;
  const auto holds = [](const std::string& line) {
    return line.starts_with("job 1 of ada holds 2 CPUs on n1, until 20");
  };
  EXPECT_TRUE(std::ranges::any_of(row.lines, holds));
  ASSERT_NE(row.first_estimate, Wall{});
  EXPECT_EQ(row.first_estimate_made, row.first_evaluated);
  const auto turn = store.tables().turn;
  pass_with_beats(Milliseconds{60'000}, {"n1"});
  EXPECT_EQ(store.tables().turn, turn) << "nothing has changed, so nothing is written";
  restart();
  node("n1", 2);
  EXPECT_EQ(store.tables().waits.at(second).first_estimate, row.first_estimate);
  ask(ActOnJobs{JobVerb::Cancel, {third}});
  EXPECT_FALSE(store.tables().waits.contains(third));
  EXPECT_TRUE(store.tables().estimates.empty()) << "it never started";
}

TEST_F(WaitingStory, TheStoredPriorityIsWithoutAgeAndBesideTheMostThatAgeCanAdd) {
  config.scheduling.priority.age = 700;
  config.scheduling.priority.max_age = std::chrono::hours{10};
  restart();
  node("n1", 2);
  ready(submit({.tasks = 2, .time_limit_s = 600}));
  const JobId waiting =
      submit({.tasks = 2, .time_limit_s = 600, .with = [](JobSpec& s) { s.nice = 1'000; }});
  pass_with_beats(Milliseconds{6'000}, {"n1"});
  now.wall += std::chrono::hours{1};
  const JobWait row = store.tables().waits.at(waiting);
  EXPECT_EQ(row.priority_of_age, 700);
  EXPECT_EQ(row.age_full_s, 36'000);
  EXPECT_LT(row.priority, 0);
  const auto list = std::get<PriorityList>(ask(ListPriorities{}).body);
  ASSERT_EQ(list.jobs.size(), 1u);
  EXPECT_NEAR(row.priority + 70, list.jobs.front().priority, 1) << "as sprio adds it up";
}

TEST_F(WaitingStory, AJobThatNoPassExplainsAnyMoreIsStoredWithReasonPriority) {
  node("n1", 2);
  ready(submit({.tasks = 2, .qos = "critical", .time_limit_s = 600}));
  const JobId waiting = submit({.tasks = 2, .time_limit_s = 600});
  pass_with_beats(Milliseconds{6'000}, {"n1"});
  const JobWait first_row = store.tables().waits.at(waiting);
  EXPECT_EQ(first_row.reason, "Resources");
  for (int before = 0; before < 1'001; ++before) submit({.tasks = 2, .qos = "critical"});
  pass_with_beats(Milliseconds{6'000}, {"n1"});
  const JobWait row = store.tables().waits.at(waiting);
  EXPECT_EQ(row.reason, "Priority");
  EXPECT_EQ(row.detail, "");
  EXPECT_TRUE(row.lines.empty());
  EXPECT_EQ(row.expected_start, Wall{});
  EXPECT_EQ(row.first_estimate, first_row.first_estimate)
      << "the first estimate is the one that counts";
}

// A pass explains 1,000 pending jobs of each partition, and a turn writes at most 2,000 rows.
TEST_F(WaitingStory, MorePendingReasonsThanATurnTakesAreWrittenInTheNextTurn) {
  config.partitions = {{"a", {}, true, 0, 0, 0}, {"b", {}, true, 0, 0, 0}};
  restart();
  ask(UpdatePartitions{{"b"}, {{"State", "DOWN"}, {"Reason", "bad switch"}}});
  const Job in_a = job(submit({.with = [](JobSpec& s) { s.partition = "a"; }})).job;
  const Job in_b = job(submit({.with = [](JobSpec& s) { s.partition = "b"; }})).job;
  auto& tables = database->tables;
  for (std::int64_t id = 3; id <= 3'000; ++id) {
    Job next = id % 2 == 0 ? in_b : in_a;
    next.id = JobId{id};
    next.request_id = "many" + std::to_string(id);
    tables.jobs.emplace(next.id, next);
  }
  restart();
  pass(Milliseconds{6'000});
  EXPECT_EQ(tables.waits.size(), 2'000u);

  // Now 2,500 rows must be written: 1,000 jobs of partition a are held, its other 500 are explained
  // for the first time, and those of partition b have a new reason.
  tables.partitions.at("b").reason = "worse switch";
  pass(Milliseconds{6'000});
  int held = 0;
  for (auto& [id, one] : tables.jobs)
    if (one.spec->partition == "a" && ++held <= 1'000) one.held = true;
  restart();
  const auto written = [&] {
    return std::ranges::count_if(
        tables.waits, [&](const auto& row) { return row.second.last_evaluated == now.wall; });
  };
  EXPECT_EQ(written(), 2'000);
  pass(Milliseconds{6'000});
  EXPECT_EQ(written(), 500) << "the rest comes though nothing has changed since";
  EXPECT_EQ(tables.waits.size(), 2'500u);
}

TEST_F(WaitingStory, TheFirstEstimateOfAStartIsComparedWithTheStart) {
  node("n1", 2);
  const JobId first = submit({.tasks = 2, .time_limit_s = 600});
  ready(first);
  const JobId second = submit({.tasks = 2, .time_limit_s = 600});
  pass_with_beats(Milliseconds{6'000}, {"n1"});
  const JobWait row = store.tables().waits.at(second);
  pass_with_beats(Milliseconds{100'000}, {"n1"});
  finish(first, 0);
  ASSERT_EQ(state(second), "CONFIGURING");
  EXPECT_TRUE(store.tables().waits.empty());
  ASSERT_EQ(store.tables().estimates.size(), 1u);
  const StartEstimate& met = store.tables().estimates.begin()->second;
  EXPECT_EQ(met, (StartEstimate{second, AttemptNumber{1}, row.first_estimate, now.wall,
                                row.first_estimate_made}));
  const auto view = std::get<ClusterView>(ask(ShowCluster{}).body);
  EXPECT_EQ(view.estimates.count, 1);
  EXPECT_EQ(view.estimates.error_ms_median, (row.first_estimate - now.wall).count());
  EXPECT_EQ(view.estimates.close_permille, 0);
}

// The node is reserved for the job's own user, so the reason must say what keeps the job out: it
// has no time limit.
TEST_F(WaitingStory, AJobWithoutATimeLimitShowsThatItsMagneticReservationNeedsOne) {
  node("n1", 2);
  ask(ActOnReservation{
      ReservationVerb::Create, "r", {"Nodes=n1", "Users=ada", "Duration=60", "Flags=MAGNETIC"}});
  const JobId id = submit({});
  EXPECT_EQ(state(id), "PENDING");
  const std::string why = std::get<JobDetail>(ask(ShowJob{id}).body).view.reason_detail;
  EXPECT_NE(why.find("must end by " + moment_text(now.wall + Milliseconds{3'600'000}) +
                     " and has no time limit: set one with --time"),
            std::string::npos)
      << why;
}

TEST_F(WaitingStory, ASnapshotIsSentOnceAndLeadsToTheSameDecisions) {
  node("n1", 2);
  const JobId first = submit({.tasks = 2, .time_limit_s = 600});
  ready(first);
  const JobId second = submit({.tasks = 2, .time_limit_s = 600});
  const auto why = std::get<JobDetail>(ask(ShowJob{second}).body).why;
  const auto part = std::get<SnapshotPart>(ask(TakeSnapshot{}).body);
  ASSERT_EQ(part.bytes, std::ssize(part.data)) << "a small one is one part";
  const auto input = schedule::input_from(part.data);
  ASSERT_TRUE(input.ok()) << input.refusal().fact;
  const auto plan = schedule::scheduler_from(*input)->plan(
      input->now, schedule::ExplainDepth::first(0, second, schedule::titles_in(*input)));
  ASSERT_EQ(plan.waiting.size(), 1u);
  EXPECT_EQ(plan.waiting[0].lines, why);
  EXPECT_EQ(refusal_of(ask(TakeSnapshot{part.snapshot, part.bytes})).substr(0, 34),
            "this snapshot is no longer there: ");
}

TEST_F(WaitingStory, ASnapshotIsSentPartByPartUntilItsEnd) {
  const std::string long_name(250, 'x');
  config.partitions.push_back({"later", {long_name}, false, 0, 0, 0});
  restart();
  node("n1", 2);
  submit({.with = [&](JobSpec& s) { s.exclude.assign(20'000, long_name); }});
  const auto part_of = [&](std::int64_t snapshot, std::int64_t offset) {
    return std::get<SnapshotPart>(ask(TakeSnapshot{snapshot, offset}).body);
  };
  const auto gone = [&](std::int64_t snapshot, std::int64_t offset) {
    return refusal_of(ask(TakeSnapshot{snapshot, offset})) ==
           "this snapshot is no longer there: another has been taken since";
  };
  const SnapshotPart first = part_of(0, 77);
  const auto most = static_cast<std::int64_t>(limits::snapshot_part_bytes_max);
  ASSERT_EQ(std::ssize(first.data), most) << "a new snapshot begins at offset 0";
  ASSERT_GT(first.bytes, most);
  ASSERT_LT(first.bytes, 2 * most);
  EXPECT_EQ(first.snapshot, 1);
  EXPECT_TRUE(gone(1, -1));
  EXPECT_TRUE(gone(2, 0));
  EXPECT_TRUE(gone(1, first.bytes));
  EXPECT_EQ(part_of(1, 0).data, first.data) << "nothing of it is discarded yet";
  const SnapshotPart last = part_of(1, most);
  EXPECT_EQ(most + std::ssize(last.data), first.bytes);
  EXPECT_TRUE(schedule::input_from(first.data + last.data).ok());
  EXPECT_TRUE(gone(1, most)) << "it was sent to its end";
  EXPECT_EQ(part_of(0, 0).snapshot, 2);
  EXPECT_TRUE(gone(1, most)) << "another was taken";
}

}  // namespace
}  // namespace cox
