// Tests the explanation of why a suspended job does not resume: which of its CPUs are not free, and
// which jobs use them.
#include <gtest/gtest.h>

#include <string>

#include "schedule/top/scheduler.h"
#include "tests/schedule/scenario.h"

namespace cox::schedule {
namespace {

// Returns the explanation of a job as "REASON: DETAIL", the second of its expected start if it is
// known, and its further lines.
std::string page_of(const SchedulerInput& world, std::int64_t job, const ExplainDepth& depth) {
  Scheduler scheduler(world.nodes);
  Engine& engine = scheduler.engine();
  for (const RunningJob& one : world.running) engine.put(one);
  for (const PendingJob& one : world.pending) engine.put(one);
  const Plan plan = scheduler.plan(at_start, depth);
  const PendingExplanation& waiting = waiting_of(plan, job);
  std::string text = std::string(name(waiting.reason)) + ": " + waiting.detail + "\n";
  if (waiting.expected_start)
    text += "second " + std::to_string((*waiting.expected_start - start_of_time).count() / 1'000) +
            "\n";
  for (const std::string& line : waiting.lines) text += "- " + line + "\n";
  return text;
}

std::string page_of(const std::string& world, std::int64_t job) {
  return page_of(world_from(world), job, ExplainDepth::everything());
}

// Returns " n1:8 n2:8 ...": the first `nodes` nodes, each with this number of CPUs.
std::string on_nodes(int nodes, const std::string& cpus) {
  std::string text;
  for (int i = 1; i <= nodes; ++i) text += " n" + std::to_string(i) + ":" + cpus;
  return text;
}

std::string without_cpus_on(int nodes) {
  std::string names = "n1";
  for (int i = 2; i <= nodes; ++i) names += ",n" + std::to_string(i);
  return page_of("node " + names + " cpus=8\nruns 1 on" + on_nodes(nodes, "8") +
                     " suspends still\nruns 2 on" + on_nodes(nodes, "1") + " tier=2",
                 1);
}

}  // namespace

TEST(Suspended, AJobShowsItsMissingCpusOnEachNode) {
  EXPECT_EQ(page_of("node n1,n2,n3\nruns 1 on n1:4 n2:4 n3:4 suspends still left=60\n"
                    "runs 2 on n1:1 tier=2 ends=600\nruns 3 on n1:2 n2:1 tier=2 ends=300",
                    1),
            "Resources: suspended on n[1-3] until its CPUs are free again on 2 nodes, expected "
            "at 1970-01-01T00:26:40Z by time limits\n"
            "second 600\n"
            "- node n1: 1 of its 4 CPUs free; held by job 2 (1 CPU), job 3 (2 CPUs)\n"
            "- node n2: 3 of its 4 CPUs free; held by job 3 (1 CPU)\n");
}

TEST(Suspended, AJobBehindJobsWithoutALimitHasNoExpectedStart) {
  EXPECT_EQ(page_of("node n1\nruns 1 on n1:4 suspends still\nruns 2 on n1:4 tier=2", 1),
            "Resources: suspended on n1 until its CPUs are free again on 1 node\n"
            "- node n1: 0 of its 4 CPUs free; held by job 2 (4 CPUs)\n");
}

TEST(Suspended, AJobDoesNotResumeIfANodeDoesNotRespond) {
  SchedulerInput world = world_from(
      "node n1\nnode n2 down\nruns 1 on n1:4 n2:4 suspends still\nruns 2 on n1:4 tier=2 ends=600");
  world.running[0].resumable = false;
  const std::string page = page_of(world, 1, ExplainDepth::everything());
  EXPECT_EQ(page.substr(0, page.find('\n')),
            "ReqNodeNotAvail: suspended on n[1-2]; some of its nodes do not respond");
  EXPECT_FALSE(has(page, "second")) << page;
}

TEST(Suspended, AJobNamesAtMostAFewJobsAndNodes) {
  EXPECT_TRUE(has(page_of("node n1 cpus=8\nruns 1 on n1:8 suspends still\nruns 2 on n1:1 tier=2\n"
                          "runs 3 on n1:1 tier=2\nruns 4 on n1:1 tier=2\nruns 5 on n1:1 tier=2",
                          1),
                  "held by job 2 (1 CPU), job 3 (1 CPU), job 4 (1 CPU), job 5 (1 CPU)\n"));
  EXPECT_TRUE(has(page_of("node n1 cpus=8\nruns 1 on n1:8 suspends still\nruns 2 on n1:1 tier=2\n"
                          "runs 3 on n1:1 tier=2\nruns 4 on n1:1 tier=2\nruns 5 on n1:1 tier=2\n"
                          "runs 6 on n1:1 tier=2",
                          1),
                  "- node n1: 3 of its 8 CPUs free; held by job 2 (1 CPU), job 3 (1 CPU), job 4 (1 "
                  "CPU), job 5 (1 CPU), ...\n"));
  EXPECT_FALSE(has(without_cpus_on(8), "and more nodes"));
  const std::string many = without_cpus_on(9);
  EXPECT_TRUE(has(many, "- node n8: 7 of its 8 CPUs free; held by job 2 (1 CPU)\n")) << many;
  EXPECT_TRUE(many.ends_with("\n- and more nodes\n")) << many;
}

TEST(Suspended, OnlyTheFirstJobsAndTheNamedJobAreExplainedInFull) {
  const SchedulerInput world = world_from(
      "node n1,n2,n3\nruns 1 on n1:4 suspends still\nruns 2 on n2:4 suspends still\n"
      "runs 3 on n3:4 suspends still\nruns 4 on n1:4 n2:4 n3:4 tier=2");
  const ExplainDepth depth{true, 10, JobId{3}, 1, 0, 10, {}, {}};
  EXPECT_TRUE(has(page_of(world, 1, depth), "- node n1")) << "the first job is explained";
  EXPECT_FALSE(has(page_of(world, 2, depth), "- node n2"));
  EXPECT_TRUE(has(page_of(world, 3, depth), "- node n3")) << "the named job is explained";
}

}  // namespace cox::schedule
