// Tests each column of sinfo, the order of rows, its own formats, and the options in effect.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "client/slurm/list/sinfo.h"
#include "client/slurm/list/sinfo_request.h"
#include "client/slurm/list/sinfo_rows.h"
#include "tests/client/listing_story.h"

namespace cox {
namespace {

PartitionView a_partition_of_rows(const std::string& name, std::int64_t tier) {
  PartitionView view;
  view.name = name;
  view.priority_tier = tier;
  return view;
}

// Returns four nodes: three are in partitions "main" and "long", one is in "main" only.
NodeList a_list_of_rows() {
  NodeList list;
  PartitionView main = a_partition_of_rows("main", 1);
  main.is_default = true;
  PartitionView long_jobs = a_partition_of_rows("long", 5);
  long_jobs.time_limit_max_s = 7 * 86'400;
  long_jobs.time_limit_default_s = 5400;
  long_jobs.allow_groups = {"staff", "phd"};
  long_jobs.min_nodes = 2;
  long_jobs.max_nodes = 8;
  long_jobs.exclusive = true;
  long_jobs.preempt_mode = PreemptMode::Cancel;
  long_jobs.priority = 40;
  list.partitions = {main, long_jobs};
  for (const char* name : {"n10", "n2", "n1", "n3"}) {
    NodeView& view = list.nodes.emplace_back();
    view.node.name = name;
    view.node.total = {4, 1000, {}, {}};
    view.node.responding = true;
    view.node.address = std::string("10.0.0.") + (name + 1);
    view.node.version = "1.0";
    view.partitions = {"main", "long"};
  }
  NodeView& big = list.nodes[0];
  big.node.total = {8, 4000, {{0, "h100", "", 0}, {1, "", "", 0}, {2, "h100", "", 0}}, {}};
  big.node.total.gres = {{"fpga", "x", 2}, {"fpga", "y", 1}};
  big.gres_used = {{"fpga", "x", 1}, {"fpga", "", 1}, {"nic", "", 1}};
  big.gpus_used = 2;
  big.node.weight = 3;
  big.node.features = {"fast", "new"};
  big.node.reason = "broken";
  big.node.changed = *parse_moment("2026-11-22T12:00:00Z");
  big.node.drained = true;
  big.cpus_used = 3;
  big.memory_mb_used = 700;
  big.reservations = {"class", "exam"};
  big.jobs = {JobId{7}};
  list.nodes[1].memory_mb_used = 50;
  list.nodes[3].partitions = {"main"};
  return list;
}

Desk a_desk_of_rows(std::vector<std::string> environment = {}) {
  return {read_sinfo, {a_list_of_rows()}, std::move(environment)};
}

TEST(SinfoColumns, OfEachFormatLetterShowNodesAndPartitions) {
  std::string letters = "%a";
  for (const char c : std::string("AbBcCdDeEfFgGhHiIlLmMnNoOpPrRsStTuUvVwXYzZ"))
    letters += std::string("|%") + c;
  const Desk desk = a_desk_of_rows();
  EXPECT_EQ(desk.out({"-n", "n10", "-p", "long", "-o", letters}),
            "AVAIL|NODES(A/I)|ACTIVE_FEATURES|MAX_CPUS_PER_NODE|CPUS|CPUS(A/I/O/T)|TMP_DISK|"
            "NODES|FREE_MEM|REASON|AVAIL_FEATURES|NODES(A/I/O/T)|GROUPS|GRES|OVERSUBSCRIBE|"
            "TIMESTAMP|RESERVATION|PRIO_JOB_FACTOR|TIMELIMIT|DEFAULTTIME|MEMORY|PREEMPT_MODE|"
            "HOSTNAMES|NODELIST|NODE_ADDR|CPU_LOAD|PRIO_TIER|PARTITION|ROOT|PARTITION|JOB_SIZE|"
            "ALLOCNODES|STATE|STATE|USER|USER|VERSION|CLUSTER|WEIGHT|SOCKETS|CORES|S:C:T|"
            "THREADS\n"
            "up|0/0|fast,new|UNLIMITED|8|3/0/5/8|0|1|N/A|broken|fast,new|0/0/1/1|staff,phd|gpu:1,"
            "gpu:h100:2,fpga:x:2,fpga:y:1|EXCLUSIVE|2026-11-22T12:00:00|class,exam|40|7-00:00:00|"
            "1:30:00|4000|CANCEL|n10|n10|10.0.0.10|N/A|5|long|no|long|2-8|all|drng|draining|"
            "Unknown|Unknown|1.0|N/A|3|8|1|8:1:1|1\n");
  EXPECT_EQ(desk.out({"-h", "-n", "n3", "-o", letters}),
            "up|0/1|(null)|UNLIMITED|4|0/4/0/4|0|1|N/A|none|(null)|0/1/0/1|all|(null)|NO|Unknown|"
            "|1|infinite|n/a|1000|REQUEUE|n3|n3|10.0.0.3|N/A|1|main*|no|main|1-infinite|all|idle|"
            "idle|Unknown|Unknown|1.0|N/A|1|4|1|4:1:1|1\n"
            "up|0/0||UNLIMITED|0|0/0/0/0|0|0|N/A|||0/0/0/0|staff,phd||EXCLUSIVE|||40|7-00:00:00|"
            "1:30:00|0|CANCEL||||N/A|5|long|no|long|2-8|all|n/a|n/a|Unknown|Unknown||N/A|0|0|1|"
            "0:1:1|1\n");
}

TEST(SinfoColumns, HaveNamesIfTheyHaveNoLetter) {
  Desk desk = a_desk_of_rows();
  EXPECT_EQ(desk.out({"-n", "n[2,10]", "-p", "main", "-e", "-S", "n", "-O",
                      "NodeHost:|,AllocMem:|,Comment:|,Extra:|,GresUsed:|,Share:|,Port:|,"
                      "StateComplete:|,Cluster:|"}),
            "HOSTNAMES|ALLOCMEM|COMMENT|EXTRA|GRES_USED|OVERSUBSCRIBE|PORT|STATECOMPLETE|CLUSTER|"
            "\n"
            "n2|50|(null)|(null)|(null)|NO|0|idle|N/A|\n"
            "n10|700|(null)|(null)|gpu:2(IDX:N/A),fpga:x:2,fpga:y:1|NO|0|mixed+drain+reserved|"
            "N/A|\n");
  EXPECT_EQ(desk.out({"-h", "-n", "n[1-2]", "-p", "main", "-O", "AllocMem:|,NodeAI:|"}),
            "50|0/2|\n");
  EXPECT_EQ(desk.out({"-n", "n2", "-p", "main", "-h", "-O", "all"}),
            desk.out({"-n", "n2", "-p", "main", "-h", "-o", "%all"}));
}

TEST(SinfoColumns, ShowPartitionsWithTheirLimits) {
  Desk desk = a_desk_of_rows();
  const auto shown = [&](const char* format) {
    return desk.out({"-h", "-p", "long", "-o", format});
  };
  EXPECT_EQ(shown("%s %l %L %g %h %M %I %p"),
            "2-8 7-00:00:00 1:30:00 staff,phd EXCLUSIVE CANCEL 40 5\n");
  auto& partition = std::get<NodeList>(desk.answers[0]).partitions[1];
  partition.min_nodes = 8;
  EXPECT_EQ(shown("%s"), "8\n");
  partition.min_nodes = 0;
  partition.max_nodes = 1;
  EXPECT_EQ(shown("%s"), "1\n");
  partition.max_nodes = 0;
  EXPECT_EQ(shown("%s"), "1-infinite\n");
  for (const auto& [mode, name] : {std::pair{PreemptMode::Checkpoint, "REQUEUE\n"},
                                   {PreemptMode::Requeue, "REQUEUE\n"},
                                   {PreemptMode::Off, "OFF\n"},
                                   {PreemptMode::Suspend, "SUSPEND\n"}}) {
    partition.preempt_mode = mode;
    EXPECT_EQ(shown("%M"), name);
  }
  for (const auto& [state, name] : {std::pair{PartitionState::Up, "up\n"},
                                    {PartitionState::Down, "down\n"},
                                    {PartitionState::Drain, "drain\n"},
                                    {PartitionState::Inactive, "inact\n"}}) {
    partition.state = state;
    EXPECT_EQ(shown("%a"), name);
  }
}

TEST(SinfoColumns, GroupNodesWithEqualColumns) {
  const Desk desk = a_desk_of_rows();
  EXPECT_EQ(desk.out({"-h", "-o", "%N %D %A %F %C"}), "n[1-3,10] 4 0/3 0/3/1/4 3/12/5/20\n");
  EXPECT_EQ(desk.out({"-h", "-o", "%N %c %m %w %z"}), "n[1-3,10] 4+ 1000+ 1+ 4+:1:1\n");
  EXPECT_EQ(desk.out({"-h", "-e", "-S", "-c", "-o", "%N %c %m %w"}),
            "n10 8 4000 3\nn[1-3] 4 1000 1\n");
  EXPECT_EQ(desk.out({"-h", "-S", "f", "-o", "%N %f"}), "n[1-3] (null)\nn10 fast,new\n");
  EXPECT_EQ(desk.out({"-h", "-S", "-P", "-o", "%P %D"}), "main* 4\nlong 3\n");
  EXPECT_EQ(desk.out({"-h", "-S", "P", "-o", "%P %D"}), "long 3\nmain* 4\n");
  EXPECT_EQ(desk.out({"-h", "-o", "%P %D"}), "main* 4\nlong 3\n")
      << "partitions are in the configured order";
}

TEST(SinfoColumns, SortByValueRatherThanByText) {
  Desk desk = a_desk_of_rows();
  auto& list = std::get<NodeList>(desk.answers[0]);
  list.nodes[1].node.total.cpus = 16;
  list.nodes[1].load = NodeLoad{250, 90};
  list.nodes[2].load = NodeLoad{1050, 800};
  const auto nodes = [&](const std::string& by) {
    std::string text = desk.out({"-h", "-N", "-p", "main", "-S", by, "-o", "%n"});
    std::ranges::replace(text, '\n', ' ');
    return text;
  };
  EXPECT_EQ(nodes("N"), "n1 n2 n3 n10 ");
  EXPECT_EQ(nodes("-n"), "n10 n3 n2 n1 ");
  EXPECT_EQ(nodes("c,N"), "n1 n3 n10 n2 ");
  EXPECT_EQ(nodes("m,N"), "n1 n2 n3 n10 ");
  EXPECT_EQ(nodes("-w,-N"), "n10 n3 n2 n1 ");
  EXPECT_EQ(nodes("O,N"), "n2 n1 n3 n10 ") << "an unknown load comes last";
  EXPECT_EQ(nodes("e,N"), "n2 n1 n3 n10 ");
  EXPECT_EQ(nodes("-H,N"), "n10 n1 n2 n3 ");
  EXPECT_EQ(nodes("-E,N"), "n1 n2 n3 n10 ") << "a node without a reason comes after \"broken\"";
  EXPECT_EQ(nodes("G,N"), "n1 n2 n3 n10 ");
  EXPECT_EQ(nodes("-i,N"), "n10 n1 n2 n3 ");
  const auto partitions = [&](const std::string& by) {
    std::string text = desk.out({"-h", "-S", by, "-o", "%P%l%p%L%s%g%h%a%D"});
    return text.substr(0, 4);
  };
  for (const char* by : {"l", "-p", "D", "-s", "-I", "h", "P", "L"})
    EXPECT_EQ(partitions(by), "long") << by;
  for (const char* by : {"-l", "p", "-D", "s", "I", "-h", "-P", "-L", "g"})
    EXPECT_EQ(partitions(by), "main") << by;
}

TEST(SinfoColumns, ShowRowsWithoutNodesOnlyIfPartitionsAreRequested) {
  Desk desk = a_desk_of_rows();
  const auto none = [&](const char* format) {
    return desk.out({"-h", "-t", "down", "-o", format});
  };
  EXPECT_EQ(none("%P %D %c %t %T %N|%n %O %e"),
            "main* 0 0 n/a n/a | N/A N/A\nlong 0 0 n/a n/a | N/A N/A\n");
  EXPECT_EQ(none("%R"), "main\nlong\n");
  EXPECT_EQ(none("%D"), "");
  EXPECT_EQ(desk.out({"-h", "-N", "-t", "down", "-o", "%P"}), "");
}

TEST(SinfoColumns, ShowReasonsOfUnavailableNodes) {
  Desk desk = a_desk_of_rows();
  auto& nodes = std::get<NodeList>(desk.answers[0]).nodes;
  nodes[1].node.responding = false;
  EXPECT_EQ(desk.out({"-R", "-l"}),
            "Sun Nov 22 12:32:03 2026\n"
            "REASON               USER         TIMESTAMP           STATE  NODELIST\n"
            "none                 Unknown      Unknown             down*  n2\n"
            "broken               Unknown      2026-11-22T12:00:00 drng   n10\n");
  EXPECT_EQ(desk.out({"-h", "-R", "-t", "drain"}),
            "broken               Unknown   2026-11-22T12:00:00 n10\n");
  EXPECT_EQ(desk.out({"-h", "-s", "-p", "long"}),
            "long         up 7-00:00:00          0/1/2/3 n[1-2,10]\n");
}

TEST(SinfoColumns, WidenForLongNames) {
  Desk desk = a_desk_of_rows();
  auto& list = std::get<NodeList>(desk.answers[0]);
  list.partitions = {a_partition_of_rows("main-part", 1)};
  for (NodeView& node : list.nodes) node.partitions = {"main-part"};
  list.nodes[0].node.name = "a-long-node-name";
  const auto head = [&] {
    const std::string text = desk.out({"-N"});
    return text.substr(0, text.find('\n'));
  };
  EXPECT_EQ(head(), "NODELIST          NODES PARTITION STATE ");
  list.partitions[0].is_default = true;
  EXPECT_EQ(head(), "NODELIST          NODES  PARTITION STATE ")
      << "the asterisk of the default partition is included";
  EXPECT_EQ(desk.out({"-h", "-n", "n2", "-o", "%9P|%3N|"}), "main-part|n2 |\n")
      << "formats of the user do not change";
}

TEST(SinfoColumns, ListReservationsInWideningColumns) {
  ReservationView one;
  one.reservation.name = "a-long-name-indeed";
  one.reservation.begin = *parse_moment("2026-11-22T12:37:45Z");
  one.reservation.end = *parse_moment("2026-11-24T14:39:50Z");
  one.reservation.nodes = {"n1", "n2"};
  ReservationView other = one;
  other.reservation.name = "day";
  other.reservation.end = *parse_moment("2026-11-23T12:37:45Z");
  other.active = true;
  const Desk desk{read_sinfo, {ReservationList{{one, other}}}};
  EXPECT_EQ(desk.out({"-T", "-l"}),
            "Sun Nov 22 12:32:03 2026\n"
            "RESV_NAME              STATE           START_TIME             END_TIME     DURATION "
            " NODELIST\n"
            "a-long-name-indeed  INACTIVE  2026-11-22T12:37:45  2026-11-24T14:39:50   2-02:02:05 "
            " n[1-2]\n"
            "day                   ACTIVE  2026-11-22T12:37:45  2026-11-23T12:37:45   1-00:00:00 "
            " n[1-2]\n");
  EXPECT_EQ(desk.out({"-T", "-h"}).substr(0, 29), "a-long-name-indeed  INACTIVE ");
}

TEST(SinfoColumns, ShowTheOptionsInEffectUnderVerbose) {
  const Desk desk = a_desk_of_rows();
  const std::string all = desk.out({"-v", "-v", "-d", "-e", "-l", "-h", "-N", "-r", "-s", "-i", "5",
                                    "-n", "n[1-2]", "-p", "main", "-t", "idle,mix", "-S", "N"});
  EXPECT_EQ(all,
            "-----------------------------\n"
            "dead        = true\n"
            "exact       = 1\n"
            "format      = %9P %.5a %.10l %.16F %N\n"
            "iterate     = 5\n"
            "long        = true\n"
            "no_header   = true\n"
            "node_format = true\n"
            "nodes       = n1,n2\n"
            "partition   = main\n"
            "responding  = true\n"
            "states      = idle,mix\n"
            "sort        = N\n"
            "summarize   = true\n"
            "verbose     = 2\n"
            "-----------------------------\n");
  const std::string none = desk.out({"-v"});
  EXPECT_EQ(none.substr(0, none.find("Sun ")),
            "-----------------------------\n"
            "dead        = false\n"
            "exact       = 0\n"
            "format      = %9P %.5a %.10l %.6D %.6t %N\n"
            "iterate     = 0\n"
            "long        = false\n"
            "no_header   = false\n"
            "node_format = false\n"
            "nodes       = n/a\n"
            "partition   = n/a\n"
            "responding  = false\n"
            "states      = (null)\n"
            "sort        = (null)\n"
            "summarize   = false\n"
            "verbose     = 1\n"
            "-----------------------------\n");
  EXPECT_EQ(none.substr(none.find("Sun "), 25), "Sun Nov 22 12:32:03 2026\n")
      << "with the date, as in Slurm";
}

TEST(SinfoColumns, RequestTheClusterOnlyIfItIsShown) {
  const Desk desk = a_desk_of_rows();
  EXPECT_EQ(desk.listing({}).questions.size(), 1u);
  EXPECT_TRUE(std::holds_alternative<ListNodes>(desk.listing({}).questions[0]));
  EXPECT_TRUE(std::holds_alternative<ListReservations>(desk.listing({"-T"}).questions[0]));
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"-M", "all"}, {"--json"}, {"--yaml"}, {"-O", "CLUSTER"}, {"-O", "Cluster:9"}})
    EXPECT_EQ(desk.listing(words).questions.size(), 2u) << words[0];
  EXPECT_EQ(desk.listing({"-i", "7", "--config=/x"}).every_s, 7);
  EXPECT_EQ(desk.listing({"-i", "7", "--config=/x"}).config, "/x");
}

