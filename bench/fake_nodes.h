// Many workers that run nothing, on one connection. Each sends hellos and heartbeats, and answers
// at once: a Prepare with "ready", a Go with "all ranks exited with 0" (or with "all ranks run",
// which then never end). All that the controller does for them is real. The scenarios use them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "common/cluster/config.h"
#include "common/io/link.h"

namespace cox::bench {

class FakeNodes {
 public:
  enum class Jobs { EndAtOnce, RunForGood };

  FakeNodes(const ClientConfig& config, int nodes, std::int64_t cpus, Jobs jobs = Jobs::EndAtOnce);

  // Sends the hellos, and waits until the controller has welcomed all nodes.
  void join();
  // Sends heartbeats that are due, waits at most `wait` for messages, and answers them.
  void turn(Milliseconds wait);
  // Number of attempts whose end the controller has acknowledged.
  std::int64_t ended() const { return ended_; }
  // Returns the jobs that started since the last call.
  std::vector<std::int64_t> take_started() { return std::exchange(started_, {}); }

 private:
  struct FakeNode {
    std::string name;
    std::int64_t number = 0;
    Term term_sent;
    bool welcome = false;
    std::unordered_map<std::int64_t, AttemptStatus> attempts;  // by job
  };
  std::string session_of(const FakeNode& node) const;
  void hello(FakeNode& node);
  void beat(FakeNode& node);
  void report(FakeNode& node, const AttemptStatus& status);
  void on(const Message& message);
  void prepare(const LaunchSpec& launch);
  void go(const Go& order);

  std::unique_ptr<Poller> poller_;
  std::unique_ptr<Connection> connection_;
  std::vector<FakeNode> nodes_;
  std::unordered_map<std::string, std::size_t> by_session_;
  std::unordered_map<std::string, std::size_t> by_name_;
  std::unordered_map<std::int64_t, std::vector<std::size_t>> nodes_of_job_;
  std::vector<Message> outgoing_;
  std::string run_;
  Term term_;
  std::int64_t cpus_;
  Jobs jobs_;
  std::vector<std::int64_t> started_;
  std::int64_t heartbeat_ns_ = 2'000'000'000;
  std::int64_t next_beat_ns_ = 0;
  std::size_t beat_at_ = 0;
  std::size_t welcomed_ = 0;
  std::int64_t ended_ = 0;
};

}  // namespace cox::bench
