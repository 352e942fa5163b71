// The network between the programs: every message goes through the codec, and is lost, doubled,
// delayed and overtaken as the faults have it. A node can be cut off, in one direction or both.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "common/messages.h"
#include "tests/sim/scene.h"

namespace cox::sim {

class Network {
 public:
  using Deliver = std::function<void(const std::string& from, const std::string& to, Message,
                                     Milliseconds sent)>;

  Network(Scene& scene, Deliver deliver) : scene_(scene), deliver_(std::move(deliver)) {}

  // Ends are "controller", "client-USER" and "worker-NODE#SESSION".
  void send(const std::string& from, const std::string& to, const Message& message);
  void cut(const std::string& node, bool from_node, bool to_node, Milliseconds time);
  void heal() { cuts_.clear(); }

 private:
  struct Cut {
    bool from_node;
    bool to_node;
    Milliseconds until;
  };

  Milliseconds cut_until(const std::string& from, const std::string& to) const;
  void carry(const std::string& from, const std::string& to, const std::string& frame,
             Milliseconds delay);

  Scene& scene_;
  Deliver deliver_;
  std::map<std::string, Cut> cuts_;
};

// "n1" of "worker-n1#7"; empty for the others.
std::string node_of_end(const std::string& end);

}  // namespace cox::sim
