// The network between the programs. Every message goes through the codec; the faults lose,
// duplicate, delay and reorder messages. Places (nodes, hosts of controllers, and one place for all
// clients) can be cut off from others, each direction by itself, so a partition can have any shape.
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

  // Sends a message from one end of a connection to the other. Ends are "controller-NUMBER",
  // "client-USER" and "worker-NODE#SESSION".
  void send(const std::string& from, const std::string& to, const Message& message);
  // For `time`, loses most messages from the places in `from` to those in `to`; the rest arrive
  // when that time is over.
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
  // By sender and receiver: when the newest message arrives. Later ones arrive no earlier.
  std::map<std::pair<std::string, std::string>, Milliseconds> arrives_;
};

inline const std::string people_place = "people";  // the one place of all clients

// Returns the place of an end: "n1" of "worker-n1#7", people_place of "client-ada".
std::string place_of(const std::string& end);

}  // namespace cox::sim
