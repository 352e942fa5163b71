// Tests --json of scontrol, sshare, sdiag and sacctmgr, in the shape of Slurm's data parser; and
// how scontrol shows switches, updates all nodes and shows its configuration.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "client/slurm/control/scontrol.h"
#include "client/slurm/list/sdiag.h"
#include "client/slurm/records/sacctmgr.h"
#include "client/slurm/records/sshare.h"

namespace cox {
namespace {

using Json = nlohmann::json;

ControlContext a_scene() {
  ControlContext context;
  context.json = true;
  context.hosts = {"head"};
  context.as.screen.now = wall_from_ms(1'700'000'000'000);
  context.here = {context.as.screen.now, {}};
  return context;
}

ClusterView a_cluster() {
  ClusterView view;
  view.name = "lake";
  return view;
}

Json shown(const std::vector<std::string>& words, std::vector<Answer> answers) {
  const ControlPlan plan = plan_control(words, a_scene());
  // In JSON, scontrol also asks for the cluster's name.
  EXPECT_EQ(plan.questions.size(), answers.size() + 1);
  answers.push_back(a_cluster());
  const Shown text = plan.show(answers);
  EXPECT_EQ(text.exit_code, 0) << text.err;
  const Json json = Json::parse(text.out, nullptr, false);
  EXPECT_EQ(json["meta"]["slurm"]["cluster"], "lake");
  EXPECT_EQ(json["meta"]["plugin"]["data_parser"], "data_parser/v0.0.40");
  EXPECT_TRUE(json["errors"].empty());
  return json;
}

NodeList two_nodes() {
  NodeList list;
  for (const char* name : {"n1", "n2"}) {
    NodeView& view = list.nodes.emplace_back();
    view.node.name = name;
    view.node.responding = true;
    view.node.total.cpus = 4;
    view.node.total.memory_mb = 2048;
    view.partitions = {"main"};
  }
  list.nodes[1].cpus_used = 4;
  list.nodes[1].jobs = {JobId{17}};
  list.partitions.emplace_back().name = "main";
  return list;
}

TEST(ControlJson, ShowsJobsAndTheNamedTasks) {
  JobList list;
  JobView& view = list.jobs.emplace_back();
  view.job.id = view.job.array_job = JobId{17};
  view.job.array_tasks = *parse_array_tasks("2-5");
  const Json all = shown({"show", "job"}, {list, PriorityList{}});
  EXPECT_EQ(all["jobs"].size(), 1U);
  EXPECT_EQ(all["jobs"][0]["job_id"], 17);
  EXPECT_EQ(all["jobs"][0]["array_task_string"], "2-5");
  const Json one = shown({"show", "job", "17_3"}, {list, PriorityList{}});
  EXPECT_EQ(one["jobs"][0]["array_task_id"]["number"], 3);
}

TEST(ControlJson, ShowsWhichControllersReply) {
  ControlContext context = a_scene();
  context.hosts = {"head", "spare"};
  const ControlPlan plan = plan_control({"ping"}, context);
  const Json all = Json::parse(plan.show_pings({{false, ""}, {true, "lab"}}).out);
  ASSERT_EQ(all["pings"].size(), 2U);
  EXPECT_EQ(all["pings"][0]["pinged"], "DOWN");
  EXPECT_EQ(all["pings"][0]["mode"], "primary");
  EXPECT_EQ(all["pings"][0]["hostname"], "head");
  EXPECT_EQ(all["pings"][1]["pinged"], "UP");
  EXPECT_EQ(all["pings"][1]["mode"], "backup1");
  EXPECT_EQ(all["meta"]["slurm"]["cluster"], "lab");
}

TEST(ControlJson, ShowsNodesAndPartitions) {
  NodeList list = two_nodes();
  list.nodes[1].load = NodeLoad{150, 2'048};
  const Json nodes = shown({"show", "nodes"}, {list});
  ASSERT_EQ(nodes["nodes"].size(), 2U);
  EXPECT_EQ(nodes["nodes"][0]["name"], "n1");
  EXPECT_EQ(nodes["nodes"][0]["state"], Json::array({"IDLE"}));
  EXPECT_EQ(nodes["nodes"][1]["state"], Json::array({"ALLOCATED"}));
  EXPECT_EQ(nodes["nodes"][1]["alloc_idle_cpus"], 0);
  EXPECT_EQ(nodes["nodes"][0]["free_mem"]["set"], false);
  EXPECT_EQ(nodes["nodes"][1]["free_mem"]["number"], 2'048);
  EXPECT_EQ(nodes["nodes"][1]["cpu_load"], 150) << "in hundredths, as in Slurm";
  EXPECT_EQ(shown({"show", "node", "n[2]"}, {two_nodes()})["nodes"].size(), 1U);
  const Json main = shown({"show", "part"}, {two_nodes()})["partitions"][0];
  EXPECT_EQ(main["nodes"]["configured"], "n[1-2]");
  EXPECT_EQ(main["cpus"]["total"], 8);
  EXPECT_EQ(main["maximums"]["time"]["infinite"], true);
}

TEST(ControlJson, ShowsReservations) {
  ReservationList list;
  AdvanceReservation& one = list.reservations.emplace_back().reservation;
  one.name = "maint";
  one.nodes = {"n1", "n2"};
  one.maint = true;
  one.recurrence = Recurrence::Daily;
  const Json json = shown({"show", "res"}, {list, two_nodes()})["reservations"][0];
  EXPECT_EQ(json["node_list"], "n[1-2]");
  EXPECT_EQ(json["core_count"], 8);
  EXPECT_EQ(json["flags"], Json::array({"MAINT", "DAILY"}));
}

TEST(ControlJson, RefusesUnknownNodesAsTheTextOutputDoesAndTopologyAlways) {
  const ControlPlan plan = plan_control({"show", "node", "n9"}, a_scene());
  EXPECT_EQ(plan.show({two_nodes(), a_cluster()}).out, "Node n9 not found\n");
  EXPECT_EQ(plan_control({"show", "topology"}, a_scene()).show({}).err,
            "scontrol: error: there is no JSON of topology\n");
}

TEST(ControlJson, ShowsLicencesStepsAndTheConfiguration) {
  LicenceList licences;
  licences.licences = {{"matlab", 4, 1, {JobId{7}}, {}}, {"ansys", 2, 0, {}, {}}};
  const Json all = shown({"show", "lic"}, {licences})["licenses"];
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0]["LicenseName"], "matlab");
  EXPECT_EQ(all[0]["Free"], 3);
  EXPECT_EQ(shown({"show", "lic", "ansys"}, {licences})["licenses"].size(), 1U);
  JobList running;
  JobView& job = running.jobs.emplace_back();
  job.job.id = JobId{17};
  job.job.state = JobState::Running;
  job.job.spec.change().form = JobForm::Batch;
  job.nodes = {"n1"};
  StepList list;
  StepView& step = list.steps.emplace_back();
  step.step.key = {{JobId{17}, AttemptNumber{1}}, 0};
  step.step.state = JobState::Running;
  step.step.tasks = 2;
  step.step.spec.name = "train";
  const Json steps = shown({"show", "steps"}, {running, list})["steps"];
  ASSERT_EQ(steps.size(), 2U);
  EXPECT_EQ(steps[0]["step"]["id"], "17.batch");
  EXPECT_EQ(steps[1]["step"]["id"], "17.0");
  EXPECT_EQ(steps[1]["step"]["name"], "train");
  EXPECT_EQ(steps[1]["tasks"]["count"], 2);
  Configuration config;
  config.settings = {{"ClusterName", "lake"}};
  const Json values = shown({"show", "config"}, {config})["config"];
  EXPECT_EQ(values["ClusterName"], "lake");
  EXPECT_EQ(values["SlurmctldHost[0]"], "head");
}

TEST(ControlJson, ShowsSharesAccountsAndStatistics) {
  AssociationList list;
  list.cluster = "lake";
  Association& root = list.associations.emplace_back().association;
  root.id = AssociationId{1};
  root.account = "root";
  Association& ada = list.associations.emplace_back().association;
  ada.id = AssociationId{2};
  ada.account = "root";
  ada.user_name = "ada";
  ada.is_default = true;
  SshareOptions options;
  options.json = options.all_users = true;
  const Json shares = Json::parse(show_sshare(list, options, {}).out)["shares"];
  ASSERT_EQ(shares["shares"].size(), 2U);
  EXPECT_EQ(shares["shares"][1]["name"], "ada");
  EXPECT_EQ(shares["shares"][1]["type"], Json::array({"USER"}));
  EXPECT_EQ(shares["total_shares"], 2);
  SacctmgrOptions show;
  show.json = true;
  show.words = {"show", "users"};
  const Json users = Json::parse(show_sacctmgr(list, show, {}).out)["users"];
  EXPECT_EQ(users[0]["default"]["account"], "root");
  show.words = {"list", "assoc"};
  EXPECT_EQ(Json::parse(show_sacctmgr(list, show, {}).out)["associations"].size(), 2U);
  Statistics statistics;
  statistics.values = {{"Jobs submitted", "7"}};
  EXPECT_EQ(Json::parse(show_sdiag(statistics, options, {}).out)["statistics"]["jobs_submitted"],
            7);
}

TEST(ControlConfig, NamesTheConfigurationFileAndTheDaemons) {
  ControlContext context = a_scene();
  context.json = false;
  context.config_file = "/etc/coxswain/coxswain.toml";
  const std::string text = plan_control({"show", "config"}, context).show({Configuration{}}).out;
  EXPECT_NE(text.find("\nSLURM_CONF              = /etc/coxswain/coxswain.toml\n"),
            std::string::npos);
  EXPECT_EQ(plan_control({"show", "daemons"}, context).show({}).out, "slurmctld slurmd\n");
}

TEST(ControlNodes, AreAllUpdatedIfTheNodeNameIsAll) {
  const ControlPlan listed = plan_control({"update", "nodename=ALL", "state=resume"}, a_scene());
  ASSERT_TRUE(std::holds_alternative<ListNodes>(listed.questions.front()));
  NodeList two;
  for (const std::string name : {"n1", "n2"}) two.nodes.emplace_back().node.name = name;
  const ControlPlan all = listed.then(two);
  EXPECT_EQ(std::get<ActOnNodes>(all.questions.front()).nodes,
            (std::vector<std::string>{"n1", "n2"}));
}

TEST(ControlTopology, HasALineForEachSwitch) {
  ControlContext context = a_scene();
  context.json = false;
  Configuration config;
  const auto printed = [&](const std::vector<std::string>& words) {
    return plan_control(words, context).show({config});
  };
  EXPECT_EQ(printed({"show", "topology"}).err,
            "scontrol: error: No topology information available\n");
  config.switches = {
      {"s1", 0, "n[1-2]", ""}, {"s2", 0, "n[3-4]", ""}, {"top", 1, "n[1-4]", "s[1-2]"}};
  EXPECT_EQ(printed({"show", "topology"}).out,
            "SwitchName=s1 Level=0 LinkSpeed=1 Nodes=n[1-2]\n"
            "SwitchName=s2 Level=0 LinkSpeed=1 Nodes=n[3-4]\n"
            "SwitchName=top Level=1 LinkSpeed=1 Nodes=n[1-4] Switches=s[1-2]\n");
  EXPECT_EQ(printed({"show", "topo", "n3"}).out,
            "SwitchName=s2 Level=0 LinkSpeed=1 Nodes=n[3-4]\n"
            "SwitchName=top Level=1 LinkSpeed=1 Nodes=n[1-4] Switches=s[1-2]\n");
  EXPECT_EQ(printed({"show", "topology", "s9"}).exit_code, 1);
}

}  // namespace
}  // namespace cox
