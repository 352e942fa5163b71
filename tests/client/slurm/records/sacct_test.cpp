// Tests the question that sacct asks for its command line, and that it prints records as Slurm
// does.
#include "client/slurm/records/sacct.h"

#include <algorithm>
#include <regex>

#include "tests/client/sacct_story.h"

namespace cox::test {
namespace {

AccountingPage one_of_each() {
  JobRecord done = a_run_record(10, JobState::Completed);
  done.steps = {a_step(10, 0, JobState::Completed)};
  JobRecord failed = a_run_record(11, JobState::Failed);
  failed.job.exit_code = failed.run.exit_code = 3;
  JobRecord cancelled = a_run_record(12, JobState::Cancelled);
  cancelled.run.stop = StopWhy::Cancel;
  cancelled.run.exit_signal = 15;
  cancelled.ended_by = "user ann";
  JobRecord waiting = a_record(14, JobState::Pending);
  waiting.job.array_job = JobId{14};
  waiting.job.array_tasks = *parse_array_tasks("0-4");
  waiting.job.array_limit = 2;
  waiting.reason = "Resources";
  return a_page({done, failed, cancelled, a_run_record(13, JobState::Running), waiting});
}

TEST(Sacct, PrintsItsDefaultColumnsAsSlurmDoes) {
  EXPECT_EQ(sacct(one_of_each(), {"-a"}),
            "JobID           JobName  Partition    Account  AllocCPUS      State ExitCode \n"
            "------------ ---------- ---------- ---------- ---------- ---------- -------- \n"
            "10                train       main    physics          4  COMPLETED      0:0 \n"
            "10.batch          batch               physics          2  COMPLETED      0:0 \n"
            "10.extern        extern               physics          4  COMPLETED      0:0 \n"
            "10.0                mpi               physics          4  COMPLETED      0:0 \n"
            "11                train       main    physics          4     FAILED      3:0 \n"
            "11.batch          batch               physics          2     FAILED      3:0 \n"
            "11.extern        extern               physics          4  COMPLETED      0:0 \n"
            "12                train       main    physics          4 CANCELLED+      0:0 \n"
            "12.batch          batch               physics          2  CANCELLED     0:15 \n"
            "12.extern        extern               physics          4  COMPLETED      0:0 \n"
            "13                train       main    physics          4    RUNNING      0:0 \n"
            "13.batch          batch               physics          2    RUNNING      0:0 \n"
            "13.extern        extern               physics          4    RUNNING      0:0 \n"
            "14_[0-4%2]        train       main    physics          0    PENDING      0:0 \n");
}

// This test and the next ones run the sacct command lines of programs that parse its output, and
// check the columns that these programs read.
TEST(Sacct, PrintsWhatSubmititParses) {
  const std::string out = sacct(one_of_each(), {"-o", "JobID,State,NodeList", "--parsable2", "-j",
                                                "10", "-j", "12", "-j", "14"});
  EXPECT_EQ(out,
            "JobID|State|NodeList\n"
            "10|COMPLETED|n[1-2]\n10.batch|COMPLETED|n1\n10.extern|COMPLETED|n[1-2]\n"
            "10.0|COMPLETED|n[1-2]\n"
            "12|CANCELLED by 1000|n[1-2]\n12.batch|CANCELLED|n1\n12.extern|COMPLETED|n[1-2]\n"
            "14_[0-4%2]|PENDING|None assigned\n");
}

TEST(Sacct, PrintsWhatTheSnakemakePluginParses) {
  const SacctOptions options = slurm_options(
      "sacct", {"-X", "--parsable2", "--clusters", "all", "--noheader", "--format=JobIdRaw,State",
                "--starttime", "2026-11-20T09:00", "--endtime", "now", "--name", "f7a2-44"});
  EXPECT_EQ(shown_by("sacct", one_of_each(), options).out,
            "10|COMPLETED\n11|FAILED\n12|CANCELLED by 1000\n13|RUNNING\n14|PENDING\n");
  const auto ask = std::get<ListAccounting>(ask_sacct(options));
  EXPECT_EQ(ask.names, std::vector<std::string>{"f7a2-44"});
  EXPECT_EQ(ask.since, at_s(-2 * 86'400 - 3 * 3600));
  EXPECT_EQ(ask.until, Wall{}) << "an end of now is not sent: the controller's clock may be behind";
  EXPECT_FALSE(ask.steps);
  EXPECT_EQ(ask.users, std::vector<std::string>{"ann"});
  EXPECT_EQ(sacct(one_of_each(), {"-P", "-n", "--format=JobIdRaw,State", "-j", "13"}),
            "13|RUNNING\n13.batch|RUNNING\n13.extern|RUNNING\n");
  EXPECT_EQ(sacct(one_of_each(), {"--format=Reason", "-j", "10.0", "-n", "-P"}), "\n");
  EXPECT_EQ(sacct(one_of_each(), {"-n", "-X", "-o", "nodelist%-8", "-j", "10"}), "n[1-2]   \n");
}

TEST(Sacct, ShowsSnakemakeTheEfficiencyOfJobs) {
  EXPECT_EQ(sacct(one_of_each(), {"-j", "10", "--parsable2", "--format",
                                  "JobID,JobName,Comment,Elapsed,TotalCPU,NNodes,NCPUS,MaxRSS,"
                                  "ReqMem"}),
            "JobID|JobName|Comment|Elapsed|TotalCPU|NNodes|NCPUS|MaxRSS|ReqMem\n"
            "10|train||00:10:00|01:05.750|2|4||4G\n"
            "10.batch|batch||00:09:59|00:01.750|1|2|1236K|\n"
            "10.extern|extern||00:10:00|00:00:00|2|4|0|\n"
            "10.0|mpi||00:05:00|00:01:04|2|4|64M|\n");
}

TEST(Sacct, PrintsWhatParslParses) {
  EXPECT_TRUE(shown_by("sacct", a_page({}), slurm_options("sacct", {"-X"})).exit_code == 0);
  EXPECT_EQ(sacct(one_of_each(), {"-X", "--noheader", "--format=jobid,state%20", "--job", "10,12"}),
            "10                      COMPLETED \n12              CANCELLED by 1000 \n");
}

TEST(Sacct, PrintsLinesThatTheExpressionOfReFrameMatches) {
  SacctOptions options = slurm_options("sacct", {"-S", "2026-11-22", "-P", "-j", "10,12", "-o",
                                                 "jobid,state,exitcode,end,nodelist"});
  options.time_format = "%s";
  const std::string out = shown_by("sacct", one_of_each(), options).out;
  const std::regex line(
      R"(^(\d+)(?:_\d+|_\[\S+\])?\|(\S+)([^\|]*)\|(\d+):(\d+)\|(\d+|Unknown)\|(\S*)$)",
      std::regex::multiline);
  std::vector<std::string> seen;
  for (auto at = std::sregex_iterator(out.begin(), out.end(), line); at != std::sregex_iterator();
       ++at)
    seen.push_back((*at)[1].str() + " " + (*at)[2].str() + " " + (*at)[6].str());
  const std::string ended = std::to_string(noon_s + 660);
  EXPECT_EQ(seen, (std::vector<std::string>{"10 COMPLETED " + ended, "12 CANCELLED " + ended}));
}

TEST(Sacct, PrintsWhatTorchXOpenOnDemandAndGalaxyParse) {
  EXPECT_EQ(sacct(one_of_each(), {"--parsable2", "-j", "11"}),
            "JobID|JobName|Partition|Account|AllocCPUS|State|ExitCode\n"
            "11|train|main|physics|4|FAILED|3:0\n"
            "11.batch|batch||physics|2|FAILED|3:0\n"
            "11.extern|extern||physics|4|COMPLETED|0:0\n");
  EXPECT_EQ(sacct(one_of_each(),
                  {"-P", "--delimiter", "\x1f", "-n", "--units", "G", "--allocations", "-o",
                   "jobid,account,state,elapsed,reqmem,alloctres,timelimit,end", "--state",
                   "COMPLETED,RUNNING", "-j", "10", "-S", "2026-11-01", "-E", "2026-11-23"}),
            "10\x1fphysics\x1f"
            "COMPLETED\x1f"
            "00:10:00\x1f"
            "4G\x1f"
            "cpu=4,mem=4G,node=2\x1f"
            "01:00:00\x1f"
            "2026-11-22T12:11:00\n");
  const std::string galaxy = sacct(one_of_each(), {"-n", "-o", "state%-32", "-j", "12"});
  EXPECT_EQ(galaxy.substr(0, galaxy.find(' ')), "CANCELLED");
  EXPECT_EQ(galaxy.find('\n'), 33u);
}

TEST(Sacct, AcceptsAllFieldsThatItsHelpNames) {
  SacctOptions help = slurm_options("sacct", {"--helpformat"});
  const std::string names = show_record_help(help)->out;
  EXPECT_TRUE(
      names.starts_with("Account             AdminComment        AllocCPUS           "
                        "AllocNodes         \n"));
  std::string format;
  std::size_t count = 0;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const bool begins = names[i] > ' ' && (i == 0 || names[i - 1] <= ' ');
    if (begins && count++ > 0) format += ",";
    if (names[i] > ' ') format += names[i];
  }
  EXPECT_EQ(count, 112u);
  const std::string out = sacct(one_of_each(), {"--parsable", "--format=" + format, "-j", "10"});
  const std::string heads = out.substr(0, out.find('\n'));
  EXPECT_EQ(static_cast<std::size_t>(std::ranges::count(heads, '|')), count);
  EXPECT_EQ(static_cast<std::size_t>(std::ranges::count(out, '\n')), 5u);
  EXPECT_EQ(static_cast<std::size_t>(std::ranges::count(out, '|')), 5 * count);
  EXPECT_EQ(sacct(one_of_each(), {"--parsable", "--format=all", "-j", "10"}), out);
}

TEST(Sacct, RefusesUnknownFieldsStatesIdsTimesAndClusters) {
  const auto wrong = [](const std::vector<std::string>& words) {
    const SacctOptions options = slurm_options("sacct", words);
    const auto help = show_record_help(options);
    return help ? help->err : shown_by("sacct", a_page({}), options).err;
  };
  EXPECT_EQ(wrong({"-o", "jobid,stat3"}), "sacct: error: Invalid field requested: \"stat3\"\n");
  EXPECT_EQ(wrong({"-o", "state%x"}).find("sacct: error: \"state%x\" has an invalid width"), 0u);
  EXPECT_NE(wrong({"-M", "lake"}).find("'lake' can't be reached"), std::string::npos);
  EXPECT_EQ(slurm_refusal("sacct", {"-s", "RUNING"}),
            "unrecognized job state value 'RUNING'; did you mean RUNNING?");
  EXPECT_EQ(slurm_refusal("sacct", {"-j", "12.foo"}), "Bad job/step specified: 12.foo");
  EXPECT_EQ(slurm_refusal("sacct", {"-S", "garbage"}), "Invalid time specification: garbage");
  EXPECT_EQ(slurm_refusal("sacct", {"-i", "4-1"}).find("invalid node range '4-1'"), 0u);
  EXPECT_EQ(slurm_refusal("sacct", {"-c"}), "Slurm job completion is disabled");
  EXPECT_NE(slurm_refusal("sacct", {"-F", "SchedMain"}), "");
  EXPECT_EQ(slurm_refusal("sacct", {"-s", "BF,rq,OOM"}), "") << "these are states of Slurm";
  EXPECT_NE(slurm_refusal("sacct", {"--units", "x"}).find("Invalid unit type"), std::string::npos);
}

TEST(Sacct, SelectsTodayNowOrAllTimeAsSlurmDoes) {
  struct Row {
    std::vector<std::string> words;
    Wall since, until;
  };
  const std::vector<Row> table = {
      {{}, at_s(-12 * 3600), {}},
      {{"-j", "7"}, {}, {}},
      {{"-s", "R"}, at_s(3600), {}},
      {{"-s", "R", "-j", "7"}, {}, {}},
      {{"-S", "12:30"}, at_s(1800), {}},
      {{"-S", "now-1days"}, at_s(3600 - 86'400), {}},
      {{"-S", "11/21"}, at_s(-36 * 3600), {}},
      {{"-S", "12/24/25-06:00", "-E", "today"}, at_s(-333 * 86'400 - 6 * 3600), at_s(-12 * 3600)},
      {{"-S", "12/24"}, at_s(-333 * 86'400 - 12 * 3600), {}},
      {{"-S", "uts1795348800"}, at_s(0), {}},
      {{"-S", "2026-11-22T11:00:00", "-E", "12:30"}, at_s(-3600), at_s(1800)},
      {{"-E", "2027-01-01"}, at_s(-12 * 3600), {}},
  };
  for (const Row& row : table) {
    const auto ask = std::get<ListAccounting>(ask_sacct(slurm_options("sacct", row.words)));
    const std::string words = row.words.empty() ? "" : row.words.back();
    EXPECT_EQ(to_ms(ask.since) / 1000 - noon_s, to_ms(row.since) / 1000 - noon_s) << words;
    EXPECT_EQ(to_ms(ask.until), to_ms(row.until)) << words;
  }
}

TEST(Sacct, AsksForTheJobsOfTheCallerUnlessOtherJobsOrUsersAreRequested) {
  const auto users = [](const std::vector<std::string>& words) {
    return std::get<ListAccounting>(ask_sacct(slurm_options("sacct", words))).users;
  };
  using Users = std::vector<std::string>;
  EXPECT_EQ(users({}), Users{"ann"});
  EXPECT_EQ(users({"-a"}), Users{});
  EXPECT_EQ(users({"-j7"}), Users{});
  EXPECT_EQ(users({"-N", "n[1-2]"}), Users{});
  EXPECT_EQ(users({"-u", "bob,eve", "-j", "7"}), (Users{"bob", "eve"}));
  const auto ask = std::get<ListAccounting>(
      ask_sacct(slurm_options("sacct", {"-aj", "7_[1,3],8.0", "-Aphys", "-r", "a,b", "-D"})));
  EXPECT_EQ(ask.ids, (std::vector<JobId>{JobId{7}, JobId{8}}));
  EXPECT_EQ(ask.tasks, (std::vector<std::string>{"1,3", ""}));
  EXPECT_EQ(ask.accounts, std::vector<std::string>{"phys"});
  EXPECT_EQ(ask.partitions, (std::vector<std::string>{"a", "b"}));
  EXPECT_TRUE(ask.all_runs);
}

TEST(Sacct, FiltersByNodesCpusConstraintsWckeysTimeLimitsAndStates) {
  JobRecord other = a_run_record(20, JobState::Completed);
  other.run.nodes = 1, other.run.cpus = 1;
  JobSpec& spec = other.job.spec.change();
  spec.constraint = "fast&big";
  spec.wckey = "w";
  spec.time_limit_s = 60;
  const AccountingPage page = a_page({a_run_record(10, JobState::Completed), other});
  const auto ids = [&](std::vector<std::string> words) {
    words.insert(words.end(), {"-X", "-n", "-P", "-o", "jobid"});
    return sacct(page, words);
  };
  EXPECT_EQ(ids({"-i", "1"}), "20\n");
  EXPECT_EQ(ids({"-I", "2-8"}), "10\n");
  EXPECT_EQ(ids({"-C", "big"}), "20\n");
  EXPECT_EQ(ids({"-C", "big,slow"}), "");
  EXPECT_EQ(ids({"-W", "w"}), "20\n");
  EXPECT_EQ(ids({"-k", "1"}), "20\n");
  EXPECT_EQ(ids({"-k", "1", "-K", "2:00:00"}), "10\n20\n");
  EXPECT_EQ(ids({"-s", "BF"}), "") << "no job is ever in this state";
}

TEST(Sacct, ShowsEachRunOfARequeuedJob) {
  JobRecord first = a_run_record(10, JobState::Running);
  first.newest = false;
  first.run.ended = at_s(300);
  first.run.stop = StopWhy::Preempt;
  JobRecord second = a_run_record(10, JobState::Running);
  second.run.number = AttemptNumber{2};
  EXPECT_EQ(sacct(a_page({first, second}), {"-D", "-X", "-P", "-o", "jobid,state,start,end"}),
            "JobID|State|Start|End\n"
            "10|PREEMPTED|2026-11-22T12:01:00|2026-11-22T12:05:00\n"
            "10|RUNNING|2026-11-22T12:01:00|Unknown\n");
}

TEST(Sacct, JudgesEachRunByTheStateThatItsRowShows) {
  std::vector<JobRecord> runs;
  for (const StopWhy why : {StopWhy::JobEnded, StopWhy::Preempt, StopWhy::NodeLost}) {
    JobRecord& run = runs.emplace_back(a_run_record(10, JobState::Completed));
    run.newest = false;
    run.run.stop = why;
  }
  runs.push_back(a_run_record(10, JobState::Completed));
  const auto states = [&](const char* wanted) {
    return sacct(a_page(runs), {"-D", "-X", "-n", "-P", "-s", wanted, "-o", "state"});
  };
  EXPECT_EQ(states("RQ"), "REQUEUED\n");
  EXPECT_EQ(states("PR"), "PREEMPTED\n");
  EXPECT_EQ(states("NF,requeued"), "REQUEUED\nNODE_FAIL\n");
  EXPECT_EQ(states("CD"), "COMPLETED\n");
  EXPECT_EQ(states("F"), "");
  const auto asked =
      std::get<ListAccounting>(ask_sacct(slurm_options("sacct", {"-D", "-s", "CD"})));
  EXPECT_TRUE(asked.states.empty()) << "the controller judges jobs, not their runs";
}

TEST(Sacct, ShowsAStoppedGangByItsFirstRank) {
  JobRecord record = a_run_record(10, JobState::Timeout);
  record.job.spec.change().form = JobForm::Gang;
  record.run.stop = StopWhy::TimeLimit;
  const auto batch = [&] {
    return sacct(a_page({record}), {"-n", "-P", "-j", "10.batch", "-o", "state,exitcode"});
  };
  record.run.exit_signal = 15;
  EXPECT_EQ(batch(), "CANCELLED|0:15\n");
  record.run.exit_signal = 0;
  record.run.exit_code = 3;
  EXPECT_EQ(batch(), "CANCELLED|3:0\n");
  record.job.exit_code = 7;
  EXPECT_EQ(batch(), "CANCELLED|7:0\n") << "the job knows which rank failed first";
  record.job.exit_code = record.run.exit_code = 0;
  EXPECT_EQ(batch(), "COMPLETED|0:0\n") << "it ended by itself";
  record.run.rank_ended = {};
  EXPECT_EQ(batch(), "CANCELLED|0:0\n") << "nobody knows how it ended";
}

TEST(Sacct, TruncatesTimesOnRequest) {
  const AccountingPage page = a_page({a_run_record(10, JobState::Completed)});
  EXPECT_EQ(sacct(page, {"-T", "-X", "-n", "-P", "-S", "12:05", "-E", "12:08", "-o",
                         "start,end,elapsed,cputimeraw"}),
            "2026-11-22T12:05:00|2026-11-22T12:08:00|00:03:00|720\n");
}

TEST(Sacct, ShowsNoStartOfAJobCancelledWhilePending) {
  JobRecord waited = a_record(10, JobState::Cancelled);
  waited.job.ended = at_s(90);
  EXPECT_EQ(sacct(a_page({waited}),
                  {"-n", "-P", "-o", "jobid,start,end,elapsed,planned,alloccpus,nnodes,alloctres"}),
            "10|None|2026-11-22T12:01:30|00:00:00|00:01:30|0|2|\n");
}

TEST(Sacct, CountsSuspendedTimeSeparately) {
  JobRecord suspended = a_run_record(10, JobState::Suspended);
  suspended.run.suspended_ms = 30'000;
  suspended.run.suspended_since = at_s(3000);
  EXPECT_EQ(sacct(a_page({suspended}), {"-X", "-n", "-P", "-o", "state,elapsed,suspended"}),
            "SUSPENDED|00:48:30|00:10:30\n");
}

TEST(Sacct, ShowsOutOfMemoryAsSlurmDoes) {
  JobRecord out = a_run_record(10, JobState::OutOfMemory);
  out.run.stop = StopWhy::OutOfMemory;
  out.job.exit_signal = out.run.exit_signal = 9;
  EXPECT_EQ(sacct(a_page({out}), {"-n", "-P", "-b"}),
            "10|OUT_OF_MEMORY|0:125\n10.batch|OUT_OF_MEMORY|0:125\n10.extern|COMPLETED|0:0\n");
}

TEST(Sacct, ShowsStepsEndedByASignalAsCancelledAsSlurmDoes) {
  JobRecord failed = a_run_record(10, JobState::Failed);
  failed.job.exit_signal = failed.run.exit_signal = 11;
  failed.steps = {a_step(10, 0, JobState::Failed), a_step(10, 1, JobState::Failed)};
  failed.steps[0].exit_signal = 6;
  failed.steps[1].exit_signal = 15;
  failed.steps[1].exit_code = 1;  // exit code and signal come from different tasks of the step
  EXPECT_EQ(sacct(a_page({failed}), {"-n", "-P", "-b"}),
            "10|FAILED|0:11\n10.batch|CANCELLED|0:11\n10.extern|COMPLETED|0:0\n"
            "10.0|CANCELLED|0:6\n10.1|FAILED|1:15\n");
}

TEST(Sacct, PrintsNoTerminalEscapes) {
  JobRecord evil = a_record(10, JobState::Pending);
  evil.job.spec.change().name = "a\x1b[31m\nb";
  EXPECT_EQ(sacct(a_page({evil}), {"-n", "-P", "-o", "jobname"}), "a?[31m?b\n");
}

TEST(Sacct, ExpandsTheTasksOfAnArrayOnRequest) {
  const std::string out =
      sacct(one_of_each(), {"--array", "-n", "-P", "-o", "jobid,state", "-j", "14"});
  EXPECT_EQ(out, "14_0|PENDING\n14_1|PENDING\n14_2|PENDING\n14_3|PENDING\n14_4|PENDING\n");
}

}  // namespace
}  // namespace cox::test
