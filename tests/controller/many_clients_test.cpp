// Tests how many clients may wait at a time, and what happens to a request that the database
// refuses.
#include <gtest/gtest.h>

#include <algorithm>

#include "common/base/limits.h"
#include "tests/controller/bench.h"

namespace cox {
namespace {

class ManyClients : public testing::Test, public Bench {
 protected:
  void send(const PeerName& peer, decltype(Request::body) body, std::int64_t number = 1) {
    const Caller caller{Caller::Kind::Client, "", "ada", 1000, 1000};
    controller->receive({peer, caller, Message{Request{number, std::move(body)}}}, now);
  }
  // Returns the number of replies since the last call that are not refusals.
  std::int64_t answered() {
    return std::ranges::count_if(take<Reply>(), [](const auto& one) {
      return !std::holds_alternative<Refused>(one.second.body);
    });
  }
  std::string only_refusal() {
    const auto replies = take<Reply>();
    EXPECT_EQ(replies.size(), 1u);
    return replies.empty() ? "" : refusal_of(replies.front().second);
  }
};

TEST_F(ManyClients, TenThousandClientsMayWaitForJobs) {
  const JobId id = submit({.with = [](JobSpec& s) { s.hold = true; }});
  const JobDetail detail = std::get<JobDetail>(ask(ShowJob{id}).body);
  const WaitJob wait{id, detail.change_count, 60'000};
  for (int i = 0; i < 10'000; ++i) {
    send("waits" + std::to_string(i), wait);
    if (i % 500 == 499) settle();
  }
  EXPECT_TRUE(take<Reply>().empty()) << "nothing has happened to the job yet";
  send("one more", wait);
  settle();
  EXPECT_EQ(only_refusal(), "10000 clients already wait for jobs, which is the limit");
  ask(ActOnJobs{JobVerb::Cancel, {id}});
  EXPECT_EQ(answered(), 10'000);
}

TEST_F(ManyClients, AThousandClientsMayFollowTheEvents) {
  const FollowEvents follow{{}, -1, 60'000, {}, ""};
  for (int i = 0; i < 1'000; ++i) {
    send("follows" + std::to_string(i), follow);
    if (i % 200 == 199) settle();
  }
  EXPECT_TRUE(take<Reply>().empty()) << "nothing has happened yet";
  send("one more", follow);
  settle();
  EXPECT_EQ(only_refusal(), "1000 clients already follow the events of jobs, which is the limit");
  submit({.with = [](JobSpec& s) { s.hold = true; }});
  EXPECT_EQ(answered(), 1'000);
}

TEST_F(ManyClients, AConnectionHasABoundedNumberOfDatabaseQueries) {
  const JobId id = submit({.with = [](JobSpec& s) { s.hold = true; }});
  constexpr auto most = static_cast<std::int64_t>(limits::reads_per_connection_max);
  for (std::int64_t i = 0; i <= most; ++i) send("many", ShowHistory{id}, i);
  settle();
  auto replies = take<Reply>();
  ASSERT_EQ(std::ssize(replies), most + 1);
  for (const auto& [peer, reply] : replies)
    EXPECT_EQ(refusal_of(reply),
              reply.number == most ? "64 queries are waiting for the database" : "");
  for (std::int64_t i = 0; i < most; ++i) send("many", ShowHistory{id}, i);
  send("other", ShowHistory{id});
  settle();
  replies = take<Reply>();
  ASSERT_EQ(std::ssize(replies), most + 1);
  for (const auto& [peer, reply] : replies) EXPECT_EQ(refusal_of(reply), "") << peer;
}

TEST_F(ManyClients, ARepeatedSubmissionThatOnlyTheDatabaseHasReturnsItsJob) {
  const JobId id = submit({.with = [](JobSpec& s) { s.hold = true; }}, "again");
  ask(ActOnJobs{JobVerb::Cancel, {id}});
  pass(config.min_job_age + Milliseconds{1'000});
  ASSERT_EQ(controller->cluster().job(id), nullptr);
  SubmitJob one;
  one.request_id = "again";
  one.spec.command = {"train"};
  one.spec.work_dir = "/home/u";
  const Reply known = ask(one);
  ASSERT_TRUE(std::holds_alternative<Submitted>(known.body)) << refusal_of(known);
  EXPECT_EQ(std::get<Submitted>(known.body).id, id);
  database->tables.jobs.erase(id);
  EXPECT_EQ(refusal_of(ask(one)), "the database refuses it");
  EXPECT_EQ(state(submit({})), "PENDING") << "others are served as before";
}

TEST_F(ManyClients, ARepeatedSubmissionOfManyThatOnlyTheDatabaseHasReturnsItsJobs) {
  SubmitJobs many;
  many.request_id = "many";
  JobSpec spec;
  spec.command = {"train"};
  spec.work_dir = "/home/u";
  spec.hold = true;
  many.specs.assign(3, spec);
  const auto first = std::get<SubmittedJobs>(ask(many).body);
  for (std::int64_t i = 0; i < 3; ++i)
    ask(ActOnJobs{JobVerb::Cancel, {JobId{first.first.value + i}}});
  pass(config.min_job_age + Milliseconds{1'000});
  ASSERT_EQ(controller->cluster().job(first.first), nullptr);
  const Reply reply = ask(many);
  ASSERT_TRUE(std::holds_alternative<SubmittedJobs>(reply.body)) << refusal_of(reply);
  EXPECT_EQ(std::get<SubmittedJobs>(reply.body).first, first.first);
  EXPECT_EQ(std::get<SubmittedJobs>(reply.body).count, 3);
}

}  // namespace
}  // namespace cox
