// A connection in virtual time that follows the leader among several controllers. It uses the real
// LeaderFollower.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "common/base/backoff.h"
#include "common/messages/leader_follower.h"
#include "tests/sim/network.h"

namespace cox::sim {

std::string controller_end(std::size_t index);  // returns "controller-1" for index 0

class LeaderConnection {
 public:
  // end: the name of the sender's side of the connection, such as "client-ada".
  LeaderConnection(Scene& scene, Network& network, std::string end, std::size_t controllers)
      : scene_(scene),
        network_(network),
        end_(std::move(end)),
        follower_(controllers, seed_from(end_) ^ scene.setting.seed) {}

  void send_to_leader(const std::vector<Message>& messages);
  // Passes a received message to the LeaderFollower. Returns the messages that the sender gets.
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
  std::shared_ptr<char> timer_;  // replacing it cancels the former timer
};

}  // namespace cox::sim
