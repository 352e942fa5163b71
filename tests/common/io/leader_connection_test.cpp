// Tests a connection that finds the leader among several controllers and stays with it, over real
// sockets.
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <functional>

#include "common/io/link.h"
#include "common/messages/standing_by.h"
#include "tests/patience.h"

namespace cox {
namespace {

Message question(std::int64_t number) {
  return Request{number, ShowCluster{}};
}

Message beat(std::int64_t number) {
  return Heartbeat{"n1", "a", number, {}};
}

// A controller that only plays its part: a standby refuses; a leader answers each request and each
// heartbeat with the number of the message.
struct Controller {
  std::unique_ptr<Listener> listener;
  bool leads = false;
  bool is_away = false;  // without its database: it answers "not sure"
  bool is_silent = false;
  std::vector<std::int64_t> asked;

  void turn() {
    if (is_silent || !listener) return;
    for (const auto& incoming : listener->receive(100)) {
      for (const auto& message : incoming.messages) {
        asked.push_back(number_of({message}));
        listener->send(incoming.peer, {answer_to(message)});
      }
    }
  }
  Message answer_to(const Message& message) const {
    const std::int64_t number = number_of({message});
    if (!is_away && !leads) return NotLeader{"another", number};
    if (std::holds_alternative<Heartbeat>(message))
      return HeartbeatAck{Term{1}, "a", number, false, 15'000, is_away};
    if (is_away) return Reply{number, Refused{{"the database is away", ""}, true}};
    return Reply{number, ClusterView{}};
  }
};

class LeaderConnectionTest : public ::testing::Test {
 protected:
  void SetUp() override {
    char pattern[] = "/tmp/cox-leader-XXXXXX";
    ASSERT_NE(::mkdtemp(pattern), nullptr);
    dir_ = pattern;
    std::string endpoints;
    for (std::size_t at = 0; at < controllers_.size(); ++at) {
      endpoints += (at == 0 ? "" : ",") + endpoint(at);
      listen(at);
    }
    auto opened = Connection::open({.endpoint = endpoints});
    ASSERT_TRUE(opened.ok());
    connection_ = std::move(opened).value();
    connection_->add_to(*poller_);
  }
  void TearDown() override { std::filesystem::remove_all(dir_); }

  std::string endpoint(std::size_t at) const { return "ipc://" + dir_ + "/" + std::to_string(at); }
  void listen(std::size_t at) {
    auto opened = Listener::open({.local_endpoint = endpoint(at)});
    ASSERT_TRUE(opened.ok());
    controllers_[at].listener = std::move(opened).value();
    controllers_[at].listener->add_to(*poller_);
  }
  void end(std::size_t at) { controllers_[at] = {}; }

  ::testing::AssertionResult run_until(const std::function<bool()>& condition,
                                       std::chrono::milliseconds limit = patience()) {
    const auto end = std::chrono::steady_clock::now() + limit;
    while (std::chrono::steady_clock::now() < end) {
      // The connection's timer ends the wait when a retry is due.
      poller_->wait(patience());
      for (Controller& one : controllers_) one.turn();
      for (const auto& message : connection_->receive()) {
        const auto* reply = std::get_if<Reply>(&message);
        answers_.push_back(reply ? reply->number : std::get<HeartbeatAck>(message).number);
      }
      if (condition()) return ::testing::AssertionSuccess();
    }
    return ::testing::AssertionFailure() << "not in time";
  }
  ::testing::AssertionResult is_answered(const Message& message) {
    connection_->send({message});
    return run_until([&] { return !answers_.empty() && answers_.back() == number_of({message}); });
  }
  ::testing::AssertionResult is_answered(std::int64_t number) {
    return is_answered(question(number));
  }

