// Tests the facts that the scheduling engine gets about nodes, running jobs and pending jobs.
#include "controller/feed/engine_input.h"

#include <gtest/gtest.h>

#include <sstream>

#include "controller/state/node_health.h"
#include "tests/controller/bench.h"

namespace cox {
namespace {

class WorldStory : public testing::Test, public Bench {
 protected:
  void hello(const std::string& name, const std::function<void(WorkerHello&)>& edit) {
    node(name, 2);
    WorkerHello hello;
    hello.node = *controller->cluster().node(name);
    hello.session = session[name];
    hello.number = ++numbers[name];
    hello.term_seen = controller->cluster().term();
    edit(hello);
    deliver(name, hello);
  }
  std::string nodes_text() const {
    std::string text;
    for (const schedule::SchedulerNode& w : scheduler_nodes(controller->cluster(), now.boot))
      text += w.name + ": " + (w.available ? "available" : "not") + ", " + w.unavailable_why + "\n";
    return text;
  }
  static std::int64_t seconds(Milliseconds time) { return time.count() / 1000; }
  // Returns the engine's facts about a running job as text, such as "tier 2 weight 3, began 10 s
  // ago, ...". Times are relative to now.
  std::string running_text(JobId id) {
    const schedule::RunningJob w = running_job(controller->cluster(), job(id), now);
    std::ostringstream text;
    text << "tier " << w.tier << " partition tier " << w.partition_tier << " weight "
         << w.preempt_weight << ", began " << seconds(now.boot - w.began) << " s ago, ran "
         << seconds(w.ran_before) << " s before, on";
    for (const NodeGrant& grant : w.grants) text << " " << grant.node;
    for (const NodeGrant& grant : w.given_back) text << ", not on " << grant.node;
    if (w.ends_by) text << ", ends in " << seconds(*w.ends_by - now.boot) << " s";
    if (w.done_by) text << ", is done in " << seconds(*w.done_by - now.boot) << " s";
    text << ", loses " << w.loss_per_second_units << " a second";
    if (w.unsaved_since) text << " of " << seconds(now.boot - *w.unsaved_since) << " s";
    for (const Boot at : w.preempted) text << ", preempted " << seconds(now.boot - at) << " s ago";
    if (w.exempt_time) text << ", exempt for " << seconds(*w.exempt_time) << " s";
    if (w.time_left) text << ", " << seconds(*w.time_left) << " s left";
    if (w.resumed) text << ", resumed " << seconds(now.boot - *w.resumed) << " s ago";
    for (const auto& [is, word] : {std::pair{w.stopping, ", stopping"},
                                   {w.preemptable, ", preemptable"},
                                   {w.movable, ", movable"},
                                   {w.requeued, ", requeued"},
                                   {w.suspends, ", suspends"},
                                   {w.suspended, ", suspended"},
                                   {w.is_suspended, ", fully suspended"},
                                   {w.resumable, ", resumable"},
                                   {w.held, ", held"}})
      if (is) text << word;
    return text.str();
  }
  // Reports that all ranks of the job have saved this step.
  void saved(JobId id, std::int64_t step) {
    const Attempt live = attempt(id);
    for (const AttemptNode& n : live.nodes) {
      AttemptStatus s = status_of(id, NodePhase::Running);
      for (std::int32_t k = 0; k < n.grant.ranks; ++k) {
        RankStatus& rank = s.ranks.emplace_back();
        rank.rank = n.grant.first_rank + k;
        rank.phase = RankPhase::Running;
        rank.saved = {{step, 10, 1, false}};
      }
      status(n.grant.node, s);
    }
  }
};

TEST_F(WorldStory, TheSchedulerGetsEachNodeAsAvailableOrWithTheReasonWhyNot) {
  for (const char* name : {"n1", "n2", "n3", "n4", "n5"}) node(name, 2);
  hello("n6", [](WorkerHello& h) { h.shares_checkpoints = false; });
  node("n7", 2);
  beat("n7", {{{JobId{99}, AttemptNumber{1}}, 1, NodePhase::Running, 0, 0}});
  ask(ActOnNodes{true, {"n2"}, "bad fan"});
  ask(ActOnNodes{true, {"n3"}, "bad disk", false, true});
  const std::string first =
      "n1: available, \n"
      "n2: not, drained: bad fan\n"
      "n3: not, down: bad disk\n";
  EXPECT_EQ(nodes_text(), first +
                              "n4: available, \nn5: available, \n"
                              "n6: not, does not see the checkpoint folder\n"
                              "n7: not, is still ending an attempt that is over\n");
  pass_with_beats(config.node_timeout + reserved_through_silence + Milliseconds{2'000},
                  {"n1", "n2", "n3", "n5", "n6", "n7"});
  beat("n7", {{{JobId{99}, AttemptNumber{1}}, 1, NodePhase::Running, 0, 0}});
  pass_with_beats(config.node_timeout + Milliseconds{2'000}, {"n1", "n2", "n3"});
  EXPECT_EQ(nodes_text(), first +
                              "n4: not, not responding\n"
                              "n5: available, \n"
                              "n6: not, not responding\n"
                              "n7: not, not responding\n")
      << "n5 has been silent only briefly, which closes it like a reservation";
  restart();
  EXPECT_EQ(nodes_text().substr(0, 23), "n1: not, not responding") << "it has not said hello yet";
}

TEST_F(WorldStory, TheSchedulerGetsANodeAsReportedAndWithMoreWeightIfItIsToBeAvoided) {
  config.domains = {{"n1", {"spine", "leaf"}}};
  restart();
  hello("n1", [](WorkerHello& h) {
    h.node.features = {"z", "a", "m"};
    h.node.weight = 3;
    h.node.total.gres = {{"fpga", "", 2}};
  });
  const auto passed_on = [&] { return scheduler_nodes(controller->cluster(), now.boot).at(0); };
  EXPECT_EQ(passed_on().total, controller->cluster().node("n1")->total);
  EXPECT_EQ(passed_on().features, (std::vector<std::string>{"a", "m", "z"}));
  EXPECT_EQ(passed_on().domains, (std::vector<std::string>{"spine", "leaf"}));
  EXPECT_EQ(passed_on().weight, 3);
  for (int i = 0; i < 2; ++i) {
    const JobId id = submit({});
    AttemptStatus refused = status_of(id, NodePhase::Gone);
    refused.refused = "no such device";
    status("n1", refused);
    ask(ActOnJobs{JobVerb::Cancel, {id}});
    status("n1", status_of(id, NodePhase::Gone));
  }
  EXPECT_EQ(passed_on().weight, 3 + avoided_weight);
}

TEST_F(WorldStory, TheSchedulerGetsARunningJobWithWhatAPreemptionWouldLose) {
  node("n1", 2, {}, {}, 1);
  node("n2", 2, {}, {}, 1);
  const JobId id = submit({.nodes = 2,
                           .tasks = 4,
                           .time_limit_s = 100,
                           .checkpoint_signal = 10,
                           .with = [](JobSpec& s) { s.gpus_per_node = 1; }});
  pass(Milliseconds{1'000});
  const std::string is = "tier 2 partition tier 1 weight 3, began ";
  EXPECT_EQ(running_text(id), is + "1 s ago, ran 0 s before, on n1 n2, loses 2 a second, "
                                   "preemptable, requeued")
      << "it is being prepared";
  ready(id);
  pass(Milliseconds{10'000});
  EXPECT_EQ(running_text(id), is + "11 s ago, ran 0 s before, on n1 n2, ends in 150 s, loses 2 a "
                                   "second of 10 s, preemptable, requeued")
      << "with a minute to save in";
  saved(id, 7);
  for (const char* name : {"n1", "n2"}) beat_as_is(name);
  pass(Milliseconds{5'000});
  EXPECT_EQ(running_text(id), is + "16 s ago, ran 0 s before, on n1 n2, ends in 145 s, loses 2 a "
                                   "second of 5 s, preemptable, movable, requeued");
  ask(ActOnJobs{JobVerb::Preempt, {id}});
  status("n1", status_of(id, NodePhase::Gone));
  pass(Milliseconds{2'000});
  EXPECT_EQ(running_text(id), is + "18 s ago, ran 0 s before, on n2, not on n1, ends in 88 s, "
                                   "loses 2 a second of 7 s, preempted 2 s ago, stopping, "
                                   "requeued")
      << "its grace, and then 30 s";
  status("n2", status_of(id, NodePhase::Gone));
  ASSERT_EQ(attempt(id).key.attempt, AttemptNumber{2});
  EXPECT_EQ(running_text(id), is + "0 s ago, ran 17 s before, on n1 n2, loses 2 a second, "
                                   "preempted 2 s ago, preemptable, requeued");
}

TEST_F(WorldStory, TheSchedulerGetsTheRunTimeThatAJobStillNeedsByItsProgress) {
  node("n1", 2);
  const JobId id = submit({.tasks = 2, .checkpoint_signal = 10});
  const auto work_left = [&] {
    const auto left = pending_job(controller->cluster(), job(id)).work_left;
    return left ? seconds(*left) : -1;
  };
  const auto done_in = [&] {
    const auto done = running_job(controller->cluster(), job(id), now).done_by;
    return done ? seconds(*done - now.boot) : -1;
  };
  ready(id);
  pass(Milliseconds{10'000});
  EXPECT_EQ(done_in(), -1) << "it has reported nothing";
  AttemptStatus reports = status_of(id, NodePhase::Running);
  reports.progress = {30, 100, {}, now.wall, 10, now.wall - Milliseconds{10'000}};
  status("n1", reports);
  pass(Milliseconds{5'000});
  EXPECT_EQ(done_in(), 30) << "70 steps, 2 a second, 5 s ago";
  saved(id, 20);
  ask(ActOnNodes{true, {"n1"}, "bad fan"});
  ask(ActOnJobs{JobVerb::Requeue, {id}});
  status("n1", status_of(id, NodePhase::Gone));
  ASSERT_EQ(state(id), "PENDING");
  EXPECT_EQ(work_left(), 40) << "from the saved step 20";
}

TEST_F(WorldStory, TheSchedulerGetsJobsWithThePreemptionSettingsOfTheirQos) {
  database->tables.qos.push_back({"cancels", 4, PreemptMode::Cancel, 0, 7, 30, {}});
  database->tables.qos.push_back({"suspends", 0, PreemptMode::Suspend, 5'000, {}, {}, {}});
  restart();
  node("n1", 8);
  const auto passed_on = [&](const std::string& qos, bool requeue = true) {
    const JobId id = submit({.qos = qos, .with = [&](JobSpec& s) { s.requeue = requeue; }});
    ready(id);
    saved(id, 7);
    return running_text(id);
  };
  const auto job_of = [](const std::string& tier, const std::string& weight,
                         const std::string& rest) {
    return "tier " + tier + " partition tier 1 weight " + weight +
           ", began 0 s ago, ran 0 s before, on n1, loses 1 a second of 0 s" + rest;
  };
  EXPECT_EQ(passed_on("critical"), job_of("3", "4", ", requeued"));
  EXPECT_EQ(passed_on("standard"), job_of("2", "3", ", preemptable, movable, requeued"));
  EXPECT_EQ(passed_on("standard", false), job_of("2", "3", ", preemptable"));
  EXPECT_EQ(passed_on("besteffort"), job_of("1", "2", ", preemptable, requeued"));
  EXPECT_EQ(passed_on("cancels"), job_of("4", "7", ", exempt for 30 s, preemptable"));
  EXPECT_EQ(passed_on("suspends"), job_of("0", "1", ", preemptable, requeued, suspends"));
}

TEST_F(WorldStory, AJobOnASilentNodeIsNotPreemptable) {
  node("n1", 2);
  const JobId id = submit({});
  ready(id);
  pass(config.node_timeout + Milliseconds{1'000});
  EXPECT_EQ(running_text(id).find("preemptable"), std::string::npos);
}

TEST_F(WorldStory, TheSchedulerGetsASuspendedJobWithTheTimeThatItHasLeft) {
  database->tables.qos.push_back({"suspends", 0, PreemptMode::Suspend, 5'000, {}, {}, {}});
  restart();
  node("n1", 2);
  const JobId id = submit({.qos = "suspends", .time_limit_s = 100});
  ready(id);
  const auto carries_out = [&] {
    AttemptStatus s = status_of(id, NodePhase::Running);
    s.suspension = attempt(id).suspension;
    status("n1", s);
  };
  carries_out();
  pass(Milliseconds{10'000});
  ask(ActOnJobs{JobVerb::Suspend, {id}});
  const std::string is = "tier 0 partition tier 1 weight 1, began ";
  EXPECT_EQ(running_text(id), is + "10 s ago, ran 10 s before, on n1, loses 1 a second of 10 s, "
                                   "preempted 0 s ago, 90 s left, requeued, suspends, suspended, "
                                   "resumable, held");
  carries_out();
  pass(Milliseconds{5'000});
  EXPECT_EQ(running_text(id), is + "15 s ago, ran 10 s before, on n1, loses 1 a second of 15 s, "
                                   "preempted 5 s ago, 90 s left, requeued, suspends, suspended, "
                                   "fully suspended, resumable, held");
  ask(ActOnJobs{JobVerb::Resume, {id}});
  ASSERT_EQ(state(id), "RUNNING");
  const std::string goes_on =
      "10 s ago, ran 0 s before, on n1, ends in 90 s, loses 1 a second of 15 s, preempted 5 s ago, "
      "resumed 0 s ago";
  EXPECT_EQ(running_text(id), is + goes_on + ", requeued, suspends")
      << "it has not carried out the last order";
  carries_out();
  EXPECT_EQ(running_text(id), is + goes_on + ", preemptable, requeued, suspends");
}

TEST_F(WorldStory, TheSchedulerGetsAPendingJobWithItsTierAndItsTimeLimits) {
  const auto passed_on = [&](const Ask& which) {
    const schedule::PendingJob w = pending_job(controller->cluster(), job(submit(which)));
    std::ostringstream text;
    text << "tier " << w.tier << " partition tier " << w.partition_tier << " copies " << w.copies
         << " eligible " << seconds(now.wall - w.eligible) << " s ago";
    if (w.time_limit) text << ", limit " << seconds(*w.time_limit);
    if (w.time_min) text << ", least " << seconds(*w.time_min);
    if (w.fill_min) text << ", fills " << seconds(*w.fill_min);
    return text.str() + (w.held ? ", held" : "");
  };
  const std::string plain = "tier 2 partition tier 1 copies 1 eligible 0 s ago";
  EXPECT_EQ(passed_on({}), plain);
  EXPECT_EQ(passed_on({.time_limit_s = 100}), plain + ", limit 100");
  EXPECT_EQ(passed_on({.time_limit_s = 100, .checkpoint_signal = 10}),
            plain + ", limit 160, fills 690")
      << "with its grace; before a reservation it saves after ten minutes";
  EXPECT_EQ(passed_on({.time_limit_s = 100, .with = [](JobSpec& s) { s.time_min_s = 50; }}),
            plain + ", limit 100, least 50");
  EXPECT_EQ(passed_on({.checkpoint_signal = 10, .with = [](JobSpec& s) { s.requeue = false; }}),
            plain)
      << "a job that is never requeued cannot use its checkpoint";
  EXPECT_EQ(passed_on({.with = [](JobSpec& s) { s.signal.number = 12; }}), plain + ", fills 690");
  EXPECT_EQ(passed_on({.qos = "besteffort", .checkpoint_signal = 10}),
            "tier 1 partition tier 1 copies 1 eligible 0 s ago");
  EXPECT_EQ(passed_on({.with = [](JobSpec& s) { s.array = "0-9"; }}),
            "tier 2 partition tier 1 copies 10 eligible 0 s ago");
  EXPECT_EQ(passed_on({.with = [](JobSpec& s) { s.hold = true; }}), plain + ", held");
}

TEST_F(WorldStory, AQueuedJobAvoidsTheNodesThatRefusedIt) {
  node("n1", 2);
  const JobId id = submit({});
  const auto avoided = [&] { return pending_job(controller->cluster(), job(id)).request->avoid; };
  AttemptStatus refused = status_of(id, NodePhase::Gone);
  refused.refused = "no such device";
  ask(ActOnNodes{true, {"n1"}, "bad fan"});
  EXPECT_TRUE(avoided().empty());
  status("n1", refused);
  ASSERT_EQ(state(id), "PENDING");
  EXPECT_EQ(avoided(), std::vector<std::string>{"n1"});
}

TEST_F(WorldStory, LifetimesAreLearntFromJobsThatRanAndWereNotCancelled) {
  node("n1", 2, {}, {}, 2);
  const auto lifetime = [&](JobId id) {
    const auto life = lifetime_of(job(id));
    return life ? std::to_string(life->units) + " for " + std::to_string(seconds(life->service))
                : "none";
  };
  const JobId with_gpu = submit({.tasks = 2, .with = [](JobSpec& s) { s.gpus_per_node = 1; }});
  ready(with_gpu);
  pass(Milliseconds{10'000});
  EXPECT_EQ(lifetime(with_gpu), "none") << "it runs";
  finish(with_gpu, 3);
  EXPECT_EQ(lifetime(with_gpu), "1 for 10");
  const JobId cancelled = submit({.tasks = 2});
  ready(cancelled);
  pass(Milliseconds{10'000});
  ask(ActOnJobs{JobVerb::Cancel, {cancelled}});
  status("n1", status_of(cancelled, NodePhase::Gone));
  ASSERT_EQ(state(cancelled), "CANCELLED");
  EXPECT_EQ(lifetime(cancelled), "none");
  const JobId twice = submit({.tasks = 2});
  ready(twice);
  pass(Milliseconds{10'000});
  ask(ActOnJobs{JobVerb::Requeue, {twice}});
  finish(twice, 143);
  pass_with_beats(Milliseconds{1'000}, {"n1"});
  ready(twice);
  pass(Milliseconds{5'000});
  finish(twice, 0);
  EXPECT_EQ(lifetime(twice), "2 for 15") << "CPUs, and both attempts";
}

}  // namespace
}  // namespace cox
