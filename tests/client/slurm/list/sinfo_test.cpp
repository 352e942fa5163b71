// Compares sinfo with what Slurm 22.05.8 printed for the same cluster.
#include "client/slurm/list/sinfo.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/client/listing_story.h"

namespace cox {
namespace {

NodeView a_node(const std::string& name, std::int64_t cpus_used) {
  NodeView view;
  view.node.name = name;
  view.node.total.cpus = 4;
  view.node.total.memory_mb = 100'000;
  view.node.responding = true;
  view.node.address = "127.0.0.1";
  view.cpus_used = cpus_used;
  if (cpus_used > 0) view.jobs = {JobId{1}};
  view.partitions = {"main", "high"};
  return view;
}

PartitionView a_partition(const std::string& name) {
  PartitionView view;
  view.name = name;
  view.is_default = name == "main";
  view.preempt_mode = view.is_default ? PreemptMode::Requeue : PreemptMode::Off;
  view.priority_tier = view.is_default ? 1 : 10;
  return view;
}

// Returns the nodes of the Slurm cluster on which Slurm 22.05.8 printed the texts that these tests
// expect.
Desk a_cluster(std::vector<std::string> environment = {}) {
  NodeList list;
  list.partitions = {a_partition("main"), a_partition("high")};
  list.nodes = {a_node("n1", 4), a_node("n2", 2), a_node("n3", 0)};
  list.nodes[2].node.drained = true;
  list.nodes[2].node.reason = "bad disk";
  list.nodes[2].node.reason_by = "user ada";
  list.nodes[2].node.changed = *parse_moment("2026-11-22T12:32:39Z");
  return {read_sinfo, {list}, std::move(environment)};
}

TEST(Sinfo, prints_the_default_long_node_summary_and_reason_tables_as_slurm_does) {
  const Desk desk = a_cluster();
  EXPECT_EQ(desk.out({}),
            "PARTITION AVAIL  TIMELIMIT  NODES  STATE NODELIST\n"
            "main*        up   infinite      1  drain n3\n"
            "main*        up   infinite      1    mix n2\n"
            "main*        up   infinite      1  alloc n1\n"
            "high         up   infinite      1  drain n3\n"
            "high         up   infinite      1    mix n2\n"
            "high         up   infinite      1  alloc n1\n");
  EXPECT_EQ(desk.out({"-l", "-p", "high"}),
            "Sun Nov 22 12:32:03 2026\n"
            "PARTITION AVAIL  TIMELIMIT   JOB_SIZE ROOT OVERSUBS     GROUPS  NODES       STATE "
            "NODELIST\n"
            "high         up   infinite 1-infinite   no       NO        all      1     drained n3\n"
            "high         up   infinite 1-infinite   no       NO        all      1       mixed n2\n"
            "high         up   infinite 1-infinite   no       NO        all      1   allocated "
            "n1\n");
  EXPECT_EQ(desk.out({"-N", "-p", "main"}),
            "NODELIST   NODES PARTITION STATE \n"
            "n1             1     main* alloc \n"
            "n2             1     main* mix   \n"
            "n3             1     main* drain \n");
  EXPECT_EQ(desk.out({"-Nl", "-n", "n3", "-p", "high"}),
            "Sun Nov 22 12:32:03 2026\n"
            "NODELIST   NODES PARTITION       STATE CPUS    S:C:T MEMORY TMP_DISK WEIGHT AVAIL_FE "
            "REASON              \n"
            "n3             1      high     drained 4       4:1:1 100000        0      1   (null) "
            "bad disk            \n");
  EXPECT_EQ(desk.out({"-s"}),
            "PARTITION AVAIL  TIMELIMIT   NODES(A/I/O/T) NODELIST\n"
            "main*        up   infinite          2/0/1/3 n[1-3]\n"
            "high         up   infinite          2/0/1/3 n[1-3]\n");
  EXPECT_EQ(desk.out({"-R"}),
            "REASON               USER      TIMESTAMP           NODELIST\n"
            "bad disk             ada       2026-11-22T12:32:39 n3\n");
}

TEST(Sinfo, accepts_the_formats_that_other_programs_pass) {
  const Desk desk = a_cluster();
  EXPECT_EQ(desk.out({"-o", "%P"}), "PARTITION\nmain*\nhigh\n");
  EXPECT_EQ(desk.out({"-aho", "%F/%C"}), "2/0/1/3/6/2/4/12\n");
  EXPECT_EQ(desk.out({"-h", "-o", "%C"}), "6/2/4/12\n");
  EXPECT_EQ(desk.out({"-h", "-o%R,%C"}), "main,6/2/4/12\nhigh,6/2/4/12\n");
  EXPECT_EQ(desk.out({"-h", "-o", "%D,%T"}), "1,drained\n1,mixed\n1,allocated\n");
  EXPECT_EQ(desk.out({"-ho", "\x1e%c\x1f%n\x1f%f"}),
            "\x1e"
            "4\x1fn3\x1f(null)\n\x1e"
            "4\x1fn2\x1f(null)\n\x1e"
            "4\x1fn1\x1f(null)\n")
      << "drained, mixed, allocated";
  EXPECT_EQ(desk.out({"-h", "-N", "-p", "main", "-n", "n[1-2]", "-O",
                      "NodeList,AllocMem,Memory,CPUsState,StateLong"}),
            "n1                  0                   100000              4/0/0/4             "
            "allocated           \n"
            "n2                  0                   100000              2/2/0/4             "
            "mixed               \n");
}

TEST(Sinfo, shows_gpus_and_the_used_ones) {
  Desk desk = a_cluster();
  NodeView& node = std::get<NodeList>(desk.answers[0]).nodes[0];
  node.node.total.gpus = {{0, "h100", "", 0}, {1, "h100", "", 0}};
  node.node.total.gres = {{"fpga", "", 2}};
  node.gpus_used = 1;
  node.gres_used = {{"fpga", "", 1}};
  EXPECT_EQ(desk.out({"-ahNOnodehost:4,gres:20,gresused:32,statelong:|", "-n", "n1,n2"}),
            "n1  gpu:h100:2,fpga:2   gpu:h100:1(IDX:N/A),fpga:1      allocated|\n"
            "n1  gpu:h100:2,fpga:2   gpu:h100:1(IDX:N/A),fpga:1      allocated|\n"
            "n2  (null)              (null)                          mixed|\n"
            "n2  (null)              (null)                          mixed|\n");
}

TEST(Sinfo, shows_load_and_free_memory_as_ranges) {
  Desk desk = a_cluster();
  auto& nodes = std::get<NodeList>(desk.answers[0]).nodes;
  const auto shown = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"-h", "-p", "main"});
    return desk.out(words);
  };
  EXPECT_EQ(shown({"-o", "%O %e"}), "N/A N/A\n");
  for (std::size_t i = 0; i < nodes.size(); ++i)
    nodes[i].load =
        NodeLoad{static_cast<std::int64_t>(i) * 105, 100 - static_cast<std::int64_t>(i)};
  EXPECT_EQ(shown({"-o", "%O %e"}), "0.00-2.10 98-100\n");
  EXPECT_EQ(shown({"-N", "-o", "%n %O %e"}), "n1 0.00 100\nn2 1.05 99\nn3 2.10 98\n");
  EXPECT_EQ(shown({"-O", "CPUsLoad:10,FreeMem:10"}), "0.00-2.10 98-100    \n");
  EXPECT_EQ(shown({"-e", "-S", "-O", "-o", "%n %O"}), "n3 2.10\nn2 1.05\nn1 0.00\n");
  nodes[1].load.reset();
  EXPECT_EQ(shown({"-o", "%O %e"}), "0.00-N/A 98-N/A\n");
}

