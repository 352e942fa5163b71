// A cluster of two nodes with a batch job, for tests of srun's steps in the controller.
#pragma once
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/controller/bench.h"

namespace cox {

class StepsStory : public testing::Test, public Bench {
 protected:
  // Submits a batch job with two CPUs on each of n1 and n2, and starts it.
  JobId batch_on_two(SignalRequest signal = {}) {
    node("n1", 2);
    node("n2", 2);
    const JobId id = submit({.nodes = 2, .tasks = 4, .with = [&](JobSpec& spec) {
                               spec.form = JobForm::Batch;
                               spec.tasks_per_node = 2;
                               spec.signal = signal;
                             }});
    ready(id);
    for (const char* name : {"n1", "n2"}) status(name, status_of(id, NodePhase::Running));
    return id;
  }
  CreateStep srun(JobId id, std::int64_t tasks, const std::string& request_id) {
    CreateStep ask;
    ask.request_id = request_id;
    ask.job = id;
    ask.spec.name = "train";
    ask.spec.tasks = tasks;
    ask.streams.endpoint = "ipc:///tmp/" + request_id;
    return ask;
  }
  Step created(const CreateStep& ask) {
    const Reply reply = this->ask(ask);
    const auto* shown = std::get_if<StepShown>(&reply.body);
    EXPECT_NE(shown, nullptr) << refusal_of(reply);
    return shown == nullptr ? Step{} : shown->view.step;
  }
  void reports(JobId id, const std::string& node, std::vector<StepStatus> steps) {
    AttemptStatus s = status_of(id, NodePhase::Running);
    s.steps = std::move(steps);
    status(node, s);
  }
  static StepStatus at(std::int32_t number, StepPhase phase, std::int32_t exit_code = 0) {
    StepStatus step;
    step.number = number;
    step.phase = phase;
    step.exit_code = exit_code;
    return step;
  }
  // After a restart of the controller, sends it the hello of a node, which still runs the job.
  void hello_of(JobId id, const std::string& name) {
    WorkerHello hello;
    hello.node = *controller->cluster().node(name);
    hello.session = session[name] = "after the restart";
    hello.number = ++numbers[name];
    hello.attempts = {status_of(id, NodePhase::Running)};
    deliver(name, hello);
  }
  void hellos(JobId id) {
    for (const char* name : {"n1", "n2"}) hello_of(id, name);
  }
  Step step(JobId id, std::int32_t number) { return *job(id).step(number); }
  std::string step_state(JobId id, std::int32_t number) {
    return std::string(name(step(id, number).state));
  }
  Step stored(JobId id, std::int32_t number) {
    return database->tables.steps.at({attempt(id).key, number});
  }
};

}  // namespace cox
