// Tests replies to clients while PostgreSQL is away: a refused request is never carried out later,
// and queries that memory can answer are answered.
#include <gtest/gtest.h>

#include "common/base/limits.h"
#include "common/base/moment_text.h"
#include "controller/turn/open_requests.h"
#include "tests/controller/bench.h"

namespace cox {
namespace {

class WhileAway : public testing::Test, public Bench {
 protected:
  void SetUp() override { node("n1", 4); }

  const Ask held_{.with = [](JobSpec& s) { s.hold = true; }};
  void stop_database() {
    store.away_polls = 1'000'000'000;
    settle();
  }
  void start_database() {
    store.away_polls = 0;
    settle();
  }
  static SubmitJob submission(const std::string& request_id) {
    SubmitJob s;
    s.request_id = request_id;
    s.spec.command = {"train"};
    s.spec.work_dir = "/home/u";
    s.spec.qos = "standard";
    s.spec.hold = true;
    s.environment = std::string("A=1\0", 4);
    return s;
  }
  void send(std::int64_t number, decltype(Request::body) body, const std::string& peer = "client") {
    const Caller caller{Caller::Kind::Client, "", user, 1000, 1000};
    controller->receive({peer, caller, Message{Request{number, std::move(body)}}}, now);
    settle();
  }
  // Returns all replies with this number to this peer, and removes them.
  std::vector<Reply> replies(std::int64_t number, const std::string& peer = "client") {
    std::vector<Reply> found;
    std::erase_if(sent, [&](const Outgoing& o) {
      const auto* reply = std::get_if<Reply>(&o.message);
      if (o.peer != peer || reply == nullptr || reply->number != number) return false;
      found.push_back(*reply);
      return true;
    });
    return found;
  }
  std::string refused(std::int64_t number) {
    const auto all = replies(number);
    return all.size() == 1 ? refusal_of(all.front()) : "";
  }
};

TEST_F(WhileAway, ARepeatOfASubmissionInFlightGetsTheReplyToTheFirst) {
  stop_database();
  send(1, submission("r1"));  // the request is now in a turn that is not committed
  pass(Milliseconds{3'000});
  send(1, submission("r1"));
  send(9, submission("r1"), "client after a reconnection");
  EXPECT_TRUE(replies(1).empty()) << "it may still be accepted";
  EXPECT_TRUE(replies(9, "client after a reconnection").empty());
  start_database();
  const auto first = replies(1);
  const auto second = replies(9, "client after a reconnection");
  ASSERT_EQ(first.size(), 1U);
  ASSERT_EQ(second.size(), 1U);
  EXPECT_EQ(std::get<Submitted>(first[0].body).id, std::get<Submitted>(second[0].body).id);
}

TEST_F(WhileAway, ALateRepeatOfARefusedRequestIsNotCarriedOut) {
  stop_database();
  pass(Milliseconds{3'000});
  send(2, submission("r2"));
  EXPECT_TRUE(refused(2).starts_with("PostgreSQL has not answered for 3 s"));
  start_database();
  send(2, submission("r2"));
  EXPECT_TRUE(refused(2).starts_with("PostgreSQL has not answered for 3 s"));
  EXPECT_FALSE(controller->cluster().jobs().of_request("r2"));
  pass(Milliseconds{601'000});
  send(2, submission("r2"));
  EXPECT_EQ(replies(2).size(), 1U);
  EXPECT_TRUE(controller->cluster().jobs().of_request("r2"))
      << "no repeat is under way for so long";
}

TEST_F(WhileAway, ARequestThatWaitsForATurnIsRefusedForGood) {
  stop_database();
  send(1, submission("r1"));  // the request is now in a turn that is not committed
  send(2, submission("r2"));  // waits behind it
  EXPECT_TRUE(replies(2).empty()) << "PostgreSQL may be back in a moment";
  pass(Milliseconds{3'000});
  EXPECT_TRUE(refused(2).starts_with("PostgreSQL has not answered for"));
  start_database();
  EXPECT_TRUE(controller->cluster().jobs().of_request("r1"));
  EXPECT_FALSE(controller->cluster().jobs().of_request("r2"));
  EXPECT_EQ(replies(1).size(), 1U);
  EXPECT_TRUE(replies(2).empty()) << "one answer";
}

// A request with too long an id is always refused. It may be as large as a frame, so it is not
// remembered for repeats.
TEST_F(WhileAway, ARequestWhoseIdIsTooLongIsRefusedAndNotKept) {
  const Request request{1, submission(std::string(limits::word_bytes_max + 1, 'x'))};
  EXPECT_FALSE(OpenRequests::records(request));
  stop_database();
  send(1, request.body);
  pass(Milliseconds{3'000});
  start_database();
  EXPECT_NE(refused(1), "");
}

TEST_F(WhileAway, ARepeatOfAnAcceptedSubmissionIsAnsweredWithItsJob) {
  const JobId id = submit(held_, "r1");
  stop_database();
  pass(Milliseconds{3'000});
  send(77, submission("r1"));
  const auto answers = replies(77);
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_EQ(std::get<Submitted>(answers[0].body).id, id);
}

TEST_F(WhileAway, ACancelInFlightIsAnsweredOnce) {
  const JobId id = submit(held_, "r1");
  stop_database();
  const ActOnJobs cancel{JobVerb::Cancel, {id}};
  send(5, cancel);
  pass(Milliseconds{3'000});
  send(5, cancel);
  EXPECT_TRUE(replies(5).empty());
  start_database();
  EXPECT_EQ(replies(5).size(), 1U);
  EXPECT_EQ(state(id), "CANCELLED");
}

TEST_F(WhileAway, QueriesAreAnsweredFromMemoryWithTheTimeOfTheData) {
  const JobId known = submit(held_, "r1");
  stop_database();
  const Wall went = now.wall;
  now.boot += Milliseconds{100};
  now.wall += Milliseconds{100};
  send(1, submission("r2"));
  pass(Milliseconds{3'000});
  send(2, ListJobs{});
  auto answers = replies(2);
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_EQ(answers[0].as_of, went);
  EXPECT_EQ(answers[0].unrecorded, std::vector<std::string>{"job 2"}) << "it may be lost";
  const auto* list = std::get_if<JobList>(&answers[0].body);
  ASSERT_NE(list, nullptr);
  EXPECT_EQ(list->jobs.size(), 2U);
  EXPECT_EQ(list->jobs.front().job.id, known);

  send(3, ShowCluster{});
  answers = replies(3);
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_EQ(std::get<ClusterView>(answers[0].body).database,
            "away since " + moment_text(went) + ": the database does not answer");

  start_database();
  send(4, ListJobs{});
  answers = replies(4);
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_EQ(answers[0].as_of, Wall{});
}

TEST_F(WhileAway, QueriesThatOnlyPostgreSqlCanAnswerAreRefused) {
  submit(held_, "r1");
  stop_database();
  pass(Milliseconds{3'000});
  send(2, ListAccounting{});
  EXPECT_TRUE(refused(2).starts_with("PostgreSQL has not answered for"));
  send(3, ShowJob{JobId{4'711}});
  EXPECT_TRUE(refused(3).starts_with("PostgreSQL has not answered for")) << "it may have ended";
}

// A query waits behind a turn whose commit PostgreSQL does not answer. It is answered from memory
// once the connection to PostgreSQL is lost.
TEST_F(WhileAway, AQueryBehindATurnInFlightIsAnsweredOncePostgreSqlIsKnownToBeAway) {
  store.commit_delay_polls = 1'000'000;  // silent
  send(1, submission("r1"));
  send(2, ListNodes{});
  EXPECT_TRUE(replies(2).empty()) << "PostgreSQL may be slow";
  stop_database();
  const auto answers = replies(2);
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_NE(answers[0].as_of, Wall{});
}

TEST_F(WhileAway, ARequestWithoutRoomIsRefusedOnceTheAcceptedRequestsAreLoaded) {
  const auto fill = [&] {
    const Caller caller{Caller::Kind::Client, "", user, 1000, 1000};
    for (std::size_t i = 0; i < limits::queued_events_per_connection_max; ++i)
      controller->receive({"client", caller, Message{Request{9, ListLicences{}}}}, now);
  };
  const auto replies_to = [&](std::int64_t number, decltype(Request::body) body) {
    const Caller caller{Caller::Kind::Client, "", user, 1000, 1000};
    controller->receive({"client", caller, Message{Request{number, std::move(body)}}}, now);
    std::string facts;
    for (const Outgoing& o : controller->take<Outgoing>())
      if (const auto* reply = std::get_if<Reply>(&o.message); reply && reply->number == number)
        facts += refusal_of(*reply);
    return facts;
  };
  const std::string full = "the controller has 10000 requests waiting, 10000 of them yours";
  const JobId known = submit(held_, "known");
  controller = std::make_unique<Controller>(config, store);
  controller->start(now);
  EXPECT_EQ(replies_to(1, submission("early")), "") << "there is room: it waits for its turn";
  fill();
  EXPECT_EQ(replies_to(2, submission("late")), "") << "a former leader may have accepted it";
  EXPECT_EQ(replies_to(3, ListJobs{}), full) << "a query changes nothing";
  for (int i = 0; i < 30; ++i) controller->run(now);
  controller->take<Outgoing>();
  EXPECT_TRUE(controller->cluster().jobs().of_request("early"));
  EXPECT_FALSE(controller->cluster().jobs().of_request("late"));
  fill();
  EXPECT_EQ(replies_to(4, submission("now")), full);
  const Caller caller{Caller::Kind::Client, "", user, 1000, 1000};
  controller->receive({"client", caller, Message{Request{5, submission("known")}}}, now);
  const auto answers = controller->take<Outgoing>();
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_EQ(std::get<Submitted>(std::get<Reply>(answers[0].message).body).id, known);
}

TEST_F(WhileAway, EachQueryThatMemoryCanAnswerIsAnswered) {
  const JobId id = submit(held_, "r1");
  stop_database();
  send(50, submission("r2"));  // the request is now in a turn that is not committed
  std::int64_t number = 100;
  for (const decltype(Request::body)& question : std::vector<decltype(Request::body)>{
           ListJobs{}, ListNodes{}, ShowJob{id}, ShowCluster{}, LocateLog{id, {}}, ListLicences{},
           ListAssociations{}, ListReservations{}, ListCheckpoints{}, ListSteps{}, ListPriorities{},
           ShowConfiguration{}, ShowStatistics{}}) {
    send(++number, question);
    const auto answers = replies(number);
    ASSERT_EQ(answers.size(), 1U) << question.index();
    EXPECT_FALSE(refusal_of(answers[0]).starts_with("PostgreSQL")) << question.index();
    EXPECT_NE(answers[0].as_of, Wall{}) << question.index();
  }
  send(1, TestJob{});
  EXPECT_TRUE(replies(1).empty()) << "PostgreSQL may be back in a moment";
  pass(Milliseconds{2'000});
  EXPECT_TRUE(replies(1).empty()) << "after 2 s it may still be";
  pass(Milliseconds{1});
  EXPECT_EQ(refused(1), "PostgreSQL has not answered for 2 s: the database does not answer");
}

TEST_F(WhileAway, ARefusalSaysWhetherAnythingWasDoneAndThatALaterTryMaySucceed) {
  const auto refusal = [&](std::int64_t number, decltype(Request::body) body) {
    send(number, std::move(body));
    const auto answers = replies(number);
    const auto* no = answers.size() == 1 ? std::get_if<Refused>(&answers[0].body) : nullptr;
    return no == nullptr ? "no refusal" : no->why.hint + (no->retry ? ", later" : "");
  };
  stop_database();
  pass(Milliseconds{3'000});
  EXPECT_EQ(refusal(101, ListAccounting{}),
            "running jobs continue and nothing accepted is lost; try again in a moment, later");
  EXPECT_EQ(refusal(102, submission("r1")),
            "this request was not and will not be carried out; running jobs continue; try again in "
            "a moment, later");
}

TEST_F(WhileAway, OnlyRepliesToQueriesAreMarkedAsOld) {
  submit(held_, "r1");
  stop_database();
  pass(Milliseconds{3'000});
  send(101, submission("r1"));
  send(102, ListNodes{});
  EXPECT_EQ(replies(101).at(0).as_of, Wall{}) << "that it was accepted is current";
  EXPECT_NE(replies(102).at(0).as_of, Wall{});
}

TEST_F(WhileAway, BeforeMemoryIsLoadedQueriesAreRefusedAndRequestsWait) {
  store.away_polls = 1'000'000'000;
  controller = std::make_unique<Controller>(config, store);
  controller->start(now);
  settle();
  send(101, ListNodes{});
  send(102, submission("r1"));
  EXPECT_TRUE(replies(101).empty()) << "PostgreSQL may be there in a moment";
  pass(Milliseconds{2'001});
  EXPECT_EQ(refused(101), "PostgreSQL has not answered for 2 s: the database does not answer");
  EXPECT_TRUE(replies(102).empty()) << "a former leader may have accepted it";
  start_database();
  EXPECT_TRUE(controller->cluster().jobs().of_request("r1"));
  EXPECT_EQ(replies(102).size(), 1U);
}

TEST_F(WhileAway, UncommittedChangesOfEachKindAreNamed) {
  const JobId held = submit(held_);
  const JobId runs = submit({.with = [](JobSpec& s) { s.form = JobForm::Batch; }});
  ready(runs);
  std::int64_t number = 1'000;
  const auto after = [&](decltype(Request::body) body) {
    stop_database();
    send(++number, std::move(body));  // the request is now in a turn that is not committed
    send(++number, ListNodes{});
    const auto answers = replies(number);
    start_database();
    for (const Reply& done : replies(number - 1)) EXPECT_EQ(refusal_of(done), "") << number;
    return answers.size() == 1 ? answers[0].unrecorded : std::vector<std::string>{"no answer"};
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(after(UpdateJobs{{held}, {""}, {"Nice"}, {"5"}}), Names{"job 1"});
  EXPECT_EQ(after(ActOnJobs{JobVerb::Suspend, {runs}}), Names{"job 2"});
  EXPECT_EQ(after(ActOnJobs{JobVerb::Cancel, {held, runs}}), (Names{"job 1", "job 2"}));
  status("n1", status_of(runs, NodePhase::Gone));
  const auto reserve = [](ReservationVerb verb, std::vector<std::string> settings) {
    return ActOnReservation{verb, "class", std::move(settings)};
  };
  EXPECT_EQ(after(reserve(ReservationVerb::Create, {"Nodes=n1", "Users=ada", "Duration=60"})),
            Names{"reservation class"});
  EXPECT_EQ(after(reserve(ReservationVerb::Delete, {})), Names{"reservation class"});
  EXPECT_EQ(after(ActOnNodes{true, {"n1"}, "bad fan"}), Names{"node n1"});
  EXPECT_EQ(after(UpdatePartitions{{"main"}, {{"State", "DRAIN"}}}), Names{"partition main"});
  EXPECT_EQ(after(UpdatePartitions{{"new"}, {{"Nodes", "n1"}}, PartitionVerb::Create}),
            Names{"partition new"});
  EXPECT_EQ(after(UpdatePartitions{{"new"}, {}, PartitionVerb::Delete}), Names{"partition new"});
  EXPECT_EQ(after(Administer{{"add", "account", "physics"}, false}), Names{"account physics"});
  EXPECT_EQ(after(Administer{{"delete", "account", "physics"}, false}), Names{"accounts"});
  EXPECT_EQ(after(Administer{{"add", "qos", "night"}, false}), Names{"QOS night"});
  EXPECT_EQ(after(Administer{{"delete", "qos", "night"}, false}), Names{"QOS night"});
}

TEST_F(WhileAway, AnUncommittedStepIsNamedByItsJob) {
  const JobId id = submit({.with = [](JobSpec& s) { s.form = JobForm::Batch; }});
  ready(id);
  CreateStep srun;
  srun.request_id = "step";
  srun.job = id;
  srun.spec.tasks = 1;
  srun.streams.endpoint = "ipc:///tmp/srun";
  stop_database();
  send(1, srun);
  send(2, ListNodes{});
  const auto answers = replies(2);
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_EQ(answers[0].unrecorded, std::vector<std::string>{"job 1"});
}

// PostgreSQL goes away while the turn with a worker's message waits for its commit.
TEST_F(WhileAway, AnUncommittedReportOfAWorkerIsNamedByItsJob) {
  const JobId id = submit({});
  ready(id);
  store.commit_delay_polls = 1'000'000;
  AttemptStatus full = status_of(id, NodePhase::Running);
  full.note = "disk full";
  status("n1", full);
  stop_database();
  send(2, ListNodes{});
  const auto answers = replies(2);
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_EQ(answers[0].unrecorded, std::vector<std::string>{"job 1"});
}

TEST_F(WhileAway, TwentyUncommittedChangesAreNamedAndTheOthersCounted) {
  const auto unrecorded = [&](std::size_t jobs) {
    SubmitJobs many;
    many.request_id = "many" + std::to_string(jobs);
    many.specs.assign(jobs, submission("").spec);
    for (JobSpec& spec : many.specs) spec.nodes = spec.tasks = 1;
    store.away_polls = 1'000'000'000;
    settle();
    send(1, many);
    send(2, ListNodes{});
    const auto answers = replies(2);
    EXPECT_EQ(answers.size(), 1U);
    start_database();
    EXPECT_EQ(replies(1).size(), 1U);
    return answers.empty() ? std::vector<std::string>{} : answers[0].unrecorded;
  };
  std::vector<std::string> expected;
  for (int i = 1; i <= 20; ++i) expected.push_back("job " + std::to_string(i));
  EXPECT_EQ(unrecorded(20), expected);
  for (int i = 0; i < 20; ++i)
    expected[static_cast<std::size_t>(i)] = "job " + std::to_string(21 + i);
  expected.emplace_back("1 more");
  EXPECT_EQ(unrecorded(21), expected);
}

}  // namespace
}  // namespace cox