TEST(Sinfo, selects_nodes_by_state) {
  Desk desk = a_cluster();
  auto& nodes = std::get<NodeList>(desk.answers[0]).nodes;
  nodes.push_back(a_node("n4", 0));
  nodes.back().node.responding = false;
  nodes.push_back(a_node("n5", 0));
  nodes.back().reservations = {"r1"};
  nodes.push_back(a_node("n6", 1));
  nodes.back().node.drained = true;
  nodes.push_back(a_node("n7", 0));
  nodes.back().maint = true;
  const auto in = [&](const std::string& states) {
    return desk.out({"-h", "-t", states, "-o", "%N"});
  };
  EXPECT_EQ(desk.out({"-h", "-N", "-p", "main", "-o", "%N %t %T"}),
            "n1 alloc allocated\nn2 mix mixed\nn3 drain drained\nn4 down* down*\n"
            "n5 resv reserved\nn6 drng draining\nn7 maint maint\n");
  EXPECT_EQ(in("drain"), "n[3,6]\n");
  EXPECT_EQ(in("drained,DOWN"), "n[3-4]\n");
  EXPECT_EQ(in("drng"), "n6\n");
  EXPECT_EQ(in("alloc"), "n[1-2,6]\n");
  EXPECT_EQ(in("mixed&drain"), "n6\n");
  EXPECT_EQ(in("resv,maint"), "n[5,7]\n");
  EXPECT_EQ(in("planned"), "");
  EXPECT_EQ(desk.out({"-h", "-d", "-o", "%N"}), "n4\n");
  EXPECT_EQ(desk.out({"-h", "-r", "-o", "%N"}), "n[1-3,5-7]\n");
  EXPECT_EQ(desk.out({"-h", "-t", "planned", "-p", "high"}),
            "high         up   infinite      0    n/a \n");
  EXPECT_NE(desk.err({"-t", "foo"}).find("sinfo: error: Bad state string: \"foo\"\n"),
            std::string::npos);
}

