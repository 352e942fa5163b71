// Steps of srun on a machine, as its step daemons run them. Each ends by itself after a while, or
// earlier when it is stopped.
#include <signal.h>

#include "tests/sim/machine.h"

namespace cox::sim {

using namespace supervisor;

void Machine::act_one(Folder& folder, const BeginStep& action) {
  const std::int32_t number = action.launch.number;
  if (!folder.steps_begun.insert(number).second)
    scene_.story.violated("step " + std::to_string(number) + " of " + text_of(folder.launch.key) +
                          " begins twice on " + node_.name);
  folder.steps.insert(number);
  log("step " + std::to_string(number) + " of " + text_of(folder.launch.key) + " begins");
  StepStatus status;
  status.number = number;
  folder.follow_up.push_back(StepReported{status});
  end_step(folder, number, scene_.random.time(0, 20'000), 0);
}

void Machine::end_step(Folder& folder, std::int32_t number, Milliseconds after,
                       std::int32_t signal) {
  scene_.agenda.after(after, [this, key = folder.launch.key, life = folder.life, number, signal] {
    Folder* folder = find(key, life);
    if (folder == nullptr || folder->steps.erase(number) == 0) return;
    StepStatus status;
    status.number = number;
    status.phase = StepPhase::Gone;
    status.exit_signal = signal;
    feed(key, StepReported{status});
    // The second report: srun has received everything.
    if (Folder* still = find(key, life))
      feed_later(*still, scene_.random.time(0, 20), StepReported{status});
  });
}

void Machine::act_one(Folder& folder, const EndStep& action) {
  end_step(folder, action.number, scene_.random.time(0, 2'000), SIGTERM);
}

void Machine::act_one(Folder& folder, const SignalSteps& action) {
  for (const std::int32_t number : folder.steps)
    if (action.number < 0 || action.number == number)
      end_step(folder, number, scene_.random.time(0, 2'000), action.signals.back());
}

}  // namespace cox::sim