  std::string dir_;
  std::unique_ptr<Poller> poller_ = Poller::create();
  std::array<Controller, 3> controllers_;
  std::unique_ptr<Connection> connection_;
  std::vector<std::int64_t> answers_;
};

TEST_F(LeaderConnectionTest, FindsTheLeaderAndStaysWithIt) {
  controllers_[2].leads = true;
  ASSERT_TRUE(is_answered(1));
  ASSERT_TRUE(is_answered(2));
  EXPECT_EQ(controllers_[0].asked, std::vector<std::int64_t>{1});
  EXPECT_EQ(controllers_[2].asked, (std::vector<std::int64_t>{1, 2}));
}

TEST_F(LeaderConnectionTest, AsksTheOtherControllersIfTheLeaderIsSilent) {
  controllers_[0].leads = true;
  ASSERT_TRUE(is_answered(1));
  controllers_[0].is_silent = true;  // paused
  controllers_[1].leads = true;
  ASSERT_TRUE(is_answered(2));
  ASSERT_TRUE(is_answered(3));
  EXPECT_EQ(controllers_[1].asked, (std::vector<std::int64_t>{2, 3}));
}

TEST_F(LeaderConnectionTest, AsksAgainUntilOneOfTheControllersLeads) {
  connection_->send({question(1)});
  ASSERT_TRUE(run_until([&] { return controllers_[1].asked.size() == 2; }));  // asked again
  EXPECT_TRUE(answers_.empty());
  controllers_[1].leads = true;
  ASSERT_TRUE(run_until([&] { return !answers_.empty(); }));
}

TEST_F(LeaderConnectionTest, SendsARequestOnceToAControllerThatMayHaveIt) {
  controllers_[0].leads = true;
  controllers_[0].is_silent = true;  // slow
  connection_->send({question(1)});
  ASSERT_TRUE(run_until([&] { return controllers_[1].asked.size() == 3; }));
  controllers_[0].is_silent = false;
  ASSERT_TRUE(run_until([&] { return !answers_.empty(); }));
  EXPECT_EQ(controllers_[0].asked, std::vector<std::int64_t>{1});
}

TEST_F(LeaderConnectionTest, AsksAllControllersRepeatedlyWithPauses) {
  connection_->send({question(1)});
  const auto began = std::chrono::steady_clock::now();
  ASSERT_TRUE(run_until([&] { return controllers_[0].asked.size() == 5; }));
  EXPECT_GE(std::chrono::steady_clock::now() - began, std::chrono::milliseconds(900));
  EXPECT_LE(controllers_[1].asked.size(), 5U);
}

TEST_F(LeaderConnectionTest, AnUnsureAnswerCountsIfNoOtherControllerLeads) {
  controllers_[0].is_away = true;
  // Controller 0 answers "not sure". That counts, because both other controllers have said that
  // they do not lead.
  ASSERT_TRUE(is_answered(beat(1)));
  EXPECT_EQ(controllers_[1].asked, std::vector<std::int64_t>{1});
  controllers_[1].is_silent = true;
  connection_->send({beat(2)});
  ASSERT_TRUE(run_until([&] { return controllers_[2].asked.size() == 4; }));
  EXPECT_EQ(answers_, std::vector<std::int64_t>{1}) << "one controller has not refused";
  controllers_[1].is_silent = false;
  controllers_[1].leads = true;
  ASSERT_TRUE(run_until([&] { return answers_.back() == 2; }));
  ASSERT_TRUE(is_answered(beat(3)));
  EXPECT_EQ(controllers_[0].asked, (std::vector<std::int64_t>{1, 2})) << "it leads no longer";
}

TEST_F(LeaderConnectionTest, ACommandGetsTheReasonToWaitThoughAHostIsDown) {
  controllers_[0].is_away = true;
  end(1);
  ASSERT_TRUE(is_answered(1));
  EXPECT_LE(controllers_[2].asked.size(), 5U);
}

TEST_F(LeaderConnectionTest, ARequestThatMustNotRunTwiceIsSentToOneController) {
  controllers_[0].leads = true;
  ASSERT_TRUE(is_answered(1));
  controllers_[0].is_silent = true;
  controllers_[1].leads = true;
  ActOnJobs again;
  again.verb = JobVerb::Requeue;
  connection_->send({Request{2, again}});
  EXPECT_FALSE(run_until([&] { return !controllers_[1].asked.empty(); }, std::chrono::seconds(1)));
  ASSERT_TRUE(is_answered(3));  // request 3 may be repeated, so it goes to the others
}

TEST_F(LeaderConnectionTest, ContinuesWithoutLostControllers) {
  controllers_[0].leads = true;
  ASSERT_TRUE(is_answered(1));
  end(0);
  end(2);
  controllers_[1].leads = true;
  ASSERT_TRUE(is_answered(2));
}

}  // namespace
}  // namespace cox
