// Whether the time of day can be believed when something is deleted for its age: one wrong step
// would make everything old at once. It is compared with the boot clock, which does not step, and
// with the clock of the database's server. Part of SoftState. Pure.
#pragma once

#include <optional>
#include <string>

#include "common/base/time.h"

namespace cox {

class TimeOfDay {
 public:
  // A clock that is farther off than this is in doubt.
  static constexpr Milliseconds off_max{3'600'000};

  // The first call in a process shows how the two clocks belong together. A step after that is in
  // doubt until it is undone, or the controller is started anew.
  void note(Now now);
  void note_database(Wall theirs, Now ours);
  // Returns why nothing may be deleted for its age: "has stepped forward by 26280 h since this
  // controller was started"; empty: there is no doubt.
  std::string doubt() const;

 private:
  std::optional<Milliseconds> first_;  // time of day minus boot clock, at the first note()
  Milliseconds step_{};                // of the time of day since then
  Milliseconds off_database_{};        // the database's clock minus ours
};

}  // namespace cox
