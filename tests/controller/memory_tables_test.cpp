// Tests that the store in memory rejects the rows that PostgreSQL's constraints and guards reject,
// each with its SQLSTATE, and applies a turn as a whole or not at all.
#include <gtest/gtest.h>

#include "tests/support/memory_store.h"

namespace cox {
namespace {

constexpr Wall then = wall_from_ms(1'700'000'000'000);

class MemoryTablesTest : public testing::Test {
 protected:
  MemoryTablesTest() : tables(MemoryDatabase().tables) {
    pending.id = JobId{1};
    pending.submitted = then;
    pending.request_id = "r1";
    running = pending;
    running.id = JobId{2};
    running.request_id = "r2";
    Job starting = running;
    starting.state = JobState::Configuring;
    starting.attempt = AttemptNumber{1};
    running = starting;
    running.state = JobState::Running;
    running.started = then;
    attempt.key = {JobId{2}, AttemptNumber{1}};
    attempt.began = then;
    checkpoint.key = attempt.key;
    checkpoint.step = 10;
    checkpoint.committed = then;
    node.name = "n1";
    crontab.uid = 1000;
    crontab.changed = then;
    Job first = running;
    first.state = JobState::Pending;
    first.attempt = AttemptNumber{0};
    first.started = Wall{};
    EXPECT_EQ(error_of({JobAdded{pending, {}, {}}, JobAdded{first, {}, {}},
                        JobChanged{starting, JobState::Pending, AttemptNumber{0}},
                        JobChanged{running, JobState::Configuring, AttemptNumber{1}},
                        AttemptAdded{attempt}, CheckpointAdded{checkpoint}, NodeChanged{node},
                        CrontabPut{crontab}, AssociationPut{account("physics")}}),
              "");
  }
  // Applies a turn with these changes. If it is rejected, returns the SQLSTATE and the message.
  std::string error_of(std::vector<Change> changes) {
    const TurnNumber number{tables.turn.value + 1};
    const auto rejected = apply_turn(tables, {Term{1}, number, then, std::move(changes), {}});
    if (!rejected) {
      EXPECT_EQ(tables.turn, number);
      return "";
    }
    EXPECT_EQ(rejected->number, number);
    EXPECT_EQ(tables.turn.value + 1, number.value) << "a refused turn changes nothing";
    return rejected->sqlstate + " " + rejected->message;
  }
  // Returns the row as `set` changes it.
  template <class Row, class Set>
  static Row with(Row row, const Set& set) {
    set(row);
    return row;
  }
  template <class Set>
  std::string job_error(const Set& set) {
    return error_of({JobChanged{with(running, set), JobState::Running, AttemptNumber{1}}});
  }
  static Association account(const std::string& name) {
    Association one;
    one.id = AssociationId{2};
    one.account = name;
    one.parent = std::string(root_account);
    return one;
  }
  static Association member(std::int64_t id, const std::string& user) {
    Association one;
    one.id = AssociationId{id};
    one.account = "physics";
    one.user_name = user;
    return one;
  }

