// Tests how sreport parses its words, and that its reports have Slurm's columns and lines.
#include "client/slurm/records/sreport.h"

#include <gtest/gtest.h>

namespace cox {
namespace {

constexpr std::int64_t noon_s = 1'795'348'800;  // 2026-11-22T12:00:00 UTC
constexpr std::int64_t midnight_s = noon_s - 12 * 3600;

Wall at_s(std::int64_t seconds) {
  return wall_from_ms(seconds * 1000);
}

Screen a_screen() {
  Screen screen;
  screen.now = at_s(noon_s);
  return screen;
}

SreportOptions options_of(std::vector<std::string> words, const std::string& unit = "",
                          const std::string& tres = "") {
  SreportOptions options;
  options.words = std::move(words);
  options.time_format = unit;
  options.tres = tres;
  return options;
}

Result<ReportRequest> request_of(const SreportOptions& options) {
  return report_request(options, {at_s(noon_s), {}});
}

// Returns the record of a job that ran from hour `from_h` to hour `to_h` of yesterday; hours from
// 24 on are today.
JobRecord a_record(std::int64_t id, const std::string& user, const std::string& account,
                   std::int64_t cpus, std::int64_t from_h, std::int64_t to_h) {
  JobRecord record;
  JobSpec& spec = record.job.spec.change();
  spec.user_name = user;
  spec.account = account;
  spec.tasks = cpus;
  record.job.id = JobId{id};
  record.job.state = JobState::Completed;
  record.job.eligible = at_s(midnight_s + (from_h - 24) * 3600);
  record.run.number = AttemptNumber{1};
  record.run.began = at_s(midnight_s + (from_h - 24) * 3600);
  record.run.ended = at_s(midnight_s + (to_h - 24) * 3600);
  record.run.cpus = cpus;
  record.run.gpu_milli = cpus * 500;
  record.run.nodes = 1;
  return record;
}

ReportSources a_lab() {
  ReportSources sources;
  sources.now = at_s(noon_s);
  sources.billing_weights = "cpu=1,gres/gpu=10";
  const auto account = [&](const char* name, const char* user, const char* parent) {
    Association& one = sources.associations.associations.emplace_back().association;
    one.id = AssociationId{std::ssize(sources.associations.associations)};
    one.account = name;
    one.user_name = user;
    one.parent = parent;
  };
  account("root", "", "");
  account("physics", "", "root");
  account("lattice", "", "physics");
  account("lattice", "ada", "");
  account("physics", "eve", "");
  for (const char* name : {"n1", "n2"}) {
    NodeView& view = sources.nodes.nodes.emplace_back();
    view.node.name = name;
    view.node.responding = true;
    view.node.total.cpus = 64;
    for (std::int32_t i = 0; i < 4; ++i) view.node.total.gpus.push_back({i, "h100", "", 0});
  }
  sources.records.cluster = "lab";
  // The CPU minutes that each job used yesterday. Job 2 ran on until today.
  sources.records.records = {a_record(1, "ada", "lattice", 10, 0, 2),    // 1200
                             a_record(2, "eve", "physics", 60, 23, 30),  // 3600
                             a_record(3, "ada", "lattice", 4, 4, 5)};    // 240
  sources.proper_names = {{"ada", "Ada L"}};
  return sources;
}

Shown report(SreportOptions options, const ReportSources& sources = a_lab(), bool heads = false) {
  options.parsable2 = !heads;
  options.no_header = !heads;
  const auto request = request_of(options);
  EXPECT_TRUE(request) << request.refusal().fact;
  return request ? show_report(*request, sources, options, a_screen()) : Shown{};
}

TEST(Sreport, YesterdayIsReportedUnlessTimesAreGiven) {
  const auto request = request_of(options_of({"cluster", "util"}));
  ASSERT_TRUE(request);
  EXPECT_EQ(request->kind, ReportKind::Utilization);
  EXPECT_EQ(request->end, at_s(midnight_s));
  EXPECT_EQ(request->start, at_s(midnight_s - 24 * 3600));
  const auto given = request_of(
      options_of({"user", "top", "start=2026-11-01", "End=now", "TopCount=3", "accounts=Physics"}));
  ASSERT_TRUE(given) << given.refusal().fact;
  EXPECT_EQ(given->end, at_s(noon_s));
  EXPECT_EQ(given->top_count, 3u);
  EXPECT_EQ(given->accounts, std::vector<std::string>{"physics"});
  const ListAccounting ask = ask_report(*given);
  EXPECT_TRUE(ask.all_runs);
  EXPECT_EQ(ask.until, at_s(noon_s));
}

TEST(Sreport, RefusesUnknownReportsConditionsFieldsAndTres) {
  const auto why = [](const SreportOptions& options) { return request_of(options).refusal().fact; };
  EXPECT_EQ(why(options_of({"cluster", "frob"})), "Not valid report frob");
  EXPECT_EQ(request_of(options_of({"cluster", "frob"})).refusal().hint,
            "Valid cluster reports are, \"AccountUtilizationByUser\", "
            "\"UserUtilizationByAccount\", \"Utilization\"");
  EXPECT_EQ(why(options_of({})), "no report is named");
  EXPECT_EQ(why(options_of({"reservation", "utilization"})),
            "reservation reports are not supported");
  EXPECT_EQ(why(options_of({"frob"})), "invalid keyword: frob");
  EXPECT_EQ(why(options_of({"user", "top", "frob=1"})), "Unknown condition: frob=1");
  EXPECT_EQ(why(options_of({"user", "top"}, "weeks")), "unknown time format weeks");
  EXPECT_EQ(why(options_of({"user", "top"}, "", "cores")), "No valid TRES given: cores");
  EXPECT_EQ(why(options_of({"user", "top", "start=now", "end=2026-11-01"})),
            "End is not after Start");
  EXPECT_EQ(why(options_of({"job", "sizes", "grouping=5,4"})), "Invalid grouping: 5,4");
  EXPECT_EQ(report(options_of({"user", "top", "format=login,frob"})).err,
            " Unknown field 'frob'\n");
}

TEST(Sreport, TheClusterIsShownInSlurmsColumns) {
  EXPECT_EQ(report(options_of({"cluster", "utilization"}), a_lab(), true).out,
            "--------------------------------------------------------------------------------\n"
            "Cluster Utilization 2026-11-21T00:00:00 - 2026-11-21T23:59:59\n"
            "Usage reported in CPU Minutes\n"
            "--------------------------------------------------------------------------------\n"
            "  Cluster    Allocated       Down  PLND Down         Idle   Planned     Reported \n"
            "--------- ------------ ---------- ---------- ------------ --------- ------------ \n"
            "      lab         5040          0          0       179280         0       184320 \n");
}

TEST(Sreport, TimeBeforeTheClusterExistedIsNotCounted) {
  ReportSources lab = a_lab();
  lab.records.records = {a_record(2, "eve", "physics", 60, 23, 30)};
  lab.nodes.nodes[1].node.responding = false;  // the second node has never responded
  const auto shown = [&](std::int64_t first_s, const std::string& unit = "") {
    lab.records.first_moment = at_s(first_s);
    return report(options_of({"cluster", "utilization"}, unit), lab).out;
  };
  EXPECT_EQ(shown(midnight_s - 48 * 3600), "lab|3600|92160|0|88560|0|184320\n");
  EXPECT_EQ(shown(midnight_s - 6 * 3600), "lab|3600|23040|0|19440|0|46080\n")
      << "only six hours are counted";
  EXPECT_EQ(shown(midnight_s + 3600), "lab|0|0|0|0|0|0\n") << "the cluster began only today";
  EXPECT_EQ(shown(midnight_s + 3600, "Percent").substr(0, 9), "lab|0.00%");
}

TEST(Sreport, DownAndPlannedTimeIsSubtractedFromIdleTime) {
  ReportSources lab = a_lab();
  lab.nodes.nodes[1].node.responding = false;
  // Its 64 CPUs were down for the last hour of yesterday.
  lab.nodes.nodes[1].node.changed = at_s(midnight_s - 3600);
  lab.records.records.push_back(a_record(4, "ada", "lattice", 2, 10, 11));
  // Eligible 2 h before it started.
  lab.records.records.back().job.eligible = at_s(midnight_s - 16 * 3600);
  EXPECT_EQ(report(options_of({"cluster", "utilization"}), lab).out,
            "lab|5160|3840|0|175080|240|184320\n");
  EXPECT_EQ(report(options_of({"cluster", "utilization", "format=planned,overcommitted,count"}, "h",
                              "cpu"),
                   lab)
                .out,
            "4|0|128\n");
}

TEST(Sreport, AccountsAreSummedAndFollowedByTheirUsers) {
  EXPECT_EQ(report(options_of({"cluster", "accountutilizationbyuser"})).out,
            "lab|root|||5040|0\n"
            "lab|physics|||5040|0\n"
            "lab|physics|eve||3600|0\n"
            "lab|lattice|||1440|0\n"
            "lab|lattice|ada|Ada L|1440|0\n");
  EXPECT_EQ(report(options_of({"cluster", "acc", "accounts=lattice"}, "hours")).out,
            "lab|lattice|||24|0\nlab|lattice|ada|Ada L|24|0\n");
  EXPECT_EQ(report(options_of({"cluster", "acc", "users=eve", "format=login,used"})).out,
            "eve|3600\nada|1440\n")
      << "the controller returns only the requested users";
}

TEST(Sreport, EachTresHasItsOwnRow) {
  EXPECT_EQ(
      report(options_of({"cluster", "user", "format=login,tresname,used"}, "s", "gres/gpu,billing"))
          .out,
      "eve|gres/gpu|108000\neve|billing|1296000\n"
      "ada|gres/gpu|43200\nada|billing|518400\n");
  EXPECT_EQ(report(options_of({"user", "top", "format=login,used"}, "percent")).out,
            "eve|1.95%\nada|0.78%\n");
  EXPECT_EQ(report(options_of({"user", "top", "format=login,used"}, "minper")).out,
            "eve|3600(1.95%)\nada|1440(0.78%)\n");
}

TEST(Sreport, TheTopUsersAreThoseThatUsedMost) {
  ReportSources lab = a_lab();
  lab.records.records.push_back(a_record(4, "eve", "lattice", 1, 10, 11));
  EXPECT_EQ(report(options_of({"user", "topusage"}), lab).out,
            "lab|eve||physics|3600|0\nlab|ada|Ada L|lattice|1440|0\nlab|eve||lattice|60|0\n");
  EXPECT_EQ(report(options_of({"user", "topusage", "group", "topcount=1"}), lab).out,
            "lab|eve||lattice,physics|3660|0\n");
}

TEST(Sreport, JobsAreGroupedByTheirSize) {
  EXPECT_EQ(report(options_of({"job", "sizesbyaccount"}), a_lab(), true).out,
            "--------------------------------------------------------------------------------\n"
            "Job Sizes 2026-11-21T00:00:00 - 2026-11-21T23:59:59 (86400 secs)\n"
            "Time reported in Minutes\n"
            "--------------------------------------------------------------------------------\n"
            "  Cluster   Account     0-49 CPUs   50-249 CPUs  250-499 CPUs  500-999 CPUs  "
            ">= 1000 CPUs   Total Count  % of cluster \n"
            "--------- --------- ------------- ------------- ------------- ------------- "
            "------------- ------------- ------------- \n"
            "      lab      root          1440          3600             0             0 "
            "            0          5040       100.00% \n");
  EXPECT_EQ(report(options_of({"job", "sizes", "flatview", "grouping=10", "printjobcount"})).out,
            "lab|lattice|1|1|2|66.67%\nlab|physics|0|1|1|33.33%\n");
  EXPECT_EQ(report(options_of(
                       {"job", "sizes", "accounts=physics", "acctasparent", "grouping=individual"}))
                .out,
            "lab|lattice|240|1200|0|1440|28.57%\nlab|physics|0|0|3600|3600|71.43%\n");
}

}  // namespace
}  // namespace cox
