// The users: they submit jobs, some with dependencies, install a crontab, cancel, preempt, requeue,
// hold and release jobs, drain and resume nodes, and repeat every request without a reply. They
// also send the requests of administrators.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "tests/sim/administration.h"
#include "tests/sim/leader_connection.h"
#include "tests/sim/machine.h"
#include "tests/sim/network.h"

namespace cox::sim {

class Clients {
 public:
  Clients(Scene& scene, Judge& judge, Shared& shared, Network& network,
          Administration& administration, std::vector<std::string> nodes, std::size_t controllers)
      : scene_(scene),
        judge_(judge),
        shared_(shared),
        network_(network),
        administration_(administration),
        nodes_(std::move(nodes)),
        controllers_(controllers) {}

  // Plans `jobs` submissions at random times up to `until`. Leaving out the jobs in `without` does
  // not change the other jobs.
  void plan_submissions(std::int64_t jobs, const std::set<std::int64_t>& without,
                        Milliseconds until);
  // In half of all runs, installs a crontab at a random time up to `until`.
  void plan_crontab(Milliseconds until);
  void meddle();       // sends a random request of a user or an administrator
  void lift_limits();  // sends requests that lift each limit that could keep a job PENDING
  // Resumes every node, releases every job, cancels jobs that can never start or progress, removes
  // the crontab.
  void release_all();
  void receive(const std::string& from, const Message& message);
  void forget_lost_jobs();  // forgets the jobs that a restored database lacks

  bool all_answered() const { return accepted_.size() + refused_ + lost_ == planned_; }

 private:
  struct Open {  // a request without a reply yet
    Request request;
    std::string user;
    std::unique_ptr<LeaderConnection> connection;
  };

  void submit(std::int64_t index, Random random);
  void install_crontab(Random random);
  void send_request(decltype(Request::body) body, const std::string& user = "sim");
  void send_until_answered(std::int64_t number);
  void handle_reply(const Reply& reply);
  void handle_refusal(std::int64_t number, const Refused& refused);
  void send_as_new_request(std::int64_t number);
  void meddle_with_nodes();
  void meddle_with_array(const Job& job, JobVerb verb);
  JobSpec random_spec(std::int64_t index, const std::string& user, Random& random);
  void depend_on_others(JobSpec& spec, Random& random);
  std::string some_dependency(JobSpec& spec, Random& random);
  Behaviour random_behaviour(Random& random);
  static void be_able_to_end(JobSpec& spec, Behaviour& behaviour, Random& random);
  void vary_end(JobSpec& spec, Behaviour& behaviour, Random& random);
  static void get_nowhere(JobSpec& spec, Behaviour& behaviour);
  void begin_from_another(JobSpec& spec, Random& random);

  Scene& scene_;
  Judge& judge_;
  Shared& shared_;
  Network& network_;
  Administration& administration_;
  std::vector<std::string> nodes_;
  std::size_t controllers_;
  bool depend_ = false;  // whether jobs of this run depend on others
  std::size_t planned_ = 0;
  std::size_t refused_ = 0;
  std::size_t lost_ = 0;
  std::int64_t next_number_ = 1;
  std::map<std::int64_t, Open> open_;
  std::map<std::string, JobId> accepted_;  // by request id
  std::string crontab_of_;                 // the user with a crontab; empty: none
};

}  // namespace cox::sim
