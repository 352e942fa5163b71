// Tests the store in memory as one controller's connection to the database: failed commits, a
// second controller, pages of histories, and the content of a snapshot.
#include "tests/support/memory_store.h"

#include <gtest/gtest.h>

#include "common/base/limits.h"

namespace cox {
namespace {

constexpr Wall opened = wall_from_ms(1'700'000'000'000);

class MemoryConnection : public testing::Test {
 protected:
  MemoryConnection() { loaded = load(store, true); }
  // Polls the store `times` times. Returns the names of the events that each poll returned, "-" for
  // none, such as "away - back committed".
  static std::string polled(MemoryStore& of, int times) {
    std::string text;
    for (int i = 0; i < times; ++i) {
      std::string events;
      for (const StoreEvent& event : of.poll()) {
        if (std::holds_alternative<StoreAway>(event)) events += "away ";
        if (std::holds_alternative<StoreBack>(event)) events += "back ";
        if (std::holds_alternative<Committed>(event)) events += "committed ";
        if (std::holds_alternative<Superseded>(event)) events += "superseded ";
        if (std::holds_alternative<TurnRejected>(event)) events += "rejected ";
        if (std::holds_alternative<Loaded>(event)) events += "loaded ";
        if (std::holds_alternative<HistoryRead>(event)) events += "history ";
      }
      text += events.empty() ? "- " : events;
    }
    return text;
  }
  template <class E>
  static E next(MemoryStore& of) {
    for (int i = 0; i < 10; ++i)
      for (StoreEvent& event : of.poll())
        if (auto* found = std::get_if<E>(&event)) return std::move(*found);
    ADD_FAILURE() << "the event did not come";
    return E{};
  }
  static Snapshot load(MemoryStore& of, bool take_term, Wall ended_since = Wall{}) {
    of.load(take_term, ended_since);
    return next<Loaded>(of).snapshot;
  }
  static Job job_of(std::int64_t id) {
    Job job;
    job.id = JobId{id};
    job.submitted = opened;
    return job;
  }
  // Puts a job into the tables. If `ended` is set, the job was cancelled at that time.
  Job& put(std::int64_t id, Wall ended = Wall{}) {
    Job& job = database->tables.jobs[JobId{id}];
    job = job_of(id);
    job.ended = ended;
    if (ended != Wall{}) job.state = JobState::Cancelled;
    return job;
  }
  void put_event(std::int64_t job) {
    JobEvent event;
    event.job = JobId{job};
    event.at = opened;
    event.sequence = ++database->tables.last_sequence;
    database->tables.events.push_back(event);
  }
  void commit(std::int64_t id) {
    const TurnNumber number{database->tables.turn.value + 1};
    store.commit({loaded.term, number, opened, {JobAdded{job_of(id), {}, {}}}, {"hash"}});
  }
  std::size_t jobs() const { return database->tables.jobs.size(); }
  static std::vector<std::int64_t> ids_of(const std::vector<Job>& jobs) {
    std::vector<std::int64_t> ids;
    for (const Job& job : jobs) ids.push_back(job.id.value);
    return ids;
  }

