// Tests the site's prolog and epilog that run on the controller's host around each attempt.
#include "controller/ledger/site_runs.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/controller/bench.h"

namespace cox {
namespace {

bool has_variable(const SiteRun& run, const std::string& variable) {
  return std::ranges::find(run.environment, variable) != run.environment.end();
}

class SiteRunsOf : public testing::Test, public Bench {
 protected:
  SiteRunsOf() {
    config.prolog_program = "/prolog";
    restart();
    node("n1", 1);
  }
  std::vector<SiteRun> runs() { return controller->take<SiteRun>(); }
  void ended(const SiteRun& run, const std::string& error = "") {
    controller->site_run_ended({run.what, run.key, error});
    settle();
  }
  std::string log_text() {
    std::string all;
    for (const LogLine& line : controller->take<LogLine>()) all += line.text + "\n";
    return all;
  }
  // Passes the time while n1 sends heartbeats that list no attempt.
  void pass_without_the_job(Milliseconds time) {
    for (Milliseconds done{0}; done < time; done += Milliseconds{1'000}) {
      beat("n1");
      pass(Milliseconds{1'000});
    }
  }
};

TEST_F(SiteRunsOf, NoNodeReceivesAnAttemptBeforeItsPrologHasEnded) {
  const JobId id = submit({.with = [](JobSpec& s) { s.comment = "a word"; }});
  EXPECT_EQ(state(id), "CONFIGURING");
  const auto asked = runs();
  ASSERT_EQ(asked.size(), 1u);
  EXPECT_EQ(asked[0].what, SiteRun::What::Prolog);
  EXPECT_EQ(asked[0].key, (AttemptKey{id, AttemptNumber{1}}));
  EXPECT_TRUE(has_variable(asked[0], "SLURM_JOB_ID=" + std::to_string(id.value)));
  EXPECT_TRUE(has_variable(asked[0], "SLURM_JOB_NODELIST=n1"));
  EXPECT_TRUE(has_variable(asked[0], "SLURM_JOB_COMMENT=a word"));
  EXPECT_TRUE(has_variable(asked[0], "SLURM_SCRIPT_CONTEXT=prolog_slurmctld"));
  pass_without_the_job(2 * config.prepare_timeout);
  EXPECT_EQ(state(id), "CONFIGURING") << "the time to prepare has not begun";
  EXPECT_TRUE(take<Prepare>().empty());
  EXPECT_TRUE(runs().empty()) << "it runs once";
  EXPECT_TRUE(controller->cluster().node("n1")->failures.empty());
  ended(asked[0]);
  EXPECT_EQ(take<Prepare>().size(), 1u);
  ready(id);
  EXPECT_EQ(state(id), "RUNNING");
}

TEST_F(SiteRunsOf, AFailedPrologRequeuesTheJobAndBlamesNoNode) {
  const JobId id = submit({});
  ended(runs().at(0), "exit code 3: no licence");
  EXPECT_EQ(job(id).attempts->at(0).outcome, "prolog_program failed: exit code 3: no licence");
  const auto second = runs();
  ASSERT_EQ(second.size(), 1u) << "it is tried again at once";
  EXPECT_EQ(second[0].key.attempt.value, 2);
  ended(second[0], "exit code 3: no licence");
  EXPECT_EQ(state(id), "PENDING") << "the next tries come later and later";
  EXPECT_TRUE(job(id).job.avoid_nodes.empty());
  EXPECT_FALSE(controller->cluster().node("n1")->drained);
  EXPECT_TRUE(take<Prepare>().empty());
  EXPECT_TRUE(take<Stop>().empty()) << "the node never received the attempt";
  pass_without_the_job(Milliseconds{5'000});
  const auto again = runs();
  ASSERT_EQ(again.size(), 1u);
  EXPECT_EQ(again[0].key.attempt.value, 3);
}

TEST_F(SiteRunsOf, AFailedPrologCancelsAnAllocation) {
  const JobId id = submit({.with = [](JobSpec& s) {
    s.form = JobForm::Allocation;
    s.command.clear();
  }});
  ended(runs().at(0), "exit code 1");
  EXPECT_EQ(state(id), "CANCELLED");
}

TEST_F(SiteRunsOf, ACancelDoesNotWaitForTheProlog) {
  const JobId id = submit({});
  const auto asked = runs();
  ask(ActOnJobs{JobVerb::Cancel, {id}});
  pass(Milliseconds{250});
  EXPECT_EQ(state(id), "CANCELLED");
  ended(asked.at(0));
  EXPECT_EQ(state(id), "CANCELLED");
  EXPECT_TRUE(take<Prepare>().empty());
}

TEST_F(SiteRunsOf, AnAttemptThatASilentNodeNeverReceivedEndsWithoutWaitingForItsLease) {
  const JobId id = submit({});
  EXPECT_EQ(runs().size(), 1u);
  pass(config.node_timeout + Milliseconds{1'000});
  EXPECT_EQ(state(id), "PENDING");
}

TEST_F(SiteRunsOf, AfterARestartThePrologRunsAgain) {
  const JobId id = submit({});
  EXPECT_EQ(runs().size(), 1u);
  restart();
  node("n1", 1);
  pass(Milliseconds{250});
  const auto again = runs();
  ASSERT_EQ(again.size(), 1u);
  EXPECT_TRUE(take<Prepare>().empty());
  ended(again[0]);
  EXPECT_EQ(take<Prepare>().size(), 1u);
  EXPECT_EQ(state(id), "CONFIGURING");
}

TEST_F(SiteRunsOf, AnAttemptThatANodeReportsAfterARestartNeedsNoProlog) {
  const JobId id = submit({});
  ended(runs().at(0));
  restart();
  node("n1", 1);
  ready(id);
  EXPECT_EQ(state(id), "RUNNING");
  pass(Milliseconds{250});
  EXPECT_TRUE(runs().empty());
}

TEST_F(SiteRunsOf, TheEpilogRunsAtTheEndOfEachAttempt) {
  config.prolog_program.clear();
  config.epilog_program = "/epilog";
  restart();
  node("n1", 1);
  const JobId id = submit({});
  ready(id);
  EXPECT_TRUE(runs().empty());
  finish(id, 3);
  EXPECT_EQ(state(id), "FAILED") << "the end does not wait for the epilog";
  const auto asked = runs();
  ASSERT_EQ(asked.size(), 1u);
  EXPECT_EQ(asked[0].what, SiteRun::What::Epilog);
  EXPECT_TRUE(has_variable(asked[0], "SLURM_JOB_EXIT_CODE2=3:0"));
  EXPECT_TRUE(has_variable(asked[0], "SLURM_JOB_EXIT_CODE=768"));
  EXPECT_TRUE(has_variable(asked[0], "SLURM_SCRIPT_CONTEXT=epilog_slurmctld"));
  log_text();
  ended(asked[0], "exit code 1: \x1b");
  EXPECT_NE(log_text().find("epilog_program failed: exit code 1: ?"), std::string::npos);
  EXPECT_EQ(state(id), "FAILED");
}

TEST_F(SiteRunsOf, WithoutAPrologNodesReceiveAnAttemptAtOnce) {
  config.prolog_program.clear();
  restart();
  node("n1", 1);
  submit({});
  EXPECT_EQ(take<Prepare>().size(), 1u);
  EXPECT_TRUE(runs().empty());
}

// ---- prologs and epilogs that run on the nodes --------------------------------------------------

TEST_F(SiteRunsOf, ALaunchMayTakeLongerByTheTimeOfTheNodesPrograms) {
  config.prolog_program.clear();
  restart();
  WorkerHello hello;
  hello.node.name = "n2";
  hello.node.total.cpus = 1;
  hello.node.total.memory_mb = 1000;
  hello.node.address = "10.0.0.2";
  hello.session = session["n2"] = "session";
  hello.number = ++numbers["n2"];
  hello.term_seen = controller->cluster().term();
  hello.programs_ms = 600'000;
  deliver("n2", hello);
  const JobId id = submit({.with = [](JobSpec& s) { s.nodelist = {"n2"}; }});
  status("n2", status_of(id, NodePhase::Preparing));
  pass_with_beats(config.prepare_timeout + Milliseconds{500'000}, {"n2"});
  EXPECT_EQ(state(id), "CONFIGURING");
  pass_with_beats(Milliseconds{120'000}, {"n2"});
  EXPECT_EQ(state(id), "COMPLETING");
}

}  // namespace
}  // namespace cox
