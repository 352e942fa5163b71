// Tests of the suite that runs over both stores (PostgreSQL and memory): the records that sacct
// reads, of live and ended jobs with their attempts and steps.
#include <functional>

#include "controller/change/job_records.h"
#include "tests/store/store_suite.h"

namespace cox::test {
namespace {

AccountingPage read(Controller& controller, const ListAccounting& ask) {
  controller.store().read_accounting(1, ask);
  return next<AccountingRead>(controller.store()).page;
}

std::vector<std::int64_t> ids_of(const AccountingPage& page) {
  std::vector<std::int64_t> ids;
  for (const JobRecord& record : page.records) ids.push_back(record.job.id.value);
  return ids;
}

using Ids = std::vector<std::int64_t>;

Job a_plain_job(std::int64_t id) {
  Job job = a_job(id);
  job.array_job = {};
  job.array_task = -1;
  job.array_tasks = {};
  job.dependencies.clear();
  return job;
}

Step a_step(std::int64_t job, std::int32_t attempt, std::int32_t number) {
  Step step;
  step.key = {{JobId{job}, AttemptNumber{attempt}}, number};
  step.spec.name = "train";
  step.request_id = std::to_string(attempt) + "." + std::to_string(number);
  step.state = JobState::Failed;
  step.nodes = {{"n1", 1, 1, 0, {}, StepPhase::Gone}};
  step.created = step.started = at(3);
  step.ended = at(4);
  step.usage = {1, 2, 3};
  return step;
}

// Returns the changes of a job with one attempt that `actor` ended in the state `to`, with the
// events of its history.
std::vector<Change> ends(Job job, JobState to, const std::string& actor, Wall ended) {
  Attempt attempt = an_attempt(job.id.value, 1);
  attempt.ended = ended;
  std::vector<Change> changes{JobAdded{job, {}, {}}, noted(job)};
  const auto move = [&](JobState state, const std::string& by) {
    JobChanged moved = change(job, state);
    if (is_final(state)) moved.job.ended = ended;
    EventAdded event = noted(job);
    event.event.actor = by;
    changes.insert(changes.end(), {moved, event});
  };
  move(JobState::Configuring, "controller");
  changes.push_back(AttemptAdded{attempt});
  move(JobState::Running, "controller");
  move(JobState::Completing, actor);
  move(to, "controller");
  return changes;
}

TEST_P(StoreSuite, ARecordHasTheRunAndTheUserWhoCancelled) {
  Controller controller(*database);
  controller.commit(ends(a_plain_job(1), JobState::Cancelled, "user eve", at(9)));
  const AccountingPage page = read(controller, {});
  ASSERT_EQ(page.records.size(), 1u);
  const JobRecord& record = page.records.front();
  Attempt attempt = an_attempt(1, 1);
  attempt.ended = at(9);
  EXPECT_EQ(record.run, run_record(attempt));
  EXPECT_EQ(record.run.nodelist, "n[1-2]");
  EXPECT_EQ(record.run.usage, (StepUsage{10, 20, 30}));
  EXPECT_EQ(record.run.gpu_milli, 2'000);
  EXPECT_EQ(record.run.first_memory_mb, 1024);
  EXPECT_EQ(record.run.exit_code, 75);
  EXPECT_EQ(record.ended_by, "user eve");
  EXPECT_EQ(record.job.spec->name, "train");
  EXPECT_TRUE(record.newest);
}

TEST_P(StoreSuite, SacctShowsAJobAsSoonAsItIsCommitted) {
  Controller controller(*database);
  Job waiting = a_plain_job(5);
  JobWait wait;
  wait.job = JobId{5};
  wait.reason = "Resources";
  wait.first_evaluated = wait.last_evaluated = at(1);
  controller.commit({JobAdded{waiting, {}, {}}, WaitPut{wait}});
  ListAccounting ask;
  ask.ids = {JobId{5}};
  const AccountingPage page = read(controller, ask);
  ASSERT_EQ(ids_of(page), (Ids{5}));
  EXPECT_EQ(page.records.front().job, waiting);
  EXPECT_EQ(page.records.front().run, RunRecord{}) << "the job never started";
  EXPECT_EQ(page.records.front().reason, "Resources");
  EXPECT_EQ(page.records.front().ended_by, "");
}

TEST_P(StoreSuite, TheNewestRunOfARequeuedJobIsShownOrAllRuns) {
  Controller controller(*database);
  Job job = a_plain_job(1);
  Attempt first = an_attempt(1, 1), second = an_attempt(1, 2);
  first.ended = at(5);
  second.resume = ResumeFrom{AttemptNumber{1}, 17};
  controller.commit({JobAdded{job, {}, {}}, change(job, JobState::Configuring),
                     change(job, JobState::Running), AttemptAdded{an_attempt(1, 1)},
                     StepPut{a_step(1, 1, 0)}, change(job, JobState::Completing),
                     change(job, JobState::Pending), AttemptChanged{first}});
  ListAccounting all;
  all.all_runs = true;
  AccountingPage page = read(controller, all);
  ASSERT_EQ(page.records.size(), 2u) << "its run and its pending record";
  EXPECT_EQ(page.records[0].run.number, AttemptNumber{1});
  EXPECT_FALSE(page.records[0].newest);
  EXPECT_EQ(page.records[0].steps, std::vector<Step>{a_step(1, 1, 0)});
  EXPECT_EQ(page.records[1].run, RunRecord{});
  EXPECT_TRUE(page.records[1].steps.empty());
  controller.commit({change(job, JobState::Configuring), change(job, JobState::Running),
                     AttemptAdded{second}, StepPut{a_step(1, 2, 0)}});
  page = read(controller, {});
  ASSERT_EQ(page.records.size(), 1u);
  EXPECT_EQ(page.records[0].run.number, AttemptNumber{2});
  EXPECT_EQ(page.records[0].steps, std::vector<Step>{a_step(1, 2, 0)});
  EXPECT_EQ(read(controller, all).records.size(), 2u);
}

TEST_P(StoreSuite, FiltersAreCombinedByAndAndTheirListsByOr) {
  Controller controller(*database);
  Job other = a_plain_job(3);
  other.spec.change().user_name = "bob";
  other.spec.change().account = "bio'; DROP TABLE cox.job; --";
  other.spec.change().partition = "short";
  other.spec.change().qos = "besteffort";
  other.spec.change().name = "%";
  controller.commit(ends(a_plain_job(1), JobState::Cancelled, "user ada", at(9)));
  controller.commit(ends(a_plain_job(2), JobState::Failed, "controller", at(20)));
  controller.commit({JobAdded{other, {}, {}}});
  struct Row {
    std::function<void(ListAccounting&)> filter;
    Ids expected;
  };
  const std::vector<Row> table = {
      {[](auto&) {}, {1, 2, 3}},
      {[](auto& a) {
         a.users = {"bob", "nobody"};
       },
       {3}},
      {[](auto& a) { a.users = {"ada"}, a.states = {JobState::Failed}; }, {2}},
      {[](auto& a) { a.accounts = {"bio'; DROP TABLE cox.job; --"}; }, {3}},
      {[](auto& a) { a.partitions = {"gpu"}; }, {1, 2}},  // jobs that ran in this partition
      {[](auto& a) { a.partitions = {"short"}; }, {3}},
      {[](auto& a) { a.qos = {"standard"}; }, {1, 2}},
      {[](auto& a) { a.names = {"%"}; }, {3}},
      {[](auto& a) {
         a.nodes = {"n2", "n9"};
       },
       {1, 2}},
      {[](auto& a) { a.nodes = {"n9"}; }, {}},
      {[](auto& a) {
         a.ids = {JobId{2}, JobId{7}};
       },
       {2}},
      {[](auto& a) { a.after = JobId{1}; }, {2, 3}},
      {[](auto& a) { a.since = at(10); }, {2, 3}},
      {[](auto& a) { a.until = at(0); }, {}},
      {[](auto& a) { a.states = {JobState::Pending}; }, {1, 2, 3}},
      {[](auto& a) { a.states = {JobState::Pending}, a.since = at(4); }, {3}},
      {[](auto& a) { a.states = {JobState::Running}; }, {1, 2}},
      {[](auto& a) { a.states = {JobState::Completing}, a.since = at(10); }, {2}},
      {[](auto& a) { a.states = {JobState::Running}, a.until = at(2); }, {}},
      {[](auto& a) {
         a.states = {JobState::Cancelled, JobState::Timeout};
       },
       {1}},
      {[](auto& a) { a.states = {JobState::Cancelled}, a.until = at(8); }, {}},
  };
  for (std::size_t i = 0; i < table.size(); ++i) {
    ListAccounting ask;
    table[i].filter(ask);
    EXPECT_EQ(ids_of(read(controller, ask)), table[i].expected) << "row " << i;
  }
}

TEST_P(StoreSuite, AnArrayIsFoundByItsIdAndATaskByItsNumberOrItsOwnId) {
  Controller controller(*database);
  Job first = a_job(1), task = a_job(2);
  first.array_task = -1;
  first.array_tasks = *parse_array_tasks("4-9");
  task.array_job = JobId{1};
  task.array_task = 3;
  task.array_tasks = {};
  task.request_id.clear();
  controller.commit({JobAdded{first, {}, {}}, JobAdded{task, {}, {}}});
  const auto found_ids = [&](std::int64_t id, const std::string& tasks) {
    ListAccounting ask;
    ask.ids = {JobId{id}};
    ask.tasks = {tasks};
    return ids_of(read(controller, ask));
  };
  EXPECT_EQ(found_ids(1, ""), (Ids{1, 2}));
  EXPECT_EQ(found_ids(1, "3"), (Ids{2}));
  EXPECT_EQ(found_ids(1, "8-12"), (Ids{1})) << "the row that has these tasks";
  EXPECT_EQ(found_ids(1, "12"), (Ids{}));
  EXPECT_EQ(found_ids(2, ""), (Ids{2}));
}

TEST_P(StoreSuite, StepsBeyondAPageAreOnTheNextPage) {
  Controller controller(*database);
  const auto many = static_cast<std::int32_t>(record_steps_per_page_max) + 3;
  std::vector<Change> changes;
  for (const std::int64_t id : {1, 2}) {
    Job job = a_plain_job(id);
    changes.insert(changes.end(),
                   {JobAdded{job, {}, {}}, change(job, JobState::Configuring),
                    change(job, JobState::Running), AttemptAdded{an_attempt(id, 1)}});
    for (std::int32_t k = 0; k < (id == 1 ? many : 2); ++k)
      changes.push_back(StepPut{a_step(id, 1, k)});
  }
  controller.commit(changes);
  const AccountingPage page = read(controller, {});
  EXPECT_TRUE(page.more);
  ASSERT_EQ(ids_of(page), (Ids{1}));
  EXPECT_EQ(page.records[0].steps.size(), record_steps_per_page_max);
  ListAccounting ask;
  ask.after = page.after;
  ask.after_step = page.after_step;
  const AccountingPage rest = read(controller, ask);
  EXPECT_FALSE(rest.more);
  ASSERT_EQ(ids_of(rest), (Ids{1, 2}));
  ASSERT_EQ(rest.records[0].steps.size(), 3u);
  EXPECT_EQ(rest.records[0].steps.back().key.number, many - 1);
  EXPECT_EQ(rest.records[1].steps.size(), 2u);
  ask.steps = false;
  EXPECT_TRUE(read(controller, ask).records[1].steps.empty());
}

TEST_P(StoreSuite, JobsBeyondAPageAreOnTheNextPage) {
  Controller controller(*database);
  std::vector<Change> changes;
  const auto many = static_cast<std::int64_t>(record_jobs_per_page_max) + 2;
  for (std::int64_t id = 1; id <= many; ++id) changes.push_back(JobAdded{a_plain_job(id), {}, {}});
  controller.commit(changes);
  const AccountingPage page = read(controller, {});
  EXPECT_TRUE(page.more);
  EXPECT_EQ(page.records.size(), record_jobs_per_page_max);
  ListAccounting ask;
  ask.after = page.after;
  const AccountingPage rest = read(controller, ask);
  EXPECT_EQ(ids_of(rest), (Ids{many - 1, many}));
  EXPECT_FALSE(rest.more);
}

}  // namespace
}  // namespace cox::test
