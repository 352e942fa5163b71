// The people: they submit jobs, cancel, preempt, requeue, hold and release them, drain and resume
// nodes, and ask again whatever was not answered.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tests/sim/machine.h"
#include "tests/sim/network.h"

namespace cox::sim {

class Clients {
 public:
  Clients(Scene& scene, Judge& judge, Shared& shared, Network& network,
          std::vector<std::string> nodes)
      : scene_(scene),
        judge_(judge),
        shared_(shared),
        network_(network),
        nodes_(std::move(nodes)) {}

  void plan_submissions(std::int64_t jobs, Milliseconds until);
  void meddle();       // does something to some job or node
  void release_all();  // resumes every node and releases every job
  void hear(const Message& message);

  bool all_answered() const { return accepted_.size() + refused_ == planned_; }

 private:
  void submit(std::int64_t index);
  void ask(decltype(Request::body) body);
  void send_until_answered(std::int64_t number);
  JobSpec random_spec(std::int64_t index);
  Behaviour random_behaviour();
  void be_able_to_end(JobSpec& spec, Behaviour& behaviour);

  Scene& scene_;
  Judge& judge_;
  Shared& shared_;
  Network& network_;
  std::vector<std::string> nodes_;
  std::size_t planned_ = 0;
  std::size_t refused_ = 0;
  std::int64_t next_number_ = 1;
  std::map<std::int64_t, Request> open_;
  std::map<std::string, JobId> accepted_;  // by request id
};

}  // namespace cox::sim
