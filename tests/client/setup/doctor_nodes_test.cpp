// Tests what `cox doctor` finds about the cluster's nodes and partitions.
#include <gtest/gtest.h>

#include "client/setup/doctor.h"

namespace cox {
namespace {

NodeView doctored_node(const std::string& name, DrainedBy by, const std::string& reason) {
  NodeView view;
  view.node.name = name;
  view.node.responding = true;
  view.node.drained = by != DrainedBy::Nobody;
  view.node.drained_by = by;
  view.node.reason = reason;
  view.partitions = {"main"};
  return view;
}

HostFacts host_with(std::vector<NodeView> nodes) {
  HostFacts facts;
  facts.controller.emplace();
  facts.controller->answers = true;
  facts.controller->view.database = "ready";
  facts.controller->view.nodes = facts.controller->view.nodes_responding = std::ssize(nodes);
  facts.controller->nodes = std::move(nodes);
  return facts;
}

std::vector<std::string> node_findings(const HostFacts& facts) {
  std::vector<std::string> said;
  for (const Finding& finding : findings_of(facts))
    if (finding.health != Health::Ok)
      said.push_back(std::string(name(finding.health)) + " " + finding.check + ": " + finding.fact +
                     " -> " + finding.hint);
  return said;
}

using NodeFindings = std::vector<std::string>;

TEST(DoctorNodes, NodesThatTheSystemHasDrainedAreAProblem) {
  const std::string folder = "its spool folder /s cannot be examined";
  const HostFacts facts =
      host_with({doctored_node("n1", DrainedBy::HealthCheck, folder),
                 doctored_node("n2", DrainedBy::Nobody, ""),
                 doctored_node("n3", DrainedBy::HealthCheck, folder),
                 doctored_node("n4", DrainedBy::Failures, "4 failures lately"),
                 doctored_node("n5", DrainedBy::KillTask, "Kill task failed"),
                 doctored_node("n6", DrainedBy::PrologEpilog, "Prolog error: no disk")});
  EXPECT_EQ(node_findings(facts),
            (NodeFindings{
                "problem nodes: n[1,3] are drained for a fault of their own: " + folder +
                    " -> correct what the reason names; the worker then resumes the node by "
                    "itself",
                "problem nodes: n4 is drained for a fault of its own: 4 failures lately -> find "
                "the cause in the log of cox-worker there, then 'cox resume n4'",
                "problem nodes: n5 is drained for a fault of its own: Kill task failed -> end "
                "the processes that are left there, or restart the host, then 'cox resume n5'",
                "problem nodes: n6 is drained for a fault of its own: Prolog error: no disk -> "
                "correct the program that the reason names, then 'cox resume n6'"}));
  EXPECT_EQ(show_findings(findings_of(facts), {}).exit_code, exit_refused);
}

TEST(DoctorNodes, ADrainByAPersonIsNoTrouble) {
  const HostFacts facts = host_with({doctored_node("n1", DrainedBy::Person, "new disk")});
  EXPECT_EQ(node_findings(facts), NodeFindings{});
  EXPECT_EQ(show_findings(findings_of(facts), {}).exit_code, exit_ok);
}

TEST(DoctorNodes, NodesWithoutAPartitionAreNamed) {
  HostFacts facts = host_with({doctored_node("n1", DrainedBy::Nobody, ""),
                               doctored_node("n2", {}, ""), doctored_node("n3", {}, "")});
  facts.controller->nodes[1].partitions.clear();
  facts.controller->nodes[2].partitions.clear();
  EXPECT_EQ(node_findings(facts),
            NodeFindings{"warning partitions: no partition has n[2-3], so no job can run there "
                         "-> add them to the nodes of a [[partition]], then run 'scontrol "
                         "reconfigure'"});
}

JobView job_pending_in(std::int64_t id, const std::string& partition) {
  JobView view;
  view.job.id = JobId{id};
  view.job.state = JobState::Pending;
  view.partition = partition;
  return view;
}

TEST(DoctorNodes, PartitionsThatJobsWaitForAndThatAreGoneAreNamed) {
  HostFacts facts = host_with({doctored_node("n1", DrainedBy::Nobody, "")});
  std::vector<PartitionView> partitions(1);
  partitions[0].name = "p";
  JobView runs = job_pending_in(8, "main");
  runs.job.state = JobState::Running;
  facts.controller->partitions_gone =
      partitions_gone({job_pending_in(5, "main"), job_pending_in(6, "main,p"),
                       job_pending_in(7, "main"), runs, job_pending_in(9, "q")},
                      partitions);
  EXPECT_EQ(
      node_findings(facts),
      (NodeFindings{"problem partitions: partition main is no longer configured, and job 5 and 1 "
                    "more wait for it -> configure it again, or move the jobs: 'cox update 5 "
                    "Partition=NAME'",
                    "problem partitions: partition q is no longer configured, and job 9 waits for "
                    "it -> configure it again, or move the jobs: 'cox update 9 Partition=NAME'"}));
}

}  // namespace
}  // namespace cox
