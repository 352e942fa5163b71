// Tests `scontrol show assoc_mgr`: which records it shows, and their form.
#include <gtest/gtest.h>

#include "client/slurm/control/scontrol.h"

namespace cox {
namespace {

std::optional<std::uint32_t> number_of_ada(const std::string& name) {
  return name == "ada" ? std::optional<std::uint32_t>(1001) : std::nullopt;
}

AssociationView an_association(std::int64_t id, const std::string& account, const std::string& user,
                               const std::string& parent) {
  AssociationView view;
  view.association.id = AssociationId{id};
  view.association.account = account;
  view.association.user_name = user;
  view.association.parent = parent;
  view.shares_part = 0.25;
  return view;
}

AssociationList three_accounts() {
  AssociationList list;
  list.cluster = "lake";
  list.associations = {an_association(1, "root", "", ""), an_association(2, "physics", "", "root"),
                       an_association(3, "lattice", "", "physics"),
                       an_association(4, "lattice", "ada", ""),
                       an_association(5, "lattice", "bob", "")};
  AssociationView& lattice = list.associations[2];
  lattice.association.shares = 30;
  lattice.association.limits.grp_jobs = 5;
  lattice.association.limits.grp_wall_s = 3'600;
  lattice.association.limits.grp_tres = {{Tres::Cpus, "", "", 64}, {Tres::MemoryMb, "", "", 2048}};
  lattice.association.limits.grp_tres_mins = {{Tres::Cpus, "", "", 5000}};
  lattice.association.limits.max_jobs = 7;
  lattice.held = {{Tres::Cpus, "", "", 3}, {Tres::MemoryMb, "", "", 512}, {Tres::Nodes, "", "", 1}};
  lattice.minutes_used = {{Tres::Cpus, "", "", 12}};
  lattice.running = 1;
  lattice.submitted = 2;
  lattice.usage = 200.5;
  lattice.usage_part = 0.5;
  lattice.wall_used_s = 90;
  AssociationView& ada = list.associations[3];
  ada.association.is_default = true;
  ada.association.partition = "main";
  ada.fair_share = 0.875;
  return list;
}

ClusterView one_qos() {
  ClusterView cluster;
  Qos high;
  high.name = "high";
  high.tier = 10;
  high.preempt_mode = PreemptMode::Requeue;
  high.limits.grp_jobs = 4;
  high.limits.max_jobs_per_user = 2;
  high.limits.max_tres_per_user = {{Tres::Cpus, "", "", 8}};
  cluster.tiers = {high};
  return cluster;
}

Shown assoc_mgr(ControlWords words, bool one_line = false,
                AssociationList list = three_accounts()) {
  ControlContext context;
  context.as.one_line = one_line;
  context.as.user_id = number_of_ada;
  words.insert(words.begin(), {"show", "assoc_mgr"});
  const ControlPlan plan = plan_control(words, context);
  return plan.show(plan.questions.empty() ? std::vector<Answer>{}
                                          : std::vector<Answer>{std::move(list), one_qos()});
}

}  // namespace

TEST(AssocMgr, AnAccountIsShownWithItsLimitsAndUse) {
  EXPECT_EQ(assoc_mgr({"flags=assoc", "accounts=lattice"}).out.substr(0, 608),
            "Current Association Manager state\n"
            "\n"
            "Association Records\n"
            "\n"
            "ClusterName=lake Account=lattice UserName= Partition= Priority=0 ID=3\n"
            "    SharesRaw/Norm/Level/Factor=30/0.25/30/0.00\n"
            "    UsageRaw/Norm/Efctv=200.50/0.50/1.00\n"
            "    ParentAccount=physics(2) Lineage=/physics/lattice/ DefAssoc=No\n"
            "    GrpJobs=5(1) GrpJobsAccrue=N(0)\n"
            "    GrpSubmitJobs=N(2) GrpWall=60(1.50)\n"
            "    GrpTRES=cpu=64(3),mem=2048(512),node=N(1)\n"
            "    GrpTRESMins=cpu=5000(12)\n"
            "    GrpTRESRunMins=\n"
            "    MaxJobs=7(1) MaxJobsAccrue= MaxSubmitJobs= MaxWallPJ=\n"
            "    MaxTRESPJ=\n"
            "    MaxTRESPN=\n"
            "    MaxTRESMinsPJ=\n"
            "    MinPrioThresh=\n"
            "    Comment=\n"
            "ClusterName=lake");
}

TEST(AssocMgr, UsersHaveTheirNumbersAndDefaultAccounts) {
  EXPECT_EQ(assoc_mgr({"flags=users"}).out,
            "Current Association Manager state\n"
            "\n"
            "User Records\n"
            "\n"
            "UserName=ada(1001) DefAccount=lattice DefWckey= AdminLevel=None\n"
            "UserName=bob(4294967294) DefAccount= DefWckey= AdminLevel=None\n");
  const std::string ada = assoc_mgr({"users=ada", "flags=Assoc"}).out;
  EXPECT_NE(ada.find("ClusterName=lake Account=lattice UserName=ada(1001) Partition=main "
                     "Priority=0 ID=4\n"),
            std::string::npos)
      << ada;
  EXPECT_NE(ada.find("ParentAccount= Lineage=/physics/lattice/0-ada/main/ DefAssoc=Yes\n"),
            std::string::npos)
      << ada;
  EXPECT_EQ(ada.find("UserName= "), std::string::npos) << "accounts are left out";
  EXPECT_EQ(ada.find("bob"), std::string::npos);
}

TEST(AssocMgr, AQosIsShownWithItsLimits) {
  EXPECT_EQ(assoc_mgr({"flags=qos"}).out,
            "Current Association Manager state\n"
            "\n"
            "QOS Records\n"
            "\n"
            "QOS=high\n"
            "    GrpJobs=4 GrpSubmitJobs=N GrpWall=N\n"
            "    GrpTRES=\n"
            "    GrpTRESMins=\n"
            "    GrpTRESRunMins=\n"
            "    MaxWallPJ=\n"
            "    MaxTRESPJ=\n"
            "    MaxTRESPN=\n"
            "    MaxTRESMinsPJ=\n"
            "    MinPrioThresh=\n"
            "    MinTRESPJ=\n"
            "    PreemptMode=REQUEUE\n"
            "    Priority=10\n"
            "    MaxJobsPU=2 MaxSubmitJobsPU=N\n"
            "    MaxTRESPU=cpu=8\n");
  EXPECT_EQ(assoc_mgr({"flags=qos", "qos=low"}).out,
            "Current Association Manager state\n\nNo QOS currently cached in Slurm.\n\n");
}

TEST(AssocMgr, AllSectionsAreShownUnlessFlagsNameSome) {
  const std::string all = assoc_mgr({}).out;
  for (const char* heading : {"\nUser Records\n", "\nAssociation Records\n", "\nQOS Records\n"})
    EXPECT_NE(all.find(heading), std::string::npos) << heading;
  EXPECT_EQ(assoc_mgr({}, false, AssociationList{}).out.substr(0, 116),
            "Current Association Manager state\n\nNo users currently cached in Slurm.\n\n\n"
            "No associations currently cached in Slurm.\n");
  EXPECT_NE(assoc_mgr({"users=bob"}, true)
                .out.find("ClusterName=lake Account=lattice UserName=bob(4294967294) Partition= "
                          "Priority=0 ID=5 SharesRaw/Norm/Level/Factor=1/0.25/2/0.00 "),
            std::string::npos);
}

TEST(AssocMgr, WrongWordsAreRefused) {
  EXPECT_EQ(assoc_mgr({"flags=jobs"}).err,
            "invalid flag 'jobs', valid options are 'Assoc, QOS, and/or Users'\n");
  EXPECT_EQ(assoc_mgr({"users"}).err, "No value given for option users\n");
  EXPECT_EQ(assoc_mgr({"jobs=1"}).err, "invalid entity: jobs for keyword:show assoc_mgr\n");
  EXPECT_EQ(assoc_mgr({"jobs=1"}).exit_code, exit_refused);
}

}  // namespace cox
