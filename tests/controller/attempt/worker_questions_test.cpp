// Tests requests of workers: a worker may ask about jobs that ran on its node, since clients read
// their output through it. All other requests of workers are rejected.
#include <gtest/gtest.h>

#include "common/job/job_row.h"
#include "tests/controller/array_story.h"

namespace cox {
namespace {

class WorkerQuestions : public JobArrays {
 protected:
  std::optional<Reply> answer(const std::string& node, decltype(Request::body) question) {
    deliver(node, Request{++requests, std::move(question)});
    std::optional<Reply> found;
    for (auto& [peer, reply] : take<Reply>())
      if (peer == "worker-" + node && reply.number == requests) found = std::move(reply);
    return found;
  }
  // Returns the job id of the row in the reply to this node's worker; 0 if the request is refused.
  JobId row_shown(const std::string& node, JobId id) {
    const auto reply = answer(node, ShowJob{id, row_itself});
    const auto* detail = reply ? std::get_if<JobDetail>(&reply->body) : nullptr;
    return detail == nullptr ? JobId{} : detail->view.job.id;
  }
  std::string refusal(const std::string& node, JobId id) {
    const auto reply = answer(node, ShowJob{id, row_itself});
    return reply ? refusal_of(*reply) : "no reply";
  }
  bool is_rejected(decltype(Request::body) question) {
    take<Rejected>();
    return !answer("n1", std::move(question)) && take<Rejected>().size() == 1;
  }
};

TEST_F(WorkerQuestions, AWorkerIsAnsweredOnlyAboutJobsThatRanOnItsNode) {
  node("n1", 1);
  node("n2", 1);
  const JobId id = submit({});
  const std::string there = attempt(id).nodes.front().grant.node;
  const std::string elsewhere = there == "n1" ? "n2" : "n1";
  end(id);
  for (const bool forgotten : {false, true}) {
    if (forgotten) pass_with_beats(config.min_job_age + Milliseconds{1'000}, {"n1", "n2"});
    ASSERT_EQ(controller->cluster().job(id) == nullptr, forgotten);
    EXPECT_EQ(row_shown(there, id), id);
    EXPECT_EQ(refusal(elsewhere, id), "no attempt of the job ran on node " + elsewhere);
  }
}

TEST_F(WorkerQuestions, AWorkerThatAsksForTheIdOfAnArrayGetsTheTaskWithThatId) {
  node("n1", 4);
  const JobId id = array("0-1");
  for (const std::int64_t number : {0, 1}) end_task(id, number);
  ASSERT_EQ(task(id, 1), id);
  EXPECT_FALSE(detail(id).tasks.empty()) << "a client asks about the whole array";
  for (const bool forgotten : {false, true}) {
    if (forgotten) pass_with_beats(config.min_job_age + Milliseconds{1'000}, {"n1"});
    const auto reply = answer("n1", ShowJob{id, row_itself});
    ASSERT_TRUE(reply && std::holds_alternative<JobDetail>(reply->body));
    EXPECT_TRUE(std::get<JobDetail>(reply->body).tasks.empty());
    EXPECT_EQ(std::get<JobDetail>(reply->body).view.job.id, id);
  }
}

TEST_F(WorkerQuestions, RequestsOfAWorkerThatAreForClientsAreRejected) {
  node("n1", 1);
  const JobId id = submit({});
  EXPECT_TRUE(is_rejected(ListJobs{}));
  EXPECT_TRUE(is_rejected(ShowHistory{id}));
  EXPECT_TRUE(is_rejected(ShowJob{id}));
  EXPECT_TRUE(is_rejected(ShowJob{id, 0}));
  EXPECT_TRUE(is_rejected(ActOnJobs{JobVerb::Cancel, {id}, {}}));
}

}  // namespace
}  // namespace cox
