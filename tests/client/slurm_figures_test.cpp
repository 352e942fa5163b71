// Tests the columns and lines of sprio, sshare and sdiag.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "client/command_line.h"
#include "client/slurm/names.h"
#include "client/slurm/text/version_text.h"

namespace cox {
namespace {

Shown shown(const char* name, const std::vector<std::string>& words, const Answer& answer) {
  for (const Command& command : slurm_commands()) {
    if (command.name != name) continue;
    Parsed parsed = parse_options(command, words);
    if (const auto* why = std::get_if<Refusal>(&parsed)) return {"", why->fact, exit_refused};
    Options& options = *std::get<std::unique_ptr<Options>>(parsed);
    EXPECT_FALSE(options.resolve({{}, [] { return std::string("ada"); }}));
    return command.show(answer, options, {});
  }
  return {};
}

PriorityList two_jobs() {
  PriorityList list;
  list.weights = {{"age", 350},     {"fair share", 5000}, {"size", 0}, {"shortness", 1000},
                  {"partition", 0}, {"QOS", 0},           {"CPUs", 0}, {"GPUs", 0}};
  JobPriority one;
  one.id = JobId{7};
  one.job_name = "7";
  one.user_name = "ada";
  one.partition = "main";
  one.factors = {{"age", 35}, {"shortness", 250.4}, {"fair share", 2500}, {"nice", -10}};
  one.priority = 2775.4;
  JobPriority other = one;
  other.id = JobId{8};
  other.job_name = "8_[1-3]";
  other.user_name = "bob";
  other.partition = "long,main";
  other.priority = 5;
  list.jobs = {one, other};
  return list;
}

TEST(Sprio, HasAColumnForEachFactorWithAWeight) {
  EXPECT_EQ(shown("sprio", {}, two_jobs()).out,
            "          JOBID PARTITION   PRIORITY       SITE        AGE  FAIRSHARE\n"
            "              7 main            2775        250         35       2500\n"
            "        8_[1-3] long,main          5        250         35       2500\n");
  EXPECT_EQ(shown("sprio", {"-w"}, two_jobs()).out,
            "          JOBID PARTITION   PRIORITY       SITE        AGE  FAIRSHARE\n"
            "        Weights                            1000        350       5000\n");
}

TEST(Sprio, PrintsJson) {
  const auto json = nlohmann::json::parse(shown("sprio", {"--json", "-S", "-Y"}, two_jobs()).out);
  ASSERT_EQ(json.at("jobs").size(), 2u);
  const auto& job = json.at("jobs").at(0);
  EXPECT_EQ(job.at("job_id"), 7);
  EXPECT_EQ(job.at("user_name"), "ada");
  EXPECT_EQ(job.at("priority"), 2775.4);
  EXPECT_EQ(job.at("nice"), 10);
  EXPECT_EQ(job.at("factors").at("fairshare"), 2500);
  EXPECT_EQ(job.at("factors").at("site"), 250.4);
  EXPECT_EQ(json.at("jobs").at(1).at("job"), "8_[1-3]");
  const auto weights = nlohmann::json::parse(shown("sprio", {"-w", "--json"}, two_jobs()).out);
  EXPECT_EQ(weights.at("weights").at("age"), 350);
}

TEST(SlurmDaemons, PrintOnlyTheVersion) {
  const std::string version = slurm_version_text();
  EXPECT_EQ(version, "slurm 23.11.10\n");
  EXPECT_EQ(answer_as_daemon("slurmctld", {"-V"})->out, version);
  EXPECT_EQ(answer_as_daemon("slurmd", {"--version"})->out, version);
  const auto refused = answer_as_daemon("slurmd", {"-D"});
  EXPECT_EQ(refused->exit_code, 1);
  EXPECT_NE(refused->err.find("cox-worker"), std::string::npos);
  EXPECT_FALSE(answer_as_daemon("squeue", {"-V"}).has_value());
}

TEST(Sprio, PrintsTheRequestedFormatSortedAndFiltered) {
  EXPECT_EQ(shown("sprio", {"-h", "-o", "%i|%Y|%a|%N|%u"}, two_jobs()).out,
            "7|2775|0.1000000|10|ada\n8_[1-3]|5|0.1000000|10|bob\n");
  EXPECT_EQ(shown("sprio", {"-h", "-S", "Y", "-o", "%i"}, two_jobs()).out, "8_[1-3]\n7\n");
  EXPECT_EQ(shown("sprio", {"-h", "-S", "-Y", "-o", "%i"}, two_jobs()).out, "7\n8_[1-3]\n");
  EXPECT_EQ(shown("sprio", {"-h", "-u", "bob", "-o", "%i"}, two_jobs()).out, "8_[1-3]\n");
  EXPECT_EQ(shown("sprio", {"-h", "-p", "long", "-o", "%i"}, two_jobs()).out, "8_[1-3]\n");
  const Shown wrong = shown("sprio", {"-o", "%Z"}, two_jobs());
  EXPECT_EQ(wrong.exit_code, 1);
  EXPECT_NE(wrong.err.find("Invalid job format specification: Z"), std::string::npos);
  EXPECT_NE(shown("sprio", {}, PriorityList{}).err.find("priority/multifactor"), std::string::npos);
}

TEST(Sprio, BeginsWithTheOptionsInEffectUnderVerbose) {
  const std::string rule = "-----------------------------\n";
  const std::string out =
      shown("sprio", {"-v", "-h", "-j", "7,8_[1-3]", "-p", "main"}, two_jobs()).out;
  EXPECT_TRUE(out.starts_with(rule +
                              "format      = (null)\njob_flag    = 1\n"
                              "jobs        = 7,8_1-3\npartition   = main\n"
                              "users       = (null)\nverbose     = 1\n" +
                              rule))
      << out;
  EXPECT_TRUE(shown("sprio", {"-h"}, two_jobs()).out.starts_with(" "));
}

AssociationView an(const std::string& account, const std::string& user, const std::string& parent,
                   double usage, double shares_part) {
  AssociationView view;
  view.association.account = account;
  view.association.user_name = user;
  view.association.parent = parent;
  view.usage = usage;
  view.shares_part = shares_part;
  view.usage_part = usage / 1000;
  view.fair_share = user.empty() ? 0 : 0.5;
  return view;
}

AssociationList a_tree() {
  AssociationList list;
  list.cluster = "c";
  list.associations = {an("root", "", "", 1000, 1), an("physics", "", "root", 750, 0.5),
                       an("physics", "ada", "", 250, 0.25), an("physics", "bob", "", 500, 0.25),
                       an("biology", "", "root", 250, 0.5)};
  return list;
}

TEST(Sshare, ShowsTheTreeAndTheCaller) {
  EXPECT_EQ(shown("sshare", {}, a_tree()).out,
            "Account                    User  RawShares  NormShares    RawUsage  EffectvUsage  "
            "FairShare \n"
            "-------------------- ---------- ---------- ----------- ----------- ------------- "
            "---------- \n"
            "root                                                          1000      1.000000      "
            "      \n"
            " physics                                 1    0.500000         750      0.750000      "
            "      \n"
            "  physics                   ada          1    0.250000         250      0.333333   "
            "0.500000 \n"
            " biology                                 1    0.500000         250      0.250000      "
            "      \n");
}

TEST(Sshare, PrintsWhatOtherToolsParse) {
  EXPECT_EQ(shown("sshare", {"-U", "--format", "Account%12", "--noheader"}, a_tree()).out,
            "     physics \n");
  EXPECT_EQ(shown("sshare", {"-n", "-P", "-o", "account,fairshare"}, a_tree()).out,
            "root|\n physics|\n  physics|0.500000\n biology|\n");
  EXPECT_EQ(
      shown("sshare", {"-a", "-n", "-P", "-A", "physics", "-o", "user,LevelFS"}, a_tree()).out,
      "|0.666667\nada|0.750000\nbob|0.375000\n");
  EXPECT_EQ(shown("sshare", {"-o", "colour"}, a_tree()).exit_code, 1);
}

TEST(Sshare, ShowsItsFiltersUnderVerbose) {
  EXPECT_EQ(shown("sshare", {"-v"}, a_tree()).err,
            "Users requested:\n\t: ada\nAccounts requested:\n\t: all\n");
  EXPECT_EQ(shown("sshare", {"-v", "-a", "-A", "physics"}, a_tree()).err,
            "Users requested:\n\t: all\nAccounts requested:\n\t: physics\n");
  EXPECT_EQ(shown("sshare", {}, a_tree()).err, "");
}

std::string help_of(std::string_view name, const std::string& option) {
  for (const Command& command : slurm_commands())
    if (command.name == name) {
      const Parsed parsed = parse_options(command, {option});
      if (const auto* text = std::get_if<std::string>(&parsed)) return *text;
    }
  ADD_FAILURE() << name << " " << option << " shows no help";
  return "";
}

TEST(Help, HasTheHeadingsOfSlurmsPrograms) {
  for (const std::string option : {"--help", "--usage"}) {
    const std::string shares = help_of("sshare", option);
    EXPECT_LT(shares.find("Usage: sshare [OPTIONS]"), shares.find("\nValid OPTIONs are:\n"));
    EXPECT_NE(shares.find("\nValid OPTIONs are:\n"), std::string::npos) << shares;
    const std::string reports = help_of("sreport", option);
    EXPECT_TRUE(reports.starts_with("sreport [<OPTION>] [<COMMAND>]\n")) << reports;
    EXPECT_NE(reports.find("\nValid <OPTION> values are:\n"), std::string::npos) << reports;
    EXPECT_NE(reports.find("\nValid <COMMAND> values are:\n"), std::string::npos) << reports;
  }
}

TEST(Sdiag, HasTheLinesThatExportersParse) {
  Statistics statistics;
  statistics.since = wall_from_ms(1'700'000'000'000);
  statistics.now = wall_from_ms(1'700'000'010'000);
  statistics.values = {{"Server thread count", "1"},
                       {"Agent queue size", "3"},
                       {"Jobs started", "12"},
                       {"Last cycle", "75"},
                       {"Mean cycle", "442"}};
  const std::string text = shown("sdiag", {}, statistics).out;
  for (const char* line :
       {"sdiag output at Tue Nov 14 22:13:30 2023 (1700000010)\n", "\nServer thread count:  1\n",
        "\nAgent queue size:     3\n", "\nJobs started:   12\n",
        "\nMain schedule statistics (microseconds):\n\tLast cycle:   75\n", "\tMean cycle:   442\n",
        "\nJobs failed:    0\n"})
    EXPECT_NE(text.find(line), std::string::npos) << line << text;
  EXPECT_EQ(shown("sdiag", {"-r"}, statistics).exit_code, 1);
}

}  // namespace
}  // namespace cox
