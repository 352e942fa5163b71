// Tests a cancel that races with launch, completion, requeue and preemption, in 1000 interleavings.
// A job whose cancellation was confirmed never runs again: it is CANCELLED, or had ended by itself.
// Each seed is one interleaving; a failure names its seed.
#include <gtest/gtest.h>

#include <deque>
#include <random>

#include "tests/controller/bench.h"

namespace cox {
namespace {

constexpr unsigned interleavings = 1'000;
constexpr int steps_max = 60;

// A node with its attempts, and the messages on their way to and from it. Random draws decide which
// message is delivered next.
struct Link {
  std::deque<Message> to_node;
  std::deque<AttemptStatus> from_node;
  std::map<AttemptKey, AttemptStatus> has;
  std::set<AttemptKey> had;
  std::int64_t beat = 0;   // number of its newest heartbeat
  std::int64_t acked = 0;  // number of the newest heartbeat of which it has the acknowledgement
};

class Race : public Bench {
 public:
  explicit Race(unsigned seed) : random_(seed) {
    for (const std::string name : {"n1", "n2"}) {
      node(name, 1);
      links_[name];
    }
    id_ = submit({.nodes = 1 + draw(2), .tasks = 2, .with = [&](JobSpec& spec) {
                    spec.tasks = spec.nodes;
                  }});
  }

  void run() {
    const int cancel_at = draw(steps_max);
    for (int step = 0; step < steps_max; ++step) {
      if (step == cancel_at) cancel();
      do_something();
    }
    resolve_all();
  }

  void check() const {
    const Job& job = this->job(id_).job;
    EXPECT_TRUE(is_final(job.state)) << name(job.state);
    EXPECT_EQ(this->job(id_).attempts.size(), attempts_when_cancelled_) << "it was launched again";
    if (job.state == JobState::Cancelled) return;
    EXPECT_EQ(job.state, JobState::Completed);
    for (const RankStatus& rank : attempt(id_).ranks)
      EXPECT_TRUE(rank.phase == RankPhase::Exited && rank.exit_code == 0 && rank.exit_signal == 0);
  }

  JobState cancelled_as() const { return cancelled_as_; }
  JobState ended_as() const { return job(id_).job.state; }

 private:
  int draw(int below) { return static_cast<int>(random_() % static_cast<unsigned>(below)); }

  void do_something() {
    auto link = std::next(links_.begin(), draw(2));
    switch (draw(10)) {
      case 0:
      case 1:
      case 2: return deliver_one(link->first, link->second);
      case 3:
      case 4:
      case 5: return report_one(link->first, link->second);
      case 6: return end_ranks(link->second);
      case 7: return beat_of(link->first, link->second);
      case 8:
        return draw(4) == 0 ? act(draw(2) == 0 ? JobVerb::Requeue : JobVerb::Preempt) : void();
      default: pass(Milliseconds{200});
    }
    collect();
  }

  // Does the action unless the job has ended: then a user's requeue would rightly make it run
  // again.
  void act(JobVerb verb) {
    if (is_final(job(id_).job.state)) return;
    ask(ActOnJobs{verb, {id_}});
    collect();
  }

  void cancel() {
    cancelled_as_ = job(id_).job.state;
    const auto acted = std::get<Acted>(ask(ActOnJobs{JobVerb::Cancel, {id_}}).body);
    ASSERT_EQ(acted.outcomes.size(), 1u);
    attempts_when_cancelled_ = job(id_).attempts.size();
    collect();
  }

  // Puts the messages that the controller has sent into the queues to the nodes.
  void collect() {
    for (Outgoing& each : std::exchange(sent, {}))
      if (each.peer.starts_with("worker-"))
        links_[each.peer.substr(7)].to_node.push_back(std::move(each.message));
  }

  static void change(Link& link, AttemptStatus& status) {
    status.revision += 1;
    link.from_node.push_back(status);
  }

  void deliver_one(const std::string& name, Link& link) {
    if (link.to_node.empty()) return;
    const Message message = std::move(link.to_node.front());
    link.to_node.pop_front();
    if (const auto* prepare = std::get_if<Prepare>(&message)) {
      prepare_at(name, link, prepare->launch);
    } else if (const auto* go = std::get_if<Go>(&message)) {
      const auto at = link.has.find(go->key);
      if (at != link.has.end() && at->second.phase == NodePhase::Ready) start(link, at->second);
    } else if (const auto* stop = std::get_if<Stop>(&message)) {
      const auto at = link.has.find(stop->key);
      if (at != link.has.end() && at->second.phase != NodePhase::Gone) end(link, at->second, 15);
    } else if (const auto* heard = std::get_if<HeartbeatAck>(&message)) {
      link.acked = heard->number;
    } else if (const auto* ack = std::get_if<StatusAck>(&message)) {
      const auto at = link.has.find(ack->key);
      if (at == link.has.end() || at->second.phase != NodePhase::Gone) return;
      if (ack->revision >= at->second.revision) link.has.erase(at);
    }
  }

