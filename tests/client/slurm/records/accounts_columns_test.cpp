// Tests all columns of associations and QOS in sacctmgr show, and their JSON. Also tests scontrol's
// JSON of nodes, partitions, reservations and steps.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "client/slurm/control/scontrol.h"
#include "client/slurm/records/sacctmgr.h"
#include "client/slurm/records/sacctmgr_columns.h"

namespace cox {
namespace {

TresList a_limit_of(std::int64_t cpus) {
  return {{Tres::Cpus, "", "", cpus}, {Tres::GpuMilli, "", "h100", 1500}};
}

// A user of "lattice", whose account has all limits.
AssociationList a_list_with_limits() {
  AssociationList list;
  list.cluster = "lake";
  const auto add = [&](const char* account, const char* user, const char* parent) -> Association& {
    Association& one = list.associations.emplace_back().association;
    one.id = AssociationId{10 + std::ssize(list.associations)};
    one.account = account;
    one.user_name = user;
    one.parent = parent;
    return one;
  };
  add("root", "", "");
  Association& lattice = add("lattice", "", "root");
  lattice.shares = 30;
  lattice.qos = {"high", "low"};
  lattice.default_qos = "low";
  lattice.description = "of spins";
  lattice.organization = "physics dept";
  lattice.coordinators = {"eve", "ada"};
  AssociationLimits& limits = lattice.limits;
  limits.grp_tres = a_limit_of(1);
  limits.grp_jobs = 2;
  limits.grp_submit_jobs = 3;
  limits.grp_tres_mins = a_limit_of(4);
  limits.grp_wall_s = 300;
  limits.max_tres_per_job = a_limit_of(6);
  limits.max_tres_mins_per_job = a_limit_of(7);
  limits.max_jobs = 0;
  limits.max_submit_jobs = 9;
  limits.max_wall_s = 0;
  limits.guarantee = a_limit_of(11);
  limits.deserved = a_limit_of(12);
  Association& ada = add("lattice", "ada", "");
  ada.is_default = true;
  ada.partition = "main";
  ada.shares_of_parent = true;
  add("lattice", "bob", "");
  return list;
}

ClusterView a_cluster_of_tiers() {
  ClusterView cluster;
  cluster.name = "lake";
  Qos& high = cluster.tiers.emplace_back();
  high.name = "high";
  high.tier = 7;
  high.preempt_mode = PreemptMode::Requeue;
  high.grace_ms = 90'000;
  high.preempt_exempt_time_s = 600;
  high.limits.grp_tres = a_limit_of(1);
  high.limits.grp_jobs = 2;
  high.limits.grp_submit_jobs = 3;
  high.limits.max_tres_per_user = a_limit_of(4);
  high.limits.max_jobs_per_user = 5;
  high.limits.max_submit_jobs_per_user = 6;
  high.limits.max_tres_per_job = a_limit_of(7);
  high.limits.min_tres_per_job = a_limit_of(8);
  high.limits.max_wall_s = 540;
  high.limits.grp_tres_mins = a_limit_of(10);
  high.limits.grp_wall_s = 660;
  high.limits.kept_tres = a_limit_of(12);
  cluster.tiers.emplace_back().name = "low";
  return cluster;
}

Shown listed(const Answer& answer, std::vector<std::string> words, bool parsable = true) {
  SacctmgrOptions options;
  options.words = std::move(words);
  options.words.insert(options.words.begin(), "show");
  options.parsable2 = options.no_header = parsable;
  return show_sacctmgr(answer, options, {});
}

constexpr const char* columns_of_all =
    "format=Cluster,Account,User,Partition,ParentName,Share,Fairshare,DefaultAccount,"
    "Coordinators,AdminLevel,Description,Organization,Name,Type,Priority,GraceTime,PreemptMode,"
    "PreemptExemptTime,GrpJobs,GrpTRES,Guarantee,Deserved,KeptTRES,GrpSubmit,GrpWall,"
    "GrpTRESMins,MaxJobs,MaxTRES,MaxSubmit,MaxWall,MaxTRESMins,MaxTRESPU,MaxJobsPU,MaxSubmitPU,"
    "MinTRES,QOS,DefaultQOS,ID";

TEST(SacctmgrColumns, ShowAllFieldsOfAssociationsAndQos) {
  EXPECT_EQ(listed(a_list_with_limits(), {"assoc", "where", "account=lattice", columns_of_all}).out,
            "lake|lattice|||root|30|30||eve,ada|None|of spins|physics dept|lattice||||||2|cpu=1,"
            "gres/gpu:h100=1.5|cpu=11,gres/gpu:h100=1.5|cpu=12,gres/gpu:h100=1.5||3|00:05:00|"
            "cpu=4,gres/gpu:h100=1.5|0|cpu=6,gres/gpu:h100=1.5|9|00:00:00|cpu=7,"
            "gres/gpu:h100=1.5|||||high,low|low|12\n"
            "lake|lattice|ada|main||parent|parent|lattice|lattice|None|||lattice|||||||||||||||||"
            "||||||||13\n"
            "lake|lattice|bob|||1|1|||None|||lattice|||||||||||||||||||||||||14\n");
  EXPECT_EQ(listed(a_cluster_of_tiers(), {"qos", columns_of_all}).out,
            "lake|||||||||None|||high||7|00:01:30|requeue|00:10:00|2|cpu=1,gres/gpu:h100=1.5|||"
            "cpu=12,gres/gpu:h100=1.5|3|00:11:00|cpu=10,gres/gpu:h100=1.5||cpu=7,"
            "gres/gpu:h100=1.5||00:09:00||cpu=4,gres/gpu:h100=1.5|5|6|cpu=8,gres/gpu:h100=1.5|||"
            "\n"
            "lake|||||||||None|||low||0|00:01:00|checkpoint|||||||||||||||||||||\n");
  EXPECT_EQ(listed(a_cluster_of_tiers(), {"tres", "cpu", columns_of_all}).out,
            "lake|||||||||None||||cpu||||||||||||||||||||||||1\n");
}

TEST(SacctmgrColumns, HaveTheirDefaultOrderUnlessAFormatIsGiven) {
  const auto head = [](const Answer& answer, std::vector<std::string> words) {
    const std::string out = listed(answer, std::move(words), false).out;
    return out.substr(0, out.find('\n'));
  };
  EXPECT_EQ(head(a_list_with_limits(), {"assoc"}),
            "   Cluster    Account       User  Partition     Share GrpJobs       GrpTRES "
            "GrpSubmit     GrpWall   GrpTRESMins MaxJobs       MaxTRES MaxSubmit     MaxWall   "
            "MaxTRESMins                  QOS   Def QOS ");
  EXPECT_EQ(head(a_list_with_limits(), {"account", "withassoc"}),
            head(a_list_with_limits(), {"assoc"}));
  EXPECT_EQ(head(a_list_with_limits(), {"user", "withassocs"}),
            head(a_list_with_limits(), {"assoc"}));
  EXPECT_EQ(head(a_cluster_of_tiers(), {"qos"}),
            "      Name   Priority  GraceTime PreemptMode   PreemptExemptTime       GrpTRES   "
            "GrpTRESMins GrpJobs GrpSubmit     GrpWall       MaxTRES     MaxWall     MaxTRESPU "
            "MaxJobsPU MaxSubmitPU       MinTRES ");
  EXPECT_EQ(listed(a_list_with_limits(), {"cluster"}, false).out,
            "   Cluster     Share GrpJobs       GrpTRES GrpSubmit MaxJobs       MaxTRES "
            "MaxSubmit     MaxWall                  QOS   Def QOS \n"
            "---------- --------- ------- ------------- --------- ------- ------------- "
            "--------- ----------- -------------------- --------- \n"
            "      lake         1                                                                "
            "                                            \n");
  EXPECT_EQ(listed(a_list_with_limits(), {"account", "withcoord"}, false).out,
            "   Account                Descr                  Org       Coord Accounts \n"
            "---------- -------------------- -------------------- -------------------- \n"
            "      root                                                                \n"
            "   lattice             of spins         physics dept              eve,ada \n");
  EXPECT_EQ(listed(a_list_with_limits(), {"user", "withcoordinator"}, false).out,
            "      User   Def Acct     Admin       Coord Accounts \n"
            "---------- ---------- --------- -------------------- \n"
            "       ada    lattice      None              lattice \n"
            "       bob                 None                      \n");
  EXPECT_EQ(listed(a_list_with_limits(), {"assoc", "tree", "format=account,user%4"}, false).out,
            "Account              User \n"
            "-------------------- ---- \n"
            "root                      \n"
            " lattice                  \n"
            "  lattice             ada \n"
            "  lattice             bob \n");
}

TEST(SacctmgrColumns, MayBeNamedByAbbreviations) {
  const auto shown = [](const std::string& format) {
    const Shown all = listed(a_list_with_limits(), {"account", "lattice", "format=" + format});
    return all.out + all.err;
  };
  EXPECT_EQ(shown("acc,grpj,grps,id"), "lattice|2|3|12\n");
  EXPECT_EQ(shown("qos"), "high,low\n") << "a full name comes before an abbreviation";
  EXPECT_NE(shown("account,,id").find("Unknown field"), std::string::npos);
  EXPECT_NE(shown("account%x").find("has an invalid width"), std::string::npos);
  EXPECT_NE(shown("account%4097").find("has an invalid width"), std::string::npos);
  const auto plain = [](const std::string& format) {
    return listed(a_list_with_limits(), {"account", "lattice", "format=" + format}, false).out;
  };
  EXPECT_EQ(plain("account%7,account%-9,account%6"),
            "Account Account   Accou+ \n------- --------- ------ \nlattice lattice   latti+ \n");
  EXPECT_EQ(plain("account%4096").size(), 3 * 4098u);
}

TEST(SacctmgrColumns, AreSeparatedAsTheOptionsSay) {
  SacctmgrOptions options;
  options.words = {"list", "account", "lattice", "format=account,id"};
  options.parsable = true;
  EXPECT_EQ(show_sacctmgr(a_list_with_limits(), options, {}).out, "Account|ID|\nlattice|12|\n");
  options.parsable2 = true;
  EXPECT_EQ(show_sacctmgr(a_list_with_limits(), options, {}).out, "Account|ID\nlattice|12\n");
  options.no_header = true;
  EXPECT_EQ(show_sacctmgr(a_list_with_limits(), options, {}).out, "lattice|12\n");
}

TEST(SacctmgrRows, AreSelectedByWordsThatMayBeAbbreviated) {
  const auto out = [](const Answer& answer, const std::string& what) {
    return listed(answer, {what, "format=account,name,type"}).out;
  };
  EXPECT_EQ(out(a_list_with_limits(), "a"), out(a_list_with_limits(), "associations"));
  EXPECT_EQ(out(a_list_with_limits(), "acco"), "root|root|\nlattice|lattice|\n");
  EXPECT_EQ(out(a_list_with_limits(), "acct"), "root|root|\nlattice|lattice|\n");
  EXPECT_EQ(out(a_list_with_limits(), "U"), "lattice|lattice|\nlattice|lattice|\n");
  EXPECT_EQ(out(a_cluster_of_tiers(), "qos"), "|high|\n|low|\n");
  for (const char* wrong : {"", "ac t", "tre", "qo", "event"}) {
    const Shown shown = listed(a_list_with_limits(), {wrong});
    EXPECT_EQ(shown.exit_code, exit_refused) << wrong;
    EXPECT_EQ(shown.err.substr(0, 36), " No valid entity in list command\n In") << wrong;
  }
  EXPECT_EQ(listed(Statistics{}, {"user"}).err, " Unexpected message\n");
  const Shown unknown = listed(a_list_with_limits(), {"assoc", "lattice"});
  EXPECT_EQ(unknown.err.substr(0, 28), " Unknown condition: lattice\n");
}

TEST(SacctmgrRows, MatchAllConditions) {
  const auto out = [](std::vector<std::string> words) {
    words.emplace_back("format=account,user");
    return listed(a_list_with_limits(), std::move(words)).out;
  };
  EXPECT_EQ(out({"assoc", "users=ada"}), "lattice|ada\n");
  EXPECT_EQ(out({"assoc", "user=ADA"}), "") << "user names are case-sensitive";
  EXPECT_EQ(out({"assoc", "partitions=main"}), "lattice|ada\n");
  EXPECT_EQ(out({"assoc", "acct=LATTICE", "user=bob,eve"}), "lattice|bob\n");
  EXPECT_EQ(out({"user", "names=bob"}), "lattice|bob\n");
  EXPECT_EQ(out({"user", "bob", "ada"}), "lattice|ada\nlattice|bob\n");
  EXPECT_EQ(out({"account", "name=root,lattice"}), "root|\nlattice|\n");
  EXPECT_EQ(out({"account", "clusters=lake"}), "root|\nlattice|\n");
  EXPECT_EQ(out({"assoc", "qos=low"}), "lattice|\nlattice|ada\nlattice|bob\n");
}

TEST(SacctmgrQuestions, AskTheControllerForWhatIsShownOrChanged) {
  const auto ask = [](std::vector<std::string> words) {
    SacctmgrOptions options;
    options.words = std::move(words);
    return ask_sacctmgr(options);
  };
  for (const char* what : {"qos", "tres"})
    EXPECT_TRUE(std::holds_alternative<ShowCluster>(ask({"show", what}))) << what;
  for (const char* what : {"user", "account", "assoc", "cluster"})
    EXPECT_TRUE(std::holds_alternative<ListAssociations>(ask({"LIST", what}))) << what;
  EXPECT_TRUE(std::holds_alternative<ShowCluster>(ask({"Version"})));
  EXPECT_TRUE(std::holds_alternative<Administer>(ask({"version", "now"})));
  EXPECT_EQ(std::get<Administer>(ask({"add", "user", "ada"})).words,
            (std::vector<std::string>{"add", "user", "ada"}));
  SacctmgrOptions quiet;
  quiet.words = {"add", "user", "ada"};
  Administered done;
  done.lines = {" Adding User(s)", "  ada\x1b"};
  EXPECT_EQ(show_sacctmgr(done, quiet, {}).out, " Adding User(s)\n  ada?\n");
  quiet.quiet = true;
  EXPECT_EQ(show_sacctmgr(done, quiet, {}).out, "");
}

nlohmann::json json_listed(const Answer& answer, std::vector<std::string> words) {
  SacctmgrOptions options;
  options.words = std::move(words);
  options.words.insert(options.words.begin(), "show");
  options.json = true;
  return nlohmann::json::parse(show_sacctmgr(answer, options, {}).out);
}

TEST(SacctmgrJson, ContainsAllLimits) {
  EXPECT_EQ(
      json_listed(a_list_with_limits(), {"assoc", "account=lattice"})["associations"][0].dump(),
      "{\"account\":\"lattice\",\"cluster\":\"lake\",\"comment\":\"\","
      "\"default\":{\"qos\":\"low\"},\"flags\":[],\"id\":12,\"is_default\":false,"
      "\"max\":{\"jobs\":{\"active\":{\"infinite\":false,\"number\":0,\"set\":true},"
      "\"per\":{\"count\":{\"infinite\":false,\"number\":3,\"set\":true},"
      "\"submitted\":{\"infinite\":false,\"number\":9,\"set\":true},"
      "\"wall_clock\":{\"infinite\":false,\"number\":0,\"set\":true}},"
      "\"total\":{\"infinite\":false,\"number\":9,\"set\":true}},"
      "\"per\":{\"account\":{\"wall_clock\":{\"infinite\":false,\"number\":5,\"set\":true}}},"
      "\"tres\":{\"group\":{\"minutes\":[{\"count\":4,\"name\":\"\",\"type\":\"cpu\"},"
      "{\"count\":1,\"name\":\"gpu:h100\",\"type\":\"gres\"}]},"
      "\"minutes\":{\"per\":{\"job\":[{\"count\":7,\"name\":\"\",\"type\":\"cpu\"},{\"count\":1,"
      "\"name\":\"gpu:h100\",\"type\":\"gres\"}]}},\"per\":{\"job\":[{\"count\":6,\"name\":\"\","
      "\"type\":\"cpu\"},{\"count\":1,\"name\":\"gpu:h100\",\"type\":\"gres\"}]},"
      "\"total\":[{\"count\":1,\"name\":\"\",\"type\":\"cpu\"},{\"count\":1,"
      "\"name\":\"gpu:h100\",\"type\":\"gres\"}]}},\"parent_account\":\"root\","
      "\"partition\":\"\",\"priority\":{\"infinite\":false,\"number\":0,\"set\":false},"
      "\"qos\":[\"high\",\"low\"],\"shares_raw\":30,\"user\":\"\"}");
  EXPECT_EQ(
      json_listed(a_list_with_limits(), {"assoc", "user=ada"})["associations"][0]["is_default"],
      true);
  EXPECT_EQ(json_listed(a_cluster_of_tiers(), {"qos"})["qos"][0].dump(),
            "{\"description\":\"high\",\"flags\":[],\"limits\":{\"grace_time\":90,"
            "\"max\":{\"active_jobs\":{\"count\":{\"infinite\":false,\"number\":2,\"set\":true}},"
            "\"jobs\":{\"active_jobs\":{\"per\":{\"user\":{\"infinite\":false,\"number\":5,"
            "\"set\":true}}},\"per\":{\"user\":{\"infinite\":false,\"number\":6,\"set\":true}}},"
            "\"tres\":{\"minutes\":{\"total\":[{\"count\":10,\"name\":\"\",\"type\":\"cpu\"},"
            "{\"count\":1,\"name\":\"gpu:h100\",\"type\":\"gres\"}]},"
            "\"per\":{\"job\":[{\"count\":7,\"name\":\"\",\"type\":\"cpu\"},{\"count\":1,"
            "\"name\":\"gpu:h100\",\"type\":\"gres\"}],\"user\":[{\"count\":4,\"name\":\"\","
            "\"type\":\"cpu\"},{\"count\":1,\"name\":\"gpu:h100\",\"type\":\"gres\"}]},"
            "\"total\":[{\"count\":1,\"name\":\"\",\"type\":\"cpu\"},{\"count\":1,"
            "\"name\":\"gpu:h100\",\"type\":\"gres\"}]},"
            "\"wall_clock\":{\"per\":{\"job\":{\"infinite\":false,\"number\":9,\"set\":true},"
            "\"qos\":{\"infinite\":false,\"number\":11,\"set\":true}}}},"
            "\"min\":{\"tres\":{\"per\":{\"job\":[{\"count\":8,\"name\":\"\",\"type\":\"cpu\"},"
            "{\"count\":1,\"name\":\"gpu:h100\",\"type\":\"gres\"}]}}}},\"name\":\"high\","
            "\"preempt\":{\"exempt_time\":{\"infinite\":false,\"number\":600,\"set\":true},"
            "\"list\":[],\"mode\":[\"requeue\"]},\"priority\":{\"infinite\":false,\"number\":7,"
            "\"set\":true}}");
  EXPECT_EQ(json_listed(a_cluster_of_tiers(), {"qos"})["qos"][1]["preempt"].dump(),
            "{\"exempt_time\":{\"infinite\":false,\"number\":0,\"set\":false},\"list\":[],"
            "\"mode\":[\"checkpoint\"]}");
  EXPECT_EQ(json_listed(a_list_with_limits(), {"account", "lattice"})["accounts"].dump(),
            "[{\"associations\":[{\"account\":\"lattice\",\"cluster\":\"lake\",\"id\":12,"
            "\"partition\":\"\",\"user\":\"\"},{\"account\":\"lattice\",\"cluster\":\"lake\","
            "\"id\":13,\"partition\":\"main\",\"user\":\"ada\"},{\"account\":\"lattice\","
            "\"cluster\":\"lake\",\"id\":14,\"partition\":\"\",\"user\":\"bob\"}],"
            "\"coordinators\":[{\"direct\":true,\"name\":\"eve\"},{\"direct\":true,"
            "\"name\":\"ada\"}],\"description\":\"of spins\",\"flags\":[],\"name\":\"lattice\","
            "\"organization\":\"physics dept\"}]");
  EXPECT_EQ(json_listed(a_list_with_limits(), {"user", "ada"})["users"].dump(),
            "[{\"administrator_level\":[\"None\"],\"associations\":[{\"account\":\"lattice\","
            "\"cluster\":\"lake\",\"id\":13,\"partition\":\"main\",\"user\":\"ada\"}],"
            "\"coordinators\":[{\"direct\":true,\"name\":\"lattice\"}],"
            "\"default\":{\"account\":\"lattice\"},\"flags\":[],\"name\":\"ada\","
            "\"old_name\":\"\",\"wckeys\":[]}]");
}

nlohmann::json json_of_control(const std::vector<std::string>& words, std::vector<Answer> answers) {
  ControlContext context;
  context.json = true;
  context.as.screen.now = wall_from_ms(1'700'000'000'000);
  ClusterView cluster;
  cluster.name = "lake";
  answers.emplace_back(cluster);
  return nlohmann::json::parse(plan_control(words, context).show(answers).out);
}

NodeList nodes_for_json() {
  NodeList list;
  for (const char* name : {"n1", "n2"}) {
    NodeView& view = list.nodes.emplace_back();
    view.node.name = name;
    view.node.responding = true;
    view.node.total = {4, 2048, {{0, "h100", "", 0}}, {{"fpga", "", 2}}};
    view.partitions = {"main"};
  }
  NodeView& view = list.nodes[0];
  view.node.address = "10.0.0.1";
  view.node.version = "1.2";
  view.node.weight = 3;
  view.node.drained = true;
  view.node.reason = "bad disk";
  view.node.reason_by = "controller";
  view.node.changed = wall_from_ms(1'699'999'000'000);
  view.node.features = {"fast"};
  view.reservations = {"class", "exam"};
  view.cpus_used = 1;
  view.memory_mb_used = 100;
  view.gpus_used = 1;
  view.load = NodeLoad{150, 900};
  PartitionView main;
  main.name = "main";
  main.time_limit_max_s = 86'400;
  main.time_limit_default_s = 3600;
  main.max_nodes = 8;
  main.max_memory_mb_per_node = 4096;
  main.memory_mb_per_cpu_default = 512;
  main.allow_accounts = {"physics"};
  main.deny_accounts = {"chemistry"};
  main.allow_groups = {"staff"};
  main.allow_qos = {"high"};
  main.deny_qos = {"low"};
  main.qos = "part";
  main.priority = 20;
  main.tres_billing_weights = "cpu=2";
  PartitionView other;
  other.name = "other";
  list.partitions = {main, other};
  return list;
}

TEST(ControlJsonWhole, ContainsAllFieldsOfNodesAndPartitions) {
  const auto nodes = json_of_control({"show", "nodes"}, {nodes_for_json()})["nodes"];
  EXPECT_EQ(nodes[0].dump(),
            "{\"active_features\":[\"fast\"],\"address\":\"10.0.0.1\",\"alloc_cpus\":1,"
            "\"alloc_idle_cpus\":3,\"alloc_memory\":100,\"architecture\":\"\",\"boards\":1,"
            "\"boot_time\":{\"infinite\":false,\"number\":0,\"set\":false},"
            "\"cluster_name\":\"lake\",\"comment\":\"\",\"cores\":1,\"cpu_load\":150,\"cpus\":4,"
            "\"effective_cpus\":4,\"features\":[\"fast\"],\"free_mem\":{\"infinite\":false,"
            "\"number\":900,\"set\":true},\"gres\":\"gpu:h100:1,fpga:2\",\"hostname\":\"n1\","
            "\"last_busy\":{\"infinite\":false,\"number\":1699999000,\"set\":true},"
            "\"mcs_label\":\"\",\"name\":\"n1\",\"next_state_after_reboot\":[],"
            "\"operating_system\":\"Linux\",\"owner\":\"\",\"partitions\":[\"main\"],"
            "\"real_memory\":2048,\"reason\":\"bad disk\","
            "\"reason_changed_at\":{\"infinite\":false,\"number\":1699999000,\"set\":true},"
            "\"reason_set_by_user\":\"controller\",\"reservation\":\"class,exam\","
            "\"slurmd_start_time\":{\"infinite\":false,\"number\":0,\"set\":false},\"sockets\":4,"
            "\"state\":[\"IDLE\",\"DRAIN\",\"RESERVED\"],\"temporary_disk\":0,\"threads\":1,"
            "\"tres\":\"cpu=4,mem=2G,billing=4,gres/gpu=1\",\"tres_used\":\"cpu=1,mem=100M,"
            "gres/gpu=1\",\"version\":\"1.2\",\"weight\":3}");
  EXPECT_EQ(nodes[1]["reason_changed_at"]["set"], false);
  EXPECT_EQ(nodes[1]["cpu_load"], 0);
  const auto parts = json_of_control({"show", "partitions"}, {nodes_for_json()})["partitions"];
  EXPECT_EQ(parts[0].dump(),
            "{\"accounts\":{\"allowed\":\"physics\",\"deny\":\"chemistry\"},\"alternate\":\"\","
            "\"cluster\":\"lake\",\"cpus\":{\"task_binding\":0,\"total\":8},"
            "\"defaults\":{\"job\":\"\",\"partition_memory_per_cpu\":{\"infinite\":false,"
            "\"number\":512,\"set\":true},\"time\":{\"infinite\":false,\"number\":60,"
            "\"set\":true}},\"grace_time\":0,\"groups\":{\"allowed\":\"staff\"},"
            "\"maximums\":{\"nodes\":{\"infinite\":false,\"number\":8,\"set\":true},"
            "\"partition_memory_per_node\":{\"infinite\":false,\"number\":4096,\"set\":true},"
            "\"time\":{\"infinite\":false,\"number\":1440,\"set\":true}},"
            "\"minimums\":{\"nodes\":1},\"name\":\"main\",\"nodes\":{\"allowed_allocation\":\"\","
            "\"configured\":\"n[1-2]\",\"total\":2},\"partition\":{\"state\":[\"UP\"]},"
            "\"priority\":{\"job_factor\":20,\"tier\":1},\"qos\":{\"allowed\":\"high\","
            "\"assigned\":\"part\",\"deny\":\"low\"},\"tres\":{\"billing_weights\":\"cpu=2\","
            "\"configured\":\"cpu=8,mem=4G,node=2,billing=8,gres/gpu=2\"}}");
  EXPECT_EQ(parts[1].dump(),
            "{\"accounts\":{\"allowed\":\"\",\"deny\":\"\"},\"alternate\":\"\","
            "\"cluster\":\"lake\",\"cpus\":{\"task_binding\":0,\"total\":0},"
            "\"defaults\":{\"job\":\"\",\"partition_memory_per_cpu\":{\"infinite\":false,"
            "\"number\":0,\"set\":false},\"time\":{\"infinite\":false,\"number\":0,"
            "\"set\":false}},\"grace_time\":0,\"groups\":{\"allowed\":\"\"},"
            "\"maximums\":{\"nodes\":{\"infinite\":true,\"number\":0,\"set\":true},"
            "\"partition_memory_per_node\":{\"infinite\":false,\"number\":0,\"set\":false},"
            "\"time\":{\"infinite\":true,\"number\":0,\"set\":true}},\"minimums\":{\"nodes\":1},"
            "\"name\":\"other\",\"nodes\":{\"allowed_allocation\":\"\",\"configured\":\"\","
            "\"total\":0},\"partition\":{\"state\":[\"UP\"]},\"priority\":{\"job_factor\":0,"
            "\"tier\":1},\"qos\":{\"allowed\":\"\",\"assigned\":\"\",\"deny\":\"\"},"
            "\"tres\":{\"billing_weights\":\"\",\"configured\":\"\"}}");
}

TEST(ControlJsonWhole, ContainsAllFieldsOfReservations) {
  ReservationList list;
  AdvanceReservation& r = list.reservations.emplace_back().reservation;
  r.name = "class";
  r.begin = wall_from_ms(1'700'000'000'000);
  r.end = wall_from_ms(1'700'003'600'000);
  r.nodes = {"n2"};
  r.users = {"ada", "bob"};
  r.accounts = {"physics"};
  r.features = "fast";
  r.partition = "main";
  const auto shown = [&] {
    return json_of_control({"show", "reservations"}, {list, nodes_for_json()})["reservations"][0];
  };
  EXPECT_EQ(shown().dump(),
            "{\"accounts\":\"physics\",\"burst_buffer\":\"\",\"core_count\":4,"
            "\"core_specializations\":[],\"end_time\":{\"infinite\":false,\"number\":1700003600,"
            "\"set\":true},\"features\":\"fast\",\"flags\":[],\"groups\":\"\",\"licenses\":\"\","
            "\"max_start_delay\":0,\"name\":\"class\",\"node_count\":1,\"node_list\":\"n2\","
            "\"partition\":\"main\",\"purge_completed\":{\"time\":{\"infinite\":false,"
            "\"number\":0,\"set\":false}},\"start_time\":{\"infinite\":false,"
            "\"number\":1700000000,\"set\":true},\"tres\":\"cpu=4\",\"users\":\"ada,bob\","
            "\"watts\":{\"infinite\":false,\"number\":0,\"set\":false}}");
  r.purge_idle_s = 300;
  r.maint = r.magnetic = r.flex = r.overlap = r.ignore_jobs = true;
  r.static_alloc = r.replace_down = true;
  r.nodes_asked = "n2";
  r.recurrence = Recurrence::Weekly;
  EXPECT_EQ(shown()["flags"].dump(),
            "[\"MAINT\",\"MAGNETIC\",\"FLEX\",\"OVERLAP\",\"IGNORE_JOBS\",\"STATIC\","
            "\"REPLACE_DOWN\",\"WEEKLY\",\"PURGE_COMP\",\"SPEC_NODES\"]");
  EXPECT_EQ(shown()["purge_completed"]["time"]["number"], 300);
}

TEST(ControlJsonWhole, ContainsAllFieldsOfSteps) {
  JobList running;
  JobView& job = running.jobs.emplace_back();
  job.job.id = JobId{17};
  job.job.state = JobState::Running;
  job.job.started = wall_from_ms(1'700'000'000'000);
  job.job.spec.change().form = JobForm::Batch;
  job.job.spec.change().uid = 1000;
  job.nodes = {"n1", "n2"};
  job.partition = "main";
  StepList list;
  for (const std::int32_t number : {0, 1, 2}) {
    StepView& step = list.steps.emplace_back();
    step.step.key = {{JobId{17}, AttemptNumber{1}}, number};
    step.step.state = number == 2 ? JobState::Completed : JobState::Running;
    step.step.spec.name = "mpi";
    step.step.spec.time_limit_s = 61;
    step.step.tasks = 3;
    step.step.nodes = {{"n1", 2, 4, 512, {0}}, {"n2", 1, 2, 512, {}}};
  }
  const auto steps = [&](const char* name) {
    return json_of_control({"show", "steps", name}, {running, list})["steps"];
  };
  EXPECT_EQ(steps("17").size(), 3u) << "the script and the running steps are shown";
  EXPECT_EQ(steps("17")[0].dump(),
            "{\"CPU\":{\"count\":0},\"nodes\":{\"count\":1,\"list\":[\"n1\"],\"range\":\"n1\"},"
            "\"partition\":\"main\",\"state\":[\"RUNNING\"],\"step\":{\"id\":\"17.batch\","
            "\"name\":\"batch\"},\"task\":{\"distribution\":\"\"},\"tasks\":{\"count\":1},"
            "\"time\":{\"limit\":{\"infinite\":true,\"number\":0,\"set\":true},"
            "\"start\":{\"infinite\":false,\"number\":1700000000,\"set\":true}},"
            "\"tres\":{\"allocated\":\"\"},\"user\":{\"id\":1000}}");
  EXPECT_EQ(steps("17.1").size(), 1u);
  EXPECT_EQ(steps("17.1")[0].dump(),
            "{\"CPU\":{\"count\":6},\"nodes\":{\"count\":2,\"list\":[\"n1\",\"n2\"],"
            "\"range\":\"n[1-2]\"},\"partition\":\"\",\"state\":[\"RUNNING\"],"
            "\"step\":{\"id\":\"17.1\",\"name\":\"mpi\"},\"task\":{\"distribution\":\"Block\"},"
            "\"tasks\":{\"count\":3},\"time\":{\"limit\":{\"infinite\":false,\"number\":2,"
            "\"set\":true},\"start\":{\"infinite\":false,\"number\":0,\"set\":true}},"
            "\"tres\":{\"allocated\":\"cpu=6,mem=1G,node=2,gres/gpu=1\"},\"user\":{\"id\":1000}}");
  EXPECT_EQ(steps("17.batch").size(), 1u);
}

}  // namespace
}  // namespace cox
