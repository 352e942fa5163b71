// Tests the pages of records that sacct receives: which runs of a job they list, and where a page
// ends.
#include "controller/change/job_records.h"

#include <gtest/gtest.h>

#include "common/base/limits.h"

namespace cox {
namespace {

Wall at_second(std::int64_t second) {
  return wall_from_ms(1'700'000'000'000 + second * 1000);
}

JobRecord head_of(std::int64_t id, JobState state, std::int32_t attempt) {
  JobRecord head;
  head.job.id = JobId{id};
  head.job.state = state;
  head.job.attempt = AttemptNumber{attempt};
  return head;
}

RunOfJob run_of(std::int64_t id, std::int32_t number, std::int64_t went) {
  RunOfJob one{JobId{id}, {}};
  one.run.number = AttemptNumber{number};
  if (went >= 0) one.run.went = at_second(went);
  return one;
}

// Returns the listed records as "JOB.RUN", with "newest" and the steps, such as "7.2 newest step 0
// step 1; 7.1".
std::string listed_records(const AccountingPage& page) {
  std::string text;
  for (const JobRecord& record : page.records) {
    text += (text.empty() ? "" : "; ") + std::to_string(record.job.id.value) + "." +
            std::to_string(record.run.number.value) + (record.newest ? " newest" : "");
    for (const Step& step : record.steps) text += " step " + std::to_string(step.key.number);
  }
  return text;
}

Step step_of(std::int64_t job, std::int32_t attempt, std::int32_t number) {
  Step step;
  step.key = {{JobId{job}, AttemptNumber{attempt}}, number};
  return step;
}

TEST(JobRecords, TheNewestRunOfAJobIsListedAndOnRequestAllRunsThatBegan) {
  RecordRows rows;
  rows.jobs = {head_of(7, JobState::Running, 3), head_of(8, JobState::Pending, 1)};
  rows.runs = {run_of(7, 1, 10), run_of(7, 2, -1), run_of(7, 3, 30), run_of(8, 1, 5)};
  rows.steps = {step_of(7, 1, 0), step_of(7, 3, 0), step_of(7, 3, 1)};
  EXPECT_EQ(listed_records(page_of(rows, {})), "7.3 newest step 0 step 1; 8.0 newest");
  ListAccounting all;
  all.all_runs = true;
  EXPECT_EQ(listed_records(page_of(rows, all)),
            "7.1 step 0; 7.3 newest step 0 step 1; 8.1; 8.0 newest");
}

// If a job ended later than its last run, it was requeued and ended while pending. Its newest
// record then has no run (number 0).
TEST(JobRecords, ARunThatEndedBeforeItsJobIsNotItsNewest) {
  RecordRows rows;
  rows.jobs = {head_of(7, JobState::Cancelled, 1)};
  rows.runs = {run_of(7, 1, 10)};
  rows.jobs[0].job.ended = at_second(40);
  rows.runs[0].run.ended = at_second(40);
  EXPECT_EQ(listed_records(page_of(rows, {})), "7.1 newest");
  rows.runs[0].run.ended = at_second(39);
  EXPECT_EQ(listed_records(page_of(rows, {})), "7.0 newest");
  rows.runs[0].run.ended = Wall{};
  EXPECT_EQ(listed_records(page_of(rows, {})), "7.1 newest") << "it runs";
}

TEST(JobRecords, AFullPageOfJobsSaysThatThereAreMore) {
  RecordRows rows;
  for (std::size_t i = 1; i <= record_jobs_per_page_max; ++i)
    rows.jobs.push_back(head_of(static_cast<std::int64_t>(i), JobState::Pending, 0));
  const AccountingPage full = page_of(rows, {});
  EXPECT_EQ(full.records.size(), record_jobs_per_page_max);
  EXPECT_FALSE(full.more);
  EXPECT_EQ(full.after, JobId{});
  rows.jobs.push_back(head_of(501, JobState::Pending, 0));
  const AccountingPage more = page_of(rows, {});
  EXPECT_EQ(more.records.size(), record_jobs_per_page_max);
  EXPECT_TRUE(more.more);
  EXPECT_EQ(more.after, JobId{500});
  EXPECT_EQ(more.after_step, (StepKey{{}, -1}));
}

TEST(JobRecords, APageThatIsFullOfStepsEndsInTheMiddleOfAJob) {
  RecordRows rows;
  for (const std::int64_t id : {3, 7, 9}) rows.jobs.push_back(head_of(id, JobState::Running, 1));
  for (const std::int64_t id : {3, 7, 9}) rows.runs.push_back(run_of(id, 1, 0));
  rows.steps = {step_of(3, 1, 0)};
  const auto most = static_cast<std::int32_t>(record_steps_per_page_max);
  for (std::int32_t i = 0; i + 1 < most; ++i) rows.steps.push_back(step_of(7, 1, i));
  const AccountingPage full = page_of(rows, {});
  EXPECT_FALSE(full.more);
  EXPECT_EQ(full.records.size(), 3U);
  rows.steps.push_back(step_of(7, 1, most - 1));
  const AccountingPage cut = page_of(rows, {});
  ASSERT_EQ(cut.records.size(), 2U) << "job 9 comes with the next page";
  EXPECT_EQ(cut.records[1].steps.size(), record_steps_per_page_max - 1);
  EXPECT_TRUE(cut.more);
  EXPECT_EQ(cut.after, JobId{6}) << "so that job 7 is listed again";
  EXPECT_EQ(cut.after_step, (StepKey{{JobId{7}, AttemptNumber{1}}, most - 2}));
}

TEST(JobRecords, APageOfLargeJobsEndsEarlier) {
  const auto jobs_listed = [](const std::function<void(JobSpec&)>& grow) {
    RecordRows rows;
    for (std::int64_t id = 1; id <= 4; ++id) {
      JobRecord head = head_of(id, JobState::Pending, 0);
      JobSpec spec;
      grow(spec);
      head.job.spec = spec;
      rows.jobs.push_back(head);
    }
    const AccountingPage page = page_of(std::move(rows), {});
    EXPECT_EQ(page.more, page.records.size() < 4);
    if (page.more) {
      EXPECT_EQ(page.after, page.records.back().job.id);
      EXPECT_EQ(page.after_step, (StepKey{{}, -1}));
    }
    return page.records.size();
  };
  const std::string half(limits::page_bytes_max / 2, 'x');
  EXPECT_EQ(jobs_listed([](JobSpec&) {}), 4U);
  EXPECT_EQ(jobs_listed([&](JobSpec& s) { s.command = {half}; }), 2U);
  EXPECT_EQ(jobs_listed([&](JobSpec& s) { s.nodelist = {half}; }), 2U);
  EXPECT_EQ(jobs_listed([&](JobSpec& s) { s.exclude = {half, half, half}; }), 1U);
  EXPECT_EQ(jobs_listed([&](JobSpec& s) { s.components.emplace_back().nodelist = {half}; }), 2U);
  EXPECT_EQ(jobs_listed([&](JobSpec& s) { s.components.emplace_back().exclude = {half}; }), 2U);
}

TEST(JobRecords, TheRecordOfARunSumsUpItsNodes) {
  Attempt attempt;
  attempt.key = {JobId{7}, AttemptNumber{2}};
  attempt.partition = "gpu";
  attempt.began = at_second(1);
  attempt.went = at_second(2);
  attempt.ended = at_second(9);
  attempt.suspension.suspended = true;
  attempt.suspended_at = {at_second(4), at_second(6)};
  attempt.suspended_ms = 1'500;
  attempt.stop.why = StopWhy::TimeLimit;
  attempt.time_limit_s = 60;
  for (const char* name : {"n1", "n2"}) {
    AttemptNode& node = attempt.nodes.emplace_back();
    node.grant.node = name;
    node.grant.cpus = std::string(name) == "n1" ? 2 : 3;
    node.grant.memory_mb = 100;
    node.grant.gpus = {0, 1};
    node.grant.gpu_milli = 500;
    node.usage = {10, 20, 30};
  }
  RankStatus rank;
  rank.exit_code = 3;
  rank.exit_signal = 9;
  rank.ended = at_second(8);
  attempt.ranks = {rank};
  RunRecord expected;
  expected.number = AttemptNumber{2};
  expected.partition = "gpu";
  expected.began = at_second(1);
  expected.went = at_second(2);
  expected.ended = at_second(9);
  expected.suspended_since = at_second(6);
  expected.suspended_ms = 1'500;
  expected.stop = StopWhy::TimeLimit;
  expected.time_limit_s = 60;
  expected.nodelist = "n[1-2]";
  expected.nodes = 2;
  expected.cpus = 5;
  expected.memory_mb = 200;
  expected.gpu_milli = 2'000;
  expected.first_node = "n1";
  expected.first_cpus = 2;
  expected.first_memory_mb = 100;
  expected.first_gpu_milli = 1'000;
  expected.exit_code = 3;
  expected.exit_signal = 9;
  expected.rank_ended = at_second(8);
  expected.usage = {20, 40, 30};
  EXPECT_EQ(run_record(attempt), expected);
  attempt.suspension.suspended = false;
  attempt.ranks[0].rank = 1;
  expected.suspended_since = expected.rank_ended = Wall{};
  expected.exit_code = expected.exit_signal = 0;
  EXPECT_EQ(run_record(attempt), expected) << "the job has resumed, and nothing is known of rank 0";
  EXPECT_EQ(node_list_of({"n1", "n 2"}), "n1,n 2") << "no host names";
}

TEST(JobRecords, AFilterByTasksAndStatesSelectsArrayTasksAndStoredStates) {
  using enum JobState;
  ListAccounting ask;
  ask.states = {Configuring, Failed, Running, Signaling, Completing, Failed, Pending};
  EXPECT_EQ(selected_states(ask), (std::vector<JobState>{Running, Failed, Pending}));
  ask.ids = {JobId{1}, JobId{2}, JobId{3}, JobId{4}};
  ask.tasks = {"", "3-4", "x"};
  const RecordIds selected = selected_ids(ask);
  EXPECT_EQ(selected.whole, (std::vector<JobId>{JobId{1}, JobId{4}}));
  EXPECT_EQ(selected.arrays, (std::vector<JobId>{JobId{2}, JobId{2}}));
  EXPECT_EQ(selected.tasks, (std::vector<std::int64_t>{3, 4}));
}

TEST(JobRecords, AnAccountingRequestBeyondALimitIsRefused) {
  const auto fact = [](const auto& fill) {
    ListAccounting ask;
    fill(ask);
    const Failure failure = check(ask);
    return failure ? failure->fact : "";
  };
  using L = ListAccounting;
  const auto lists = [&](std::size_t rows) {
    return std::vector<std::string>{fact([&](L& a) { a.ids.assign(rows, JobId{1}); }),
                                    fact([&](L& a) { a.users.assign(rows, "u"); }),
                                    fact([&](L& a) { a.accounts.assign(rows, "u"); }),
                                    fact([&](L& a) { a.partitions.assign(rows, "u"); }),
                                    fact([&](L& a) { a.qos.assign(rows, "u"); }),
                                    fact([&](L& a) { a.names.assign(rows, "u"); }),
                                    fact([&](L& a) { a.states.assign(rows, JobState::Failed); })};
  };
  EXPECT_EQ(lists(limits::page_rows_max), std::vector<std::string>(7));
  EXPECT_EQ(lists(limits::page_rows_max + 1),
            std::vector<std::string>(7, "more than 1000 in one list"));
  EXPECT_EQ(fact([](L& a) { a.nodes.assign(limits::hostlist_nodes_max, "n"); }), "");
  EXPECT_EQ(fact([](L& a) { a.nodes.assign(limits::hostlist_nodes_max + 1, "n"); }),
            "more than 65536 nodes");
  EXPECT_EQ(fact([](L& a) { a.tasks = {"0-49999", "", "50000-99999"}; }), "");
  EXPECT_EQ(fact([](L& a) { a.tasks = {"0-49999", "0-50000"}; }), "more than 100000 tasks");
  EXPECT_NE(fact([](L& a) { a.tasks = {"x"}; }), "");
  const std::string longest(limits::name_bytes_max, 'x');
  for (std::vector<std::string> L::*words :
       {&L::users, &L::accounts, &L::partitions, &L::qos, &L::names, &L::nodes}) {
    EXPECT_EQ(fact([&](L& a) { a.*words = {longest}; }), "");
    for (const std::string& wrong : {longest + "x", std::string("\xff"), std::string("a\0b", 3)})
      EXPECT_EQ(fact([&](L& a) {
                  a.*words = {"u", wrong};
                }),
                "a name is longer than " + std::to_string(limits::name_bytes_max) +
                    " bytes, or is not UTF-8 text");
  }
}

}  // namespace
}  // namespace cox
