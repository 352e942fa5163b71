// Tests the conditions, headings and rows of sreport, and seff and sstat for unusual jobs.
#include <gtest/gtest.h>

#include "client/slurm/records/sreport.h"
#include "client/slurm/records/sstat.h"
#include "tests/client/sacct_story.h"

namespace cox::test {
namespace {

constexpr std::int64_t report_midnight_s = noon_s - 12 * 3600;

Wall report_hour(double hour) {
  return wall_from_ms((report_midnight_s - 86'400) * 1000 +
                      static_cast<std::int64_t>(hour * 3'600'000));
}

JobRecord a_use(std::int64_t id, const std::string& user, const std::string& account,
                std::int64_t cpus, double from, double to) {
  JobRecord record;
  JobSpec& spec = record.job.spec.change();
  spec.user_name = user;
  spec.account = account;
  spec.tasks = cpus;
  record.job.id = JobId{id};
  record.job.state = JobState::Completed;
  record.run.number = AttemptNumber{1};
  record.run.began = record.job.eligible = report_hour(from);
  record.run.ended = report_hour(to);
  record.run.cpus = cpus;
  record.run.memory_mb = 1024 * cpus;
  record.run.gpu_milli = 500;
  record.run.nodes = 2;
  return record;
}

ReportSources sources_of(std::vector<JobRecord> records) {
  ReportSources sources;
  sources.now = wall_from_ms(noon_s * 1000);
  sources.billing_weights = "cpu=1";
  NodeView& view = sources.nodes.nodes.emplace_back();
  view.node.name = "n1";
  view.node.responding = true;
  view.node.total = {100, 102'400, {{0, "h100", "", 0}}, {}};
  const auto account = [&](const char* name, const char* parent) {
    Association& one = sources.associations.associations.emplace_back().association;
    one.id = AssociationId{std::ssize(sources.associations.associations)};
    one.account = name;
    one.parent = parent;
  };
  account("root", "");
  account("physics", "root");
  account("lattice", "physics");
  sources.records.cluster = "lake";
  sources.records.records = std::move(records);
  return sources;
}

Shown report_of(const ReportSources& sources, std::vector<std::string> words,
                const std::string& unit = "", const std::string& tres = "", bool heads = false) {
  SreportOptions options;
  options.words = std::move(words);
  options.time_format = unit;
  options.tres = tres;
  options.parsable2 = options.no_header = !heads;
  const auto request = report_request(options, {wall_from_ms(noon_s * 1000), {}});
  if (!request) return {"", request.refusal().fact, exit_refused};
  Screen screen;
  screen.now = wall_from_ms(noon_s * 1000);
  return show_report(*request, sources, options, screen);
}

TEST(SreportRows, CountOnlyTimeInTheReportedPeriod) {
  const ReportSources sources =
      sources_of({a_use(1, "ada", "physics", 10, -1, 1),    // 1 h of the run is in the period
                  a_use(2, "ada", "physics", 10, 23, 25),   // 1 h of the run is in the period
                  a_use(3, "ada", "physics", 10, 24, 25),   // begins when the period ends
                  a_use(4, "ada", "physics", 10, -2, 0)});  // ends when the period begins
  EXPECT_EQ(report_of(sources, {"user", "top", "format=login,used"}).out, "ada|1200\n");
  EXPECT_EQ(report_of(sources, {"user", "top", "format=login,used", "end=now"}).out, "ada|2400\n");
}

TEST(SreportRows, CountARunningJobUntilNow) {
  JobRecord runs = a_use(1, "ada", "", 10, 35, 0);
  runs.run.ended = {};
  JobRecord waits = a_use(2, "ada", "", 10, 10, 11);
  waits.run.number = {};
  const ReportSources sources = sources_of({runs, waits});
  EXPECT_EQ(report_of(sources, {"user", "top", "format=login,accounts,used", "end=now"}).out,
            "ada|root|600\n")
      << "a job without an account counts for root";
}

TEST(SreportRows, CountEachTresInItsUnit) {
  ReportSources sources = sources_of({a_use(1, "ada", "physics", 10, 0, 2)});
  const auto used = [&](const std::string& weights) {
    sources.billing_weights = weights;
    return report_of(sources, {"user", "top", "format=tresname,used"}, "hours", "all").out;
  };
  EXPECT_EQ(used("cpu=3"), "cpu|20\nmem|20480\nnode|4\nbilling|60\ngres/gpu|1\n");
  EXPECT_EQ(used("mem=2,node=7"), "cpu|20\nmem|20480\nnode|4\nbilling|68\ngres/gpu|1\n")
      << "memory is billed by GiB";
  EXPECT_EQ(used("gres/gpu=8,gres/gpu:h100=100"),
            "cpu|20\nmem|20480\nnode|4\nbilling|8\ngres/gpu|1\n")
      << "a weight of all GPUs counts if there is one";
  EXPECT_EQ(used("gres/gpu:h100=16,gres/gpu:a100=4"),
            "cpu|20\nmem|20480\nnode|4\nbilling|16\ngres/gpu|1\n")
      << "the greatest weight counts: the type is not recorded";
}

TEST(SreportRows, ShowAmountsInEachTimeFormat) {
  const ReportSources sources = sources_of({a_use(1, "ada", "physics", 10, 0, 2.4)});
  for (const auto& [unit, text] : {std::pair{"Seconds", "86400\n"},
                                   {"m", "1440\n"},
                                   {"Hours", "24\n"},
                                   {"Percent", "1.00%\n"},
                                   {"SecPer", "86400(1.00%)\n"},
                                   {"MinPer", "1440(1.00%)\n"},
                                   {"HourPer", "24(1.00%)\n"}})
    EXPECT_EQ(report_of(sources, {"user", "top", "format=used"}, unit).out, text) << unit;
  EXPECT_EQ(report_of(sources, {"user", "top"}, "HourPer", "", true).out,
            "--------------------------------------------------------------------------------\n"
            "Top 10 Users 2026-11-21T00:00:00 - 2026-11-21T23:59:59 (86400 secs)\n"
            "Usage reported in CPU Hours/Percentage of Total\n"
            "--------------------------------------------------------------------------------\n"
            "  Cluster     Login     Proper Name         Account              Used            "
            "Energy \n"
            "--------- --------- --------------- --------------- ----------------- "
            "----------------- \n"
            "     lake       ada                         physics         24(1.00%)          "
            "0(0.00%) \n");
  EXPECT_EQ(report_of(sources, {"user", "top", "topcount=3"}, "Percent", "cpu", true).out,
            "--------------------------------------------------------------------------------\n"
            "Top 3 Users 2026-11-21T00:00:00 - 2026-11-21T23:59:59 (86400 secs)\n"
            "Usage reported in Percentage of Total\n"
            "--------------------------------------------------------------------------------\n"
            "  Cluster     Login     Proper Name         Account      TRES Name     Used \n"
            "--------- --------- --------------- --------------- -------------- -------- \n"
            "     lake       ada                         physics            cpu    1.00% \n");
}

TEST(SreportRows, ShowTheTreeOfAccounts) {
  ReportSources sources =
      sources_of({a_use(1, "ada", "lattice", 10, 0, 1), a_use(2, "bob", "physics", 10, 0, 2),
                  a_use(3, "eve", "gone", 10, 0, 3)});
  EXPECT_EQ(report_of(sources, {"cluster", "acc", "tree"}).out,
            "lake|root|||1800|0\n"
            "lake| physics|||1800|0\n"
            "lake|  physics|bob||1200|0\n"
            "lake|  lattice|||600|0\n"
            "lake|   lattice|ada||600|0\n"
            "lake|gone|||1800|0\n"
            "lake| gone|eve||1800|0\n");
  EXPECT_EQ(report_of(sources, {"cluster", "acc", "tree"}, "", "", true).out,
            "--------------------------------------------------------------------------------\n"
            "Cluster/Account/User Utilization 2026-11-21T00:00:00 - 2026-11-21T23:59:59 (86400 "
            "secs)\n"
            "Usage reported in CPU Minutes\n"
            "--------------------------------------------------------------------------------\n"
            "  Cluster Account                  Login     Proper Name     Used   Energy \n"
            "--------- -------------------- --------- --------------- -------- -------- \n"
            "     lake root                                               1800        0 \n"
            "     lake  physics                                           1800        0 \n"
            "     lake   physics                  bob                     1200        0 \n"
            "     lake   lattice                                           600        0 \n"
            "     lake    lattice                 ada                      600        0 \n"
            "     lake gone                                               1800        0 \n"
            "     lake  gone                      eve                     1800        0 \n");
  EXPECT_EQ(
      report_of(sources, {"cluster", "acc", "acct=physics", "format=accounts,login,used"}).out,
      "physics||1800\nphysics|bob|1200\nlattice||600\nlattice|ada|600\n")
      << "an account includes those below it";
}

TEST(SreportRows, CountPlannedAndDownTime) {
  ReportSources sources = sources_of({});
  JobRecord waits = a_use(1, "ada", "physics", 3, 20, 0);
  waits.job.state = JobState::Pending;
  waits.job.spec.change().cpus_per_task = 2;
  waits.run = {};
  sources.records.records = {waits};
  const auto shown = [&](const std::string& columns) {
    return report_of(sources, {"cluster", "util", "format=" + columns}, "hours").out;
  };
  EXPECT_EQ(shown("planned,idle,down"), "24|2376|0\n");
  JobRecord& job = sources.records.records[0];
  job.job.held = true;
  EXPECT_EQ(shown("planned"), "0\n") << "a held job does not wait for room";
  job.job.held = false;
  job.job.dependencies = {{DependencyKind::AfterAny, JobId{5}, 0, false, -1}};
  EXPECT_EQ(shown("planned"), "0\n") << "a job that waits for another one does not either";
  job.job.dependencies.clear();
  job.newest = false;
  EXPECT_EQ(shown("planned"), "0\n") << "an earlier run does not count either";
  job.newest = true;
  job.job.eligible = {};
  EXPECT_EQ(shown("planned"), "0\n");
  job.job.eligible = report_hour(0);
  job.job.spec.change().tasks = 100;
  EXPECT_EQ(shown("planned,idle,overcommitted"), "2400|0|2400\n");
  NodeView& node = sources.nodes.nodes[0];
  node.node.changed = report_hour(18);
  for (const bool set_down : {false, true}) {
    node.node.responding = set_down;
    node.node.set_down = set_down;
    EXPECT_EQ(shown("down,planned"), "600|1800\n");
  }
  node.node.set_down = false;
  node.node.drained = true;
  EXPECT_EQ(shown("down"), "600\n");
  node.jobs = {JobId{7}};
  EXPECT_EQ(shown("down"), "0\n") << "a draining node is not down";
}

TEST(SreportRows, GroupJobsBySize) {
  JobRecord again = a_use(1, "ada", "lattice", 50, 3, 4);
  const ReportSources sources =
      sources_of({a_use(1, "ada", "lattice", 50, 0, 1), again, a_use(2, "ada", "lattice", 49, 0, 1),
                  a_use(3, "bob", "physics", 1000, 0, 1)});
  EXPECT_EQ(report_of(sources, {"job", "sizes", "printjobcount"}).out,
            "lake|root|1|1|0|0|1|3|100.00%\n")
      << "a requeued job counts once";
  EXPECT_EQ(
      report_of(sources, {"job", "sizes", "accounts=physics", "accounts=lattice", "grouping=50"},
                "hours")
          .out,
      "lake|lattice|49|100|149|12.97%\n");
  EXPECT_EQ(
      report_of(sources, {"job", "sizes", "grouping=ind", "flat", "acct=physics"}, "hours").out,
      "lake|lattice|49|100|0|149|12.97%\nlake|physics|0|0|1000|1000|87.03%\n");
  EXPECT_EQ(report_of(sources, {"job", "sizes", "grouping=50,100"}, "", "cpu", true).out,
            "--------------------------------------------------------------------------------\n"
            "Job Sizes 2026-11-21T00:00:00 - 2026-11-21T23:59:59 (86400 secs)\n"
            "TRES type is cpu\n"
            "Time reported in Minutes\n"
            "--------------------------------------------------------------------------------\n"
            "  Cluster   Account     0-49 TRES    50-99 TRES   >= 100 TRES   Total Count  % of "
            "cluster \n"
            "--------- --------- ------------- ------------- ------------- ------------- "
            "------------- \n"
            "     lake      root          2940          6000         60000         68940       "
            "100.00% \n");
  EXPECT_EQ(report_of(sources, {"job", "sizes"}, "", "cpu,mem").err,
            "job reports can only support a single TRES name");
}

TEST(SreportRequest, ParsesItsCommandLine) {
  const auto why = [](std::vector<std::string> words, const std::string& unit = "") {
    return report_of(sources_of({}), std::move(words), unit).err;
  };
  EXPECT_EQ(why({"CLU", "u"}), "");
  EXPECT_EQ(why({"cluster", ""}), "Not valid report ");
  EXPECT_EQ(why({"cluster"}), "Not valid report ");
  EXPECT_EQ(why({"res"}), "reservation reports are not supported");
  EXPECT_EQ(why({"r"}), "invalid keyword: r");
  EXPECT_EQ(why({"user", "top", "all_clusters", "where", "gr", "tr", "clusters=lake"}), "");
  EXPECT_EQ(why({"user", "top", "g"}), "Unknown condition: g");
  EXPECT_EQ(why({"user", "top", "jobs=1,x"}), "Invalid job id: x");
  EXPECT_EQ(why({"user", "top", "jobs=0"}), "Invalid job id: 0");
  EXPECT_EQ(why({"user", "top", "topcount=0"}), "Invalid TopCount: 0");
  for (const std::string word : {"accounts=a", "acct=a", "u=ada", "partitions=p", "n=n1", "jobs=1"})
    EXPECT_EQ(why({"cluster", "utilization", word}), "Unknown condition: " + word);
  EXPECT_EQ(why({"cluster", "acc", "topcount=3"}), "Unknown condition: topcount=3");
  EXPECT_EQ(why({"user", "top", "grouping=5"}), "Unknown condition: grouping=5");
  EXPECT_EQ(why({"job", "sizes", "grouping=5,5"}), "Invalid grouping: 5,5");
  EXPECT_EQ(why({"job", "sizes", "grouping=0"}), "Invalid grouping: 0");
  EXPECT_EQ(why({"user", "top", "start=never"}).empty(), false);
  EXPECT_EQ(why({"user", "top", "end=2026-11-21"}), "End is not after Start");
  EXPECT_EQ(why({"user", "top"}, "Sec"), "");
  EXPECT_EQ(why({"user", "top"}, "secx"), "unknown time format secx");
  SreportOptions options;
  options.words = {"user",     "top",      "users=ada,,bob", "partitions=a,b",
                   "nodes=n1", "jobs=7,8", "acc=X",          "end=2030-01-01"};
  const auto request = report_request(options, {wall_from_ms(noon_s * 1000), {}});
  ASSERT_TRUE(request);
  const ListAccounting ask = ask_report(*request);
  EXPECT_EQ(ask.users, (std::vector<std::string>{"ada", "bob"}));
  EXPECT_EQ(ask.partitions, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(ask.nodes, std::vector<std::string>{"n1"});
  EXPECT_EQ(ask.ids, (std::vector{JobId{7}, JobId{8}}));
  EXPECT_FALSE(ask.steps);
  EXPECT_EQ(request->accounts, std::vector<std::string>{"x"});
  EXPECT_EQ(ask.until, wall_from_ms(noon_s * 1000)) << "the period ends now";
  EXPECT_EQ(ask.since, report_hour(0));
  const auto east = report_request(options, {wall_from_ms(noon_s * 1000), {13 * 3600, {}}});
  EXPECT_EQ(east->start, report_hour(11)) << "in that zone it is the next day already";
}

TEST(SreportColumns, HaveTheRequestedWidths) {
  const ReportSources sources = sources_of({a_use(1, "adalbert", "physics", 10, 0, 2)});
  const auto line = [&](const std::string& format, const std::string& unit = "") {
    const Shown shown = report_of(sources, {"user", "top", "format=" + format}, unit, "", true);
    return shown.exit_code == exit_ok ? shown.out.substr(shown.out.rfind("- \n") + 3) : shown.err;
  };
  EXPECT_EQ(line("login%5,login%-10,used%4"), "adal+ adalbert   1200 \n");
  EXPECT_EQ(line("log,count,reserved,cluster"), " adalbert        100                lake \n");
  EXPECT_EQ(line("used", "minper"), "      1200(0.83%) \n");
  EXPECT_EQ(line("login%0").substr(0, 24), " Unknown field 'login%0'");
  EXPECT_EQ(line("login%-0").substr(0, 25), " Unknown field 'login%-0'");
  EXPECT_EQ(line("login%4097").substr(0, 27), " Unknown field 'login%4097'");
  EXPECT_EQ(line("login,").substr(0, 17), " Unknown field ''");
}

TEST(SeffPages, ShowArraysSmallJobsAndMemoryPerCore) {
  const auto page = [](const JobRecord& record) {
    const std::string id = std::to_string(record.job.id.value);
    return shown_by("seff", a_page({record}), slurm_options<SeffOptions>("seff", {id})).out;
  };
  JobRecord record = a_run_record(21, JobState::Failed);
  record.job.exit_code = 3;
  record.job.array_job = JobId{20};
  record.job.array_task = 4;
  record.job.spec.change().gid = 7;
  record.job.spec.change().memory_mb_per_cpu = 1024;
  record.run.usage = {600'000, 499, 512};
  EXPECT_EQ(page(record),
            "Job ID: 21\nArray Job ID: 20_4\nCluster: ocean\nUser/Group: ann/7\n"
            "State: FAILED (exit code 3)\nNodes: 2\nCores per node: 2\nCPU Utilized: 00:10:00\n"
            "CPU Efficiency: 25.00% of 00:40:00 core-walltime\nJob Wall-clock time: 00:10:00\n"
            "Memory Utilized: 512.00 KB\nMemory Efficiency: 0.01% of 4.00 GB (1.00 GB/core)\n");
  record = a_run_record(22, JobState::Running);
  record.run.cpus = record.run.nodes = record.run.first_cpus = 1;
  record.run.memory_mb = 0;
  EXPECT_EQ(page(record),
            "Job ID: 22\nCluster: ocean\nUser/Group: ann/users\nState: RUNNING\nCores: 1\n"
            "CPU Utilized: 00:00:00\nCPU Efficiency: 0.00% of 00:59:00 core-walltime\n"
            "Job Wall-clock time: 00:59:00\nMemory Utilized: 0.00 MB\n"
            "Memory Efficiency: 0.00% of 0.00 MB (0.00 MB/node)\n"
            "WARNING: Efficiency statistics can only be obtained after the job has ended as seff "
            "tool is based on the accounting database data.\n");
  record = a_run_record(23, JobState::Completed);
  record.run.usage = {500, 0, 3 * 1024 * 1024};
  EXPECT_NE(page(record).find("CPU Utilized: 00:00:01\n"), std::string::npos) << page(record);
  EXPECT_NE(page(record).find("Memory Utilized: 3.00 GB\n"), std::string::npos) << page(record);
  const JobRecord other = a_run_record(30, JobState::Failed);
  EXPECT_EQ(shown_by("seff", a_page({other, record}), slurm_options<SeffOptions>("seff", {"23"}))
                .out.substr(0, 11),
            "Job ID: 23\n")
      << "the job itself is shown, not other rows of the reply";
}

TEST(SstatRows, NameTheTasksThatUsedLeastAndMost) {
  const std::vector<SampledStep> steps = {
      {"10.0",
       {{"n1", {{100, 0, 0, 61'000, 1024, 4096, 10, 512, 3}, {101, 0, 1, 1'000, 512, 2048, 70, 9}}},
        {"n2", {{200, 0, 2, 30'000, 2048, 4096, 40, 100, 1}, {201, 0, 2, 2'000, 128, 8192}}}}},
      {"10.1", {{"n1", {}}}}};
  const auto shown = [&](const std::string& format) {
    return show_samples(
               steps, slurm_options<SstatOptions>("sstat", {"-n", "-P", "-j", "10", "-o", format}))
        .out;
  };
  EXPECT_EQ(shown("all"),
            "00:00:31||40|207|1|1223338|4893354|||10.0|70|n1|1|512|n1|0|3|n1|0|2M|n2|2|8M|n2|2|"
            "00:00:01|n1|1|n[1-2]|3|100,101,200,201|||||cpu=00:00:31,fs/disk=40,mem=1223338,"
            "pages=1,vmem=4893354|cpu=00:01:01,fs/disk=70,mem=2M,pages=3,vmem=8M|n2|2|"
            "cpu=00:00:01,fs/disk=10,mem=512K,pages=0,vmem=2M|||cpu=00:01:34,fs/disk=120,"
            "mem=3.50M,pages=4,vmem=14M|fs/disk=207|fs/disk=512|n1|0|fs/disk=9|||fs/disk=621\n"
            "00:00:00||0|0|0|0|0|||10.1|||||||||||||||||||n1|0|||||||||||||||||||||\n");
  EXPECT_NE(samples_json({steps[1]}, {}).find("\"maximum\": null"), std::string::npos);
  const auto job = a_run_record(10, JobState::Running).job;
  const auto why = [&](std::int32_t step, const std::vector<StepView>& views) {
    const auto numbers = steps_to_sample({JobId{10}, "", step}, job, views, false);
    return numbers ? std::string() : numbers.refusal().fact;
  };
  std::vector<StepView> views(1);
  views[0].step = a_step(11, 3, JobState::Running);
  EXPECT_EQ(why(3, views), "no step 10.3 is running") << "the step belongs to another job";
  EXPECT_EQ(why(RecordSelector::external, views), "no process runs as 10.extern");
  EXPECT_EQ(why(RecordSelector::all, views), "no steps running for job 10");
  Job allocation = job;
  allocation.spec.change().form = JobForm::Allocation;
  EXPECT_FALSE(steps_to_sample({JobId{10}, "", RecordSelector::batch}, allocation, {}, false));
  EXPECT_FALSE(steps_to_sample({JobId{10}, "", RecordSelector::all}, allocation, {}, true));
  EXPECT_EQ(show_sample_help(slurm_options<SstatOptions>("sstat", {"--usage"}))->out,
            "Usage: sstat [options] -j <job(.stepid)>\n\tUse --help for help\n");
  EXPECT_EQ(
      show_sample_help(slurm_options<SstatOptions>("sstat", {"-j", "1", "-o", "x"}))->exit_code,
      exit_refused);
  EXPECT_FALSE(show_sample_help(slurm_options<SstatOptions>("sstat", {"-j", "1"})).has_value());
}

}  // namespace
}  // namespace cox::test
