// A connection that follows the leader among several controllers, in virtual time: the real
// LeaderFollower.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "common/base/backoff.h"
#include "common/messages/leader_follower.h"
#include "tests/sim/network.h"

namespace cox::sim {

std::string controller_end(std::size_t index);  // "controller-1" is the first

class Line {
 public:
  // end: of the one who speaks.
  Line(Scene& scene, Network& network, std::string end, std::size_t controllers)
      : scene_(scene),
        network_(network),
        end_(std::move(end)),
        follower_(controllers, seed_from(end_) ^ scene.setting.seed) {}

  void say(const std::vector<Message>& messages);
  // What counts of it.
  std::vector<Message> take(const std::string& from, const Message& message);

 private:
  void send(std::size_t index, const std::vector<Message>& messages);
  void carry_out();
  void run_timer();

  Scene& scene_;
  Network& network_;
  std::string end_;
  LeaderFollower follower_;
  Milliseconds pause_{0};
  std::shared_ptr<char> timer_;  // another one: that one is void
};

}  // namespace cox::sim
