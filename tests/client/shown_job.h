// A job as it is shown to people, at a noon of theirs.
#pragma once

#include "client/screen.h"
#include "common/client_messages.h"

namespace cox {

inline constexpr std::int64_t minute_ms = 60'000;

inline Screen at_noon() {
  return {false, wall_from_ms(1'795'262'400'000), 3600};
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

}  // namespace cox