TEST(SinfoColumns, AreSetByVariablesUnlessOptionsOverrideThem) {
  EXPECT_EQ(a_desk_of_rows({"SINFO_PARTITION=long"}).out({"-h", "-a", "-o", "%P"}),
            "main*\nlong\n");
  EXPECT_EQ(a_desk_of_rows({"SINFO_PARTITION=long"}).out({"-h", "-p", "main", "-o", "%P"}),
            "main*\n");
  EXPECT_NE(a_desk_of_rows({"SINFO_PARTITION=long", "SINFO_ALL=1"})
                .err({})
                .find("SINFO_ALL and SINFO_PARTITION"),
            std::string::npos);
  EXPECT_EQ(a_desk_of_rows({"SINFO_ALL=1"}).shown({}).exit_code, 0);
  EXPECT_EQ(a_desk_of_rows({"SLURM_TIME_FORMAT=%H:%M"}).out({"-h", "-n", "n10", "-o", "%H"}),
            "12:00\n");
  EXPECT_EQ(a_desk_of_rows({"SINFO_FORMAT=%n"}).out({"-h", "-N", "-n", "n1", "-p", "main"}),
            "n1             1     main* idle  \n")
      << "-N has a format of its own";
  const Desk desk = a_desk_of_rows();
  EXPECT_EQ(desk.err({"-i", "0"}), "sinfo: error: Error: invalid entry for --iterate=0\n");
  EXPECT_EQ(desk.err({"-n", "n[2-1]"}), "sinfo: error: 'n[2-1]' invalid entry for --nodes\n");
  EXPECT_EQ(desk.out({"-h", "-t", "idle", "-t", "all", "-p", "long", "-o", "%D"}), "3\n");
  EXPECT_EQ(desk.err({"-t", "idle&nosuch"}).substr(0, 45),
            "sinfo: error: Bad state string: \"nosuch\"\nsinf");
  EXPECT_EQ(desk.err({"-o", "%%%k%y"}),
            "Invalid node format specification: k\nInvalid node format specification: y\n");
  EXPECT_EQ(desk.err({"-O", "NodeHost,Nonsense"}),
            "sinfo: error: Invalid job format specification: Nonsense\n");
}