  void prepare_at(const std::string& name, Link& link, const LaunchSpec& launch) {
    if (!link.had.insert(launch.key).second) return;
    AttemptStatus& status = link.has[launch.key];
    status.key = launch.key;
    if (draw(10) == 0) {  // the job is PENDING then, and waits for the next try
      status.phase = NodePhase::Gone;
      status.refused = "its spool folder is full";
      return change(link, status);
    }
    status.phase = NodePhase::Ready;
    status.master_port = 4000;
    for (const PlacedNode& placed : launch.nodes)
      for (std::int32_t k = 0; placed.grant.node == name && k < placed.grant.ranks; ++k)
        status.ranks.push_back({placed.grant.first_rank + k, RankPhase::Waiting, 0, 0, {}, {}, {}});
    change(link, status);
    if (starts_without_go(launch.nodes.size())) start(link, status);
  }

  void start(Link& link, AttemptStatus& status) {
    status.phase = NodePhase::Running;
    for (RankStatus& rank : status.ranks) {
      rank.phase = RankPhase::Running;
      rank.started = now.wall;
    }
    change(link, status);
  }

  // Ends the running ranks of the attempt, by this signal or, if it is 0, with exit code 0.
  void end(Link& link, AttemptStatus& status, int signal) {
    for (RankStatus& rank : status.ranks) {
      if (rank.phase != RankPhase::Running) continue;
      rank.phase = RankPhase::Exited;
      rank.exit_signal = signal;
      rank.ended = now.wall;
    }
    if (signal != 0) status.phase = NodePhase::Gone;
    change(link, status);
  }

  // Ends all running ranks on the node with exit code 0.
  void end_ranks(Link& link) {
    for (auto& [key, status] : link.has)
      if (status.phase == NodePhase::Running) end(link, status, 0);
  }

  void report_one(const std::string& name, Link& link) {
    if (link.from_node.empty()) return;
    deliver(name, StatusReport{name, link.from_node.front(), session[name], ++numbers[name]});
    if (draw(4) != 0) link.from_node.pop_front();  // in one of four cases the report is sent again
  }

  void beat_of(const std::string& name, Link& link) {
    std::vector<Heartbeat::Entry> entries;
    for (const auto& [key, status] : link.has)
      entries.push_back({key, status.revision, status.phase, 0, 0});
    Heartbeat beat{name, session[name], ++numbers[name], std::move(entries)};
    beat.confirmed = link.acked == link.beat ? link.acked : 0;
    link.beat = beat.number;
    deliver(name, beat);
  }

  // Delivers all messages. Also repeats those that controller and workers repeat until they are
  // acknowledged.
  void resolve_all() {
    for (int round = 0; round < 30; ++round) {
      for (auto& [name, link] : links_) {
        while (!link.to_node.empty()) deliver_one(name, link);
        while (!link.from_node.empty()) report_one(name, link);
        for (const auto& [key, status] : link.has) link.from_node.push_back(status);
        beat_of(name, link);
      }
      pass(Milliseconds{1'000});
      collect();
    }
  }

  std::mt19937 random_;
  std::map<std::string, Link> links_;
  JobId id_;
  JobState cancelled_as_ = JobState::Pending;
  std::size_t attempts_when_cancelled_ = 0;
};

TEST(CancelRaces, F24ACancelledJobNeverRunsAgain) {
  std::map<JobState, int> cancelled_as;
  std::map<JobState, int> ended_as;
  for (unsigned seed = 1; seed <= interleavings && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Race race(seed);
    race.run();
    race.check();
    ++cancelled_as[race.cancelled_as()];
    ++ended_as[race.ended_as()];
  }
  for (const JobState state : {JobState::Pending, JobState::Configuring, JobState::Running,
                               JobState::Signaling, JobState::Completing, JobState::Completed})
    EXPECT_GT(cancelled_as[state], 0) << "none was cancelled when it was " << name(state);
  EXPECT_GT(ended_as[JobState::Cancelled], 0);
  EXPECT_GT(ended_as[JobState::Completed], 0);
}

}  // namespace
}  // namespace cox
