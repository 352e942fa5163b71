// Tests what a command does when the reply to its question is lost. The questions go over a real
// socket to a controller in another thread.
#include "client/io/ask.h"

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <functional>
#include <thread>

#include "common/io/clock.h"
#include "common/io/link.h"
#include "tests/patience.h"

namespace cox {
namespace {

class AskTest : public ::testing::Test {
 protected:
  void SetUp() override {
    char pattern[] = "/tmp/cox-ask-XXXXXX";
    ASSERT_NE(::mkdtemp(pattern), nullptr);
    dir_ = pattern;
    open_listener();
  }
  void open_listener() {
    controller_poller_ = Poller::create();
    auto opened = Listener::open({.local_endpoint = endpoint()});
    CHECK(opened.ok());
    listener_ = std::move(opened).value();
    listener_->add_to(*controller_poller_);
  }
  void TearDown() override {
    over_ = true;
    if (controller_.joinable()) controller_.join();
    std::filesystem::remove_all(dir_);
  }

  std::string endpoint() const { return "ipc://" + dir_ + "/controller"; }

  // Starts a controller that receives the first `lost` questions but does not answer them, as if it
  // was killed before it replied. It answers all later questions.
  void start_controller(int lost) {
    controller_ = std::thread([this, lost] { serve(lost); });
  }
  // Starts a controller that ends when it has received a question. The next one starts `away`
  // later.
  void start_controller_that_restarts(Milliseconds away) {
    controller_ = std::thread([this, away] {
      while (!over_ && received_ == 0) receive([](const Incoming&, const Message&) {});
      listener_.reset();
      const Boot end = read_clock().boot + away;
      while (!over_ && read_clock().boot < end) controller_poller_->wait(Milliseconds{50});
      open_listener();
      serve(0);
    });
  }
  void serve(int lost) {
    ClusterView view;
    view.name = "of ours";
    const int silent_until = received_ + lost;
    while (!over_)
      receive([&](const Incoming& from, const Message& message) {
        if (received_ > silent_until)
          listener_->send(from.peer, {Reply{std::get<Request>(message).number, view}});
      });
  }
  void receive(const std::function<void(const Incoming&, const Message&)>& take) {
    controller_poller_->wait(Milliseconds{50});
    for (const auto& incoming : listener_->receive(100))
      for (const auto& message : incoming.messages) {
        ++received_;
        take(incoming, message);
      }
  }
  Result<Answer> ask(const std::string& endpoints, const Question& question, Milliseconds timeout) {
    auto asker = Asker::to_controller(*poller_, {.endpoint = endpoints});
    CHECK(asker.ok());
    return asker->ask(question, timeout);
  }

