// Messages that reach the controller out of time, twice, too large or malformed: it replies,
// forgets nothing, and continues.
#include <gtest/gtest.h>

#include "common/base/limits.h"
#include "tests/controller/bench.h"

namespace cox {
namespace {

class Hostile : public testing::Test, public Bench {
 protected:
  // Delivers several messages of a node in one round: none has had its turn when the next arrives.
  void receive_at_once(const std::string& node, const std::vector<Message>& messages) {
    for (const auto& message : messages)
      controller->receive(
          {"worker-" + node, {Caller::Kind::Worker, node, "ada", 1000, 1000}, message}, now);
    settle();
  }
};

TEST_F(Hostile, AHeartbeatDoesNotOvertakeEarlierMessages) {
  node("n1", 2);
  const JobId id = submit({});
  auto s = status_of(id, NodePhase::Ready);
  s.revision = 1;
  const auto number = numbers["n1"];
  receive_at_once("n1", {StatusReport{"n1", s, session["n1"], number + 1},
                         Heartbeat{"n1", session["n1"], number + 2, {{s.key, 1, s.phase, 0}}}});
  EXPECT_EQ(state(id), "RUNNING") << "the status waited for its turn, the heartbeat did not";
}

TEST_F(Hostile, AHeartbeatDoesNotOvertakeAHello) {
  node("n1", 2);
  WorkerHello changed;
  changed.node = *controller->cluster().node("n1");
  changed.node.total.cpus = 8;
  changed.session = session["n1"];
  changed.number = numbers["n1"] + 1;
  receive_at_once("n1", {changed, Heartbeat{"n1", session["n1"], changed.number + 1, {}}});
  EXPECT_EQ(controller->cluster().node("n1")->total.cpus, 8);
}

TEST_F(Hostile, ANodeCannotReportTheRanksOfAnotherNode) {
  node("n1", 2);
  node("n2", 2);
  const JobId id = submit({.nodes = 2, .tasks = 4});
  ready(id);
  auto s = status_of(id, NodePhase::Running);
  s.ranks = {{3, RankPhase::Exited, 1, 0, {}, {}, {}}};
  status("n1", s);
  EXPECT_EQ(attempt(id).ranks[3].phase, RankPhase::Waiting);
  EXPECT_EQ(state(id), "RUNNING");
}

TEST_F(Hostile, ANoteOfANodeThatIsNotTextIsStoredAsPrintableText) {
  node("n1", 2);
  const JobId id = submit({});
  auto s = status_of(id, NodePhase::Ready);
  s.note = "step-1/\xff\x01: " + std::string(limits::reason_bytes_max, 'x');
  status("n1", s);
  EXPECT_EQ(state(id), "RUNNING") << "PostgreSQL would refuse the whole turn, for ever";
  EXPECT_TRUE(attempt(id).nodes.at(0).note.starts_with("step-1/??: x"));
}

TEST_F(Hostile, ANoteOfAStepIsStoredAsPrintableText) {
  node("n1", 2);
  const JobId id = submit({});
  ready(id);
  CreateStep ask;
  ask.request_id = "a";
  ask.job = id;
  ask.spec.name = "train";
  ask.spec.tasks = 1;
  ask.streams.endpoint = "ipc:///tmp/a";
  this->ask(ask);
  auto s = status_of(id, NodePhase::Running);
  StepStatus gone;
  gone.phase = StepPhase::Gone;
  gone.note = "cannot open /x/\xc3";
  s.steps = {gone};
  status("n1", s);
  EXPECT_EQ(job(id).step(0)->why, "cannot open /x/?")
      << "otherwise the turn would be rejected for ever";
}

TEST_F(Hostile, AStepWithInvalidOrTooLargeFieldsIsRefused) {
  node("n1", 2);
  const JobId id = submit({});
  ready(id);
  const auto refused = [&](auto&& spoil) {
    CreateStep ask;
    ask.request_id = "a";
    ask.job = id;
    ask.spec.name = "train";
    spoil(ask);
    return refusal_of(this->ask(ask));
  };
  EXPECT_EQ(refused([](CreateStep& s) { s.request_id = "\xff"; }), "the request id is not UTF-8");
  EXPECT_EQ(refused([](CreateStep& s) { s.spec.exclude = {"n\xff"}; }),
            "a node's name is not UTF-8");
  EXPECT_EQ(
      refused([](CreateStep& s) { s.streams.endpoint = std::string(5000, 'x'); }).substr(0, 40),
      "the endpoint of its streams has 5000 byt");
  EXPECT_EQ(refused([](CreateStep& s) {
              s.spec.overcommit = true;
              s.spec.nodes_min = s.spec.nodes_max = 64;
              s.spec.tasks_per_node = limits::tasks_per_job_max;
            }).substr(0, 32),
            "Task count specification invalid");
  EXPECT_TRUE(job(id).steps.empty());
}

TEST_F(Hostile, ANodeWhoseNameIsNotUtf8IsRejected) {
  node("n1", 2);
  WorkerHello hello;
  hello.node.name = "n\xff";
  hello.session = "s";
  deliver("n\xff", hello);
  EXPECT_EQ(take<Rejected>().size(), 1u);
  EXPECT_EQ(controller->cluster().nodes().all().size(), 1u);
}

TEST_F(Hostile, ANodeThatOftenRefusesAJobIsListedOnceAmongTheAvoidedNodes) {
  node("n1", 2);
  const JobId id = submit({});
  for (int i = 0; i < 5; ++i) {
    auto s = status_of(id, NodePhase::Gone);
    s.refused = "no space left";
    status("n1", s);
    pass_with_beats(Milliseconds{60'000}, {"n1"});
  }
  EXPECT_EQ(attempt(id).key.attempt, AttemptNumber{6});
  EXPECT_EQ(job(id).job.avoid_nodes, std::vector<std::string>{"n1"});
}

TEST_F(Hostile, ACancelWhileSavedRanksAreCompletingPreventsTheRequeue) {
  node("n1", 2);
  const JobId id = submit({.checkpoint_signal = 10});
  ready(id);
  auto s = status_of(id, NodePhase::Running);
  s.ranks = {{0, RankPhase::Exited, exit_code_saved, 0, {{5, 1, 1, false}}, {}, now.wall}};
  status("n1", s);
  EXPECT_EQ(state(id), "COMPLETING");
  ask(ActOnJobs{JobVerb::Cancel, {id}});
  finish(id, exit_code_saved);
  EXPECT_EQ(state(id), "CANCELLED");
}

TEST_F(Hostile, ARepeatedSubmissionAfterTheJobWasForgottenReturnsTheSameJob) {
  node("n1", 2);
  const JobId id = submit({}, "once");
  ready(id);
  finish(id, 0);
  for (int minute = 0; minute < 7; ++minute) pass_with_beats(Milliseconds{60'000}, {"n1"});
  ASSERT_EQ(controller->cluster().job(id), nullptr);
  EXPECT_EQ(submit({}, "once"), id);
  const Reply log = ask(LocateLog{id, {}, 0, false});
  EXPECT_EQ(std::get<LogPlace>(log.body).node, "n1") << "its log is still there to be read";
}

TEST_F(Hostile, APageOfJobsWithLongCommandsFitsIntoAFrame) {
  for (int i = 0; i < 20; ++i) {
    SubmitJob s;
    s.spec.command = {"train", std::string(limits::command_bytes_max - 100, 'x')};
    s.spec.work_dir = "/home/u";
    EXPECT_EQ(refusal_of(ask(s)), "");
  }
  const Reply reply = ask(ListJobs{});
  const auto& list = std::get<JobList>(reply.body);
  EXPECT_TRUE(list.more);
  EXPECT_FALSE(list.jobs.empty());
  EXPECT_LT(encode(Message{reply}).size(), limits::frame_bytes_max);
}

// Rejects one turn, as PostgreSQL may.
class RefusingStore final : public Store {
 public:
  void commit(Turn turn) override {
    if (!std::exchange(refuses, false)) return inner.commit(std::move(turn));
    refused = TurnRejected{turn.number, "22000", "no"};
  }
  std::vector<StoreEvent> poll() override {
    auto events = inner.poll();
    if (refused) events.emplace_back(*std::exchange(refused, std::nullopt));
    return events;
  }
  void load(bool take_term, Wall since) override { inner.load(take_term, since); }
  void read_history(std::int64_t ticket, JobId id, std::int64_t after) override {
    inner.read_history(ticket, id, after);
  }
  void read_array_history(std::int64_t ticket, JobId id, std::int64_t after) override {
    inner.read_array_history(ticket, id, after);
  }
  void read_job(std::int64_t ticket, JobId id, bool and_rows) override {
    inner.read_job(ticket, id, and_rows);
  }
  void read_task(std::int64_t ticket, JobId array, std::int64_t task) override {
    inner.read_task(ticket, array, task);
  }
  void read_request(std::int64_t ticket, const std::string& id) override {
    inner.read_request(ticket, id);
  }
  void read_accounting(std::int64_t ticket, const ListAccounting& ask) override {
    inner.read_accounting(ticket, ask);
  }
  void read_qos(std::int64_t ticket) override { inner.read_qos(ticket); }
  void read_requests(std::int64_t ticket) override { inner.read_requests(ticket); }

  MemoryStore inner;
  bool refuses = false;
  std::optional<TurnRejected> refused;
};

TEST_F(Hostile, AfterTheStoreRejectsATurnAWaitingClientIsAnsweredAndTheEndIsLoggedOnce) {
  RefusingStore refusing;
  controller = std::make_unique<Controller>(config, refusing);
  controller->start(now);
  settle();
  const JobId id = submit({});
  const Request wait{900, WaitJob{id, job(id).change_count, 60'000}};
  const Caller caller{Caller::Kind::Client, "", "ada", 1000, 1000};
  controller->receive({"client", caller, Message{wait}}, now);
  settle();
  controller->take<LogLine>();
  refusing.refuses = true;
  ask(ActOnJobs{JobVerb::Cancel, {id}});
  const auto replies = take<Reply>();
  ASSERT_EQ(replies.size(), 1u);
  EXPECT_EQ(replies[0].second.number, 900);
  int logged = 0;
  for (const LogLine& line : controller->take<LogLine>())
    logged += line.text.find("state=CANCELLED") != std::string::npos ? 1 : 0;
  EXPECT_EQ(logged, 1);
  controller.reset();
}

}  // namespace
}  // namespace cox
