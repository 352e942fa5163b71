// Tests whole replies of the controller about nodes, partitions and the cluster. All numbers in
// them differ, so a swapped field is found.
#include <gtest/gtest.h>

#include <sstream>

#include "common/base/limits.h"
#include "common/base/moment_text.h"
#include "common/syntax/week_hours.h"
#include "tests/controller/bench.h"

namespace cox {
namespace {

class NodeAnswers : public testing::Test, public Bench {
 protected:
  NodeList list() { return std::get<NodeList>(ask(ListNodes{}).body); }
  // Returns what jobs hold on the node, as "NODE: CPUS, MEMORY, GPUs of JOBS in PARTITIONS", such
  // as "n1: 4 CPUs, 200 MB, 1 GPUs of 1 2 in main" for jobs 1 and 2.
  std::string used_on(const std::string& name) {
    for (const NodeView& view : list().nodes) {
      if (view.node.name != name) continue;
      std::ostringstream text;
      text << name << ": " << view.cpus_used << " CPUs, " << view.memory_mb_used << " MB, "
           << view.gpus_used << " GPUs of";
      for (const JobId id : view.jobs) text << " " << id.value;
      text << " in";
      for (const std::string& partition : view.partitions) text << " " << partition;
      return text.str();
    }
    return "none";
  }
  std::string made(const std::string& reservation, std::vector<std::string> settings) {
    const Reply reply =
        ask(ActOnReservation{ReservationVerb::Create, reservation, std::move(settings)});
    return refusal_of(reply);
  }
};

// Encodes the partitions as a message, so that a comparison covers all their fields.
std::string as_sent(std::vector<PartitionView> partitions) {
  NodeList list;
  list.partitions = std::move(partitions);
  return encode(Message{Reply{1, std::move(list)}});
}

PartitionConfig with_all_settings() {
  PartitionConfig p;
  p.name = "night";
  p.time_limit_max_s = 1;
  p.time_limit_default_s = 2;
  p.memory_mb_per_cpu_default = 3;
  p.priority = 4;
  p.priority_tier = 5;
  p.min_nodes = 6;
  p.max_nodes = 7;
  p.max_memory_mb_per_node = 8;
  p.allow_accounts = {"a"};
  p.deny_accounts = {"b"};
  p.allow_qos = {"c"};
  p.deny_qos = {"d"};
  p.allow_groups = {{"e", 50, {}}, {"f", 51, {"ada"}}};
  p.qos = "g";
  p.preempt_mode = PreemptMode::Cancel;
  p.exclusive = true;
  p.hours = "nights";
  return p;
}

TEST_F(NodeAnswers, APartitionIsShownWithAllItsSettingsAndTheDefaultOneFirst) {
  config.partitions = {with_all_settings(), {"main", {}, true, 0, 0, 0}};
  config.hours["nights"] = *parse_week_hours("Mon-Fri 18:00-08:00");
  now.wall = *parse_moment("2026-11-24T12:00:00Z");
  restart();
  ask(UpdatePartitions{{"night"}, {{"State", "DRAIN"}, {"Reason", "bad switch"}}});
  PartitionView main, night;
  main.name = "main";
  main.is_default = true;
  night.name = "night";
  night.state = PartitionState::Drain;
  night.reason = "bad switch";
  night.changed = now.wall;
  night.time_limit_max_s = 1;
  night.time_limit_default_s = 2;
  night.memory_mb_per_cpu_default = 3;
  night.priority = 4;
  night.priority_tier = 5;
  night.min_nodes = 6;
  night.max_nodes = 7;
  night.max_memory_mb_per_node = 8;
  night.allow_accounts = {"a"};
  night.deny_accounts = {"b"};
  night.allow_qos = {"c"};
  night.deny_qos = {"d"};
  night.allow_groups = {"e", "f"};
  night.qos = "g";
  night.preempt_mode = PreemptMode::Cancel;
  night.exclusive = true;
  night.hours = "nights: Mon-Fri 18:00-08:00";
  night.closed = true;
  night.turns = *parse_moment("2026-11-24T18:00:00Z");
  EXPECT_EQ(as_sent(list().partitions), as_sent({main, night}));
}

TEST_F(NodeAnswers, ANodeShowsWhatItsJobsHoldThere) {
  config.partitions.push_back({"fast", {"n2"}, false, 0, 0, 0});
  restart();
  node("n1", 4, {}, {}, 1);
  node("n2", 4);
  const JobId gang = submit({.nodes = 2, .tasks = 4, .with = [](JobSpec& s) {
                               s.tasks_per_node = 2;
                               s.memory_mb_per_node = 100;
                             }});
  const Ask half_a_gpu{.with = [](JobSpec& s) {
    s.gpus_per_node = 1;
    s.gpu_milli = 500;
    s.memory_mb_per_node = 50;
  }};
  for (const JobId id : {gang, submit(half_a_gpu), submit(half_a_gpu)}) ready(id);
  EXPECT_EQ(used_on("n1"), "n1: 4 CPUs, 200 MB, 1 GPUs of 1 2 3 in main") << "they share the GPU";
  EXPECT_EQ(used_on("n2"), "n2: 2 CPUs, 100 MB, 0 GPUs of 1 in main fast");
  EXPECT_EQ(list().nodes.at(0).job_names, (std::vector<std::string>{"1", "2", "3"}));
  ask(ActOnJobs{JobVerb::Suspend, {gang}});
  for (const char* name : {"n1", "n2"}) {
    AttemptStatus still = status_of(gang, NodePhase::Running);
    still.suspension = attempt(gang).suspension;
    status(name, still);
  }
  EXPECT_EQ(used_on("n1"), "n1: 2 CPUs, 200 MB, 1 GPUs of 1 2 3 in main");
  EXPECT_EQ(used_on("n2"), "n2: 0 CPUs, 100 MB, 0 GPUs of 1 in main fast");
}

TEST_F(NodeAnswers, ANodeShowsTheLoadOfItsNewestHeartbeatWhileItResponds) {
  node("n1", 4);
  const auto beat_with = [&](std::optional<NodeLoad> load) {
    deliver("n1", Heartbeat{"n1", session["n1"], ++numbers["n1"], {}, {}, -1, load});
  };
  const auto shown = [&] { return list().nodes.at(0).load; };
  EXPECT_EQ(shown(), std::nullopt);
  beat_with(NodeLoad{150, 2'048});
  const Wall reported = now.wall;
  pass(Milliseconds{1'000});
  EXPECT_EQ(shown(), (NodeLoad{150, 2'048}));
  EXPECT_EQ(list().nodes.at(0).load_at, reported);
  const std::int64_t changes = controller->cluster().changes_applied();
  beat_with(NodeLoad{-1, limits::memory_mb_per_node_max + 1});
  EXPECT_EQ(shown(), (NodeLoad{0, limits::memory_mb_per_node_max}))
      << "impossible values are bounded";
  EXPECT_EQ(controller->cluster().changes_applied(), changes)
      << "the load is not part of the state";
  beat_with(std::nullopt);
  EXPECT_EQ(shown(), std::nullopt) << "a worker of the previous version reports none";
  beat_with(NodeLoad{25, 1'024});
  pass(config.node_timeout + Milliseconds{1'000});
  EXPECT_EQ(shown(), std::nullopt) << "it is silent";
}

TEST_F(NodeAnswers, ResourcesThatAnEndingJobHasFreedAreNotShown) {
  node("n1", 2);
  node("n2", 2);
  const JobId gang = submit({.nodes = 2, .tasks = 4});
  ready(gang);
  ask(ActOnJobs{JobVerb::Cancel, {gang}});
  status("n1", status_of(gang, NodePhase::Gone));
  EXPECT_EQ(used_on("n1"), "n1: 0 CPUs, 0 MB, 0 GPUs of in main");
  EXPECT_EQ(used_on("n2"), "n2: 2 CPUs, 0 MB, 0 GPUs of 1 in main");
}

TEST_F(NodeAnswers, ANodeShowsItsSilenceAndItsReservations) {
  node("n1", 2);
  node("n2", 2);
  EXPECT_EQ(made("a", {"Nodes=n2", "Flags=MAINT", "Duration=60", "Users=ada"}), "");
  EXPECT_EQ(made("b", {"Nodes=n1,n2", "Flags=OVERLAP", "Duration=60", "Users=ada"}), "");
  pass_with_beats(Milliseconds{3'000}, {"n2"});
  const NodeList nodes = list();
  EXPECT_EQ(nodes.nodes.at(0).silent_ms, 3'000);
  EXPECT_EQ(nodes.nodes.at(1).silent_ms, 1'000);
  EXPECT_EQ(nodes.nodes.at(0).reservations, std::vector<std::string>{"b"});
  EXPECT_FALSE(nodes.nodes.at(0).maint);
  EXPECT_EQ(nodes.nodes.at(1).reservations, (std::vector<std::string>{"a", "b"}));
  EXPECT_TRUE(nodes.nodes.at(1).maint);
  EXPECT_EQ(nodes.nodes.at(0).failure_score, 0);
  restart();
  EXPECT_EQ(list().nodes.at(0).silent_ms, -1) << "this controller has not heard it";
}

TEST_F(NodeAnswers, ANodeShowsTheUseOfEachTypeOfAGres) {
  node("n1", 4, {}, {{"fpga", "u280", 2}, {"fpga", "u55", 2}});
  for (const char* gres : {"fpga:u280:1", "fpga:u55:1", "fpga:u280:1"})
    ready(submit({.gres = gres}));
  EXPECT_EQ(list().nodes.at(0).gres_used,
            (std::vector<GresCount>{{"fpga", "u280", 2}, {"fpga", "u55", 1}}));
}

TEST_F(NodeAnswers, ALicenceThatIsNoLongerConfiguredIsNotShown) {
  config.scheduling.licences = {{"matlab", 3}, {"ansys", 1}};
  restart();
  node("n1", 4);
  ready(submit({.licences = "matlab:2"}));
  ready(submit({.licences = "ansys"}));
  config.scheduling.licences = {{"ansys", 1}};
  restart();
  const auto licences = std::get<LicenceList>(ask(ListLicences{}).body).licences;
  ASSERT_EQ(licences.size(), 1U);
  EXPECT_EQ(licences[0].name, "ansys");
  EXPECT_EQ(licences[0].used, 1);
  EXPECT_EQ(licences[0].jobs, std::vector{JobId{2}});
  EXPECT_EQ(licences[0].job_names, std::vector<std::string>{"2"});
}

TEST_F(NodeAnswers, TheClusterIsShownWithItsNodesJobsAndQos) {
  for (const char* name : {"n1", "n2", "n3"}) node(name, 2);
  ready(submit({}));
  submit({.with = [](JobSpec& s) { s.hold = true; }});
  submit({.with = [](JobSpec& s) { s.array = "0-9", s.hold = true; }});
  pass_with_beats(config.node_timeout + Milliseconds{1'000}, {"n1", "n2"});
  const auto view = std::get<ClusterView>(ask(ShowCluster{}).body);
  EXPECT_EQ(view.name, "coxswain");
  EXPECT_NE(view.version, "");
  EXPECT_EQ(view.term, controller->cluster().term());
  EXPECT_EQ(view.nodes, 3);
  EXPECT_EQ(view.nodes_responding, 2);
  EXPECT_EQ(view.jobs_live, 1);
  EXPECT_EQ(view.jobs_pending, 11);
  EXPECT_EQ(view.database, "ready");
  EXPECT_EQ(view.now, now.wall);
  EXPECT_EQ(view.billing_weights, "cpu=1,gres/gpu=10");
  EXPECT_EQ(view.qos, (std::vector<std::string>{"besteffort", "critical", "standard"}));
  std::string tiers;
  for (const Qos& qos : view.tiers) tiers += qos.name + " " + std::to_string(qos.tier) + " ";
  EXPECT_EQ(tiers, "critical 3 standard 2 besteffort 1 ");
  restart();
  EXPECT_EQ(std::get<ClusterView>(ask(ShowCluster{}).body).nodes_responding, 0)
      << "no node has reported to this controller yet";
}

}  // namespace
}  // namespace cox
