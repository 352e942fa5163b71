// Tests whole pages of sprio, sshare, sdiag and `scontrol show config`, with all columns.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "client/command_line.h"
#include "client/slurm/control/config_record.h"
#include "tests/client/find_command.h"

namespace cox {
namespace {

Shown shown_with(const char* name, const std::vector<std::string>& words, const Answer& answer) {
  const Command& command = command_called(name);
  Parsed parsed = parse_options(command, words);
  if (const auto* why = std::get_if<Refusal>(&parsed)) return {"", why->fact, exit_refused};
  Options& options = *std::get<std::unique_ptr<Options>>(parsed);
  EXPECT_FALSE(options.resolve({{}, [] { return std::string("ada"); }}));
  Screen screen;
  screen.now = wall_from_ms(1'700'000'000'000);
  screen.zone.offset_s = 3600;
  return command.show(answer, options, screen);
}

PriorityList all_factors() {
  PriorityList list;
  list.weights = {{"age", 350},       {"fair share", 5000}, {"size", 100}, {"shortness", 1000},
                  {"partition", 200}, {"QOS", 400},         {"CPUs", 10},  {"GPUs", 20}};
  JobPriority one;
  one.id = JobId{7};
  one.job_name = "7";
  one.user_name = "ada";
  one.account = "physics";
  one.partition = "main";
  one.qos = "high";
  one.factors = {{"age", 35},        {"fair share", 2500}, {"size", 25}, {"shortness", 250},
                 {"partition", 100}, {"QOS", 200},         {"CPUs", 5},  {"GPUs", 4},
                 {"site", 50},       {"nice", -10}};
  one.priority = 3169.6;
  JobPriority other = one;
  other.id = JobId{18};
  other.job_name = "18";
  other.user_name = "bob";
  other.account = "";
  other.partition = "long";
  other.qos = "low";
  other.factors = {{"age", 100}};
  other.priority = 0.25;
  list.jobs = {one, other};
  return list;
}

TEST(SprioColumns, OfTheLongReportAreThoseOfSlurm) {
  EXPECT_EQ(shown_with("sprio", {"-l"}, all_factors()).out,
            "          JOBID PARTITION     USER  ACCOUNT   PRIORITY       SITE        AGE      "
            "ASSOC  FAIRSHARE    JOBSIZE  PARTITION    QOSNAME        QOS        NICE            "
            "     TRES\n"
            "              7 main           ada  physics       3170        300         35        "
            "  0       2500         25        100       high        200          10     cpu=5,"
            "gres/gpu=4\n"
            "             18 long           bob   (null)          1          0        100        "
            "  0          0          0          0        low          0           0     cpu=0,"
            "gres/gpu=0\n");
  EXPECT_EQ(shown_with("sprio", {"-l", "-n"}, all_factors()).out,
            "          JOBID PARTITION     USER  ACCOUNT   PRIORITY       SITE        AGE      "
            "ASSOC  FAIRSHARE    JOBSIZE  PARTITION    QOSNAME        QOS        NICE            "
            "     TRES\n"
            "              7 main           ada  physics 0.00000074  0.3000000  0.1000000  "
            "0.0000000  0.5000000  0.2500000  0.5000000       high  0.5000000          10 "
            "cpu=0.5000000,gres/g\n"
            "             18 long           bob   (null) 0.00000000  0.0000000  0.2857143  "
            "0.0000000  0.0000000  0.0000000  0.0000000        low  0.0000000           0 "
            "cpu=0.0000000,gres/g\n");
  EXPECT_EQ(shown_with("sprio", {"-l", "-w"}, all_factors()).out,
            "          JOBID PARTITION     USER  ACCOUNT   PRIORITY       SITE        AGE      "
            "ASSOC  FAIRSHARE    JOBSIZE  PARTITION    QOSNAME        QOS        NICE            "
            "     TRES\n"
            "        Weights                                              1000        350        "
            "  0       5000        100        200                   400               cpu=10,"
            "gres/gpu=20\n");
  EXPECT_EQ(shown_with("sprio", {"-n", "-w"}, all_factors()).out,
            "          JOBID PARTITION   PRIORITY       SITE        AGE  FAIRSHARE    JOBSIZE  "
            "PARTITION        QOS                 TRES\n"
            "        Weights                      1000.00000 350.000000 5000.00000 100.000000 "
            "200.000000 400.000000 cpu=10.0000000,gres/\n");
}

TEST(SprioColumns, HaveTheWaitAfterWhichAJobGoesFirst) {
  PriorityList list = all_factors();
  list.jobs[0].first_after_s = 7'800;
  EXPECT_EQ(shown_with("sprio", {"-o", "%.5i %.11w"}, list).out,
            "JOBID FIRST_AFTER\n"
            "    7    02:10:00\n"
            "   18            \n");
}

TEST(SprioColumns, AreThoseOfFactorsWithAWeight) {
  PriorityList list = all_factors();
  list.weights = {{"age", 350}, {"CPUs", 0}, {"GPUs", 20}};
  EXPECT_EQ(shown_with("sprio", {}, list).out,
            "          JOBID PARTITION   PRIORITY       SITE        AGE                 TRES\n"
            "              7 main            3170        300         35           gres/gpu=4\n"
            "             18 long               1          0        100           gres/gpu=0\n");
  list.weights = {{"size", 5}, {"CPUs", 10}};
  EXPECT_EQ(shown_with("sprio", {"-h", "-u", "ada"}, list).out,
            "              7 main           ada       3170        300         25                "
            "cpu=5\n");
}

TEST(SprioColumns, AreCutAndPaddedAsTheFormatSays) {
  const auto with = [](const std::string& format) {
    return shown_with("sprio", {"-h", "-S", "i", "-o", format}, all_factors());
  };
  EXPECT_EQ(with("%2u|%3u|%5u|%.5u|%.2u%%").err.substr(0, 51),
            "sprio: error: Invalid job format specification: %\nv");
  EXPECT_EQ(with("%2u|%3u|%5u|%.5u|%.2u").out, "ad|ada|ada  |  ada|ad\nbo|bob|bob  |  bob|bo\n");
  EXPECT_EQ(with("%o,%n,%r,%y").out, "physics,high,main,0.00000074\n(null),low,long,0.00000000\n");
  EXPECT_EQ(with("%a %b %B %f %j %p %q %s %t").out,
            "0.1000000 0.0000000 0 0.5000000 0.2500000 0.5000000 0.5000000 0.3000000 "
            "cpu=0.5000000,gres/gpu=0.2000000\n"
            "0.2857143 0.0000000 0 0.0000000 0.0000000 0.0000000 0.0000000 0.0000000 "
            "cpu=0.0000000,gres/gpu=0.0000000\n");
  EXPECT_EQ(with("%A %F %J %P %Q %S %T %N").out,
            "35 2500 25 100 200 300 cpu=5,gres/gpu=4 10\n100 0 0 0 0 0 cpu=0,gres/gpu=0 0\n");
  EXPECT_EQ(with("%").exit_code, exit_refused);
  EXPECT_EQ(with("%5000i").out.size(), 2 * 4097U) << "widths have a limit";
}

TEST(SprioColumns, SortAsRequestedAndIdsAsNumbers) {
  PriorityList list = all_factors();
  list.jobs.push_back(list.jobs[0]);
  list.jobs.back().job_name = "9";
  list.jobs.back().user_name = "bob";
  const auto order = [&](const std::string& by) {
    return shown_with("sprio", {"-h", "-S", by, "-o", "%i"}, list).out;
  };
  EXPECT_EQ(order("i"), "7\n9\n18\n") << "ids are sorted as numbers";
  EXPECT_EQ(order("-i"), "18\n9\n7\n");
  EXPECT_EQ(order("u,i"), "7\n9\n18\n");
  EXPECT_EQ(order("u,-i"), "7\n18\n9\n");
  EXPECT_EQ(order("-u,-i"), "18\n9\n7\n");
  EXPECT_EQ(order("+r,i"), "18\n7\n9\n");
  EXPECT_EQ(order("!,-Y,i"), "7\n9\n18\n") << "unknown columns do not sort";
}

TEST(SprioColumns, AreShownForTheRequestedUsersAndPartitions) {
  const auto ids = [](std::vector<std::string> words) {
    words.insert(words.end(), {"-h", "-o", "%i"});
    const Shown shown = shown_with("sprio", words, all_factors());
    return shown.out + shown.err;
  };
  EXPECT_EQ(ids({"-u", "ada,bob"}), "7\n18\n");
  EXPECT_EQ(ids({"-u", "ada", "-p", "long"}), "");
  EXPECT_EQ(ids({"-p", "gpu,long"}), "18\n");
  PriorityList none = all_factors();
  none.jobs.clear();
  EXPECT_EQ(shown_with("sprio", {"-h", "-j", "5"}, none).err,
            "Unable to find jobs matching user/id(s) specified\n");
  EXPECT_EQ(shown_with("sprio", {"-h"}, none).err, "");
  EXPECT_EQ(shown_with("sprio", {"-h", "-w", "-o", "%i%r%u%o%n%Y%y%N"}, all_factors()).out,
            "Weights\n")
      << "weights belong to no job";
  EXPECT_EQ(shown_with("sprio", {}, Statistics{}).err, "sprio: error: Unexpected message\n");
}

TEST(SprioColumns, AreInTheJson) {
  const auto jobs =
      nlohmann::json::parse(shown_with("sprio", {"--json", "-S", "i"}, all_factors()).out)["jobs"];
  EXPECT_EQ(jobs[0].dump(),
            "{\"account\":\"physics\",\"factors\":{\"age\":35.0,\"fairshare\":2500.0,"
            "\"job_size\":25.0,\"partition\":100.0,\"qos\":200.0,\"site\":300.0,\"tres\":\"cpu=5,"
            "gres/gpu=4\"},\"job\":\"7\",\"job_id\":7,\"nice\":10.0,\"partition\":\"main\","
            "\"priority\":3169.6,\"qos\":\"high\",\"user_name\":\"ada\"}");
  EXPECT_EQ(jobs[1]["priority"], 1.0) << "0 would mean held";
  EXPECT_EQ(jobs[1]["nice"].dump(), "0.0") << "it is not -0";
}

AssociationView a_share(std::int64_t id, const std::string& account, const std::string& user,
                        const std::string& parent, double usage) {
  AssociationView view;
  view.association.id = AssociationId{id};
  view.association.account = account;
  view.association.user_name = user;
  view.association.parent = parent;
  view.usage = usage;
  view.usage_part = usage / 1000;
  view.shares_part = 0.25;
  view.fair_share = 0.125 * static_cast<double>(id);
  return view;
}

AssociationList a_tree_of_shares() {
  AssociationList list;
  list.cluster = "lake";
  list.associations = {
      a_share(1, "root", "", "", 1000),          a_share(2, "physics", "", "root", 600.4),
      a_share(3, "lattice", "", "physics", 200), a_share(4, "biology", "", "root", 0),
      a_share(5, "physics", "ada", "", 100),     a_share(6, "physics", "bob", "", 300),
      a_share(7, "root", "ada", "", 200.6),      a_share(8, "biology", "eve", "", 0)};
  Association& physics = list.associations[1].association;
  physics.shares = 30;
  physics.limits.grp_tres_mins = {{Tres::Cpus, "", "", 5000}};
  list.associations[1].minutes_used = {{Tres::Cpus, "", "", 12}};
  list.associations[1].held = {{Tres::Cpus, "", "", 3}};
  list.associations[4].association.partition = "main";
  list.associations[5].association.shares_of_parent = true;
  return list;
}

TEST(SshareColumns, OfTheLongReportAreThoseOfSlurm) {
  EXPECT_EQ(shown_with("sshare", {"-l", "-a", "-p"}, a_tree_of_shares()).out,
            "Account|User|RawShares|NormShares|RawUsage|NormUsage|EffectvUsage|FairShare|LevelFS|"
            "GrpTRESMins|TRESRunMins|\n"
            "root||||1000||1.000000|||||\n"
            " root|ada|1|0.250000|201|0.200600|0.250437|0.875000|0.998255|||\n"
            " physics||30|0.250000|600|0.600400|0.749563||0.333528|cpu=5000|cpu=3|\n"
            "  physics|ada|1|0.250000|100|0.100000|0.166667|0.625000|1.500000|||\n"
            "  physics|bob|parent|0.250000|300|0.300000|0.500000|0.750000|0.500000|||\n"
            "  lattice||1|0.250000|200|0.200000|0.333333||0.750000|||\n"
            " biology||1|0.250000|0|0.000000|0.000000||inf|||\n"
            "  biology|eve|1|0.250000|0|0.000000|0.000000|1.000000|inf|||\n");
  EXPECT_EQ(shown_with("sshare", {"-a", "-m", "-u", "bob"}, a_tree_of_shares()).out,
            "Account                    User    Partition  RawShares  NormShares    RawUsage  "
            "EffectvUsage  FairShare \n"
            "-------------------- ---------- ------------ ---------- ----------- ----------- "
            "------------- ---------- \n"
            "root                                                                       1000     "
            " 1.000000            \n"
            " root                       ada                       1    0.250000         201     "
            " 0.250437   0.875000 \n"
            " physics                                             30    0.250000         600     "
            " 0.749563            \n"
            "  physics                   ada         main          1    0.250000         100     "
            " 0.166667   0.625000 \n"
            "  physics                   bob                  parent    0.250000         300     "
            " 0.500000   0.750000 \n"
            "  lattice                                             1    0.250000         200     "
            " 0.333333            \n"
            " biology                                              1    0.250000           0     "
            " 0.000000            \n"
            "  biology                   eve                       1    0.250000           0     "
            " 0.000000   1.000000 \n");
  EXPECT_EQ(shown_with("sshare", {"-h"}, a_tree_of_shares()).out.find("Account"), std::string::npos)
      << "there are no headings";
}

TEST(SshareColumns, MayBeNamedByAbbreviations) {
  const auto with = [](const std::string& format) {
    const Shown shown =
        shown_with("sshare", {"-h", "-a", "-A", "physics", "-o", format}, a_tree_of_shares());
    return shown.out + shown.err;
  };
  EXPECT_EQ(with("id,acc%-9,user%3,cluster%5,grptresraw%6,tresr%6"),
            "     2  physics       lake cpu=12  cpu=3 \n"
            "     5   physics ada  lake               \n"
            "     6   physics bob  lake               \n");
  EXPECT_EQ(with("user%2"), "   \na+ \nb+ \n");
  EXPECT_NE(with("user%x").find("has an invalid width"), std::string::npos);
  EXPECT_NE(with("user%3x").find("has an invalid width"), std::string::npos);
  EXPECT_NE(with("user%4097").find("has an invalid width"), std::string::npos);
  EXPECT_EQ(with("user%4096").size(), 3 * 4098U);
  EXPECT_NE(with("user,").find("Invalid field requested"), std::string::npos);
}

TEST(SshareColumns, ShowTheRequestedUsersAndAccounts) {
  const auto rows = [](std::vector<std::string> words) {
    words.insert(words.end(), {"-h", "-P", "-o", "account,user"});
    return shown_with("sshare", words, a_tree_of_shares()).out;
  };
  EXPECT_EQ(rows({}), "root|\n root|ada\n physics|\n  physics|ada\n  lattice|\n biology|\n");
  EXPECT_EQ(rows({"-u", "eve,bob"}),
            "root|\n"
            " physics|\n"
            "  physics|bob\n"
            "  lattice|\n"
            " biology|\n"
            "  biology|eve\n");
  EXPECT_EQ(rows({"-U"}), "root|ada\nphysics|ada\n");
  EXPECT_EQ(rows({"-U", "-a"}), "root|ada\nphysics|ada\nphysics|bob\nbiology|eve\n");
  EXPECT_EQ(rows({"-A", "biology", "-u", "bob"}), " biology|\n");
  EXPECT_EQ(shown_with("sshare", {"-e"}, a_tree_of_shares()).out,
            "Account             Cluster             User                Partition           \n"
            "RawShares           NormShares          RawUsage            NormUsage           \n"
            "EffectvUsage        FairShare           LevelFS             GrpTRESMins         \n"
            "GrpTRESRaw          TRESRunMins         ID                  \n");
  EXPECT_EQ(shown_with("sshare", {}, Statistics{}).err, "sshare: error: Unexpected message\n");
}

TEST(SshareColumns, AreInTheJson) {
  const auto shares =
      nlohmann::json::parse(shown_with("sshare", {"--json", "-a"}, a_tree_of_shares()).out);
  EXPECT_EQ(shares["shares"]["total_shares"], 36) << "without the share of the parent";
  EXPECT_EQ(shares["shares"]["shares"].size(), 8U);
  EXPECT_EQ(shares["shares"]["shares"][2].dump(),
            "{\"cluster\":\"lake\",\"effective_usage\":0.7495630461922597,"
            "\"fairshare\":{\"factor\":0.25,\"level\":0.3335276482345103},\"id\":2,"
            "\"name\":\"physics\",\"parent\":\"root\",\"partition\":\"\","
            "\"shares\":{\"infinite\":false,\"number\":30,\"set\":true},"
            "\"shares_normalized\":{\"infinite\":false,\"number\":0.25,\"set\":true},"
            "\"tres\":{\"group_minutes\":[{\"count\":5000,\"name\":\"\",\"type\":\"cpu\"}],"
            "\"run_seconds\":[{\"count\":3,\"name\":\"\",\"type\":\"cpu\"}],\"usage\":[]},"
            "\"type\":[\"ASSOCIATION\"],\"usage\":600,\"usage_normalized\":{\"infinite\":false,"
            "\"number\":0.6003999999999999,\"set\":true}}");
  EXPECT_EQ(shares["shares"]["shares"][4].dump(),
            "{\"cluster\":\"lake\",\"effective_usage\":0.5,\"fairshare\":{\"factor\":0.75,"
            "\"level\":0.5},\"id\":6,\"name\":\"bob\",\"parent\":\"physics\",\"partition\":\"\","
            "\"shares\":{\"infinite\":false,\"number\":0,\"set\":false},"
            "\"shares_normalized\":{\"infinite\":false,\"number\":0.25,\"set\":true},"
            "\"tres\":{\"group_minutes\":[],\"run_seconds\":[],\"usage\":[]},\"type\":[\"USER\"],"
            "\"usage\":300,\"usage_normalized\":{\"infinite\":false,\"number\":0.3,\"set\":true}}");
}

TEST(SdiagPage, HasTheLinesThatExportersParse) {
  Statistics statistics;
  statistics.since = wall_from_ms(1'699'990'000'000);
  statistics.now = wall_from_ms(1'700'000'010'000);
  int value = 11;
  for (const char* name :
       {"Server thread count", "Agent queue size", "Agent count", "Agent thread count",
        "DBD Agent queue size", "Jobs submitted", "Jobs started", "Jobs completed", "Jobs canceled",
        "Jobs failed", "Jobs pending", "Jobs running", "Last cycle", "Max cycle", "Total cycles",
        "Mean cycle", "Last queue length", "Turns"})
    statistics.values.push_back({name, std::to_string(value++)});
  EXPECT_EQ(shown_with("sdiag", {}, statistics).out,
            "*******************************************************\n"
            "sdiag output at Tue Nov 14 23:13:30 2023 (1700000010)\n"
            "Data since      Tue Nov 14 20:26:40 2023 (1699990000)\n"
            "*******************************************************\n"
            "Server thread count:  11\n"
            "Agent queue size:     12\n"
            "Agent count:          13\n"
            "Agent thread count:   14\n"
            "DBD Agent queue size: 15\n"
            "\n"
            "Jobs submitted: 16\n"
            "Jobs started:   17\n"
            "Jobs completed: 18\n"
            "Jobs canceled:  19\n"
            "Jobs failed:    20\n"
            "\n"
            "Job states ts:  Tue Nov 14 23:13:30 2023 (1700000010)\n"
            "Jobs pending:   21\n"
            "Jobs running:   22\n"
            "\n"
            "Main schedule statistics (microseconds):\n"
            "\tLast cycle:   23\n"
            "\tMax cycle:    24\n"
            "\tTotal cycles: 25\n"
            "\tMean cycle:   26\n"
            "\tLast queue length: 27\n"
            "\n"
            "Turns (transactions): 28\n");
  const auto json = nlohmann::json::parse(shown_with("sdiag", {"--json"}, statistics).out);
  EXPECT_EQ(json["statistics"].dump(),
            "{\"agent_count\":13,\"agent_queue_size\":12,\"agent_thread_count\":14,"
            "\"dbd_agent_queue_size\":15,\"job_states_ts\":{\"infinite\":false,"
            "\"number\":1700000010,\"set\":true},\"jobs_canceled\":19,\"jobs_completed\":18,"
            "\"jobs_failed\":20,\"jobs_pending\":21,\"jobs_running\":22,\"jobs_started\":17,"
            "\"jobs_submitted\":16,\"req_time\":{\"infinite\":false,\"number\":1700000010,"
            "\"set\":true},\"req_time_start\":{\"infinite\":false,\"number\":1699990000,"
            "\"set\":true},\"schedule_cycle_last\":23,\"schedule_cycle_max\":24,"
            "\"schedule_cycle_mean\":26,\"schedule_cycle_total\":25,\"schedule_queue_length\":27,"
            "\"server_thread_count\":11}");
  EXPECT_EQ(shown_with("sdiag", {}, PriorityList{}).err,
            "slurm_get_statistics: Unexpected message\n");
}

TEST(ConfigPage, SortsSettingsByNameIgnoringCase) {
  Configuration config;
  config.now = wall_from_ms(1'700'000'000'000);
  config.settings = {{"ClusterName", "lake"},
                     {"MpiDefault", "pmix"},
                     {"authtype", "auth/curve"},
                     {"AVeryLongNameOfASetting", ""}};
  const auto values = config_values(config, {"head", "spare"});
  std::string names;
  for (const auto& [name, value] : values)
    if (name < "D" || name > "a") names += name + "=" + value + "\n";
  EXPECT_EQ(names,
            "AccountingStoreFlags=(null)\nAcctGatherEnergyType=(null)\nAcctGatherNodeFreq=0 sec\n"
            "authtype=auth/curve\nAVeryLongNameOfASetting=\nBurstBufferType=(null)\n"
            "CliFilterPlugins=(null)\nClusterName=lake\nCompleteWait=0 sec\n");
  std::string text = config_record(config, {"head"}, Screen{});
  EXPECT_TRUE(
      text.starts_with("Configuration data as of 2023-11-14T22:13:20\n"
                       "AccountingStoreFlags    = (null)\n"))
      << text;
  for (const char* line :
       {"\nMpiDefault              = pmix\n", "\nSlurmctldHost[0]        = head\n",
        "\nAVeryLongNameOfASetting = (null)\n"})
    EXPECT_NE(text.find(line), std::string::npos) << line;
  EXPECT_TRUE(text.ends_with("\n\nSlurmctld(primary) at head is UP\n")) << text;
  EXPECT_EQ(config_record(config, {"head", "spare"}, Screen{}).find("is UP"), std::string::npos)
      << "it is unknown which of the two replied";
  EXPECT_EQ(ping_line("spare", false, false), "Slurmctld(backup) at spare is DOWN\n");
}

}  // namespace
}  // namespace cox
