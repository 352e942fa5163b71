// Tests allocations (jobs of salloc or srun, which run no command on the nodes), from the request
// to their release.
#include <gtest/gtest.h>

#include "common/base/moment_text.h"
#include "tests/controller/bench.h"

namespace cox {
namespace {

class Allocations : public testing::Test, public Bench {
 protected:
  JobId salloc(std::int64_t nodes = 1) {
    return submit({.nodes = nodes, .tasks = nodes, .with = [](JobSpec& spec) {
                     spec.form = JobForm::Allocation;
                     spec.command.clear();
                   }});
  }
  JobId running(std::int64_t nodes = 1) {
    for (const char* name : {"n1", "n2"}) node(name, 2);
    const JobId id = salloc(nodes);
    ready(id);
    for (const AttemptNode& n : attempt(id).nodes)
      status(n.grant.node, status_of(id, NodePhase::Running));
    return id;
  }
  std::string end(JobId id, std::int32_t exit_code = 0, std::int32_t signal = 0) {
    const Acted acted = std::get<Acted>(ask(EndAllocation{id, exit_code, signal}).body);
    const Acted::Outcome& outcome = acted.outcomes.at(0);
    return outcome.refused ? outcome.refused->fact : outcome.done;
  }
  void gone(JobId id) {
    const std::vector<AttemptNode> nodes = attempt(id).nodes;
    for (const AttemptNode& n : nodes) status(n.grant.node, status_of(id, NodePhase::Gone));
  }
};

TEST_F(Allocations, AnAllocationStaysUntilItsClientReleasesIt) {
  const JobId id = running(2);
  EXPECT_TRUE(attempt(id).ranks.empty()) << "nothing runs there by itself";
  pass_with_beats(Milliseconds{60'000}, {"n1", "n2"});
  EXPECT_EQ(state(id), "RUNNING");
  EXPECT_EQ(end(id), "given back");
  EXPECT_EQ(state(id), "COMPLETING");
  gone(id);
  EXPECT_EQ(state(id), "COMPLETED");
  EXPECT_EQ(job(id).job.why, "given back by ada");
}

TEST_F(Allocations, AnAllocationHasNoLog) {
  const JobId id = running();
  LocateLog log;
  log.id = id;
  EXPECT_EQ(refusal_of(ask(log)),
            "job " + std::to_string(id.value) +
                " is an allocation of salloc or srun, which has no log of its own");
}

TEST_F(Allocations, AnAllocationEndsWithTheExitCodeOfItsCommand) {
  const JobId id = running();
  end(id, 3);
  end(id, 0, 9);  // a second request to end the allocation; only the first counts
  gone(id);
  EXPECT_EQ(state(id), "FAILED");
  EXPECT_EQ(job(id).job.exit_code, 3);
  EXPECT_EQ(job(id).job.exit_signal, 0);
}

TEST_F(Allocations, APendingAllocationIsCancelledWhenItsClientEndsIt) {
  const JobId id = salloc();
  EXPECT_EQ(end(id), "cancelled");
  EXPECT_EQ(state(id), "CANCELLED");
}

TEST_F(Allocations, AnAllocationEndsWhenItsClientIsSilentForInactiveLimit) {
  config.inactive_limit = Milliseconds{120'000};
  restart();
  const JobId id = running();
  for (int i = 0; i < 3; ++i) {
    pass_with_beats(Milliseconds{100'000}, {"n1", "n2"});
    ask(WaitJob{id, -1, 0});
  }
  EXPECT_EQ(state(id), "RUNNING");
  pass_with_beats(Milliseconds{130'000}, {"n1", "n2"});
  EXPECT_EQ(state(id), "COMPLETING");
  gone(id);
  EXPECT_EQ(state(id), "CANCELLED");
  EXPECT_EQ(job(id).job.why->substr(0, 30), "no contact with its client for");
}

TEST_F(Allocations, WhyNamesASilentClientAndHowToFreeTheNodes) {
  config.inactive_limit = Milliseconds{120'000};
  restart();
  const JobId id = running();
  const auto why = [&] { return std::get<JobDetail>(ask(ShowJob{id}).body).why; };
  ask(WaitJob{id, -1, 0});
  pass_with_beats(Milliseconds{30'000}, {"n1", "n2"});
  EXPECT_TRUE(why().empty()) << "srun asks every 20 s";
  pass_with_beats(Milliseconds{10'000}, {"n1", "n2"});
  ASSERT_EQ(why().size(), 1u);
  EXPECT_EQ(why().front(),
            "its salloc or srun has sent no request for 40 s: if that was killed, `scancel 1` "
            "frees the nodes; otherwise the job is cancelled at " +
                moment_text(now.wall + Milliseconds{80'000}) + " (inactive_limit)");
  ask(WaitJob{id, -1, 0});
  EXPECT_TRUE(why().empty());
}

TEST_F(Allocations, WhyNamesASilentClientAlsoWithoutInactiveLimit) {
  config.inactive_limit = Milliseconds{0};
  restart();
  const JobId id = running();
  pass_with_beats(Milliseconds{100'000}, {"n1", "n2"});
  const auto why = std::get<JobDetail>(ask(ShowJob{id}).body).why;
  ASSERT_EQ(why.size(), 1u);
  EXPECT_NE(why.front().find("the job keeps them until its time limit"), std::string::npos);
}

TEST_F(Allocations, AClientThatIsRefusedWhileTheDatabaseIsAwayIsNotSilent) {
  config.inactive_limit = Milliseconds{120'000};
  restart();
  const JobId id = running();
  pass_with_beats(Milliseconds{100'000}, {"n1", "n2"});
  store.away_polls = 1'000'000'000;
  pass_with_beats(Milliseconds{130'000}, {"n1", "n2"});
  EXPECT_EQ(state(id), "RUNNING");
  store.away_polls = 0;
  pass_with_beats(Milliseconds{110'000}, {"n1", "n2"});
  EXPECT_EQ(state(id), "RUNNING") << "its client asks again within inactive_limit";
  pass_with_beats(Milliseconds{20'000}, {"n1", "n2"});
  EXPECT_EQ(state(id), "COMPLETING");
}

TEST_F(Allocations, RequestsOfAnotherUserDoNotPreventTheEndByInactiveLimit) {
  config.inactive_limit = Milliseconds{120'000};
  restart();
  const JobId id = running();
  pass_with_beats(Milliseconds{100'000}, {"n1", "n2"});
  ask_as(1001, WaitJob{id, -1, 0});
  EXPECT_EQ(state(id), "RUNNING");
  pass_with_beats(Milliseconds{30'000}, {"n1", "n2"});
  EXPECT_EQ(state(id), "COMPLETING");
}

TEST_F(Allocations, ARequeueOfAnAllocationIsRefused) {
  const JobId id = running();
  EXPECT_FALSE(job(id).job.spec->requeue);
  const Acted acted = std::get<Acted>(ask(ActOnJobs{JobVerb::Requeue, {id}}).body);
  ASSERT_TRUE(acted.outcomes.at(0).refused.has_value());
  EXPECT_EQ(acted.outcomes.at(0).refused->fact, "job 1 is an allocation, which cannot be requeued");
}

TEST_F(Allocations, OnlyTheOwnerReleasesAnAllocation) {
  const JobId id = running();
  const JobId batch = submit({});
  EXPECT_EQ(end(batch), "job 2 is not an allocation: it ends by itself");
  user = "eve";
  Request request{++requests, EndAllocation{id, 0, 0}};
  controller->receive({"client", {Caller::Kind::Client, "", "eve", 1001, 1001}, Message{request}},
                      now);
  settle();
  EXPECT_EQ(state(id), "RUNNING");
}

}  // namespace
}  // namespace cox
