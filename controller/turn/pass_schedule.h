// When scheduling passes run, and how long they take. A pass may take several turns; each runs a
// part of it. Used only by Controller. Pure.
#pragma once

#include <optional>

#include "common/base/time.h"
#include "controller/change/turn_statistics.h"

namespace cox {

class PassSchedule {
 public:
  // Requests a pass, after a change that may affect its decisions.
  void ask() { due_ = true; }
  // Requests a pass if the passage of time may have changed its decisions, since waiting changes
  // the priority order.
  void ask_by_time(Boot now);
  // Returns whether the turn must run a part of a pass.
  bool is_wanted() const { return due_ || amid_; }

  // Records that a part of a pass begins. Returns whether it is the first part.
  bool begin_part(Boot now);
  // Records that a part of a pass has ended. `next_change`: when the decisions of a pass would next
  // change even if nothing else does.
  void end_part(bool is_last, std::optional<Boot> next_change);
  // Called after a load: drops a pass of which parts are left. `due`: also requests a new pass.
  void restart(bool due);

  // Records the duration of a turn. If a pass ended in this turn, returns the duration of all turns
  // of the pass.
  std::optional<Microseconds> note_turn(Microseconds took);

 private:
  bool due_ = false;
  bool amid_ = false;  // a pass has begun, and parts of it are left for later turns
  bool ran_ = false;   // a part of a pass has run since the last note_turn()
  Microseconds took_{0};
  Boot last_{};  // when the newest pass began
  Boot next_change_ = Boot::max();
};

}  // namespace cox
