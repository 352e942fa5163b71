// The events that wait for a turn. Each user, node and SQL role has a queue, and the queues are
// served in turn; within a queue the connections of that user are served in turn. So a flood of
// requests delays only its sender. An event that takes longer counts for more (work_of). The events
// of one connection keep their order.
//
// The number of queued events is limited for each connection and in total (limits.h). The caller
// checks has_room() and refuses events beyond that. Used only by the controller's thread; pure.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "controller/change/event.h"

namespace cox {

// Returns about how long an event takes to handle. One submitted job or one message of a worker is
// 1.
std::int64_t work_of(const Event& event);

class FairQueue {
 public:
  bool has_room(const PeerMessage& incoming) const;
  // Adds the event, even if has_room() is false: a request that was accepted before may come back.
  void put(Event event);
  // Takes at most `events_max` events. Stops when the events taken have reached `work_max` units of
  // work, but takes at least one event if there is any.
  std::vector<Event> take(std::size_t events_max, std::int64_t work_max);

  // Takes all events that `accepts` accepts. The events of one connection keep their order.
  std::vector<Event> take_if(const std::function<bool(const Event&)>& accepts);

  std::size_t size() const { return events_; }
  std::size_t bytes() const { return bytes_; }
  bool empty() const { return events_ == 0; }
  // Returns the number of queued events of the connection that sent the message.
  std::size_t waiting_of(const PeerMessage& incoming) const;

 private:
  // Key of the order in which queues are served: (`had`, `since`, name). The queue with the least
  // work served comes first; of equal ones the one that has waited longest; then by name.
  using Turn = std::tuple<std::int64_t, std::int64_t, std::string>;

  // The queue of a connection. `had`: units of work served, forgotten when the queue becomes empty.
  // `since`: when it was last served or filled, as a running number.
  struct ConnectionQueue {
    std::int64_t had = 0;
    std::int64_t since = 0;
    std::deque<Event> events;
  };
  struct User {
    std::int64_t had = 0;
    std::int64_t since = 0;
    std::map<PeerName, ConnectionQueue> queues;
    std::set<Turn> turns;
    // The work served (`had`) at which a new connection of this user begins: what the connection
    // that was served last had before that.
    std::int64_t served = 0;
  };

  Event take_one(std::int64_t& work);
  void take_from(ConnectionQueue& queue, const std::function<bool(const Event&)>& accepts,
                 std::vector<Event>& taken);

  std::map<std::string, User> users_;
  std::set<Turn> turns_;
  std::int64_t served_ = 0;
  std::int64_t count_ = 0;
  std::size_t events_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace cox
