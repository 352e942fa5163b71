#include "controller/turn/pass_schedule.h"

#include <utility>

namespace cox {
namespace {

constexpr Milliseconds pass_interval{30'000};  // at the latest; Slurm's sched_interval

}  // namespace

void PassSchedule::ask_by_time(Boot now) {
  if (now - last_ < pass_interval && now < next_change_) return;
  due_ = true;
  next_change_ = Boot::max();
}

bool PassSchedule::begin_part(Boot now) {
  if (amid_) return false;
  due_ = false;
  last_ = now;
  return true;
}

void PassSchedule::end_part(bool is_last, std::optional<Boot> next_change) {
  amid_ = !is_last;
  ran_ = true;
  if (is_last) next_change_ = next_change.value_or(Boot::max());
}

void PassSchedule::restart(bool due) {
  due_ = due;
  amid_ = false;
}

std::optional<Microseconds> PassSchedule::note_turn(Microseconds took) {
  if (!std::exchange(ran_, false)) return std::nullopt;
  took_ += took;
  if (amid_) return std::nullopt;
  return std::exchange(took_, Microseconds{0});
}

}  // namespace cox
