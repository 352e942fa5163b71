// Tests `cox events`, which shows the newest events of jobs as soon as they are committed.
#include "controller/ledger/event_stream.h"

#include <gtest/gtest.h>

#include "common/base/limits.h"
#include "tests/controller/bench.h"

namespace cox {
namespace {

StreamedEvent an_event(std::int64_t job, const std::string& user = "ada") {
  StreamedEvent one;
  one.event.job = one.array = JobId{job};
  one.job_name = std::to_string(job);
  one.user_name = user;
  return one;
}

FollowEvents behind(std::int64_t after, Term term = Term{7}) {
  return {term, after, 0, {}, ""};
}

std::vector<std::string> names(const EventStream& stream, const FollowEvents& ask) {
  return stream.page(ask, Term{7}).job_names;
}

using Names = std::vector<std::string>;

TEST(EventStream, APageBeginsAfterTheLastEventOfTheClient) {
  EventStream stream;
  stream.add({an_event(1), an_event(2)});
  stream.add({an_event(3)});
  EXPECT_EQ(names(stream, behind(0)), (Names{"1", "2", "3"}));
  EXPECT_EQ(names(stream, behind(2)), (Names{"3"}));
  EXPECT_EQ(names(stream, behind(3)), Names{});
  EXPECT_EQ(names(stream, behind(-1)), Names{});
  EXPECT_EQ(stream.page(behind(-1), Term{7}).last, 3);
  EXPECT_FALSE(stream.page(behind(3), Term{7}).missed);
}

TEST(EventStream, OnlyEventsOfTheRequestedJobsAndUsersAreListed) {
  EventStream stream;
  StreamedEvent task = an_event(5, "bob");
  task.array = JobId{4};
  task.job_name = "4_1";
  stream.add({an_event(1), an_event(2, "bob"), task});
  FollowEvents ask = behind(0);
  ask.ids = {JobId{1}};
  EXPECT_EQ(names(stream, ask), (Names{"1"}));
  ask.ids = {JobId{4}};
  EXPECT_EQ(names(stream, ask), (Names{"4_1"})) << "of the array with this id";
  ask.ids = {JobId{5}};
  EXPECT_EQ(names(stream, ask), (Names{"4_1"})) << "the task by its own id";
  ask.ids.clear();
  ask.user_name = "bob";
  EXPECT_EQ(names(stream, ask), (Names{"2", "4_1"}));
}

TEST(EventStream, EventsNoLongerKeptAreReportedAsMissed) {
  EventStream stream;
  stream.add(std::vector<StreamedEvent>(EventStream::kept_max, an_event(1)));
  EXPECT_FALSE(stream.page(behind(0), Term{7}).missed);
  stream.add({an_event(2)});
  EXPECT_TRUE(stream.page(behind(0), Term{7}).missed);
  EXPECT_FALSE(stream.page(behind(1), Term{7}).missed);
  EXPECT_FALSE(stream.page(behind(0, Term{}), Term{7}).missed)
      << "a client that has received none has missed none";
  const auto last = static_cast<std::int64_t>(EventStream::kept_max) + 1;
  EXPECT_EQ(names(stream, behind(last - 1)), (Names{"2"}));
}

TEST(EventStream, ANewLeaderReportsThatEventsMayBeMissed) {
  EventStream stream;
  stream.add({an_event(1)});
  const EventPage page = stream.page(behind(40, Term{6}), Term{7});
  EXPECT_TRUE(page.missed);
  EXPECT_EQ(page.job_names, (Names{"1"}));
  EXPECT_EQ(page.term, Term{7});
  EXPECT_TRUE(stream.page(behind(2), Term{7}).missed) << "the number is not assigned yet";
}

TEST(EventStream, AFullPageSaysWhereTheNextBegins) {
  EventStream stream;
  stream.add(std::vector<StreamedEvent>(limits::page_rows_max + 1, an_event(1)));
  const EventPage page = stream.page(behind(0), Term{7});
  EXPECT_EQ(page.events.size(), limits::page_rows_max);
  EXPECT_EQ(page.last, static_cast<std::int64_t>(limits::page_rows_max));
  EXPECT_EQ(names(stream, behind(page.last)).size(), 1u);
}

class FollowedEvents : public testing::Test, public Bench {
 public:
  // Sends the request without waiting for the reply.
  void follow(const FollowEvents& ask) {
    const Caller caller{Caller::Kind::Client, "", user, 1000, 1000};
    controller->receive({"client", caller, Message{Request{++requests, ask}}}, now);
    settle();
  }

  std::vector<EventPage> pages() {
    std::vector<EventPage> all;
    for (const Outgoing& one : sent)
      if (const auto* reply = std::get_if<Reply>(&one.message))
        if (const auto* page = std::get_if<EventPage>(&reply->body)) all.push_back(*page);
    return all;
  }
};

TEST_F(FollowedEvents, AClientThatFollowsEventsIsAnsweredAtTheNextEvent) {
  follow({{}, -1, 20'000, {}, ""});
  EXPECT_TRUE(pages().empty()) << "nothing has happened yet";
  submit({});
  ASSERT_EQ(pages().size(), 1u);
  EXPECT_EQ(pages()[0].events[0].why, "submitted");
  EXPECT_EQ(pages()[0].job_names[0], "1");
}

TEST_F(FollowedEvents, AClientThatFollowsAnotherUsersEventsIsAnsweredWhenItsTimeIsOver) {
  follow({{}, -1, 20'000, {}, "bob"});
  submit({});
  EXPECT_TRUE(pages().empty());
  pass(Milliseconds{20'000});
  ASSERT_EQ(pages().size(), 1u);
  EXPECT_TRUE(pages()[0].events.empty());
  EXPECT_GT(pages()[0].last, 0) << "it need not look at them again";
}

}  // namespace
}  // namespace cox