  const Question requeue_ = ActOnJobs{JobVerb::Requeue, {JobId{1}}};
  std::string dir_;
  std::unique_ptr<Poller> poller_ = Poller::create();
  std::unique_ptr<Poller> controller_poller_;
  std::unique_ptr<Listener> listener_;
  std::thread controller_;
  std::atomic<bool> over_ = false;
  std::atomic<int> received_ = 0;
};

TEST_F(AskTest, AsksAgainWhenTheQuestionIsLost) {
  start_controller(1);
  const auto answer = ask(endpoint(), ShowCluster{}, Milliseconds{60'000});
  ASSERT_TRUE(answer.ok()) << answer.refusal().fact;
  EXPECT_EQ(std::get<ClusterView>(*answer).name, "of ours");
}

TEST_F(AskTest, ARequestThatMustNotRunTwiceIsSentOnce) {
  start_controller(1);
  const auto answer = ask(endpoint(), requeue_, Milliseconds{2'500});
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.refusal().fact,
            "the controller does not answer at " + endpoint() +
                " (waited 2 s); whether the request was or will be carried out is unknown");
  EXPECT_EQ(received_, 1);
}

TEST_F(AskTest, SaysThatTheOutcomeOfASubmissionIsUnknownAndHowToFindOut) {
  start_controller(1'000);
  const auto answer = ask(endpoint(), SubmitJob{"a1b2", {}, "", ""}, Milliseconds{2'500});
  ASSERT_FALSE(answer.ok());
  EXPECT_NE(answer.refusal().fact.find("is unknown"), std::string::npos);
  EXPECT_EQ(answer.refusal().hint,
            "the same command with --request-id=a1b2 submits the job only if it was not accepted "
            "before, and shows its id");
}

TEST_F(AskTest, IfNoControllerListensTheOutcomeOfARequestIsNotCalledUnknown) {
  const auto answer = ask(endpoint() + "-of-nobody", requeue_, Milliseconds{2'000});
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.refusal().fact.find("unknown"), std::string::npos);
}

TEST_F(AskTest, ASubmissionThatReachedAControllerIsAnsweredByTheNextOne) {
  start_controller_that_restarts(Milliseconds{4'000});
  const auto answer = ask(endpoint(), SubmitJob{"a1b2", {}, "", ""}, Milliseconds{60'000});
  ASSERT_TRUE(answer.ok()) << answer.refusal().fact;
  EXPECT_EQ(std::get<ClusterView>(*answer).name, "of ours");
}

TEST_F(AskTest, ARequestThatAnEndingControllerTurnsAwayIsSentAgain) {
  controller_ = std::thread([this] {
    while (!over_ && received_ == 0)
      receive([&](const Incoming& from, const Message& message) {
        listener_->send(from.peer, {NotLeader{"", std::get<Request>(message).number, ""}});
      });
    serve(0);
  });
  const auto answer = ask(endpoint(), Administer{}, patience());
  ASSERT_TRUE(answer.ok()) << answer.refusal().fact;
  EXPECT_TRUE(std::holds_alternative<ClusterView>(*answer));
  EXPECT_EQ(received_, 2);
}

TEST_F(AskTest, TheOutcomeOfARequestThatWasTurnedAwayIsKnown) {
  controller_ = std::thread([this] {
    while (!over_)
      receive([&](const Incoming& from, const Message& message) {
        listener_->send(from.peer, {NotLeader{"", std::get<Request>(message).number, ""}});
      });
  });
  const auto answer = ask(endpoint(), Administer{}, Milliseconds{2'200});
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.refusal().fact, "no controller leads at " + endpoint() + " (waited 2 s)");
}

TEST_F(AskTest, AStandbyThatNamesTheLeaderIsNotAskedAgain) {
  controller_ = std::thread([this] {
    while (!over_)
      receive([&](const Incoming& from, const Message& message) {
        listener_->send(from.peer, {NotLeader{"other", std::get<Request>(message).number, ""}});
      });
  });
  const auto answer = ask(endpoint(), Administer{}, patience());
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(std::get<Refused>(*answer).why.fact,
            "this controller is a standby; the leader is other");
  EXPECT_EQ(received_, 1);
}

TEST_F(AskTest, AControllerThatCannotLeadIsNotCalledAStandby) {
  controller_ = std::thread([this] {
    while (!over_)
      receive([&](const Incoming& from, const Message& message) {
        listener_->send(from.peer, {NotLeader{"", std::get<Request>(message).number,
                                              "it waits for PostgreSQL: it takes no writes"}});
      });
  });
  const auto answer = ask(endpoint(), Administer{}, patience());
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(std::get<Refused>(*answer).why.fact,
            "the controller runs but does not lead: it waits for PostgreSQL: it takes no writes");
}

TEST(AgeText, DuringAnOutageOfPostgresqlNamesTheTimeOfTheDataAndUnrecordedChanges) {
  Reply reply{1, JobList{}};
  EXPECT_EQ(age_text(reply), "");
  reply.as_of = wall_from_ms(1'700'000'000'000);
  EXPECT_EQ(age_text(reply),
            "warning: PostgreSQL does not answer; this is the state of 2023-11-14T22:13:20Z");
  reply.unrecorded = {"job 17", "node n1"};
  EXPECT_EQ(age_text(reply),
            "warning: PostgreSQL does not answer; this is the state of 2023-11-14T22:13:20Z; not "
            "recorded yet, and lost if the controller fails: changes of job 17, node n1");
}

TEST_F(AskTest, FindsTheLeaderBeforeItSendsARequestThatMustNotRunTwice) {
  start_controller(0);
  const auto answer =
      ask("ipc://" + dir_ + "/nobody," + endpoint(), requeue_, Milliseconds{60'000});
  ASSERT_TRUE(answer.ok()) << answer.refusal().fact;
  EXPECT_EQ(received_, 2) << "one question for the leader, and one request";
}

}  // namespace
}  // namespace cox
