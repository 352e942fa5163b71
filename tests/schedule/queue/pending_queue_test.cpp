// Tests that queued jobs are found by their ids after their priorities have changed.
#include "schedule/queue/pending_queue.h"

#include <gtest/gtest.h>

#include <string>

#include "schedule/model/request_pool.h"

namespace cox::schedule {
namespace {

PendingJob job_with(RequestPool& requests, std::int64_t id, double priority,
                    std::int64_t nodes = 1) {
  PendingJob job;
  job.id = JobId{id};
  job.priority = priority;
  job.eligible = Wall{std::chrono::seconds{id}};
  Request request;
  request.nodes = nodes;
  job.request = requests.shared(Shared<Request>(std::move(request)));
  return job;
}

std::string order_of(const PendingQueue& queue) {
  std::string order;
  QueueCursor walk(queue);
  for (auto at = walk.front(); at.key != nullptr; at = walk.front()) {
    order += std::to_string(at.key->id.value) + " ";
    walk.next();
  }
  return order;
}

TEST(PendingQueue, a_job_is_removed_by_its_id_after_its_priority_has_changed) {
  RequestPool requests;
  PendingQueue queue;
  for (const std::int64_t id : {1, 2, 3}) queue.add(job_with(requests, id, 0));
  queue.prioritise([](const JobClass&, JobId id) { return static_cast<double>(id.value); });
  EXPECT_EQ(order_of(queue), "3 2 1 ");
  queue.prefer_older_than([](Standing) { return Wall{std::chrono::seconds{1}}; }, 100);
  EXPECT_EQ(order_of(queue), "1 3 2 ");
  queue.remove(JobId{1});
  queue.remove(JobId{3});
  EXPECT_EQ(order_of(queue), "2 ");
  EXPECT_FALSE(queue.contains(JobId{1}));
  EXPECT_EQ(queue.size(), 1u);
  queue.remove(JobId{2});
  EXPECT_TRUE(queue.classes().empty());
}

TEST(PendingQueue, jobs_of_each_standing_age_at_their_own_time_and_may_become_young_again) {
  RequestPool requests;
  PendingQueue queue;
  for (const std::int64_t id : {1, 2, 3, 4}) {
    PendingJob job = job_with(requests, id, static_cast<double>(id));
    job.tier = id <= 2 ? 1 : 0;
    queue.add(job);
  }
  EXPECT_EQ(order_of(queue), "2 1 4 3 ");
  const auto at = [&](std::int64_t high_s, std::int64_t low_s) {
    queue.prefer_older_than(
        [=](Standing standing) {
          return Wall{std::chrono::seconds{standing.second == 1 ? high_s : low_s}};
        },
        100);
    return order_of(queue);
  };
  EXPECT_EQ(at(0, 3), "2 1 3 4 ");
  EXPECT_EQ(at(1, 3), "1 2 3 4 ");
  EXPECT_EQ(at(1, 2), "1 2 4 3 ") << "job 3 must wait longer again";
  EXPECT_EQ(at(0, 2), "2 1 4 3 ");
}

TEST(PendingQueue, a_job_with_fewer_copies_keeps_its_place) {
  RequestPool requests;
  PendingQueue queue;
  PendingJob array = job_with(requests, 1, 5);
  array.copies = 10;
  queue.add(array);
  queue.add(job_with(requests, 2, 5));
  queue.prioritise([](const JobClass&, JobId id) { return id == JobId{1} ? 9.0 : 1.0; });
  queue.set_copies(JobId{1}, 7);
  EXPECT_EQ(order_of(queue), "1 2 ");
  EXPECT_EQ(job_of(queue.at(JobId{1})).copies, 7);
  EXPECT_EQ(job_of(queue.at(JobId{1})).priority, 9.0);
}

TEST(PendingQueue, a_job_with_a_changed_request_keeps_its_priority) {
  RequestPool requests;
  PendingQueue queue;
  queue.add(job_with(requests, 1, 5, 2));
  queue.add(job_with(requests, 2, 4, 2));
  const PendingJob other = job_with(requests, 3, 0, 1);
  queue.set_request(JobId{1}, other.request);
  EXPECT_EQ(queue.classes().size(), 2u);
  EXPECT_EQ(job_of(queue.at(JobId{1})).request->nodes, 1);
  EXPECT_EQ(order_of(queue), "1 2 ");
}

}  // namespace
}  // namespace cox::schedule
