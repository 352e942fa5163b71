// A job as clients receive it, and a screen whose clock shows noon, for tests of printed pages.
#pragma once

#include "client/text/screen.h"
#include "common/messages/messages.h"

namespace cox {

inline constexpr std::int64_t minute_ms = 60'000;

inline Screen at_noon() {
  return {false, wall_from_ms(1'795'262'400'000), {3600, {}}};
}
inline Wall before(const Screen& screen, std::int64_t ms) {
  return wall_from_ms(to_ms(screen.now) - ms);
}

inline JobDetail a_job(JobState state) {
  JobDetail detail;
  Job& job = detail.view.job;
  job.id = JobId{17};
  job.spec.change().name = "digits";
  job.spec.change().user_name = "ada";
  job.spec.change().qos = "standard";
  job.spec.change().nodes = 2;
  job.spec.change().tasks = 4;
  job.state = state;
  job.submitted = before(at_noon(), 3 * minute_ms);
  detail.view.nodes = {"n1", "n2"};
  return detail;
}

inline JobDetail an_array() {
  JobDetail detail = a_job(JobState::Pending);
  Job& job = detail.view.job;
  job.array_job = job.id;
  job.array_tasks = *parse_array_tasks("4-9");
  job.spec.change().array = "0-9";
  detail.view.reason_detail = "no room";
  detail.tasks = {{JobState::Pending, 0, 0, 6, "4-9"},
                  {JobState::Running, 0, 0, 1, "3"},
                  {JobState::Completed, 0, 0, 2, "0,2"},
                  {JobState::Failed, 7, 0, 1, "1"}};
  detail.tasks_left = 7;
  detail.tasks_failed = 1;
  return detail;
}

}  // namespace cox
