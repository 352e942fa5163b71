// Tests small functions on jobs, attempts and steps that have no test file of their own:
// components, suspensions, run times, ranks, hashes.
#include <gtest/gtest.h>

#include "common/base/content_hash.h"
#include "common/base/count_format.h"
#include "common/base/limits.h"
#include "common/job/attempt.h"
#include "common/job/job.h"
#include "common/job/step.h"
#include "common/messages/attachment.h"
#include "common/messages/messages.h"
#include "common/messages/standing_by.h"
#include "common/syntax/array_tasks.h"
#include "common/syntax/later_accounting.h"
#include "common/syntax/partition_list.h"

namespace cox {
namespace {

JobSpec three_components() {
  JobSpec spec;
  spec.nodes = 1;
  spec.tasks = 2;
  spec.partition = "first";
  spec.components.resize(2);
  spec.components[0].nodes = 10;
  spec.components[0].tasks = 20;
  spec.components[0].partition = "second";
  spec.components[1].nodes = 100;
  spec.components[1].tasks = 200;
  spec.components[1].partition = "third,fourth";
  spec.name = "train";
  return spec;
}

Attempt two_nodes(std::int64_t suspension) {
  Attempt attempt;
  attempt.nodes.resize(2);
  attempt.suspension = {suspension, true};
  return attempt;
}

std::string ranks_of(const std::vector<std::int32_t>& tasks, Distribution distribution,
                     std::int64_t plane = 0) {
  std::vector<StepNode> nodes;
  for (const std::int32_t count : tasks) {
    StepNode& node = nodes.emplace_back();
    node.node = "n";
    node.tasks = count;
  }
  StepSpec spec;
  spec.distribution = distribution;
  spec.plane = plane;
  std::string text;
  for (const auto& ranks : ranks_on_nodes(nodes, spec)) {
    for (const std::int32_t rank : ranks) text += std::to_string(rank) + " ";
    text += "| ";
  }
  return text;
}

std::int64_t ran_ms(const Attempt& attempt, std::int64_t now_ms) {
  return run_time(attempt, wall_from_ms(now_ms)).count();
}

}  // namespace

TEST(JobComponents, AreJobsThatDifferOnlyInTheirSize) {
  const JobSpec spec = three_components();
  EXPECT_EQ(nodes_of_all(spec), 111);
  EXPECT_EQ(tasks_of_all(spec), 222);
  for (std::int64_t i = 0; i < 3; ++i) {
    const JobSpec one = component_spec(spec, i);
    EXPECT_EQ(one.nodes, i == 0 ? 1 : i == 1 ? 10 : 100);
    EXPECT_EQ(one.name, "train");
    EXPECT_TRUE(one.components.empty());
  }
}

TEST(JobComponents, AJobNamesThePartitionsOfAllItsComponents) {
  for (const char* name : {"first", "second", "third", "fourth"})
    EXPECT_TRUE(names_partition(three_components(), name)) << name;
  EXPECT_FALSE(names_partition(three_components(), "fifth"));
}

TEST(StoredOptions, NoShellIsFoundAndGpusPerNodeIsRemoved) {
  JobSpec spec;
  spec.stored_options = {"no-shell2", "gpus-per-node=4", "x"};
  EXPECT_FALSE(is_without_shell(spec));
  spec.stored_options.push_back("no-shell");
  EXPECT_TRUE(is_without_shell(spec));
  forget_gpus_per_node(spec.stored_options);
  EXPECT_EQ(spec.stored_options, (std::vector<std::string>{"no-shell2", "x", "no-shell"}));
}

TEST(Suspensions, AreCarriedOutWhenEveryRemainingNodeReportsIt) {
  Attempt attempt = two_nodes(3);
  attempt.nodes[0].suspension = 3;
  attempt.nodes[1].suspension = 2;
  EXPECT_FALSE(has_carried_out_suspension(attempt));
  EXPECT_FALSE(is_suspended(attempt));
  attempt.nodes[1].phase = NodePhase::Gone;
  EXPECT_TRUE(has_carried_out_suspension(attempt));
  EXPECT_TRUE(is_suspended(attempt));
  attempt.nodes[1].phase = NodePhase::Running;
  attempt.nodes[1].suspension = 4;
  EXPECT_TRUE(is_suspended(attempt)) << "a newer suspension counts too";
  attempt.suspension.suspended = false;
  EXPECT_TRUE(has_carried_out_suspension(attempt));
  EXPECT_FALSE(is_suspended(attempt));
}

TEST(RunTime, CountsFromTheStartOfTheAttemptWithoutSuspendedTime) {
  Attempt attempt;
  EXPECT_EQ(ran_ms(attempt, 9'000), 0) << "it never started";
  attempt.went = wall_from_ms(2'000);
  attempt.suspended_ms = 500;
  EXPECT_EQ(ran_ms(attempt, 9'000), 6'500);
  EXPECT_EQ(ran_ms(attempt, 2'100), 0) << "the result is never below 0";
  attempt.suspension.suspended = true;
  attempt.suspended_at = {wall_from_ms(3'000), wall_from_ms(6'000)};
  EXPECT_EQ(ran_ms(attempt, 9'000), 3'500) << "it is suspended since the newest time";
  EXPECT_EQ(ran_ms(attempt, 5'000), 2'500);
  attempt.suspension.suspended = false;
  attempt.ended = wall_from_ms(8'000);
  EXPECT_EQ(ran_ms(attempt, 9'000), 5'500);
}

TEST(RanksOfANode, AreTheGrantedRanksOfAGangAndOneOfABatchScript) {
  NodeGrant grant;
  grant.ranks = 5;
  const auto run = [&](JobForm form, std::int32_t node) {
    JobSpec spec;
    spec.form = form;
    return ranks_run_on(spec, grant, node);
  };
  EXPECT_EQ(run(JobForm::Gang, 1), 5);
  EXPECT_EQ(run(JobForm::Batch, 0), 1);
  EXPECT_EQ(run(JobForm::Batch, 1), 0);
  EXPECT_EQ(run(JobForm::Allocation, 0), 0);
}

TEST(RanksOfAStep, ArePlacedByTheDistribution) {
  EXPECT_EQ(ranks_of({2, 0, 3}, Distribution::Block), "0 1 | | 2 3 4 | ");
  EXPECT_EQ(ranks_of({2, 1, 3}, Distribution::Cyclic), "0 3 | 1 | 2 4 5 | ");
  EXPECT_EQ(ranks_of({3, 1, 4}, Distribution::Plane, 2), "0 1 5 | 2 | 3 4 6 7 | ");
  EXPECT_EQ(ranks_of({2, 1}, Distribution::Plane, 0), "0 2 | 1 | ")
      << "a plane has at least 1 task";
}

TEST(Attachment, IsMarkedByWordsThatNoCommandCanHave) {
  StepBegin begin;
  begin.commands = {attach_command(12)};
  EXPECT_EQ(attached_step(begin), 12);
  const auto step_of = [](std::vector<std::string> words) {
    StepBegin said;
    said.commands.resize(1);
    said.commands[0].words = std::move(words);
    return attached_step(said);
  };
  EXPECT_EQ(step_of({"", "0"}), 0);
  EXPECT_EQ(step_of({"", "2147483647"}), 2'147'483'647);
  EXPECT_EQ(step_of({"", "2147483648"}), std::nullopt);
  EXPECT_EQ(step_of({"", "x"}), std::nullopt);
  EXPECT_EQ(step_of({"a", "1"}), std::nullopt);
  EXPECT_EQ(step_of({""}), std::nullopt);
  EXPECT_EQ(step_of({"", "1", "2"}), std::nullopt);
  begin.commands.push_back(begin.commands[0]);
  EXPECT_EQ(attached_step(begin), std::nullopt);
}

// The expected text is the published test vector of xxh3-128 for empty input, in canonical
// (big-endian) form.
TEST(ContentHash, IsXxh3Of128Bits) {
  EXPECT_EQ(content_hash(""), "99aa06d3014798d86001c324468d497f");
  EXPECT_NE(content_hash("a"), content_hash("b"));
}

TEST(RunLengths, JoinNeighboursThatAreEqual) {
  EXPECT_EQ(run_lengths_text({}), "");
  EXPECT_EQ(run_lengths_text({4}), "4");
  EXPECT_EQ(run_lengths_text({4, 4, 2, 4, 4, 4}), "4(x2),2,4(x3)");
}

TEST(TaskCounts, AreAddedUpByState) {
  const std::vector<TaskGroup> groups = {{JobState::Failed, 1, 0, 2, ""},
                                         {JobState::Pending, 0, 0, 5, ""},
                                         {JobState::Failed, 2, 0, 40, ""}};
  EXPECT_EQ(task_counts_text(groups), "5 PENDING, 42 FAILED");
  EXPECT_EQ(task_counts_text({}), "");
}

TEST(TasksAsked, AreOneForASubmissionWithoutAnArray) {
  EXPECT_EQ(tasks_asked(""), 1);
  EXPECT_EQ(tasks_asked("0-9:3%2"), 4);
  EXPECT_EQ(tasks_asked("nonsense"), 1);
}

TEST(LaterSettings, RefuseUnsupportedSettingsOfQosAndAccountsWithAnAlternative) {
  const auto said = [](AccountingObject whose, std::string_view name) {
    const Failure failure = later_setting(whose, name);
    return failure ? failure->fact : "";
  };
  EXPECT_EQ(said(AccountingObject::Qos, "flags"), "\"flags\" of a QOS is not supported");
  EXPECT_EQ(said(AccountingObject::Association, "flags"),
            "\"flags\" of accounts and users is not supported");
  EXPECT_EQ(said(AccountingObject::Association, "maxjobs"), "") << "accounts have this setting";
  EXPECT_EQ(said(AccountingObject::Qos, "maxjobs"), "\"maxjobs\" of a QOS is not supported");
  EXPECT_EQ(later_setting(AccountingObject::Qos, "maxjobs")->hint,
            "use MaxJobsPerUser, or GrpJobs for all users together");
  EXPECT_EQ(said(AccountingObject::Qos, "priority"), "") << "a QOS has this setting";
  EXPECT_EQ(said(AccountingObject::Qos, "nonsense"), "");
}

TEST(Standby, QueriesAreSeparatedFromRequestsThatChangeState) {
  const auto asks = [](const auto& body) {
    Request request;
    request.body = body;
    return is_read_only(request);
  };
  EXPECT_FALSE(asks(SubmitJob{}));
  EXPECT_FALSE(asks(SubmitJobs{}));
  EXPECT_FALSE(asks(ActOnJobs{}));
  EXPECT_FALSE(asks(ActOnNodes{}));
  EXPECT_FALSE(asks(ActOnReservation{}));
  EXPECT_FALSE(asks(UpdateJobs{}));
  EXPECT_FALSE(asks(UpdatePartitions{}));
  EXPECT_FALSE(asks(Administer{}));
  EXPECT_FALSE(asks(CreateStep{}));
  EXPECT_FALSE(asks(SignalJobs{}));
  EXPECT_FALSE(asks(EndAllocation{}));
  EXPECT_FALSE(asks(RemoveCheckpoints{}));
  EXPECT_FALSE(asks(VerifyCheckpoints{}));
  EXPECT_FALSE(asks(Reconfigure{}));
  EXPECT_TRUE(asks(TakeSnapshot{}));
}

TEST(Standby, RequestsThatOnlySetAStateMayBeCarriedOutTwice) {
  const auto twice = [](const auto& body) {
    Request request;
    request.body = body;
    return is_idempotent(request);
  };
  const auto verb = [&](JobVerb which) {
    ActOnJobs act;
    act.verb = which;
    return twice(act);
  };
  for (const JobVerb which :
       {JobVerb::Cancel, JobVerb::CancelCron, JobVerb::Hold, JobVerb::Release, JobVerb::Suspend})
    EXPECT_TRUE(verb(which)) << name(which);
  for (const JobVerb which :
       {JobVerb::Requeue, JobVerb::Preempt, JobVerb::RequeueHold, JobVerb::Resume})
    EXPECT_FALSE(verb(which)) << name(which);
  EXPECT_FALSE(twice(UpdateJobs{}));
  EXPECT_FALSE(twice(ActOnReservation{}));
  EXPECT_FALSE(twice(SignalJobs{}));
  EXPECT_FALSE(twice(Administer{}));
  EXPECT_FALSE(twice(TakeSnapshot{}));
  EXPECT_TRUE(twice(Reconfigure{}));
  EXPECT_TRUE(twice(SubmitJob{})) << "it has a request id";
  EXPECT_TRUE(is_idempotent(Heartbeat{}));
}

}  // namespace cox
