#include "controller/change/turn_statistics.h"

#include "common/job/job_ref.h"

namespace cox {
namespace {

void count_end(TurnStatistics& turn_statistics, JobState state, std::int64_t jobs) {
  if (state == JobState::Completed) {
    turn_statistics.completed += jobs;
  } else if (state == JobState::Cancelled) {
    turn_statistics.cancelled += jobs;
  } else if (is_final(state)) {
    turn_statistics.failed += jobs;
  }
}

}  // namespace

// A row that is split off an array is not counted as submitted: it was counted with the array.
void TurnStatistics::count(const std::vector<Change>& changes) {
  turns += changes.empty() ? 0 : 1;
  for (const Change& change : changes) {
    if (const auto* added = std::get_if<JobAdded>(&change)) {
      const bool is_new = !is_of_array(added->job) || is_first_of_array(added->job);
      submitted += is_new ? task_count(added->job) : 0;
    }
    const auto* changed = std::get_if<JobChanged>(&change);
    if (changed == nullptr || changed->state_left == changed->job.state) continue;
    const std::int64_t jobs = task_count(changed->job);
    const bool began =
        changed->job.state == JobState::Running && changed->state_left == JobState::Configuring;
    started += began ? jobs : 0;
    count_end(*this, changed->job.state, jobs);
  }
}

void TurnStatistics::add(const TurnStatistics& turn) {
  submitted += turn.submitted;
  started += turn.started;
  completed += turn.completed;
  cancelled += turn.cancelled;
  failed += turn.failed;
  turns += turn.turns;
}

}  // namespace cox
