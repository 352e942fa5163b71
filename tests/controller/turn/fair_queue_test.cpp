// Tests the queue of requests: users take turns, and so do the connections of one user. So a user
// who sends many requests delays only these.
#include "controller/turn/fair_queue.h"

#include <gtest/gtest.h>

#include "common/base/limits.h"
#include "tests/controller/bench.h"

namespace cox {
namespace {

PeerMessage from(const PeerName& connection, std::int64_t number, std::uint32_t uid = 1000) {
  return {connection, {Caller::Kind::Client, "", "", uid, uid}, Request{number, ListLicences{}}};
}

std::int64_t number_in(const Event& event) {
  return std::get<Request>(std::get<PeerMessage>(event).message).number;
}

std::vector<std::int64_t> all_of(FairQueue& queue) {
  std::vector<std::int64_t> numbers;
  for (const Event& event : queue.take(1'000'000, 1'000'000'000))
    numbers.push_back(number_in(event));
  return numbers;
}

TEST(FairQueueOf, RequestsOfOneConnectionKeepTheirOrder) {
  FairQueue queue;
  for (int i = 1; i <= 5; ++i) queue.put(from("a", i));
  EXPECT_EQ(all_of(queue), (std::vector<std::int64_t>{1, 2, 3, 4, 5}));
  EXPECT_TRUE(queue.empty());
}

TEST(FairQueueOf, EqualConnectionsAreServedInTheOrderOfArrival) {
  FairQueue queue;
  for (int i = 1; i <= 5; ++i) queue.put(from("peer" + std::to_string(9 - i), i));
  EXPECT_EQ(all_of(queue), (std::vector<std::int64_t>{1, 2, 3, 4, 5}));
}

TEST(FairQueueOf, AFloodOfOneConnectionDelaysNoOther) {
  FairQueue queue;
  for (int i = 0; i < 5'000; ++i) queue.put(from("flood", i));
  EXPECT_EQ(queue.take(1'000, 1'000).size(), 1'000u);
  queue.put(from("other", -1));
  const auto next = queue.take(2, 1'000);
  EXPECT_TRUE(number_in(next[0]) == -1 || number_in(next[1]) == -1);
}

TEST(FairQueueOf, ManyConnectionsOfOneUserGetTheShareOfOneUser) {
  FairQueue queue;
  for (int i = 0; i < 100; ++i)
    for (int k = 0; k < 10; ++k) queue.put(from("c" + std::to_string(i), k));
  for (int k = 0; k < 10; ++k) queue.put(from("other", 100 + k, 1001));
  int of_other = 0;
  for (const Event& event : queue.take(20, 1'000)) of_other += number_in(event) >= 100 ? 1 : 0;
  EXPECT_EQ(of_other, 10);
}

TEST(FairQueueOf, ExpensiveRequestsCountForMore) {
  FairQueue queue;
  for (int i = 0; i < 10; ++i) {
    PeerMessage heavy = from("heavy", i);
    heavy.message = Request{i, SubmitJobs{"r", std::vector<JobSpec>(99), "", ""}};
    queue.put(heavy);
  }
  for (int i = 0; i < 100; ++i) queue.put(from("light", 100 + i));
  const auto first = queue.take(100, 1'000'000);
  const auto heavy =
      std::ranges::count_if(first, [](const Event& e) { return number_in(e) < 100; });
  EXPECT_EQ(heavy, 1) << "its hundred jobs count as a hundred requests";
  queue.take(1, 1);  // takes the last request of "light"
  EXPECT_EQ(queue.take(1'000, 100).size(), 1u) << "a turn is over when enough work is in it";
}

TEST(FairQueueOf, AnIdleConnectionSavesUpNoTurns) {
  FairQueue queue;
  for (int i = 0; i < 100; ++i) queue.put(from("a", i));
  queue.take(50, 1'000);
  for (int i = 0; i < 100; ++i) queue.put(from("b", 100 + i));
  int of_b = 0;
  for (const Event& event : queue.take(40, 1'000)) of_b += number_in(event) >= 100 ? 1 : 0;
  EXPECT_EQ(of_b, 20);
}

TEST(FairQueueOf, EachConnectionAndTheWholeQueueAreBounded) {
  FairQueue queue;
  const PeerMessage flood = from("flood", 1);
  while (queue.has_room(flood)) queue.put(flood);
  EXPECT_EQ(queue.size(), limits::queued_events_per_connection_max);
  EXPECT_TRUE(queue.has_room(from("other", 1))) << "other connections still have room";
  for (int i = 0; queue.size() < limits::queued_events_max; ++i) queue.put(from("x", i, 7));
  EXPECT_FALSE(queue.has_room(from("other", 1)));
}

TEST(FairQueueOf, TheBytesOfTheWholeQueueAreBounded) {
  FairQueue queue;
  PeerMessage large = from("large", 1);
  large.bytes = limits::frame_bytes_max;
  while (queue.has_room(large)) queue.put(large);
  EXPECT_EQ(queue.bytes(), limits::queued_bytes_max);
  queue.take(1, 1);
  EXPECT_TRUE(queue.has_room(large));
}

class Flood : public testing::Test, public Bench {};

// The controller queues at most queued_events_per_connection_max requests of a connection. It
// refuses further requests, and the refusal says that a later try may succeed.
TEST_F(Flood, ARequestWithoutRoomIsRefusedAndMayBeRetried) {
  for (std::size_t i = 0; i <= limits::queued_events_per_connection_max; ++i)
    controller->receive({"flood",
                         {Caller::Kind::Client, "", "ada", 1000, 1000},
                         Request{static_cast<std::int64_t>(i), ListLicences{}}},
                        now);
  const auto outgoing = controller->take<Outgoing>();
  ASSERT_EQ(outgoing.size(), 1u);
  const auto& refused = std::get<Refused>(std::get<Reply>(outgoing[0].message).body);
  EXPECT_TRUE(refused.retry);
  EXPECT_EQ(refused.why.fact, "the controller has 10000 requests waiting, 10000 of them yours");
  controller->receive(
      {"other", {Caller::Kind::Client, "", "ada", 1000, 1000}, Request{1, ListLicences{}}}, now);
  EXPECT_TRUE(controller->take<Outgoing>().empty()) << "other connections have room";
}

// The controller drops what a worker reports while 10,000 of its events wait. The worker repeats
// each status until it is acknowledged (WorkerReports.AStatusIsRepeatedUntilItsRevisionIs...).
TEST_F(Flood, AReportOfAWorkerForWhichThereIsNoRoomIsLostAndItsRepetitionCounts) {
  node("n1", 8);
  const JobId id = submit({});
  ready(id);
  const Caller caller{Caller::Kind::Worker, "n1", "ada", 1000, 1000};
  const auto unread = [&](Message message) {
    controller->receive({"worker-n1", caller, std::move(message)}, now);
  };
  AttemptStatus end = status_of(id, NodePhase::Gone);
  end.revision = ++revisions["n1"];
  RankStatus& rank = end.ranks.emplace_back();
  rank.phase = RankPhase::Exited;
  rank.ended = now.wall;
  const Heartbeat::Entry runs{end.key, end.revision, NodePhase::Running, 0};
  for (std::size_t i = 0; i < limits::queued_events_per_connection_max; ++i)
    unread(Heartbeat{"n1", session["n1"], ++numbers["n1"], {runs}});
  unread(StatusReport{"n1", end, session["n1"], ++numbers["n1"]});
  for (int i = 0; i < 30; ++i) settle();
  EXPECT_EQ(job(id).job.state, JobState::Running);
  deliver("n1", StatusReport{"n1", end, session["n1"], ++numbers["n1"]});
  EXPECT_EQ(job(id).job.state, JobState::Completed);
}

TEST(FairQueueOf, AnIdleUserSavesUpNoTurns) {
  FairQueue queue;
  for (int i = 0; i < 100; ++i) queue.put(from("a", i, 1001));
  queue.take(50, 1'000);
  for (int i = 0; i < 100; ++i) queue.put(from("b", 100 + i, 1002));
  int of_b = 0;
  for (const Event& event : queue.take(40, 1'000)) of_b += number_in(event) >= 100 ? 1 : 0;
  EXPECT_EQ(of_b, 20);
}

TEST(FairQueueOf, WaitingEventsAreCountedByConnection) {
  FairQueue queue;
  EXPECT_EQ(queue.waiting_of(from("a", 1)), 0U);
  for (int i = 0; i < 3; ++i) queue.put(from("a", i));
  queue.put(from("b", 3));
  EXPECT_EQ(queue.waiting_of(from("a", 1)), 3U);
  EXPECT_EQ(queue.waiting_of(from("b", 1)), 1U);
  EXPECT_EQ(queue.waiting_of(from("c", 1)), 0U);
  EXPECT_EQ(queue.waiting_of(from("a", 1, 7)), 0U) << "of another user";
  EXPECT_EQ(queue.size(), 4U);
  EXPECT_EQ(all_of(queue), (std::vector<std::int64_t>{0, 3, 1, 2}));
  EXPECT_EQ(queue.bytes(), 0U);
  EXPECT_EQ(queue.waiting_of(from("a", 1)), 0U);
}

// ---- events that are taken before their turn ----------------------------------------------------

PeerMessage of_bytes(PeerMessage incoming, std::size_t bytes) {
  incoming.bytes = bytes;
  return incoming;
}

TEST(FairQueueOf, EventsTakenOutOfTurnLeaveTheOtherEventsAndCorrectCounts) {
  FairQueue queue;
  for (int i = 1; i <= 4; ++i) queue.put(of_bytes(from("a", i), 100));
  queue.put(of_bytes(from("b", 5), 10));
  queue.put(of_bytes(from("c", 6, 1001), 1));
  const auto odd = queue.take_if([](const Event& event) { return number_in(event) % 2 != 0; });
  ASSERT_EQ(odd.size(), 3U);
  EXPECT_EQ(number_in(odd[0]), 1);
  EXPECT_EQ(number_in(odd[1]), 3);
  EXPECT_EQ(number_in(odd[2]), 5);
  EXPECT_EQ(queue.size(), 3U);
  EXPECT_EQ(queue.bytes(), 201U);
  EXPECT_EQ(queue.waiting_of(from("a", 1)), 2U);
  EXPECT_EQ(queue.waiting_of(from("b", 1)), 0U);
  EXPECT_EQ(all_of(queue), (std::vector<std::int64_t>{2, 6, 4})) << "users still take turns";
  EXPECT_EQ(queue.bytes(), 0U);
}

TEST(FairQueueOf, AUserWhoseEventsWereAllTakenOutOfTurnBeginsAnew) {
  FairQueue queue;
  queue.put(from("a", 1));
  queue.put(from("other", 2, 1001));
  EXPECT_EQ(queue.take_if([](const Event& event) { return number_in(event) == 1; }).size(), 1U);
  queue.put(from("a", 3));
  EXPECT_EQ(all_of(queue), (std::vector<std::int64_t>{2, 3})) << "its old turn went with it";
  EXPECT_TRUE(queue.empty());
}

// ---- which senders take turns, and how much one event counts ------------------------------------

PeerMessage of_worker(const PeerName& connection, const std::string& node, std::int64_t number) {
  PeerMessage incoming = from(connection, number);
  incoming.caller.kind = Caller::Kind::Worker;
  incoming.caller.node = node;
  return incoming;
}

TEST(FairQueueOf, NodesUsersAndDatabaseRolesTakeTurns) {
  FairQueue queue;
  queue.put(of_worker("w1", "n1", 1));
  queue.put(of_worker("w2", "n1", 2));
  queue.put(of_worker("ipc", "", 3));
  queue.put(of_worker("ipc2", "", 4));
  queue.put(from("w1", 5));
  queue.put(SqlRequest{.id = 6, .by = "1000", .command = "requeue 1"});
  queue.put(SqlRequest{.id = 7, .by = "dba", .command = "requeue 1"});
  std::vector<std::int64_t> order;
  for (const Event& event : queue.take(100, 100)) {
    const auto* asked = std::get_if<SqlRequest>(&event);
    order.push_back(asked == nullptr ? number_in(event) : asked->id);
  }
  EXPECT_EQ(order, (std::vector<std::int64_t>{1, 3, 4, 5, 6, 7, 2}))
      << "only the second connection of node n1 waits for a second turn";
}

std::int64_t work_of_request(decltype(Request::body) body, std::size_t bytes = 0) {
  PeerMessage incoming = from("a", 1);
  incoming.message = Request{1, std::move(body)};
  incoming.bytes = bytes;
  return work_of(incoming);
}

TEST(FairQueueOf, AnEventCountsForTheWorkThatItMakes) {
  EXPECT_EQ(work_of(Tick{}), 1);
  EXPECT_EQ(work_of(SqlRequest{.id = 1, .by = "dba", .command = "requeue 1"}), 1);
  EXPECT_EQ(work_of(SqlRequest{.id = 1, .by = "dba", .command = "requeue 1\nhold 2\nhold 3"}), 3);
  PeerMessage beat = of_worker("w1", "n1", 1);
  beat.message = Heartbeat{};
  EXPECT_EQ(work_of(beat), 1);
  EXPECT_EQ(work_of_request(ShowJob{}), 1);
  EXPECT_EQ(work_of_request(ShowJob{}, 65'535), 1);
  EXPECT_EQ(work_of_request(ShowJob{}, 65'536), 2) << "64 KiB take as long as a job";
  EXPECT_EQ(work_of_request(SubmitJobs{"r", std::vector<JobSpec>(7), "", ""}), 8);
  UpdateCrontab crontab;
  crontab.lines.resize(3);
  EXPECT_EQ(work_of_request(crontab), 4);
  EXPECT_EQ(work_of_request(ListJobs{}), 200) << "a page may need a pass of the scheduler";
  EXPECT_EQ(work_of_request(TestJob{}), 200);
}

}  // namespace
}  // namespace cox
