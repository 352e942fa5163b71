// Tests how `cox import` reads lines, and converts lines of nodes, partitions and topology.
#include <gtest/gtest.h>

#include "tests/client/import_draft.h"

namespace cox {
namespace {

// Returns the configuration that `cox import` makes of lines of slurm.conf, gres.conf or
// topology.conf, the nodes first.
std::string lines_text(const std::string& file, const std::string& text) {
  ImportDraft draft;
  SlurmLine node_defaults;
  SlurmLine partition_defaults;
  const auto lines = slurm_lines({file, text});
  EXPECT_TRUE(lines.ok()) << (lines.ok() ? "" : lines.refusal().fact);
  if (!lines) return "";
  for (const SlurmLine& line : *lines) {
    if (!line.value("nodeset").empty())
      import_node_set(line, draft);
    else if (!line.value("partitionname").empty())
      import_partition(line, partition_defaults, draft);
    else if (file == "gres.conf")
      import_gres(line, draft);
    else if (!line.value("nodename").empty())
      import_node(line, node_defaults, draft);
    else
      import_topology(line, draft);
  }
  return with_notes(draft);
}

TEST(SlurmNodes, have_the_cpus_and_the_memory_computed_from_their_line) {
  EXPECT_EQ(
      lines_text("f",
                 "NodeName=n1 Sockets=2 CoresPerSocket=4 ThreadsPerCore=2 CoreSpecCount=1 "
                 "RealMemory=1000 MemSpecLimit=100 Weight=5\n"
                 "NodeName=n2 Boards=2 SocketsPerBoard=3 CoresPerSocket=2\n"
                 "NodeName=n3 CPUs=7 Sockets=2 CpuSpecList=0-1\n"
                 "NodeName=n4 Procs=5 Boards=0 ThreadsPerCore=0\n"
                 "NodeName=n5 CPUs=70000 RealMemory=100 MemSpecLimit=100\n"
                 "NodeName=n6 CPUs=2 CoreSpecCount=2\n"
                 "NodeName=n7 CPUs=x RealMemory=1\n"
                 "NodeName=n8 CPUs=65536 MemSpecLimit=1\n"
                 "NodeName=n[1-\n"),

      "node n1: cpus = 14, memory_mb = 900, weight = 5 (0 GPUs); node n2: cpus = 12 (0 GPUs); node "
      "n3: cpus = 7 (0 GPUs); node n4: cpus = 5 (0 GPUs); node n5: cpus = 65536 (0 GPUs); node n6: "
      " (0 GPUs); node n7: memory_mb = 1 (0 GPUs); node n8: cpus = 65536 (0 GPUs)\n"
      "  f:3: CpuSpecList=0-1: not imported: reduce `cpus` of [worker] by as many\n"
      "  f:7: cpus=x: not imported: \"x\" is not a whole number from 0 to 1073741824\n"
      "  f:9: NodeName=n[1-: not imported: node list \"n[1-\" has a range without an end (at "
      "character 3)\n");
}

TEST(SlurmNodes, keep_supported_gres_and_say_why_others_are_not_imported) {
  EXPECT_EQ(
      lines_text("f",
                 "NodeName=n1 Gres=gpu:h100:4(S:0-1),fpga:2(x),gpu:2\n"
                 "NodeName=n2 Gres=bandwidth:lustre:no_consume:4G,mps:100,shard:8\n"
                 "NodeName=n3 Gres=gpu:x:y,gpu:1(open\n"
                 "NodeName=n4 Features=a,b Feature=c Gres=\n"
                 "NodeName=n5 Feature=c\n"),

      "node n1: gres = [\"gpu:h100:4\", \"fpga:2\", \"gpu:2\"] (6 GPUs); node n2:  (0 GPUs); "
      "node n3: gres = [\"gpu:1\"] (1 GPUs); node n4: features = [\"a\", \"b\"] (0 GPUs); "
      "node n5: features = [\"c\"] (0 GPUs)\n"
      "  f:2: Gres=bandwidth:lustre:no_consume:4G: not imported: make it a feature of the node, "
      "which jobs ask for with --constraint\n"
      "  f:2: Gres=mps:100: not imported: jobs share a GPU with --gres=gpu:0.25 or --gres=shard:1\n"
      "  f:2: Gres=shard:8: changed: shards_per_gpu of [scheduling] applies to every GPU\n"
      "  f:3: Gres=gpu:x:y: not imported: the number of GPUs: \"y\" is not a whole number from 0 "
      "to 64\n");
}

TEST(SlurmNodes, get_a_note_to_drain_them_if_they_were_drained) {
  EXPECT_EQ(
      lines_text("f",
                 "NodeName=n1 State=UNKNOWN\nNodeName=n2 State=idle\nNodeName=n3 State=CLOUD\n"
                 "NodeName=n4 State=FUTURE\nNodeName=n[5-6] State=DRAIN Reason=\"a fan\"\n"
                 "NodeName=n7 State=DOWN Port=5 NodeAddr=1.2.3.4 Xyzzy=1\n"),

      "node n1:  (0 GPUs); node n2:  (0 GPUs); node n3:  (0 GPUs); node n4:  (0 GPUs); node n5:  "
      "(0 GPUs); node n7:  (0 GPUs)\n"
      "  f:3: State=CLOUD: not imported: a node exists once its worker has registered\n"
      "  f:4: State=FUTURE: not imported: a node exists once its worker has registered\n"
      "  f:5: State=DRAIN: not imported: once the node has registered: cox drain n[5-6] --reason "
      "\"a fan\"\n"
      "  f:5: Reason=a fan: not imported: set it again with cox drain NODE --reason TEXT\n"
      "  f:6: State=DOWN: not imported: once the node has registered: cox drain n7 --reason \"as "
      "in slurm.conf\"\n"
      "  f:6: Port=5: not imported: workers connect to the controller; the kernel chooses the "
      "ports between nodes\n"
      "  f:6: NodeAddr=1.2.3.4: not imported: `address` of [worker], if it differs from that of "
      "the route to the controller\n"
      "  f:6: Xyzzy=1: not imported: unknown setting\n");
}

TEST(SlurmNodes, have_defaults_and_may_be_named_by_node_sets) {
  EXPECT_EQ(
      lines_text("f",
                 "NodeName=DEFAULT CPUs=4 Feature=big\nNodeName=n[1-2]\n"
                 "NodeName=DEFAULT RealMemory=10\nNodeName=n3 CPUs=8 Feature=bigger\n"
                 "NodeSet=all Feature=big Nodes=n9\nNodeSet=some Nodes=n3\nNodeSet=none\n"
                 "PartitionName=p Nodes=all,some,n[10,12]\nPartitionName=q Nodes=n[\n"
                 "PartitionName=r Nodes=ALL\n"),

      "partition: name = \"p\", nodes = \"n9,n[1-2],n3,n[10,12]\"; partition: name = \"q\"; "
      "partition: name = \"r\"; node n1: cpus = 4, features = [\"big\"] (0 GPUs); node n3: cpus = "
      "8, memory_mb = 10, features = [\"bigger\"] (0 GPUs); set all: n9,n[1-2]; set some: n3\n"
      "  f:9: Nodes=n[: not imported: node list \"\" names no node (at character 1)\n");
}

TEST(SlurmNodes, get_their_gpu_types_from_gres_conf) {
  const auto typed = [](const std::string& line) {
    ImportDraft draft;
    SlurmLine none;
    const auto nodes = slurm_lines({"f",
                                    "NodeName=n[1-2] Gres=gpu:8,fpga:1\n"
                                    "NodeName=n3 Gres=gpu:a40:4\nNodeName=n4\n"
                                    "NodeName=n5 Gres=gpu:2,gpu:a40:4\n"});
    for (const SlurmLine& node : *nodes) import_node(node, none, draft);
    const auto gres = slurm_lines({"gres.conf", line});
    import_gres(gres->front(), draft);
    return with_notes(draft);
  };
  EXPECT_EQ(
      typed("NodeName=n[1-5] Name=gpu Type=h100 Count=8 File=/dev/x Cores=0-3 Links=1 "
            "Flags=f Xyzzy=1 MultipleFiles=y CPUs=2 AutoDetect=nvml"),

      "node n1: gres = [\"gpu:h100:8\", \"fpga:1\"] (8 GPUs); node n3: gres = [\"gpu:a40:4\"] (4 "
      "GPUs); node n4:  (0 GPUs); node n5: gres = [\"gpu:2\", \"gpu:a40:4\"] (6 GPUs)\n"
      "  gres.conf:1: File=/dev/x: the same in Coxswain: GPUs are numbered from 0, as in "
      "CUDA_VISIBLE_DEVICES\n"
      "  gres.conf:1: Cores=0-3: not imported: which CPUs are close to a GPU is not considered\n"
      "  gres.conf:1: Links=1: the same in Coxswain: the worker reads them from nvidia-smi; "
      "without it, set gpu_links of [worker]\n"
      "  gres.conf:1: Flags=f: not imported: a GRES has no flags\n"
      "  gres.conf:1: Xyzzy=1: not imported: unknown setting\n"
      "  gres.conf:1: MultipleFiles=y: the same in Coxswain: GPUs are numbered from 0, as in "
      "CUDA_VISIBLE_DEVICES\n"
      "  gres.conf:1: CPUs=2: not imported: which CPUs are close to a GPU is not considered\n"
      "  gres.conf:1: AutoDetect=nvml: the same in Coxswain: the worker learns from nvidia-smi "
      "which GPUs are linked\n");
  const std::string untyped = typed("Name=gpu Type=");
  EXPECT_EQ(untyped,
            "node n1: gres = [\"gpu:8\", \"fpga:1\"] (8 GPUs); node n3: gres = [\"gpu:a40:4\"] (4 "
            "GPUs); node n4:  (0 GPUs); node n5: gres = [\"gpu:2\", \"gpu:a40:4\"] (6 GPUs)\n");
  EXPECT_EQ(typed("NodeName=n1 Name=gpu Type=h100"), untyped)
      << "the line does not cover all equal nodes";
  EXPECT_EQ(typed("Name=fpga Type=h100"), untyped);
  EXPECT_EQ(
      typed("Name=GPU Type=h100"),
      "node n1: gres = [\"gpu:h100:8\", \"fpga:1\"] (8 GPUs); node n3: gres = [\"gpu:a40:4\"] (4 "
      "GPUs); node n4:  (0 GPUs); node n5: gres = [\"gpu:2\", \"gpu:a40:4\"] (6 GPUs)\n");
  EXPECT_EQ(typed("NodeName=n[ Name=gpu Type=h100").substr(untyped.size()),
            "  gres.conf:1: NodeName=n[: not imported: node list \"n[\" opens a bracket that is "
            "never closed (at character 3)\n");
}

TEST(SlurmPartitions, become_partitions_with_the_same_rules) {
  EXPECT_EQ(
      lines_text("f",
                 "PartitionName=DEFAULT MaxTime=60 State=UP\n"
                 "PartitionName=a Default=YES DefaultTime=30 MinNodes=1 MaxNodes=16384 "
                 "DefMemPerCPU=5 MaxMemPerNode=6 PriorityTier=65533 PriorityJobFactor=7 "
                 "AllowAccounts=x,y DenyAccounts=z AllowQos=q1 DenyQos=q2,q1 AllowGroups=g "
                 "QOS=q3 OverSubscribe=EXCLUSIVE PreemptMode=GANG,SUSPEND\n"
                 "PartitionName=b Default=true MaxTime=NONE DefaultTime=NONE "
                 "MaxNodes=UNLIMITED MinNodes=INFINITE Priority=8 AllowAccounts=ALL "
                 "AllowGroups=ALL Shared=NO PreemptMode=requeue\n"),

      "partition: time_limit_max = \"01:00:00\", name = \"a\", is_default = true, "
      "time_limit_default = \"00:30:00\", min_nodes = 1, max_nodes = 16384, "
      "memory_mb_per_cpu_default = 5, max_memory_mb_per_node = 6, priority_tier = 65533, priority "
      "= 7, allow_accounts = [\"x\", \"y\"], deny_accounts = [\"z\"], allow_qos = [\"q1\"], "
      "deny_qos = [\"q2\", \"q1\"], allow_groups = [\"g\"], qos = \"q3\", exclusive = true, "
      "preempt_mode = \"suspend\"; partition: name = \"b\", is_default = true, priority = 8, "
      "priority_tier = 8, preempt_mode = \"requeue\"; names QOS q1; names QOS q2; names QOS q3\n"
      "  f:2: AllowGroups=g: changed: these groups must exist on the controller's host\n");
}

TEST(SlurmPartitions, name_the_settings_that_are_not_imported) {
  EXPECT_EQ(
      lines_text("f",
                 "PartitionName=c Default=NO MaxTime=0 MaxNodes=16385 PriorityTier=65534 "
                 "AllowAccounts=a/b,c QOS=a/b OverSubscribe=FORCE State=DRAIN MaxTime=x "
                 "PreemptMode=within AllowGroups=a/b LLN=NO RootOnly=YES Alternate=x "
                 "Xyzzy=1 MaxCPUsPerNode=UNLIMITED ExclusiveUser=0 AllocNodes=ALL\n"
                 "PartitionName=a/b\n"
                 "PartitionName=d PreemptMode=off MaxTime=30 DefaultTime=60\n"
                 "PartitionName=e PreemptMode=cancel MaxTime=30 DefaultTime=30\n"
                 "PartitionName=f PreemptMode=suspend DefaultTime=60\n"
                 "PartitionName=g AllowAccounts= DenyQos=, DefMemPerCPU=INFINITE\n"),

      "partition: name = \"c\"; partition: name = \"d\", preempt_mode = \"off\", time_limit_max = "
      "\"00:30:00\", time_limit_default = \"00:30:00\"; partition: name = \"e\", preempt_mode = "
      "\"cancel\", time_limit_max = \"00:30:00\", time_limit_default = \"00:30:00\"; partition: "
      "name = \"f\", preempt_mode = \"suspend\", time_limit_default = \"01:00:00\"; partition: "
      "name = \"g\"\n"
      "  f:1: MaxNodes=16385: not imported: \"16385\" is not a whole number from 0 to 16384\n"
      "  f:1: PriorityTier=65534: not imported: \"65534\" is not a whole number from 0 to 65533\n"
      "  f:1: AllowAccounts=a/b,c: not imported: \"a/b\" is not a valid name: use letters, digits, "
      "'-', '_' and '.'\n"
      "  f:1: QOS=a/b: not imported: it is not a valid name of a QOS\n"
      "  f:1: OverSubscribe=FORCE: not imported: jobs can share a node, but never a CPU\n"
      "  f:1: State=DRAIN: not imported: once the controller runs: cox partition drain c\n"
      "  f:1: MaxTime=x: not imported: \"x\" is not a time\n"
      "  f:1: PreemptMode=within: not imported: the mode must be off, cancel, requeue, checkpoint "
      "or suspend\n"
      "  f:1: AllowGroups=a/b: not imported: \"a/b\" is not a valid name: use letters, digits, "
      "'-', '_' and '.'\n"
      "  f:1: AllowGroups=a/b: changed: these groups must exist on the controller's host\n"
      "  f:1: LLN=NO: the same in Coxswain: this is the default\n"
      "  f:1: RootOnly=YES: not imported: allow_groups, with a group of administrators\n"
      "  f:1: Alternate=x: not imported: a job may name several partitions: -p a,b\n"
      "  f:1: Xyzzy=1: not imported: unknown setting\n"
      "  f:1: MaxCPUsPerNode=UNLIMITED: the same in Coxswain: this is the default\n"
      "  f:1: ExclusiveUser=0: the same in Coxswain: this is the default\n"
      "  f:1: AllocNodes=ALL: the same in Coxswain: this is the default\n"
      "  f:2: PartitionName=a/b: not imported: it is not a valid name: use letters, digits, '-', "
      "'_' and '.'\n"
      "  f:3: DefaultTime=60: changed: reduced to MaxTime, 30\n");
}

TEST(SlurmPartitions, must_share_their_billing_weights) {
  EXPECT_EQ(lines_text("f",
                       "PartitionName=a TRESBillingWeights=CPU=1.0,Mem=0.25G,GRES/gpu=2\n"
                       "PartitionName=b TRESBillingWeights=CPU=1.0,Mem=0.25G,GRES/gpu=2\n"
                       "PartitionName=c TRESBillingWeights=CPU=2.0,Mem=0.25\n"
                       "PartitionName=d TRESBillingWeights=CPU=x\n"),

            "scheduling: billing_weights = \"cpu=1.0,mem=0.25,gres/gpu=2\"; partition: name = "
            "\"a\"; partition: name = \"b\"; partition: name = \"c\"; partition: name = \"d\"\n"
            "  f:3: TRESBillingWeights=CPU=2.0,Mem=0.25: not imported: memory is weighted by GiB: "
            "set billing_weights in [scheduling]\n"
            "  f:3: TRESBillingWeights=CPU=2.0,Mem=0.25: not imported: all partitions have the "
            "same weights; those of the first are imported\n"
            "  f:4: TRESBillingWeights=CPU=x: not imported: \"x\" is not a number from 0 to "
            "1000000 with at most 3 digits after the point\n");
}

TEST(SlurmPartitions, get_the_settings_of_the_whole_cluster) {
  ImportDraft draft;
  draft.memory_per_cpu = "100";
  draft.memory_per_node_max = "200";
  draft.whole_nodes = true;
  SlurmLine none;
  const auto lines =
      slurm_lines({"f", "PartitionName=a\nPartitionName=b DefMemPerCPU=5 MaxMemPerNode=6\n"});
  for (const SlurmLine& line : *lines) import_partition(line, none, draft);
  EXPECT_EQ(draft_text(draft),
            "partition: name = \"a\", memory_mb_per_cpu_default = 100, max_memory_mb_per_node = "
            "200, exclusive = true; partition: name = \"b\", memory_mb_per_cpu_default = 5, "
            "max_memory_mb_per_node = 6, exclusive = true; memory of a CPU 100; most memory 200; "
            "whole nodes!");
}

TEST(SlurmTopology, becomes_switches_and_blocks) {
  EXPECT_EQ(lines_text("topology.conf",
                       "SwitchName=s1 Nodes=n[1-2] LinkSpeed=100\nSwitchName=s2 Switches=s1\n"
                       "BlockName=b1 Nodes=n3\nBlockSizes=2,4\nXyzzy=1\n"),

            "topology: block_sizes = \"2,4\"; switch: name = \"s1\", nodes = \"n[1-2]\"; switch: "
            "name = \"s2\", switches = \"s1\"; block: name = \"b1\", nodes = \"n3\"\n"
            "  topology.conf:1: LinkSpeed=100: not imported: the speed of links is not considered\n"
            "  topology.conf:5: Xyzzy=1: not imported: unknown setting\n");
}

TEST(SlurmLines, may_have_quotes_comments_and_continuations) {
  const auto read = [](const std::string& text) {
    const auto lines = slurm_lines({"/etc/f.conf", text});
    if (!lines) return lines.refusal().fact + "; " + lines.refusal().hint;
    std::string out;
    for (const SlurmLine& line : *lines) {
      out += line.place;
      for (const SlurmSetting& setting : line.settings)
        out += " [" + setting.name + "|" + setting.value + "]";
      out += "\n";
    }
    return out;
  };
  EXPECT_EQ(read("# all\nA=1 B=\"x # y\" C=\\#5\t D # end\n\nE=a\"b c\"d \\\n  F=2\\\n G=3\r\n#x"),

            "f.conf:2 [A|1] [B|x # y] [C|\\#5] [D|]\n"
            "f.conf:4 [E|ab cd] [F|2] [G|3]\n");
  EXPECT_EQ(read("A=1\n =5\n"), "f.conf:2: a value without a name; write NAME=VALUE");
  EXPECT_EQ(read("A=\"1\n"), "f.conf:1: a quotation mark is not closed; close it in this line");
  EXPECT_EQ(included_file("  Include\t/etc/x.conf  # more"), "/etc/x.conf");
  EXPECT_EQ(included_file("include a b"), "a b");
  EXPECT_EQ(included_file("includes x"), std::nullopt);
}

TEST(SlurmLines, show_which_kind_of_file_they_are_from) {
  std::string kinds;
  for (const char* line : {"SwitchName=s",
                           "BlockName=b",
                           "BlockSizes=1",
                           "AutoDetect=off",
                           "Name=gpu",
                           "ClusterName=c",
                           "SlurmctldHost=h",
                           "PartitionName=p",
                           "NodeSet=s",
                           "include x",
                           "Cluster - 'c'",
                           "Parent - 'r'",
                           "Account - 'a'",
                           "User - 'u'",
                           "sacctmgr add x",
                           "add x",
                           "create x",
                           "modify x",
                           "remove x",
                           "delete x",
                           "Name|Priority",
                           "NodeName=n CPUs=1",
                           "NodeName=n Name=gpu",
                           "# no\n  nodename=n1 Feature=x",
                           "Dear Ada"}) {
    const auto kind = kind_of({"x", line});
    kinds += kind.ok() ? std::to_string(static_cast<int>(*kind)) : "-";
  }
  EXPECT_EQ(kinds, "222110000033333333334010-");
  for (const auto& [name, kind] : {std::pair{"/a/Slurm.conf", SourceKind::SlurmConf},
                                   {"gres.conf", SourceKind::GresConf},
                                   {"topology.conf", SourceKind::TopologyConf}})
    EXPECT_EQ(*kind_of({name, ""}), kind) << name;
}

}  // namespace
}  // namespace cox
