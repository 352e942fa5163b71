#include "simulate/trace/cluster.h"

#include <gtest/gtest.h>

#include "tests/simulate/jobs.h"

namespace cox::simulate {
namespace {

std::string refused(const Result<Cluster>& cluster) {
  return cluster ? "(not refused)" : cluster.refusal().fact;
}

TEST(ClusterSpec, processors_are_one_node) {
  const Cluster cluster = parse_cluster("procs=256").value();
  ASSERT_EQ(cluster.nodes.size(), 1u);
  EXPECT_EQ(cluster.cpu_milli(), 256'000);
  EXPECT_EQ(cluster.gpus(), 0);
}

TEST(ClusterSpec, equal_nodes_are_read_from_one_line) {
  const Cluster cluster = parse_cluster("nodes=8,gpus=8,cpus=96,memory=2T,type=h100").value();
  ASSERT_EQ(cluster.nodes.size(), 8u);
  EXPECT_EQ(cluster.nodes[7].name, "n8");
  EXPECT_EQ(cluster.nodes[0].cpu_milli, 96'000);
  EXPECT_EQ(cluster.nodes[0].memory_mb, 2 * 1024 * 1024);
  EXPECT_EQ(cluster.nodes[0].gpus, std::vector<std::string>(8, "h100"));
  EXPECT_EQ(parse_cluster("nodes=2,gpus=8").value().nodes[0].cpu_milli, 128'000);
}

TEST(ClusterSpec, invalid_words_are_refused_with_the_reason) {
  EXPECT_EQ(refused(parse_cluster("procs=0")),
            "--cluster: procs is \"0\"; it must be a whole number from 1 to 100000000");
  EXPECT_EQ(refused(parse_cluster("procs=8,gpus=1")), "--cluster: procs= must stand alone");
  EXPECT_EQ(refused(parse_cluster("node=8")), "--cluster: unknown \"node=8\"");
  EXPECT_EQ(parse_cluster("node=8").refusal().hint, "did you mean nodes?");
  EXPECT_EQ(refused(parse_cluster("gpus=8")), "--cluster has neither procs= nor nodes=");
  EXPECT_EQ(refused(parse_cluster("nodes=")), "--cluster has \"nodes=\" without a value");
  EXPECT_EQ(refused(parse_cluster("nodes=1,memory=lots")), "--cluster: memory is \"lots\"");
  EXPECT_EQ(refused(parse_cluster("nodes=1,gpus=65")),
            "--cluster: gpus is \"65\"; it must be a whole number from 0 to 64");
}

TEST(ClusterTable, each_row_is_a_node) {
  const Cluster cluster = cluster_of_table(
                              "sn,cpu_milli,memory_mib,gpu,model\n"
                              "a,64000,262144,2,P100\nb,32000,1024,0,\n")
                              .value();
  ASSERT_EQ(cluster.nodes.size(), 2u);
  EXPECT_EQ(cluster.nodes[0].gpus, (std::vector<std::string>{"P100", "P100"}));
  EXPECT_EQ(cluster.nodes[1].memory_mb, 1'024);
  EXPECT_EQ(refused(cluster_of_table("sn,cpu_milli,memory_mib,gpu,model\na,1,1,0,\na,1,1,0,\n")),
            "line 3: sn is \"a\": each node needs a unique name");
  EXPECT_EQ(refused(cluster_of_table("sn,cpu_milli,memory_mib,gpu,model\n")),
            "the table has no node");
}

TEST(ClusterConfig, nodes_come_from_partitions_and_their_resources_from_workers) {
  WorkerConfig worker;
  worker.cpus = 16;
  worker.gpus = {{0, "h100", "", 1}, {1, "h100", "", 2}};
  const std::vector<PartitionConfig> partitions = {{"a", {"n1", "n2"}, true, 0, 0, 0},
                                                   {"b", {"n2", "n3"}, false, 0, 0, 0}};
  ControllerConfig config;
  config.partitions = partitions;
  const Cluster cluster =
      cluster_of_config(config, {{"n1", worker}, {"n2", worker}, {"n3", worker}}).value();
  ASSERT_EQ(cluster.nodes.size(), 3u);
  EXPECT_EQ(cluster.nodes[2].name, "n3");
  EXPECT_EQ(cluster.gpus(), 6);
  EXPECT_EQ(cluster.nodes[0].islands, (std::vector<std::int32_t>{1, 2}));
  EXPECT_EQ(cluster.partitions[1].nodes, (std::vector<std::string>{"n2", "n3"}));
  config.domains = {{"n1", {"spine", "leaf"}}};
  EXPECT_EQ(cluster_of_config(config, {{"n1", worker}})->nodes.front().domains,
            (std::vector<std::string>{"spine", "leaf"}));
  EXPECT_EQ(refused(cluster_of_config(config, {})), "the configuration names no nodes");
  EXPECT_EQ(refused(cluster_of_config(config, {{"n1", {}}})),
            "the configuration does not say how many CPUs node n1 has");
}

TEST(ClusterConfig, settings_that_limit_jobs_but_are_not_simulated_are_named) {
  WorkerConfig worker;
  worker.cpus = 1;
  ControllerConfig config;
  config.partitions = {{"a", {}, true, 0, 0, 0}, {"b", {}, false, 0, 0, 0}};
  EXPECT_TRUE(cluster_of_config(config, {{"n1", worker}})->left_out.empty());
  config.partitions[0].hours = config.partitions[1].hours = "nights";
  config.partitions[1].time_limit_max_s = 60;
  config.scheduling.licences = {{"matlab", 2}};
  worker.gres = {{"fpga", "", 1}};
  EXPECT_EQ(
      cluster_of_config(config, {{"n1", worker}})->left_out,
      (std::vector<std::string>{"the hours of partition a, b", "the limits on jobs of partition b",
                                "licences", "GRES other than GPUs"}));
}

TEST(ClusterConfig, a_job_stays_in_its_partition) {
  WorkerConfig worker;
  worker.cpus = 1;
  ControllerConfig config;
  config.partitions = {{"a", {"n1"}, true, 0, 0, 0}, {"b", {"n2"}, false, 0, 0, 0}};
  const Cluster cluster = cluster_of_config(config, {{"n1", worker}, {"n2", worker}}).value();
  std::vector<TraceJob> jobs = {cpu_job(0, 10, 1), cpu_job(1, 10, 1), cpu_job(2, 10, 1)};
  jobs[0].partition = jobs[1].partition = "b";
  jobs[2].partition = "a";
  EXPECT_EQ(starts_s(simulate_on(cluster, jobs)), (std::vector<std::int64_t>{0, 10, 2}));
  jobs[1].partition = "gone";
  EXPECT_FALSE(simulate_on(cluster, jobs).jobs[1].possible);
}

TEST(Fit, a_job_takes_as_few_nodes_as_hold_it) {
  const Cluster cluster = parse_cluster("nodes=8,gpus=8,cpus=16").value();
  std::vector<TraceJob> jobs = {cpu_job(0, 1, 16), cpu_job(0, 1, 17), gpu_job(0, 1, 4),
                                gpu_job(0, 1, 12)};
  fit_to(cluster, jobs);
  EXPECT_EQ(jobs[0].nodes, 1);
  EXPECT_EQ(jobs[1].nodes, 2);
  EXPECT_EQ(jobs[1].tasks, 17);
  EXPECT_EQ(jobs[2].nodes, 1);
  EXPECT_EQ(jobs[2].gpus, 4);
  EXPECT_EQ(jobs[3].nodes, 2);
  EXPECT_EQ(jobs[3].gpus, 8);  // the request is rounded up to whole nodes
  EXPECT_EQ(jobs[3].tasks, 2);
}

TEST(SlurmConf, nodes_and_partitions_are_read) {
  const Cluster cluster = cluster_of_slurm_conf(
                              "ClusterName=x  # a comment\n"
                              "NodeName=DEFAULT RealMemory=187000 Sockets=2 CoresPerSocket=16\n"
                              "NodeName=n[1-2] Feature=OPA,GOLD\n"
                              "NodeName=g1 CPUs=40 Gres=gpu:v100:2,nvme:1\n"
                              "PartitionName=all Nodes=ALL\n"
                              "PartitionName=gpu Nodes=g1 MaxTime=1-0\n")
                              .value();
  ASSERT_EQ(cluster.nodes.size(), 3u);
  EXPECT_EQ(cluster.nodes[1].name, "n2");
  EXPECT_EQ(cluster.nodes[1].cpu_milli, 32'000);
  EXPECT_EQ(cluster.nodes[1].features, (std::vector<std::string>{"GOLD", "OPA"}));
  EXPECT_EQ(cluster.nodes[2].cpu_milli, 40'000);
  EXPECT_EQ(cluster.nodes[2].memory_mb, 187'000);
  EXPECT_EQ(cluster.nodes[2].gpus, (std::vector<std::string>{"v100", "v100"}));
  ASSERT_EQ(cluster.partitions.size(), 2u);
  EXPECT_TRUE(cluster.partitions[0].nodes.empty());
  EXPECT_EQ(cluster.partitions[1].nodes, std::vector<std::string>{"g1"});
}

TEST(SlurmConf, a_wrong_line_is_refused_with_its_number) {
  EXPECT_EQ(refused(cluster_of_slurm_conf("NodeName=a\nNodeName=a\n")),
            "line 2: node a occurs twice");
  EXPECT_EQ(refused(cluster_of_slurm_conf("\nNodeName=a CPUs=many\n")).substr(0, 22),
            "line 2: cpus is \"many\"");
  EXPECT_EQ(refused(cluster_of_slurm_conf("NodeName=a\nPartitionName=p Nodes=b\n")),
            "partition \"p\" has node \"b\", which no line describes");
  EXPECT_EQ(refused(cluster_of_slurm_conf("ClusterName=x\n")), "it names no node");
}

}  // namespace
}  // namespace cox::simulate