  using Ids = std::vector<std::int64_t>;
  std::shared_ptr<MemoryDatabase> database = std::make_shared<MemoryDatabase>();
  MemoryStore store{database};
  Snapshot loaded;
};

TEST_F(MemoryConnection, ACommitIsAppliedAfterItsDelayAndReturnsTheBlobsThatExist) {
  database->tables.blobs["hash"] = "text";
  store.commit_delay_polls = 2;
  commit(1);
  EXPECT_EQ(polled(store, 2), "- - ");
  EXPECT_EQ(jobs(), 0U);
  const Committed committed = next<Committed>(store);
  EXPECT_EQ(jobs(), 1U);
  ASSERT_EQ(committed.blobs.size(), 1U);
  EXPECT_EQ(committed.blobs[0].content, "text");
  database->tables.blobs.clear();
  store.commit_delay_polls = 0;
  commit(2);
  EXPECT_TRUE(next<Committed>(store).blobs.empty());
}

TEST_F(MemoryConnection, ALostCommitIsAppliedAfterTheOutageAndAnAmbiguousOneBefore) {
  store.next_commit = MemoryStore::Fate::Lost;
  store.outage_polls = 3;
  commit(1);
  EXPECT_EQ(polled(store, 3), "away - - ");
  EXPECT_EQ(jobs(), 0U);
  EXPECT_EQ(polled(store, 2), "back committed - ");
  EXPECT_EQ(jobs(), 1U);
  store.next_commit = MemoryStore::Fate::Ambiguous;
  commit(2);
  EXPECT_EQ(polled(store, 1), "away ");
  EXPECT_EQ(jobs(), 2U);
  EXPECT_EQ(polled(store, 4), "- - back committed - ");
  EXPECT_EQ(jobs(), 2U);
  commit(3);
  EXPECT_EQ(polled(store, 1), "committed ") << "a fault applies to one commit";
}

TEST_F(MemoryConnection, AnOutageDelaysReadsAndIsReportedOnce) {
  store.away_polls = 2;
  store.read_history(1, JobId{1}, 0);
  EXPECT_EQ(polled(store, 4), "away - back history - ");
  store.away_polls = 1;
  EXPECT_EQ(polled(store, 2), "away back ");
}

TEST_F(MemoryConnection, ANewLoadDropsTheTurnInFlight) {
  store.commit_delay_polls = 5;
  commit(1);
  store.read_history(1, JobId{1}, 0);
  EXPECT_TRUE(store.has_turn_in_flight());
  store.load(true, Wall{});
  EXPECT_FALSE(store.has_turn_in_flight());
  EXPECT_EQ(polled(store, 8), "loaded - - - - - - - ");
  EXPECT_EQ(jobs(), 0U);
}

TEST_F(MemoryConnection, ASecondControllerSupersedesCommitsAndLoads) {
  store.commit_delay_polls = 1;
  commit(1);
  EXPECT_EQ(polled(store, 1), "- ");
  MemoryStore rival{database};
  EXPECT_EQ(load(rival, true).term, Term{loaded.term.value + 1});
  EXPECT_EQ(next<Superseded>(store).message, "another controller has taken over");
  EXPECT_EQ(jobs(), 0U);
  store.load(false, Wall{});
  EXPECT_EQ(polled(store, 2), "superseded - ");
  EXPECT_EQ(load(rival, false).term, Term{loaded.term.value + 1}) << "the leader loads again";
}

TEST_F(MemoryConnection, ARejectedTurnIsReportedAndNotApplied) {
  put(1);
  commit(1);
  const auto rejected = next<TurnRejected>(store);
  EXPECT_EQ(rejected.sqlstate, "23505");
  EXPECT_EQ(rejected.message, "job");
  EXPECT_FALSE(store.has_turn_in_flight());
}

// ---- reading -----------------------------------------------------------------------------------

TEST_F(MemoryConnection, AHistoryIsReadInPages) {
  for (std::size_t i = 0; i <= limits::page_rows_max; ++i) {
    put_event(7);
    put_event(8);
  }
  store.read_history(1, JobId{7}, 0);
  HistoryRead page = next<HistoryRead>(store);
  EXPECT_EQ(page.events.size(), limits::page_rows_max);
  EXPECT_TRUE(page.more);
  const std::int64_t last = page.events.back().sequence;
  store.read_history(2, JobId{7}, last);
  page = next<HistoryRead>(store);
  EXPECT_EQ(page.ticket, 2);
  ASSERT_EQ(page.events.size(), 1U);
  EXPECT_EQ(page.events[0].sequence, last + 2);
  EXPECT_FALSE(page.more);
  store.read_history(3, JobId{7}, 1);
  EXPECT_FALSE(next<HistoryRead>(store).more) << "exactly one page";
}

TEST_F(MemoryConnection, TheHistoryOfAnArrayIsReadRowByRow) {
  Job& first = put(1);
  first.array_job = JobId{1};
  first.array_tasks = *parse_array_tasks("2-9");
  Job& second = put(4);
  second.array_job = JobId{1};
  second.array_task = 1;
  put(3);
  for (const std::int64_t id : {4, 1, 3, 4, 1}) put_event(id);  // five events, numbered from 1
  put_event(9);  // an event of a job that is not in the tables
  const auto read = [&](std::int64_t after) {
    store.read_array_history(1, JobId{1}, after);
    const HistoryRead page = next<HistoryRead>(store);
    EXPECT_FALSE(page.more);
    EXPECT_EQ(page.job_names.size(), page.events.size());
    Ids sequences;
    for (const JobEvent& event : page.events) sequences.push_back(event.sequence);
    return sequences;
  };
  EXPECT_EQ(read(0), (Ids{2, 5, 1, 4}));
  EXPECT_EQ(read(2), (Ids{5, 1, 4}));
  EXPECT_EQ(read(1), Ids{4});
  EXPECT_EQ(read(4), Ids{});
}

TEST_F(MemoryConnection, AJobIsReadWithItsAttemptsCheckpointsAndRows) {
  put(1).array_job = JobId{1};
  put(2).array_job = JobId{1};
  database->tables.jobs.at(JobId{2}).array_task = 5;
  put(3);
  for (const std::int64_t id : {1, 3})
    for (const std::int64_t step : {10, 20}) {
      Checkpoint one;
      one.key = {JobId{id}, AttemptNumber{1}};
      one.step = step;
      one.pruned = step == 10;
      database->tables.checkpoints[key_of(one)] = one;
      database->tables.attempts[one.key].key = one.key;
    }
  store.read_job(1, JobId{1}, true);
  JobRead read = next<JobRead>(store);
  EXPECT_EQ(ids_of(read.jobs), Ids{1});
  EXPECT_EQ(read.attempts.size(), 1U);
  ASSERT_EQ(read.checkpoints.size(), 1U);
  EXPECT_EQ(read.checkpoints[0].key.job, JobId{1});
  EXPECT_EQ(read.checkpoints[0].step, 20);
  EXPECT_EQ(read.rows.size(), 2U);
  store.read_job(2, JobId{1}, false);
  EXPECT_TRUE(next<JobRead>(store).rows.empty());
  store.read_job(3, JobId{9}, true);
  read = next<JobRead>(store);
  EXPECT_TRUE(read.jobs.empty());
  EXPECT_TRUE(read.rows.empty());
  store.read_task(4, JobId{1}, 5);
  EXPECT_EQ(ids_of(next<JobRead>(store).jobs), Ids{2});
  store.read_task(5, JobId{3}, 5);
  EXPECT_TRUE(next<JobRead>(store).jobs.empty()) << "it is no array";
}

// ---- the snapshot that a new leader loads -------------------------------------------------------

TEST_F(MemoryConnection, ASnapshotHasUnfinishedAndRecentlyEndedJobs) {
  put(1, opened);
  put(2, opened + Milliseconds{1});
  put(3);
  put(4, opened);
  put(5, opened);
  database->tables.jobs.at(JobId{3}).dependencies = {{DependencyKind::AfterOk, JobId{4}}};
  EXPECT_EQ(ids_of(load(store, true, opened + Milliseconds{1}).jobs), (Ids{2, 3, 4}))
      << "job 4 is awaited";
  EXPECT_EQ(ids_of(load(store, true, opened).jobs), (Ids{1, 2, 3, 4, 5}));
}

TEST_F(MemoryConnection, ASnapshotHasTheWholeArrayOfATaskThatHasNotEnded) {
  const Wall late = opened + Milliseconds{1};
  for (const std::int64_t id : {1, 2, 3}) put(id, opened).array_job = JobId{1};
  for (const std::int64_t id : {11, 12}) put(id, opened).array_job = JobId{11};
  for (const std::int64_t id : {21, 22}) put(id, id == 22 ? late : opened).array_job = JobId{21};
  database->tables.jobs.at(JobId{2}).ended = Wall{};
  EXPECT_EQ(ids_of(load(store, true, late).jobs), (Ids{1, 2, 3, 21, 22}));
}

TEST_F(MemoryConnection, ASnapshotListsAccountsBeforeTheirSubaccountsAndUsers) {
  const auto put_one = [&](std::int64_t id, const std::string& account, const std::string& user,
                           const std::string& parent) {
    Association& one = database->tables.associations[AssociationId{id}];
    one.id = AssociationId{id};
    one.account = account;
    one.user_name = user;
    one.parent = parent;
  };
  put_one(2, "physics", "ada", "");
  put_one(3, "optics", "", "physics");
  put_one(4, "physics", "", "root");
  std::string order;
  for (const Association& one : load(store, true).associations)
    order += one.account + "/" + one.user_name + " ";
  EXPECT_EQ(order, "root/ physics/ optics/ physics/ada ");
}

TEST_F(MemoryConnection, ASnapshotHasTheNewestEstimatesAndTheFailoversThatLostSomething) {
  const auto count = static_cast<std::int64_t>(estimates_kept_max) + 1;
  for (std::int64_t id = 1; id <= count; ++id) {
    StartEstimate one;
    one.job = JobId{id};
    one.attempt = AttemptNumber{1};
    one.actual = opened - Milliseconds{id};  // each estimate is older than the one before it
    database->tables.estimates[{one.job, one.attempt}] = one;
  }
  Failover none;
  none.term = Term{1};
  none.turns_lost = 0;
  Failover some = none;
  some.term = Term{2};
  some.turns_lost = 3;
  Failover unknown = none;
  unknown.term = Term{3};
  unknown.turns_lost = std::nullopt;
  database->tables.failovers = {none, some, unknown};
  const Snapshot taken = load(store, true);
  ASSERT_EQ(taken.estimates.size(), estimates_kept_max);
  EXPECT_EQ(taken.estimates.front().job.value, count - 1);
  EXPECT_EQ(taken.estimates.back().job, JobId{1});
  EXPECT_EQ(taken.failovers, (std::vector<Failover>{some, unknown}));
  EXPECT_EQ(taken.identity_seed, std::to_string(taken.term.value));
}

}  // namespace
}  // namespace cox
