// Advance reservations, in positions of nodes: which of them are closed to whom, and when. A job
// that is in no reservation may not be on the nodes of one while it lasts, so a long one stays off
// them some time before it begins. One that is in a reservation has its nodes alone, and must be
// over when it ends.
//
// Kept by the engine beside its nodes. Few different sets of nodes are ever closed (which
// reservations close them decides, not the time), so that each is one in memory, and needs are
// known by its address.
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

// Nodes that somebody may not use for a time.
struct Closed {
  std::vector<bool> nodes;                     // by position
  std::vector<const AdvanceReservation*> by;   // the others that close some
  const AdvanceReservation* inside = nullptr;  // it has the nodes of this one alone
  bool entirely = false;                       // all of them: its reservation is not open for it

  bool has(NodeAt at) const { return nodes[static_cast<std::size_t>(at)]; }
};

class AdvanceReservations {
 public:
  // REQUIRES: nodes outlives this.
  AdvanceReservations(const Nodes& nodes, std::vector<AdvanceReservation> all);

  bool empty() const { return all_.empty(); }
  const std::vector<AdvanceReservation>& all() const { return all_; }
  const AdvanceReservation* find(const std::string& name) const;

  // For who is in this reservation (empty: in none) and stays for so long. Null: nothing is.
  // `lasts`: empty: for good.
  const Closed* closed(const std::string& in, Boot from, std::optional<Milliseconds> lasts);
  // What is closed to it at any time: without others, and while its own is open.
  const Closed* always_closed(const std::string& in);
  // The first moment after this from which something else may be closed to it.
  std::optional<Boot> change_after(const std::string& in, Boot at,
                                   std::optional<Milliseconds> lasts) const;
  // Whether some of these nodes are.
  bool bars(const GangParts& shares, const std::string& in, Boot from,
            std::optional<Milliseconds> lasts);
  // The next begin or end after this.
  std::optional<Boot> next_edge(Boot after) const;

 private:
  using Position = std::size_t;
  static constexpr Position none = static_cast<Position>(-1);
  // Own reservation, whether all is closed, which others close.
  using Key = std::tuple<Position, bool, std::vector<bool>>;

  Position position_of(const std::string& name) const;
  bool has(Position reservation, NodeAt at) const {
    return nodes_of_[reservation][static_cast<std::size_t>(at)];
  }
  const Closed* of(const Key& key);

  const Nodes& nodes_;
  std::vector<AdvanceReservation> all_;
  std::vector<std::vector<bool>> nodes_of_;  // by reservation and position
  std::map<Key, std::unique_ptr<Closed>> known_;
};

// A time during which the same is closed to a job that would start then.
struct Stretch {
  Boot from;
  std::optional<Boot> until;
  const ResolvedRequest* need = nullptr;
};

// How long one that gives way or is moved may take to be gone: who waits for its room would come
// too late if a reservation began in that time.
inline constexpr Milliseconds giving_way_max{600'000};

// Once it has started anew, with all of its time limit; empty: for good.
std::optional<Milliseconds> lasts_anew(const RunningJob& job);

}  // namespace cox::schedule
