// Tests that a site's Slurm files become coxswain.toml, files for workers, SQL and notes.
#include "client/setup/slurm_import.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "common/base/limits.h"
#include "common/io/config/config_file.h"

namespace cox {
namespace {

// The slurm.conf of a site with three kinds of GPU nodes.
const std::string lab = R"(ClusterName=lab
SlurmctldHost=head(10.0.0.1)
SlurmctldHost=spare
KillWait=60
MinJobAge=600
PriorityWeightAge=1000
PriorityWeightFairshare=100000
PriorityWeightTRES=CPU=10,GRES/gpu=3000,Mem=1
PriorityDecayHalfLife=14-0
Licenses=matlab:10,ansys
DefMemPerCPU=4000
PreemptType=preempt/qos
PreemptMode=REQUEUE
Prolog=/etc/slurm/prolog.sh
Epilog=/etc/slurm/epilog.d/*
TaskProlog=/etc/slurm/task.sh
PrologSlurmctld=/etc/slurm/head.sh
PrologEpilogTimeout=120
PrologFlags=Alloc,X11
ProctrackType=proctrack/cgroup   # as everywhere
KilWait=5
NodeName=DEFAULT Sockets=2 CoresPerSocket=32 ThreadsPerCore=2 RealMemory=1000000 \
  State=UNKNOWN
NodeName=h[1-2] Gres=gpu:h100:8(S:0-1) Features=hopper,nvlink Weight=100
NodeName=a[1-4] Gres=gpu:8 Feature=ampere RealMemory=500000 CoreSpecCount=2
NodeName=d1 Gres=gpu:4090:4 CPUs=32 RealMemory=128000 State=DRAIN Reason="a fan"
NodeSet=big Feature=hopper
PartitionName=DEFAULT MaxTime=3-0 DefaultTime=1-0 State=UP
PartitionName=train Nodes=big,a[1-4] Default=YES QOS=normal AllowGroups=ml MaxNodes=4
PartitionName=play Nodes=d1 MaxTime=120 AllowQos=normal,high OverSubscribe=FORCE:2 \
  DefMemPerCPU=2000 ExclusiveUser=YES PriorityTier=5
)";

const std::string gres = "AutoDetect=nvml\nNodeName=a[1-4] Name=gpu Type=a100 Count=8 Cores=0-31\n";
const std::string topology =
    "SwitchName=s1 Nodes=h[1-2]\nSwitchName=s2 Nodes=a[1-4],d1\n"
    "SwitchName=top Switches=s[1-2] LinkSpeed=100\n";

const std::string dump = R"(# To edit this file ...
Cluster - 'lab':Fairshare=1:QOS='normal'
Parent - 'root'
User - 'root':DefaultAccount='root':AdminLevel='Administrator':Fairshare=1
Account - 'vision':Description='the lab''s eyes':Organization='lab':Fairshare=10:GrpTRES=cpu=64,)"
                         R"(gres/gpu:h100=8:MaxWallDurationPerJob=1440
Account - 'guests':Fairshare=2147483647:GrpTRESRunMins=cpu=100
Parent - 'vision'
User - 'ada':DefaultAccount='vision':Fairshare=1:QOS='+high'
)";

const std::string tiers =
    "Name|Priority|GraceTime|PreemptMode|UsageFactor|MaxWall|MaxTRESPU|\n"
    "normal|0|00:00:00|cluster|1.000000|||\n"
    "high|100|00:02:00|cluster|1.000000|1-00:00:00|gres/gpu=16|\n";

Imported import_of(const std::vector<SourceFile>& sources) {
  auto imported = import_slurm(sources);
  EXPECT_TRUE(imported.ok()) << (imported.ok() ? "" : imported.refusal().fact);
  return imported.ok() ? *imported : Imported{};
}

std::string text_of(const Imported& imported, const std::string& name) {
  for (const SourceFile& file : imported.files)
    if (file.name == name) return file.text;
  ADD_FAILURE() << "there is no " << name;
  return "";
}

bool notes_have(const Imported& imported, const std::string& words) {
  for (const std::string& note : imported.notes)
    if (note.find(words) != note.npos) return true;
  return false;
}

TEST(SlurmImport, the_files_of_a_gpu_lab_become_a_valid_configuration) {
  const Imported imported =
      import_of({{"slurm.conf", lab}, {"gres.conf", gres}, {"topology.conf", topology}});
  std::string text = text_of(imported, "coxswain.toml");
  const std::string groups = "allow_groups = [\"ml\"]\n";
  ASSERT_NE(text.find(groups), text.npos);
  text.erase(text.find(groups), groups.size());  // this host has no group "ml"
  const auto config = parse_config(text, "coxswain.toml");
  ASSERT_TRUE(config.ok()) << config.refusal().fact;
  const ControllerConfig& c = config->controller;
  EXPECT_EQ(c.cluster_name, "lab");
  EXPECT_EQ(c.kill_wait, Milliseconds{60'000});
  EXPECT_EQ(c.min_job_age, Milliseconds{600'000});
  EXPECT_EQ(c.prolog_program, "/etc/slurm/head.sh");
  EXPECT_EQ(c.prolog_epilog_timeout, Milliseconds{120'000});
  EXPECT_EQ(c.usage.half_life, Milliseconds{14ll * 24 * 3'600'000});
  EXPECT_EQ(c.scheduling.priority.age, 1000);
  EXPECT_EQ(c.scheduling.priority.shortness, 0) << "Slurm has no such factor";
  EXPECT_EQ(c.scheduling.priority.tres_gpu, 3000);
  EXPECT_EQ(c.scheduling.licences.size(), 2u);
  ASSERT_EQ(c.partitions.size(), 2u);
  const PartitionConfig& train = c.partitions[0];
  EXPECT_EQ(train.nodes, (std::vector<std::string>{"h1", "h2", "a1", "a2", "a3", "a4"}));
  EXPECT_EQ(train.time_limit_max_s, 3 * 24 * 3600);
  EXPECT_EQ(train.memory_mb_per_cpu_default, 4000);
  const PartitionConfig& play = c.partitions[1];
  EXPECT_EQ(play.time_limit_max_s, 120 * 60) << "Slurm's value is in minutes";
  EXPECT_EQ(play.time_limit_default_s, 120 * 60) << "the default does not exceed the limit";
  EXPECT_EQ(train.time_limit_default_s, 24 * 3600);
  EXPECT_EQ(play.memory_mb_per_cpu_default, 2000);
  EXPECT_EQ(play.priority_tier, 5);
  EXPECT_FALSE(c.domains.empty());
}

TEST(SlurmImport, equal_nodes_share_a_file) {
  const Imported imported = import_of({{"slurm.conf", lab}, {"gres.conf", gres}});
  ASSERT_EQ(imported.files.size(), 5u) << "coxswain.toml, three kinds of nodes, QOS";
  const auto hopper = parse_config(text_of(imported, "worker-h1.toml"), "worker-h1.toml");
  ASSERT_TRUE(hopper.ok()) << hopper.refusal().fact;
  EXPECT_EQ(hopper->worker.controller, "tcp://head:6820");
  EXPECT_EQ(hopper->worker.cpus, 128);
  EXPECT_EQ(hopper->worker.memory_mb, 1'000'000);
  EXPECT_EQ(hopper->worker.gpus.size(), 8u);
  EXPECT_EQ(hopper->worker.gpus[0].type, "h100");
  EXPECT_EQ(hopper->worker.features, (std::vector<std::string>{"hopper", "nvlink"}));
  EXPECT_EQ(hopper->worker.weight, 100);
  EXPECT_EQ(hopper->worker.prolog, "/etc/slurm/prolog.sh");
  EXPECT_EQ(hopper->worker.epilog, "") << "a pattern is not imported";
  EXPECT_EQ(hopper->worker.task_prolog, "/etc/slurm/task.sh");
  EXPECT_EQ(hopper->worker.prolog_epilog_timeout, Milliseconds{120'000});
  const auto ampere = parse_config(text_of(imported, "worker-a1.toml"), "worker-a1.toml");
  ASSERT_TRUE(ampere.ok()) << ampere.refusal().fact;
  EXPECT_EQ(ampere->worker.cpus, 124) << "reserved cores are subtracted";
  EXPECT_EQ(ampere->worker.gpus[0].type, "a100") << "gres.conf names the type";
  EXPECT_NE(text_of(imported, "worker-a1.toml").find("for a[1-4]."), std::string::npos);
  EXPECT_TRUE(notes_have(imported, "cox drain d1 --reason \"a fan\""));
}

TEST(SlurmImport, settings_that_are_not_imported_are_named_with_place_and_reason) {
  const Imported imported = import_of({{"/etc/slurm/slurm.conf", lab}, {"gres.conf", gres}});
  for (const char* words :
       {"slurm.conf:3: SlurmctldHost=spare: not imported: for a standby",
        "slurm.conf:8: PriorityWeightTRES=Mem=1: not imported",
        "slurm.conf:14: Prolog=/etc/slurm/prolog.sh: changed: if it fails, the job is requeued",
        "slurm.conf:15: Epilog=/etc/slurm/epilog.d/*: not imported: name one program",
        "slurm.conf:19: PrologFlags=Alloc: the same in Coxswain",
        "slurm.conf:19: PrologFlags=X11: not imported",
        "slurm.conf:20: ProctrackType=proctrack/cgroup: the same in Coxswain",
        "slurm.conf:21: KilWait=5: not imported: unknown setting; did you mean killwait?",
        "OverSubscribe=FORCE:2: not imported: jobs can share a node, but never a CPU",
        "ExclusiveUser=YES: not imported", "AllowGroups=ml: changed",
        "gres.conf:2: Cores=0-31: not imported"})
    EXPECT_TRUE(notes_have(imported, words)) << words;
}

TEST(SlurmImport, accounts_become_sql) {
  const Imported imported = import_of({{"slurm.conf", lab}, {"lab.cfg", dump}, {"qos.txt", tiers}});
  const std::string sql = text_of(imported, "accounts.sql");
  for (const char* line :
       {"\nadd qos high priority=100 gracetime=120 maxwall=1-00:00:00 maxtrespu=gres/gpu=16 "
        "preemptmode=requeue\n",
        "\nmodify account root set QOS=normal\n", "\nadd account guests fairshare=parent\n",
        "\nadd user ada account=vision DefaultAccount=vision Fairshare=1\n",
        "\nmodify user where name=ada account=vision set qos+=high\n"})
    EXPECT_NE(sql.find(line), std::string::npos) << line << "\n" << sql;
  EXPECT_NE(sql.find("GrpTRES=cpu=64,gres/gpu:h100=8 MaxWallDurationPerJob=1440"), sql.npos) << sql;
  EXPECT_LT(sql.find("add qos normal"), sql.find("modify account root"));
  EXPECT_TRUE(notes_have(imported, "lab.cfg:6: GrpTRESRunMins=cpu=100: not imported"));
  EXPECT_TRUE(notes_have(imported, "AdminLevel=Administrator: not imported"));
}

TEST(SlurmImport, a_script_of_sacctmgr_becomes_sql_too) {
  const Imported imported = import_of(
      {{"make.sh",
        "sacctmgr -i add cluster Name=x QOS=fast\nadd QOS Name=fast Priority=5 Flags=DenyOnLimit\n"
        "add account physics Fairshare=3 # a comment\nmodify user ada set qos+=fast\n"
        "remove QOS where Name=normal\nlist associations\nadd coordinator account=physics "
        "names=ada\n"}});
  EXPECT_EQ(text_of(imported, "accounts.sql"),
            "-- Written by `cox import`. Once the controller runs: psql -d coxswain -f "
            "accounts.sql\n-- All lines of a CALL take effect, or none does.\n"
            "CALL cox.sacctmgr('\n"
            "add qos fast priority=5 preemptmode=off\n"
            "modify account root set QOS=fast\n"
            "add account physics Fairshare=3\n"
            "modify user ada set qos+=fast\n"
            "add coordinator account=physics names=ada\n"
            "');\n");
}

TEST(SlurmImport, accounts_beyond_the_limit_of_a_call_are_divided) {
  std::string script;
  for (std::size_t i = 0; i <= limits::accounting_lines_max; ++i)
    script += "add account a" + std::to_string(i) + " description='it is'\n";
  const std::string sql = text_of(import_of({{"make.sh", script}}), "accounts.sql");
  const std::string second = "\"description=it is\"\n');\nCALL cox.sacctmgr('\nadd account a" +
                             std::to_string(limits::accounting_lines_max) + " ";
  EXPECT_NE(sql.find(second), sql.npos) << sql.substr(sql.size() - 200);
  EXPECT_TRUE(sql.ends_with("\"description=it is\"\n');\n")) << sql.substr(sql.size() - 200);
}

TEST(SlurmImport, without_priority_weights_the_scheduling_order_is_first_come_first_served) {
  const Imported imported =
      import_of({{"slurm.conf",
                  "ClusterName=x\nNodeName=n1 CPUs=4\nPartitionName=p Nodes=ALL\n"
                  "SelectType=select/linear\n"}});
  const auto config = parse_config(text_of(imported, "coxswain.toml"), "x");
  ASSERT_TRUE(config.ok()) << config.refusal().fact;
  EXPECT_EQ(config->controller.scheduling.order, OrderPolicy::Fcfs);
  EXPECT_TRUE(config->controller.partitions.front().exclusive);
  EXPECT_TRUE(parse_config(in_one_text(imported.files), "x").ok())
      << "the files are valid as one text";
}

// The files of this cluster may not be copied into the repository. COX_TRACES names the folder that
// has them; without them the test is skipped.
TEST(SlurmImport, the_files_of_a_real_cluster_are_imported) {
  const char* traces = std::getenv("COX_TRACES");
  const std::string folder = std::string(traces != nullptr ? traces : "") + "/slurm-sim/";
  std::vector<SourceFile> sources;
  for (const char* name : {"slurm.conf", "gres.conf", "topology.conf", "sacctmgr.script"}) {
    std::ifstream file(folder + name);
    if (!file) GTEST_SKIP() << "COX_TRACES names no folder with slurm-sim/" << name;
    std::ostringstream text;
    text << file.rdbuf();
    sources.push_back({name, text.str()});
  }
  const Imported imported = import_of(sources);
  for (const SourceFile& file : imported.files) {
    if (!file.name.ends_with(".toml")) continue;
    const auto config = parse_config(file.text, file.name);
    EXPECT_TRUE(config.ok()) << config.refusal().fact;
  }
  EXPECT_FALSE(notes_have(imported, "unknown setting"));
}

TEST(SlurmImport, a_text_that_cannot_be_parsed_is_refused_with_its_line) {
  EXPECT_NE(
      import_slurm({{"letter.txt", "Dear Ada,\n"}}).refusal().fact.find("is not a file of Slurm's"),
      std::string::npos);
  EXPECT_NE(import_slurm({{"slurm.conf", "ClusterName=x\nReason=\"open\n"}})
                .refusal()
                .fact.find("slurm.conf:2"),
            std::string::npos);
  EXPECT_FALSE(import_slurm({{"slurm.conf", std::string("ClusterName=\0x", 14)}}).ok());
  const Imported odd = import_of({{"slurm.conf",
                                   "ClusterName=a\\b\nNodeName=n[1-\nPartitionName="
                                   "\x1b[2J Nodes=n1\nPartitionName=ok Nodes=n[9\n"}});
  for (const std::string& note : odd.notes) EXPECT_EQ(note.find('\x1b'), note.npos);
}

}  // namespace
}  // namespace cox
