#include "controller/state/time_of_day.h"

#include <chrono>

namespace cox {
namespace {

bool is_far(Milliseconds off) {
  return off > TimeOfDay::off_max || off < -TimeOfDay::off_max;
}

std::string hours_text(Milliseconds off) {
  return std::to_string(std::chrono::abs(off) / std::chrono::hours{1}) + " h";
}

}  // namespace

void TimeOfDay::note(Now now) {
  const Milliseconds apart{to_ms(now.wall) - to_ms(now.boot)};
  if (!first_) first_ = apart;
  step_ = apart - *first_;
}

void TimeOfDay::note_database(Wall theirs, Now ours) {
  off_database_ = theirs - ours.wall;
}

std::string TimeOfDay::doubt() const {
  if (is_far(step_))
    return std::string("has stepped ") + (step_ > Milliseconds{0} ? "forward" : "back") + " by " +
           hours_text(step_) + " since this controller was started";
  if (is_far(off_database_))
    return "is " + hours_text(off_database_) +
           (off_database_ > Milliseconds{0} ? " behind" : " ahead of") +
           " the clock of the database's server";
  return "";
}

}  // namespace cox