TEST(SinfoColumns, CountGresByTypeIfItIsKnown) {
  NodeView view;
  EXPECT_EQ(gres_of(view), "(null)");
  EXPECT_EQ(gres_used_of(view), "(null)");
  view.node.total.gpus = {{0, "", "", 0}, {1, "", "", 0}};
  view.gpus_used = 1;
  EXPECT_EQ(gres_of(view), "gpu:2");
  EXPECT_EQ(gres_used_of(view), "gpu:1(IDX:N/A)");
  const NodeList list = a_list_of_rows();
  EXPECT_EQ(gres_of(list.nodes[0]), "gpu:1,gpu:h100:2,fpga:x:2,fpga:y:1");
  EXPECT_EQ(gres_used_of(list.nodes[0]), "gpu:2(IDX:N/A),fpga:x:2,fpga:y:1")
      << "a used GPU without a type may be of either type";
}

TEST(SinfoJson, ContainsAllFieldsOfARow) {
  Desk desk = a_desk_of_rows();
  ClusterView cluster;
  cluster.name = "lake";
  desk.answers.emplace_back(cluster);
  auto& nodes = std::get<NodeList>(desk.answers[0]).nodes;
  nodes[1].load = NodeLoad{50, 100};
  nodes[2].load = NodeLoad{150, 900};
  const auto json = nlohmann::json::parse(desk.out({"--json", "-p", "long"}));
  ASSERT_EQ(json["sinfo"].size(), 2u);
  EXPECT_EQ(json["sinfo"][0].dump(),
            "{\"cluster\":\"lake\",\"cpus\":{\"allocated\":3,\"idle\":0,\"load\":{\"maximum\":0,"
            "\"minimum\":0},\"maximum\":8,\"minimum\":8,\"other\":5,\"total\":8},"
            "\"features\":{\"active\":\"fast,new\",\"total\":\"fast,new\"},"
            "\"gres\":{\"total\":\"gpu:1,gpu:h100:2,fpga:x:2,fpga:y:1\","
            "\"used\":\"gpu:2(IDX:N/A),fpga:x:2,fpga:y:1\"},\"memory\":{\"allocated\":700,"
            "\"free\":{\"maximum\":{\"infinite\":false,\"number\":0,\"set\":false},"
            "\"minimum\":{\"infinite\":false,\"number\":0,\"set\":false}},\"maximum\":4000,"
            "\"minimum\":4000},\"node\":{\"state\":[\"MIXED\",\"DRAIN\",\"RESERVED\"]},"
            "\"nodes\":{\"addresses\":[\"10.0.0.10\"],\"allocated\":0,\"hostnames\":[\"n10\"],"
            "\"idle\":0,\"nodes\":[\"n10\"],\"other\":1,\"total\":1},"
            "\"partition\":{\"accounts\":{\"allowed\":\"\",\"deny\":\"\"},"
            "\"defaults\":{\"time\":{\"infinite\":false,\"number\":90,\"set\":true}},"
            "\"groups\":{\"allowed\":\"staff,phd\"},\"maximums\":{\"nodes\":{\"infinite\":false,"
            "\"number\":8,\"set\":true},\"time\":{\"infinite\":false,\"number\":10080,"
            "\"set\":true}},\"minimums\":{\"nodes\":2},\"name\":\"long\","
            "\"partition\":{\"state\":[\"UP\"]},\"priority\":{\"job_factor\":40,\"tier\":5},"
            "\"qos\":{\"allowed\":\"\",\"assigned\":\"\",\"deny\":\"\"}},"
            "\"reason\":{\"description\":\"broken\"},\"weight\":{\"maximum\":3,\"minimum\":3}}");
  EXPECT_EQ(json["sinfo"][1].dump(),
            "{\"cluster\":\"lake\",\"cpus\":{\"allocated\":0,\"idle\":8,"
            "\"load\":{\"maximum\":150,\"minimum\":50},\"maximum\":4,\"minimum\":4,\"other\":0,"
            "\"total\":8},\"features\":{\"active\":\"\",\"total\":\"\"},\"gres\":{\"total\":\"\","
            "\"used\":\"\"},\"memory\":{\"allocated\":50,"
            "\"free\":{\"maximum\":{\"infinite\":false,\"number\":900,\"set\":true},"
            "\"minimum\":{\"infinite\":false,\"number\":100,\"set\":true}},\"maximum\":1000,"
            "\"minimum\":1000},\"node\":{\"state\":[\"IDLE\"]},"
            "\"nodes\":{\"addresses\":[\"10.0.0.1\",\"10.0.0.2\"],\"allocated\":0,"
            "\"hostnames\":[\"n1\",\"n2\"],\"idle\":2,\"nodes\":[\"n1\",\"n2\"],\"other\":0,"
            "\"total\":2},\"partition\":{\"accounts\":{\"allowed\":\"\",\"deny\":\"\"},"
            "\"defaults\":{\"time\":{\"infinite\":false,\"number\":90,\"set\":true}},"
            "\"groups\":{\"allowed\":\"staff,phd\"},\"maximums\":{\"nodes\":{\"infinite\":false,"
            "\"number\":8,\"set\":true},\"time\":{\"infinite\":false,\"number\":10080,"
            "\"set\":true}},\"minimums\":{\"nodes\":2},\"name\":\"long\","
            "\"partition\":{\"state\":[\"UP\"]},\"priority\":{\"job_factor\":40,\"tier\":5},"
            "\"qos\":{\"allowed\":\"\",\"assigned\":\"\",\"deny\":\"\"}},"
            "\"reason\":{\"description\":\"\"},\"weight\":{\"maximum\":1,\"minimum\":1}}");
}

}  // namespace
}  // namespace cox