TEST(Sinfo, groups_nodes_of_different_sizes_unless_exact_is_set) {
  Desk desk = a_cluster();
  auto& nodes = std::get<NodeList>(desk.answers[0]).nodes;
  nodes = {a_node("n10", 0), a_node("n2", 0)};
  nodes[0].node.total.cpus = 8;
  EXPECT_EQ(desk.out({"-h", "-o", "%N %c %m"}), "n[2,10] 4+ 100000\n");
  EXPECT_EQ(desk.out({"-h", "-e", "-S", "N", "-o", "%N %c"}), "n2 4\nn10 8\n");
}

TEST(Sinfo, widens_for_long_names_and_sorts) {
  Desk desk = a_cluster({"SINFO_SORT=-t"});
  auto& list = std::get<NodeList>(desk.answers[0]);
  list.partitions = {a_partition("a-long-partition")};
  for (NodeView& node : list.nodes) node.partitions = {"a-long-partition"};
  EXPECT_EQ(desk.out({"-n", "n1"}),
            "PARTITION        AVAIL  TIMELIMIT  NODES  STATE NODELIST\n"
            "a-long-partition    up   infinite      1  alloc n1\n");
  EXPECT_EQ(desk.out({"-h", "-o", "%t"}), "drain\nmix\nalloc\n");
  EXPECT_EQ(desk.out({"-h", "-S", "t", "-o", "%t"}), "alloc\nmix\ndrain\n");
  EXPECT_EQ(desk.err({"-S", "?"}), "sinfo: error: Invalid sort specification: ?\n");
  EXPECT_EQ(a_cluster({"SINFO_FORMAT=%N", "SINFO_PARTITION=high"}).out({}), "NODELIST\nn[1-3]\n");
  EXPECT_EQ(desk.err({"-a", "-p", "x"}),
            "sinfo: error: Conflicting options, -a and -p, specified. Please choose one or the "
            "other.\n");
}

TEST(Sinfo, shows_partitions_without_nodes_and_closed_or_inactive_partitions) {
  Desk desk = a_cluster();
  auto& list = std::get<NodeList>(desk.answers[0]);
  list.partitions[1].time_limit_max_s = 36 * 3600;
  list.partitions[1].state = PartitionState::Inactive;
  list.partitions[0].closed = true;
  list.nodes.clear();
  EXPECT_EQ(desk.out({"-h"}),
            "main*      down   infinite      0    n/a \n"
            "high      inact 1-12:00:00      0    n/a \n");
  EXPECT_EQ(desk.out({"-h", "-o", "%D"}), "");
}

TEST(Sinfo, lists_reservations) {
  ReservationView view;
  view.reservation.name = "r1";
  view.reservation.begin = *parse_moment("2026-11-22T12:37:45Z");
  view.reservation.end = *parse_moment("2026-11-22T13:37:45Z");
  view.reservation.nodes = {"n3"};
  view.active = true;
  EXPECT_EQ((Desk{read_sinfo, {ReservationList{{view}}}}.out({"-T"})),
            "RESV_NAME     STATE           START_TIME             END_TIME     DURATION  NODELIST\n"
            "r1           ACTIVE  2026-11-22T12:37:45  2026-11-22T13:37:45     01:00:00  n3\n");
  EXPECT_EQ((Desk{read_sinfo, {ReservationList{}}}.out({"-T"})), "No reservations in the system\n");
}

TEST(Sinfo, prints_slurms_json) {
  const auto json = nlohmann::json::parse(a_cluster().out({"--json", "-p", "high"}));
  ASSERT_EQ(json["sinfo"].size(), 3u);
  const auto& row = json["sinfo"][2];
  EXPECT_EQ(row["node"]["state"], (nlohmann::json{"IDLE", "DRAIN"}));
  EXPECT_EQ(row["nodes"]["nodes"], nlohmann::json{"n3"});
  EXPECT_EQ(row["cpus"]["other"], 4);
  EXPECT_EQ(row["partition"]["name"], "high");
}

}  // namespace
}  // namespace cox