  MemoryTables tables;
  Job pending;
  Job running;
  Attempt attempt;
  Checkpoint checkpoint;
  Node node;
  Crontab crontab;
};

const std::string bad_text = "a\xff";

TEST_F(MemoryTablesTest, TextIsUtf8WithoutNulAsInPostgresql) {
  for (const char* good : {"", "a", "\x7f", "\xc2\x80", "\xdf\xbf", "\xe0\xa0\x80", "\xec\x80\x80",
                           "\xed\x80\x80", "\xed\x9f\xbf", "\xee\x80\x80", "\xef\xbf\xbf",
                           "\xf0\x90\x80\x80", "\xf1\x80\x80\x80", "\xf4\x8f\xbf\xbf", "\xc3\xa4z"})
    EXPECT_EQ(job_error([&](Job& job) { job.why = good; }), "") << testing::PrintToString(good);
  for (const std::string& bad :
       {std::string("a\0b", 3), std::string("\x80"), std::string("\xbf"), std::string("\xc1\xbf"),
        std::string("\xc2"), std::string("\xc2\x7f"), std::string("\xc2\xc0"),
        std::string("\xe0\x9f\xbf"), std::string("\xe1\x80"), std::string("\xe1\x80\x7f"),
        std::string("\xed\xa0\x80"), std::string("\xf0\x8f\xbf\xbf"), std::string("\xf1\x80\x80"),
        std::string("\xf4\x90\x80\x80"), std::string("\xf5\x80\x80\x80"), std::string("\xff")})
    EXPECT_EQ(job_error([&](Job& job) { job.why = bad; }), "22021 job")
        << testing::PrintToString(bad);
}

TEST_F(MemoryTablesTest, InvalidUtf8IsRejectedWhereverItIsInARow) {
  EXPECT_EQ(job_error([](Job& job) { job.avoid_nodes = {"n1", bad_text, "n2"}; }), "22021 job");
  EXPECT_EQ(job_error([](Job& job) { job.spec.change().name = bad_text; }), "22021 job");
  EXPECT_EQ(job_error([](Job& job) { job.spec.change().command = {"a", bad_text}; }), "22021 job");
  const auto bad = [&](auto row, auto member) {
    row.*member = bad_text;
    return row;
  };
  AdvanceReservation reservation;
  reservation.name = "r";
  QosUsage usage;
  usage.at = then;
  EXPECT_EQ(error_of({AttemptChanged{bad(attempt, &Attempt::outcome)}}), "22021 attempt");
  EXPECT_EQ(error_of({NodeChanged{bad(node, &Node::reason)}}), "22021 node");
  EXPECT_EQ(error_of({NodeEventAdded{{"n1", then, "drained", bad_text, "user root"}}}),
            "22021 node_event");
  EXPECT_EQ(error_of({PartitionChanged{bad(Partition{}, &Partition::reason)}}), "22021 partition");
  EXPECT_EQ(error_of({EventAdded{bad(JobEvent{}, &JobEvent::why)}}), "22021 job_event");
  EXPECT_EQ(error_of({WaitPut{bad(JobWait{}, &JobWait::detail)}}), "22021 job_wait");
  EXPECT_EQ(error_of({AssociationPut{bad(member(3, "ada"), &Association::description)}}),
            "22021 association");
  EXPECT_EQ(error_of({QosPut{bad(Qos{}, &Qos::name)}}), "22021 qos");
  EXPECT_EQ(error_of({QosUsed{bad(usage, &QosUsage::qos)}}), "22021 qos_usage");
  EXPECT_EQ(error_of({StepPut{bad(Step{}, &Step::why)}}), "22021 step");
  EXPECT_EQ(
      error_of({ReservationPut{bad(reservation, &AdvanceReservation::changed_by), "created"}}),
      "22021 reservation");
  EXPECT_EQ(error_of({CrontabPut{bad(crontab, &Crontab::text)}}), "22021 crontab");
  EXPECT_EQ(error_of({CronLinePut{bad(CronLine{}, &CronLine::schedule)}}), "22021 crontab_line");
  EXPECT_EQ(error_of({EventTriggerPut{bad(EventTrigger{}, &EventTrigger::user_name)}}),
            "22021 event_trigger");
}

TEST_F(MemoryTablesTest, AnInconsistentRowOfAJobIsRejected) {
  const std::string violated = "23514 job";
  EXPECT_EQ(job_error([](Job& job) { job.submitted = Wall{}; }), "23502 job");
  EXPECT_EQ(job_error([](Job& job) { job.ended = then; }), violated);
  EXPECT_EQ(job_error([](Job& job) { job.started = Wall{}; }), violated);
  EXPECT_EQ(job_error([](Job& job) {
              job.dependencies = {{DependencyKind::After, JobId{1}}};
            }),
            violated);
  EXPECT_EQ(job_error([](Job& job) { job.restarts = -1; }), violated);
  EXPECT_EQ(job_error([](Job& job) { job.attempt = AttemptNumber{0}; }), violated);
  EXPECT_EQ(job_error([](Job& job) { job.spec.change().nodes = -1; }), violated);
  EXPECT_EQ(job_error([](Job& job) { job.spec.change().tasks = -1; }), violated);
  for (const JobState state : {JobState::Signaling, JobState::Suspended})
    EXPECT_EQ(job_error([&](Job& job) { job.state = state, job.started = Wall{}; }), violated);
  EXPECT_EQ(job_error([](Job& job) { job.state = JobState::Completing, job.ended = then; }),
            violated);
  const auto completed = [](int code, int signal) {
    return [=](Job& job) {
      job.state = JobState::Completed;
      job.ended = then;
      job.exit_code = code;
      job.exit_signal = signal;
    };
  };
  EXPECT_EQ(job_error(completed(1, 0)), violated);
  EXPECT_EQ(job_error(completed(0, 9)), violated);
  Job odd = pending;
  odd.attempt = AttemptNumber{-1};
  EXPECT_EQ(error_of({JobChanged{odd, JobState::Pending, AttemptNumber{0}}}), violated);
  EXPECT_EQ(job_error([](Job& job) { job.spec.change().nodes = job.spec.change().tasks = 0; }), "");
  Job waits = pending;
  waits.dependencies = {{DependencyKind::After, JobId{2}}};
  EXPECT_EQ(error_of({JobChanged{waits, JobState::Pending, AttemptNumber{0}}}), "");
  waits.state = JobState::Cancelled;
  waits.ended = then;
  EXPECT_EQ(error_of({JobChanged{waits, JobState::Pending, AttemptNumber{0}}}), "");
}

TEST_F(MemoryTablesTest, AJobIsAddedOnceAndChangesOnlyFromTheStateThatItHas) {
  Job third = pending;
  third.id = JobId{3};
  EXPECT_EQ(error_of({JobAdded{pending, {}, {}}}), "23505 job");
  EXPECT_EQ(error_of({JobAdded{third, {}, {}}}), "23505 job_by_request");
  third.request_id = "r3";
  Job fourth = third;
  fourth.id = JobId{4};
  EXPECT_EQ(error_of({JobAdded{third, {}, {}}, JobAdded{fourth, {}, {}}}), "23505 job_by_request");
  EXPECT_EQ(error_of({JobAdded{third, {}, {}}, JobAdded{third, {}, {}}}), "23505 job");
  third.request_id = fourth.request_id = "";
  EXPECT_EQ(error_of({JobAdded{third, Blob{"h1", "script"}, Blob{"h2", "A=1"}},
                      JobAdded{fourth, Blob{"h1", "other"}, {}}}),
            "");
  EXPECT_EQ(tables.blobs.at("h2"), "A=1");
  Job fifth = running;
  fifth.id = JobId{5};
  fifth.request_id = "r5";
  EXPECT_EQ(error_of({JobAdded{fifth, {}, {}}}), "23514 job: begins as PENDING");
  EXPECT_FALSE(tables.jobs.contains(JobId{5}));
  EXPECT_FALSE(tables.jobs_by_request.contains("r5"));
  const std::string guard = "CX002 guard: the job is not in the state it should leave";
  EXPECT_EQ(error_of({JobChanged{running, JobState::Signaling, AttemptNumber{1}}}), guard);
  EXPECT_EQ(error_of({JobChanged{running, JobState::Running, AttemptNumber{2}}}), guard);
  EXPECT_EQ(error_of({JobChanged{fifth, JobState::Running, AttemptNumber{1}}}), guard);
  EXPECT_EQ(job_error([](Job& job) { job.state = JobState::Configuring; }),
            "23514 job: illegal transition");
  EXPECT_EQ(job_error([](Job& job) { job.why = "as before"; }), "");
  EXPECT_EQ(tables.jobs.at(JobId{2}).why, "as before");
}

TEST_F(MemoryTablesTest, ARespecifiedJobChangesOnlyItsSpecification) {
  Job asked = running;
  asked.spec.change().name = "renamed";
  asked.why = "not taken over";
  EXPECT_EQ(error_of({JobRespecified{asked}}), "");
  EXPECT_EQ(tables.jobs.at(JobId{2}).spec->name, "renamed");
  EXPECT_EQ(tables.jobs.at(JobId{2}).why, "");
  asked.id = JobId{9};
  EXPECT_EQ(error_of({JobRespecified{asked}}), "CX002 guard: no such job");
  asked.submitted = Wall{};
  EXPECT_EQ(error_of({JobRespecified{asked}}), "23502 job");
}

TEST_F(MemoryTablesTest, AnAttemptBelongsToAJobAndIsItsOnlyLiveOne) {
  Attempt second = attempt;
  second.key.attempt = AttemptNumber{2};
  EXPECT_EQ(error_of({AttemptAdded{attempt}}), "23505 attempt");
  EXPECT_EQ(error_of({AttemptAdded{second}}), "23505 attempt_live_once_per_job");
  Attempt ended = attempt;
  ended.ended = then;
  EXPECT_EQ(error_of({AttemptAdded{second}, AttemptChanged{ended}}), "")
      << "at the end of the turn";
  Attempt third = second;
  third.key.attempt = AttemptNumber{3};
  ended.key.attempt = AttemptNumber{2};
  EXPECT_EQ(error_of({AttemptChanged{ended}, AttemptAdded{third},
                      AttemptAdded{with(third, [](Attempt& a) { a.key.attempt.value = 4; })}}),
            "23505 attempt_live_once_per_job");
  EXPECT_EQ(error_of({AttemptAdded{with(attempt, [](Attempt& a) { a.key.job = JobId{9}; })}}),
            "23503 attempt: no such job");
  EXPECT_EQ(error_of({AttemptAdded{with(attempt, [](Attempt& a) { a.key.job = JobId{1}; })}}), "");
  EXPECT_EQ(error_of({AttemptAdded{with(third, [](Attempt& a) { a.began = Wall{}; })}}),
            "23502 attempt");
  EXPECT_EQ(error_of({AttemptChanged{with(attempt, [](Attempt& a) { a.key.attempt.value = 0; })}}),
            "23514 attempt");
  EXPECT_EQ(error_of({AttemptChanged{third}}), "CX002 guard: no such attempt");
  const auto suspended = [](Attempt& a) { a.suspension.suspended = true; };
  EXPECT_EQ(error_of({AttemptChanged{with(second, suspended)}}), "23514 attempt");
  second.suspended_at = {then};
  EXPECT_EQ(error_of({AttemptChanged{second}, AttemptChanged{with(second, suspended)}}), "");
}

TEST_F(MemoryTablesTest, ACheckpointBelongsToAnAttemptAndIsAddedOnce) {
  Checkpoint later = checkpoint;
  later.step = 20;
  EXPECT_EQ(error_of({CheckpointAdded{checkpoint}}), "23505 checkpoint");
  EXPECT_EQ(error_of({CheckpointChanged{later}}), "CX002 guard: no such checkpoint");
  EXPECT_EQ(error_of({CheckpointAdded{later}, CheckpointAdded{later}}), "23505 checkpoint");
  EXPECT_EQ(error_of({CheckpointAdded{later}, CheckpointChanged{later}}), "");
  EXPECT_EQ(tables.checkpoints.size(), 2U);
  later.committed = Wall{};
  EXPECT_EQ(error_of({CheckpointChanged{later}}), "23502 checkpoint");
  EXPECT_EQ(error_of({CheckpointAdded{later}}), "23502 checkpoint");
  later = checkpoint;
  later.key.job = JobId{1};
  EXPECT_EQ(error_of({CheckpointAdded{later}}), "23503 checkpoint: no such attempt");
}

TEST_F(MemoryTablesTest, AStepBelongsToAnAttemptAndEndsOnce) {
  Step step;
  step.key = {attempt.key, 0};
  step.created = then;
  EXPECT_EQ(error_of({StepPut{with(step, [](Step& s) { s.created = Wall{}; })}}), "23502 step");
  EXPECT_EQ(error_of({StepPut{with(step, [](Step& s) { s.key.attempt.job = JobId{1}; })}}),
            "23503 step");
  EXPECT_EQ(error_of({StepPut{with(step, [](Step& s) { s.ended = then; })}}), "23514 step");
  EXPECT_EQ(error_of({StepPut{step}}), "");
  step.state = JobState::Running;
  EXPECT_EQ(error_of({StepPut{with(step, [](Step& s) { s.started = then; })}}), "23514 step");
  step.nodes.resize(1);
  EXPECT_EQ(error_of({StepPut{step}}), "23514 step");
  step.started = then;
  EXPECT_EQ(error_of({StepPut{with(step, [](Step& s) { s.ended = then; })}}), "23514 step");
  EXPECT_EQ(error_of({StepPut{step}}), "");
  step.state = JobState::Failed;
  EXPECT_EQ(error_of({StepPut{step}}), "23514 step");
  step.ended = then;
  EXPECT_EQ(error_of({StepPut{step}}), "");
  EXPECT_EQ(tables.steps.at(step.key), step);
  EXPECT_EQ(error_of({StepPut{step}}), "CX002 step") << "it has ended";
}

TEST_F(MemoryTablesTest, AHistoryEventHasATimeAndAnExistingOwner) {
  EXPECT_EQ(error_of({NodeEventAdded{{"n1", Wall{}, "drained", "", ""}}}), "23502 node_event");
  EXPECT_EQ(error_of({NodeEventAdded{{"n9", then, "drained", "", ""}}}),
            "23503 node_event: no such node");
  Node second;
  second.name = "n2";
  EXPECT_EQ(error_of({NodeChanged{second}, NodeEventAdded{{"n2", then, "drained", "", ""}}}), "");
  ASSERT_EQ(tables.node_events.size(), 1U);
  EXPECT_EQ(tables.node_events[0].node, "n2");
  JobEvent event;
  event.job = JobId{1};
  EXPECT_EQ(error_of({EventAdded{event}}), "23502 job_event");
  event.at = then;
  EXPECT_EQ(error_of({EventAdded{event}, EventAdded{event}}), "");
  ASSERT_EQ(tables.events.size(), 2U);
  EXPECT_EQ(tables.events[0].sequence, 1);
  EXPECT_EQ(tables.events[1].sequence, 2);
  EXPECT_EQ(tables.last_sequence, 2);
}

TEST_F(MemoryTablesTest, PartitionsReservationsAndWaitsAreAddedAndRemoved) {
  Partition partition;
  partition.changed = then;
  EXPECT_EQ(error_of({PartitionChanged{partition}}), "23514 partition");
  partition.name = "gpu";
  EXPECT_EQ(error_of({PartitionChanged{partition}}), "");
  EXPECT_EQ(tables.partitions.count("gpu"), 1U);
  EXPECT_EQ(error_of({PartitionRemoved{"gpu"}}), "");
  EXPECT_EQ(tables.partitions.count("gpu"), 0U);
  partition.changed = Wall{};
  EXPECT_EQ(error_of({PartitionChanged{partition}}), "23502 partition");

  AdvanceReservation r;
  r.name = "r";
  r.begin = r.changed = then;
  r.end = then + Milliseconds{1};
  const auto refused_with = [&](const auto& set) {
    return error_of({ReservationPut{with(r, set), "created"}});
  };
  EXPECT_EQ(refused_with([](AdvanceReservation& one) { one.begin = Wall{}; }), "23502 reservation");
  EXPECT_EQ(refused_with([](AdvanceReservation& one) { one.changed = Wall{}; }),
            "23502 reservation");
  EXPECT_EQ(refused_with([](AdvanceReservation& one) { one.end = then; }), "23514 reservation");
  EXPECT_EQ(refused_with([](AdvanceReservation& one) { one.name = ""; }), "23514 reservation");
  EXPECT_EQ(error_of({ReservationPut{r, "created"}}), "");
  EXPECT_EQ(tables.reservations.count("r"), 1U);
  EXPECT_EQ(error_of({ReservationRemoved{"r", "deleted", "user root", then}}), "");
  EXPECT_EQ(tables.reservations.count("r"), 0U);

  JobWait wait;
  wait.job = JobId{1};
  wait.first_evaluated = then;
  EXPECT_EQ(error_of({WaitPut{wait}}), "23502 job_wait");
  std::swap(wait.first_evaluated, wait.last_evaluated);
  EXPECT_EQ(error_of({WaitPut{wait}}), "23502 job_wait");
  wait.first_evaluated = then;
  EXPECT_EQ(error_of({WaitPut{with(wait, [](JobWait& w) { w.job = JobId{9}; })}}),
            "23503 job_wait: no such job");
  EXPECT_EQ(error_of({WaitPut{wait}}), "");
  EXPECT_EQ(tables.waits.count(JobId{1}), 1U);
  EXPECT_EQ(error_of({WaitRemoved{JobId{1}}}), "");
  EXPECT_EQ(tables.waits.count(JobId{1}), 0U);
}

TEST_F(MemoryTablesTest, AStartEstimateIsRecordedOncePerAttempt) {
  const StartEstimate met{JobId{2}, AttemptNumber{1}, then, then, then};
  for (const auto field : {&StartEstimate::estimated, &StartEstimate::actual, &StartEstimate::made})
    EXPECT_EQ(error_of({EstimateResolved{with(met, [&](StartEstimate& e) { e.*field = Wall{}; })}}),
              "23502 start_estimate");
  EXPECT_EQ(error_of({EstimateResolved{with(met, [](StartEstimate& e) { e.job = JobId{9}; })}}),
            "23503 start_estimate: no such job");
  EXPECT_EQ(error_of({EstimateResolved{met}}), "");
  EXPECT_EQ(tables.estimates.size(), 1U);
  EXPECT_EQ(error_of({EstimateResolved{met}}), "23505 start_estimate");
}

TEST_F(MemoryTablesTest, AnAssociationIsAnAccountOrAUserInAnAccount) {
  const std::string violated = "23514 association";
  const auto account_with = [&](const auto& set) {
    return error_of({AssociationPut{with(account("physics"), set)}});
  };
  EXPECT_EQ(account_with([](Association& one) { one.partition = "gpu"; }), violated);
  EXPECT_EQ(account_with([](Association& one) { one.is_default = true; }), violated);
  EXPECT_EQ(account_with([](Association& one) { one.parent = ""; }), violated);
  EXPECT_EQ(account_with([](Association& one) { one.account = "root"; }), violated);
  EXPECT_EQ(account_with([](Association& one) { one.account = ""; }), violated);
  EXPECT_EQ(account_with([](Association& one) { one.id = AssociationId{0}; }), violated);
  EXPECT_EQ(account_with([](Association& one) { one.shares = -1; }), violated);
  EXPECT_EQ(account_with([](Association& one) { one.shares = 0; }), "");
  const auto member_with = [&](const auto& set) {
    return error_of({AssociationPut{with(member(3, "ada"), set)}});
  };
  EXPECT_EQ(member_with([](Association& one) { one.parent = "root"; }), violated);
  EXPECT_EQ(member_with([](Association& one) { one.limits.guarantee.resize(1); }), violated);
  EXPECT_EQ(member_with([](Association& one) { one.limits.deserved.resize(1); }), violated);
  EXPECT_EQ(member_with([](Association& one) { one.is_default = true; }), "");
  EXPECT_EQ(error_of({AssociationPut{member(4, "ada")}}), "23505 association");
  EXPECT_EQ(error_of({AssociationPut{member(4, "bob")}, AssociationPut{member(5, "bob")}}),
            "23505 association");
  EXPECT_EQ(error_of({AssociationRemoved{AssociationId{3}}, AssociationPut{member(4, "ada")}}), "");
  EXPECT_FALSE(tables.associations.contains(AssociationId{3}));
  const auto of_partition = [](Association& one) { one.partition = "gpu"; };
  EXPECT_EQ(error_of({AssociationPut{with(member(5, "ada"), of_partition)}}), "");
  const auto of_other = [](Association& one) { one.account = "maths"; };
  EXPECT_EQ(error_of({AssociationPut{with(member(6, "ada"), of_other)}}), "");
  EXPECT_EQ(error_of({AssociationRemoved{AssociationId{9}}}), "CX002 guard: no such association");
  EXPECT_EQ(error_of({AssociationPut{member(9, "eve")}, AssociationRemoved{AssociationId{9}}}), "");
}

TEST_F(MemoryTablesTest, AQosIsDeletedWithItsUsage) {
  QosUsage usage;
  usage.qos = "night";
  usage.at = then;
  Qos night;
  night.name = "night";
  const auto names = [&] {
    std::string text;
    for (const Qos& one : tables.qos) text += one.name + " ";
    return text;
  };
  EXPECT_EQ(error_of({QosUsed{usage}}), "23503 qos_usage: no such qos");
  EXPECT_EQ(error_of({QosPut{night}, QosUsed{usage}}), "");
  EXPECT_EQ(error_of({QosPut{night}}), "");
  EXPECT_EQ(names(), "critical standard besteffort night ");
  EXPECT_EQ(tables.qos_usage.size(), 1U);
  EXPECT_EQ(error_of({QosRemoved{"night"}, QosUsed{usage}}), "23503 qos_usage: no such qos");
  EXPECT_EQ(error_of({QosUsed{usage}, QosRemoved{"night"}, QosPut{night}}), "");
  EXPECT_TRUE(tables.qos_usage.empty()) << "it begins anew";
  EXPECT_EQ(error_of({QosRemoved{"night"}}), "");
  EXPECT_EQ(names(), "critical standard besteffort ");
  EXPECT_EQ(error_of({QosRemoved{"night"}}), "CX002 guard: no such qos");
  EXPECT_EQ(error_of({QosPut{night}, QosRemoved{"night"}}), "");
  usage.at = Wall{};
  usage.qos = "standard";
  EXPECT_EQ(error_of({QosUsed{usage}}), "23502 qos_usage");
}

TEST_F(MemoryTablesTest, ACronLineBelongsToACrontabAndAJob) {
  CronLine line{1000, 1, 1, "0 * * * *", JobId{1}};
  const auto refused_with = [&](const auto& set) {
    return error_of({CronLinePut{with(line, set)}});
  };
  EXPECT_EQ(refused_with([](CronLine& one) { one.first_line = 0; }), "23514 crontab_line");
  EXPECT_EQ(refused_with([](CronLine& one) { one.last_line = 0; }), "23514 crontab_line");
  EXPECT_EQ(refused_with([](CronLine& one) { one.schedule = ""; }), "23514 crontab_line");
  EXPECT_EQ(refused_with([](CronLine& one) { one.job = JobId{9}; }),
            "23503 crontab_line: no such job");
  const std::string no_crontab = "23503 crontab_line: no such crontab";
  EXPECT_EQ(refused_with([](CronLine& one) { one.uid = 1; }), no_crontab);
  EXPECT_EQ(error_of({CronLinePut{line}, CrontabRemoved{1000}}), no_crontab);
  EXPECT_EQ(error_of({CronLinePut{line}}), "");
  EXPECT_EQ(tables.cron_lines.size(), 1U);
  EXPECT_EQ(error_of({CronLineRemoved{key_of(line)}, CrontabRemoved{1000}}), "");
  EXPECT_TRUE(tables.cron_lines.empty());
  EXPECT_TRUE(tables.crontabs.empty());
  EXPECT_EQ(error_of({CronLinePut{line}, CrontabPut{crontab}}), "") << "in any order";
  EXPECT_EQ(tables.crontabs.size(), 1U);
  crontab.changed = Wall{};
  EXPECT_EQ(error_of({CrontabPut{crontab}}), "23502 crontab");
}

TEST_F(MemoryTablesTest, ATriggerHasAProgramWithAnAbsolutePath) {
  EventTrigger trigger;
  trigger.id = EventTriggerId{1};
  trigger.program = "/bin/mail";
  trigger.set_at = then;
  const auto refused_with = [&](const auto& set) {
    return error_of({EventTriggerPut{with(trigger, set)}});
  };
  EXPECT_EQ(refused_with([](EventTrigger& one) { one.set_at = Wall{}; }), "23502 event_trigger");
  EXPECT_EQ(refused_with([](EventTrigger& one) { one.id.value = 0; }), "23514 event_trigger");
  EXPECT_EQ(refused_with([](EventTrigger& one) { one.program = "mail"; }), "23514 event_trigger");
  EXPECT_EQ(error_of({EventTriggerPut{trigger}}), "");
  EXPECT_EQ(tables.triggers.size(), 1U);
  EXPECT_EQ(error_of({EventTriggerRemoved{trigger.id}}), "");
  EXPECT_TRUE(tables.triggers.empty());
}

TEST_F(MemoryTablesTest, AnAnsweredRequestIsRemovedAndAFailoverIsUpdated) {
  tables.asked = {SqlRequest{.id = 4, .by = "dba", .command = "hold 1"},
                  SqlRequest{.id = 5, .by = "dba", .command = "hold 2"}};
  Failover failover;
  failover.term = Term{3};
  tables.failovers = {failover};
  failover.turns_lost = 2;
  Failover unknown;
  unknown.term = Term{4};
  EXPECT_EQ(error_of({RequestAnswered{4, "dba", "hold 1", false, {"held"}},
                      FailoverChanged{failover}, FailoverChanged{unknown}}),
            "");
  ASSERT_EQ(tables.asked.size(), 1U);
  EXPECT_EQ(tables.asked[0].id, 5);
  EXPECT_EQ(tables.answered.size(), 1U);
  EXPECT_EQ(tables.failovers, std::vector<Failover>{failover});
}

TEST_F(MemoryTablesTest, TheFirstInvalidChangeOfATurnIsReportedAndNothingIsKept) {
  EXPECT_EQ(error_of({JobAdded{pending, {}, {}}, NodeEventAdded{{"n9", then, "drained", "", ""}}}),
            "23505 job");
  EXPECT_EQ(error_of({CrontabPut{with(crontab, [](Crontab& one) { one.uid = 7; })},
                      NodeEventAdded{{"n9", then, "drained", "", ""}}}),
            "23503 node_event: no such node");
  EXPECT_FALSE(tables.crontabs.contains(7)) << "nothing of a refused turn is kept";
}

}  // namespace
}  // namespace cox
