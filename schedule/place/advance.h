// Advance reservations by node position: which nodes are closed to which jobs, and when. A job
// without a reservation must not be on the nodes of one while it lasts. So a long job does not
// start on these nodes shortly before the reservation begins. A job in a reservation runs only on
// its nodes, and must end before the reservation does (unless it is FLEX).
//
// The engine keeps one object of this class beside its nodes. The set of closed nodes depends only
// on which reservations close them, not on the time. So there are few different sets: each is one
// object, and ResolvedRequests are looked up by its address.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "schedule/model/nodes.h"
#include "schedule/model/room.h"
#include "schedule/model/scheduler_input.h"

namespace cox::schedule {

struct ResolvedRequest;

// Nodes that certain jobs may not use for a time.
struct Closed {
  std::vector<bool> nodes;  // by position
  // the reservations that close nodes, without the job's own
  std::vector<const AdvanceReservation*> by;
  const AdvanceReservation* inside = nullptr;  // the job may use only the nodes of this reservation
  bool entirely = false;  // all nodes are closed: the job's reservation is not open

  bool has(NodeAt at) const { return nodes[static_cast<std::size_t>(at)]; }
};

class AdvanceReservations {
 public:
  // REQUIRES: `nodes` outlives this.
  AdvanceReservations(const Nodes& nodes, std::vector<AdvanceReservation> all);

  bool empty() const { return all_.empty(); }
  const std::vector<AdvanceReservation>& all() const { return all_; }
  const AdvanceReservation* find(const std::string& name) const;

  // Returns what is closed to a job of reservation `in` (empty: of none) that starts at `from` and
  // runs for `lasts` (empty: without end). Null: nothing is closed.
  const Closed* closed(const std::string& in, Boot from, std::optional<Milliseconds> lasts);
  // Returns what would be closed to a job of reservation `in` if that were open and there were no
  // other reservation. Null: nothing is closed.
  const Closed* always_closed(const std::string& in);
  // Returns the first time after `at` at which closed() may return something else for a job that
  // starts then. Empty: none is known.
  std::optional<Boot> change_after(const std::string& in, Boot at,
                                   std::optional<Milliseconds> lasts) const;
  // Returns whether closed() contains any node of `shares`.
  bool bars(const GangParts& shares, const std::string& in, Boot from,
            std::optional<Milliseconds> lasts);
  // Returns the next begin or end of a reservation after this time.
  std::optional<Boot> next_edge(Boot after) const;

 private:
  using Position = std::size_t;
  static constexpr Position none = static_cast<Position>(-1);
  // The position of the job's own reservation, whether all nodes are closed, and for each
  // reservation whether it closes nodes.
  using Key = std::tuple<Position, bool, std::vector<bool>>;

  Position position_of(const std::string& name) const;
  bool has(Position reservation, NodeAt at) const {
    return nodes_of_[reservation][static_cast<std::size_t>(at)];
  }
  const Closed* of(const Key& key);

  const Nodes& nodes_;
  std::vector<AdvanceReservation> all_;
  // by reservation, then by node: whether the reservation has the node
  std::vector<std::vector<bool>> nodes_of_;
  std::map<Key, std::unique_ptr<Closed>> known_;
};

// A span of time in which the same nodes are closed to a job that starts then, and the job's
// request resolved to the other nodes.
struct Stretch {
  Boot from;
  std::optional<Boot> until;
  const ResolvedRequest* need = nullptr;
};

// The longest time that a preempted or moved job may need to end. If a reservation begins within
// this time, the room would come too late for the preemptor.
inline constexpr Milliseconds preemption_time_max{600'000};

// Returns how long the job would run if it restarted: its whole time limit; for a suspended job
// what is left of it. Empty: without end.
std::optional<Milliseconds> lasts_anew(const RunningJob& job);

}  // namespace cox::schedule
