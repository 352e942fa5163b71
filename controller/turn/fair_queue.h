// What has arrived and waits for a turn, by who sent it: users (nodes, roles) take turns, and
// within one user its connections. So whoever sends much waits behind himself, and nobody behind
// him. What takes the controller longer counts for more (work_of); of one connection the order
// stays.
//
// Bounded for each connection and in all (limits.h): the caller refuses what has no room. Of the
// controller's thread alone; pure.
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

// About how long an event takes, beside the others: 1 is a job submitted, or a word of a worker.
std::int64_t work_of(const Event& event);

class FairQueue {
 public:
  bool has_room(const PeerMessage& said) const;
  // Also without room: for what was taken in once already.
  void put(Event event);
  // Up to so many events, and no more once so much work is taken; one at least, if there is any.
  std::vector<Event> take(std::size_t events_max, std::int64_t work_max);

  // Takes all events that `is_meant` accepts. The events of one connection keep their order.
  std::vector<Event> take_if(const std::function<bool(const Event&)>& is_meant);

  std::size_t size() const { return events_; }
  std::size_t bytes() const { return bytes_; }
  bool empty() const { return events_ == 0; }
  // Of the connection that said it.
  std::size_t waiting_of(const PeerMessage& said) const;

 private:
  // Whoever has had the least comes next; of equals, who has waited longest.
  using Turn = std::tuple<std::int64_t, std::int64_t, std::string>;

  // A connection. What it has had is counted only while something of it waits.
  struct Line {
    std::int64_t had = 0;
    std::int64_t since = 0;
    std::deque<Event> events;
  };
  struct User {
    std::int64_t had = 0;
    std::int64_t since = 0;
    std::map<PeerName, Line> lines;
    std::set<Turn> turns;
    std::int64_t served = 0;  // what the line that came last had had
  };

  Event take_one(std::int64_t& work);
  void take_from(Line& line, const std::function<bool(const Event&)>& is_meant,
                 std::vector<Event>& taken);

  std::map<std::string, User> users_;
  std::set<Turn> turns_;
  std::int64_t served_ = 0;
  std::int64_t count_ = 0;
  std::size_t events_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace cox
