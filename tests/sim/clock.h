// The clocks of one machine: a boot clock that drifts, within the bound, and a time of day that
// jumps.
#pragma once

#include "tests/sim/scene.h"

namespace cox::sim {

// How much faster or slower than true a boot clock may run, in a million. The controller waits
// lease_margin longer than a supervisor may take: what two such clocks may differ in that time must
// be less (see short_times).
inline constexpr std::int64_t drift_max_ppm = 15'000;

class Clock {
 public:
  Clock(Scene& scene, Boot begin) : scene_(scene), begin_(begin) {
    if (scene.faults.in_use(Fault::BootClocksDrift))
      drift_ppm_ = scene.faults.dice(Fault::BootClocksDrift).between(-drift_max_ppm, drift_max_ppm);
  }

  Now now() const { return {boot(), scene_.wall() + off_}; }
  // How long, in true time, until it shows this.
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
