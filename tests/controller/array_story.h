// A bench (a controller on the store in memory, see bench.h) with shorthands for the tests of job
// arrays.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "common/job/job_ref.h"
#include "tests/controller/bench.h"

namespace cox {

class JobArrays : public testing::Test, public Bench {
 protected:
  JobId array(const std::string& tasks, const std::function<void(JobSpec&)>& with = {},
              const std::string& qos = "standard") {
    return submit({.qos = qos, .with = [&](JobSpec& s) {
                     s.array = tasks;
                     if (with) with(s);
                   }});
  }
  JobId task(JobId array, std::int64_t number) {
    return controller->cluster().jobs().arrays().row_of(array, number).value_or(JobId{});
  }
  std::string state_of(JobId array, std::int64_t number) { return state(task(array, number)); }

  // Returns the rows of the array with their states, such as "1_[2-4] PENDING 1_0 RUNNING".
  std::string rows(JobId array) {
    std::string text;
    for (const JobId id : controller->cluster().jobs().arrays().rows(array))
      text += (text.empty() ? "" : " ") + shown_id(job(id).job) + " " + state(id);
    return text;
  }
  void end(JobId id, int code = 0) {
    ready(id);
    finish(id, code);
  }
  void end_task(JobId array, std::int64_t number, int code = 0) { end(task(array, number), code); }

  std::string act(JobVerb verb, JobId id, const std::string& tasks = "") {
    const auto acted = std::get<Acted>(ask(ActOnJobs{verb, {id}, {tasks}}).body);
    const auto& outcome = acted.outcomes.at(0);
    return outcome.what + ": " +
           (outcome.refused ? "refused: " + outcome.refused->fact : outcome.done);
  }
  std::string update(JobId id, const std::string& name, const std::string& value) {
    const auto acted = std::get<Acted>(ask(UpdateJobs{{id}, {}, {name}, {value}}).body);
    const auto& outcome = acted.outcomes.at(0);
    return outcome.refused ? outcome.refused->fact : outcome.done;
  }
  JobDetail detail(JobId id, std::int64_t number = -1) {
    return std::get<JobDetail>(ask(ShowJob{id, number}).body);
  }
  std::string refused(const Ask& what) {
    SubmitJob s;
    s.spec.command = {"train"};
    s.spec.work_dir = "/home/u";
    s.spec.nodes = s.spec.tasks = 1;
    if (what.with) what.with(s.spec);
    return refusal_of(ask(s));
  }
  std::int64_t running(JobId array) {
    std::int64_t count = 0;
    for (const JobId id : controller->cluster().jobs().arrays().unfinished(array))
      count += is_live(job(id).job.state) ? 1 : 0;
    return count;
  }
};

}  // namespace cox
