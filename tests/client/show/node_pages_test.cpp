// Tests the whole pages of `cox nodes`, `cox show node` and `cox show partitions`.
#include <gtest/gtest.h>

#include "client/show/show_nodes.h"
#include "client/show/show_partitions.h"
#include "client/show/show_words.h"
#include "tests/client/sample_job.h"

namespace cox {
namespace {

NodeView a_node_of_the_page(const std::string& name) {
  NodeView view;
  view.node.name = name;
  view.node.responding = true;
  view.node.total.cpus = 8;
  view.node.total.memory_mb = 16'384;
  return view;
}

TEST(NodePage, shows_all_facts_of_a_node) {
  NodeView view = a_node_of_the_page("n1");
  view.node.drained = true;
  view.node.reason = "a fan";
  view.node.changed = before(at_noon(), 3 * minute_ms);
  view.node.total.gpus = {{0, "h100", "", 1}, {1, "h100", "", 1}, {2, "h100", "", 2}};
  view.node.total.gres = {{"fpga", "u280", 2}, {"nic", "", 4}, {"fpga", "u250", 1}};
  view.node.features = {"fast", "new"};
  view.node.weight = 7;
  view.node.address = "10.0.0.1";
  view.node.log_endpoint = "tcp://10.0.0.1:6819";
  view.node.version = "0.1.0";
  view.node.boot_id = "5f0c";
  view.cpus_used = 3;
  view.memory_mb_used = 1536;
  view.gpus_used = 2;
  view.gres_used = {{"fpga", "", 1}, {"nic", "", 3}, {"fpga", "u280", 1}};
  view.jobs = {JobId{4}, JobId{31}};
  view.job_names = {"4", "17_3"};
  view.partitions = {"gpu", "long"};
  view.reservations = {"class", "lab"};
  view.silent_ms = 400;
  view.load = NodeLoad{1'250, 2'048};
  view.load_at = before(at_noon(), 3'000);
  EXPECT_EQ(show_node(view, at_noon()),
            "node          n1\n"
            "state         drng\n"
            "note          a fan\n"
            "changed       3 min ago\n"
            "cpus          3/8 used\n"
            "memory        1.5 GiB of 16.0 GiB used\n"
            "load          12.50 in the last minute, 2.0 GiB of memory free, 3 s ago\n"
            "gpus          2/3 h100 used\n"
            "gpu links     0-1 2\n"
            "gres          fpga:u280:2,nic:4,fpga:u250:1\n"
            "gres used     2/3 fpga, 3/4 nic\n"
            "features      fast,new\n"
            "partitions    gpu,long\n"
            "weight        7\n"
            "reservations  class,lab\n"
            "jobs          4,17_3\n"
            "address       10.0.0.1\n"
            "logs at       tcp://10.0.0.1:6819\n"
            "version       0.1.0\n"
            "boot id       5f0c\n");
}

TEST(NodePage, leaves_out_what_a_node_does_not_have) {
  EXPECT_EQ(show_node(a_node_of_the_page("n2"), at_noon()),
            "node    n2\n"
            "state   idle\n"
            "cpus    0/8 used\n"
            "memory  0 B of 16.0 GiB used\n");
}

TEST(NodePage, a_note_says_why_a_node_is_silent_drained_or_reserved) {
  NodeView view = a_node_of_the_page("n1");
  const auto note = [&view] {
    const std::string page = show_node(view, at_noon());
    const std::size_t at = page.find("\nnote  ");
    if (at == std::string::npos) return std::string("(none)");
    const std::size_t value = page.find_first_not_of(' ', at + 5);
    return page.substr(value, page.find('\n', value) - value);
  };
  EXPECT_EQ(note(), "(none)");
  view.reservations = {"class", "lab"};
  EXPECT_EQ(note(), "reserved: class,lab");
  view.node.reason = "a fan";
  EXPECT_EQ(note(), "a fan");
  view.node.responding = false;
  view.silent_ms = 65'000;
  EXPECT_EQ(note(), "silent for 1 min 5 s: a fan");
  view.node.reason = "Not responding";
  EXPECT_EQ(note(), "silent for 1 min 5 s") << "the reason says the same again";
  view.node.reason = "";
  EXPECT_EQ(note(), "silent for 1 min 5 s");
  view.silent_ms = -1;
  EXPECT_EQ(note(), "not heard since this controller leads");
  view.silent_ms = 1'000;
  view.beats_to_return = 12;
  EXPECT_EQ(note(), "responds again; it is used after 12 more good heartbeats");
  view.beats_to_return = 1;
  EXPECT_EQ(note(), "responds again; it is used after 1 more good heartbeat");
  view.beats_to_return = 0;
  view.silent_ms = 65'000;
  view.second_worker = "10.0.0.9 (spool folder 5f0c, boot 77e1)";
  EXPECT_EQ(note(),
            "silent for 1 min 5 s; a second worker of this name, at 10.0.0.9 (spool folder 5f0c, "
            "boot 77e1), is not served");
}

TEST(NodePage, shows_the_state_of_a_node_that_takes_precedence) {
  NodeView view = a_node_of_the_page("n1");
  EXPECT_EQ(node_state_text(view), "idle");
  view.reservations = {"class"};
  EXPECT_EQ(node_state_text(view), "resv");
  view.jobs = {JobId{4}};
  view.cpus_used = 7;
  EXPECT_EQ(node_state_text(view), "mix");
  view.cpus_used = 8;
  EXPECT_EQ(node_state_text(view), "alloc");
  view.maint = true;
  EXPECT_EQ(node_state_text(view), "maint");
  view.node.drained = true;
  EXPECT_EQ(node_state_text(view), "drng");
  view.jobs.clear();
  EXPECT_EQ(node_state_text(view), "drain");
  view.node.responding = false;
  EXPECT_EQ(node_state_text(view), "down*");
}

TEST(NodesPage, lists_each_node_in_the_colour_of_its_state) {
  NodeList list;
  for (int i = 1; i <= 4; ++i) list.nodes.push_back(a_node_of_the_page("n" + std::to_string(i)));
  list.nodes[0].node.responding = false;
  list.nodes[0].node.drained = true;
  list.nodes[0].silent_ms = 40'000;
  list.nodes[1].node.drained = true;
  list.nodes[1].jobs = {JobId{4}};
  list.nodes[1].node.total.gpus = {{0, "h100", ""}, {1, "a40", ""}};
  list.nodes[2].jobs = {JobId{4}, JobId{5}};
  list.nodes[2].cpus_used = 8;
  list.nodes[2].memory_mb_used = 100;
  list.nodes[2].gpus_used = 1;
  list.nodes[2].node.total.gpus = {{0, "", ""}, {1, "", ""}};
  list.nodes[3].node.features = {"fast", "new"};
  list.partitions.resize(3);
  list.partitions[0].name = "main";
  list.partitions[1].name = "gpu";
  list.partitions[1].state = PartitionState::Drain;
  list.partitions[2].name = "long";
  list.partitions[2].state = PartitionState::Down;
  list.partitions[2].reason = "a switch";
  EXPECT_EQ(show_nodes(list, at_noon()),
            "NODE  STATE  CPUS                MEMORY  GPUS       FEATURES  JOBS  NOTE\n"
            "n1    down*   0/8        0 B / 16.0 GiB  -                          silent for 40 s\n"
            "n2    drng    0/8        0 B / 16.0 GiB  0/2 mixed            4\n"
            "n3    alloc   8/8  100.0 MiB / 16.0 GiB  1/2                  4,5\n"
            "n4    idle    0/8        0 B / 16.0 GiB  -          fast,new\n"
            "\n"
            "Partition gpu is DRAIN\n"
            "Partition long is DOWN: a switch\n");
  Screen colour = at_noon();
  colour.colour = true;
  list.partitions.clear();
  EXPECT_EQ(show_nodes(list, colour),
            "\033[1mNODE\033[0m  \033[1mSTATE\033[0m  \033[1mCPUS\033[0m                "
            "\033[1mMEMORY\033[0m  \033[1mGPUS\033[0m       \033[1mFEATURES\033[0m  "
            "\033[1mJOBS\033[0m  \033[1mNOTE\033[0m\n"
            "n1    \033[31mdown*\033[0m   0/8        0 B / 16.0 GiB  -                          "
            "silent for 40 s\n"
            "n2    \033[33mdrng\033[0m    0/8        0 B / 16.0 GiB  0/2 mixed            4\n"
            "n3    \033[32malloc\033[0m   8/8  100.0 MiB / 16.0 GiB  1/2                  4,5\n"
            "n4    idle    0/8        0 B / 16.0 GiB  -          fast,new\n");
}

TEST(NodesPage, says_that_no_node_has_registered) {
  EXPECT_EQ(show_nodes({}, at_noon()), "No nodes have registered yet.\n");
}

PartitionView a_partition_with_every_rule() {
  PartitionView all;
  all.name = "all";
  all.is_default = true;
  all.time_limit_max_s = 7200;
  all.time_limit_default_s = 600;
  all.priority_tier = 3;
  all.priority = 11;
  all.min_nodes = 2;
  all.max_nodes = 4;
  all.max_memory_mb_per_node = 4096;
  all.allow_accounts = {"physics", "art"};
  all.deny_accounts = {"guest"};
  all.allow_qos = {"high"};
  all.deny_qos = {"low", "none"};
  all.allow_groups = {"lab"};
  all.qos = "night";
  all.preempt_mode = PreemptMode::Suspend;
  all.exclusive = true;
  all.hours = "nights: Mon-Fri 18:00-08:00";
  return all;
}

TEST(PartitionsPage, shows_each_rule_by_its_name_in_slurm) {
  NodeList list;
  list.partitions = {a_partition_with_every_rule(), {}};
  list.partitions[1].name = "plain";
  for (int i = 1; i <= 3; ++i) list.nodes.push_back(a_node_of_the_page("n" + std::to_string(i)));
  list.nodes[0].partitions = {"plain", "all"};
  list.nodes[1].partitions = {"all"};
  EXPECT_EQ(show_partitions(list, at_noon()),
            "PARTITION  STATE  TIER   MAXTIME  NODES   RULES                                       "
            "                                                                                      "
            "                                                                                      "
            "                                                             NOTE\n"
            "all*       UP        3  02:00:00  n[1-2]  DefaultTime=00:10:00  MinNodes=2  "
            "MaxNodes=4  MaxMemPerNode=4096  AllowAccounts=physics,art  DenyAccounts=guest  "
            "AllowQos=high  DenyQos=low,none  AllowGroups=lab  QoS=night  PriorityJobFactor=11  "
            "PreemptMode=suspend  OverSubscribe=EXCLUSIVE  Hours=nights: Mon-Fri 18:00-08:00\n"
            "plain      UP        1  infinite  n1\n");
}

TEST(PartitionsPage, colours_each_partition_by_its_state) {
  NodeList list;
  for (const PartitionState state : {PartitionState::Up, PartitionState::Down,
                                     PartitionState::Drain, PartitionState::Inactive}) {
    PartitionView view;
    view.name = "p" + std::to_string(list.partitions.size());
    view.state = state;
    list.partitions.push_back(view);
  }
  list.partitions.push_back(list.partitions[0]);
  list.partitions[4].closed = true;
  list.partitions[4].reason = "quiet";
  list.partitions[4].hours = "mornings";
  list.partitions[4].turns = before(at_noon(), -5 * minute_ms);
  list.partitions.push_back(list.partitions[4]);
  list.partitions[5].state = PartitionState::Down;
  list.partitions[5].reason = "";
  Screen colour = at_noon();
  colour.colour = true;
  EXPECT_EQ(show_partitions(list, colour),
            "\033[1mPARTITION\033[0m  \033[1mSTATE\033[0m        \033[1mTIER\033[0m   "
            "\033[1mMAXTIME\033[0m  \033[1mNODES\033[0m  \033[1mRULES\033[0m           "
            "\033[1mNOTE\033[0m\n"
            "p0         \033[32mUP\033[0m              1  infinite\n"
            "p1         \033[31mDOWN\033[0m            1  infinite\n"
            "p2         \033[33mDRAIN\033[0m           1  infinite\n"
            "p3         \033[31mINACTIVE\033[0m        1  infinite\n"
            "p0         \033[33mUP+CLOSED\033[0m       1  infinite         Hours=mornings  quiet; "
            "closed until 2026-11-21 13:05:00 (in 5 min)\n"
            "p0         \033[31mDOWN+CLOSED\033[0m     1  infinite         Hours=mornings  closed "
            "until 2026-11-21 13:05:00 (in 5 min)\n");
  EXPECT_EQ(closed_partitions_text(list, at_noon()),
            "Partition p1 is DOWN\n"
            "Partition p2 is DRAIN\n"
            "Partition p3 is INACTIVE\n"
            "Partition p0 is closed until 2026-11-21 13:05:00 (in 5 min): hours mornings\n"
            "Partition p0 is DOWN\n"
            "Partition p0 is closed until 2026-11-21 13:05:00 (in 5 min): hours mornings\n");
}

}  // namespace
}  // namespace cox
