// The network between the programs: every message goes through the codec, and is lost, doubled,
// delayed and overtaken as the faults have it. Places can be cut off from others, each direction by
// itself: so a partition has any shape.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "common/messages/messages.h"
#include "tests/sim/scene.h"

namespace cox::sim {

using Places = std::set<std::string>;

class Network {
 public:
  using Deliver = std::function<void(const std::string& from, const std::string& to, Message,
                                     Milliseconds sent)>;

  Network(Scene& scene, Deliver deliver) : scene_(scene), deliver_(std::move(deliver)) {}

  // Ends are "controller-NUMBER", "client-USER" and "worker-NODE#SESSION".
  void send(const std::string& from, const std::string& to, const Message& message);
  // Nothing of what one of these says reaches one of those.
  void cut(Fault fault, const Places& from, const Places& to, Milliseconds time);
  void heal() { cuts_.clear(); }

 private:
  struct Cut {
    Fault fault;
    Places from;
    Places to;
    Milliseconds until;
  };

  const Cut* cut_between(const std::string& from, const std::string& to);
  void carry(const std::string& from, const std::string& to, const std::string& frame,
             Milliseconds delay);

  Scene& scene_;
  Deliver deliver_;
  std::vector<Cut> cuts_;
  // When what was said last arrives: a connection keeps the order.
  std::map<std::pair<std::string, std::string>, Milliseconds> arrives_;
};

inline const std::string people_place = "people";  // where all clients are

// Where an end is: "n1" of "worker-n1#7", people_place of "client-ada".
std::string place_of(const std::string& end);

}  // namespace cox::sim
