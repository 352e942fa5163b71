// The clocks of one machine: a boot clock that drifts within a bound, and a time of day that jumps.
#pragma once

#include "tests/sim/scene.h"

namespace cox::sim {

// The largest drift of a boot clock from true time, in parts per million. After a node falls silent
// the controller waits lease_margin longer than the node's supervisor needs to stop the ranks.
// During that wait the clocks of the two must drift apart by less than lease_margin (short_times).
inline constexpr std::int64_t drift_max_ppm = 15'000;

class Clock {
 public:
  Clock(Scene& scene, Boot begin) : scene_(scene), begin_(begin) {
    if (scene.faults.in_use(Fault::BootClocksDrift))
      drift_ppm_ = scene.faults.dice(Fault::BootClocksDrift).between(-drift_max_ppm, drift_max_ppm);
  }

  Now now() const { return {boot(), scene_.wall() + off_}; }
  // Returns the true time left until the boot clock shows `at`.
  Milliseconds until(Boot at) const {
    const std::int64_t left = (at - boot()).count();
    return Milliseconds{left <= 0 ? 0 : left * million / (million + drift_ppm_) + 1};
  }
  void reboot(Boot begin) {
    begin_ = begin;
    booted_ = scene_.agenda.now();
  }
  void set_wall_off_by(Milliseconds off) { off_ = off; }
  void drift_by(std::int64_t ppm) { drift_ppm_ = ppm; }

 private:
  static constexpr std::int64_t million = 1'000'000;

  Boot boot() const {
    const Milliseconds passed = scene_.agenda.now() - booted_;
    return begin_ + passed + Milliseconds{passed.count() * drift_ppm_ / million};
  }

  Scene& scene_;
  Boot begin_;
  Milliseconds booted_{0};
  std::int64_t drift_ppm_ = 0;
  Milliseconds off_{0};
};

}  // namespace cox::sim
