// Tests the whole pages of `cox queue`, `cox why` and `cox history`.
#include <gtest/gtest.h>

#include "client/show/show_history.h"
#include "client/show/show_queue.h"
#include "client/show/show_why.h"
#include "tests/client/sample_job.h"

namespace cox {
namespace {

Screen a_coloured_noon() {
  Screen screen = at_noon();
  screen.colour = true;
  return screen;
}

TEST(QueuePage, shows_times_and_the_nodes_or_the_reason_of_each_job_by_its_state) {
  JobList list;
  const auto add = [&list](int id, JobState state) -> JobView& {
    JobView& view = list.jobs.emplace_back(a_job(state).view);
    view.job.id = JobId{id};
    return view;
  };
  add(1, JobState::Pending);
  add(2, JobState::Pending).reason = WaitReason::Priority;
  list.jobs[1].job.spec.change().time_limit_s = 1800;
  list.jobs[1].nodes.clear();
  add(3, JobState::Pending).reason = WaitReason::Resources;
  list.jobs[2].reason_detail = "busy until 2026-11-21T12:05:00Z";
  add(4, JobState::Running).ran_ms = 65'000;
  list.jobs[3].left_ms = 0;
  list.jobs[3].ranks = 7;
  list.jobs[3].nodes = {"n4", "n5", "n6"};
  add(5, JobState::Failed).job.ended = before(at_noon(), 2 * minute_ms);
  list.jobs[4].job.why = "rank 0 ended with exit code 3";
  list.jobs[4].left_ms = 60'000;
  EXPECT_EQ(
      show_queue(list, at_noon()),
      "JOB  NAME    USER  QOS       STATE    NODES  RANKS  TIME              LEFT    WHERE OR WHY\n"
      "  1  digits  ada   standard  PENDING      2      4  queued 3 min ago  -       not "
      "considered yet\n"
      "  2  digits  ada   standard  PENDING      2      4  queued 3 min ago  30 min  Priority\n"
      "  3  digits  ada   standard  PENDING      2      4  queued 3 min ago  -       busy until "
      "2026-11-21 13:05:00 (in 5 min)\n"
      "  4  digits  ada   standard  RUNNING      3      7  for 1 min 5 s     0 s     n[4-6]\n"
      "  5  digits  ada   standard  FAILED       2      4  ended 2 min ago   -       rank 0 ended "
      "with exit code 3\n");
}

TEST(QueuePage, has_a_colour_for_each_kind_of_state) {
  std::string colours;
  for (const JobState state : all_job_states) {
    JobList list;
    list.jobs.push_back(a_job(state).view);
    const std::string page = show_queue(list, a_coloured_noon());
    const std::size_t name_at = page.rfind(std::string(name(state)));
    const std::size_t line = page.find('\n') + 1;
    const std::size_t escape = page.find('\033', line);
    colours += std::string(name(state)) + " " +
               (escape < name_at ? page.substr(escape + 1, name_at - escape - 1) : "none") + "\n";
  }
  EXPECT_EQ(colours,
            "PENDING [33m\n"
            "CONFIGURING [32m\n"
            "RUNNING [32m\n"
            "SIGNALING [34m\n"
            "COMPLETING [34m\n"
            "COMPLETED none\n"
            "FAILED [31m\n"
            "CANCELLED [2m\n"
            "TIMEOUT [31m\n"
            "NODE_FAIL [31m\n"
            "PREEMPTED [2m\n"
            "OUT_OF_MEMORY [31m\n"
            "SUSPENDED [33m\n"
            "DEADLINE [31m\n");
}

TEST(QueuePage, says_that_there_are_no_jobs_unless_ids_were_unknown) {
  EXPECT_EQ(show_queue({}, at_noon()), "No jobs.\n");
  EXPECT_EQ(show_queue({{}, false, {JobId{4}}}, at_noon()), "");
}

TEST(QueuePage, omits_the_least_important_columns_until_it_fits) {
  JobList list;
  for (const char* partition : {"cpu", "gpu"}) {
    JobView& view = list.jobs.emplace_back(a_job(JobState::Pending).view);
    view.partition = partition;
    view.job.spec.change().account = std::string("of-") + partition;
    view.reason = WaitReason::Resources;
  }
  std::string heads;
  for (const std::size_t width : {110u, 100u, 95u, 84u, 76u, 66u, 58u}) {
    Screen screen = at_noon();
    screen.width = width;
    const std::string page = show_queue(list, screen);
    heads += std::to_string(width) + ": " + page.substr(0, page.find('\n') + 1);
  }
  EXPECT_EQ(heads,
            "110: JOB  NAME    USER  ACCOUNT  QOS       PARTITION  STATE    NODES  RANKS  TIME     "
            "         LEFT  WHERE OR WHY\n"
            "100: JOB  NAME    USER  ACCOUNT  PARTITION  STATE    NODES  TIME              LEFT  "
            "WHERE OR WHY\n"
            "95: JOB  NAME    USER  ACCOUNT  PARTITION  STATE    NODES  TIME              LEFT  "
            "WHERE OR WHY\n"
            "84: JOB  NAME    USER  PARTITION  STATE    NODES  TIME              WHERE OR WHY\n"
            "76: JOB  NAME    USER  PARTITION  STATE    NODES  TIME              WHERE OR WHY\n"
            "66: JOB  NAME    USER  STATE    NODES  TIME              WHERE OR WHY\n"
            "58: JOB  NAME    USER  STATE    TIME              WHERE OR WHY\n");
}

TEST(QueuePage, may_be_exactly_as_wide_as_the_terminal) {
  JobList list;
  list.jobs.push_back(a_job(JobState::Pending).view);
  list.jobs[0].reason_detail = "12345678";
  const auto heads = [&list](std::size_t width) {
    Screen screen = at_noon();
    screen.width = width;
    const std::string page = show_queue(list, screen);
    return page.substr(0, page.find('\n'));
  };
  const std::string all = heads(0);
  EXPECT_EQ(heads(all.size()), all);
  EXPECT_EQ(heads(all.size() - 1).find("RANKS"), std::string::npos);
}

TEST(QueuePage, sorts_tasks_of_arrays_with_their_array) {
  JobList list;
  for (const auto& [id, array, task] :
       {std::tuple{5, 3, 2}, {4, 0, -1}, {3, 3, 9}, {7, 3, 1}, {2, 0, -1}}) {
    Job& job = list.jobs.emplace_back(a_job(JobState::Pending).view).job;
    job.id = JobId{id};
    job.array_job = JobId{array};
    job.array_task = task;
  }
  sort_tasks(list.jobs);
  std::vector<std::int64_t> ids;
  for (const JobView& view : list.jobs) ids.push_back(view.job.id.value);
  EXPECT_EQ(ids, (std::vector<std::int64_t>{2, 7, 5, 3, 4}));
}

TEST(WhyPage, a_pending_job_says_its_reason_and_when_it_should_start) {
  JobDetail detail = a_job(JobState::Pending);
  detail.view.reason = WaitReason::Resources;
  detail.view.reason_detail = "needs 2 nodes";
  detail.view.expected_start = before(at_noon(), -5 * minute_ms);
  detail.attempts.resize(1);
  detail.attempts[0].nodes.resize(1);
  detail.attempts[0].nodes[0].note = "of the attempt before";
  detail.why = {"needs 2 nodes: 1 is free"};
  EXPECT_EQ(show_why(detail, at_noon()),
            "Job 17 (digits) is PENDING, submitted 3 min ago. Reason: Resources\n"
            "needs 2 nodes: 1 is free\n"
            "Start expected in 5 min (2026-11-21 13:05:00).\n");
  detail.view.at_the_earliest = true;
  detail.why.push_back("n1 is busy");
  EXPECT_EQ(show_why(detail, at_noon()),
            "Job 17 (digits) is PENDING, submitted 3 min ago. Reason: Resources\n"
            "needs 2 nodes\n"
            "  1. needs 2 nodes: 1 is free\n"
            "  2. n1 is busy\n"
            "Start expected in 5 min (2026-11-21 13:05:00) at the earliest: jobs ahead of it may "
            "delay it.\n");
}

TEST(WhyPage, a_running_job_shows_the_notes_of_its_nodes_rather_than_why_it_started) {
  JobDetail detail = a_job(JobState::Running);
  detail.view.job.why = "started on 2 nodes";
  detail.view.reason_detail = "not shown";
  EXPECT_EQ(show_why(detail, at_noon()),
            "Job 17 (digits) is RUNNING on n[1-2]\n"
            "started on 2 nodes\n");
  detail.why = {"n1 is silent for 20 s"};
  detail.attempts.resize(1);
  detail.attempts[0].nodes.resize(1);
  detail.attempts[0].nodes[0].grant.node = "n1";
  detail.attempts[0].nodes[0].note = "disk full";
  EXPECT_EQ(show_why(detail, at_noon()),
            "Job 17 (digits) is RUNNING on n[1-2]\n"
            "n1: disk full\n"
            "  1. n1 is silent for 20 s\n");
}

TEST(WhyPage, a_finished_job_says_how_it_ended) {
  JobDetail detail = a_job(JobState::Failed);
  detail.view.job.ended = before(at_noon(), 2 * minute_ms);
  detail.view.job.why = "rank 0 ended with exit code 3";
  detail.view.job.spec.change().deadline = at_noon().now;
  detail.why = {"rank 0 ended with exit code 3"};
  EXPECT_EQ(show_why(detail, at_noon()),
            "Job 17 (digits) is FAILED, ended 2 min ago\n"
            "rank 0 ended with exit code 3\n");
}

TEST(WhyPage, a_suspended_job_says_when_it_should_resume) {
  JobDetail detail = a_job(JobState::Suspended);
  detail.view.job.why = "suspended for job 9";
  detail.view.expected_start = before(at_noon(), -5 * minute_ms);
  detail.why = {"n1 has no free CPU"};
  EXPECT_EQ(show_why(detail, at_noon()),
            "Job 17 (digits) is SUSPENDED on n[1-2]\n"
            "suspended for job 9\n"
            "  1. n1 has no free CPU\n"
            "Expected to resume in 5 min (2026-11-21 13:05:00).\n");
}

TEST(WhyPage, an_array_without_pending_tasks_shows_only_how_many_tasks_have_each_state) {
  JobDetail detail = an_array();
  detail.view.job.state = JobState::Running;
  EXPECT_EQ(show_why(detail, at_noon()),
            "Array 17 (digits): 6 PENDING, 1 RUNNING, 2 COMPLETED, 1 FAILED. No task is pending; "
            "`cox show job 17` shows the states of all.\n");
}

TEST(WhyPage, the_latest_start_for_a_deadline_uses_the_minimum_time) {
  JobDetail detail = a_job(JobState::Pending);
  JobSpec& spec = detail.view.job.spec.change();
  spec.deadline = before(at_noon(), -60 * minute_ms);
  const auto last_line = [&detail] {
    const std::string page = show_why(detail, at_noon());
    return page.substr(page.rfind('\n', page.size() - 2) + 1);
  };
  EXPECT_EQ(last_line(), "Its deadline is 2026-11-21 14:00:00 (in 1 h).\n");
  spec.time_limit_s = 1800;
  spec.time_min_s = 600;
  EXPECT_EQ(last_line(),
            "Its deadline is 2026-11-21 14:00:00 (in 1 h); it must start by 2026-11-21 13:50:00 "
            "(in 50 min), or it ends in state DEADLINE.\n");
}

TEST(HistoryPage, shows_each_event_with_its_attempt_and_its_actor) {
  HistoryPage page;
  page.events.resize(2);
  page.events[0] = {
      JobId{17},  {}, before(at_noon(), 3 * minute_ms), "state", JobState::Pending, "submitted",
      "user ada", 1};
  page.events[1] = {JobId{17},
                    AttemptNumber{2},
                    before(at_noon(), minute_ms),
                    "stop",
                    JobState::Completing,
                    "by 2026-11-21T12:00:00Z",
                    "scheduler",
                    2};
  EXPECT_EQ(show_history(page, at_noon()),
            "WHEN       TIME                 ATTEMPT  STATE       WHAT   ACTOR      WHY\n"
            "3 min ago  2026-11-21 12:57:00        -  PENDING     state  user ada   submitted\n"
            "1 min ago  2026-11-21 12:59:00        2  COMPLETING  stop   scheduler  by 2026-11-21 "
            "13:00:00 "
            "(now)\n");
  page.job_names = {"17_1", "17_2"};
  EXPECT_EQ(
      show_history(page, at_noon()),
      "JOB   WHEN       TIME                 ATTEMPT  STATE       WHAT   ACTOR      WHY\n"
      "17_1  3 min ago  2026-11-21 12:57:00        -  PENDING     state  user ada   submitted\n"
      "17_2  1 min ago  2026-11-21 12:59:00        2  COMPLETING  stop   scheduler  by 2026-11-21 "
      "13:00:00 (now)\n");
  page.job_names.pop_back();
  EXPECT_EQ(show_history(page, at_noon()).substr(0, 6), "WHEN  ")
      << "the names do not match the events";
  EXPECT_EQ(show_history({}, at_noon()), "No events of this job are recorded.\n");
}

TEST(HistoryPage, sorts_the_events_by_number_and_keeps_the_mark_that_more_follow) {
  HistoryPage page;
  page.more = true;
  page.events.resize(2);
  page.events[0].sequence = 2;
  page.events[1].sequence = 1;
  order_by_time(page);
  EXPECT_EQ(page.events[0].sequence, 1);
  EXPECT_EQ(page.events[1].sequence, 2);
  EXPECT_TRUE(page.job_names.empty());
  EXPECT_TRUE(page.more);
}

}  // namespace
}  // namespace cox
